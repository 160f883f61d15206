use anabranch::prelude::*;

#[kernel]
fn k(x: &[f32]) {
    let mut sum = 0.0;
    for i in par(0..x.len()) {
        sum += x[i];
    }
    println!("{sum}");
}

fn main() {}
