use anabranch::prelude::*;

#[kernel]
fn k<T>(x: &mut [T]) {
    for i in par(0..x.len()) {
        x[i] = x[0];
    }
}

fn launch(stream: &Stream, x: &mut Buffer<f32>) -> anabranch::Result<()> {
    k(stream, x)
}

fn main() {}
