//! Reductions and scans of host parts.

use anabranch::prelude::*;

/// All operations of numbers, of a part of a slice.
#[kernel]
pub fn numbers<T: Num>(x: &[T], out: &mut [T], first: usize, end: usize) {
    out[0] = par(first..end).map(|i| x[i]).sum();
    out[1] = par(first..end).map(|i| x[i]).product();
    out[2] = par(first..end).map(|i| x[i]).min();
    out[3] = par(first..end).map(|i| x[i]).max();
}

/// A dot product, and where its result goes.
#[kernel]
pub fn dot(x: &[f32], y: &[f32], total: &mut [f32], at: usize) {
    total[at] = par(0..x.len()).map(|i| x[i] * y[i]).sum();
}

/// Conditions.
#[kernel]
pub fn conditions(x: &[i32], many: &mut [usize], whether: &mut [bool]) {
    let n = x.len();
    many[0] = par(0..n).map(|i| x[i] > 0).count();
    whether[0] = par(0..n).map(|i| x[i] > 100).any();
    whether[1] = par(0..n).map(|i| x[i] > -100).all();
}

/// The greatest change of each sweep, over two dimensions, and the sum over three with bounds that
/// are not 0.
#[kernel]
pub fn changes(
    a: &Grid<f32, 2>,
    b: &Grid<f32, 2>,
    worst: &mut Grid<f32, 2>,
    sweeps: usize,
    volume: &mut [u64],
    v: usize,
) {
    let [h, w] = a.shape();
    for sweep in 0..sweeps {
        worst[[1, sweep]] = par((sweep..h, 0..w)).map(|(y, x)| (a[[y, x]] - b[[y, x]]).abs()).max();
    }
    volume[v] = par((1..h, 0..w, 2..v + 5)).map(|(z, y, x)| ((z * 100 + y) * 100 + x) as u64).sum();
}

/// The closure reads an element beside the result.
#[kernel]
pub fn deviations(x: &[f32], stats: &mut [f32]) {
    stats[0] = par(0..x.len()).map(|i| x[i]).sum();
    stats[1] = par(0..x.len()).map(|i| (x[i] - stats[0]) * (x[i] - stats[0])).sum();
}

/// Values of a user.
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extent {
    /// The smallest.
    pub low: f32,
    /// The greatest.
    pub high: f32,
    /// Where the greatest is.
    pub at: u64,
}

/// The smallest and the greatest value, and the first place of the greatest, in one pass.
#[kernel]
pub fn extent(x: &[f32], out: &mut [Extent]) {
    let nothing = f32::INFINITY;
    out[0] = par(0..x.len()).map(|i| Extent { low: x[i], high: x[i], at: i as u64 }).reduce(
        Extent { low: nothing, high: -nothing, at: u64::MAX },
        |a, b| {
            let low = a.low.min(b.low);
            if a.high > b.high || (a.high == b.high && a.at < b.at) { Extent { low, ..a } } else { Extent { low, ..b } }
        },
    );
}

/// Prefix sums.
#[kernel]
pub fn prefix<T: Num>(x: &[T], before: &mut [T], up_to: &mut [T]) {
    for (i, at) in par(0..x.len()).exclusive_sum(|i| x[i]) {
        before[i] = at;
    }
    for (i, at) in par(0..x.len()).inclusive_sum(|k| x[k]) {
        up_to[i] = at;
    }
}

/// What is kept moves together. Places differ, since they count what is kept before.
#[kernel]
pub fn kept(x: &[u32], limit: u32, out: &mut [u32], many: &mut [u32]) {
    let n = x.len();
    for (i, at) in par(0..n).exclusive_sum(|i| (x[i] > limit) as u32) {
        if x[i] <= limit {
            continue;
        }
        // SAFETY: no two iterations have the same sum and are kept.
        unsafe { out[at as usize] = x[i] };
    }
    many[0] = par(0..n).map(|i| (x[i] > limit) as u32).sum();
}

/// A scan over the elements of a grid.
#[kernel]
pub fn rows(g: &Grid<u32, 2>, sums: &mut [u32]) {
    let [h, w] = g.shape();
    for (i, sum) in par(0..h * w).inclusive_sum(|i| g[[i / w, i % w]]) {
        sums[i] = sum;
    }
}

/// Groups, each with memory of its own for the results of parts; the scans call another kernel's,
/// and host loops reduce again.
#[kernel]
pub fn groups(x: &[f32], y: &[f32], sums: &mut [f32], scans: &mut [f32], rest: &mut [f32], rounds: usize) {
    let (low, high) = sums.split_at_mut(rounds);
    stream_parallel! {
        'low: {
            for round in 0..rounds {
                low[round] = par(round..x.len()).map(|i| x[i]).sum();
            }
        }
        'high: {
            for round in 0..rounds {
                high[round] = par(round..y.len()).map(|i| y[i]).max();
            }
        }
        'scans: {
            prefix(&x, &mut scans, &mut rest);
        }
    }
}

/// Where the smallest and the greatest values are.
#[kernel]
pub fn places(x: &[f32], at: &mut [usize], low: usize, limit: f32) {
    at[0] = par(low..x.len()).map(|i| x[i]).argmin();
    at[1] = par(low..x.len()).map(|i| x[i]).argmax();
    at[2] = par(0..x.len()).map(|i| x[i] > limit).argmax();
    at[3] = par(0..x.len()).step_by(3).map(|i| x[i] as i8).argmin();
}

/// The same of several ranges.
#[kernel]
pub fn peaks(g: &Grid<u16, 2>, at: &mut [[usize; 2]], deep: &mut [[usize; 3]], step: usize) {
    let [h, w] = g.shape();
    at[0] = par((0..h, 0..w)).map(|(y, x)| g[[y, x]]).argmax();
    at[1] = par(((1..h).step_by(step), 2..w)).map(|(y, x)| g[[y, x]]).argmin();
    deep[0] = par((0..h, 0..w, 0..=3)).map(|(y, x, bit)| g[[y, x]] >> bit & 1 == 1).argmax();
}

/// Steps, and ranges that have their ends.
#[kernel]
pub fn steps(x: &[u32], total: &mut [u32], last: usize, step: usize) {
    total[0] = par((0..=last).step_by(step)).map(|i| x[i]).sum();
    total[1] = par((5..=last, (1..7).step_by(step))).map(|(i, k)| x[i] * k as u32).sum();
    for (i, sum) in par((1..=last).step_by(step)).inclusive_sum(|i| x[i]) {
        total[2 + i] = sum;
    }
}

/// Host code whose order can be seen: the ranges, then the index, and then what the closure reads.
#[kernel]
pub fn ordered(x: &[u64], total: &mut [u64], n: usize) {
    for at in 0..total.len() {
        let mut turn = 0;
        total[{
            turn = turn * 10 + 2;
            at
        }] = par({
            turn = turn * 10 + 1;
            at
        }..n)
        .map(|i| x[i] * turn)
        .sum();
    }
}

/// A check that fails in an iteration, and what comes behind it.
#[kernel]
pub fn checked(x: &[u32], total: &mut [u32], limit: u32) {
    total[0] = par(0..x.len())
        .map(|i| {
            assert!(x[i] < limit, "{} is too much", x[i]);
            x[i]
        })
        .sum();
}

/// The closure of `reduce` has a parameter with the name of an index.
#[kernel]
pub fn shadowed(x: &[u64], total: &mut [u64], i: u64) {
    total[0] = par(0..x.len()).map(|i| x[i]).reduce(0, |a, b| (a + b) % i);
}

/// A scan reads what other iterations write.
#[kernel]
pub fn shifted(x: &mut [u32], back: usize) {
    for (i, at) in par(0..x.len()).exclusive_sum(|i| if i >= back { x[i - back] } else { 0 }) {
        x[i] = at;
    }
}

/// A scan in place.
#[kernel]
pub fn placed(x: &mut [u32]) {
    for (i, at) in par(0..x.len()).exclusive_sum(|i| x[i]) {
        x[i] = at;
    }
}

/// Iterations of a scan write the same element.
#[kernel]
pub fn folded(x: &[u32], y: &mut [u32], by: usize) {
    for (i, at) in par(0..x.len()).inclusive_sum(|i| x[i]) {
        y[i * by] = at;
    }
}

/// A value of which not all bits are one.
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(u8)]
pub enum Mark {
    /// None.
    Off = 0,
    /// One.
    On = 1,
}

/// The last one that is on; an iteration may fail.
#[kernel]
pub fn marks(x: &[Mark], out: &mut [Mark], bad: usize) {
    out[0] = par(0..x.len())
        .map(|i| {
            assert!(i != bad, "iteration {i}");
            x[i]
        })
        .reduce(Mark::Off, |a, b| if b == Mark::Off { a } else { b });
}

/// Marks that threads exchange, one of which may fail.
#[kernel]
pub fn exchanged(x: &[Mark], out: &mut [Mark], flags: &mut [bool], bad: usize) {
    for block in par_blocks(0..out.len() / 64).threads(64) {
        let b = block.index();
        let mut own = block.each(Mark::Off);
        for t in block.threads() {
            assert!(b * 64 + t != bad, "thread {t}");
            own = x[b * 64 + t];
        }
        flags[b] = block.broadcast(own, 5) == Mark::On;
        let mut marks = block.shared([false; 64]);
        for t in block.threads() {
            marks[t] = own == Mark::On;
        }
        let some = block.any(own == Mark::On);
        for t in block.threads() {
            out[b * 64 + t] = if marks[63 - t] && some { Mark::On } else { Mark::Off };
            flags[x.len() / 64 + b * 64 + t] = marks[63 - t];
        }
    }
}

/// Methods with the names of those that generated code could use.
#[device]
pub trait Confusing {
    /// Not the smaller one.
    fn min(&self, _other: usize) -> usize;
    /// No sum.
    fn sum(&self) -> usize;
}
#[device]
impl Confusing for usize {
    fn min(&self, _other: usize) -> usize {
        0
    }
    fn sum(&self) -> usize {
        7
    }
}

/// Names and types around a reduction are the user's.
#[kernel]
pub fn surrounded(x: &[usize], total: &mut [usize], scan: &mut [usize]) {
    #[allow(non_camel_case_types, dead_code)]
    struct usize;
    let (count, chunk, parts, own) = (1, 2, 3, 4);
    total[0] = par(0..x.len()).map(|block| x[block] + count + chunk + parts + own + block.sum()).sum();
    for (number, before) in par(0..x.len()).exclusive_sum(|at| {
        let (before, number) = (x[at], 1);
        before + number
    }) {
        let own = before;
        scan[number] = own;
    }
}

/// Results that are combined with what is there.
#[kernel]
pub fn added(x: &[u64], total: &mut [u64], scaled: &mut [f32], n: usize) {
    total[0] += par(0..n).map(|i| x[i]).sum();
    total[1] *= par(0..n.min(5)).map(|i| x[i] + total[0]).product();
    total[2] -= par(0..0).map(|i| x[i]).sum();
    total[3] |= par(0..n).map(|i| 1 << (x[i] % 64)).reduce(0, |a, b| a | b);
    stream_parallel! {
        { total[4] ^= par((0..2, 0..n / 2)).map(|(y, i)| x[y * (n / 2) + i]).max(); }
        { scaled[1] /= par(0..n).map(|_| 0.5).max(); }
    }
}

crate::kernels::sources! { added, surrounded, dot, places, peaks, steps, ordered, conditions, changes, deviations, extent, kept, rows, groups, checked, shadowed, shifted, placed, folded, marks, exchanged }

macro_rules! typed {
    ($($t:ident)*) => { &[ $(
        source!(concat!("numbers_", stringify!($t)), numbers, $t),
        source!(concat!("prefix_", stringify!($t)), prefix, $t),
    )* ] };
}

/// Instances of the generic kernels.
pub fn typed() -> Vec<crate::kernels::Source> {
    use anabranch::half::{bf16, f16};
    const ALL: &[crate::kernels::Source] = typed! { i8 i32 u64 u128 f16 bf16 f32 f64 };
    ALL.to_vec()
}
