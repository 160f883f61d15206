use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [Particle], config: &Confg) {
    for i in par(0..x.len()) {
        x[i] = x[i];
    }
}

fn main() {}
