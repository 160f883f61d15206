use anabranch::prelude::*;

#[device]
fn f(n: u32) -> u32 {
    if n == 0 { 1 } else { n * f(n - 1) }
}

/// One error, not one for each call.
#[device]
fn ackermann(m: u32, n: u32) -> u32 {
    if m == 0 {
        n + 1
    } else if n == 0 {
        ackermann(m - 1, 1)
    } else {
        ackermann(m - 1, ackermann(m, n - 1))
    }
}

fn main() {}
