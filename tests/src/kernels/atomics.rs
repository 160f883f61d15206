//! Atomics: every operation of every type, and what one does with them.

use std::sync::atomic::{AtomicI32, AtomicI64, AtomicIsize, AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed};

use anabranch::prelude::*;

macro_rules! operations {
    ($($name:ident $atomic:ident $t:ident [$($number:literal $bits:ident),*];)*) => { $(
        /// Operation `op` on each of the cells, and what it says.
        #[kernel]
        pub fn $name(cells: &[$atomic], a: &[$t], b: &[$t], out: &mut [$t], op: u32) {
            for i in par(0..out.len()) {
                out[i] = match op {
                    0 => cells[i].load(Relaxed),
                    1 => {
                        cells[i].store(a[i], Relaxed);
                        a[i]
                    }
                    2 => cells[i].swap(a[i], Relaxed),
                    3 => cells[i].fetch_add(a[i], Relaxed),
                    4 => cells[i].fetch_sub(a[i], Relaxed),
                    5 => cells[i].fetch_max(a[i], Relaxed),
                    6 => cells[i].fetch_min(a[i], Relaxed),
                    7 => match cells[i].compare_exchange(a[i], b[i], Relaxed, Relaxed) {
                        Ok(_) => b[i],
                        Err(old) => old,
                    },
                    8 => {
                        // Weak ones may fail for no reason.
                        while cells[i].compare_exchange_weak(a[i], b[i], Relaxed, Relaxed).is_err() {
                            cells[i].store(a[i], Relaxed);
                        }
                        cells[i].load(Relaxed)
                    }
                    $($number => cells[i].$bits(a[i], Relaxed),)*
                    _ => panic!("no such operation"),
                };
            }
        }
    )* };
}
operations! {
    operations_u32 AtomicU32 u32 [9 fetch_and, 10 fetch_or, 11 fetch_xor, 12 fetch_nand];
    operations_i32 AtomicI32 i32 [9 fetch_and, 10 fetch_or, 11 fetch_xor, 12 fetch_nand];
    operations_u64 AtomicU64 u64 [9 fetch_and, 10 fetch_or, 11 fetch_xor, 12 fetch_nand];
    operations_i64 AtomicI64 i64 [9 fetch_and, 10 fetch_or, 11 fetch_xor, 12 fetch_nand];
    operations_usize AtomicUsize usize [9 fetch_and, 10 fetch_or, 11 fetch_xor, 12 fetch_nand];
    operations_isize AtomicIsize isize [9 fetch_and, 10 fetch_or, 11 fetch_xor, 12 fetch_nand];
    operations_f32 AtomicF32 f32 [];
    operations_f64 AtomicF64 f64 [];
}

/// How often each value of `keys` occurs.
#[kernel]
pub fn histogram(keys: &[u32], hist: &[AtomicU32]) {
    for i in par(0..keys.len()) {
        hist[keys[i] as usize % hist.len()].fetch_add(1, Relaxed);
    }
}

/// The sum, the least and the greatest of the values, which come in any order, and how many are
/// negative.
#[kernel]
pub fn summary(
    values: &[i32],
    sum: &[AtomicI64],
    least: &[AtomicI32],
    greatest: &[AtomicI32],
    negative: &[AtomicUsize],
) {
    for i in par(0..values.len()) {
        let value = values[i];
        sum[0].fetch_add(value as i64, Relaxed);
        least[0].fetch_min(value, Relaxed);
        greatest[0].fetch_max(value, Relaxed);
        if value < 0 {
            negative[0].fetch_add(1, Relaxed);
        }
    }
}

/// Sums of floats, of which every partial sum is exact.
#[kernel]
pub fn float_sums(values: &[f32], single: &[AtomicF32], double: &[AtomicF64]) {
    for i in par(0..values.len()) {
        single[i % single.len()].fetch_add(values[i], Relaxed);
        double[i % double.len()].fetch_sub(values[i] as f64, Relaxed);
    }
}

/// Two groups and a nested one count into the same bins, and two more have half of them each.
#[kernel]
pub fn groups_share(n: usize, hist: &[AtomicU32], halves: &[AtomicU32]) {
    let (lo, hi) = halves.split_at(halves.len() / 2);
    stream_parallel! {
        'by_one: {
            for i in par(0..n) { hist[i % hist.len()].fetch_add(1, Relaxed); }
        }
        'by_two: {
            for i in par(0..n) { hist[i % hist.len()].fetch_add(2, Relaxed); }
            stream_parallel! {
                { for i in par(0..n) { hist[(i + 1) % hist.len()].fetch_add(3, Relaxed); } }
                { for i in par(0..n) { lo[i % lo.len()].fetch_add(1, Relaxed); } }
            }
        }
        'other_half: {
            for i in par(0..n) { hi[i % hi.len()].fetch_add(1, Relaxed); lo[0].fetch_add(1, Relaxed); }
        }
    }
    // After the join everything is there.
    for b in par(0..hist.len()) {
        hist[b].fetch_add(100 * (hist.len() as u32), Relaxed);
    }
}

#[device]
fn count(hist: &[AtomicU32], bin: usize) {
    if bin < hist.len() {
        bump(&hist[bin], 1);
    }
}

#[device]
fn bump(cell: &AtomicU32, by: u32) -> u32 {
    let before = cell.fetch_add(by, Relaxed);
    before + (cell.load(Relaxed) - before) * 0
}

#[device]
fn first_half(hist: &[AtomicU32], i: usize) {
    count(&hist[..hist.len() / 2], i);
    count(hist, hist.len() - 1);
}

/// Through device functions, which are given all, a part, or one of them.
#[kernel]
pub fn through_functions(hist: &[AtomicU32], out: &mut [u32]) {
    for i in par(0..out.len()) {
        count(&hist, i % 5);
        first_half(hist, i % 7);
        count(&hist[1..3], i % 4);
        out[i] = (bump(&hist[hist.len() - 2], 2) < 2 * out.len() as u32) as u32;
    }
}

/// Each element of `claimed` goes to one of the iterations that want it; `winners` counts them.
#[kernel]
pub fn claims(wants: &[u32], claimed: &[AtomicU32], winners: &[AtomicU32]) {
    for i in par(0..wants.len()) {
        let at = wants[i] as usize;
        if claimed[at].compare_exchange(0, i as u32 + 1, Relaxed, Relaxed).is_ok() {
            winners[0].fetch_add(1, Relaxed);
        }
    }
}

/// An operation that atomics do not have, by compare-and-exchange: the product of odd numbers,
/// which wraps.
#[kernel]
pub fn product(product: &[AtomicU64], n: u64) {
    for i in par(0..n) {
        let mut old = product[0].load(Relaxed);
        while product[0].compare_exchange_weak(old, old.wrapping_mul(2 * i + 1), Relaxed, Relaxed).is_err() {
            old = product[0].load(Relaxed);
        }
    }
}

/// Values from left to right, each seeing what those before it did.
#[kernel]
pub fn from_left_to_right(cells: &[AtomicU32], out: &mut [u32]) {
    for i in par(0..out.len()) {
        out[i] = cells[i].fetch_add(
            {
                cells[i].store(5, Relaxed);
                cells[i].load(Relaxed) + 2
            },
            Relaxed,
        ) * 100
            + cells[i].swap(cells[i].fetch_add(1, Relaxed), Relaxed) * 10
            + cells[i].load(Relaxed);
    }
}

/// Indexes from atomics: what is checked is what is used, and it counts once.
#[kernel]
pub fn indexes(c: &[AtomicU32], x: &mut [u32]) {
    for i in par(0..1usize) {
        let k = c[0].fetch_add(1000, Relaxed) as usize % 3000;
        if k < c.len() {
            c[k].fetch_add(5, Relaxed);
        }
        let own = 4 * i + c[1].fetch_add(1, Relaxed) as usize % 4;
        x[own] = 7;
    }
}

#[device]
fn next(state: &mut u32) -> u32 {
    *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    *state
}

/// The same with a variable that a device function changes.
#[kernel]
pub fn drawn(x: &[u32], out: &mut [u32]) {
    for i in par(0..out.len()) {
        let mut state = i as u32;
        let k = next(&mut state) as usize % 3000;
        if k < x.len() {
            out[i] = x[k];
        }
    }
}

macro_rules! with_a_name {
    ($i:ident) => {
        /// Two variables of one spelling, of which a macro makes one: the name means the same to
        /// all who read the body.
        #[kernel]
        #[allow(unused_variables)]
        pub fn of_two_spellings(c: &[AtomicU32], x: &mut [u32], far: usize) {
            for j in par(0..c.len() / 4) {
                let $i = far;
                for i in 0..4usize {
                    c[4 * j + $i].store($i as u32, Relaxed);
                    x[4 * j + $i] = i as u32;
                }
            }
        }
    };
}
with_a_name!(i);

/// An index that only the device can check.
#[kernel]
pub fn beyond(hist: &[AtomicU32], at: &[u32]) {
    for i in par(0..at.len()) {
        hist[at[i] as usize].fetch_add(1, Relaxed);
    }
}

/// A value of a field without a size that stores.
#[device]
#[derive(Clone, Copy)]
pub struct Stored {
    /// How many.
    pub count: u32,
    /// That it has happened.
    pub done: (),
}

/// Stores in the value of a field, whose struct has no member for it.
#[kernel]
pub fn stored(cells: &[AtomicU32], y: &mut [u32]) {
    for i in par(0..y.len()) {
        let stored = Stored { count: 1, done: cells[0].store(7, Relaxed) };
        y[i] = stored.count;
    }
}

super::sources!(
    stored,
    operations_u32,
    operations_i32,
    operations_u64,
    operations_i64,
    operations_usize,
    operations_isize,
    operations_f32,
    operations_f64,
    histogram,
    summary,
    float_sums,
    groups_share,
    through_functions,
    claims,
    product,
    from_left_to_right,
    beyond,
    indexes,
    drawn,
    of_two_spellings,
);
