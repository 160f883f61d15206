use anabranch::prelude::*;

use super::{close, noise};
use crate::kernels::functions as k;

pub fn references_and_slices(device: &Device, stream: &Stream) {
    let x: Vec<i64> = noise(80).map(|x| (x % 1000) as i64).collect();
    let (mut out, mut stats) = (device.zeros::<i64>(80).unwrap(), device.zeros::<i64>(40).unwrap());
    k::rows(stream, &device.buffer_from(&x).unwrap(), &mut out, &mut stats).unwrap();
    let (out, stats) = (out.to_vec().unwrap(), stats.to_vec().unwrap());
    let all: i64 = x.iter().sum();
    for row in 0..10 {
        let x = &x[8 * row..][..8];
        let mut want: Vec<i64> = x.iter().zip(0..).map(|(x, i)| x + i).collect();
        want[..4].reverse();
        want[4..].reverse();
        want[0] += x[0] + x.iter().sum::<i64>();
        assert_eq!(out[8 * row..][..8], want, "row {row}");
        let mut corner = [want[0], want[7], -5];
        let mut total = 0;
        for i in 0..3 {
            total += corner[i];
            corner[2] += want[i];
        }
        corner.reverse();
        // Of equal numbers the first.
        let at = (0..3).rev().max_by_key(|&i| corner[i]).unwrap();
        let sums = corner.iter().sum::<i64>() + 6 + all;
        let wanted = [3, total + 9 * 1000 + 100_000, corner[at], at as i64 + sums];
        assert_eq!(stats[4 * row..][..4], wanted, "row {row}");
    }
}

pub fn elements_that_a_call_borrows(device: &Device, stream: &Stream) {
    let start: Vec<u64> = (0..32).map(|i| if i % 4 < 2 { i / 16 } else { i * i }).collect();
    let mut buffer = device.buffer_from(&start).unwrap();
    k::borrowed(stream, &mut buffer).unwrap();
    let mut want = start;
    for x in want.chunks_exact_mut(4) {
        x[0] = k::next(&mut x[0]) + 10;
        x[k::next(&mut x[1]) as usize] = k::next(&mut x[1]);
        x[3] += x[(k::next(&mut x[1]) % 4) as usize];
        x[(k::next(&mut x[0]) % 4) as usize] += k::next(&mut x[2]);
        let old = k::next(&mut x[(k::next(&mut x[2]) % 4) as usize]);
        x[0] = k::exchange(&mut x[(k::next(&mut x[3]) % 4) as usize], old);
    }
    assert_eq!(buffer.to_vec().unwrap(), want);
}

/// One kernel, many instances: none is taken for another, neither with other types nor with other
/// constants.
pub fn instances_of_generic_kernels(device: &Device, stream: &Stream) {
    fn affine<T: Num, const N: usize>(device: &Device, stream: &Stream, x: Vec<T>, a: T, b: [T; N]) {
        let mut y = device.zeros::<T>(x.len()).unwrap();
        // Twice: the second launch finds what the first has compiled.
        for _ in 0..2 {
            k::affine(stream, a, &device.buffer_from(&x).unwrap(), &mut y, b).unwrap();
        }
        let want: Vec<T> = x.iter().map(|&x| b.iter().fold(x, |x, &b| a * x + b + T::ONE)).collect();
        assert_eq!(y.to_vec().unwrap(), want);
    }
    affine(device, stream, vec![1.0f32, 2.5, -3.0], 2.0, [0.5, 1.5]);
    affine(device, stream, vec![1.0f64, 2.5, -3.0], 2.0, [0.5, 1.5]);
    affine(device, stream, vec![1.0f32, 2.5, -3.0], 2.0, [0.5, 1.5, 2.5]);
    affine(device, stream, vec![1.0f32, 2.5, -3.0], 2.0, []);
    affine(device, stream, vec![1u8, 2, 3], 3, [4, 5]);
    affine(device, stream, vec![-1i128, 2, i128::MAX / 100], 3, [4]);
    assert_ne!(k::affine::cuda_source::<f32, 2>(), k::affine::cuda_source::<f64, 2>());
    assert_eq!(k::affine::plan::<f32, 3>().loops(), 1);

    let x = [0.0f32, 1.0, 2.25, -100.0, 4.0e9];
    let (mut bits, mut roots) = (device.zeros::<u16>(5).unwrap(), device.zeros::<f32>(5).unwrap());
    k::shapes(stream, &device.buffer_from(&x).unwrap(), &mut bits, &mut roots, (3, [2.0, 1.0])).unwrap();
    let whole = |x: f32| (x.abs().floor() as u16).wrapping_shl(3).rotate_left(2) ^ 16;
    assert_eq!(bits.to_vec().unwrap(), x.map(whole));
    let root = |x: f32| x.abs().sqrt() * 2.0 + std::f32::consts::PI - 0.5;
    close(device, &roots.to_vec().unwrap(), &x.map(root), |i| root(x[i]));
}

pub fn vectors(device: &Device, stream: &Stream) {
    let points: Vec<f32> = (0..300).map(|i| i as f32 / 4.0).collect();
    let mut out = device.zeros::<f32>(100).unwrap();
    k::distances(stream, &device.buffer_from(&points).unwrap(), [1.0, -2.0, 0.5], &mut out).unwrap();
    let want: Vec<f32> =
        points.chunks_exact(3).map(|p| (p[0] - 1.0).powi(2) + (p[1] + 2.0).powi(2) + (p[2] - 0.5).powi(2)).collect();
    close(device, &out.to_vec().unwrap(), &want, |i| want[i]);
    assert_eq!(k::sum(&[1.5f32, 2.0]), 3.5, "on the host, too");
}

/// All instances of a kernel share what a loop remembers of its last launch.
pub fn instances_share_no_verdict(device: &Device, stream: &Stream) {
    let mut x = device.zeros::<u32>(300).unwrap();
    for _ in 0..2 {
        k::counted_as::<u16>(stream, &mut x, 300).unwrap();
        let wrapped = k::counted_as::<u8>(stream, &mut x, 300);
        assert!(matches!(wrapped, Err(Error::Overlap { .. })), "{wrapped:?}");
        k::strided::<2>(stream, &mut x, 150).unwrap();
        let still = k::strided::<0>(stream, &mut x, 150);
        assert!(matches!(still, Err(Error::Overlap { .. })), "{still:?}");
        let outside = k::strided::<3>(stream, &mut x, 150);
        assert!(matches!(outside, Err(Error::OutOfBounds { .. })), "{outside:?}");
    }
    k::counted_as::<u8>(stream, &mut x, 256).unwrap();
    let expected = (0..300).map(|i| 2 + 2 * u32::from(i % 2 == 0) + u32::from(i < 256));
    assert_eq!(x.to_vec().unwrap(), expected.collect::<Vec<_>>());
}
