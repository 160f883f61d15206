//! Kernels that call those of `anabranch::algorithms`, and instances of these.

use anabranch::algorithms::*;
use anabranch::prelude::*;

/// Sorts in two groups, and puts the results together.
#[kernel]
pub fn sorted_in_groups(up: &mut [u32], down: &mut [u32], to: &mut [u32], spare: &mut [u32], counts: &mut [u32]) {
    stream_parallel! {
        'up: { sort(&mut up, Order::Ascending); }
        'down: { sort_with_scratch(&mut down, Order::Descending, &mut spare, &mut counts); }
    }
    for i in par(0..to.len()) {
        to[i] = up[i].wrapping_mul(3).wrapping_add(down[i]);
    }
}

/// `c = transposed(a) * a`, where the transposed matrix is a part of a grid.
#[kernel]
pub fn squared(a: &Grid<f32, 2>, room: &mut Grid<f32, 2>, c: &mut Grid<f32, 2>) {
    let [h, w] = a.shape();
    let turned = room.part_mut((1..w + 1, 2..h + 2));
    transpose(&a, &mut turned);
    matmul(&turned, &a, &mut c);
}

crate::kernels::sources! { sorted_in_groups, squared }

/// Instances of the generic kernels.
pub fn typed() -> Vec<crate::kernels::Source> {
    vec![
        source!("transpose<f32>", transpose, f32),
        source!("transpose<bool>", transpose, bool),
        source!("matmul<f32>", matmul, f32),
        source!("matmul<u128>", matmul, u128),
        source!("compact<f64>", compact, f64),
        source!("unique<f32>", unique, f32),
        source!("histogram<u8>", histogram, u8),
        source!("sort<f32>", sort, f32),
        source!("sort_by_key<i64, u8>", sort_by_key, i64, u8),
    ]
}
