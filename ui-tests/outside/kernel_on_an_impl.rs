use anabranch::prelude::*;

struct S;

#[kernel]
impl S {
    fn k(x: &mut [f32]) {}
}

fn main() {}
