//! Lints and documentation change no meaning.
#![deny(warnings)]
use anabranch::prelude::*;

#[kernel]
fn k(y: &mut [u32]) {
    for i in par(0..y.len()) {
        #[allow(unused_variables)]
        let unused = 1;
        #[allow(dead_code)]
        const TWO: u32 = 2;
        /// What is added.
        const ONE: u32 = 1;
        #[allow(clippy::assign_op_pattern)]
        {
            y[i] = y[i] + ONE;
        }
    }
}

fn main() -> anabranch::Result<()> {
    let device = Device::cpu();
    let mut y = device.zeros::<u32>(4)?;
    k(&device.default_stream(), &mut y)?;
    assert_eq!(y.to_vec()?, [1; 4]);
    Ok(())
}
