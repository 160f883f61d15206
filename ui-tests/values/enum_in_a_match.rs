// One error for each value whose type has no `#[device]`, whatever its patterns are.
use anabranch::prelude::*;

#[derive(Clone, Copy)]
enum Mode {
    Fast,
    Slow(f32),
    Other { scale: u32 },
}

#[kernel]
fn value(x: &mut [f32], mode: Mode) {
    for i in par(0..x.len()) {
        if let Mode::Fast = mode {
            x[i] = 1.0;
        }
    }
}

#[kernel]
fn element(x: &mut [f32], modes: &[Mode]) {
    for i in par(0..x.len()) {
        x[i] = match modes[i] {
            Mode::Fast => 1.0,
            Mode::Slow(by) => by,
            Mode::Other { scale } => scale as f32,
        };
    }
}

#[device]
fn parameter(mode: Mode) -> f32 {
    match mode {
        Mode::Fast | Mode::Other { scale: 1..=3 } => 1.0,
        _ => 2.0,
    }
}

fn main() {}
