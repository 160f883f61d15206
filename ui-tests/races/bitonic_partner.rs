// Both of a pair exchange.
use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], distance: usize) {
    for i in par(0..x.len()) {
        let partner = i ^ distance;
        if x[i] > x[partner] {
            let t = x[i];
            x[i] = x[partner];
            x[partner] = t;
        }
    }
}

fn main() {}
