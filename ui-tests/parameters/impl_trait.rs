use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], f: impl Fn(f32) -> f32) {
    for i in par(0..x.len()) {
        x[i] = f(x[i]);
    }
}

#[kernel]
fn dynamic(x: &mut [f32], f: &impl Fn(f32) -> f32) {
    for i in par(0..x.len()) {
        x[i] = f(x[i]);
    }
}

fn launch(stream: &Stream, x: &mut Buffer<f32>) -> anabranch::Result<()> {
    k(stream, x, |v| v * 2.0)
}

fn main() {}
