use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32]) {
    for i in par(0..x.len()) {
        x[i] = match x[i] {
            0 => 1.0,
            _ => 2.0,
        };
    }
}

fn main() {}
