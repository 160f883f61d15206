use anabranch::prelude::*;

#[kernel]
fn k(from: &Grid<f32, 2>, to: &mut Grid<f32, 2>, list: &mut [f32]) {
    let inner = from.part_mut((1.., 1..));
    let (left, _) = from.split_dim_at_mut(1, 2);
    let frame = to.part((1.., 1..));
    for (y, x) in par((0..frame.shape()[0], 0..frame.shape()[1])) {
        frame[[y, x]] = 1.0;
    }
    to.rows(1..).len();
    let middle = list.part(1..3);
    let last = to.columns(1..3);
}

fn main() {}
