//! Chains that are no reductions, and heads that are no scans.

use anabranch::prelude::*;

#[kernel]
fn no_closure(x: &[f32], total: &mut [f32]) {
    total[0] = par(0..x.len()).sum();
}

#[kernel]
fn no_operation(x: &[f32], total: &mut [f32]) {
    total[0] = par(0..x.len()).map(|i| x[i]).average();
}

#[kernel]
fn steps(x: &[f32], total: &mut [f32]) {
    total[0] = par((0..x.len()).step_by(2).step_by(2)).map(|i| x[i]).sum();
    total[1] = par((0..4, 0..4)).map(|(i, i)| x[i]).sum();
    total[2] = par(0..x.len()).block(64).map(|i| x[i]).sum();
}

#[kernel]
fn parameters(x: &[f32], total: &mut [f32]) {
    total[0] = par((0..4, 0..4)).map(|i| x[i]).sum();
    total[1] = par(0..4).map(|i, k| x[i + k]).sum();
    total[2] = par(0..4).map(f32::sqrt).sum();
    total[3] = par(0..4).map(|i| x[i]).reduce(0.0, f32::max);
}

#[kernel]
fn scans(x: &[f32], y: &mut [f32]) {
    for i in par(0..4).inclusive_sum(|i| x[i]) {
        y[i] = 1.0;
    }
    for (i, at) in par(0..4).inclusive_sum() {
        y[i] = at;
    }
    for (i, at) in par((0..4, 0..4)).inclusive_sum(|(i, k)| x[i + k]) {
        y[i] = at;
    }
}

#[kernel]
fn conditions(x: &[f32], y: &mut [u32]) {
    y[0] = par(0..x.len()).map(|i| x[i] > 1.0).sum();
    y[1] = par(0..x.len()).map(|i| !(x[i] < 0.0 || x[i] == 1.0)).min();
    y[2] = par(0..x.len()).map(|i| { let v = x[i]; v != 1.0 }).product();
    for (i, at) in par(0..x.len()).exclusive_sum(|i| x[i] >= 1.0) {
        y[i] = at;
    }
}

fn main() {}
