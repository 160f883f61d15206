use anabranch::prelude::*;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

#[device]
fn bump(cell: &AtomicU32) {
    cell.fetch_add(1, Relaxed);
}

#[device]
fn sum(x: &[u32]) -> u32 {
    x[0] + x[1]
}

#[kernel]
fn number_for_an_atomic(x: &mut [u32]) {
    for i in par(0..x.len()) {
        bump(&x[i]);
    }
}

#[kernel]
fn atomics_for_numbers(cells: &[AtomicU32], x: &mut [u32]) {
    for i in par(0..x.len()) {
        x[i] = sum(&cells);
    }
}

#[kernel]
fn of_another_type(cells: &[AtomicU64], n: usize) {
    for _ in par(0..n) {
        bump(&cells[0]);
    }
}

fn main() {}
