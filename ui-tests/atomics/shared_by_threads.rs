use anabranch::prelude::*;
use std::sync::atomic::{AtomicU8, AtomicU32};

pub struct AtomicFoo(u32);

pub struct Pair {
    pub a: AtomicU32,
    pub b: u32,
}

const ZERO: AtomicU32 = AtomicU32::new(0);

#[kernel]
fn no_atomics() {
    for block in par_blocks(0..1).threads(32) {
        let users = block.shared([const { AtomicFoo(0) }; 4]);
        let bytes = block.shared([[const { AtomicU8::new(0) }; 4]; 4]);
        let numbers = block.shared([const { 0.0f32 }; 4]);
        let pairs = block.shared([const { Pair { a: AtomicU32::new(0), b: 1 } }; 4]);
    }
}

#[kernel]
fn constants() {
    for block in par_blocks(0..1).threads(32) {
        let named = block.shared([ZERO; 4]);
    }
}

#[kernel]
fn without_const() {
    for block in par_blocks(0..1).threads(32) {
        let copied = block.shared([AtomicU32::new(0); 4]);
        let own = block.each(AtomicU32::new(0));
    }
}

#[kernel]
fn at_run_time(n: u32) {
    for block in par_blocks(0..1).threads(32) {
        let b = block.index();
        let of_the_host = block.shared([const { AtomicU32::new(n) }; 4]);
        let of_the_block = block.shared([const { AtomicU32::new(b as u32) }; 4]);
    }
}

fn main() {}
