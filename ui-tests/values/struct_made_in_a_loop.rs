use anabranch::prelude::*;

struct Point {
    x: f32,
}

#[kernel]
fn k(x: &mut [f32]) {
    for i in par(0..x.len()) {
        let p = Point { x: 1.0 };
        x[i] = p.x;
    }
}

fn main() {}
