use anabranch::prelude::*;

#[kernel]
fn k(g: &Grid<f32, 2>, out: &mut Grid<f32, 2>) {
    for (y, x) in par((0..out.shape()[0], 0..out.shape()[1])) {
        out[[y, x]] = g[y][x];
    }
}

fn main() {}
