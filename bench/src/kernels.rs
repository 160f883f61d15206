//! The kernels of the benchmark. Most of them are kernels of the test suites, which check their results.

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

/// The price of a call option by the Black–Scholes formula, with a rate of 2 % and a volatility of 30 %.
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
