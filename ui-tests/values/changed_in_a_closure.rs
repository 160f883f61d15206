use anabranch::prelude::*;

#[kernel]
fn map(x: &mut [f32], f: impl Fn(f32) -> f32) {
    for i in par(0..x.len()) {
        x[i] = f(x[i]);
    }
}

#[device]
fn changed(sum: &mut f32, v: f32) {
    *sum += v;
}

fn launches(stream: &Stream, x: &mut Buffer<f32>) -> anabranch::Result<()> {
    let mut sum = 0.0f32;
    map(stream, x, closure!(|v: f32| { sum += v; sum }))?;
    map(stream, x, closure!(|v: f32| { sum = v; v }))?;
    map(stream, x, closure!(|v: f32| { changed(&mut sum, v); let mut v = v; v += 1.0; v }))?;
    map(stream, x, closure!(|v: f32| missing * v))
}

fn main() {}
