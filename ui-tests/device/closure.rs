use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32]) {
    let wave = |v: f32| v.sin();
    for i in par(0..x.len()) {
        x[i] = wave(x[i]);
    }
}

fn main() {}
