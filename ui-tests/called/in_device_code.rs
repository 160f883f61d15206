use anabranch::prelude::*;

#[kernel]
fn copy(to: &mut [f32], from: &[f32], n: usize) {
    for i in par(0..n) {
        to[i] = from[i];
    }
}

#[kernel]
fn of_any<T: Num>(x: &mut [T]) {
    for i in par(0..x.len()) {
        x[i] = x[i] * x[i];
    }
}

#[device]
fn helper(x: &mut [f32], y: &[f32]) {
    copy(x, y, 3);
}

#[kernel]
fn k(x: &mut [f32], y: &[f32]) {
    for i in par(0..x.len()) {
        of_any(&mut x[i..i + 1]);
    }
}

fn main() {}
