use anabranch::prelude::*;

#[kernel]
fn k(g: &mut Grid<f32, 2>, n: usize) {
    for i in par(0..n) {
        g[i] = 1.0;
    }
}

fn main() {}
