// Each edge adds to the cells on both of its sides.
use anabranch::prelude::*;

#[kernel]
fn k(flux: &[f32], cell: &mut [f32]) {
    for edge in par(0..flux.len()) {
        cell[edge] -= flux[edge];
        cell[edge + 1] += flux[edge];
    }
}

fn main() {}
