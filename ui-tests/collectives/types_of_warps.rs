use anabranch::prelude::*;

#[device]
#[derive(Clone, Copy)]
struct Pair {
    a: f32,
    b: f32,
}

#[kernel]
fn k(x: &mut [f32], n: usize) {
    for block in par_blocks(0..n).threads(64) {
        let flag = block.each(true);
        let flags = block.warps().sum(flag);
        let bits = block.warps().ballot(1);
        let same = block.warps().matching(1.0);
        let pair = block.warps().shuffle(Pair { a: 1.0, b: 2.0 }, 3);
        let wrong: u64 = block.warps().sum(1.0f32);
        let scan: u64 = block.inclusive_sum(1.0f32);
        let half = block.warps().shuffle(1.0, 0.5);
    }
}

fn main() {}
