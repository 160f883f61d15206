// Tiles of 32 rows, of which each thread fills 4; the row of the tile is not scaled.
use anabranch::prelude::*;

#[kernel]
fn k(x: &[f32], y: &mut [f32]) {
    for (row, column) in par((0..8, 0..32)) {
        for j in 0..4 {
            y[(row + j) * 32 + column] = x[(row + 8 * j) * 32 + column];
        }
    }
}

fn main() {}
