//! A literal that overflows is one number to rustc and another one to whoever reads its digits.
#![allow(overflowing_literals)]
use anabranch::prelude::*;

#[kernel]
fn index(y: &mut [f32]) {
    for i in par(0..100) {
        y[i + (200i8 as usize)] = 1.0;
    }
}

#[kernel]
fn stride(y: &mut [u32]) {
    for i in par(0..y.len() / 256) {
        y[i * (256u8 as usize)] += 1;
    }
}

#[kernel]
fn without_a_suffix(y: &mut [u32]) {
    for i in par(0..y.len()) {
        let k: u8 = 300;
        y[i] = k as u32;
    }
}

#[kernel]
fn negative(y: &mut [u32]) {
    for i in par(0..y.len()) {
        y[i] = -129i8 as u32;
    }
}

fn main() -> anabranch::Result<()> {
    let device = Device::cpu();
    let stream = device.default_stream();
    let (mut x, mut y) = (device.zeros::<f32>(1000)?, device.zeros::<u32>(1000)?);
    index(&stream, &mut x)?;
    stride(&stream, &mut y)?;
    without_a_suffix(&stream, &mut y)?;
    negative(&stream, &mut y)
}
