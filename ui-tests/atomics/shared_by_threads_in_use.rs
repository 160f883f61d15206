use anabranch::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

#[device]
fn floats(x: &[AtomicF32]) {
    x[0].store(1.0, Relaxed);
}

#[device]
fn plain(x: &[u32]) -> u32 {
    x[0]
}

#[kernel]
fn uses(x: &mut [u32]) {
    for block in par_blocks(0..1).threads(32) {
        let a = block.shared([const { AtomicU32::new(0) }; 4]);
        let f = block.shared([const { AtomicF32::new(0.0) }; 4]);
        for t in block.threads() {
            a[t as u32].fetch_add(1, Relaxed);
            a[t].fetch_add(1.5, Relaxed);
            f[t].fetch_and(1.5, Relaxed);
            floats(&a);
            x[t] = plain(&a);
        }
    }
}

fn main() {}
