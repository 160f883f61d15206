//! A glob hides loop variables, host values and variables of device code.
#![allow(non_upper_case_globals)]
use anabranch::prelude::*;

mod m {
    pub const i: usize = 0;
    pub const n: usize = 1_000_000_000;
    pub const k: usize = 1_000_000_000;
}

#[kernel]
fn a_loop_variable(y: &mut [u32]) {
    for i in par(0..y.len()) {
        if i > 0 {
            use m::*;
            y[i] += 1;
        }
    }
}

#[kernel]
fn a_host_value(y: &mut [f32], n: usize) {
    for i in par(0..y.len()) {
        if i < 100 {
            use m::{i as _, *};
            y[i + n] = 1.0;
        }
    }
}

#[kernel]
fn a_variable(y: &mut [f32]) {
    for i in par(0..y.len()) {
        let k = i;
        if i < 100 {
            use self::m::{*};
            y[k] = 1.0;
        }
    }
}

#[device]
fn of_a_device_function(i: usize) -> usize {
    use m::*;
    i
}

fn main() {}
