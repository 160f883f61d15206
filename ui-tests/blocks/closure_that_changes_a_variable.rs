// What a closure changes, its calls do not show.
use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32]) {
    for block in par_blocks(0..x.len()).threads(64) {
        let mut count = 0;
        let mut add = |by: u32| count += by;
        add(2);
        x[block.index()] = count as f32;
    }
}

fn main() {}
