//! Grids: indexes with two and three components.

use anabranch::prelude::*;

super::sources! {
    blur_rows,
}

/// The mean of three neighbours in a row.
#[kernel]
pub fn blur_rows(from: &Grid<f32, 2>, to: &mut Grid<f32, 2>) {
    let [h, w] = from.shape();
    for (y, x) in par((0..h, 1..w - 1)) {
        to[[y, x]] = (from[[y, x - 1]] + from[[y, x]] + from[[y, x + 1]]) / 3.0;
    }
}
