//! What `cfg` leaves out, rustc does not see, and it would run all the same.
use anabranch::prelude::*;

const N: usize = 1_000_000_000;

#[kernel]
fn constant(y: &mut [i32]) {
    for i in par(0..y.len()) {
        #[cfg(any())]
        const N: usize = 0;
        y[i + N] = 1;
    }
}

#[kernel]
fn blocks(y: &mut [i32]) {
    for i in par(0..y.len()) {
        #[cfg(any())]
        {
            y[i] += 1;
        }
        #[cfg(any())]
        if true {
            y[i] += 10;
        }
        #[cfg(any())]
        for _ in 0..3 {
            y[i] += 100;
        }
    }
}

#[kernel]
fn statement(y: &mut [i32]) {
    for i in par(0..y.len()) {
        #[cfg(any())]
        y[i] += 1;
    }
}

#[kernel]
fn elements(y: &mut [i32]) {
    for i in par(0..y.len()) {
        let t = [#[cfg(any())] 1, 2, 3];
        y[i] = t[0];
    }
}

#[kernel]
fn by_an_attribute_of_an_attribute(y: &mut [i32]) {
    for i in par(0..y.len()) {
        #[cfg_attr(all(), cfg(any()))]
        y[i] += 1;
    }
}

#[device]
fn f(b: i32) -> i32 {
    #[cfg(any())]
    {
        return 7;
    }
    b
}

fn main() {}
