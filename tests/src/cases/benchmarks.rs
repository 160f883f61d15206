use anabranch::prelude::*;

use super::{close, noise};
use crate::kernels::{benchmarks as k, factored, independent};

/// Numbers from 0 to 1.
fn fractions(n: usize) -> Vec<f32> {
    noise(n).map(|v| (v >> 40) as f32 / (1 << 24) as f32).collect()
}

pub fn saxpy(device: &Device, stream: &Stream) {
    let (x, y) = (fractions(10_007), vec![0.25f32; 10_007]);
    let mut dy = device.buffer_from(&y).unwrap();
    k::saxpy(stream, &mut dy, &device.buffer_from(&x).unwrap(), -0.7).unwrap();
    let expected: Vec<f32> = x.iter().zip(&y).map(|(x, y)| y + -0.7 * x).collect();
    close(device, &dy.to_vec().unwrap(), &expected, |_| 1.0);
}

pub fn stencil(device: &Device, stream: &Stream) {
    let (w, h) = (133, 71);
    let a = fractions(w * h);
    let mut b = device.zeros::<f32>(w * h).unwrap();
    let da = device.buffer_from(&a).unwrap();
    k::stencil(stream, &mut b, &da, w, h).unwrap();
    let mut by_function = device.zeros::<f32>(w * h).unwrap();
    factored::factored_stencil(stream, &mut by_function, &da, w, h).unwrap();
    assert_eq!(by_function.to_vec().unwrap(), b.to_vec().unwrap());
    let mut expected = vec![0.0; w * h];
    for y in 1..h - 1 {
        for x in 1..w - 1 {
            let i = y * w + x;
            expected[i] = 0.25 * (a[i - 1] + a[i + 1] + a[i - w] + a[i + w]);
        }
    }
    close(device, &b.to_vec().unwrap(), &expected, |_| 1.0);
}

pub fn blur(device: &Device, stream: &Stream) {
    let (w, h, weights) = (101, 13, [0.1, 0.2, 0.4, 0.2, 0.1f32]);
    let plane = fractions(w * h);
    let mut out = device.zeros::<f32>(w * h).unwrap();
    let (dplane, dweights) = (device.buffer_from(&plane).unwrap(), device.buffer_from(&weights).unwrap());
    k::blur(stream, &mut out, &dplane, &dweights, w, h).unwrap();
    let mut by_function = device.zeros::<f32>(w * h).unwrap();
    factored::factored_blur(stream, &mut by_function, &dplane, &dweights, w, h).unwrap();
    assert_eq!(by_function.to_vec().unwrap(), out.to_vec().unwrap());
    let expected: Vec<f32> = (0..w * h)
        .map(|at| {
            let (x, row) = (at % w, &plane[at / w * w..][..w]);
            let taps = weights.iter().enumerate();
            taps.fold(0.0, |sum, (k, weight)| sum + weight * row[(x + k).saturating_sub(2).min(w - 1)])
        })
        .collect();
    close(device, &out.to_vec().unwrap(), &expected, |_| 1.0);
}

pub fn matmul(device: &Device, stream: &Stream) {
    let (h, inner, w) = (19, 40, 33);
    let (a, b) = (fractions(h * inner), fractions(inner * w + 1).split_off(1));
    let mut c = device.zeros::<f32>(h * w).unwrap();
    let (da, db) = (device.buffer_from(&a).unwrap(), device.buffer_from(&b).unwrap());
    k::matmul(stream, &mut c, &da, &db, inner, w).unwrap();
    let expected: Vec<f32> =
        (0..h * w).map(|at| (0..inner).fold(0.0, |sum, k| sum + a[at / w * inner + k] * b[k * w + at % w])).collect();
    close(device, &c.to_vec().unwrap(), &expected, |_| inner as f32);
}

pub fn all_pairs(device: &Device, stream: &Stream) {
    let n = 300;
    let points: [Vec<f32>; 3] = std::array::from_fn(|axis| fractions(n + axis).split_off(axis));
    let [x, y, z] = points.each_ref().map(|values| device.buffer_from(values).unwrap());
    let mut out = device.zeros::<f32>(n).unwrap();
    k::all_pairs(stream, &mut out, &x, &y, &z).unwrap();
    let expected: Vec<f32> = (0..n)
        .map(|i| {
            (0..n).fold(0.0, |sum, j| {
                let [dx, dy, dz] = [0, 1, 2].map(|axis: usize| points[axis][j] - points[axis][i]);
                sum + 1.0 / (dx * dx + dy * dy + dz * dz + 1e-3).sqrt()
            })
        })
        .collect();
    // Each term is a few roundings off, and so is each sum.
    close(device, &out.to_vec().unwrap(), &expected, |i| expected[i] * 20.0);
}

pub fn heat(device: &Device, stream: &Stream) {
    let (w, h, c) = (61, 43, 0.125);
    let a = fractions(w * h);
    let mut b = device.grid_zeros::<f32, 2>([h, w]).unwrap();
    k::heat(stream, &mut b, &device.grid_from(&a, [h, w]).unwrap(), c).unwrap();
    let inside = |i: usize| (1..h - 1).contains(&(i / w)) && (1..w - 1).contains(&(i % w));
    let next = |i: usize| a[i] + c * (a[i - w] + a[i + w] + a[i - 1] + a[i + 1] - 4.0 * a[i]);
    let expected: Vec<f32> = (0..w * h).map(|i| if inside(i) { next(i) } else { 0.0 }).collect();
    close(device, &b.to_vec().unwrap(), &expected, |_| 4.0);
}

/// Of lengths that the blocks do not divide, and of fewer elements than there are blocks.
pub fn scans_and_histograms(device: &Device, stream: &Stream) {
    for (n, blocks) in [(1000, 7), (64, 64), (5, 8), (0, 3), (1, 1)] {
        let x: Vec<u32> = noise(n).map(|number| number as u32).collect();
        let (mut out, mut sums) = (device.zeros::<u32>(n).unwrap(), device.zeros(blocks).unwrap());
        k::scan(stream, &mut out, &device.buffer_from(&x).unwrap(), &mut sums).unwrap();
        let running = |sum: &mut u32, x: &u32| {
            *sum = sum.wrapping_add(*x);
            Some(*sum)
        };
        assert_eq!(out.to_vec().unwrap(), x.iter().scan(0, running).collect::<Vec<u32>>(), "{n} in {blocks}");

        let bytes: Vec<u8> = x.iter().map(|number| (number % 251) as u8).collect();
        let (mut parts, mut counts) = (device.filled(blocks * 256, 9).unwrap(), device.zeros::<u32>(256).unwrap());
        let text = device.buffer_from(&bytes).unwrap();
        k::histogram(stream, &mut counts, &mut parts, &text).unwrap();
        let mut expected = [0; 256];
        bytes.iter().for_each(|byte| expected[usize::from(*byte)] += 1);
        assert_eq!(counts.to_vec().unwrap(), expected, "{n} in {blocks}");
        let mut atomic = device.zeros(256).unwrap();
        k::atomic_histogram(stream, &mut atomic, &text).unwrap();
        assert_eq!(atomic.to_vec().unwrap(), expected);
    }
}

pub fn tiny_groups(device: &Device, stream: &Stream) {
    let (mut a, mut b) = (device.zeros::<f32>(3).unwrap(), device.zeros::<f32>(70).unwrap());
    for _ in 0..10 {
        k::tiny_groups(stream, &mut a, &mut b).unwrap();
    }
    assert_eq!((a.to_vec().unwrap(), b.to_vec().unwrap()), (vec![10.0; 3], vec![10.0; 70]));
}

/// Groups and series of all sizes: each buffer is where its own loop takes it.
pub fn independent_loops(device: &Device, stream: &Stream) {
    for &count in independent::COUNTS {
        let start = |k: usize| vec![k as u32 + 1; 5 + k];
        let buffers = || (0..count).map(|k| device.buffer_from(&start(k)).unwrap()).collect::<Vec<_>>();
        let (mut groups, mut series) = (buffers(), buffers());
        independent::groups(stream, &mut groups, 3).unwrap();
        independent::series(stream, &mut series, 3).unwrap();
        for (k, (groups, series)) in groups.iter().zip(&series).enumerate() {
            let step = |s: u32| s.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let expected = start(k).into_iter().map(|s| step(step(step(s)))).collect::<Vec<_>>();
            assert_eq!(
                (groups.to_vec().unwrap(), series.to_vec().unwrap()),
                (expected.clone(), expected),
                "{k} of {count}"
            );
        }
    }
}

/// A GPU tells what each loop needs; on the CPU there is nothing to tell.
pub fn resources_of_loops(device: &Device, _: &Stream) {
    let plans = [k::matmul::plan(), k::heat::plan(), crate::kernels::order::loops_in_order::plan()];
    for plan in plans {
        let needs = plan.resources(device).unwrap();
        assert_eq!(needs.len(), if device.is_cpu() { 0 } else { plan.loops() });
        for of_loop in needs {
            assert!((1..256).contains(&of_loop.registers) && of_loop.local_bytes < 1 << 19, "{of_loop}");
            assert!(of_loop.to_string().starts_with("for "), "{of_loop}");
        }
    }
}
