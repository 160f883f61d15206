//! Loops that run forever where an index is out of bounds. Nobody launches these;
//! `tests/generated_cuda` reads what a compiler makes of them.
#![allow(clippy::empty_loop, clippy::while_immutable_condition, reason = "that is what they are for")]

use anabranch::prelude::*;

/// The loop ends only where the index is in bounds, so that a compiler which thinks that it ends
/// need not check the index.
#[kernel]
pub fn empty_while(idx: &[usize], x: &[f32], y: &mut [f32]) {
    for i in par(0..y.len()) {
        let j = idx[i % 4];
        while j >= x.len() {}
        y[i] = x[j];
    }
}

/// With a condition that is statements in C++.
#[kernel]
pub fn lowered_while(idx: &[usize], x: &[f32], y: &mut [f32]) {
    for i in par(0..y.len()) {
        let j = idx[i % 4];
        let mut k = 0;
        while {
            k ^= 1;
            j >= x.len()
        } {}
        y[i] = x[j] + k as f32;
    }
}

/// With a pattern.
#[kernel]
pub fn while_let(idx: &[usize], x: &[f32], y: &mut [f32]) {
    for i in par(0..y.len()) {
        let j = idx[i % 4];
        while let (true, _) = (j >= x.len(), i) {}
        y[i] = x[j];
    }
}

/// Without a condition.
#[kernel]
pub fn empty_loop(idx: &[usize], x: &[f32], y: &mut [f32]) {
    for i in par(0..y.len()) {
        let j = idx[i % 4];
        if j >= x.len() {
            loop {}
        }
        y[i] = x[j];
    }
}

/// With a body that does nothing that anyone sees.
#[kernel]
pub fn busy_loop(idx: &[usize], x: &[f32], y: &mut [f32]) {
    for i in par(0..y.len()) {
        let j = idx[i % 4];
        let mut state = i;
        loop {
            if j < x.len() {
                break;
            }
            state = state * 5 + 1;
        }
        y[i] = x[j];
    }
}

/// In a loop that ends.
#[kernel]
pub fn in_a_for(idx: &[usize], x: &[f32], y: &mut [f32]) {
    for i in par(0..y.len()) {
        let j = idx[i % 4];
        for _ in 0..2 {
            while j >= x.len() {}
        }
        y[i] = x[j];
    }
}

/// Returns only for an index in bounds.
#[device]
fn wait_until_below(j: usize, n: usize) -> usize {
    while j >= n {}
    j
}

/// In a device function.
#[kernel]
pub fn in_a_device_function(idx: &[usize], x: &[f32], y: &mut [f32]) {
    for i in par(0..y.len()) {
        let j = wait_until_below(idx[i % 4], x.len());
        y[i] = x[j];
    }
}

/// In a device function whose value nobody uses.
#[kernel]
pub fn in_an_unused_call(idx: &[usize], x: &[f32], y: &mut [f32]) {
    for i in par(0..y.len()) {
        let j = idx[i % 4];
        wait_until_below(j, x.len());
        y[i] = x[j];
    }
}

crate::kernels::sources! {
    empty_while, lowered_while, while_let, empty_loop, busy_loop, in_a_for, in_a_device_function, in_an_unused_call,
}
