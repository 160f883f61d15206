//! Phases in which something is not what it looks like: a number has changed since, an index is an
//! array, an inner loop has no round, a comparison wraps.
#![allow(clippy::all, reason = "the forms that are tested")]

use anabranch::prelude::*;

/// A phase far from zero, which touches no memory.
#[kernel]
pub fn far(first: u64) {
    for block in par_blocks(0..1).threads(32) {
        let mut own = block.each(0u64);
        for i in block.par(first..first + 40) {
            own += i;
        }
        let total = block.sum(own);
        println!("{total}");
    }
}

use super::sources;

/// The number of iterations was `half` before `half` changed.
#[kernel]
pub fn stale_end(y: &mut [u32]) {
    for block in par_blocks(0..1).threads(64) {
        // Behind a check, the compiler leaves it to the launch.
        assert!(y.len() > 1);
        let mut all = block.shared([0u32; 128]);
        let mut half = 32;
        let n = half;
        half /= 2;
        for t in block.par(0..n) {
            all[t] += all[t + half];
        }
        y[0] = all[0];
    }
}

/// The same in rounds, and by a pattern.
#[kernel]
pub fn stale_end_of_rounds(y: &mut [u32]) {
    for block in par_blocks(0..1).threads(64) {
        // Behind a check, the compiler leaves it to the launch.
        assert!(y.len() > 1);
        let mut all = block.shared([0u32; 128]);
        let mut half = 32;
        while half > 1 {
            let (n, _) = (half, 0);
            half /= 2;
            for t in block.par(0..n) {
                all[t] += all[t + half];
            }
        }
        y[0] = all[0];
    }
}

/// If `a` is 250, then `n` is 4, and no more the sum of which its quotient and remainder would be.
#[kernel]
pub fn stale_dividend(y: &mut [u32], z: &mut [u32], a: u8) {
    for block in par_blocks(0..1).threads(64) {
        let mut h = a;
        h += 10;
        let n = h;
        h /= 2;
        for t in block.par(0..400) {
            z[t] = h as u32;
            y[t + (n / 8 * 8 + n % 8) as usize] = y[t + 10 + a as usize] + 1;
        }
    }
}

#[device]
fn zero(b: usize) -> usize {
    b * 0
}

/// All threads write one element, whose index is a variable of the block.
#[kernel]
pub fn index_of_the_block(g: &mut Grid<u32, 2>) {
    for block in par_blocks(0..1).threads(64) {
        let b = block.index();
        let mut p = [0usize, 0];
        p[1] = 1;
        g[[zero(b), b]] = 0;
        for t in block.threads() {
            g[p] = t as u32;
        }
    }
}

/// All threads read what one of them writes.
#[kernel]
pub fn read_by_an_index_of_the_block(g: &mut Grid<u32, 2>) {
    for block in par_blocks(0..1).threads(4) {
        let b = block.index();
        let mut p = [0usize, 0];
        p[1] = 1;
        g[[zero(b), b]] = 0;
        for t in block.threads() {
            g[[0, t]] = g[p] + 1;
        }
    }
}

/// Half of the threads write nothing, so that the others read what a different row of threads has
/// written.
#[kernel]
pub fn skipped_rounds(out: &mut [u32]) {
    for block in par_blocks(0..out.len() / 128).threads((4, 32)) {
        let b = block.index();
        let mut tile = block.shared([7u32; 80]);
        for (y, x) in block.threads() {
            for _ in x..16 {
                tile[y * 16 + x] = (100 * y + x) as u32;
            }
        }
        for (y, x) in block.threads() {
            out[b * 128 + y * 32 + x] = tile[y * 16 + x];
        }
    }
}

/// The remainder of a sum that wraps, in a loop that begins at the largest numbers: both rows are
/// one.
#[kernel]
pub fn backwards(out: &mut [u32], n: usize) {
    for block in par_blocks(0..out.len() / 64).threads(64) {
        let b = block.index();
        let mut ring = block.shared([[0u32; 64]; 3]);
        for k in (0..n).rev() {
            for t in block.threads() {
                ring[(k + 4) % 3][t] = t as u32;
            }
            for t in block.threads() {
                out[b * 64 + t] = ring[k % 3][63 - t];
            }
            break;
        }
    }
}

/// In the first block a difference wraps, so that nothing is written.
#[kernel]
pub fn unwritten(out: &mut [u32], n: usize) {
    for block in par_blocks(0..out.len() / 64).threads(64) {
        let b = block.index();
        let mut tile = block.shared([9u32; 64]);
        for t in block.threads() {
            if b * 64 - 4 < n {
                tile[t + 0] = 5;
            }
        }
        for t in block.threads() {
            if b * 64 < n {
                out[b * 64 + t] = tile[63 - t];
            }
        }
    }
}

/// What the second range does changes what the first one was made of.
#[kernel]
pub fn stale_by_the_next_range(y: &mut [u32]) {
    for block in par_blocks(0..1).threads(64) {
        // Behind a check, the compiler leaves it to the launch.
        assert!(y.len() > 1);
        let mut all = block.shared([[1u32; 1]; 128]);
        let mut half = 64;
        for (t, u) in block.par((
            0..half,
            0..{
                half /= 2;
                1
            },
        )) {
            all[t][u] += all[t + half][u];
        }
        y[0] = all[0][0];
    }
}

/// What an item of a phase hides.
#[allow(dead_code, reason = "no kernel may see it")]
const LIMIT: usize = 64;

/// The threads from 8 on write nothing. In the last block, they would write past the end.
#[kernel]
pub fn hidden_limit(out: &mut [u32]) {
    for block in par_blocks(0..out.len() / 8).threads(64) {
        let b = block.index();
        for t in block.threads() {
            const LIMIT: usize = 8;
            if t < LIMIT {
                out[b * 8 + t] = t as u32 + 1;
            }
        }
    }
}

/// With 256, nothing is written, and all is read.
#[kernel]
pub fn two_types_of_one_name(out: &mut [u32], n: u32) {
    for block in par_blocks(0..out.len() / 64).threads(64) {
        let b = block.index();
        let mut tile = block.shared([9u32; 64]);
        for t in block.threads() {
            type W = u32;
            if (n as W) < 5 {
                tile[t] = 1;
            }
        }
        for t in block.threads() {
            type W = u8;
            if (n as W) < 5 {
                out[b * 64 + t] = tile[63 - t];
            }
        }
    }
}

/// `128u8 + 128` is 0: there are no rounds.
#[kernel]
pub fn no_rounds(out: &mut [u32]) {
    for block in par_blocks(0..out.len() / 64).threads(64) {
        let b = block.index();
        let mut tile = block.shared([9u32; 64]);
        for t in block.threads() {
            for _ in 0..128u8 + 128 {
                tile[t] = 5;
            }
        }
        for t in block.threads() {
            out[b * 64 + t] = tile[63 - t];
        }
    }
}

/// Two numbers that are spelled alike: one more than the first is 0, so that nothing is written,
/// and all is read.
#[kernel]
pub fn two_types_of_one_number(out: &mut [u32]) {
    for block in par_blocks(0..out.len() / 64).threads(64) {
        let b = block.index();
        let mut tile = block.shared([9u32; 64]);
        let p = 255;
        let _narrow: u8 = p;
        let q = 255;
        let _wide: u16 = q;
        for t in block.threads() {
            if p + 1 > 5 {
                tile[t] = 1;
            }
        }
        for t in block.threads() {
            if q + 1 > 5 {
                out[b * 64 + t] = tile[63 - t];
            }
        }
    }
}

/// The start of a range is read before the barrier that its end needs, and changes after it.
#[kernel]
pub fn start_before_a_barrier(out: &mut [usize]) {
    for block in par_blocks(0..out.len() / 64).threads(64) {
        let b = block.index();
        let mut first = block.shared([0usize; 64]);
        let mut past = block.shared([0usize; 64]);
        let mut sum = 0;
        for t in block.threads() {
            first[t] = 1;
        }
        let start = &first[0];
        for t in block.threads() {
            past[t] = 32;
        }
        for k in *start..past[0] {
            sum += k;
        }
        for t in block.threads() {
            first[t] = 64;
        }
        for t in block.threads() {
            out[b * 64 + t] = sum + first[0];
        }
    }
}

sources! {
no_rounds, two_types_of_one_number, start_before_a_barrier, stale_by_the_next_range, hidden_limit, two_types_of_one_name,
stale_end, stale_end_of_rounds, stale_dividend, index_of_the_block, read_by_an_index_of_the_block, skipped_rounds, backwards, unwritten, far }
