//! Many small launches, captured once as a graph. Each launch of the graph costs one driver call.
//!
//! `cargo run --release -p kernels-example --example 05_graph`

use std::process::ExitCode;
use std::time::Instant;

use anabranch::prelude::*;

/// One time step of a wave in two strings.
#[kernel]
pub fn wave(left: &mut [f32], right: &mut [f32], left_speed: &mut [f32], right_speed: &mut [f32], dt: f32) {
    let n = left.len();
    stream_parallel! {
        'left: {
            for i in par(1..n - 1) { left_speed[i] += (left[i - 1] + left[i + 1] - 2.0 * left[i]) * dt; }
            for i in par(0..n) { left[i] += left_speed[i] * dt; }
        }
        'right: {
            for i in par(1..n - 1) { right_speed[i] += (right[i - 1] + right[i + 1] - 2.0 * right[i]) * dt; }
            for i in par(0..n) { right[i] += right_speed[i] * dt; }
        }
    }
}

const POINTS: usize = 512;
/// The number of rounds in the graph, and how often it is launched.
const ROUNDS: usize = 16;
const REPLAYS: usize = 200;

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

/// Plucked strings, and the speeds of their points.
fn strings(device: &Device) -> anabranch::Result<[Buffer<f32>; 4]> {
    let plucked: Vec<f32> = (0..POINTS).map(|i| (i as f32 / POINTS as f32 * std::f32::consts::TAU).sin()).collect();
    let turned: Vec<f32> = plucked.iter().map(|x| -0.5 * x).collect();
    let still = vec![0.0; POINTS];
    Ok([
        device.buffer_from(&plucked)?,
        device.buffer_from(&turned)?,
        device.buffer_from(&still)?,
        device.buffer_from(&still)?,
    ])
}

fn run() -> anabranch::Result<bool> {
    let device = Device::auto()?;
    let stream = device.default_stream();

    let [mut left, mut right, mut left_speed, mut right_speed] = strings(&device)?;
    let replays = std::env::args().nth(1).map_or(Ok(REPLAYS), |count| count.parse());
    let Some(replays) = replays.ok().filter(|count| *count > 0) else {
        eprintln!("usage: 05_graph [REPLAYS]");
        return Ok(false);
    };
    let mut rounds = |stream: &Stream| {
        (0..ROUNDS).try_for_each(|_| wave(stream, &mut left, &mut right, &mut left_speed, &mut right_speed, 0.1))
    };
    rounds(&stream)?; // the first launch compiles
    stream.synchronize()?;
    let start = Instant::now();
    (1..replays).try_for_each(|_| rounds(&stream))?;
    stream.synchronize()?;
    let launched_in = start.elapsed();
    let launched = [left.to_vec()?, right.to_vec()?];

    let [mut left, mut right, mut left_speed, mut right_speed] = strings(&device)?;
    // Nothing runs here. The graph keeps the numbers that the host part computes, and co-owns the
    // buffers.
    let graph = stream.capture(|stream| {
        (0..ROUNDS).try_for_each(|_| wave(stream, &mut left, &mut right, &mut left_speed, &mut right_speed, 0.1))
    })?;
    graph.launch(&stream)?;
    stream.synchronize()?;
    let start = Instant::now();
    (1..replays).try_for_each(|_| graph.launch(&stream))?;
    stream.synchronize()?;
    let replayed_in = start.elapsed();

    println!("{graph:?}: {replays} replays take {replayed_in:?}, {} launches {launched_in:?}", replays * ROUNDS);
    // The same kernels on the same numbers give the same bits.
    Ok(launched == [left.to_vec()?, right.to_vec()?])
}
