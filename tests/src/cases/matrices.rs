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
fn numbers<T: Num>(from: usize, len: usize) -> Vec<T> {
    noise(from + len).skip(from).map(|v| (v % 7).cast::<T>()).collect()
}

/// `a * b`, row by row.
fn product<T: Num>(a: &[T], b: &[T], [m, k, n]: [usize; 3]) -> Vec<T> {
    let element = |at: usize| {
        let mut sum = T::ZERO;
        for j in 0..k {
            sum += a[at / n * k + j] * b[j * n + at % n];
        }
        sum
    };
    (0..m * n).map(element).collect()
}

/// `a[i] * b[i]`, one behind the other.
fn products_of<T: Num>(a: &[T], b: &[T], batch: [usize; 3], [m, k, n]: [usize; 3]) -> Vec<T> {
    let [products, in_a, in_b] = batch;
    let one = |i: usize| {
        let (i_a, i_b) = (if in_a == 1 { 0 } else { i }, if in_b == 1 { 0 } else { i });
        product(&a[i_a * m * k..][..m * k], &b[i_b * k * n..][..k * n], [m, k, n])
    };
    (0..products).flat_map(one).collect()
}

fn products<T: Num + DeviceCopy + std::fmt::Debug>(device: &Device, stream: &Stream, sizes: &[[usize; 3]]) {
    for &[m, k, n] in sizes {
        let (a, b) = (numbers::<T>(0, m * k), numbers(3, k * n));
        let (on_a, on_b) = (device.grid_from(&a, [m, k]).unwrap(), device.grid_from(&b, [k, n]).unwrap());
        let mut c = device.grid_filled([m, n], T::MAX).unwrap();
        matmul(stream, &on_a, &on_b, &mut c).unwrap();
        assert_eq!(c.to_vec().unwrap(), product(&a, &b, [m, k, n]), "{m} x {k} x {n}");
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

/// A closure gets each sum and its place, and the values of its own.
pub fn products_with_a_last_step(device: &Device, stream: &Stream) {
    let (factor, offsets) = (-3, [5, 0, 40]);
    for [m, k, n] in [[0, 3, 4], [3, 0, 4], [1, 1, 1], [64, 16, 64], [65, 17, 63]] {
        let (a, b) = (numbers::<i64>(0, m * k), numbers(3, k * n));
        let (on_a, on_b) = (device.grid_from(&a, [m, k]).unwrap(), device.grid_from(&b, [k, n]).unwrap());
        let mut c = device.grid_filled([m, n], i32::MAX).unwrap();
        matmul_with(stream, &on_a, &on_b, &mut c, k::with_place(factor, offsets)).unwrap();
        let want = product(&a, &b, [m, k, n]).into_iter().enumerate();
        let want = want.map(|(at, sum)| (sum * factor + offsets[at / n % 3]) as i32 * 1000 + (at % n) as i32);
        assert_eq!(c.to_vec().unwrap(), want.collect::<Vec<i32>>(), "{m} x {k} x {n}");
    }
}

fn batches<T: Num + DeviceCopy + std::fmt::Debug>(
    device: &Device,
    stream: &Stream,
    batches: &[[usize; 3]],
    sizes: &[[usize; 3]],
) {
    for (&[products, in_a, in_b], &[m, k, n]) in batches.iter().zip(sizes.iter().cycle()) {
        let (a, b) = (numbers::<T>(0, in_a * m * k), numbers(3, in_b * k * n));
        let (on_a, on_b) = (device.grid_from(&a, [in_a, m, k]).unwrap(), device.grid_from(&b, [in_b, k, n]).unwrap());
        let mut c = device.grid_filled([products, m, n], T::MAX).unwrap();
        matmul_batched(stream, &on_a, &on_b, &mut c).unwrap();
        let want = products_of(&a, &b, [products, in_a, in_b], [m, k, n]);
        assert_eq!(c.to_vec().unwrap(), want, "{products} of {in_a} and {in_b}: {m} x {k} x {n}");
    }
}

pub fn products_of_batches(device: &Device, stream: &Stream) {
    let of = [[3, 3, 3], [3, 1, 3], [3, 3, 1], [2, 1, 1], [1, 1, 1], [0, 0, 0], [0, 1, 1]];
    batches::<f32>(device, stream, &of, &[[65, 17, 63]]);
    batches::<f32>(device, stream, &of[..4], &[[64, 16, 64], [3, 0, 4], [0, 3, 4], [5, 100, 130]]);
    batches::<f64>(device, stream, &of[..1], &[[5, 33, 66]]);
    batches::<i32>(device, stream, &of[1..2], &[[5, 33, 66]]);
    batches::<u128>(device, stream, &of[2..3], &[[5, 33, 66]]);
    batches::<f16>(device, stream, &of[1..2], &[[5, 15, 66]]);
}

/// The matrices are in the middle of grids with others around them, and the closure gets its place
/// in the part.
pub fn parts_of_batches(device: &Device, stream: &Stream) {
    let ([batch, m, k, n], factor) = ([3, 66, 17, 5], 2);
    let (a, b) = (numbers::<i64>(0, (batch + 2) * (m + 3) * (k + 2)), numbers::<i64>(3, (k + 1) * (n + 4)));
    let on_a = device.grid_from(&a, [batch + 2, m + 3, k + 2]).unwrap();
    let on_b = device.grid_from(&b, [1, k + 1, n + 4]).unwrap();
    let mut room = device.grid_filled([batch + 1, m + 2, n + 3], i32::MAX).unwrap();
    let (part_a, part_b) = (on_a.part((1..batch + 1, 2..m + 2, 1..k + 1)), on_b.part((0..1, 1..k + 1, 3..n + 3)));
    let mut part_c = room.part_mut((1..batch + 1, 1..m + 1, 2..n + 2));
    matmul_batched_with(stream, &part_a, &part_b, &mut part_c, k::with_place_in_batch(factor)).unwrap();
    let element = |i: usize, row: usize, column: usize| {
        let in_a = |j: usize| a[((i + 1) * (m + 3) + row + 2) * (k + 2) + j + 1];
        let sum: i64 = (0..k).map(|j| in_a(j) * b[(j + 1) * (n + 4) + column + 3]).sum();
        (sum * factor) as i32 * 1000 + (i * 300 + row * 2) as i32 - column as i32
    };
    let want = (0..(batch + 1) * (m + 2) * (n + 3)).map(|at| {
        let (i, row, column) = (at / (n + 3) / (m + 2), at / (n + 3) % (m + 2), at % (n + 3));
        let inside = i > 0 && (1..m + 1).contains(&row) && (2..n + 2).contains(&column);
        if inside { element(i - 1, row - 1, column - 2) } else { i32::MAX }
    });
    assert_eq!(room.to_vec().unwrap(), want.collect::<Vec<i32>>());
}

/// Kernels call products with closures that they make, in groups.
pub fn products_in_groups(device: &Device, stream: &Stream) {
    let numbers = |from, len| -> Vec<f32> { numbers(from, len).into_iter().map(|v: f32| v - 3.0).collect() };
    let ([m, k, n], most) = ([7, 20, 9], 11.0);
    let (a, b) = (numbers(0, 3 * m * k), numbers(3, k * n));
    let (x, w) = (device.grid_from(&a[..m * k], [m, k]).unwrap(), device.grid_from(&b, [k, n]).unwrap());
    let (xs, ws) = (device.grid_from(&a, [3, m, k]).unwrap(), device.grid_from(&b, [1, k, n]).unwrap());
    let (mut y, mut positive) = (device.grid_zeros([m, n]).unwrap(), device.grid_zeros([3, m, n]).unwrap());
    let batch = k::LayersOfBatch { x: (&xs).into(), w: (&ws).into(), positive: (&mut positive).into() };
    k::layers(stream, &x, &w, &mut y, batch, most).unwrap();
    let want = product(&a[..m * k], &b, [m, k, n]).into_iter().map(|sum| sum.clamp(0.0, most));
    assert_eq!(y.to_vec().unwrap(), want.collect::<Vec<f32>>());
    let want = products_of(&a, &b, [3, 3, 1], [m, k, n]).into_iter().map(|sum| sum > 0.0);
    assert_eq!(positive.to_vec().unwrap(), want.collect::<Vec<bool>>());
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
