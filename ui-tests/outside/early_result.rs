use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32]) {
    if x.is_empty() {
        return Ok(());
    }
    for i in par(0..x.len()) {
        x[i] = 1.0;
    }
}

fn main() {}
