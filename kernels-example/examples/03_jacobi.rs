//! A host loop around `par` loops: Jacobi's method for Poisson's equation, which needs thousands of
//! sweeps.
//!
//! `cargo run --release -p kernels-example --example 03_jacobi`

use std::f64::consts::PI;
use std::process::ExitCode;

use anabranch::prelude::*;

/// Runs Jacobi's method for `-Δu = f` on points at a distance of `h`, with two sweeps per round.
///
/// Even sweeps read `u` and write `next`, and odd ones do the opposite, so after each round the
/// newest values are in `u`. The outermost points are never written: they hold the boundary values
/// in both buffers.
#[kernel]
pub fn jacobi(u: &mut Grid<f64, 2>, next: &mut Grid<f64, 2>, f: &Grid<f64, 2>, h: f64, rounds: usize) {
    let [rows, columns] = f.shape();
    for _ in 0..rounds {
        for (y, x) in par((1..rows - 1, 1..columns - 1)) {
            let near = u[[y - 1, x]] + u[[y, x - 1]] + u[[y, x + 1]] + u[[y + 1, x]];
            next[[y, x]] = 0.25 * (near + h * h * f[[y, x]]);
        }
        for (y, x) in par((1..rows - 1, 1..columns - 1)) {
            let near = next[[y - 1, x]] + next[[y, x - 1]] + next[[y, x + 1]] + next[[y + 1, x]];
            u[[y, x]] = 0.25 * (near + h * h * f[[y, x]]);
        }
    }
}

const SIDE: usize = 65;
/// After this many rounds, less than 1e-5 of the initial error remains: each sweep multiplies it by
/// cos(π / 64).
const ROUNDS: usize = 5_000;

/// One sweep in plain Rust.
fn plain_sweep(to: &mut [f64], from: &[f64], f: &[f64], h: f64) {
    for y in 1..SIDE - 1 {
        for x in 1..SIDE - 1 {
            let i = y * SIDE + x;
            to[i] = 0.25 * (from[i - SIDE] + from[i - 1] + from[i + 1] + from[i + SIDE] + h * h * f[i]);
        }
    }
}

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
    // u = sin(πx) sin(πy) on the unit square: it is 0 on the boundary, and -Δu = 2π² u.
    let h = 1.0 / (SIDE - 1) as f64;
    let wave = |i: usize| (PI * (i % SIDE) as f64 * h).sin() * (PI * (i / SIDE) as f64 * h).sin();
    let exact: Vec<f64> = (0..SIDE * SIDE).map(wave).collect();
    let f: Vec<f64> = exact.iter().map(|u| 2.0 * PI * PI * u).collect();

    let mut u = device.grid_zeros([SIDE, SIDE])?;
    let mut next = device.grid_zeros([SIDE, SIDE])?;
    jacobi(&stream, &mut u, &mut next, &device.grid_from(&f, [SIDE, SIDE])?, h, ROUNDS)?;
    let u = u.to_vec()?;

    let (mut plain, mut plain_next) = (vec![0.0; u.len()], vec![0.0; u.len()]);
    for _ in 0..ROUNDS {
        plain_sweep(&mut plain_next, &plain, &f, h);
        plain_sweep(&mut plain, &plain_next, &f, h);
    }
    let far = |other: &[f64]| u.iter().zip(other).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    let (from_plain, from_exact) = (far(&plain), far(&exact));
    println!("{} sweeps over {SIDE} × {SIDE} points on {device}", 2 * ROUNDS);
    println!("  within {from_plain:.1e} of plain Rust, and within {from_exact:.1e} of sin(πx) sin(πy)");
    // In the middle, where u is 1, the five-point formula has an error of π²h²/12, here 2.0e-4.
    Ok(from_plain <= 1e-12 && from_exact <= 1.1 * PI * PI * h * h / 12.0)
}
