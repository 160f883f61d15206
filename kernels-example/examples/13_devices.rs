//! A stencil on two devices: each has half of the rows, and sends its outermost row to the other
//! while it computes the rest.
//!
//! `cargo run --release -p kernels-example --example 13_devices`: on the first two CUDA devices, or
//! on two CPU devices, which share the machine's cores.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anabranch::prelude::*;

/// The mean of four neighbours. No sum uses a product, so no device can fuse the two, and all
/// devices compute the same bits.
#[device]
fn mean(up: f32, left: f32, right: f32, down: f32) -> f32 {
    0.25 * ((up + down) + (left + right))
}

/// Computes the rows of `next` except the first and the last one. All rows have `w` points; the
/// outermost points of a row are the boundary.
#[kernel]
pub fn interior(u: &[f32], next: &mut [f32], w: usize) {
    let n = u.len() / w;
    for (y, x) in par((1..n - 1, 1..w - 1)) {
        let i = y * w + x;
        next[(y - 1) * w + x] = mean(u[i - w], u[i - 1], u[i + 1], u[i + w]);
    }
}

/// Computes the first and the last row at the same time. Their neighbours are `above` and `below`.
#[kernel]
pub fn edges(u: &[f32], first: &mut [f32], last: &mut [f32], above: &[f32], below: &[f32], w: usize) {
    let n = u.len() / w;
    stream_parallel! {
        'first: {
            for x in par(1..w - 1) { first[x] = mean(above[x], u[x - 1], u[x + 1], u[w + x]); }
        }
        'last: {
            for x in par(1..w - 1) {
                let i = (n - 1) * w + x;
                last[x] = mean(u[i - w], u[i - 1], u[i + 1], below[x]);
            }
        }
    }
}

const WIDTH: usize = 1000;
const ROWS: usize = 1200;
const SWEEPS: usize = 100;

/// Some rows on a device.
struct Strip {
    /// The stream for the outermost rows and their copies to the other device.
    halo: Stream,
    /// The stream for everything else.
    work: Stream,
    u: Buffer<f32>,
    next: Buffer<f32>,
    above: Buffer<f32>,
    below: Buffer<f32>,
}

impl Strip {
    /// Creates a strip of zeros. Above the first strip there are ones.
    fn new(device: &Device, rows: usize, is_first: bool) -> anabranch::Result<Self> {
        Ok(Self {
            halo: device.new_stream_with_priority(Priority::High)?,
            work: device.new_stream()?,
            u: device.zeros(rows * WIDTH)?,
            next: device.zeros(rows * WIDTH)?,
            above: device.filled(WIDTH, if is_first { 1.0 } else { 0.0 })?,
            below: device.zeros(WIDTH)?,
        })
    }

    /// Queues the computation of `next`. The outermost rows come first, because the other device
    /// waits for them.
    fn sweep(&mut self) -> anabranch::Result<()> {
        let (first, rest) = &mut self.next.split_at_mut(WIDTH);
        let (inner, last) = &mut rest.split_at_mut(rest.len() - WIDTH);
        edges(&self.halo, &self.u, first, last, &self.above, &self.below, WIDTH)?;
        interior(&self.work, &self.u, inner, WIDTH)
    }
}

/// Runs `SWEEPS` sweeps on one strip per device, and returns how long they took. No call between
/// the sweeps waits for a device.
fn solve(devices: &[Device]) -> anabranch::Result<(Vec<f32>, Duration)> {
    let rows = ROWS / devices.len();
    let strip = |(number, device)| Strip::new(device, rows, number == 0);
    let mut strips = devices.iter().enumerate().map(strip).collect::<anabranch::Result<Vec<_>>>()?;
    for strip in &mut strips {
        strip.sweep()?; // compiles the kernels
        strip.work.device().synchronize()?;
    }
    let start = Instant::now();
    for _ in 0..SWEEPS {
        for strip in &mut strips {
            strip.sweep()?;
        }
        // Each copy is ordered after the computation of its rows, and after the last use of its
        // target.
        for number in 1..strips.len() {
            let (upper, lower) = strips.split_at_mut(number);
            let (upper, lower) = (&mut upper[number - 1], &mut lower[0]);
            let last = upper.next.len() - WIDTH;
            lower.above.copy_from_buffer_async(&upper.halo, &upper.next.slice(last..))?;
            upper.below.copy_from_buffer_async(&lower.halo, &lower.next.slice(..WIDTH))?;
        }
        for strip in &mut strips {
            std::mem::swap(&mut strip.u, &mut strip.next);
        }
    }
    for strip in &strips {
        strip.work.device().synchronize()?;
    }
    let time = start.elapsed();
    let mut all = Vec::with_capacity(ROWS * WIDTH);
    for strip in &strips {
        all.extend(strip.u.to_vec()?);
    }
    Ok((all, time))
}

fn run() -> anabranch::Result<bool> {
    let devices = match (Device::cuda_count()?, Device::hip_count()?) {
        (2.., _) => [Device::cuda(0)?, Device::cuda(1)?],
        (_, 2..) => [Device::hip(0)?, Device::hip(1)?],
        _ => [Device::cpu(), Device::cpu()],
    };
    let (one, alone) = solve(&devices[..1])?;
    let (two, together) = solve(&devices)?;
    let wrong = one.iter().zip(&two).filter(|(a, b)| a.to_bits() != b.to_bits()).count();
    println!("{SWEEPS} sweeps over {ROWS} × {WIDTH} points on {} and {}", devices[0], devices[1]);
    println!(
        "  {:.1} ms on one device, {:.1} ms on two; {wrong} of {} values differ; the middle one is {:.3e}",
        alone.as_secs_f64() * 1e3,
        together.as_secs_f64() * 1e3,
        two.len(),
        two[20 * WIDTH + WIDTH / 2]
    );
    Ok(wrong == 0 && one.len() == two.len() && two[20 * WIDTH + WIDTH / 2] > 0.0)
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
