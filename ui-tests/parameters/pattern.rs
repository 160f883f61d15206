use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], (a, b): (usize, usize)) {
    for i in par(a..b) {
        x[i] = 1.0;
    }
}

fn launch(stream: &Stream, x: &mut Buffer<f32>) -> anabranch::Result<()> {
    k(stream, x, (0, 1))
}

fn main() {}
