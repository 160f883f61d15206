use super::close;
use crate::kernels::groups as k;
use anabranch::prelude::*;

pub fn step(device: &Device, stream: &Stream) {
    for n in [16, 1000, 200_000] {
        let (p, v, h): (Vec<f32>, Vec<f32>, Vec<f32>) =
            (vec![0.5; n], (0..n).map(|i| i as f32 * 0.01).collect(), (0..n).map(|i| (i % 7) as f32).collect());
        let mut pos = device.buffer_from(&p).unwrap();
        let mut vel = device.buffer_from(&v).unwrap();
        let mut heat = device.buffer_from(&h).unwrap();
        k::step(stream, &mut pos, &mut vel, &mut heat, 0.1).unwrap();
        let heat_after: Vec<f32> = h.iter().map(|h| h * 0.99 + 0.01).collect();
        let pos_after: Vec<f32> = p.iter().zip(&v).map(|(p, v)| p + v * 0.1).collect();
        let vel_after: Vec<f32> = v.iter().enumerate().map(|(i, v)| v - 0.1 * heat_after[i % 16] * 0.1).collect();
        close(device, &pos.to_vec().unwrap(), &pos_after, |i| p[i] + v[i]);
        assert_eq!(heat.to_vec().unwrap(), heat_after);
        close(device, &vel.to_vec().unwrap(), &vel_after, |i| v[i] + 0.1);
    }
}

pub fn host_code_in_groups(device: &Device, stream: &Stream) {
    for rounds in [0, 1, 3] {
        let mut a = device.buffer_from(&[1u64, 2, 3, 4]).unwrap();
        let mut b = device.buffer_from(&[0u64; 3]).unwrap();
        let shared = device.buffer_from(&[10u64, 20]).unwrap();
        k::host_code_in_groups(stream, &mut a, &mut b, &shared, rounds).unwrap();
        let mut expected = [1, 2, 3, 4];
        let mut turn = 0;
        for round in 0..u64::from(rounds) {
            turn += 1;
            for (i, e) in expected.iter_mut().enumerate().take(3) {
                *e += turn * 2 + [10, 20][i % 2] + round;
            }
        }
        let b_expected = match rounds {
            0 => 0,
            1 => 1,
            _ => turn * 2 + 10,
        };
        assert_eq!(a.to_vec().unwrap(), expected);
        assert_eq!(b.to_vec().unwrap(), [b_expected; 3]);
    }
}

pub fn nested(device: &Device, stream: &Stream) {
    let (n, mid) = (10, 6);
    let mut x = device.zeros::<f32>(n).unwrap();
    let mut y = device.zeros::<f32>(5).unwrap();
    k::nested(stream, &mut x, &mut y, mid).unwrap();
    let expected: Vec<f32> = (0..n)
        .map(|i| {
            let value = if i < mid / 2 {
                10.0
            } else if i < mid {
                100.0
            } else {
                1000.0
            };
            value + 0.5 + if i < 1 { 0.25 } else { 0.125 }
        })
        .collect();
    assert_eq!(x.to_vec().unwrap(), expected);
    assert_eq!(y.to_vec().unwrap(), [5.0, 5.0, 10.0, 10.0, 10.0]);
}

pub fn ping_pong(device: &Device, stream: &Stream) {
    let mut a = device.zeros::<u32>(50_000).unwrap();
    let mut b = device.zeros::<u32>(50_000).unwrap();
    k::ping_pong(stream, &mut a, &mut b, 7).unwrap();
    let (mut ea, mut eb) = (0u32, 0u32);
    for round in 0..7 {
        ea += 1;
        eb += round;
        if round % 2 == 0 { ea += eb } else { eb += ea }
    }
    assert_eq!(a.to_vec().unwrap(), vec![ea; 50_000]);
    assert_eq!(b.to_vec().unwrap(), vec![eb; 50_000]);
}

/// Each thread with a stream of its own and, in turns, with the one that all share.
pub fn launches_from_eight_threads(device: &Device, shared: &Stream) {
    std::thread::scope(|scope| {
        for t in 0..8u32 {
            scope.spawn(move || {
                let own = device.new_stream().unwrap();
                for (n, stream) in [(64usize, &own), (30_000, &own), (64, shared), (1000, shared), (64, &own)] {
                    let mut a = device.buffer_from(&vec![t; n]).unwrap();
                    let mut b = device.buffer_from(&vec![t; n]).unwrap();
                    k::ping_pong(stream, &mut a, &mut b, 1).unwrap();
                    assert_eq!(a.to_vec().unwrap(), vec![2 * t + 1; n]);
                }
            });
        }
    });
}

pub fn views_of_parts_of_buffers(device: &Device, stream: &Stream) {
    let mut x = device.zeros::<u32>(100).unwrap();
    let mut y = device.zeros::<u32>(100).unwrap();
    k::ping_pong(stream, &mut x.slice_mut(10..20), &mut y.slice_mut(0..10), 1).unwrap();
    let (mut lo, mut hi) = y.split_at_mut(50);
    k::ping_pong(stream, &mut lo, &mut hi, 1).unwrap();
    assert_eq!(x.to_vec().unwrap().iter().sum::<u32>(), 10);
    assert_eq!(y.to_vec().unwrap(), [[2u32; 50], [0; 50]].concat().iter().map(|v| v / 2).collect::<Vec<_>>());
}

/// More groups than the other cases have at one time, in a host loop.
pub fn many_groups(device: &Device, stream: &Stream) {
    let mut x = device.zeros::<u32>(90).unwrap();
    for _ in 0..20 {
        k::many_groups(stream, &mut x, 15).unwrap();
    }
    let expected: Vec<u32> = (0..90).map(|i| 20 * (i as u32 / 15 + 1)).collect();
    assert_eq!(x.to_vec().unwrap(), expected);
}

/// The loops of the acceptance case for overlap, by their results.
pub fn spin(device: &Device, stream: &Stream) {
    let spun = |mut s: u32| {
        (0..1000).for_each(|_| s = s.wrapping_mul(1664525).wrapping_add(1013904223));
        s
    };
    let (mut a, mut b) = (device.buffer_from(&[1u32, 5]).unwrap(), device.buffer_from(&[2u32]).unwrap());
    k::spin(stream, &mut a, &mut b, 1000).unwrap();
    assert_eq!((a.to_vec().unwrap(), b.to_vec().unwrap()), (vec![spun(1), spun(5)], vec![spun(2)]));
    k::spin_serial(stream, &mut a, &mut b, 1000).unwrap();
    assert_eq!((a.to_vec().unwrap(), b.to_vec().unwrap()), (vec![spun(spun(1)), spun(spun(5))], vec![spun(spun(2))]));
}
