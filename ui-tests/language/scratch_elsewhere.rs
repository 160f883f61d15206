use anabranch::prelude::*;

#[kernel]
fn not_bound(x: &mut [f32]) {
    scratch::<f32>(x.len());
    for i in par(0..x.len()) {
        x[i] = 0.0;
    }
}

#[kernel]
fn two_names(x: &mut [f32]) {
    let (a, b) = scratch::<f32>(x.len());
    for i in par(0..x.len()) {
        x[i] = a[i] + b[i];
    }
}

#[kernel]
fn in_a_closure(x: &mut [f32]) {
    let _make = || {
        let next = scratch::<f32>(4);
    };
    for i in par(0..x.len()) {
        x[i] = 0.0;
    }
}

#[kernel]
fn no_zeros(x: &mut [f32]) {
    let mut names = scratch::<&'static str>(4);
    for i in par(0..x.len()) {
        x[i] = 0.0;
    }
}

fn main() {
    let _ = scratch::<f32>(4);
}
