//! Kernels that call those of `anabranch::algorithms`, and instances of these.

use anabranch::DeviceClosure;
use anabranch::algorithms::*;
use anabranch::prelude::*;

use super::Source;

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

/// A layer of a net, `most` at most, and beside it which products of a batch with the same weights
/// are positive.
#[kernel]
pub fn layers(x: &Grid<f32, 2>, w: &Grid<f32, 2>, y: &mut Grid<f32, 2>, batch: LayersOfBatch<'_>, most: f32) {
    stream_parallel! {
        'one: { matmul_with(&x, &w, &mut y, closure!(|sum: f32, _: usize, _: usize| sum.clamp(0.0, most))); }
        'batch: {
            let positive = closure!(|sum: f32, _: usize, _: usize, _: usize| sum > 0.0);
            matmul_batched_with(&batch.x, &batch.w, &mut batch.positive, positive);
        }
    }
}

/// A batch of matrices, and their weights.
#[device]
pub struct LayersOfBatch<'a> {
    /// `[batch, m, k]`.
    pub x: &'a Grid<f32, 3>,
    /// `[1, k, n]`.
    pub w: &'a Grid<f32, 3>,
    /// `[batch, m, n]`.
    pub positive: &'a mut Grid<bool, 3>,
}

/// The sum and its place, as another type.
pub fn with_place(factor: i64, offsets: [i64; 3]) -> impl DeviceClosure<(i64, usize, usize), Output = i32> {
    closure!(|sum: i64, row: usize, column: usize| (sum * factor + offsets[row % 3]) as i32 * 1000 + column as i32)
}

/// [`with_place`] in a batch.
pub fn with_place_in_batch(factor: i64) -> impl DeviceClosure<(i64, usize, usize, usize), Output = i32> {
    closure!(|sum: i64, i: usize, row: usize, column: usize| {
        (sum * factor) as i32 * 1000 + (i * 300 + row * 2) as i32 - column as i32
    })
}

fn product<T: Num, R: DeviceCopy, F>(name: &'static str, _: F) -> Source
where
    F: DeviceClosure<(T, usize, usize), Output = R>,
{
    source!(name, matmul_with, T, R, F)
}

fn product_of_batch<T: Num, R: DeviceCopy, F>(name: &'static str, _: F) -> Source
where
    F: DeviceClosure<(T, usize, usize, usize), Output = R>,
{
    source!(name, matmul_batched_with, T, R, F)
}

/// [`matmul`], whose code is in the kernel that it calls.
pub fn plain_product<T: Num>(name: &'static str) -> Source {
    product(name, closure!(|sum: T, _: usize, _: usize| sum))
}

/// [`matmul_batched`].
pub fn plain_product_of_batch<T: Num>(name: &'static str) -> Source {
    product_of_batch(name, closure!(|sum: T, _: usize, _: usize, _: usize| sum))
}

crate::kernels::sources! { sorted_in_groups, squared, layers }

/// Instances of the generic kernels.
pub fn typed() -> Vec<Source> {
    vec![
        source!("transpose<f32>", transpose, f32),
        source!("transpose<bool>", transpose, bool),
        plain_product::<f32>("matmul<f32>"),
        plain_product::<u128>("matmul<u128>"),
        plain_product_of_batch::<f32>("matmul_batched<f32>"),
        product("matmul_with<i64, i32>", with_place(1, [0; 3])),
        product_of_batch("matmul_batched_with<i64, i32>", with_place_in_batch(1)),
        source!("compact<f64>", compact, f64),
        source!("unique<f32>", unique, f32),
        source!("histogram<u8>", histogram, u8),
        source!("sort<f32>", sort, f32),
        source!("sort_by_key<i64, u8>", sort_by_key, i64, u8),
    ]
}
