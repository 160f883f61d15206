use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], n: usize) {
    for i in par(n) {
        x[i] = 1.0;
    }
    for i in par((0..n, 0..n)) {
        x[i] = 1.0;
    }
    for i in par(0..) {
        x[i] = 1.0;
    }
    for i in par(0..n).block(4096) {
        x[i] = 1.0;
    }
    for i in par(0..n).rev() {
        x[i] = 1.0;
    }
}

fn main() {}
