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
        let flags = block.sum(flag);
        let pair = block.max(Pair { a: 1.0, b: 2.0 });
        let any = block.any(1);
        let at = block.inclusive_sum((1, 2));
        x[block.index()] = block.count(true);
        let mut below = block.each(false);
        for i in block.par(0..n) {
            below = i < 7;
        }
        let before = block.exclusive_sum(below);
    }
}

fn main() {}
