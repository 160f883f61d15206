//! Two independent jobs at the same time, then a loop that needs both results.
//!
//! `cargo run --release -p kernels-example --example 02_step`

use std::process::ExitCode;

use anabranch::prelude::*;

/// Moves particles and cools a field at the same time, then updates the velocities from both.
#[kernel]
pub fn step(pos: &mut [f32], vel: &mut [f32], heat: &mut [f32], dt: f32) {
    let n = pos.len(); // host part: ordinary Rust, runs once per launch
    stream_parallel! {
        'motion: {
            for i in par(0..n) { pos[i] += vel[i] * dt; }
        }
        'heat: {
            for i in par(0..heat.len()) { heat[i] *= 0.99; }
            for i in par(0..heat.len()) { heat[i] += 0.01; }
        }
    } // joined here
    for i in par(0..n) {
        vel[i] -= 0.1 * heat[i % 16] * dt;
    }
}

const PARTICLES: usize = 10_000;
const CELLS: usize = 2_000;
const STEPS: usize = 100;
const DT: f32 = 0.01;

/// `step` in plain Rust.
fn plain_step(pos: &mut [f32], vel: &mut [f32], heat: &mut [f32], dt: f32) {
    for (pos, vel) in pos.iter_mut().zip(&*vel) {
        *pos += vel * dt;
    }
    for heat in &mut *heat {
        *heat = *heat * 0.99 + 0.01;
    }
    for (i, vel) in vel.iter_mut().enumerate() {
        *vel -= 0.1 * heat[i % 16] * dt;
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
    let mut pos = vec![0.0; PARTICLES];
    let mut vel: Vec<f32> = (0..PARTICLES).map(|i| (i as f32 * 0.1).sin()).collect();
    let mut heat: Vec<f32> = (0..CELLS).map(|i| i as f32 / CELLS as f32).collect();

    let mut pos_buffer = device.buffer_from(&pos)?;
    let mut vel_buffer = device.buffer_from(&vel)?;
    let mut heat_buffer = device.buffer_from(&heat)?;
    for _ in 0..STEPS {
        step(&stream, &mut pos_buffer, &mut vel_buffer, &mut heat_buffer, DT)?;
        plain_step(&mut pos, &mut vel, &mut heat, DT);
    }

    println!("{}", step::plan());
    let mut largest = 0.0_f32;
    for (buffer, expected) in [(&pos_buffer, &pos), (&vel_buffer, &vel), (&heat_buffer, &heat)] {
        let differences = buffer.to_vec()?.into_iter().zip(expected).map(|(a, b)| (a - b).abs());
        largest = differences.fold(largest, f32::max);
    }
    println!("{STEPS} steps of {PARTICLES} particles on {device}: within {largest:e} of plain Rust");
    // All values stay below 2. A GPU that fuses multiplication and addition rounds differently in
    // each step.
    Ok(largest <= STEPS as f32 * 2.0 * f32::EPSILON)
}
