// What a device function does is written where it is called.
use anabranch::prelude::*;

#[device]
fn raise(x: &mut f32) {
    *x += 1.0;
}

#[device]
fn twice(x: &f32) -> f32 {
    2.0 * *x
}

#[kernel]
fn k(x: &mut [f32], y: &mut [f32]) {
    stream_parallel! {
        'raise: {
            for i in par(0..x.len()) {
                raise(&mut x[i]);
            }
        }
        'read: {
            for i in par(0..y.len()) {
                y[i] = twice(&x[i]);
            }
        }
    }
}

fn main() {}
