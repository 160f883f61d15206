//! Loops and forks of the CPU device.
//!
//! A loop outside of groups runs at once. A loop in a group is recorded, and all groups of a fork
//! run together at the join. So the host part stays sequential on the calling thread, and the whole
//! work is known before any thread is woken. Waking a thread costs about [`WAKING`], so work that
//! would save less than this runs inline.
//!
//! The cost of a loop is the time of its last run. Before the first run, the macro's static
//! estimate is used, and a body of unknown length counts as large. A loop that is small by any
//! estimate is not timed, because reading the clock would cost as much as running it. Only the time
//! inside the chunks counts. If it included waking threads, a small loop that once ran on several
//! threads would always count as large.

use std::any::Any;
use std::mem::ManuallyDrop;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::panic::caught;
use super::stack::Stack;
use super::team::{self, Parent};
use super::{Cpu, instructions, lanes};
use crate::error::Error;
use crate::lock::Lock;
use crate::model::args::Args;
use crate::model::judge::Decided;
use crate::model::kernel::{Groups, Kernel, Loop};
use crate::model::ranges::{Chunk, Dims};
use crate::trace::{Begun, Work, nvtx};
use crate::value::format::dropped;

/// Threads are woken only if this saves at least this much time.
const WAKING: Duration = Duration::from_micros(20);
/// Below this static estimate a loop is small, even if the estimate is wrong by a factor of ten.
const SURELY_SMALL: Duration = Duration::from_micros(2);
/// The minimum work of a chunk: distributing smaller chunks costs more than running them.
const CHUNK: Duration = Duration::from_micros(10);
/// The assumed cost of a loop of unknown length before its first run.
const UNKNOWN: Duration = Duration::from_secs(1);
/// Chunks per thread, so that an uneven loop still keeps all threads busy.
const CHUNKS_A_THREAD: usize = 4;
/// The least rows, or lanes, of a chunk that is cut between them: so no chunk is more than an
/// eighth longer or shorter than the mean.
const GRAINS: usize = 8;

/// Recorded work. A group runs it once, a graph any number of times.
pub(crate) enum Op {
    /// A `par` loop, a copy or a fill.
    Job(Box<dyn Job>),
    /// A `stream_parallel!` within another one, or in a graph.
    Fork(Arc<Parallel>),
    /// The jobs up to the matching `Leave` are those of a called kernel, or of a captured launch.
    /// Only traces need that.
    Enter(&'static Kernel),
    /// The end of the kernel that was entered last.
    Leave,
}

/// A `stream_parallel!` of a kernel, with the recorded work of its groups.
pub(crate) struct Parallel {
    pub(crate) kernel: &'static Kernel,
    pub(crate) described: &'static Groups,
    pub(crate) groups: Vec<Vec<Op>>,
}

/// Why recorded work ended early.
#[derive(Debug)]
pub(crate) enum Stop {
    /// What the launch, or the launch of the graph, returns.
    Error(Error),
    /// The body of a library kernel has panicked. The panic goes on when all groups have ended. Of
    /// several, one goes on; the payloads of the others are never dropped, because their
    /// destructors may panic, too.
    Panic(ManuallyDrop<Box<dyn Any + Send>>),
}

impl Stop {
    /// Returns the error, or goes on with the panic. Not to be called in a destructor.
    pub(crate) fn raise(self) -> Error {
        match self {
            Stop::Error(error) => error,
            Stop::Panic(payload) => resume_unwind(ManuallyDrop::into_inner(payload)),
        }
    }
}

/// Recorded work that is not divided into groups.
pub(crate) trait Job: Send + Sync {
    /// Runs the job to its end, inside a part of `parent`, if any.
    fn run(&self, cpu: &Arc<Cpu>, parent: Option<&Parent>) -> Result<(), Stop>;
    /// The estimated time on one thread.
    fn estimate(&self) -> Duration;
}

/// A `par` loop with its captures.
#[derive(Clone, Copy)]
pub(crate) struct ParLoop<D, A, F> {
    pub(crate) kernel: &'static Kernel,
    pub(crate) par_loop: &'static Loop,
    pub(crate) dims: D,
    pub(crate) args: A,
    pub(crate) decided: Decided,
    pub(crate) stack: Stack,
    pub(crate) body: F,
}

impl<D: Dims, A: Args, W, F: Fn(Chunk<D>, A) -> W + Copy + Send + Sync + 'static> Job for ParLoop<D, A, F> {
    fn run(&self, cpu: &Arc<Cpu>, parent: Option<&Parent>) -> Result<(), Stop> {
        self.execute(cpu, parent);
        Ok(())
    }

    fn estimate(&self) -> Duration {
        estimate(self.par_loop, self.dims.count())
    }
}

/// A copy or a fill, with the number of bytes that it accesses.
pub(crate) struct Task<F>(pub(crate) F, pub(crate) usize, pub(crate) Work);

impl<F: Fn() + Send + Sync> Job for Task<F> {
    fn run(&self, cpu: &Arc<Cpu>, _: Option<&Parent>) -> Result<(), Stop> {
        let _span = cpu.trace.span(self.2);
        (self.0)();
        Ok(())
    }

    fn estimate(&self) -> Duration {
        // About ten bytes per nanosecond.
        Duration::from_nanos(self.1 as u64 / 10)
    }
}

/// The time of the last run of a library kernel, in nanoseconds; 0 before the first.
#[derive(Debug, Default)]
pub struct Measured(AtomicU64);

impl Measured {
    /// Before the first run.
    pub const fn new() -> Self {
        Self(AtomicU64::new(0))
    }
}

/// The body of a library kernel.
pub(crate) struct LibraryJob<F> {
    pub(crate) kernel: &'static Kernel,
    pub(crate) body: F,
    pub(crate) measured: &'static Measured,
}

impl<F: Fn() -> Result<(), Error> + Send + Sync> Job for LibraryJob<F> {
    fn run(&self, cpu: &Arc<Cpu>, _: Option<&Parent>) -> Result<(), Stop> {
        let _span = cpu.trace.span(Work::Library(self.kernel));
        let start = Instant::now();
        // What the body has written is unspecified after a panic, as after an error; it holds
        // `DeviceCopy` values.
        let returned =
            catch_unwind(AssertUnwindSafe(&self.body)).map_err(|payload| Stop::Panic(ManuallyDrop::new(payload)))?;
        let nanos = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.measured.0.store(nanos.max(1), Ordering::Relaxed);
        returned.map_err(Stop::Error)
    }

    fn estimate(&self) -> Duration {
        match self.measured.0.load(Ordering::Relaxed) {
            0 => UNKNOWN,
            nanos => Duration::from_nanos(nanos),
        }
    }
}

/// The iterations of a loop. Only they are compiled for each loop: what surrounds them is not
/// generic.
trait Iterations: Send + Sync {
    /// Runs a part of them.
    fn run(&self, part: Range<usize>);
    /// The same iterations, for other threads.
    fn shared(&self) -> Arc<dyn Iterations>;
}

impl<D: Dims, A: Args, W, F: Fn(Chunk<D>, A) -> W + Copy + Send + Sync + 'static> Iterations for ParLoop<D, A, F> {
    #[inline]
    fn run(&self, part: Range<usize>) {
        instructions::call(&self.body, Chunk::new(self.dims, part, self.decided), self.args);
    }

    fn shared(&self) -> Arc<dyn Iterations> {
        Arc::new(*self)
    }
}

impl<D: Dims, A: Args, W, F: Fn(Chunk<D>, A) -> W + Copy + Send + Sync + 'static> ParLoop<D, A, F> {
    /// Runs all iterations. The device keeps a panic.
    #[inline]
    pub(crate) fn execute(&self, cpu: &Arc<Cpu>, parent: Option<&Parent>) {
        self.execution().execute(self, cpu, parent);
    }

    /// Fails if the values of the loop are too large for any stack.
    #[inline]
    pub(crate) fn check_stack(&self) -> Result<(), Error> {
        if self.stack.is_too_large() { Err(self.execution().too_large()) } else { Ok(()) }
    }

    #[inline]
    fn execution(&self) -> Execution {
        let ParLoop { kernel, par_loop, stack, ref dims, .. } = *self;
        Execution { kernel, par_loop, stack, total: dims.count(), width: dims.width() }
    }
}

/// How a loop of any type runs.
#[derive(Clone, Copy)]
struct Execution {
    kernel: &'static Kernel,
    par_loop: &'static Loop,
    stack: Stack,
    /// The number of iterations.
    total: usize,
    /// The iterations of a row.
    width: usize,
}

impl Execution {
    fn execute(self, iterations: &dyn Iterations, cpu: &Arc<Cpu>, parent: Option<&Parent>) {
        let Self { kernel, par_loop, total, .. } = self;
        if total == 0 {
            return;
        }
        let _span = cpu.trace.span(Work::Loop(kernel, par_loop, total as u64));
        let expected = estimate(par_loop, total);
        let is_timed = !is_surely_small(par_loop, total);
        let threads = if total > 1 { threads_for(expected) } else { 1 };
        let spent = if threads == 1 {
            self.chunk(iterations, cpu, 0..total, is_timed)
        } else {
            let worthwhile = usize::try_from(expected.as_nanos() / CHUNK.as_nanos()).unwrap_or(usize::MAX).max(1);
            let parts = (threads * CHUNKS_A_THREAD).min(total).min(worthwhile);
            self.distribute(iterations.shared(), cpu, parent, parts, is_timed)
        };
        if is_timed {
            let measured = spent.saturating_mul(1000) / total as u64;
            par_loop.cost.measured.store(measured.max(1), Ordering::Relaxed);
        }
    }

    /// Runs all iterations in this number of parts. Returns the nanoseconds of all chunks together,
    /// if they are timed.
    #[cold]
    fn distribute(
        self,
        iterations: Arc<dyn Iterations>,
        cpu: &Arc<Cpu>,
        parent: Option<&Parent>,
        parts: usize,
        is_timed: bool,
    ) -> u64 {
        let spent = Arc::new(AtomicU64::new(0));
        let (cpu, sum) = (Arc::clone(cpu), Arc::clone(&spent));
        team::distribute(parent, parts, move |part, _| {
            let cut = |part| cut(part, parts, self.total, self.width);
            sum.fetch_add(self.chunk(&*iterations, &cpu, cut(part)..cut(part + 1), is_timed), Ordering::Relaxed);
        });
        spent.load(Ordering::Relaxed)
    }

    /// Returns the time in nanoseconds, or 0 if the chunk is not timed.
    fn chunk(self, iterations: &dyn Iterations, cpu: &Cpu, part: Range<usize>, is_timed: bool) -> u64 {
        if self.stack.is_usual() {
            self.chunk_here(iterations, cpu, part, is_timed)
        } else {
            self.chunk_on_its_own_stack(iterations, cpu, part, is_timed)
        }
    }

    fn chunk_here(self, iterations: &dyn Iterations, cpu: &Cpu, part: Range<usize>, is_timed: bool) -> u64 {
        let start = is_timed.then(Instant::now);
        if let Err(error) = caught(self.kernel, self.par_loop, || iterations.run(part)) {
            cpu.set_panic(error);
        }
        start.map_or(0, |start| u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX))
    }

    #[cold]
    fn chunk_on_its_own_stack(self, iterations: &dyn Iterations, cpu: &Cpu, part: Range<usize>, is_timed: bool) -> u64 {
        self.stack.run(|| self.chunk_here(iterations, cpu, part, is_timed)).unwrap_or_else(|_| {
            cpu.set_panic(self.too_large());
            0
        })
    }

    #[cold]
    fn too_large(self) -> Error {
        let (bytes, most) = self.stack.values_and_most();
        Error::TooMuchLocalMemory {
            kernel: self.kernel.name,
            header: self.par_loop.header,
            file: self.kernel.file,
            line: self.par_loop.line,
            bytes,
            most,
            largest: None,
        }
    }
}

/// The first iteration of a part. Long parts begin where a row does, or else, in a loop over one
/// range, where lanes do: iterations that fill no lanes run one by one.
fn cut(part: usize, parts: usize, total: usize, width: usize) -> usize {
    let at = (total as u128 * part as u128 / parts as u128) as usize;
    let has_many = |grain: &usize| total / parts / grain >= GRAINS;
    match [width.max(1), lanes::WIDTH].into_iter().find(has_many) {
        Some(grain) if part < parts => at / grain * grain,
        _ => at,
    }
}

/// The number of threads for work of this length: one, or all.
#[inline]
fn threads_for(expected: Duration) -> usize {
    if expected < WAKING {
        return 1;
    }
    let threads = rayon::current_num_threads();
    let saved = expected - expected / u32::try_from(threads).unwrap_or(u32::MAX);
    if saved < WAKING { 1 } else { threads }
}

/// The macro's estimate; `None` if the length of the body is unknown.
#[inline]
fn static_estimate(par_loop: &Loop, iterations: usize) -> Option<Duration> {
    // About half a nanosecond per operation.
    let operations = u64::from(par_loop.cost.operations.max(1)).saturating_mul(iterations as u64);
    (!par_loop.cost.unbounded).then(|| Duration::from_nanos(operations / 2))
}

#[inline]
fn is_surely_small(par_loop: &Loop, iterations: usize) -> bool {
    static_estimate(par_loop, iterations).is_some_and(|estimate| estimate < SURELY_SMALL)
}

/// The time of some iterations on one thread.
#[inline]
fn estimate(par_loop: &Loop, iterations: usize) -> Duration {
    match (par_loop.cost.measured.load(Ordering::Relaxed), static_estimate(par_loop, iterations)) {
        (_, Some(small)) if small < SURELY_SMALL => small,
        (0, unmeasured) => unmeasured.unwrap_or(UNKNOWN),
        (measured, _) => Duration::from_nanos(measured.saturating_mul(iterations as u64) / 1000),
    }
}

fn estimate_all(ops: &[Op]) -> Duration {
    ops.iter().fold(Duration::ZERO, |sum, op| {
        sum.saturating_add(match op {
            Op::Job(job) => job.estimate(),
            Op::Fork(parallel) => {
                parallel.groups.iter().fold(Duration::ZERO, |sum, g| sum.saturating_add(estimate_all(g)))
            }
            Op::Enter(_) | Op::Leave => Duration::ZERO,
        })
    })
}

/// Runs the groups of a fork to their ends.
///
/// A failed loop does not end its group. Later loops run as on a GPU, so their results are the same
/// there. A failed library kernel ends its group, and no other one. Of several failures this
/// returns the first in the order of the source.
pub(crate) fn run_groups(cpu: &Arc<Cpu>, parent: Option<&Parent>, parallel: &Arc<Parallel>) -> Result<(), Stop> {
    let Parallel { kernel, described, groups } = &**parallel;
    // Running the other groups beside the longest one saves at most their total time.
    let (sum, longest) = groups
        .iter()
        .map(|group| estimate_all(group))
        .fold((Duration::ZERO, Duration::ZERO), |(sum, longest), one| (sum.saturating_add(one), longest.max(one)));
    let span = cpu.trace.span(Work::Fork(kernel, described));
    let fork: Option<Begun> = span.as_ref().map(|span| span.begun());
    if sum - longest < WAKING {
        let run = |number| run_group(cpu, parent, parallel, fork, number);
        return (0..groups.len()).map(run).fold(Ok(()), first);
    }
    let stopped: Arc<Lock<Vec<(usize, Stop)>>> = Arc::default();
    let (on, of, stops) = (Arc::clone(cpu), Arc::clone(parallel), Arc::clone(&stopped));
    team::distribute(parent, groups.len(), move |number, parent| {
        if let Err(stop) = run_group(&on, Some(parent), &of, fork, number) {
            stops.lock().push((number, stop));
        }
    });
    let mut stopped = std::mem::take(&mut *stopped.lock());
    stopped.sort_by_key(|(number, _)| *number);
    stopped.into_iter().map(|(_, stop)| Err(stop)).fold(Ok(()), first)
}

/// The first failure. The second may be the error of a library, which is code of the user, and a
/// fork joins in a destructor.
fn first(one: Result<(), Stop>, two: Result<(), Stop>) -> Result<(), Stop> {
    match one {
        Ok(()) => two,
        Err(stop) => {
            dropped(two);
            Err(stop)
        }
    }
}

fn run_group(
    cpu: &Arc<Cpu>,
    parent: Option<&Parent>,
    parallel: &Parallel,
    fork: Option<Begun>,
    number: usize,
) -> Result<(), Stop> {
    let _range = nvtx::group(parallel.described, number);
    let _lane = fork.and_then(|fork| cpu.trace.enter_lane(fork, parallel.described, number));
    run_all(cpu, parent, &parallel.groups[number])
}

/// Runs recorded work in order.
pub(crate) fn run_all(cpu: &Arc<Cpu>, parent: Option<&Parent>, ops: &[Op]) -> Result<(), Stop> {
    let calls = cpu.trace.calls();
    let mut ranges = Vec::new();
    ops.iter().try_for_each(|op| {
        match op {
            Op::Enter(kernel) => ranges.extend(nvtx::kernel(kernel)),
            Op::Leave => {
                ranges.pop();
            }
            Op::Job(_) | Op::Fork(_) => {}
        }
        match (op, &calls) {
            (Op::Enter(kernel), Some(calls)) => calls.enter(kernel),
            (Op::Leave, Some(calls)) => calls.leave(),
            (Op::Enter(_) | Op::Leave, None) | (Op::Job(_) | Op::Fork(_), _) => {}
        }
        op.run_on(cpu, parent)
    })
}

impl Op {
    /// Runs the operation to its end.
    pub(crate) fn run_on(&self, cpu: &Arc<Cpu>, parent: Option<&Parent>) -> Result<(), Stop> {
        match self {
            Op::Job(job) => job.run(cpu, parent),
            Op::Fork(parallel) => run_groups(cpu, parent, parallel),
            Op::Enter(_) | Op::Leave => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::cost::Cost;
    use crate::model::kernel::Number;

    const fn par_loop(operations: u32, unbounded: bool) -> Loop {
        Loop::of_a_test(Cost::new(operations, unbounded))
    }

    #[test]
    fn the_last_run_decides_once_there_is_one() {
        let counted = par_loop(10, false);
        assert_eq!(estimate(&counted, 1_000_000), Duration::from_millis(5));
        counted.cost.measured.store(100, Ordering::Relaxed);
        assert_eq!(estimate(&counted, 1_000_000), Duration::from_micros(100));
        assert_eq!(estimate(&counted, 100), Duration::from_nanos(500), "small loops are not timed");
        let unknown = par_loop(10, true);
        assert_eq!(estimate(&unknown, 1), UNKNOWN);
        unknown.cost.measured.store(2_000_000, Ordering::Relaxed);
        assert_eq!(estimate(&unknown, 3), Duration::from_micros(6));
    }

    #[test]
    fn estimates_do_not_overflow() {
        assert!(estimate(&par_loop(u32::MAX, false), usize::MAX) > Duration::from_secs(1_000_000_000));
        let measured = par_loop(1, true);
        measured.cost.measured.store(u64::MAX, Ordering::Relaxed);
        assert!(estimate(&measured, usize::MAX) > Duration::from_secs(1_000_000));
    }

    #[test]
    fn parts_cover_a_loop_and_begin_where_rows_or_lanes_do() {
        for (total, width, parts, grain) in [
            (1_000_003, 1_000_003, 8, lanes::WIDTH),
            (1000 * 700, 1000, 8, 1000),
            (1000 * 20, 1000, 8, lanes::WIDTH),
            (100, 100, 8, 1),
            (usize::MAX, usize::MAX, 3, lanes::WIDTH),
            (7, 0, 7, 1),
        ] {
            let starts: Vec<usize> = (0..=parts).map(|part| cut(part, parts, total, width)).collect();
            assert!(starts.is_sorted());
            assert_eq!((starts[0], starts[parts]), (0, total));
            assert!(starts[..parts].iter().all(|start| start % grain == 0), "{starts:?}");
        }
    }

    #[test]
    fn threads_are_woken_only_where_that_saves_time() {
        assert_eq!(threads_for(Duration::ZERO), 1);
        assert_eq!(threads_for(WAKING - Duration::from_nanos(1)), 1);
        assert_eq!(threads_for(Duration::MAX), rayon::current_num_threads());
    }

    /// A small loop of unknown length first runs on several threads, and later on one.
    #[test]
    fn the_cost_of_threads_is_no_cost_of_the_loop() {
        static LOOPS: [Loop; 1] = [par_loop(1, true)];
        static KERNEL: Kernel = Kernel {
            number: Number::new(),
            name: "k",
            module: "m",
            file: "k.rs",
            line: 1,
            loops: &LOOPS,
            fused: &[],
            plan: &[],
        };
        let cpu = Arc::new(Cpu::default());
        let dims = crate::model::ranges::dim(0, 64);
        let body = |chunk: Chunk<_>, ()| {
            std::hint::black_box(crate::model::ranges::trips_of(&chunk));
        };
        let par_loop = ParLoop {
            kernel: &KERNEL,
            par_loop: &LOOPS[0],
            dims,
            args: (),
            decided: Decided::NO,
            stack: Stack::SMALL,
            body,
        };
        assert_eq!(par_loop.estimate(), UNKNOWN);
        // One run may be interrupted by the system; ten in a row are not.
        let becomes_small = (0..10).any(|_| {
            par_loop.execute(&cpu, None);
            par_loop.estimate() < WAKING
        });
        assert!(becomes_small, "{:?}", par_loop.estimate());
    }
}
