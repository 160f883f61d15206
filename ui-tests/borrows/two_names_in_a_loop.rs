use anabranch::prelude::*;

#[kernel]
fn reversed(x: &mut [u32], n: usize) {
    let (low, _) = x.split_at(n);
    for i in par(0..n) {
        x[i] = low[n - 1 - i];
    }
}

#[kernel]
fn halves(x: &mut [u32], n: usize) {
    let (low, _) = x.split_at_mut(n);
    let half = n / 2;
    for i in par(0..n) {
        low[i] += 1;
        x[i + half] += 1;
    }
}

fn main() {}
