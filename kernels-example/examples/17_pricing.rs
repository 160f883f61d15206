//! The price of an option, by simulating the price of the share. The Black–Scholes formula gives
//! the same price.
//!
//! `cargo run --release -p kernels-example --example 17_pricing --
//! FILE.png` draws how often a price occurs; `FILE.png` can be left out.

use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use anabranch::prelude::*;
use anabranch::random::rng;
use kernels_example::picture::{Picture, heat, mix};
use kernels_example::show::{self, Outcome};

/// A share, and the right to buy it for `strike` in `years`.
#[device]
#[derive(Clone, Copy)]
struct Call {
    price: f32,
    strike: f32,
    rate: f32,
    volatility: f32,
    years: f32,
}

const CALL: Call = Call { price: 100.0, strike: 110.0, rate: 0.03, volatility: 0.25, years: 1.0 };
const PATHS: usize = 1 << 17;
const STEPS: usize = 213;
/// Rows of the picture, for prices from 0 to `TOP`.
const ROWS: usize = 160;
const TOP: f32 = 240.0;

/// Computes the discounted payoff of each path. `counts` is the number of paths with each price at
/// each time.
#[kernel]
fn simulate(payoffs: &mut [f32], counts: &Grid<AtomicU32, 2>, call: Call, seed: u64) {
    let [rows, steps] = counts.shape();
    let dt = call.years / steps as f32;
    let drift = (call.rate - 0.5 * call.volatility * call.volatility) * dt;
    let width = call.volatility * dt.sqrt();
    let discount = (-call.rate * call.years).exp();
    for i in par(0..payoffs.len()) {
        let mut rng = rng(seed, i);
        let mut log = call.price.ln();
        for t in 0..steps {
            log += drift + width * rng.normal_f32();
            let row = (log.exp() * (ROWS as f32 / TOP)) as usize;
            if row < rows {
                counts[[row, t]].fetch_add(1, Relaxed);
            }
        }
        payoffs[i] = discount * (log.exp() - call.strike).max(0.0);
    }
}

/// Computes the mean, and the mean of the squares.
#[kernel]
fn means(payoffs: &[f32], out: &mut [f32]) {
    let n = payoffs.len();
    let scale = 1.0 / n as f32;
    out[0] = par(0..n).map(|i| scale * payoffs[i]).sum();
    out[1] = par(0..n).map(|i| scale * payoffs[i] * payoffs[i]).sum();
}

fn main() -> ExitCode {
    show::main(run)
}

pub(crate) fn run(device: &Device, file: Option<&Path>) -> Outcome {
    let stream = device.default_stream();
    let mut payoffs = device.zeros::<f32>(PATHS)?;
    let mut counts = device.grid_zeros([ROWS, STEPS])?;
    let mut out = device.zeros::<f32>(2)?;
    simulate(&stream, &mut payoffs, &mut counts, CALL, 2024)?;
    means(&stream, &payoffs, &mut out)?;
    let [mean, squares] = out.to_vec()?[..] else { unreachable!("two elements") };

    let error = ((squares - mean * mean) / PATHS as f32).sqrt();
    let formula = black_scholes(CALL);
    println!("{PATHS} paths on {device}: the price is {mean:.3} ± {error:.3}; the formula gives {formula:.3}");
    let counts = counts.to_vec()?;
    if let Some(file) = file {
        picture(&counts).save(file)?;
    }
    // Nearly all paths end within the picture. An estimate is off by more than four standard errors
    // for one in 16 000 seeds.
    let drawn: u32 = counts.iter().skip(STEPS - 1).step_by(STEPS).sum();
    Ok(f64::from(mean - formula as f32).abs() < 4.0 * f64::from(error) && drawn as usize > PATHS * 99 / 100)
}

fn black_scholes(call: Call) -> f64 {
    let Call { price, strike, rate, volatility, years } = call;
    let [price, strike, rate, volatility, years] = [price, strike, rate, volatility, years].map(f64::from);
    let width = volatility * years.sqrt();
    let d = ((price / strike).ln() + (rate + 0.5 * volatility * volatility) * years) / width;
    price * normal(d) - strike * (-rate * years).exp() * normal(d - width)
}

/// The normal distribution function: formula 26.2.17 of Abramowitz and Stegun, with an error of at
/// most 7.5e-8.
fn normal(x: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.231_641_9 * x.abs());
    let series = [0.319_381_530, -0.356_563_782, 1.781_477_937, -1.821_255_978, 1.330_274_429];
    let sum = series.iter().rev().fold(0.0, |sum, factor| t * (sum + factor));
    let tail = (-0.5 * x * x).exp() / std::f64::consts::TAU.sqrt() * sum;
    if x < 0.0 { tail } else { 1.0 - tail }
}

/// Nine pixels per cell. The line is the strike price.
fn picture(counts: &[u32]) -> Picture {
    let strike = (CALL.strike * ROWS as f32 / TOP) as usize;
    Picture::of(3 * STEPS, 3 * ROWS, |x, y| {
        let row = ROWS - 1 - y / 3;
        let share = counts[row * STEPS + x / 3] as f32 / PATHS as f32;
        let colour = heat((12.0 * share).powf(0.4));
        if row == strike && y % 3 == 1 { mix(colour, [120, 220, 255], 0.8) } else { colour }
    })
}
