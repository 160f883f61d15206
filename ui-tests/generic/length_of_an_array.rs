use anabranch::prelude::*;

#[device]
fn sum<const N: usize>(a: [f32; N]) -> f32 {
    a[0]
}

#[kernel]
fn k(x: &mut [f32]) {
    for i in par(0..x.len()) {
        x[i] = sum::<4>([1.0; 3]);
    }
}

fn main() {}
