use anabranch::prelude::*;

#[kernel]
fn places(x: &mut [f32], n: usize) {
    for block in par_blocks(0..n).threads(64) {
        let own = block.each(1.0);
        let warps = block.warps();
        let first = block.warps().broadcast(own, 0);
        let mean = block.warps().mean(own);
        let mut sum = block.warps().sum(own);
        x[block.index()] = block.warps().max(own);
        for t in block.threads() {
            let other = block.warps().shuffle(own, 1);
        }
    }
}

#[kernel]
fn arguments(x: &mut [f32], n: usize) {
    for block in par_blocks(0..n).threads(64) {
        let mut own = block.each(1.0);
        let none = block.warps().sum();
        let one = block.warps().shuffle(own);
        let changed = block.warps().max({
            own += 1.0;
            own
        });
    }
}

#[kernel]
fn type_arguments(x: &mut [f32], n: usize) {
    for block in par_blocks(0..n).threads(64) {
        let own = block.each(1.0);
        let of_warps = block.warps::<Missing>().sum(own);
        let of_sum = block.warps().sum::<u8>(own);
        x[block.index()] = block.sum::<u8>(own);
    }
}

#[kernel]
fn no_threads(x: &mut [f32], n: usize) {
    for block in par_blocks(0..n) {
        let sum = block.warps().sum(1.0);
    }
}

#[kernel]
fn not_whole(x: &mut [f32], n: usize) {
    for block in par_blocks(0..n).threads((5, 8)) {
        let own = block.each(1.0);
        let sum = block.warps().sum(own);
        for (i, j) in block.threads() {
            x[(block.index() * 5 + i) * 8 + j] = sum;
        }
    }
}

fn main() {}
