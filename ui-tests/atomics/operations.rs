use anabranch::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

type Count = AtomicU32;

#[kernel]
fn operations(cells: &[AtomicU32], x: &mut [u32], y: &[u32]) {
    for i in par(0..x.len()) {
        cells[0].fetch_update(Relaxed, Relaxed, |old| Some(old + 1));
        cells[1].compare_exchange(0, 1, Relaxed, Relaxed);
        x[i].fetch_add(1, Relaxed);
        x[i] = y[i].load(Relaxed);
        cells[2].min(3);
        cells[3].get_mut();
        cells.load(Relaxed);
        cells[1..3].store(1, Relaxed);
        cells[4].load::<u32>(Relaxed);
        AtomicU32::fetch_add(&cells[0], 1, Relaxed);
        let mut pair = [1, 2];
        pair.swap(0, 1);
    }
}

#[kernel]
fn by_an_alias(cells: &[Count], n: usize) {
    for _ in par(0..n) {
        cells[0].fetch_add(1, Relaxed);
    }
}

fn main() {}
