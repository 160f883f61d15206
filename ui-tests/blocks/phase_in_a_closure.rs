// A closure may be called anywhere, a phase is in one place.
use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32]) {
    for block in par_blocks(0..x.len() / 64).threads(64) {
        let b = block.index();
        let clear = |value: f32| {
            for t in block.threads() {
                x[b * 64 + t] = value;
            }
        };
        clear(1.0);
    }
}

fn main() {}
