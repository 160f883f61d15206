//! The crate calls itself `core`, and has no prelude: what generated code takes from there would be
//! the crate's own, whose `drop` drops nothing, so that groups would not be joined.
#![deny(warnings)]
#![no_implicit_prelude]
extern crate self as core;
extern crate std;
pub use std::{
    any, clone, cmp, column, concat, default, file, fmt, line, marker, module_path, ops, option, panic, result,
    stringify,
};

pub mod mem {
    pub fn drop<T>(value: T) {
        ::std::mem::forget(value)
    }
}

use ::anabranch::prelude::*;
use ::std::{assert, prelude::rust_2021::*, vec};

#[kernel]
fn step(x: &mut [u32], y: &mut [u32]) {
    stream_parallel! {
        { for i in par(0..x.len()) { x[i] += 1; } }
        { for i in par(0..y.len()) { y[i] += 2; } }
    }
    for i in par(0..x.len()) { x[i] += y[i]; }
}

fn main() -> ::anabranch::Result<()> {
    let device = Device::cpu();
    let stream = device.default_stream();
    let mut x = device.zeros::<u32>(100_000)?;
    let mut y = device.zeros::<u32>(100_000)?;
    step(&stream, &mut x, &mut y)?;
    assert!(x.to_vec()? == vec![3; 100_000] && y.to_vec()? == vec![2; 100_000]);
    mem::drop(0);
    Ok(())
}
