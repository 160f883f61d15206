use anabranch::prelude::*;

#[kernel]
fn sums(x: &[f32], y: &mut [f32]) {
    for i in par(0..y.len()) {
        let mut of = x.iter();
        let mut sum = 0.0;
        while let Some(v) = of.next() {
            sum += v;
        }
        y[i] = sum;
    }
}

#[kernel]
fn most(y: &mut [u32]) {
    for i in par(0..y.len()) {
        let votes = [1u32, 2, 3];
        y[i] = *votes.iter().max().unwrap();
    }
}

fn main() {}
