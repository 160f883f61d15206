use anabranch::prelude::*;

#[kernel]
fn map(x: &mut [f32], f: impl Fn(f32) -> f32) {
    for i in par(0..x.len()) {
        x[i] = f(x[i]);
    }
}

#[kernel]
fn wrong_type(x: &mut [f32], f: impl Fn(u32) -> u32) {
    for i in par(0..x.len()) {
        x[i] = f(i);
    }
}

#[device]
fn square(v: f32) -> f32 {
    v * v
}

fn helper(v: f32) -> f32 {
    v
}

fn launches(stream: &Stream, x: &mut Buffer<f32>, table: &[f32]) -> anabranch::Result<()> {
    let twice = closure!(|v: f32| v + v);
    map(stream, x, |v: f32| v * 2.0)?;
    map(stream, x, |v| v * 2.0)?;
    map(stream, x, square)?;
    map(stream, x, closure!(|v: f32, w: f32| v * w))?;
    map(stream, x, closure!(|v: f32| v > 2.0))?;
    map(stream, x, closure!(|v: f32| v * table[0]))?;
    map(stream, x, closure!(|v: f32| helper(v)))?;
    map(stream, x, closure!(|v: f32| twice(v)))?;
    map(stream, x, closure!(|v: f32| v as u32 * 2))?;
    Ok(())
}

fn main() {}
