use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], n: usize) {
    for block in par_blocks(0..n).threads(64) {
        let own = block.each(1.0);
        x[block.index()] = block.reduce(0.0, own, |a, b| a + b);
        for t in block.threads() {
            let sum = block.reduce(0.0, own, |a, b| a + b);
        }
        let all = block.reduce(own, |a, b| a + b);
        let all = block.reduce(0.0, own, |a| a);
        let all = block.reduce(0.0, own, f32::max);
        let all = block.reduce(0.0, own, |a, b| return a);
        let all = block.reduce(0.0, { if own > 2.0 { continue } own }, |a, b| a + b);
        let all = block.reduce({ if n > 2 { continue } 0.0 }, own, |a, b| a + b);
    }
}

#[kernel]
fn types(x: &mut [f32], n: usize) {
    for block in par_blocks(0..n).threads(64) {
        let own = block.each(1.0);
        let all = block.reduce(0, own, |a, b| a + b);
        x[block.index()] = all;
    }
}

#[kernel]
fn changes(x: &mut [f32], n: usize) {
    for block in par_blocks(0..n).threads(64) {
        let mut own = block.each(1.0);
        let all = block.reduce(0.0, own, |a, b| {
            x[block.index()] = a;
            b
        });
        let all = block.reduce(0.0, { own += 1.0; own }, |a, b| a + b);
        x[block.index()] = all;
    }
}

fn main() {}
