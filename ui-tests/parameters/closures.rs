use anabranch::prelude::*;

#[kernel]
fn map(x: &mut [f32], f: impl Fn(f32) -> f32) {
    for i in par(0..x.len()) {
        x[i] = f(x[i]);
    }
}

#[kernel]
fn by_reference(x: &mut [f32], f: &impl Fn(f32) -> f32) {
    for i in par(0..x.len()) {
        x[i] = f(x[i]);
    }
}

#[kernel]
fn changing<F: FnMut(f32) -> f32>(x: &mut [f32], mut f: F) {
    for i in par(0..x.len()) {
        x[i] = f(x[i]);
    }
}

#[kernel]
fn without_a_result(x: &mut [f32], f: impl Fn(f32)) {
    for i in par(0..x.len()) {
        f(x[i]);
    }
}

#[kernel]
fn of_a_slice(x: &mut [f32], f: impl Fn(&[f32]) -> f32) {
    for i in par(0..x.len()) {
        x[i] = f(&x[..]);
    }
}

#[kernel]
fn wrong_uses(x: &mut [f32], f: impl Fn(f32) -> f32) {
    for i in par(0..x.len()) {
        let g = f;
        x[i] = f(x[i], 1.0);
    }
}

#[device]
fn square(v: f32) -> f32 {
    v * v
}

struct Law {
    scale: f32,
}

impl Law {
    fn launch(&self, stream: &Stream, x: &mut Buffer<f32>) -> anabranch::Result<()> {
        map(stream, x, closure!(|v: f32| v * self.scale))
    }
}

fn launches(stream: &Stream, x: &mut Buffer<f32>) -> anabranch::Result<()> {
    let y = [1.0f32];
    map(stream, x, closure!(|v| v * 2.0))?;
    map(stream, x, closure!(square))?;
    map(stream, x, closure!(|v: f32| v * 2.0, 1))?;
    map(stream, x, closure!(async |v: f32| v * 2.0))?;
    map(stream, x, closure!(|v: f32| { let w: Vec<f32> = y; v }))
}

fn main() {}
