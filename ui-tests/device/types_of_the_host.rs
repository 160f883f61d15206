use anabranch::prelude::*;

#[device]
fn f(text: &str, list: &Vec<f32>, maybe: Option<u32>, letters: &[char]) -> f32 {
    1.0
}

fn main() {}
