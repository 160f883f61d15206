use std::time::{Duration, Instant};

use anabranch::prelude::*;
use anabranch_tests::kernels::groups as k;

use crate::cpu;

#[test]
fn step() {
    for n in [16, 1000, 200_000] {
        let (device, stream) = cpu();
        let (p, v, h): (Vec<f32>, Vec<f32>, Vec<f32>) =
            (vec![0.5; n], (0..n).map(|i| i as f32 * 0.01).collect(), (0..n).map(|i| (i % 7) as f32).collect());
        let mut pos = device.buffer_from(&p).unwrap();
        let mut vel = device.buffer_from(&v).unwrap();
        let mut heat = device.buffer_from(&h).unwrap();
        k::step(&stream, &mut pos, &mut vel, &mut heat, 0.1).unwrap();
        let heat_after: Vec<f32> = h.iter().map(|h| h * 0.99 + 0.01).collect();
        let pos_after: Vec<f32> = p.iter().zip(&v).map(|(p, v)| p + v * 0.1).collect();
        let vel_after: Vec<f32> = v.iter().enumerate().map(|(i, v)| v - 0.1 * heat_after[i % 16] * 0.1).collect();
        assert_eq!(pos.to_vec().unwrap(), pos_after);
        assert_eq!(heat.to_vec().unwrap(), heat_after);
        assert_eq!(vel.to_vec().unwrap(), vel_after);
    }
}

#[test]
fn host_code_in_groups() {
    for rounds in [0, 1, 3] {
        let (device, stream) = cpu();
        let mut a = device.buffer_from(&[1u64, 2, 3, 4]).unwrap();
        let mut b = device.buffer_from(&[0u64; 3]).unwrap();
        let shared = device.buffer_from(&[10u64, 20]).unwrap();
        k::host_code_in_groups(&stream, &mut a, &mut b, &shared, rounds).unwrap();
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

#[test]
fn nested() {
    let (device, stream) = cpu();
    let (n, mid) = (10, 6);
    let mut x = device.zeros::<f32>(n).unwrap();
    let mut y = device.zeros::<f32>(5).unwrap();
    k::nested(&stream, &mut x, &mut y, mid).unwrap();
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

#[test]
fn ping_pong() {
    let (device, stream) = cpu();
    let mut a = device.zeros::<u32>(50_000).unwrap();
    let mut b = device.zeros::<u32>(50_000).unwrap();
    k::ping_pong(&stream, &mut a, &mut b, 7).unwrap();
    let (mut ea, mut eb) = (0u32, 0u32);
    for round in 0..7 {
        ea += 1;
        eb += round;
        if round % 2 == 0 { ea += eb } else { eb += ea }
    }
    assert_eq!(a.to_vec().unwrap(), vec![ea; 50_000]);
    assert_eq!(b.to_vec().unwrap(), vec![eb; 50_000]);
}

#[test]
fn launches_from_eight_threads() {
    let (device, _) = cpu();
    std::thread::scope(|scope| {
        for t in 0..8u32 {
            let device = device.clone();
            scope.spawn(move || {
                let stream = device.new_stream().unwrap();
                for n in [64usize, 30_000] {
                    let mut a = device.buffer_from(&vec![t; n]).unwrap();
                    let mut b = device.buffer_from(&vec![t; n]).unwrap();
                    k::ping_pong(&stream, &mut a, &mut b, 1).unwrap();
                    assert_eq!(a.to_vec().unwrap(), vec![2 * t + 1; n]);
                }
            });
        }
    });
}

#[test]
fn views_of_parts_of_buffers() {
    let (device, stream) = cpu();
    let mut x = device.zeros::<u32>(100).unwrap();
    let mut y = device.zeros::<u32>(100).unwrap();
    k::ping_pong(&stream, &mut x.slice_mut(10..20), &mut y.slice_mut(0..10), 1).unwrap();
    let (mut lo, mut hi) = y.split_at_mut(50);
    k::ping_pong(&stream, &mut lo, &mut hi, 1).unwrap();
    assert_eq!(x.to_vec().unwrap().iter().sum::<u32>(), 10);
    assert_eq!(y.to_vec().unwrap(), [[2u32; 50], [0; 50]].concat().iter().map(|v| v / 2).collect::<Vec<_>>());
}

/// Best of five, so that a busy machine does not decide.
fn best(mut run: impl FnMut()) -> Duration {
    (0..5)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed()
        })
        .min()
        .unwrap()
}

#[test]
fn two_groups_with_long_sequential_loops_overlap() {
    if std::thread::available_parallelism().map_or(1, usize::from) < 2 {
        println!("skipped: one CPU core cannot run two groups at the same time");
        return;
    }
    let (device, stream) = cpu();
    let mut a = device.buffer_from(&[1u32]).unwrap();
    let mut b = device.buffer_from(&[2u32]).unwrap();
    let mut nothing = device.zeros::<u32>(0).unwrap();
    // About 50 ms a loop.
    let mut steps = 1_000_000;
    while best(|| k::spin(&stream, &mut a, &mut nothing, steps).unwrap()) < Duration::from_millis(50) {
        steps *= 2;
    }
    let one = best(|| k::spin(&stream, &mut a, &mut nothing, steps).unwrap());
    let both = best(|| k::spin(&stream, &mut a, &mut b, steps).unwrap());
    assert!(both < one.mul_f64(1.5), "two groups took {both:?}, one {one:?}");
}

#[test]
fn plans_are_readable() {
    let plan = k::nested::plan().to_string();
    for part in ["nested", "'lo", "'hi", "'first", "'second", "for i in par(0..lo0.len())"] {
        assert!(plan.contains(part), "{part} is missing in\n{plan}");
    }
    let plan = k::ping_pong::plan().to_string();
    assert!(plan.contains("for round in 0..rounds"), "{plan}");
}

#[test]
fn streams_events_and_buffers() {
    let (device, stream) = cpu();
    let other = device.new_stream_with_priority(Priority::High).unwrap();
    let start = stream.record().unwrap();
    let mut a = device.buffer_from(&[1u32, 2, 3]).unwrap();
    let mut b = a.try_clone().unwrap();
    k::ping_pong(&other, &mut a, &mut b, 1).unwrap();
    let end = other.record().unwrap();
    stream.wait(&end).unwrap();
    end.synchronize().unwrap();
    assert!(end.is_complete().unwrap() && stream.is_idle().unwrap());
    assert!(end.elapsed_since(&start).unwrap() < Duration::from_secs(10));
    a.fill(&stream, 9).unwrap();
    b.copy_from(&[4, 5, 6]).unwrap();
    let mut host = [0; 3];
    b.copy_to(&mut host).unwrap();
    assert_eq!((a.to_vec().unwrap(), host, a.len(), a.shape()), (vec![9; 3], [4, 5, 6], 3, [3]));
    assert!(b.copy_from(&[1, 2]).unwrap_err().to_string().contains('2'));
}
