use anabranch::prelude::*;
use std::sync::atomic::AtomicU32;

#[kernel]
fn values(cells: &[AtomicU32], x: &mut [u32]) {
    for i in par(0..x.len()) {
        x[i] = cells[i];
        cells[i] = 1;
        cells[i] += x[i];
    }
}

#[device]
fn through(cell: &AtomicU32, cells: &[AtomicU32]) -> u32 {
    *cell = 1;
    cells[0] = 2;
    *cell + cell + cells[1]
}

fn main() {}
