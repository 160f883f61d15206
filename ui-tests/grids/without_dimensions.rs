use anabranch::prelude::*;

#[kernel]
fn k(a: &mut Grid<f32>) {
    for (y, x) in par((0..4, 0..4)) {
        a[[y, x]] = 1.0;
    }
}

fn main() {}
