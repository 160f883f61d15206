//! The result of a reduction is on the device, in an element of a slice.

use anabranch::prelude::*;

#[kernel]
fn value_of_the_host(x: &[f32], y: &mut [f32]) {
    let total = par(0..x.len()).map(|i| x[i]).sum();
    for i in par(0..y.len()) {
        y[i] /= total;
    }
}

#[kernel]
fn whole_slice(x: &[f32], total: &mut [f32]) {
    total = par(0..x.len()).map(|i| x[i]).sum();
}

#[kernel]
fn element_of_the_host(x: &[f32]) {
    let mut list = [0.0];
    list[0] = par(0..x.len()).map(|i| x[i]).sum();
}

fn main() {}
