use anabranch::prelude::*;

#[kernel]
fn shift(x: &mut [f32]) {
    let old = x.clone();
    for i in par(1..x.len()) {
        x[i] = old[i - 1];
    }
}

#[kernel]
fn shift_by_a_vector(x: &mut [f32]) {
    let mut old = vec![0.0; x.len()];
    for i in par(0..x.len()) {
        old[i] = x[i];
    }
}

#[kernel]
fn scale(x: &mut [f32]) {
    let total = x.iter().sum::<f32>();
    for i in par(0..x.len()) {
        x[i] /= total;
    }
}

fn main() {}
