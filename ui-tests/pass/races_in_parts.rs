//! Loops whose iterations own blocks, columns or every other element, and look as if they met.
use anabranch::{Error, prelude::*};

/// The last block may be shorter.
#[kernel]
fn blocks_up_to_the_end(x: &mut [f32], width: usize) {
    let n = x.len();
    for block in par(0..n.div_ceil(width)) {
        for i in block * width..(block * width + width).min(n) {
            x[i] = block as f32;
        }
    }
}

/// The same, written from the end.
#[kernel]
fn up_to_the_next(x: &mut [f32], width: usize, apart: usize) {
    let n = x.len();
    for block in par(0..n.div_ceil(apart)) {
        let (start, end) = (block * apart, n.min(block * apart + width));
        for i in start..end {
            x[i] = block as f32;
        }
    }
}

/// The same, by the start of each block.
#[kernel]
fn by_starts(x: &mut [f32], width: usize) {
    let n = x.len();
    for start in par((0..n).step_by(width)) {
        fill(&mut x[start..(start + width).min(n)]);
    }
}

#[device]
fn fill(x: &mut [f32]) {
    for k in 1..x.len() {
        x[k] += x[k - 1];
    }
}

/// Every other element takes from the next.
#[kernel]
fn every_other(x: &mut [f32]) {
    for i in par((0..x.len() - 1).step_by(2)) {
        x[i] = x[i + 1];
    }
}

/// Gauss and Seidel, one colour: neighbours on both sides are of the other one.
#[kernel]
fn one_colour(x: &mut [f32], first: usize) {
    for i in par((first..x.len() - 1).step_by(2)) {
        x[i] = 0.5 * (x[i - 1] + x[i + 1]);
    }
}

/// Even elements from odd ones.
#[kernel]
fn even_from_odd(x: &mut [f32]) {
    for i in par(1..x.len() / 2) {
        x[2 * i] = 0.5 * (x[2 * i - 1] + x[2 * i + 1]);
    }
}

/// Running sums along the columns, each of which belongs to one iteration.
#[kernel]
fn column_sums_in_place(x: &mut [f32], h: usize, w: usize) {
    for column in par(0..w) {
        for row in 1..h {
            x[row * w + column] += x[(row - 1) * w + column];
        }
    }
}

/// The first and the last column.
#[kernel]
fn sides(x: &mut [f32], h: usize, w: usize) {
    for row in par(0..h) {
        x[row * w] = 1.0;
        x[row * w + w - 1] = 2.0;
    }
}

/// The upper triangle, by rows that begin further and further on the right.
#[kernel]
fn triangle(x: &mut [f32], n: usize) {
    for row in par(0..n) {
        for column in row..n {
            x[row * n + column] = row as f32;
        }
    }
}

/// Rows and columns of a number that counts all elements.
#[kernel]
fn by_rows_and_columns(x: &mut [f32], w: usize) {
    for i in par(0..x.len()) {
        let row = i / w;
        let column = i % w;
        x[row * w + column] = (10 * row + column) as f32;
    }
}

/// The mirror image in place: the halves do not meet.
#[kernel]
fn reversed_in_place(x: &mut [f32]) {
    let n = x.len();
    for i in par(0..n / 2) {
        (x[i], x[n - 1 - i]) = (x[n - 1 - i], x[i]);
    }
}

/// Each iteration below the diagonal swaps with what is above.
#[kernel]
fn transposed_by_a_guard(x: &mut [f32], n: usize) {
    for (row, column) in par((0..n, 0..n)) {
        if row < column {
            (x[row * n + column], x[column * n + row]) = (x[column * n + row], x[row * n + column]);
        }
    }
}

/// The same by rows.
#[kernel]
fn transposed_by_rows(x: &mut [f32], n: usize, stride: usize) {
    for row in par(0..n) {
        for column in 0..row {
            let t = x[row * stride + column];
            x[row * stride + column] = x[column * stride + row];
            x[column * stride + row] = t;
        }
    }
}

fn refused(name: &str, launched: anabranch::Result<()>) {
    assert!(matches!(launched, Err(Error::Overlap { .. })), "{name}: {launched:?}");
}

fn main() -> anabranch::Result<()> {
    let device = Device::cpu();
    let stream = device.default_stream();
    let line = || device.buffer_from(&[1.0f32, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0]);
    let zeros = |len| device.zeros::<f32>(len);

    let mut a = zeros(7)?;
    blocks_up_to_the_end(&stream, &mut a, 3)?;
    assert_eq!(a.to_vec()?, [0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 2.0]);

    let mut a = zeros(7)?;
    up_to_the_next(&stream, &mut a, 3, 3)?;
    assert_eq!(a.to_vec()?, [0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 2.0]);
    refused("blocks that are wider than apart", up_to_the_next(&stream, &mut a, 3, 2));

    let mut a = line()?;
    by_starts(&stream, &mut a, 3)?;
    assert_eq!(a.to_vec()?, [1.0, 3.0, 7.0, 8.0, 24.0, 56.0, 64.0]);

    let mut a = line()?;
    every_other(&stream, &mut a)?;
    assert_eq!(a.to_vec()?, [2.0, 2.0, 8.0, 8.0, 32.0, 32.0, 64.0]);

    let mut a = line()?;
    one_colour(&stream, &mut a, 1)?;
    assert_eq!(a.to_vec()?, [1.0, 2.5, 4.0, 10.0, 16.0, 40.0, 64.0]);

    let mut a = line()?;
    even_from_odd(&stream, &mut a)?;
    assert_eq!(a.to_vec()?, [1.0, 2.0, 5.0, 8.0, 20.0, 32.0, 64.0]);

    let (h, w) = (3, 4);
    let mut a = device.buffer_from(&(0..12).map(|i| i as f32).collect::<Vec<_>>())?;
    column_sums_in_place(&stream, &mut a, h, w)?;
    assert_eq!(a.to_vec()?, [0.0, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 10.0, 12.0, 15.0, 18.0, 21.0]);

    let mut a = zeros(6)?;
    sides(&stream, &mut a, 2, 3)?;
    assert_eq!(a.to_vec()?, [1.0, 0.0, 2.0, 1.0, 0.0, 2.0]);

    let mut a = zeros(9)?;
    triangle(&stream, &mut a, 3)?;
    assert_eq!(a.to_vec()?, [0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 2.0]);

    let mut a = zeros(5)?;
    by_rows_and_columns(&stream, &mut a, 3)?;
    assert_eq!(a.to_vec()?, [0.0, 1.0, 2.0, 10.0, 11.0]);

    for len in 0..8 {
        let mut a = device.buffer_from(&(0..len).map(|i| i as f32).collect::<Vec<_>>())?;
        reversed_in_place(&stream, &mut a)?;
        assert_eq!(a.to_vec()?, (0..len).rev().map(|i| i as f32).collect::<Vec<_>>());
    }
    for n in 0..5 {
        let mut a = device.buffer_from(&(0..n * n).map(|i| i as f32).collect::<Vec<_>>())?;
        let expected: Vec<f32> = (0..n * n).map(|i| (i % n * n + i / n) as f32).collect();
        transposed_by_a_guard(&stream, &mut a, n)?;
        assert_eq!(a.to_vec()?, expected);
        transposed_by_rows(&stream, &mut a, n, n)?;
        transposed_by_rows(&stream, &mut a, n, n)?;
        assert_eq!(a.to_vec()?, expected);
    }
    let mut a = zeros(9)?;
    refused("rows that overlap", transposed_by_rows(&stream, &mut a, 3, 2));
    Ok(())
}
