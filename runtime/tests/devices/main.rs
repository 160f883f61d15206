//! Several devices: copies between them, events across them, and what gets from one to the other
//! when something fails. And several threads with one device, and code of the user that the runtime
//! calls.
//!
//! `cargo test -p anabranch --test devices` tests two CPU devices, and the first GPUs where there
//! are some. On the stand-in for the driver, with and without peer access: `tests/standin/run
//! --devices 2 cargo test -p anabranch --test devices -- --test-threads
//! 1`, and the same with `--no-peers`.

mod callbacks;
mod callbacks_at_random;
mod closing;
mod contexts;
mod copies;
mod failures;
#[path = "../gpus/mod.rs"]
mod gpus;
mod kernels;
mod order;
mod random;
mod standin;
mod threads;

use std::sync::{Mutex, MutexGuard, PoisonError};

use anabranch::prelude::*;

/// The devices to test, no two of them the same, and the turn of this test: others would get its
/// panics. Two of the CPU, and the first GPUs.
fn devices() -> (MutexGuard<'static, ()>, Vec<Device>) {
    static TURN: Mutex<()> = Mutex::new(());
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let gpus = gpus::gpu_count().unwrap().min(2);
    match gpus {
        0 => println!("skipped: no GPU"),
        1 => println!("there is one GPU, so nothing is copied between two"),
        _ => {}
    }
    let mut devices = vec![Device::cpu(), Device::cpu()];
    devices.extend((0..gpus).map(|number| gpus::gpu(number).unwrap()));
    (turn, devices)
}

/// All pairs of two different devices.
fn pairs() -> (MutexGuard<'static, ()>, Vec<[Device; 2]>) {
    let (turn, devices) = devices();
    let mut pairs = Vec::new();
    for (i, a) in devices.iter().enumerate() {
        for (j, b) in devices.iter().enumerate() {
            if i != j {
                pairs.push([a.clone(), b.clone()]);
            }
        }
    }
    (turn, pairs)
}

/// Ordinary memory.
fn counted(len: usize, from: u32) -> Vec<u32> {
    (from..).take(len).collect()
}
