//! Random numbers. What they must be, plain Rust says: the functions are the same on the host.

use anabranch::prelude::*;
use anabranch::random::{Rng, philox4x32, rng};

/// A block for each counter and key.
#[kernel]
pub fn blocks(counters: &[[u32; 4]], keys: &[[u32; 2]], out: &mut [[u32; 4]]) {
    for i in par(0..out.len()) {
        out[i] = philox4x32(counters[i], keys[i]);
    }
}

/// The first block of each stream, without `rng`.
#[kernel]
pub fn blocks_of_seed(out: &mut [[u32; 4]], seed: u64) {
    for i in par(0..out.len()) {
        out[i] = philox4x32([0, 0, i as u32, 0], [seed as u32, (seed >> 32) as u32]);
    }
}

/// The first words of each stream, one stream in each row.
#[kernel]
pub fn words(out: &mut Grid<u32, 2>, seed: u64, first: usize) {
    let [h, w] = out.shape();
    for y in par(0..h) {
        let mut rng = rng(seed, first + y);
        for x in 0..w {
            out[[y, x]] = rng.next_u32();
        }
    }
}

/// What a stream gives, in every way to take it.
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Numbers {
    /// A word.
    pub word: u32,
    /// Numbers below one.
    pub single: f32,
    /// The same.
    pub double: f64,
    /// All 64 bits.
    pub long: u64,
    /// Below a number that divides 2^32, and below others, for which words are left out.
    pub below: [u32; 3],
    /// Normally distributed.
    pub normal: f32,
}

/// The same for the host, which calls it without a kernel.
#[device]
pub fn take(rng: &mut Rng) -> Numbers {
    // In an order that moves each kind through all places of a block.
    let word = rng.next_u32();
    let single = rng.next_f32();
    let double = rng.next_f64();
    let below = [rng.below(64), rng.below(1000), rng.below(3 << 30)];
    let long = rng.next_u64();
    Numbers { word, single, double, long, below, normal: rng.normal_f32() }
}

/// Takes the numbers after some that it skips.
#[kernel]
pub fn numbers(out: &mut [Numbers], seed: u64, skipped: u64) {
    for i in par(0..out.len()) {
        let mut rng = rng(seed, i);
        rng.skip(skipped);
        take(&mut rng);
        out[i] = take(&mut rng);
    }
}

/// Streams that live in a buffer go on.
#[kernel]
pub fn go_on(streams: &mut [Rng], out: &mut [Numbers]) {
    for i in par(0..out.len()) {
        out[i] = take(&mut streams[i]);
    }
}

/// One number of each stream.
#[kernel]
pub fn one_each(out: &mut [f32], seed: u64) {
    for i in par(0..out.len()) {
        out[i] = rng(seed, i).next_f32();
    }
}

/// How many points of the unit square lie in the circle.
#[kernel]
pub fn points_in_circle(out: &mut [u32], seed: u64, points: u32) {
    for i in par(0..out.len()) {
        let mut rng = rng(seed, i);
        let mut hits = 0;
        for _ in 0..points {
            let (x, y) = (rng.next_f32(), rng.next_f32());
            hits += (x * x + y * y < 1.0) as u32;
        }
        out[i] = hits;
    }
}

/// All words, at an unknown place of their block.
#[kernel]
pub fn xor_of_words(out: &mut [u32], seed: u64, words: u32) {
    for i in par(0..out.len()) {
        let mut rng = rng(seed, i);
        let mut all = 0;
        for _ in 0..words {
            all ^= rng.next_u32();
        }
        out[i] = all;
    }
}

/// One normally distributed number of each stream.
#[kernel]
pub fn normals(out: &mut [f32], seed: u64) {
    for i in par(0..out.len()) {
        out[i] = rng(seed, i).normal_f32();
    }
}

/// A number below a limit; none if the limit is 0.
#[kernel]
pub fn below(out: &mut [u32], limits: &[u32], seed: u64) {
    for i in par(0..out.len()) {
        out[i] = rng(seed, i).below(limits[i]);
    }
}

super::sources! {
    blocks, blocks_of_seed, words, numbers, go_on, one_each, points_in_circle, xor_of_words, normals, below,
}
