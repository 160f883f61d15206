use anabranch::prelude::*;

struct Particle {
    mass: f32,
}

#[kernel]
fn k(x: &mut [Particle]) {
    stream_parallel! {
        'a: { for i in par(0..x.len()) { x[i] = x[i]; } }
    }
}

fn main() {}
