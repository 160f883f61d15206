use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32]) {
    let f = || {
        stream_parallel! {
            'a: { for i in par(0..x.len()) { x[i] = 1.0; } }
        }
    };
    f();
}

fn main() {}
