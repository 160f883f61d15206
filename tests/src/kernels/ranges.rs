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

/// Inner loops that visit fewer elements than lie between their ends, and a shift by more bits than
/// there are.
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

/// A range of any length, of which the last elements are kept: the first whose `i` is kept is 0 in
/// `out`.
#[kernel]
pub fn tail(out: &mut [u32], n: u64) {
    let kept = out.len() as u64;
    for i in par(0..n) {
        if i + kept >= n {
            out[(i + kept - n) as usize] += i as u32;
        }
    }
}

/// The same with indexes that fit 32 bits, and a begin that is a literal: the last 512 of the
/// range, each at its last digits.
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

/// Loops over a range without its last index, which wraps if there is no first one.
#[kernel]
pub fn but_the_last(x: &[f32], y: &mut [f32], way: u32, n: usize) {
    if way == 0 {
        for i in par(0..x.len().wrapping_sub(1)) {
            if i + 1 < x.len() {
                y[i] = x[i + 1] - x[i];
            }
        }
    } else if way == 1 {
        for (i, j) in par((0..n, (1..=x.len().wrapping_sub(2)).step_by(2))) {
            if j < x.len() && i == 0 {
                y[j] = x[j];
            }
        }
    } else if way == 2 {
        for block in par_blocks(0..x.len().wrapping_sub(1)).threads(64) {
            let b = block.index();
            for t in block.par(0..64) {
                if b == 0 && t < y.len() {
                    y[t] = 1.0;
                }
            }
        }
    } else if way == 3 {
        y[0] = par((0..n, 0..x.len().wrapping_sub(1))).map(|(_, i)| x[i]).sum();
    } else if way == 4 {
        for (i, sum) in par(0..x.len().wrapping_sub(1)).inclusive_sum(|i| x[i]) {
            y[i] = sum;
        }
    } else if way == 5 {
        stream_parallel! {
            'first: {
                for i in par(0..x.len().wrapping_sub(1)) {
                    y[i] = x[i];
                }
            }
        }
    } else {
        but_the_last(&x, &mut y, way - 6, n);
    }
}

/// Numbers from `from` on, whatever their type is.
#[kernel]
pub fn windows(a: &mut [u64], b: &mut [u64], c: &mut [u64], from: u64, signed: i64, wide: u128) {
    for i in par(from..from + a.len() as u64) {
        a[(i - from) as usize] = i;
    }
    for i in par(signed..signed + b.len() as i64) {
        b[(i - signed) as usize] = i as u64;
    }
    for i in par(wide..wide + c.len() as u128) {
        c[(i - wide) as usize] = i as u64;
    }
}

/// Rows in a type that may be too narrow for the number of elements.
#[kernel]
pub fn narrow_rows(y: &mut [u8], w: u16, h: u16, apart: bool) {
    if apart {
        for (r, c) in par((0..h, 0..w)) {
            y[(r * w) as usize + c as usize] = 1;
        }
    } else {
        for (r, c) in par((0..h, 0..w)) {
            y[(r * w + c) as usize] = 1;
        }
    }
}

crate::kernels::sources! { but_the_last, windows, narrow_rows, tail, short_tail, stepped, inclusive, bytes, signed, plane, volume, inset, nothing, out_of_bounds, shifted_copy, wrapped, visited, saturated, pitched }
