// Iterators that end in a value: what they cannot do.
use anabranch::prelude::*;

#[device]
fn half(v: f32) -> f32 {
    v / 2.0
}

#[device]
fn ends(x: &[i32], y: &[f32]) -> Option<f32> {
    let squares = x.iter().map(|v| v * v);
    let last = x.iter().last();
    let most = x.iter().max();
    let halves: f32 = y.iter().copied().map(half).sum();
    let sum: f32 = y.iter().map(|v: &f32| *v).sum();
    let first = y.iter().map(|v| { return *v; }).count();
    let asked = y.iter().map(|v| None?).count();
    'all: for k in 0..3 {
        y.iter().for_each(|v| break 'all);
    }
    let many = x.iter().fold(0);
    let two = x.iter().any(|a, b| a == b);
    Some(halves)
}

fn main() {}
