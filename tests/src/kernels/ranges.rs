//! Every form of range.

use anabranch::prelude::*;

/// Counts how often each element is visited; a step above 1 leaves gaps.
#[kernel]
pub fn stepped(hits: &mut [u32], from: usize, to: usize, step: usize) {
    for i in par(from..to).step_by(step) {
        hits[i] += 1;
    }
}

/// Inclusive, with a block size that divides nothing.
#[kernel]
pub fn inclusive(hits: &mut [u32], from: usize, last: usize) {
    for i in par(from..=last).block(96) {
        hits[i] += 1;
    }
}

/// The full range of a small type.
#[kernel]
pub fn bytes(hits: &mut [u32]) {
    let last: u8 = 255;
    for b in par(0..=last) {
        hits[b as usize] += b as u32;
    }
}

/// Negative indexes.
#[kernel]
pub fn signed(hits: &mut [i32], from: i32, to: i32) {
    for i in par(from..to) {
        hits[(i - from) as usize] = i;
    }
}

/// Two ranges, the second stepped; rows and columns land where they belong.
#[kernel]
pub fn plane(out: &mut [u32], h: usize, w: usize) {
    for (y, x) in par((0..h, (0..w).step_by(2))).block(64) {
        out[y * w + x] = (y * 1000 + x) as u32;
    }
}

/// Three ranges of different types.
#[kernel]
pub fn volume(out: &mut [u32], d: u32, h: u16, w: usize) {
    for (z, y, x) in par((0..d, 1..=h, 0..w)) {
        let row = z as usize * h as usize + y as usize - 1;
        out[row * w + x] += z * 10_000 + y as u32 * 100 + x as u32;
    }
}

/// Three ranges that begin at literals, two of them with steps, in blocks of one row.
#[kernel]
pub fn inset(out: &mut [u32], d: usize, h: usize, w: usize) {
    for (z, y, x) in par(((3..d).step_by(2), (1_0..h).step_by(3), 1usize..w)).block(32) {
        out[(z * h + y) * w + x] += (z * 10_000 + y * 100 + x) as u32;
    }
}

/// A range that is empty on purpose, next to one that is not.
#[kernel]
pub fn nothing(x: &mut [u32], n: usize) {
    for i in par(n..n) {
        x[i] = 7;
    }
    for i in par(5..3usize) {
        x[i] = 7;
    }
    for (y, i) in par((0..n, 0..0usize)) {
        x[y + i] = 7;
    }
}

/// Reads one element too far when `shift` says so, and nobody knows before that it will.
#[kernel]
pub fn out_of_bounds(x: &mut [u32], y: &[u32], shift: usize) {
    for i in par(0..x.len()) {
        if x[i] != u32::MAX {
            x[i] = y[i + shift];
        }
    }
}

/// The same in every iteration: refused before the loop runs.
#[kernel]
pub fn shifted_copy(x: &mut [u32], y: &[u32], shift: usize) {
    for i in par(0..x.len()) {
        x[i] += 1;
    }
    for i in par(0..x.len()) {
        x[i] = y[i + shift];
    }
}

/// Variables that stand for what wrapped, or was rounded: none of these is what it looks like.
#[kernel]
pub fn wrapped(x: &mut [u32], n: u32, way: u32) {
    if way == 0 {
        for i in par(0..n) {
            let byte = i as u8;
            x[byte as usize] += 1;
        }
    } else if way == 1 {
        for i in par(0..n) {
            let before = i - 1;
            if i != 1 {
                x[before as usize + 1] += 1;
            }
        }
    } else {
        for i in par(0..n) {
            let float = i as f32;
            x[float as usize] += 1;
        }
    }
}

/// Inner loops that visit fewer elements than lie between their ends, and a shift by more bits than there are.
#[kernel]
pub fn visited(x: &[u32], out: &mut [u32], by: u32) {
    for i in par(0..out.len()) {
        for j in (0..10usize).step_by(4).rev() {
            out[i] += x[j];
        }
        if (i as u32) >> by >= 1 {
            out[i] += x[i.saturating_sub(1)];
        }
    }
}

/// Rows of a picture whose rows lie `pitch` elements apart.
#[kernel]
pub fn pitched(x: &mut [u32], height: usize, width: usize, pitch: usize) {
    for (row, column) in par((0..height, 0..width)) {
        x[row * pitch + column] += 1;
    }
}

/// A range of any length, of which the last elements are kept: the first whose `i` is kept is 0 in `out`.
#[kernel]
pub fn tail(out: &mut [u32], n: u64) {
    let kept = out.len() as u64;
    for i in par(0..n) {
        if i + kept >= n {
            out[(i + kept - n) as usize] += i as u32;
        }
    }
}

/// The same with indexes that fit 32 bits, and a begin that is a literal: the last 512 of the range, each at its last digits.
#[kernel]
pub fn short_tail(out: &mut [u32], n: usize) {
    for i in par(1..n) {
        if i + 512 >= n {
            // SAFETY: no two of 512 numbers in a row have the same last nine bits.
            unsafe { out[i % 512] += i as u32 };
        }
    }
}

/// A signed difference goes below 0, an unsigned one stops there.
#[kernel]
pub fn saturated(x: &[u32], signed: &mut [u32], unsigned: &mut [u32], n: i32) {
    for i in par(0..n) {
        signed[i as usize] = x[(i.saturating_sub(5) + 5) as usize];
    }
    for i in par(0..n as usize) {
        unsigned[i] = x[i.saturating_sub(5)];
    }
}

crate::kernels::sources! { tail, short_tail, stepped, inclusive, bytes, signed, plane, volume, inset, nothing, out_of_bounds, shifted_copy, wrapped, visited, saturated, pitched }
