// As of any variable, `mut` says that it changes.
use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32]) {
    for block in par_blocks(0..x.len() / 64).threads(64) {
        let b = block.index();
        let line = block.shared([0.0; 64]);
        let own = block.each(0.0);
        for t in block.threads() {
            own = x[b * 64 + t];
            line[t] = own;
        }
        for t in block.threads() {
            x[b * 64 + t] = line[63 - t];
        }
    }
}

fn main() {}
