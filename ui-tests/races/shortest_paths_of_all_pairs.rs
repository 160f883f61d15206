// Floyd and Warshall: row and column k are read while they are written.
use anabranch::prelude::*;

#[kernel]
fn k(d: &mut [f32], n: usize) {
    for k in 0..n {
        for (i, j) in par((0..n, 0..n)) {
            d[i * n + j] = d[i * n + j].min(d[i * n + k] + d[k * n + j]);
        }
    }
}

fn main() {}
