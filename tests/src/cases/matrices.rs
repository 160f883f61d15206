//! Transposition and products of matrices against plain Rust.

use anabranch::algorithms::*;
use anabranch::half::f16;
use anabranch::prelude::*;

use super::noise;
use crate::kernels::algorithms as k;

/// Moves a matrix of elements of any type, also between parts of grids.
fn turned<T: DeviceCopy + PartialEq + std::fmt::Debug>(device: &Device, stream: &Stream, of: impl Fn(u64) -> T) {
    for (h, w) in [(0, 0), (0, 5), (1, 1), (32, 32), (31, 33), (33, 64), (70, 5), (2, 200)] {
        let x: Vec<T> = noise(h * w).map(&of).collect();
        let from = device.grid_from(&x, [h, w]).unwrap();
        let mut to = device.grid_filled([w, h], of(7)).unwrap();
        transpose(stream, &from, &mut to).unwrap();
        let want: Vec<T> = (0..h * w).map(|at| x[at % h * w + at / h]).collect();
        assert_eq!(to.to_vec().unwrap(), want, "{h} x {w}");
    }
}

pub fn transpositions(device: &Device, stream: &Stream) {
    turned(device, stream, |v| v as f32);
    turned(device, stream, |v| v % 2 == 0);
    turned(device, stream, |v| [v as u16, (v >> 16) as u16, (v >> 32) as u16]);
}

/// Small numbers, so that nothing is rounded.
fn products<T: Num + DeviceCopy + std::fmt::Debug>(device: &Device, stream: &Stream, sizes: &[[usize; 3]]) {
    for &[m, k, n] in sizes {
        let numbers =
            |from: usize, len: usize| -> Vec<T> { noise(from + len).skip(from).map(|v| (v % 7).cast::<T>()).collect() };
        let (a, b) = (numbers(0, m * k), numbers(3, k * n));
        let (on_a, on_b) = (device.grid_from(&a, [m, k]).unwrap(), device.grid_from(&b, [k, n]).unwrap());
        let mut c = device.grid_filled([m, n], T::MAX).unwrap();
        matmul(stream, &on_a, &on_b, &mut c).unwrap();
        let element = |at: usize| {
            let mut sum = T::ZERO;
            for j in 0..k {
                sum += a[at / n * k + j] * b[j * n + at % n];
            }
            sum
        };
        assert_eq!(c.to_vec().unwrap(), (0..m * n).map(element).collect::<Vec<T>>(), "{m} x {k} x {n}");
    }
}

pub fn products_of_matrices(device: &Device, stream: &Stream) {
    let sizes =
        [[0, 3, 4], [3, 0, 4], [1, 1, 1], [64, 16, 64], [128, 64, 64], [63, 15, 65], [65, 17, 63], [5, 100, 130]];
    products::<f32>(device, stream, &sizes);
    products::<f64>(device, stream, &sizes[5..7]);
    products::<i32>(device, stream, &sizes[5..7]);
    products::<u128>(device, stream, &sizes[5..6]);
    products::<f16>(device, stream, &sizes[5..6]);
}

/// What tiles have beyond the edges changes no element: a product of it with an infinite one would
/// be no number.
pub fn infinite_elements_of_matrices(device: &Device, stream: &Stream) {
    let (a, b) = (vec![f32::INFINITY; 65 * 17], vec![1.0; 17 * 66]);
    let mut c = device.grid_zeros([65, 66]).unwrap();
    matmul(stream, &device.grid_from(&a, [65, 17]).unwrap(), &device.grid_from(&b, [17, 66]).unwrap(), &mut c).unwrap();
    assert_eq!(c.to_vec().unwrap(), [f32::INFINITY; 65 * 66]);
}

pub fn parts_of_matrices(device: &Device, stream: &Stream) {
    let (h, w) = (70, 35);
    let a: Vec<f32> = noise(h * w).map(|v| (v % 8) as f32).collect();
    let mut room = device.grid_filled([w + 3, h + 4], 9.0f32).unwrap();
    let mut c = device.grid_zeros([w, w]).unwrap();
    k::squared(stream, &device.grid_from(&a, [h, w]).unwrap(), &mut room, &mut c).unwrap();
    let want: Vec<f32> = (0..w * w).map(|at| (0..h).map(|k| a[k * w + at / w] * a[k * w + at % w]).sum()).collect();
    assert_eq!(c.to_vec().unwrap(), want);
    let inside = |y: usize, x: usize| (1..w + 1).contains(&y) && (2..h + 2).contains(&x);
    let place = |at: usize| (at / (h + 4), at % (h + 4));
    let want: Vec<f32> = (0..(w + 3) * (h + 4))
        .map(place)
        .map(|(y, x)| if inside(y, x) { a[(x - 2) * w + y - 1] } else { 9.0 })
        .collect();
    assert_eq!(room.to_vec().unwrap(), want);
}
