use anabranch::prelude::*;

#[kernel]
fn k(g: &mut Grid<f32, 2>) {
    for (y, x) in par((0..g.shape()[0], 0..g.shape()[1])) {
        g[[0, y, x]] = 1.0;
    }
}

fn main() {}
