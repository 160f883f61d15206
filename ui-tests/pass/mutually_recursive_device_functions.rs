//! Accepted, and like any recursion up to the caller to end.
use anabranch::prelude::*;

#[device]
fn even(n: u32) -> u32 {
    if n == 0 { 1 } else { odd(n - 1) }
}

#[device]
fn odd(n: u32) -> u32 {
    if n == 0 { 0 } else { even(n - 1) }
}

#[kernel]
fn parity(x: &mut [u32]) {
    for i in par(0..x.len()) {
        x[i] = even(i as u32);
    }
}

fn main() -> anabranch::Result<()> {
    let device = Device::cpu();
    let mut x = device.zeros::<u32>(5)?;
    parity(&device.default_stream(), &mut x)?;
    assert_eq!(x.to_vec()?, [1, 0, 1, 0, 1]);
    assert!(parity::cuda_source().contains("odd"));
    Ok(())
}
