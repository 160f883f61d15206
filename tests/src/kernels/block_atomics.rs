//! Atomics in arrays that the threads of a block share.

use std::sync::atomic::{AtomicI32, AtomicI64, AtomicIsize, AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed};

use anabranch::prelude::*;

macro_rules! operations {
    ($($name:ident $atomic:ident $t:ident $zero:literal [$($number:literal $bits:ident),*];)*) => { $(
        /// Operation `op` on each of the cells, and what it says. What it leaves, another thread
        /// tells.
        #[kernel]
        pub fn $name(cells: &mut [$t], a: &[$t], b: &[$t], out: &mut [$t], op: u32) {
            for block in par_blocks(0..out.len().div_ceil(32)).threads(32) {
                let first = block.index() * 32;
                let own = block.shared([const { $atomic::new($zero) }; 32]);
                for t in block.threads() {
                    if first + t < out.len() {
                        own[t].store(cells[first + t], Relaxed);
                    }
                }
                for t in block.threads() {
                    let i = first + t;
                    if i >= out.len() {
                        continue;
                    }
                    out[i] = match op {
                        0 => own[t].load(Relaxed),
                        1 => {
                            own[t].store(a[i], Relaxed);
                            a[i]
                        }
                        2 => own[t].swap(a[i], Relaxed),
                        3 => own[t].fetch_add(a[i], Relaxed),
                        4 => own[t].fetch_sub(a[i], Relaxed),
                        5 => own[t].fetch_max(a[i], Relaxed),
                        6 => own[t].fetch_min(a[i], Relaxed),
                        7 => match own[t].compare_exchange(a[i], b[i], Relaxed, Relaxed) {
                            Ok(_) => b[i],
                            Err(old) => old,
                        },
                        8 => {
                            while own[t].compare_exchange_weak(a[i], b[i], Relaxed, Relaxed).is_err() {
                                own[t].store(a[i], Relaxed);
                            }
                            own[t].load(Relaxed)
                        }
                        $($number => own[t].$bits(a[i], Relaxed),)*
                        _ => panic!("no such operation"),
                    };
                }
                for t in block.threads() {
                    if first + 31 - t < out.len() {
                        cells[first + 31 - t] = own[31 - t].load(Relaxed);
                    }
                }
            }
        }
    )* };
}
operations! {
    operations_u32 AtomicU32 u32 0 [9 fetch_and, 10 fetch_or, 11 fetch_xor, 12 fetch_nand];
    operations_i32 AtomicI32 i32 0 [9 fetch_and, 10 fetch_or, 11 fetch_xor, 12 fetch_nand];
    operations_u64 AtomicU64 u64 0 [9 fetch_and, 10 fetch_or, 11 fetch_xor, 12 fetch_nand];
    operations_i64 AtomicI64 i64 0 [9 fetch_and, 10 fetch_or, 11 fetch_xor, 12 fetch_nand];
    operations_usize AtomicUsize usize 0 [9 fetch_and, 10 fetch_or, 11 fetch_xor, 12 fetch_nand];
    operations_isize AtomicIsize isize 0 [9 fetch_and, 10 fetch_or, 11 fetch_xor, 12 fetch_nand];
    operations_f32 AtomicF32 f32 0.0 [];
    operations_f64 AtomicF64 f64 0.0 [];
}

/// How often each value of `x` occurs: a block counts by itself, and adds what it has counted.
#[kernel]
pub fn histogram(x: &[u8], bins: &[AtomicU32]) {
    for block in par_blocks(0..x.len().div_ceil(4096)).threads(256) {
        let b = block.index();
        let own = block.shared([const { AtomicU32::new(0) }; 256]);
        for i in block.par(b * 4096..((b + 1) * 4096).min(x.len())) {
            own[x[i] as usize].fetch_add(1, Relaxed);
        }
        for t in block.threads() {
            bins[t].fetch_add(own[t].load(Relaxed), Relaxed);
        }
    }
}

/// Counts again and again in the same counters: each round needs its barriers.
#[kernel]
pub fn rounds(keys: &[u32], out: &mut [u32], rounds: usize) {
    for block in par_blocks(0..out.len() / 64).threads(64) {
        let b = block.index();
        let counts = block.shared([const { AtomicU32::new(0) }; 16]);
        for round in 0..rounds {
            for t in block.threads() {
                counts[keys[(b * 64 + t + round) % keys.len()] as usize % 16].fetch_add(1, Relaxed);
            }
            for t in block.threads() {
                out[b * 64 + t] += (round as u32 + 1) * counts[(t + 1) % 16].load(Relaxed);
            }
            for t in block.par(0..16) {
                counts[15 - t].store(t as u32, Relaxed);
            }
        }
    }
}

type Count = AtomicI64;

const START: f32 = 1.5;

/// An initial value that is computed, of an atomic that has another name.
const fn below_zero() -> i64 {
    -3
}

#[device]
fn add_to(all: &[AtomicU32], at: usize, value: u32) {
    all[at].fetch_add(value, Relaxed);
}

#[device]
fn greatest(cell: &AtomicU32, value: u32) {
    let old = cell.load(Relaxed);
    if old < value {
        cell.fetch_max(value, Relaxed);
    }
}

/// One to three dimensions, lengths that only rustc knows, first values that are computed, and what
/// functions are given.
#[kernel]
pub fn shapes<const W: usize>(floats: &mut [f32], counts: &mut [i64], volume: &mut [u32], told: &mut [u32]) {
    for block in par_blocks(0..1).threads(32) {
        let sums = block.shared([[const { AtomicF32::new(START) }; W]; 4]);
        let signed = block.shared([const { [const { Count::new(below_zero()) }; 2] }; 3]);
        let cube = block.shared([[[const { AtomicU32::new(u32::MAX) }; 4]; 3]; 2]);
        let flat = block.shared([const { AtomicU32::new(0) }; 8]);
        for t in block.threads() {
            let add = |value: f32| {
                sums[t % 4][t % W].fetch_add(value, Relaxed);
            };
            add(0.5);
            signed[t % 3][1].fetch_sub(1, Relaxed);
            cube[t % 2][t % 3][t % 4].fetch_add(2, Relaxed);
            add_to(&flat, 0, 1);
            add_to(&flat[1..3], 1, 2);
            add_to(&cube[1][2], 3, 100);
            greatest(&flat[4], t as u32);
            if flat[5].compare_exchange(0, 9, Relaxed, Relaxed).is_ok() {
                flat[6].fetch_or(64, Relaxed);
            }
        }
        flat[7].store(flat.len() as u32 + sums[0].len() as u32, Relaxed);
        add_to(&flat, 6, 1);
        for t in block.par(0..4 * W) {
            floats[t] = sums[t / W][t % W].load(Relaxed);
        }
        for t in block.threads() {
            if t < 6 {
                counts[t] = signed[t / 2][t % 2].load(Relaxed);
            }
            if t < 24 {
                volume[t] = cube[t / 12][t / 4 % 3][t % 4].load(Relaxed);
            }
            if t < 8 {
                told[t] = flat[t].load(Relaxed);
            }
        }
    }
}

/// The elements above a limit, to the front of each part, in any order: each has a place of its
/// own.
#[kernel]
pub fn kept(x: &[u32], y: &mut [u32], lens: &mut [u32], limit: u32) {
    for block in par_blocks(0..lens.len()).threads(128) {
        let first = block.index() * 1000;
        let b = block.index();
        let used = block.shared([const { AtomicU32::new(0) }; 1]);
        for i in block.par(first..(first + 1000).min(x.len())) {
            if x[i] > limit {
                let at = first + used[0].fetch_add(1, Relaxed) as usize;
                // SAFETY: no two iterations get the same number, which is below that of the
                // elements of the part.
                unsafe { y[at] = x[i] };
            }
        }
        lens[b] = used[0].load(Relaxed);
    }
}

/// A bin that is not there.
#[kernel]
pub fn out_of_bins(x: &[u32], bins: &[AtomicU32]) {
    for block in par_blocks(0..1).threads(32) {
        let own = block.shared([const { AtomicU32::new(0) }; 8]);
        for i in block.par(0..x.len()) {
            own[x[i] as usize].fetch_add(1, Relaxed);
        }
        for t in block.par(0..8) {
            bins[t].fetch_add(own[t].load(Relaxed), Relaxed);
        }
    }
}

mod of_the_user {
    //! What is called like atomics, and is none.

    use anabranch::prelude::*;

    #[device]
    #[derive(Clone, Copy)]
    pub(super) struct AtomicPair {
        pub(super) a: u32,
        pub(super) b: u32,
    }

    #[device]
    impl AtomicPair {
        pub(super) fn new(a: u32) -> Self {
            AtomicPair { a, b: 1 }
        }

        pub(super) fn both(self) -> u32 {
            self.a + self.b
        }
    }
}
use of_the_user::AtomicPair;

/// A trait with methods of atomics does not get in.
#[allow(dead_code)] // nothing calls it, which is the point
trait Counts {
    fn fetch_add(&self, value: u32, order: std::sync::atomic::Ordering) -> u32;
    fn load(&self, order: std::sync::atomic::Ordering) -> u32;
}
impl Counts for [AtomicU32; 4] {
    fn fetch_add(&self, _: u32, _: std::sync::atomic::Ordering) -> u32 {
        unreachable!("it is no method of an element")
    }
    fn load(&self, _: std::sync::atomic::Ordering) -> u32 {
        unreachable!("it is no method of an element")
    }
}
impl Counts for u32 {
    fn fetch_add(&self, _: u32, _: std::sync::atomic::Ordering) -> u32 {
        unreachable!("a number is no atomic")
    }
    fn load(&self, _: std::sync::atomic::Ordering) -> u32 {
        unreachable!("a number is no atomic")
    }
}

/// Names that say something else, and names that hide others.
#[kernel]
pub fn names(out: &mut [u32]) {
    for block in par_blocks(0..1).threads(4) {
        let mut own = block.shared([AtomicPair::new(7); 4]);
        for t in block.threads() {
            own[t] = AtomicPair { a: own[t].a + t as u32, b: 2 };
        }
        let mut seen = block.each(0);
        for t in block.threads() {
            seen = own[3 - t].both();
        }
        let own = block.shared([const { AtomicU32::new(1) }; 4]);
        for t in block.threads() {
            own[t / 2].fetch_add(seen, Relaxed);
        }
        for t in block.threads() {
            let at = own[t].load(Relaxed);
            let own = [at, at + 1];
            out[t] = own[0] * 100 + own[1];
        }
    }
}

crate::kernels::sources! {
    operations_u32, operations_i32, operations_u64, operations_i64, operations_usize, operations_isize,
    operations_f32, operations_f64, histogram, rounds, kept, out_of_bins, names
}

/// Those with parameters of their own.
pub fn typed() -> Vec<crate::kernels::Source> {
    vec![source!("shapes 3", shapes, 3), source!("shapes 8", shapes, 8)]
}
