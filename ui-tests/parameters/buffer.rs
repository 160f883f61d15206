use anabranch::prelude::*;

#[kernel]
fn k(x: &mut Buffer<f32>, y: Buffer<f32>) {
    for i in par(0..x.len()) {
        x[i] = y[i];
    }
}

fn launch(stream: &Stream, x: &mut Buffer<f32>, y: Buffer<f32>) -> anabranch::Result<()> {
    k(stream, x, y)
}

fn main() {}
