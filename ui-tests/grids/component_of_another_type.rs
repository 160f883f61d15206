use anabranch::prelude::*;

#[kernel]
fn k(g: &mut Grid<f32, 2>, n: i32) {
    for (y, x) in par((0..n, 0..n)) {
        g[[y, x]] = 1.0;
    }
}

fn main() {}
