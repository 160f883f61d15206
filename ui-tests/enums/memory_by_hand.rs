//! Only `#[device]` knows which bytes are values of a type, so that nobody else may say so.
use anabranch::prelude::*;

#[device]
#[derive(Clone, Copy)]
#[repr(u8)]
enum Generic<const N: usize> {
    A = 1,
    B = 2,
}

impl<const N: usize> Zeroed for Generic<N> {}

#[device]
#[derive(Clone, Copy)]
enum WithFields {
    A(f32),
    B,
}

impl DeviceCopy for WithFields {
    type Same = Self;
}

fn main() -> anabranch::Result<()> {
    Device::cpu().zeros::<Generic<0>>(1)?.to_vec()?;
    Device::cpu().filled(1, WithFields::A(1.0))?.to_vec()?;
    Ok(())
}
