// In a phase there is one thread.
use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32]) {
    for block in par_blocks(0..x.len() / 64).threads(64) {
        let b = block.index();
        for t in block.threads() {
            let mut own = block.each(0.0);
            own += 1.0;
            x[b * 64 + t] = own;
        }
    }
}

fn main() {}
