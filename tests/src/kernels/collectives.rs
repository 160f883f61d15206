//! Collectives: what all threads of a block compute together.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use anabranch::prelude::*;

macro_rules! folds {
    ($($name:ident $threads:tt;)*) => { $(
        /// All collectives of numbers, behind one another with no phase between.
        #[kernel]
        pub fn $name<T: Num>(x: &[T], folds: &mut [T], scans: &mut [T], n: usize) {
            for block in par_blocks(0..n).threads($threads) {
                let b = block.index();
                let mut own = block.each(T::ZERO);
                for t in block.threads() {
                    own = x[b * $threads + t];
                }
                folds[b * 5] = block.sum(own);
                folds[b * 5 + 1] = block.product(own);
                folds[b * 5 + 2] = block.min(own);
                folds[b * 5 + 3] = block.max(own);
                folds[b * 5 + 4] = block.broadcast(own, (b * 5 + 3) % $threads);
                let before = block.exclusive_sum(own);
                let up_to = block.inclusive_sum(own);
                for t in block.threads() {
                    scans[(b * $threads + t) * 2] = before;
                    scans[(b * $threads + t) * 2 + 1] = up_to;
                }
            }
        }
    )* };
}
folds! {
    folds_1 1;
    folds_7 7;
    folds_31 31;
    folds_32 32;
    folds_33 33;
    folds_100 100;
    folds_256 256;
    folds_1000 1000;
    folds_1024 1024;
}

/// A dot product: each thread adds up every 256th product, and the block those of its threads.
#[kernel]
pub fn dot(x: &[f32], y: &[f32], parts: &mut [f32], chunk: usize) {
    for block in par_blocks(0..parts.len()).threads(256) {
        let b = block.index();
        let mut sum = block.each(0.0);
        for i in block.par(b * chunk..(b * chunk + chunk).min(x.len())) {
            sum += x[i] * y[i];
        }
        parts[b] = block.sum(sum);
    }
}

/// Conditions of all threads: in `while`, `if`, `&&`, `assert!`, in the arguments of an atomic
/// operation, in the end of a phase.
#[kernel]
pub fn decisions(x: &[u32], marks: &mut [u32], total: &[AtomicU32], limit: u32) {
    for block in par_blocks(0..x.len() / 40).threads(40) {
        let b = block.index();
        let mut own = block.each(0);
        for t in block.threads() {
            own = x[b * 40 + t];
        }
        let mut rounds = 0;
        while block.any(own > limit) {
            for _t in block.threads() {
                if own > limit {
                    own /= 2;
                }
            }
            rounds += 1;
        }
        assert!(block.all(own <= limit), "all are below");
        if b % 2 == 0 && block.any(own % 2 == 1) {
            rounds += 1000;
        }
        if b % 3 == 0
            || block.all({
                let twice = own * 2;
                twice > 0
            })
        {
            rounds += 2000;
        }
        marks[b * 3] = rounds;
        marks[b * 3 + 1] = 1 + if b % 2 == 0 { block.max(own) } else { 7 };
        total[0].fetch_add(block.count(own == limit) as u32, Relaxed);
        let mut seen = block.each(0);
        for _i in block.par(0..block.count(own > 3)) {
            seen += 1;
        }
        marks[b * 3 + 2] += block.sum(seen);
    }
}

/// What one collective returns goes into the next, round by round.
#[kernel]
pub fn rounds(x: &mut [u32], n: usize) {
    for block in par_blocks(0..x.len() / 96).threads((2, 48)) {
        let b = block.index();
        let mut own = block.each(0u32);
        for (j, i) in block.threads() {
            own = x[b * 96 + j * 48 + i];
        }
        for round in 0..n {
            let sum = block.sum(own ^ round as u32);
            let least = block.min(own / (sum % 8 + 1));
            let of_one = block.broadcast(own + sum, (sum % 96) as usize) * block.sum(own % 2);
            for (_j, _i) in block.threads() {
                own = own * 3 + (sum ^ least ^ of_one);
            }
        }
        for (j, i) in block.threads() {
            x[b * 96 + j * 48 + i] = own;
        }
    }
}

/// Scans of what the phase before them sets: in rounds of which the last has fewer iterations or
/// all, with values of earlier phases left in the other threads, and with a name that the scan
/// hides.
#[kernel]
pub fn phases_and_scans(x: &[u32], to: &mut [u32]) {
    for block in par_blocks(0..to.len() / 64).threads(64) {
        let b = block.index();
        let mut own = block.each(1);
        for end in [64, 150, 0, 128, 17] {
            let before = block.exclusive_sum(own);
            for i in block.par(0..end) {
                own = own * 3 + before + x[b * 150 + i];
            }
            let before = block.inclusive_sum(own);
            for i in block.par(3..end / 2) {
                own += before ^ x[b * 150 + i];
            }
            let up_to = block.exclusive_sum(own);
            for _t in block.threads() {
                own ^= up_to;
            }
        }
        for t in block.threads() {
            to[b * 64 + t] = own;
        }
    }
}

/// The elements that are kept, next to each other in the part of each block.
#[kernel]
pub fn compacted(x: &[i32], to: &mut [i32], counts: &mut [usize]) {
    for block in par_blocks(0..counts.len()).threads(200) {
        let b = block.index();
        let mut own = block.each(0);
        for t in block.threads() {
            own = x[b * 200 + t];
        }
        let at = block.exclusive_sum(if own % 3 == 0 { 1 } else { 0usize });
        for _t in block.threads() {
            if own % 3 == 0 {
                // SAFETY: no two threads have kept the same number of elements before them and keep
                // theirs.
                unsafe { to[b * 200 + at] = own };
            }
        }
        counts[b] = block.count(own % 3 == 0);
    }
}

/// Numbers without a written type, constants, and values that no thread's number is asked for.
#[kernel]
pub fn inferred(to: &mut [f64], y: &[f32]) {
    for block in par_blocks(0..to.len() / 4).threads(48) {
        let b = block.index();
        let threads = block.sum(1.0);
        let bytes = block.sum(200u8);
        let mean = block.sum(y[b]) / 48.0;
        to[b * 4] = threads;
        to[b * 4 + 1] = 1.0 / block.sum(0.5);
        to[b * 4 + 2] = bytes as f64;
        to[b * 4 + 3] = mean as f64;
    }
}

/// A value of a thread is beyond the table, or the thread of a broadcast beyond the block.
#[kernel]
pub fn beyond(sums: &mut [u32], table: &[u32], at: &[u32], thread: usize) {
    for block in par_blocks(0..sums.len()).threads(64) {
        let b = block.index();
        let mut own = block.each(0u32);
        for t in block.threads() {
            own = at[b * 64 + t];
        }
        let mut left = block.sum(table[own as usize]);
        while left > 0 {
            left = block.max(left) / 2;
        }
        sums[b] = block.broadcast(own, thread) + left;
    }
}

/// Values of structs.
#[device]
#[derive(Clone, Copy)]
pub struct Pair {
    a: u8,
    b: f64,
}

/// The value of one thread, of any type.
#[kernel]
pub fn broadcasts(to: &mut [f64], from: usize) {
    for block in par_blocks(0..to.len()).threads(50) {
        let mut own = block.each(Pair { a: 0, b: 0.0 });
        for t in block.threads() {
            own = Pair { a: t as u8, b: t as f64 / 4.0 };
        }
        let Pair { a, b } = block.broadcast(own, from);
        let list = block.broadcast([own.b; 3], 7);
        to[block.index()] = a as f64 + b + list[2];
    }
}

/// A value of a user.
#[device]
#[derive(Clone, Copy)]
pub struct Counted {
    /// How many.
    pub count: u32,
    /// Whether there is one.
    pub some: bool,
}

/// Reductions with functions of the user: of numbers in rounds and branches, by numbers of threads
/// that are no powers of two, and of own types.
#[kernel]
pub fn reduced(x: &[u32], to: &mut [u32], floats: &mut [f32]) {
    for block in par_blocks(0..to.len() / 4).threads((6, 8)) {
        let b = block.index();
        let mut own = block.each(0);
        for (y, x_) in block.threads() {
            own = x[b * 48 + y * 8 + x_];
        }
        let mut sum = 0;
        for round in 0..3 {
            let bits = block.reduce(0, own >> round & 0xff, |a, b| a ^ b);
            sum += bits;
            if bits % 2 == 1 {
                let (both, _) =
                    block.reduce((0, 0), (own % 7, own), |(a, i), (b, k)| if a > b { (a, i) } else { (b, k) });
                sum += both;
            }
        }
        to[b * 4] = sum;
        let product: f32 = block.reduce(1.0, own as f32 / 3e9 + 0.5, |a, b| a * b);
        floats[b] = product;
    }
    for block in par_blocks(0..to.len() / 4).threads(64) {
        let b = block.index();
        let none = Counted { count: 0, some: false };
        let mut own = block.each(none);
        for t in block.threads() {
            own = Counted { count: x[(b * 64 + t) % x.len()] % 3, some: t != 5 };
        }
        let all = block.reduce(none, own, |a, b| {
            let count = a.count + b.count;
            assert!(count <= 128, "{count} are too many");
            if a.some && b.some {
                Counted { count, some: true }
            } else if a.some {
                a
            } else {
                b
            }
        });
        to[b * 4 + 1] = all.count;
        to[b * 4 + 2] = all.some as u32;
    }
    for block in par_blocks(0..to.len() / 4).threads(1) {
        let last = block.reduce(7, x[block.index()], |a, b| a + b);
        to[block.index() * 4 + 3] = last;
    }
}

crate::kernels::sources! { reduced, dot, decisions, rounds, phases_and_scans, compacted, inferred, beyond, broadcasts }

macro_rules! typed {
    ($($t:ident)*) => { &[ $(
        source!(concat!("folds_1_", stringify!($t)), folds_1, $t),
        source!(concat!("folds_100_", stringify!($t)), folds_100, $t),
        source!(concat!("folds_1024_", stringify!($t)), folds_1024, $t),
    )* ] };
}

/// Instances of the generic kernels.
pub fn typed() -> Vec<crate::kernels::Source> {
    use anabranch::half::{bf16, f16};
    const ALL: &[crate::kernels::Source] =
        typed! { i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f16 bf16 f32 f64 };
    ALL.to_vec()
}
