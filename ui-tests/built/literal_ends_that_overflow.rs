//! The ends of a loop's range are what their digits say, or an error.
#![allow(overflowing_literals)]
use anabranch::prelude::*;

#[kernel]
fn ends(y: &mut [u32]) {
    for i in par(300u8..400u8) {
        y[i as usize] = 1;
    }
}

fn main() -> anabranch::Result<()> {
    let device = Device::cpu();
    ends(&device.default_stream(), &mut device.zeros::<u32>(1000)?)
}
