use anabranch::prelude::*;

#[kernel]
fn k(x: &mut [f32], y: &[f32], n: usize) {
    for i in par(0..n) {
        let c = x[i] as u8 as char;
        x[i] = c as u8 as f32;
    }
}

fn main() {}
