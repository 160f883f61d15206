use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32]) {
    for i in par(0..x.len()) {
        let mut v = Vec::new();
        v.push(1.0);
        x[i] = v[0] + v.len() as f32;
    }
}

fn main() {}
