// Outside of phases there is no thread whose value it could be.
use anabranch::prelude::*;

#[kernel]
fn k(x: &[f32], sums: &mut [f32]) {
    for block in par_blocks(0..sums.len()).threads(64) {
        let b = block.index();
        let mut sum = block.each(0.0);
        for i in block.par(b * 1000..b * 1000 + 1000) {
            sum += x[i];
        }
        sums[b] = sum;
    }
}

fn main() {}
