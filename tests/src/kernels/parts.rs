//! Parts of grids: rows, rectangles and halves, in host parts, in groups and in device functions.

use anabranch::prelude::*;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

super::sources! {
    heat_with_halo, crop_and_blur, seven_points, whole_as_slice, rows_as_slice, eighths, counted_in_parts, nested, chosen, ramp, ramp_of_volume, sums_of_blocks, reads_in_part, beyond, halves_of_columns
}

/// Steps of the heat equation from `a` to `b` and back. The loop writes what is inside of the
/// frame, by indexes from 0; the frame stays.
#[kernel]
pub fn heat_with_halo(a: &mut Grid<f32, 2>, b: &mut Grid<f32, 2>, c: f32, steps: usize) {
    let [h, w] = a.shape();
    for _ in 0..steps {
        let to = b.part_mut((1..h - 1, 1..w - 1));
        for (y, x) in par((0..h - 2, 0..w - 2)) {
            let near = a[[y, x + 1]] + a[[y + 2, x + 1]] + a[[y + 1, x]] + a[[y + 1, x + 2]];
            to[[y, x]] = a[[y + 1, x + 1]] + c * (near - 4.0 * a[[y + 1, x + 1]]);
        }
        let (inside, back) = (b.part([1..h - 1, 1..w - 1]), a.part_mut([1..h - 1, 1..w - 1]));
        for (y, x) in par((0..h - 2, 0..w - 2)) {
            back[[y, x]] = inside[[y, x]];
        }
    }
}

/// A rectangle of an image, blurred, as two halves at the same time.
#[kernel]
pub fn crop_and_blur(image: &Grid<u8, 2>, at: [usize; 2], out: &mut Grid<u8, 2>) {
    let [h, w] = out.shape();
    let crop = image.part((at[0]..at[0] + h, at[1]..at[1] + w));
    let (left, right) = out.split_dim_at_mut(1, w / 2);
    stream_parallel! {
        'left: {
            for (y, x) in par((0..h, 0..left.shape()[1])) { left[[y, x]] = blurred(&crop, [y, x]); }
        }
        'right: {
            let first = left.shape()[1];
            for (y, x) in par((0..h, 0..right.shape()[1])) { right[[y, x]] = blurred(&crop, [y, first + x]); }
        }
    }
}

/// The mean of an element and its neighbours, as far as there are any.
#[device]
pub fn blurred(image: &Grid<u8, 2>, [y, x]: [usize; 2]) -> u8 {
    let [h, w] = image.shape();
    let mut sum = 0;
    let mut count = 0;
    for v in y.saturating_sub(1)..(y + 2).min(h) {
        for u in x.saturating_sub(1)..(x + 2).min(w) {
            sum += image[[v, u]] as u32;
            count += 1;
        }
    }
    (sum / count) as u8
}

/// A stencil of three dimensions, the planes of the upper half beside those of the lower one.
#[kernel]
pub fn seven_points(from: &Grid<f32, 3>, to: &mut Grid<f32, 3>) {
    let [d, h, w] = from.shape();
    let mid = (d - 2) / 2;
    let inside = to.part_mut((1..d - 1, 1..h - 1, 1..w - 1));
    let (lower, upper) = inside.split_at_mut(mid);
    let rest = from.rows(mid..);
    stream_parallel! {
        'lower: {
            for (z, y, x) in par((0..mid, 0..h - 2, 0..w - 2)) {
                let sides = from[[z + 1, y, x + 1]] + from[[z + 1, y + 2, x + 1]] + from[[z + 1, y + 1, x]];
                let ends = from[[z + 1, y + 1, x + 2]] + from[[z, y + 1, x + 1]] + from[[z + 2, y + 1, x + 1]];
                lower[[z, y, x]] = sides + ends - 6.0 * from[[z + 1, y + 1, x + 1]];
            }
        }
        'upper: {
            for (z, y, x) in par((0..upper.shape()[0], 0..h - 2, 0..w - 2)) {
                let sides = rest[[z + 1, y, x + 1]] + rest[[z + 1, y + 2, x + 1]] + rest[[z + 1, y + 1, x]];
                let ends = rest[[z + 1, y + 1, x + 2]] + rest[[z, y + 1, x + 1]] + rest[[z + 2, y + 1, x + 1]];
                upper[[z, y, x]] = sides + ends - 6.0 * rest[[z + 1, y + 1, x + 1]];
            }
        }
    }
}

/// All elements in one dimension.
#[kernel]
pub fn whole_as_slice(a: &mut Grid<u32, 3>, b: &Grid<u32, 3>) {
    let (flat, of) = (a.as_mut_slice(), b.as_slice());
    for i in par(0..flat.len()) {
        flat[i] = of[of.len() - 1 - i];
    }
}

/// Those of two rows, and of the rows between them.
#[kernel]
pub fn rows_as_slice(a: &mut Grid<u32, 2>, last: usize) {
    let (above, below) = a.split_at_mut(last);
    let (first, between) = above.split_at_mut(1);
    let (first, last) = (first.as_mut_slice(), below.as_slice());
    let between = between.rows(..);
    for i in par(0..first.len()) {
        first[i] += last[i] + between.shape()[0] as u32 + between[[0, i]];
    }
}

/// A volume in eight parts, each with a number of its own.
#[kernel]
pub fn eighths(a: &mut Grid<u32, 3>, mid: [usize; 3]) {
    let (below, above) = a.split_dim_at_mut(0, mid[0]);
    let (below_0, below_1) = below.split_dim_at_mut(1, mid[1]);
    let (p0, p1) = below_0.split_dim_at_mut(2, mid[2]);
    let (p2, p3) = below_1.split_dim_at_mut(2, mid[2]);
    let (above_0, above_1) = above.split_dim_at_mut(1, mid[1]);
    let (p4, p5) = above_0.split_dim_at_mut(2, mid[2]);
    let (p6, p7) = above_1.split_dim_at_mut(2, mid[2]);
    stream_parallel! {
        'a: {
            for (z, y, x) in par((0..p0.shape()[0], 0..p0.shape()[1], 0..p0.shape()[2])) { p0[[z, y, x]] += 1; }
            for (z, y, x) in par((0..p1.shape()[0], 0..p1.shape()[1], 0..p1.shape()[2])) { p1[[z, y, x]] += 2; }
        }
        'b: {
            for (z, y, x) in par((0..p2.shape()[0], 0..p2.shape()[1], 0..p2.shape()[2])) { p2[[z, y, x]] += 3; }
            for (z, y, x) in par((0..p3.shape()[0], 0..p3.shape()[1], 0..p3.shape()[2])) { p3[[z, y, x]] += 4; }
        }
        'c: {
            for (z, y, x) in par((0..p4.shape()[0], 0..p4.shape()[1], 0..p4.shape()[2])) { p4[[z, y, x]] += 5; }
            for (z, y, x) in par((0..p5.shape()[0], 0..p5.shape()[1], 0..p5.shape()[2])) { p5[[z, y, x]] += 6; }
        }
        'd: {
            for (z, y, x) in par((0..p6.shape()[0], 0..p6.shape()[1], 0..p6.shape()[2])) { p6[[z, y, x]] += 7; }
            for (z, y, x) in par((0..p7.shape()[0], 0..p7.shape()[1], 0..p7.shape()[2])) { p7[[z, y, x]] += 8; }
        }
    }
}

/// Atomics: two groups count in parts that overlap.
#[kernel]
pub fn counted_in_parts(count: &Grid<AtomicU32, 2>) {
    let [h, w] = count.shape();
    let (a, b) = (count.part((..h - 1, ..w - 1)), count.part((1.., 1..)));
    stream_parallel! {
        'a: {
            for (y, x) in par((0..h - 1, 0..w - 1)) { a[[y, x]].fetch_add(1, Relaxed); }
        }
        'b: {
            for (y, x) in par((0..h - 1, 0..w - 1)) { b[[y, x]].fetch_add(10, Relaxed); }
        }
    }
}

/// A part of rows of a part.
#[kernel]
pub fn nested(a: &mut Grid<i32, 2>) {
    let frame = a.part_mut((1.., 2..));
    let rows = frame.rows_mut(1..3);
    let part = rows.part_mut([0..2, 1..3]);
    for (y, x) in par((0..part.shape()[0], 0..part.shape()[1])) {
        let p = [y, x];
        part[p] = (10 * y + x) as i32;
        part[[y, x]] += part.len() as i32;
    }
}

/// Adds a number to every row of a part, in any type of numbers.
#[kernel]
pub fn raised_by_row<T: Num>(a: &mut Grid<T, 2>, by: &[T], columns: usize) {
    let left = a.part_mut((.., ..columns));
    for (y, x) in par((0..left.shape()[0], 0..left.shape()[1])) {
        left[[y, x]] = left[[y, x]] + by[y];
    }
}

/// One part or another.
#[kernel]
pub fn chosen(a: &mut Grid<u32, 2>, upper: bool) {
    let mid = a.shape()[0] / 2;
    let part = if upper { a.rows_mut(..mid) } else { a.rows_mut(mid..) };
    for (y, x) in par((0..part.shape()[0], 0..part.shape()[1])) {
        part[[y, x]] += 1;
    }
}

/// Numbers the elements of a grid.
#[kernel]
pub fn ramp(a: &mut Grid<u32, 2>) {
    let [h, w] = a.shape();
    for (y, x) in par((0..h, 0..w)) {
        a[[y, x]] = (100 * y + x) as u32;
    }
}

/// Numbers the elements of a volume.
#[kernel]
pub fn ramp_of_volume(a: &mut Grid<u32, 3>) {
    let [d, h, w] = a.shape();
    for (z, y, x) in par((0..d, 0..h, 0..w)) {
        a[[z, y, x]] = (10000 * z + 100 * y + x) as u32;
    }
}

/// Sums of blocks of a grid, as many as there are columns in the result.
#[kernel]
pub fn sums_of_blocks(a: &Grid<u32, 2>, sums: &mut Grid<u32, 2>, size: usize) {
    for row in 0..sums.shape()[0] {
        let (blocks, of_row) = (a.rows(row * size..(row + 1) * size), sums.rows_mut(row..row + 1));
        for column in par(0..of_row.shape()[1]) {
            let mut sum = 0;
            for y in 0..size {
                for x in 0..size {
                    sum += blocks[[y, column * size + x]];
                }
            }
            of_row[[0, column]] = sum;
        }
    }
}

/// Reads an element of a part that may not be there, although the grid has more.
#[kernel]
pub fn reads_in_part(a: &Grid<u32, 2>, y: usize, x: usize, out: &mut [u32]) {
    let part = a.part((1..3, 1..3));
    for i in par(0..out.len()) {
        if i == 1 {
            out[i] = part[[y, x]];
        }
    }
}

/// A part that ends behind the grid.
#[kernel]
pub fn beyond(a: &mut Grid<u32, 2>, end: usize) {
    let part = a.part_mut((.., 1..end));
    for (y, x) in par((0..part.shape()[0], 0..part.shape()[1])) {
        part[[y, x]] = 1;
    }
}

/// Both halves of the columns in one loop, which knows that they have no element in common.
#[kernel]
pub fn halves_of_columns(a: &mut Grid<u32, 2>, mid: usize) {
    let (left, right) = a.split_dim_at_mut(1, mid);
    let other = right.part((.., ..mid));
    for (y, x) in par((0..left.shape()[0], 0..mid)) {
        left[[y, x]] += other[[y, mid - 1 - x]];
    }
}
