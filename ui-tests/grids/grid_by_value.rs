use anabranch::prelude::*;

#[kernel]
fn k(g: Grid<f32, 2>, out: &mut [f32]) {
    for i in par(0..out.len()) {
        out[i] = g[[i, 0]];
    }
}

fn main() {}
