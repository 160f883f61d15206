use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], y: &[f32], n: usize) {
    let v: u32 = "3".parse()?;
    let _ = v;
    for i in par(0..n) {
        x[i] = 1.0;
    }
}

fn main() {}
