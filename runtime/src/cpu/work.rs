//! Loops and forks of the CPU device.
//!
//! A loop outside of groups runs at once. In a group it is recorded, and all groups of a fork run together at the join:
//! so the host part stays sequential on the calling thread, and the whole work is known before any thread is woken.
//! Waking one costs about [`WAKING`], so less work than that runs inline.
//!
//! What a loop costs is the macro's static estimate, or, for a body whose length nobody can know, the time of its last
//! run; before the first run such a loop counts as large.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::Cpu;
use super::panic::caught;
use crate::private::args::Args;
use crate::private::cost::Cost;
use crate::private::dims::{Chunk, Dims};
use crate::private::kernel::Kernel;

/// Work below this runs on the calling thread.
const WAKING: Duration = Duration::from_micros(20);
/// The least work of a chunk: smaller ones cost more to hand out than to run.
const CHUNK: Duration = Duration::from_micros(10);
/// Chunks a thread, so that an uneven loop still keeps all threads busy.
const CHUNKS_A_THREAD: usize = 4;

/// A recorded piece of work.
pub(crate) enum Op {
    /// A `par` loop.
    Loop(Box<dyn Job>),
    /// A nested `stream_parallel!`.
    Fork(Vec<Vec<Op>>),
}

/// A recorded loop.
pub(crate) trait Job: Send {
    /// Runs it to its end.
    fn run(self: Box<Self>, cpu: &Cpu);
    /// How long it will take on one thread.
    fn estimate(&self) -> Duration;
}

/// A `par` loop with its captures.
pub(crate) struct ParLoop<D, A, F> {
    pub(crate) kernel: &'static Kernel,
    pub(crate) cost: &'static Cost,
    pub(crate) dims: D,
    pub(crate) args: A,
    pub(crate) body: F,
}

impl<D: Dims, A: Args, W, F: Fn(Chunk<D>, A) -> W + Send + Sync> Job for ParLoop<D, A, F> {
    fn run(self: Box<Self>, cpu: &Cpu) {
        self.execute(cpu);
    }

    fn estimate(&self) -> Duration {
        estimate(self.cost, self.total())
    }
}

impl<D: Dims, A: Args, W, F: Fn(Chunk<D>, A) -> W + Send + Sync> ParLoop<D, A, F> {
    fn total(&self) -> usize {
        self.dims.rows().saturating_mul(self.dims.width())
    }

    /// Runs all iterations; a panic is kept in the device.
    #[inline]
    pub(crate) fn execute(&self, cpu: &Cpu) {
        let total = self.total();
        if total == 0 {
            return;
        }
        let expected = estimate(self.cost, total);
        let start = self.cost.unbounded.then(Instant::now);
        let threads = if expected < WAKING || total == 1 { 1 } else { rayon::current_num_threads() };
        if threads == 1 {
            self.chunk(cpu, 0, total);
        } else {
            let worthwhile = usize::try_from(expected.as_nanos() / CHUNK.as_nanos()).unwrap_or(usize::MAX).max(1);
            let parts = (threads * CHUNKS_A_THREAD).min(total).min(worthwhile);
            let cut = |part: usize| (total as u128 * part as u128 / parts as u128) as usize;
            (0..parts).into_par_iter().with_max_len(1).for_each(|part| self.chunk(cpu, cut(part), cut(part + 1)));
        }
        if let Some(start) = start {
            // Of several threads an upper bound: the loop may have waited for a thread.
            let spent = start.elapsed().as_nanos().saturating_mul(threads as u128).saturating_mul(1000);
            let measured = u64::try_from(spent / total as u128).unwrap_or(u64::MAX).max(1);
            self.cost.measured.store(measured, Ordering::Relaxed);
        }
    }

    #[inline]
    fn chunk(&self, cpu: &Cpu, from: usize, to: usize) {
        let run = || {
            (self.body)(Chunk::new(self.dims, from..to), self.args);
        };
        if let Err(error) = caught(self.kernel.name, run) {
            cpu.set_panic(error);
        }
    }
}

/// How long some iterations take on one thread.
#[inline]
fn estimate(cost: &Cost, iterations: usize) -> Duration {
    let picoseconds = if cost.unbounded {
        match cost.measured.load(Ordering::Relaxed) {
            0 => return Duration::MAX,
            measured => measured,
        }
    } else {
        // About half a nanosecond an operation.
        u64::from(cost.operations.max(1)) * 500
    };
    Duration::from_nanos(picoseconds.saturating_mul(iterations as u64) / 1000)
}

fn estimate_all(ops: &[Op]) -> Duration {
    ops.iter().fold(Duration::ZERO, |sum, op| {
        sum.saturating_add(match op {
            Op::Loop(job) => job.estimate(),
            Op::Fork(groups) => groups.iter().fold(Duration::ZERO, |sum, g| sum.saturating_add(estimate_all(g))),
        })
    })
}

/// Runs the groups of a fork to their ends.
pub(crate) fn run_groups(cpu: &Arc<Cpu>, groups: Vec<Vec<Op>>) {
    // One busy group gains nothing from a second thread of its own.
    let worthwhile = groups.iter().filter(|g| estimate_all(g) >= CHUNK).count() > 1;
    if worthwhile {
        groups.into_par_iter().with_max_len(1).for_each(|group| run_group(cpu, group));
    } else {
        groups.into_iter().for_each(|group| run_group(cpu, group));
    }
}

fn run_group(cpu: &Arc<Cpu>, ops: Vec<Op>) {
    for op in ops {
        match op {
            Op::Loop(job) => job.run(cpu),
            Op::Fork(groups) => run_groups(cpu, groups),
        }
    }
}
