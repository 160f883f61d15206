use anabranch::prelude::*;

#[kernel(library)]
fn copy(stream: &Stream, from: &[f32], to: &mut [f32], n: usize) {
    let _ = (stream, from.len(), to.len(), n);
}

#[kernel]
fn k(x: &mut [f32], y: &[f32]) {
    copy(&y, &mut x);
    copy(&x, &y, 3);
    copy(&x, &mut x, 3);
    stream_parallel! {
        'one: { copy(&y, &mut x, 3); }
        'two: { copy(&x, &mut x, 3); }
    }
}

fn launch(stream: &Stream, x: &mut Buffer<f32>, y: &Buffer<f32>) -> anabranch::Result<()> {
    copy(stream, y, x)
}

fn main() {}
