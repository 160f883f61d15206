use anabranch::prelude::*;

#[derive(Clone, Copy)]
enum Mode {
    Fast,
    Slow,
}

#[kernel]
fn k(x: &mut [f32], mode: Mode) {
    for i in par(0..x.len()) {
        if let Mode::Fast = mode {
            x[i] = 1.0;
        }
    }
}

fn main() {}
