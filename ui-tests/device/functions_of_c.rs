use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], n: usize) {
    for i in par(0..n) {
        x[i] = sqrt(x[i]) + powf(x[i], 2.0) + fabs(x[i]) + sqrtf(x[i]) + max(x[i], 0.0);
        std::mem::swap(&mut x[i], &mut x[i]);
    }
}

fn main() {}
