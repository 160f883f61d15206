use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], n: usize) {
    for block in par_blocks(0..n).threads(64) {
        let sum: i32 = block.sum(1.0f32);
        let at = block.exclusive_sum(1u32);
        for t in block.threads() {
            at = 3;
            x[block.index() * 64 + t] = at;
        }
        let of = block.broadcast(1.0, 2u32);
        let all = block.all();
    }
}

fn main() {}
