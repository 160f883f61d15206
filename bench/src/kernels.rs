//! The kernels of the benchmark. Most of them are kernels of the test suites, which check their
//! results.

use anabranch::prelude::*;

/// The test suites list their kernels.
macro_rules! sources {
    ($($kernels:tt)*) => {};
}
pub(crate) use sources;

#[path = "../../tests/src/kernels/benchmarks.rs"]
pub mod benchmarks;
#[path = "../../tests/src/kernels/ported/nbody.rs"]
pub mod nbody;
#[path = "../../tests/src/kernels/own_types.rs"]
pub mod own_types;
#[path = "../../tests/src/kernels/ported/poisson.rs"]
pub mod poisson;
#[path = "../../tests/src/kernels/ported/spmv.rs"]
pub mod spmv;

/// The product of two vectors.
#[kernel]
pub fn dot(x: &[f32], y: &[f32], total: &mut [f32]) {
    total[0] = par(0..x.len()).map(|i| x[i] * y[i]).sum();
}

/// The normal distribution function: formula 26.2.17 of Abramowitz and Stegun.
#[device]
pub fn normal(x: f32) -> f32 {
    let t = 1.0 / (1.0 + 0.231_641_9 * x.abs());
    let series = t * (0.319_381_54 + t * (-0.356_563_78 + t * (1.781_477_9 + t * (-1.821_256 + t * 1.330_274_5))));
    let tail = 0.398_942_3 * (-0.5 * x * x).exp() * series;
    if x < 0.0 { tail } else { 1.0 - tail }
}

/// The price of a call option by the Black–Scholes formula, with a rate of 2 % and a volatility of
/// 30 %.
#[device]
pub fn call(price: f32, strike: f32, years: f32) -> f32 {
    let width = 0.3 * years.sqrt();
    let d = ((price / strike).ln() + (0.02 + 0.045) * years) / width;
    price * normal(d) - strike * (-0.02 * years).exp() * normal(d - width)
}

/// The prices of many calls.
#[kernel]
pub fn black_scholes(calls: &mut [f32], prices: &[f32], strikes: &[f32], years: &[f32]) {
    for i in par(0..calls.len()) {
        calls[i] = call(prices[i], strikes[i], years[i]);
    }
}

/// The product of two matrices, a row and a column for each element.
#[kernel]
pub fn rows_and_columns(c: &mut Grid<f32, 2>, a: &Grid<f32, 2>, b: &Grid<f32, 2>) {
    let [height, inner] = a.shape();
    for (y, x) in par((0..height, 0..b.shape()[1])) {
        let mut sum = 0.0;
        for k in 0..inner {
            sum += a[[y, k]] * b[[k, x]];
        }
        c[[y, x]] = sum;
    }
}

/// Of each point, the sum of what all points do to it.
#[kernel]
pub fn potentials(out: &mut [f64], px: &[f64], py: &[f64], pz: &[f64]) {
    for i in par(0..out.len()) {
        let (x, y, z) = (px[i], py[i], pz[i]);
        let mut sum = 0.0;
        for j in 0..px.len() {
            let (dx, dy, dz) = (px[j] - x, py[j] - y, pz[j] - z);
            sum += 1.0 / (dx * dx + dy * dy + dz * dz + 1e-3).sqrt();
        }
        out[i] = sum;
    }
}

/// The same by tiles that a block of threads shares. `px.len()` is a multiple of 256.
#[kernel]
pub fn tiled_pairs(out: &mut [f32], px: &[f32], py: &[f32], pz: &[f32]) {
    for block in par_blocks(0..out.len() / 256).threads(256) {
        let first = block.index() * 256;
        let mut tile = block.shared([[0.0; 3]; 256]);
        let mut sum = block.each(0.0);
        for from in 0..px.len() / 256 {
            for t in block.threads() {
                let j = from * 256 + t;
                tile[t] = [px[j], py[j], pz[j]];
            }
            for t in block.threads() {
                let (x, y, z) = (px[first + t], py[first + t], pz[first + t]);
                for k in 0..256 {
                    let (dx, dy, dz) = (tile[k][0] - x, tile[k][1] - y, tile[k][2] - z);
                    sum += 1.0 / (dx * dx + dy * dy + dz * dz + 1e-3).sqrt();
                }
            }
        }
        for t in block.threads() {
            out[first + t] = sum;
        }
    }
}

/// The forces between points that are near each other.
#[kernel]
pub fn forces_within(forces: &mut [[f32; 2]], px: &[f32], py: &[f32], reach: f32) {
    for i in par(0..forces.len()) {
        let (x, y) = (px[i], py[i]);
        let (mut sum_x, mut sum_y) = (0.0, 0.0);
        for j in 0..px.len() {
            let (dx, dy) = (px[j] - x, py[j] - y);
            let square = dx * dx + dy * dy;
            if square < reach * reach && square > 0.0 {
                let force = 1.0 / (square * square.sqrt());
                sum_x += force * dx;
                sum_y += force * dy;
            }
        }
        forces[i] = [sum_x, sum_y];
    }
}

/// The directions of a lattice of nine, and their weights.
pub const DX: [i32; 9] = [0, 1, 0, -1, 0, 1, -1, -1, 1];
pub const DY: [i32; 9] = [0, 0, 1, 0, -1, 1, 1, -1, -1];
pub const WEIGHTS: [f32; 9] =
    [4.0 / 9.0, 1.0 / 9.0, 1.0 / 9.0, 1.0 / 9.0, 1.0 / 9.0, 1.0 / 36.0, 1.0 / 36.0, 1.0 / 36.0, 1.0 / 36.0];

/// A step of the lattice Boltzmann method, without walls.
#[kernel]
pub fn stream_and_collide(to: &mut Grid<f32, 3>, from: &Grid<f32, 3>) {
    let [_, height, width] = from.shape();
    for (y, x) in par((1..height - 1, 1..width - 1)) {
        let mut parts = [0.0; 9];
        for k in 0..9 {
            parts[k] = from[[k, (y as i32 - DY[k]) as usize, (x as i32 - DX[k]) as usize]];
        }
        let (mut density, mut vx, mut vy) = (0.0, 0.0, 0.0);
        for k in 0..9 {
            density += parts[k];
            vx += parts[k] * DX[k] as f32;
            vy += parts[k] * DY[k] as f32;
        }
        let (vx, vy) = (vx / density, vy / density);
        let square = 1.5 * (vx * vx + vy * vy);
        for k in 0..9 {
            let along = 3.0 * (DX[k] as f32 * vx + DY[k] as f32 * vy);
            let calm = WEIGHTS[k] * density * (1.0 + along + 0.5 * along * along - square);
            to[[k, y, x]] = parts[k] + 0.6 * (calm - parts[k]);
        }
    }
}

/// A blur of bytes along rows, whose ends go on.
#[kernel]
pub fn blur_of_bytes(to: &mut Grid<u8, 2>, from: &Grid<u8, 2>, weights: &[u32]) {
    let [height, width] = from.shape();
    let radius = weights.len() / 2;
    for (y, x) in par((0..height, 0..width)) {
        let mut sum = 0;
        for k in 0..weights.len() {
            sum += weights[k] * from[[y, (x + k).saturating_sub(radius).min(width - 1)]] as u32;
        }
        to[[y, x]] = (sum >> 8) as u8;
    }
}
