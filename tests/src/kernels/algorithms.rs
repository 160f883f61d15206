//! Kernels that call those of `anabranch::algorithms`, and instances of these.

use anabranch::algorithms::*;
use anabranch::prelude::*;

/// Sorts in two groups, and puts the results together.
#[kernel]
pub fn sorted_in_groups(
    up: &mut [u32],
    down: &mut [u32],
    to: &mut [u32],
    spare_up: &mut [u32],
    spare_down: &mut [u32],
    scratch: &mut [u32],
) {
    let need = sort_scratch(up.len());
    let (first, second) = scratch.split_at_mut(need);
    stream_parallel! {
        'up: { sort(&mut up, Order::Ascending, &mut spare_up, &mut first); }
        'down: { sort(&mut down, Order::Descending, &mut spare_down, &mut second); }
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
        ("transpose<f32>", transpose::cuda_source::<f32>, transpose::plan::<f32>),
        ("transpose<bool>", transpose::cuda_source::<bool>, transpose::plan::<bool>),
        ("matmul<f32>", matmul::cuda_source::<f32>, matmul::plan::<f32>),
        ("matmul<u128>", matmul::cuda_source::<u128>, matmul::plan::<u128>),
        ("compact<f64>", compact::cuda_source::<f64>, compact::plan::<f64>),
        ("unique<f32>", unique::cuda_source::<f32>, unique::plan::<f32>),
        ("histogram<u8>", histogram::cuda_source::<u8>, histogram::plan::<u8>),
        ("sort<f32>", sort::cuda_source::<f32>, sort::plan::<f32>),
        ("sort_by_key<i64, u8>", sort_by_key::cuda_source::<i64, u8>, sort_by_key::plan::<i64, u8>),
    ]
}
