use anabranch::prelude::*;

#[kernel]
fn copy<T: Scalar>(x: &mut [T], y: &[T]) {
    for i in par(0..x.len()) {
        x[i] = y[i];
    }
}

fn launch(stream: &Stream, x: &mut Buffer<i32>, y: &Buffer<f32>) -> anabranch::Result<()> {
    copy(stream, x, y)
}

fn main() {}
