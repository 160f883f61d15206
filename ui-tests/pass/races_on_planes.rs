//! Loops over two and three ranges that look like races and are none.
use anabranch::prelude::*;

#[kernel]
fn transposed(x: &[f32], y: &mut [f32], h: usize, w: usize) {
    for (row, column) in par((0..h, 0..w)) {
        y[column * h + row] = x[row * w + column];
    }
}

/// The lower half goes up and the upper one down: two slices, of which each iteration owns an
/// element.
#[kernel]
fn upside_down(x: &mut [f32], h: usize, w: usize) {
    let (upper, lower) = x.split_at_mut(h / 2 * w);
    let below = lower.len() / w;
    for (row, column) in par((0..h / 2, 0..w)) {
        let t = upper[row * w + column];
        upper[row * w + column] = lower[(below - 1 - row) * w + column];
        lower[(below - 1 - row) * w + column] = t;
    }
}

#[kernel]
fn blurred_rows(x: &[f32], y: &mut [f32], h: usize, w: usize) {
    for (row, column) in par((0..h, 1..w)) {
        y[row * w + column] = x[row * w + column - 1] + x[row * w + column];
    }
}

/// In place along the rows, each of which belongs to one iteration.
#[kernel]
fn row_sums_in_place(x: &mut [f32], h: usize, w: usize) {
    for row in par(0..h) {
        for column in 1..w {
            x[row * w + column] += x[row * w + column - 1];
        }
    }
}

/// One row after the other, in a loop of the host.
#[kernel]
fn rows_in_order(x: &mut [f32], h: usize, w: usize) {
    for row in 1..h {
        for column in par(0..w) {
            x[row * w + column] += x[(row - 1) * w + column];
        }
    }
}

#[kernel]
fn jacobi(x: &[f32], y: &mut [f32], h: usize, w: usize) {
    for (row, column) in par((1..h - 1, 1..w - 1)) {
        let at = row * w + column;
        y[at] = x[at - 1] + x[at + 1] + x[at - w] + x[at + w];
    }
}

#[kernel]
fn product(a: &[f32], b: &[f32], c: &mut [f32], n: usize) {
    for (i, j) in par((0..n, 0..n)) {
        for k in 0..n {
            c[i * n + j] += a[i * n + k] * b[k * n + j];
        }
    }
}

#[kernel]
fn matrix_vector(a: &[f32], x: &[f32], y: &mut [f32]) {
    let w = x.len();
    for row in par(0..y.len()) {
        for column in 0..w {
            y[row] += a[row * w + column] * x[column];
        }
    }
}

/// Each iteration fills a tile of its own.
#[kernel]
fn tiles(x: &mut [f32], h: usize, w: usize) {
    for (tile_row, tile_column) in par((0..h / 2, 0..w / 2)) {
        for row in 0..2 {
            for column in 0..2 {
                x[(2 * tile_row + row) * w + 2 * tile_column + column] = (10 * tile_row + tile_column) as f32;
            }
        }
    }
}

/// Three channels of a pixel.
#[kernel]
fn pixels(x: &mut [u8], h: usize, w: usize) {
    for (row, column) in par((0..h, 0..w)) {
        for channel in 0..3 {
            x[3 * (row * w + column) + channel] = (row * 100 + column * 10 + channel) as u8;
        }
    }
}

/// Three ranges over a volume.
#[kernel]
fn volume(x: &mut [u32], d: usize, h: usize, w: usize) {
    for (z, y, column) in par((0..d, 0..h, 0..w)) {
        x[(z * h + y) * w + column] = (100 * z + 10 * y + column) as u32;
    }
}

/// Rows further apart than they are wide.
#[kernel]
fn padded(x: &mut [u32], h: usize, w: usize) {
    for (row, column) in par((0..h, 0..w)) {
        x[row * (w + 2) + column] = 1;
    }
}

/// One row of a plane.
#[kernel]
fn one_row(x: &mut [u32], row: usize, w: usize) {
    for column in par(0..w) {
        x[row * w + column] += x[row * w + column] + 1;
    }
}

/// One step of Gauss's elimination: neither the rows above nor the columns on the left change.
#[kernel]
fn eliminated(a: &mut [f32], n: usize, k: usize) {
    for row in par(k + 1..n) {
        for column in k + 1..n {
            a[row * n + column] -= a[row * n + k] * a[k * n + column];
        }
    }
}

/// One stage of a fast Fourier transform, without the factors: pairs that are `half` apart.
#[kernel]
fn butterflies(x: &mut [f32], half: usize) {
    let blocks = x.len() / (2 * half);
    for (block, k) in par((0..blocks, 0..half)) {
        let at = block * 2 * half + k;
        let (a, b) = (x[at], x[at + half]);
        x[at] = a + b;
        x[at + half] = a - b;
    }
}

fn main() -> anabranch::Result<()> {
    let device = Device::cpu();
    let stream = device.default_stream();
    let (h, w) = (3, 4);
    let plane: Vec<f32> = (0..12).map(|i| i as f32).collect();
    let x = device.buffer_from(&plane)?;
    let again = || device.buffer_from(&plane);
    let zeros = || device.zeros::<f32>(12);

    let mut y = zeros()?;
    transposed(&stream, &x, &mut y, h, w)?;
    assert_eq!(y.to_vec()?, [0.0, 4.0, 8.0, 1.0, 5.0, 9.0, 2.0, 6.0, 10.0, 3.0, 7.0, 11.0]);

    let mut a = again()?;
    upside_down(&stream, &mut a, h, w)?;
    assert_eq!(a.to_vec()?, [8.0, 9.0, 10.0, 11.0, 4.0, 5.0, 6.0, 7.0, 0.0, 1.0, 2.0, 3.0]);

    let mut y = zeros()?;
    blurred_rows(&stream, &x, &mut y, h, w)?;
    assert_eq!(y.to_vec()?, [0.0, 1.0, 3.0, 5.0, 0.0, 9.0, 11.0, 13.0, 0.0, 17.0, 19.0, 21.0]);

    let columns = [0.0, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 10.0, 12.0, 15.0, 18.0, 21.0];
    let mut a = again()?;
    rows_in_order(&stream, &mut a, h, w)?;
    assert_eq!(a.to_vec()?, columns);

    let mut a = again()?;
    row_sums_in_place(&stream, &mut a, h, w)?;
    assert_eq!(a.to_vec()?, [0.0, 1.0, 3.0, 6.0, 4.0, 9.0, 15.0, 22.0, 8.0, 17.0, 27.0, 38.0]);

    let mut y = zeros()?;
    jacobi(&stream, &x, &mut y, h, w)?;
    assert_eq!(y.to_vec()?, [0.0, 0.0, 0.0, 0.0, 0.0, 20.0, 24.0, 0.0, 0.0, 0.0, 0.0, 0.0]);

    let (a, mut c) = (device.buffer_from(&[1.0f32, 2.0, 3.0, 4.0])?, device.zeros::<f32>(4)?);
    product(&stream, &a, &a, &mut c, 2)?;
    assert_eq!(c.to_vec()?, [7.0, 10.0, 15.0, 22.0]);

    let (v, mut y) = (device.buffer_from(&[1.0f32, 0.0, 0.0, 1.0])?, device.zeros::<f32>(3)?);
    matrix_vector(&stream, &x, &v, &mut y)?;
    assert_eq!(y.to_vec()?, [3.0, 11.0, 19.0]);

    let mut t = device.zeros::<f32>(8)?;
    tiles(&stream, &mut t, 2, 4)?;
    assert_eq!(t.to_vec()?, [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0]);

    let mut p = device.zeros::<u8>(12)?;
    pixels(&stream, &mut p, 2, 2)?;
    assert_eq!(p.to_vec()?, [0, 1, 2, 10, 11, 12, 100, 101, 102, 110, 111, 112]);

    let mut v = device.zeros::<u32>(8)?;
    volume(&stream, &mut v, 2, 2, 2)?;
    assert_eq!(v.to_vec()?, [0, 1, 10, 11, 100, 101, 110, 111]);

    let mut v = device.zeros::<u32>(8)?;
    padded(&stream, &mut v, 2, 2)?;
    assert_eq!(v.to_vec()?, [1, 1, 0, 0, 1, 1, 0, 0]);

    one_row(&stream, &mut v, 1, 4)?;
    assert_eq!(v.to_vec()?, [1, 1, 0, 0, 3, 3, 1, 1]);

    let mut a = device.buffer_from(&[1.0f32, 2.0, 3.0, 2.0, 5.0, 7.0, 3.0, 7.0, 12.0])?;
    eliminated(&stream, &mut a, 3, 0)?;
    assert_eq!(a.to_vec()?, [1.0, 2.0, 3.0, 2.0, 1.0, 1.0, 3.0, 1.0, 3.0]);

    let mut a = device.buffer_from(&[1.0f32, 2.0, 3.0, 4.0])?;
    butterflies(&stream, &mut a, 1)?;
    butterflies(&stream, &mut a, 2)?;
    assert_eq!(a.to_vec()?, [10.0, -2.0, -4.0, 0.0]);
    Ok(())
}
