// What loops over elements cannot do.
use anabranch::prelude::*;
use std::sync::atomic::AtomicU32;

#[kernel]
fn heads(x: &mut [f32], y: &[f32], g: &Grid<f32, 2>, hist: &[AtomicU32], n: usize) {
    for i in par(0..n) {
        for v in x {
            x[i] += *v;
        }
        for v in g {
            x[i] += *v;
        }
        for v in hist.iter() {
            x[i] += 1.0;
        }
        for v in [1.0, 2.0].iter() {
            x[i] += *v;
        }
        for (k, v) in y.iter().rev().enumerate() {
            x[i] += *v;
        }
        for (a, b) in y.iter().zip(0..n) {
            x[i] += *a;
        }
        for v in y.iter().map(|v| v + 1.0) {
            x[i] += v;
        }
        for v in y.chunks(2) {
            x[i] += v[0];
        }
    }
}

#[kernel]
fn patterns(x: &mut [f32], y: &[[f32; 2]]) {
    for i in par(0..x.len()) {
        for [a, b] in y.iter() {
            x[i] += a * b;
        }
        for pair in y.iter().enumerate() {
            x[i] += 1.0;
        }
        for &mut v in y.iter() {
            x[i] += v[0];
        }
    }
}

fn main() {}
