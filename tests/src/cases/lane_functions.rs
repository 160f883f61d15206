//! Device functions with loops that the CPU runs for the arguments of all lanes at once: the
//! results are those of the functions on the host.

use anabranch::Plan;
use anabranch::prelude::*;

use super::noise;
use crate::kernels::lane_functions as k;
use k::Growth;

const LENGTHS: [usize; 6] = [0, 1, 16, 17, 40, 1000];

fn inputs(len: usize) -> (Vec<f32>, Vec<u64>) {
    let x = noise(len).map(|x| (x % 1000) as f32 / 400.0).collect();
    (x, noise(len).map(|x| x >> (x % 60)).collect())
}

#[track_caller]
fn in_lanes(plan: Plan) -> Vec<Result<(), &'static str>> {
    plan.lanes().collect()
}

pub fn of_functions_and_methods(device: &Device, stream: &Stream) {
    assert_eq!(in_lanes(k::functions::plan()), [Ok(())]);
    assert_eq!(in_lanes(k::sometimes::plan()), [Err("it has no long loop in it")]);
    for len in LENGTHS {
        let (x, n) = inputs(len);
        let (mut out, mut peaks) = (device.zeros::<u32>(len).unwrap(), device.zeros::<u64>(len).unwrap());
        let mut ends = device.zeros::<f64>(len).unwrap();
        let (on_device, numbers) = (device.buffer_from(&x).unwrap(), device.buffer_from(&n).unwrap());
        for limit in [0, 3, 40] {
            out.fill(5).unwrap();
            k::functions(stream, &mut out, &mut peaks, &mut ends, &on_device, &numbers, limit).unwrap();
            let want = |i: usize| k::escape([x[i], 0.25], limit + (i % 5) as u32).unwrap_or(5);
            assert_eq!(out.to_vec().unwrap(), (0..len).map(want).collect::<Vec<_>>(), "{len} {limit}");
        }
        let peak = |n: u64| {
            let peak = match k::walk(n, 20) {
                (0, _) => 1,
                (count, peak) if count > 3 => peak,
                (count, _) => u64::from(count),
            };
            peak.wrapping_add(u64::from(k::walk(k::walk(n, 1).1 & 0xff, 9).0) << 8)
        };
        let rounds = |i: usize| k::Ray { from: 0.0, light: x[i] as f64 }.end_in((i % 9) as u8);
        let want = (0..len).map(|i| peak(n[i]).wrapping_add(rounds(i) as u64));
        assert_eq!(peaks.to_vec().unwrap(), want.collect::<Vec<_>>());
        k::sometimes(stream, &mut out, &numbers).unwrap();
        let few = out.to_vec().unwrap();
        let is_right = |i: usize| n[i] & 1 == 1 || few[i] == k::walk(n[i] & 0xff, 30).0;
        assert!((0..len).all(is_right));
        let end = |i: usize| match (k::Ray { from: x[i], light: x[i] as f64 * 2.0 }).end((i % 9) as u8) {
            k::End::Dark(n) => n as f64,
            k::End::Bright { at } => at as f64 - 1000.0,
        };
        assert_eq!(ends.to_vec().unwrap(), (0..len).map(end).collect::<Vec<_>>());
    }
}

pub fn that_see_what_came_before(device: &Device, stream: &Stream) {
    let (_, n) = inputs(100);
    let mut out = device.zeros::<u64>(100).unwrap();
    let n: Vec<u64> = n.iter().map(|n| n & 0xffff).collect();
    k::in_their_order(stream, &mut out, &device.buffer_from(&n).unwrap()).unwrap();
    let want = |n: &u64| {
        let sum = n + 1 + k::walk(n + 1, 9).1;
        let sum = sum + k::walk(sum & 0xff, 4).1;
        sum.wrapping_mul(k::walk(n + 3, 9).1 | 1)
    };
    assert_eq!(out.to_vec().unwrap(), n.iter().map(want).collect::<Vec<_>>());
}

pub fn that_change_what_they_are_called_on(device: &Device, stream: &Stream) {
    assert_eq!(in_lanes(k::halves::plan()), [Err("a method changes a variable")]);
    assert_eq!(in_lanes(k::lefts::plan()), [Ok(())]);
    let (x, _) = inputs(70);
    let on_device = device.buffer_from(&x).unwrap();
    let mut out = device.zeros::<f64>(70).unwrap();
    k::halves(stream, &mut out, &on_device, 5).unwrap();
    let halved = |x: &f32| {
        let mut ray = k::Ray { from: 0.0, light: *x as f64 };
        (0..5).map(|_| ray.halve()).sum::<f64>() + ray.light
    };
    assert_eq!(out.to_vec().unwrap(), x.iter().map(halved).collect::<Vec<_>>());
    k::lefts(stream, &mut out, &on_device, 6).unwrap();
    let left = |x: &f32| {
        let (mut light, mut sum) = (*x as f64, 0.0);
        for r in 0..6 {
            sum += light - 0.01;
            light -= r as f64;
        }
        sum
    };
    if device.is_cpu() {
        assert_eq!(out.to_vec().unwrap(), x.iter().map(left).collect::<Vec<_>>());
    }
}

pub fn of_traits(device: &Device, stream: &Stream) {
    assert_eq!(in_lanes(k::counts::plan::<k::Adds>()), [Ok(())]);
    assert_eq!(in_lanes(k::counts::plan::<k::Doubles>()), [Err("it has no long loop in it")]);
    let (x, _) = inputs(100);
    let (on_device, mut out) = (device.buffer_from(&x).unwrap(), device.zeros::<u16>(100).unwrap());
    k::counts(stream, &mut out, k::Adds(0.25), &on_device, 9.0).unwrap();
    assert_eq!(out.to_vec().unwrap(), x.iter().map(|x| k::Adds(0.25).count(*x, 9.0)).collect::<Vec<_>>());
    k::counts(stream, &mut out, k::Doubles, &on_device, 9.0).unwrap();
    assert_eq!(out.to_vec().unwrap(), x.iter().map(|x| k::Doubles.count(*x, 9.0)).collect::<Vec<_>>());
}

/// Where there are no rounds, there may be no rays.
pub fn with_elements_of_their_own(device: &Device, stream: &Stream) {
    assert_eq!(in_lanes(k::own_rays::plan()), [Ok(())]);
    let rays: Vec<_> = (0..101).map(|i| k::Ray { from: (i % 7) as f32, light: (i % 11) as f64 * 0.25 }).collect();
    let x: Vec<f64> = (0..30).map(|i| (i % 13) as f64 * 0.25).collect();
    let on_device = device.buffer_from(&x).unwrap();
    for (len, rounds) in [(100, 0), (100, 30), (3, 0)] {
        let mut out = device.zeros::<f64>(100).unwrap();
        k::own_rays(stream, &mut out, &device.buffer_from(&rays[..len + 1]).unwrap(), &on_device, rounds).unwrap();
        let want = |i: usize| {
            let mut sum = 0.0;
            for x in &x[..rounds] {
                if *x > rays[i + 1].light {
                    continue;
                }
                sum += rays[i].left() * x + rays[i + 1].from as f64;
                if sum > 40.0 {
                    break;
                }
            }
            sum
        };
        let (got, want) = (out.to_vec().unwrap(), (0..100).map(want).collect::<Vec<_>>());
        let near = got.iter().zip(&want).all(|(got, want)| (got - want).abs() < 1e-9);
        assert!(if device.is_cpu() { got == want } else { near }, "{got:?}");
    }
}

pub fn with_values_that_are_large(device: &Device, stream: &Stream) {
    assert_eq!(in_lanes(k::larges::plan())[0], Err("its variables are too large"));
    let large = |i: usize| k::Large { values: std::array::from_fn(|k| (i + k) as f32), scale: i as f32 };
    let all: Vec<_> = (0..40).map(large).collect();
    let (mut out, mut sums) = (device.zeros::<f32>(40).unwrap(), device.zeros::<f32>(40).unwrap());
    k::larges(stream, &mut out, &mut sums, &device.buffer_from(&all).unwrap(), 4).unwrap();
    assert_eq!(out.to_vec().unwrap(), (0..40).map(|i| i as f32 + 10.0).collect::<Vec<_>>());
    let want = |i: usize| (0..4).map(|r| (i + 3) as f32 * r as f32 + i as f32 + (i + 7) as f32).sum::<f32>();
    assert_eq!(sums.to_vec().unwrap(), (0..40).map(want).collect::<Vec<_>>());
}

pub fn with_ranges_of_their_own(device: &Device, stream: &Stream) {
    assert_eq!(in_lanes(k::triangles::plan()), [Ok(())]);
    let (_, n) = inputs(300);
    let mut out = device.zeros::<u32>(300).unwrap();
    k::triangles(stream, &mut out, &device.buffer_from(&n).unwrap()).unwrap();
    let want = |n: &u64| {
        let mut sum = 0u32;
        for a in 0..(n % 7) as u32 {
            for b in (a..(n % 5) as u32).take_while(|b| *b <= 3).filter(|b| a + b != 6) {
                sum = sum * 3 + a + b;
            }
        }
        sum
    };
    assert_eq!(out.to_vec().unwrap(), n.iter().map(want).collect::<Vec<_>>());
}
