use anabranch::prelude::*;

struct S;

impl S {
    #[device]
    fn f(&self, x: f32) -> f32 {
        x
    }
}

fn main() {}
