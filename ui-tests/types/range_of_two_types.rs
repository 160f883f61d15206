use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], n: u32) {
    for i in par(n..x.len()) {
        x[i as usize] = 1.0;
    }
}

fn main() {}
