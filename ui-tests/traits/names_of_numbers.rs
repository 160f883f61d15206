use anabranch::prelude::*;

#[device]
trait Ordered {
    fn min(self, other: Self) -> Self;
}

/// `x.min(y)` is the method of the number in Rust.
#[device]
impl Ordered for f32 {
    fn min(self, _: Self) -> Self {
        self
    }
}

fn main() {}
