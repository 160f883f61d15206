// The next generation over the present one.
use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [u8], h: usize, w: usize) {
    for (row, column) in par((1..h - 1, 1..w - 1)) {
        let mut alive = 0;
        for dy in 0..3 {
            for dx in 0..3 {
                alive += x[(row + dy - 1) * w + column + dx - 1];
            }
        }
        x[row * w + column] = if alive == 3 { 1 } else { 0 };
    }
}

fn main() {}
