use anabranch::prelude::*;

#[device]
#[derive(Clone, Copy)]
enum WithoutRepr {
    A,
    B,
}

#[device]
#[derive(Clone, Copy)]
#[repr(u8)]
enum WithFields {
    A(u8),
    B,
}

#[kernel]
fn without_repr(x: &mut [WithoutRepr]) {
    for i in par(0..x.len()) {
        x[i] = x[i];
    }
}

#[kernel]
fn with_fields(x: &mut [WithFields]) {
    for i in par(0..x.len()) {
        x[i] = x[i];
    }
}

#[kernel]
fn option(x: &mut [Option<u32>]) {
    for i in par(0..x.len()) {
        x[i] = x[i];
    }
}

fn main() {}
