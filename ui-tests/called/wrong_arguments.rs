use anabranch::prelude::*;

#[kernel]
fn copy(to: &mut [f32], from: &[f32], n: usize) {
    for i in par(0..n) {
        to[i] = from[i];
    }
}

#[kernel]
fn k(x: &mut [f32], y: &[f32], ints: &[i32]) {
    copy(&mut x, &y);
    copy(&mut x, &y, 3, 4);
    copy(&mut x, &ints, 3);
    copy(&mut x, &y, 3.0);
    copy::<f32>(&mut x, &y, 3);
}

fn main() {}
