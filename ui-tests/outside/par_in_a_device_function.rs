use anabranch::prelude::*;

#[device]
fn sum(n: u32) -> u32 {
    let mut s = 0;
    for i in par(0..n) {
        s += i;
    }
    s
}

fn main() {}
