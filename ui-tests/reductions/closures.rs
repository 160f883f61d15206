//! What the closure of a reduction cannot have.

use anabranch::prelude::*;

#[kernel]
fn jumps(x: &[f32], total: &mut [f32]) {
    total[0] = par(0..x.len())
        .map(|i| {
            if x[i] < 0.0 {
                return 0.0;
            }
            x[i]
        })
        .sum();
    for n in 0..3 {
        total[1] = par(0..n).map(|i| if x[i] < 0.0 { continue } else { x[i] }).sum();
        total[1] = par(0..n).map(|i| x[i]).reduce({ if n > 2 { continue } 0.0 }, |a, b| a + b);
    }
    total[2] = par(0..x.len()).map(|i| 'a: { for _ in 0..i { break } if x[i] < 0.0 { break 'a 0.0 } x[i] }).sum();
}

#[kernel]
fn types(x: &[f32], total: &mut [f64]) {
    total[0] = par(0..x.len()).map(|i: usize| x[i] as f64).sum();
    total[1] = par(0..x.len()).map(|i| -> f32 { i as _ }).sum();
}

#[kernel]
fn attributes(x: &[f32], total: &mut [f32]) {
    #[cfg(test)]
    total[0] = par(0..x.len()).map(|i| x[i]).sum();
    total[1] = par(0..x.len()).map(#[inline] |i| x[i]).sum();
}

#[kernel]
fn reserved(x: &[f32], total: &mut [f32]) {
    total[0] = par(0..x.len()).map(|i| x[i] + _anabranch_results[0]).sum();
}

fn main() {}
