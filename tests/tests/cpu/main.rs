//! The CPU device against plain Rust.

mod arithmetic;
mod control;
mod failures;
mod groups;
mod numeric;
mod ranges;
mod sources;

use anabranch::prelude::*;

/// The CPU device and its default stream.
fn cpu() -> (Device, Stream) {
    let device = Device::cpu();
    let stream = device.default_stream();
    (device, stream)
}

/// Numbers that look random and are the same in every run.
fn noise(n: usize) -> impl Iterator<Item = u64> {
    (0..n).scan(0x2545_F491_4F6C_DD1D_u64, |state, _| {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        Some(*state)
    })
}
