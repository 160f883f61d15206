//! Loops and forks of the CPU device.
//!
//! A loop outside of groups runs at once. In a group it is recorded, and all groups of a fork run together at the join:
//! so the host part stays sequential on the calling thread, and the whole work is known before any thread is woken.
//! Waking one costs about [`WAKING`], so work that would save less than that runs inline.
//!
//! What a loop costs is the time of its last run. Before the first, the macro's static estimate stands in, and a body
//! whose length nobody can know counts as large. A loop that is small by any estimate is not timed: reading the clock
//! would cost as much as running it. The time is that inside the chunks: with the cost of waking threads in it, a small
//! loop that ran on several threads once would count as large for ever.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::Cpu;
use super::panic::caught;
use crate::decide::Decided;
use crate::model::args::Args;
use crate::model::kernel::{Kernel, Loop};
use crate::model::ranges::{Chunk, Dims};

/// Threads are woken only where they save at least this much.
const WAKING: Duration = Duration::from_micros(20);
/// Below this static estimate a loop is small, even if the estimate is off by ten times.
const SURELY_SMALL: Duration = Duration::from_micros(2);
/// The least work of a chunk: smaller ones cost more to hand out than to run.
const CHUNK: Duration = Duration::from_micros(10);
/// What a loop that nobody has measured is taken to cost.
const UNKNOWN: Duration = Duration::from_secs(1);
/// Chunks a thread, so that an uneven loop still keeps all threads busy.
const CHUNKS_A_THREAD: usize = 4;

/// A recorded piece of work. Groups run what they recorded once, graphs any number of times.
pub(crate) enum Op {
    /// A `par` loop, or what a stream does beside loops.
    Job(Box<dyn Job>),
    /// A `stream_parallel!` within another one, or in a graph.
    Fork(Vec<Vec<Op>>),
}

/// Recorded work that is not divided into groups.
pub(crate) trait Job: Send + Sync {
    /// Runs it to its end.
    fn run(&self, cpu: &Cpu);
    /// How long it will take on one thread.
    fn estimate(&self) -> Duration;
}

/// A `par` loop with its captures.
pub(crate) struct ParLoop<D, A, F> {
    pub(crate) kernel: &'static Kernel,
    pub(crate) looped: &'static Loop,
    pub(crate) dims: D,
    pub(crate) args: A,
    pub(crate) decided: Decided,
    pub(crate) body: F,
}

impl<D: Dims, A: Args, W, F: Fn(Chunk<D>, A) -> W + Send + Sync> Job for ParLoop<D, A, F> {
    fn run(&self, cpu: &Cpu) {
        self.execute(cpu);
    }

    fn estimate(&self) -> Duration {
        estimate(self.looped, self.total())
    }
}

/// What a stream does beside loops, with the number of bytes that it touches.
pub(crate) struct Task<F>(pub(crate) F, pub(crate) usize);

impl<F: Fn() + Send + Sync> Job for Task<F> {
    fn run(&self, _: &Cpu) {
        (self.0)();
    }

    fn estimate(&self) -> Duration {
        // About ten bytes a nanosecond.
        Duration::from_nanos(self.1 as u64 / 10)
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
        let expected = estimate(self.looped, total);
        let timed = (!is_surely_small(self.looped, total)).then(|| AtomicU64::new(0));
        let threads = if total > 1 { threads_for(expected) } else { 1 };
        if threads == 1 {
            self.chunk(cpu, 0, total, timed.as_ref());
        } else {
            let worthwhile = usize::try_from(expected.as_nanos() / CHUNK.as_nanos()).unwrap_or(usize::MAX).max(1);
            let parts = (threads * CHUNKS_A_THREAD).min(total).min(worthwhile);
            let cut = |part: usize| (total as u128 * part as u128 / parts as u128) as usize;
            let run = |part| self.chunk(cpu, cut(part), cut(part + 1), timed.as_ref());
            (0..parts).into_par_iter().with_max_len(1).for_each(run);
        }
        if let Some(spent) = timed {
            let measured = spent.into_inner().saturating_mul(1000) / total as u64;
            self.looped.cost.measured.store(measured.max(1), Ordering::Relaxed);
        }
    }

    #[inline]
    fn chunk(&self, cpu: &Cpu, from: usize, to: usize, timed: Option<&AtomicU64>) {
        let timed = timed.map(|spent| (spent, Instant::now()));
        let run = || {
            (self.body)(Chunk::new(self.dims, from..to, self.decided), self.args);
        };
        if let Err(error) = caught(self.kernel, self.looped, run) {
            cpu.set_panic(error);
        }
        if let Some((spent, start)) = timed {
            spent.fetch_add(u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
        }
    }
}

/// How many threads work of this length is worth: one, or all.
#[inline]
fn threads_for(expected: Duration) -> usize {
    if expected < WAKING {
        return 1;
    }
    let threads = rayon::current_num_threads();
    let saved = expected - expected / u32::try_from(threads).unwrap_or(u32::MAX);
    if saved < WAKING { 1 } else { threads }
}

/// The macro's estimate; none where it cannot have one.
#[inline]
fn static_estimate(looped: &Loop, iterations: usize) -> Option<Duration> {
    // About half a nanosecond an operation.
    let operations = u64::from(looped.cost.operations.max(1)).saturating_mul(iterations as u64);
    (!looped.cost.unbounded).then(|| Duration::from_nanos(operations / 2))
}

#[inline]
fn is_surely_small(looped: &Loop, iterations: usize) -> bool {
    static_estimate(looped, iterations).is_some_and(|estimate| estimate < SURELY_SMALL)
}

/// How long some iterations take on one thread.
#[inline]
fn estimate(looped: &Loop, iterations: usize) -> Duration {
    match (looped.cost.measured.load(Ordering::Relaxed), static_estimate(looped, iterations)) {
        (_, Some(small)) if small < SURELY_SMALL => small,
        (0, unmeasured) => unmeasured.unwrap_or(UNKNOWN),
        (measured, _) => Duration::from_nanos(measured.saturating_mul(iterations as u64) / 1000),
    }
}

fn estimate_all(ops: &[Op]) -> Duration {
    ops.iter().fold(Duration::ZERO, |sum, op| {
        sum.saturating_add(match op {
            Op::Job(job) => job.estimate(),
            Op::Fork(groups) => groups.iter().fold(Duration::ZERO, |sum, g| sum.saturating_add(estimate_all(g))),
        })
    })
}

/// Runs the groups of a fork to their ends.
///
/// A failed loop does not end its group: what only later loops write is as on a GPU, where they run too.
pub(crate) fn run_groups(cpu: &Arc<Cpu>, groups: &[Vec<Op>]) {
    // Beside the longest group, as much of the others as there is can be saved.
    let (sum, longest) = groups
        .iter()
        .map(|group| estimate_all(group))
        .fold((Duration::ZERO, Duration::ZERO), |(sum, longest), one| (sum.saturating_add(one), longest.max(one)));
    if sum - longest >= WAKING {
        groups.par_iter().with_max_len(1).for_each(|group| run_all(cpu, group));
    } else {
        groups.iter().for_each(|group| run_all(cpu, group));
    }
}

/// Runs recorded work in its order.
pub(crate) fn run_all(cpu: &Arc<Cpu>, ops: &[Op]) {
    ops.iter().for_each(|op| op.run_on(cpu));
}

impl Op {
    /// Runs it to its end.
    pub(crate) fn run_on(&self, cpu: &Arc<Cpu>) {
        match self {
            Op::Job(job) => job.run(cpu),
            Op::Fork(groups) => run_groups(cpu, groups),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decide::Facts;
    use crate::model::cost::Cost;

    const fn looped(operations: u32, unbounded: bool) -> Loop {
        Loop {
            name: "k_0",
            header: "for i in par(0..n)",
            group: None,
            line: 1,
            column: 1,
            block: 256,
            dims: 1,
            captures: &[],
            sites: &[],
            template: crate::model::kernel::Template(&[]),
            cost: Cost::new(operations, unbounded),
            facts: Facts::NONE,
            last: crate::decide::LastVerdict::new(),
        }
    }

    #[test]
    fn the_last_run_decides_once_there_is_one() {
        let counted = looped(10, false);
        assert_eq!(estimate(&counted, 1_000_000), Duration::from_millis(5));
        counted.cost.measured.store(100, Ordering::Relaxed);
        assert_eq!(estimate(&counted, 1_000_000), Duration::from_micros(100));
        assert_eq!(estimate(&counted, 100), Duration::from_nanos(500), "small loops are not timed");
        let unknown = looped(10, true);
        assert_eq!(estimate(&unknown, 1), UNKNOWN);
        unknown.cost.measured.store(2_000_000, Ordering::Relaxed);
        assert_eq!(estimate(&unknown, 3), Duration::from_micros(6));
    }

    #[test]
    fn estimates_do_not_overflow() {
        assert!(estimate(&looped(u32::MAX, false), usize::MAX) > Duration::from_secs(1_000_000_000));
        let measured = looped(1, true);
        measured.cost.measured.store(u64::MAX, Ordering::Relaxed);
        assert!(estimate(&measured, usize::MAX) > Duration::from_secs(1_000_000));
    }

    #[test]
    fn threads_are_woken_only_where_that_saves_time() {
        assert_eq!(threads_for(Duration::ZERO), 1);
        assert_eq!(threads_for(WAKING - Duration::from_nanos(1)), 1);
        assert_eq!(threads_for(Duration::MAX), rayon::current_num_threads());
    }

    /// A small loop that was first run on several threads, because nobody knew it, is run on one from then on.
    #[test]
    fn the_cost_of_threads_is_no_cost_of_the_loop() {
        static LOOPS: [Loop; 1] = [looped(1, true)];
        static KERNEL: Kernel = Kernel { name: "k", module: "m", file: "k.rs", line: 1, loops: &LOOPS, plan: &[] };
        let cpu = Cpu::default();
        let dims = crate::model::ranges::dim(0, 64);
        let body = |chunk: Chunk<_>, ()| {
            std::hint::black_box(crate::model::ranges::trips_of(&chunk));
        };
        let looped = ParLoop { kernel: &KERNEL, looped: &LOOPS[0], dims, args: (), decided: Decided::NO, body };
        assert_eq!(looped.estimate(), UNKNOWN);
        // One run may be interrupted by the system; ten in a row are not.
        let becomes_small = (0..10).any(|_| {
            looped.execute(&cpu);
            looped.estimate() < WAKING
        });
        assert!(becomes_small, "{:?}", looped.estimate());
    }
}
