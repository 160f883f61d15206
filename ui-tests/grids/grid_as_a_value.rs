use anabranch::prelude::*;

#[kernel]
fn k(g: &Grid<f32, 2>, out: &mut Grid<f32, 2>) {
    let h = g.width();
    for (y, x) in par((0..h, 0..4)) {
        let all = g;
        out[[y, x]] = g.rows(1);
    }
    for i in par(0..4) {
        g[[i, 0]] = 1.0;
    }
}

fn main() {}
