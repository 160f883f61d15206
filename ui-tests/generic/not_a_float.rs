use anabranch::prelude::*;

#[kernel]
fn root<T: Float>(x: &mut [T]) {
    for i in par(0..x.len()) {
        x[i] = x[i].sqrt();
    }
}

fn launch(stream: &Stream, x: &mut Buffer<i32>) -> anabranch::Result<()> {
    root(stream, x)
}

fn main() {}
