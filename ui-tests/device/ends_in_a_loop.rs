use anabranch::prelude::*;

#[device]
fn root(x: u32) -> u32 {
    for i in 0..x {
        if i * i > x {
            return i;
        }
    }
}

fn main() {}
