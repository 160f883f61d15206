use anabranch::prelude::*;

#[device]
fn half(x: u32) -> Option<u32> {
    if x % 2 == 0 { Some(x / 2) } else { None }
}

#[kernel]
fn in_a_loop(x: &mut [u32]) {
    for i in par(0..x.len()) {
        x[i] = half(x[i])?;
    }
}

#[device]
fn without_a_result(x: u32) {
    half(x)?;
}

#[device]
fn number(x: u32) -> u32 {
    half(x)?
}

#[device]
fn result(x: u32) -> Result<u32, u32> {
    Ok(half(x)?)
}

#[device]
fn large(x: u32) -> Result<u32, u8> {
    Err(3)
}

#[device]
fn converted(x: u32) -> Result<u32, u32> {
    Ok(large(x)?)
}

#[device]
fn of_a_number(x: u32) -> Option<u32> {
    Some(x?)
}

fn main() {}
