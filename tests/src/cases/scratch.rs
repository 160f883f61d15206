use anabranch::prelude::*;

use super::noise;
use crate::kernels::scratch as k;

const N: usize = 1000;

pub fn zeros_at_first(device: &Device, stream: &Stream) {
    let mut out = device.filled(N, 7u64).unwrap();
    for _ in 0..2 {
        k::begins_with_zeros(stream, &mut out, N).unwrap();
        assert_eq!(out.to_vec().unwrap(), [0; N]);
    }
    let graph = stream.capture(|stream| k::begins_with_zeros(stream, &mut out, N)).unwrap();
    for _ in 0..3 {
        out.fill(9).unwrap();
        graph.launch(stream).unwrap();
        assert_eq!(out.to_vec().unwrap(), [0; N]);
    }
}

/// What [`in_groups`](k::in_groups) computes.
fn rounds(x: &[u32], y: &mut Vec<u32>, rounds: usize) {
    let n = x.len();
    let (mut left, mut right) = (vec![0u32; n], vec![0u32; n]);
    for _ in 0..rounds {
        for i in 0..n {
            left[i] += x[i] + y[i];
            right[i] += y[n - 1 - i];
        }
        *y = left.iter().zip(&right).map(|(l, r)| l.wrapping_mul(3).wrapping_add(*r)).collect();
    }
}

pub fn groups_and_swaps(device: &Device, stream: &Stream) {
    let numbers = |seed| noise(N + seed).skip(seed).map(|v| (v >> 40) as u32 % 1000).collect::<Vec<_>>();
    let (on_host, mut want) = (numbers(0), numbers(1));
    let (x, mut y) = (device.buffer_from(&on_host).unwrap(), device.buffer_from(&want).unwrap());
    for times in [1, 2, 3] {
        k::in_groups(stream, &x, &mut y, times).unwrap();
        rounds(&on_host, &mut want, times);
        assert_eq!(y.to_vec().unwrap(), want, "{times} rounds");
        y.copy_from(&numbers(times)).unwrap();
        want = numbers(times);
    }
    let graph = stream.capture(|stream| k::in_groups(stream, &x, &mut y, 3)).unwrap();
    for _ in 0..2 {
        y.copy_from(&want).unwrap();
        graph.launch(stream).unwrap();
        let mut after = want.clone();
        rounds(&on_host, &mut after, 3);
        assert_eq!(y.to_vec().unwrap(), after);
    }
}

pub fn grids_and_atomics(device: &Device, stream: &Stream) {
    let (height, width) = (30, 70);
    let cells: Vec<u8> = noise(height * width).map(|v| (v >> 50) as u8).collect();
    let mut rows = device.zeros(height).unwrap();
    k::counted(stream, &device.buffer_from(&cells).unwrap(), &mut rows, width).unwrap();
    let sum = |row: &[u8]| row.iter().map(|cell| u32::from(*cell)).sum::<u32>();
    assert_eq!(rows.to_vec().unwrap(), cells.chunks(width).map(sum).collect::<Vec<_>>());
}

pub fn structs_and_generics(device: &Device, stream: &Stream) {
    let mut x = device.from_fn(N, |i| i as f32).unwrap();
    k::doubled(stream, &mut x).unwrap();
    assert_eq!(x.to_vec().unwrap(), (0..N).map(|i| 2.0 * i as f32).collect::<Vec<_>>());
}

pub fn none_and_too_many(device: &Device, stream: &Stream) {
    let mut out = device.zeros(3).unwrap();
    k::of_any_length(stream, &mut out, 0).unwrap();
    assert_eq!(out.to_vec().unwrap(), [0; 3]);
    k::of_any_length(stream, &mut out, 4).unwrap();
    assert_eq!(out.to_vec().unwrap(), [1, 1, 0]);
    for len in [usize::MAX / 4, usize::MAX] {
        let error = k::of_any_length(stream, &mut out, len).expect_err("no device has so much memory").to_string();
        assert!(error.contains("`scratch` of") && error.contains("in kernel `of_any_length`: "), "{error}");
    }
    for shape in [[0, usize::MAX, usize::MAX], [usize::MAX, 0, 2], [usize::MAX, 2, 2], [2, 3, 4]] {
        let launched = k::of_any_shape(stream, &mut out, shape);
        assert_eq!(launched.is_ok(), shape == [2, 3, 4], "{shape:?}: {launched:?}");
    }
    // The launch has left nothing behind.
    k::of_any_length(stream, &mut out, 4).unwrap();
    stream.synchronize().unwrap();
    assert_eq!(out.to_vec().unwrap(), [1, 1, 0]);
}
