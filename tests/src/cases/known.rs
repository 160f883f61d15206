use anabranch::prelude::*;

use crate::kernels::known::{self as k, plain};

/// Numbers that differ. Their products are exact, so that a GPU has nothing to round otherwise.
fn numbers(n: usize) -> Vec<f32> {
    (0..n).map(|i| ((i * 7) % 31) as f32).collect()
}

/// The same, none of them a zero.
fn divisors(n: usize) -> Vec<f32> {
    numbers(n).iter().map(|x| x + 1.0).collect()
}

fn integers(n: usize) -> Vec<i32> {
    (0..n as i32).map(|i| i * 7 % 31).collect()
}

fn bytes(n: usize) -> Vec<u8> {
    (0..n).map(|i| (i * 89 % 256) as u8).collect()
}

/// A kernel leaves in its first buffer what the plain function leaves.
macro_rules! same {
    ($device:ident, $stream:ident, $kernel:ident($out:expr; $($read:expr),*; $($number:expr),*)) => {{
        let mut expected = $out;
        let mut out = $device.buffer_from(&expected).unwrap();
        k::$kernel($stream, &mut out, $(&$device.buffer_from(&$read).unwrap(),)* $($number),*).unwrap();
        plain::$kernel(&mut expected, $(&$read,)* $($number),*);
        assert_eq!(out.to_vec().unwrap(), expected, stringify!($kernel));
    }};
}

/// The launch refuses: with these numbers, iterations may race for an element.
macro_rules! races {
    ($device:ident, $stream:ident, $kernel:ident($out:expr; $($read:expr),*; $($number:expr),*)) => {{
        let mut out = $device.buffer_from(&$out).unwrap();
        let ran = k::$kernel($stream, &mut out, $(&$device.buffer_from(&$read).unwrap(),)* $($number),*);
        assert!(matches!(ran, Err(Error::Overlap { .. })), "{}: {ran:?}", stringify!($kernel));
        assert_eq!(out.to_vec().unwrap(), $out);
    }};
}

pub fn transforms(device: &Device, stream: &Stream) {
    for p in [1, 2, 8, 32] {
        same!(device, stream, stockham(numbers(64); numbers(64); p));
    }
    for s in [1, 2, 8] {
        same!(device, stream, cyclic_reduction(numbers(32); ; 32, s));
    }
    same!(device, stream, wavelets(numbers(64); numbers(64);));
    for (j, k) in [(1, 2), (4, 8), (16, 64)] {
        same!(device, stream, partners(integers(64); ; j, k));
    }
    races!(device, stream, stockham(numbers(64); numbers(64); 0));
}

pub fn images(device: &Device, stream: &Stream) {
    same!(device, stream, hot_spot(numbers(63); numbers(63), divisors(63); 7, 9));
    same!(device, stream, windows_to_columns(numbers(9 * 30); numbers(56); 7, 8, 3));
    same!(device, stream, max_pooling(numbers(3 * 12); numbers(3 * 48); 8, 6));
    same!(device, stream, planes_to_pixels(numbers(3 * 20); numbers(3 * 20); 3, 4, 5));
    same!(device, stream, depth_to_space(numbers(4 * 15); numbers(4 * 15); 5, 3, 2));
    same!(device, stream, upsampled(numbers(60); numbers(15); 5));
    same!(device, stream, torus(bytes(63); (0..63).map(|i| u8::from(i % 3 == 0)).collect::<Vec<_>>(); 9, 7));
    same!(device, stream, interleaved(numbers(30); numbers(10), divisors(10), numbers(10);));
    for (w, h, tile) in [(10, 7, 4), (8, 8, 4), (5, 3, 8), (9, 7, 1)] {
        same!(device, stream, tiles(numbers(w * h); ; w, h, tile));
        same!(device, stream, transposed_by_tiles(numbers(w * h); numbers(w * h); w, h, tile));
    }
    same!(device, stream, histograms_of_tiles(vec![0u32; 6 * 256]; bytes(12 * 8); 12, 4));
}

pub fn algebra(device: &Device, stream: &Stream) {
    for k in [0, 3, 7] {
        same!(device, stream, cholesky_column(divisors(64); ; 8, k));
        same!(device, stream, gauss(numbers(64); ; 8, k));
        same!(device, stream, shortest_paths(numbers(64); ; 8, k));
    }
    let columns: Vec<u32> = (0..40).map(|i| i * 3 % 10).collect();
    same!(device, stream, ellpack(numbers(10); numbers(40), columns, numbers(10); 10, 4));
    same!(device, stream, batched(numbers(2 * 12); numbers(2 * 20), numbers(2 * 15); (4, 5, 3)));
    same!(device, stream, quadrant(numbers(64); numbers(64); 8));
    same!(device, stream, row_added(numbers(40); ; 8, 1, 3));
    same!(device, stream, row_added(numbers(40); ; 8, 2, 2));
}

pub fn tables(device: &Device, stream: &Stream) {
    for d in [2, 7] {
        same!(device, stream, anti_diagonal(integers(64); integers(64); 8, d, 2));
    }
    same!(device, stream, sums_of_columns(numbers(63); numbers(63); 9, 7));
    for color in [0, 1] {
        same!(device, stream, board(numbers(63); ; 9, 7, color));
    }
    for w in [7, 9] {
        same!(device, stream, sweeps(numbers(63); ; w, 63 / w));
        same!(device, stream, compressed_sweeps(numbers(63); ; w, 63 / w));
    }
    for n in [1, 2, 8] {
        same!(device, stream, packed(numbers(n * (n + 1) / 2); numbers(n); n));
        same!(device, stream, packed_above(numbers(n * (n + 1) / 2); numbers(n); n));
    }
    same!(device, stream, distances(numbers(28); integers(8); 8));
    for first in [1, 8, 16] {
        same!(device, stream, level(integers(64); ; first));
    }
    for threads in [1, 16, 100] {
        same!(device, stream, grid_stride(numbers(64); numbers(64); threads));
        same!(device, stream, strided(numbers(64); numbers(64); threads));
    }
    for head in [0, 5, 31] {
        same!(device, stream, pushed(numbers(32); divisors(20); head));
        same!(device, stream, pushed(numbers(32); divisors(40); head));
    }
}

/// Right, and refused: `unsafe` around the access is what is left.
pub fn beyond_the_rules(device: &Device, stream: &Stream) {
    races!(device, stream, exchanged(numbers(64); numbers(64);));
}
