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

#[kernel]
fn with_a_stream(stream: &Stream, x: &mut [f32]) {
    for i in par(0..x.len()) {
        x[i] = 0.0;
    }
}

#[kernel]
fn of_four_dimensions(x: &mut Grid<f32, 4>) {
    for i in par(0..3) {
        x[[i, 0, 0, 0]] = 0.0;
    }
}

fn main() {}
