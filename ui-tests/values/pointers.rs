use anabranch::prelude::*;

#[kernel]
fn pointer(x: *mut f32, n: usize) {
    for i in par(0..n) {
        *x.add(i) = 1.0;
    }
}

#[kernel]
fn power(x: &mut [f32]) {
    for i in par(0..x.len()) {
        x[i] = x[i] ** 2;
    }
}

#[kernel]
fn swapped(x: &mut [f32]) {
    for i in par(0..x.len()) {
        x.swap(i, 0);
    }
}

fn main() {}
