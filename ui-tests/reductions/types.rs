//! rustc finds the types.

use anabranch::prelude::*;

#[kernel]
fn another_type(x: &[f32], total: &mut [f64]) {
    total[0] = par(0..x.len()).map(|i| x[i]).sum();
}

#[kernel]
fn no_conditions(x: &[u32], total: &mut [bool]) {
    total[0] = par(0..x.len()).map(|i| x[i]).any();
}

#[kernel]
fn range_of_other_numbers(x: &[f32], total: &mut [f32], n: u32) {
    total[0] = par(0..n).map(|i| x[i as usize]).sum();
}

#[kernel]
fn bits_of_a_float(x: &[f32], y: &mut [u32]) {
    for (i, at) in par(0..x.len()).inclusive_sum(|i| x[i]) {
        y[i] = at;
    }
}

#[kernel]
fn steps_of_other_types(x: &[f32], at: &mut [u32], step: i32) {
    at[0] = par((0..x.len()).step_by(step)).map(|i| x[i]).argmin();
}

fn main() {}
