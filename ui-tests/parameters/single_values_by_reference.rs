use anabranch::prelude::*;

#[kernel]
fn k(x: &[f32], sum: &mut f32, factor: &f32) {
    for i in par(0..x.len()) {
        *sum += x[i] * *factor;
    }
}

fn launch(stream: &Stream, x: &Buffer<f32>) -> anabranch::Result<f32> {
    let mut sum = 0.0;
    k(stream, x, &mut sum, &2.0)?;
    Ok(sum)
}

fn main() {}
