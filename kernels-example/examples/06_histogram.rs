//! Counts how often each byte occurs in a file. Two groups count both halves at the same time, with
//! the same counters. The section "Atomics" of the reference (`reference::races`) shows a faster
//! way, with separate counters for each block of the text.
//!
//! `cargo run --release -p kernels-example --example 06_histogram -- FILE`; without a file, it
//! reads its own source.

use std::process::ExitCode;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use anabranch::prelude::*;

/// Adds the number of times that each byte occurs in `text` to the 256 `counts`.
#[kernel]
fn count_bytes(text: &[u8], counts: &[AtomicU32]) {
    let (first, second) = text.split_at(text.len() / 2);
    stream_parallel! {
        'first: {
            for i in par(0..first.len()) { counts[first[i] as usize].fetch_add(1, Relaxed); }
        }
        'second: {
            for i in par(0..second.len()) { counts[second[i] as usize].fetch_add(1, Relaxed); }
        }
    }
}

fn main() -> ExitCode {
    let path = std::env::args_os()
        .nth(1)
        .unwrap_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/examples/06_histogram.rs").into());
    let text = match std::fs::read(&path) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("error: cannot read {}: {error}", path.display());
            return ExitCode::FAILURE;
        }
    };
    match run(&text) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(text: &[u8]) -> anabranch::Result<bool> {
    let device = Device::auto()?;
    let there = device.buffer_from(text)?;
    let mut counts = device.zeros::<u32>(256)?;
    count_bytes(&device.default_stream(), &there, &mut counts)?;
    let counts = counts.to_vec()?;

    let mut common: Vec<(u8, u32)> = (0..=255).zip(counts.iter().copied()).filter(|(_, count)| *count > 0).collect();
    common.sort_by_key(|&(byte, count)| (std::cmp::Reverse(count), byte));
    println!("{} bytes on {device}, {} of them different; the most common:", text.len(), common.len());
    for (byte, count) in common.iter().take(5) {
        println!("{:>10} {}", count, std::ascii::escape_default(*byte));
    }

    let mut plain = [0; 256];
    text.iter().for_each(|byte| plain[usize::from(*byte)] += 1);
    let right = counts == plain;
    if !right {
        eprintln!("error: the counts differ from those of plain Rust");
    }
    Ok(right)
}
