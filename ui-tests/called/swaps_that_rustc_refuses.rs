use anabranch::prelude::*;

fn swap<T>(a: &mut T, b: &mut T) {
    std::mem::swap(a, b);
}

#[kernel]
fn types(a: &mut [f32], b: &mut [i32], c: &mut [f32]) {
    std::mem::swap(&mut a, &mut b);
    let (from, to) = if a.len() == 3 { (&a, &mut c) } else { (&c, &mut b) };
    for i in par(0..from.len()) {
        to[i] = from[i];
    }
}

#[kernel]
fn functions(a: &mut [f32], b: &mut [f32]) {
    swap(&mut a, &mut b);
    std::mem::take(&mut a);
    for i in par(0..a.len()) {
        a[i] = 1.0;
    }
}

#[kernel]
fn while_chosen(a: &mut [f32], b: &mut [f32], even: bool) {
    let (from, to) = if even { (&a, &mut b) } else { (&b, &mut a) };
    for i in par(0..a.len()) {
        a[i] = 1.0;
    }
    for i in par(0..from.len()) {
        to[i] = from[i];
    }
}

#[kernel]
fn with_a_part(a: &mut [f32]) {
    let (lo, hi) = a.split_at_mut(3);
    std::mem::swap(&mut a, &mut lo);
    for i in par(0..hi.len()) {
        hi[i] = 1.0;
    }
    for i in par(0..lo.len()) {
        lo[i] = 1.0;
    }
}

#[kernel]
fn itself(a: &mut [f32], b: &mut [f32]) {
    std::mem::swap(&mut a, &mut a);
    for i in par(0..a.len()) {
        a[i] = b[i];
    }
}

fn main() {}
