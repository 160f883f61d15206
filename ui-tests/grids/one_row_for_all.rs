use anabranch::prelude::*;

#[kernel]
fn k(g: &mut Grid<f32, 2>) {
    let [h, w] = g.shape();
    for (y, x) in par((0..h, 1..w)) {
        g[[y, 0]] += 1.0;
        g[[y, x]] = g[[y, x - 1]];
    }
}

fn main() {}
