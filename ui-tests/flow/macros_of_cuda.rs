use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], n: usize) {
    for i in par(0..n) {
        let tile = shared!([f32; 256]);
        let other = __shared__!(f32, 256);
        printf!("%d\n", i);
        x[i] = 1.0;
    }
}

fn main() {}
