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

// One error, however many parameters have the type.
#[device]
fn sum<T>(a: T, b: T) -> T {
    a + b
}

fn main() {}
