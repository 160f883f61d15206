use anabranch::prelude::*;

#[kernel]
fn k(g: &mut Grid<f32, 2>) {
    let [h, w] = g.shape();
    let left = g.part_mut((.., ..w / 2 + 1));
    let right = g.part_mut((.., w / 2..));
    stream_parallel! {
        'left: { for (y, x) in par((0..h, 0..left.shape()[1])) { left[[y, x]] = 1.0; } }
        'right: { for (y, x) in par((0..h, 0..right.shape()[1])) { right[[y, x]] = 2.0; } }
    }
}

fn main() {}
