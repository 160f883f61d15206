//! Conway's Game of Life on a torus.

use anabranch::prelude::*;

/// One generation, from `now` to `next`.
#[kernel]
pub fn life(now: &[bool], next: &mut [bool], width: usize) {
    let height = now.len() / width;
    for (y, x) in par((0..height, 0..width)) {
        let mut around = 0;
        for down in 0..3 {
            for right in 0..3 {
                let row = (y + height - 1 + down) % height;
                let column = (x + width - 1 + right) % width;
                around += now[row * width + column] as u32;
            }
        }
        let here = y * width + x;
        // `around` counts the cell itself.
        next[here] = match (now[here], around) {
            (_, 3) | (true, 4) => true,
            _ => false,
        };
    }
}
