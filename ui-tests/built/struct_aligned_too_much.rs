//! Memory of a device is aligned to 64 bytes.
use anabranch::prelude::*;

#[device]
#[derive(Clone, Copy)]
#[repr(align(128))]
struct Wide(f32);

fn main() -> anabranch::Result<()> {
    Device::cpu().filled(4, Wide(1.0))?;
    Ok(())
}
