use anabranch::prelude::*;

fn scale(x: &mut [f32]) {
    stream_parallel! {
        'a: { x[0] = 1.0; }
        'b: { x[1] = 1.0; }
    }
}

fn main() {}
