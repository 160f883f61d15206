use anabranch::prelude::*;

trait T {
    #[kernel]
    fn k(x: &mut [f32]);
}

fn main() {}
