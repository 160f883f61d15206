//! The smallest kernel: `y = a * x + y`, with one iteration per element.
//!
//! `cargo run --release -p kernels-example --example 01_saxpy`

use std::process::ExitCode;

use anabranch::prelude::*;

/// Adds `a` times `x` to `y`. Both have the same length.
#[kernel]
pub fn saxpy(y: &mut [f32], x: &[f32], a: f32) {
    for i in par(0..y.len()) {
        y[i] += a * x[i];
    }
}

const LEN: usize = 1_000_000;
const A: f32 = 2.5;

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> anabranch::Result<bool> {
    let device = Device::auto()?;
    let stream = device.default_stream();
    let x: Vec<f32> = (0..LEN).map(|i| i as f32 * 0.001).collect();
    let y: Vec<f32> = (0..LEN).map(|i| (i % 100) as f32).collect();

    let on_device = device.buffer_from(&x)?;
    let mut result = device.buffer_from(&y)?;
    saxpy(&stream, &mut result, &on_device, A)?;
    let result = result.to_vec()?;

    // A GPU may round a * x + y once instead of twice, which changes the result by at most one part
    // in 2²³ of the largest term.
    let expected = x.iter().zip(&y).map(|(x, y)| A * x + y);
    let wrong = result.iter().zip(expected).filter(|(a, b)| (*a - b).abs() > b.abs() * f32::EPSILON).count();
    println!("saxpy of {LEN} elements on {device}: {} .. {}, {wrong} wrong", result[0], result[LEN - 1]);
    Ok(wrong == 0)
}
