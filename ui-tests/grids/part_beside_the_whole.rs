use anabranch::prelude::*;

#[kernel]
fn k(g: &mut Grid<f32, 3>) {
    let [d, h, w] = g.shape();
    let first = g.rows_mut(..1);
    let flat = g.as_slice();
    for (y, x) in par((0..h, 0..w)) {
        first[[0, y, x]] = flat[((d - 1) * h + y) * w + x];
    }
}

fn main() {}
