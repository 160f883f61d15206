use anabranch::prelude::*;

#[derive(Clone, Copy)]
enum Mode {
    Fast(f32),
    Slow { by: f32 },
    Off,
}

#[kernel]
fn made(x: &mut [f32]) {
    for i in par(0..x.len()) {
        let mode = Mode::Fast(1.0);
        x[i] = 1.0;
    }
}

#[kernel]
fn named(x: &mut [f32]) {
    for i in par(0..x.len()) {
        let mode = Mode::Off;
        x[i] = 1.0;
    }
}

fn main() {}
