//! How long the numbers take to come down to 1 when odd ones become `3 n + 1` and even ones are
//! halved.

use anabranch::prelude::*;

/// The steps from `n` to 1, and the greatest number on the way.
#[device]
fn orbit(start: u64) -> (u32, u64) {
    assert!(start > 0, "0 never comes to 1");
    let (mut n, mut steps, mut greatest) = (start, 0, start);
    while n != 1 {
        n = match n % 2 {
            0 => n / 2,
            _ => n.strict_mul(3).strict_add(1),
        };
        steps += 1;
        greatest = greatest.max(n);
    }
    (steps, greatest)
}

/// The orbits of `first`, `first + 1`, ….
#[kernel]
pub fn collatz(first: u64, steps: &mut [u32], greatest: &mut [u64]) {
    for i in par(0..steps.len()) {
        let result = orbit(first + i as u64);
        steps[i] = result.0;
        greatest[i] = result.1;
    }
}
