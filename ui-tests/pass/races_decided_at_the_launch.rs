//! Loops whose iterations meet with some numbers and not with others: the launch decides, before
//! anything is written.
use anabranch::{Error, prelude::*};

/// Rows that are at least as wide as the loop, or not.
#[kernel]
fn rows(x: &mut [f32], h: usize, w: usize, stride: usize) {
    for (row, column) in par((0..h, 0..w)) {
        x[row * stride + column] = 1.0;
    }
}

/// A stride that may be 0.
#[kernel]
fn strided(x: &mut [f32], n: usize, stride: usize) {
    for i in par(0..n) {
        x[i * stride] = 1.0;
    }
}

/// A transposed copy; with the wrong stride it is right for some shapes.
#[kernel]
fn transposed(x: &[f32], y: &mut [f32], h: usize, w: usize, stride: usize) {
    for (row, column) in par((0..h, 0..w)) {
        y[column * stride + row] = x[row * w + column];
    }
}

/// Blocks of a width that the launch knows.
#[kernel]
fn blocks(x: &mut [f32], count: usize, apart: usize, width: usize) {
    for block in par(0..count) {
        for k in 0..width {
            x[block * apart + k] = 1.0;
        }
    }
}

/// Each input goes to several outputs, unless there is one weight.
#[kernel]
fn scattered(x: &[f32], weights: &[f32], y: &mut [f32]) {
    for i in par(0..x.len()) {
        for k in 0..weights.len() {
            y[i + k] += weights[k] * x[i];
        }
    }
}

/// An index that wraps behind 255.
#[kernel]
fn narrowed(x: &mut [f32], n: usize) {
    for i in par(0..n) {
        x[i as u8 as usize] = 1.0;
    }
}

/// Parts of a slice for a device function, as wide as they are apart, or wider.
#[kernel]
fn windows(x: &mut [f32], n: usize, apart: usize, width: usize) {
    for i in par(0..n) {
        clear(&mut x[i * apart..i * apart + width]);
    }
}

#[device]
fn clear(x: &mut [f32]) {
    for k in 0..x.len() {
        x[k] = 0.0;
    }
}

fn accepted(name: &str, launched: anabranch::Result<()>) {
    assert!(launched.is_ok(), "{name}: {launched:?}");
}

fn refused(name: &str, launched: anabranch::Result<()>) {
    assert!(matches!(launched, Err(Error::Overlap { .. })), "{name}: {launched:?}");
}

fn main() -> anabranch::Result<()> {
    let device = Device::cpu();
    let stream = device.default_stream();
    let (a, one, two) = (device.zeros::<f32>(12)?, device.zeros::<f32>(1)?, device.zeros::<f32>(2)?);
    let mut x = device.zeros::<f32>(1024)?;

    accepted("rows, as wide as the loop", rows(&stream, &mut x, 3, 4, 4));
    accepted("rows, wider", rows(&stream, &mut x, 3, 4, 9));
    refused("rows, narrower", rows(&stream, &mut x, 3, 4, 3));
    accepted("one row", rows(&stream, &mut x, 1, 4, 3));

    accepted("a stride", strided(&stream, &mut x, 3, 5));
    refused("no stride", strided(&stream, &mut x, 3, 0));

    accepted("columns of the height", transposed(&stream, &a, &mut x, 3, 4, 3));
    refused("columns of less than that", transposed(&stream, &a, &mut x, 4, 3, 3));

    accepted("blocks side by side", blocks(&stream, &mut x, 4, 8, 8));
    refused("blocks that overlap", blocks(&stream, &mut x, 4, 8, 9));

    accepted("one weight", scattered(&stream, &a, &one, &mut x));
    refused("two weights", scattered(&stream, &a, &two, &mut x));

    accepted("bytes", narrowed(&stream, &mut x, 256));
    refused("more than bytes", narrowed(&stream, &mut x, 257));

    accepted("windows side by side", windows(&stream, &mut x, 4, 3, 3));
    refused("windows that overlap", windows(&stream, &mut x, 4, 3, 4));

    // Nothing was written by what was refused.
    let mut y = device.zeros::<f32>(16)?;
    refused("rows, narrower", rows(&stream, &mut y, 3, 4, 3));
    assert_eq!(y.to_vec()?, [0.0; 16]);
    Ok(())
}
