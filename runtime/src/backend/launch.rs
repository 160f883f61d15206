//! The work of a stream: launches with their loops and groups, copies and fills.

use std::sync::Arc;

use super::failing::{Callers, Failing};
use super::graph::Capture;
use super::memory::{Memory, Use};
use super::stream::Stream;
use crate::cpu::memory::{self, CpuMemory};
use crate::cpu::work::{self, LibraryJob, Measured, Op, ParLoop, Parallel, Stop};
use crate::cpu::{Cpu, instructions};
use crate::error::{Error, Result};
use crate::gpu::{GpuCapture, GpuFork, GpuRun, Lending, Ordered, StreamHandle};
use crate::model::args::Args;
use crate::model::description::Instance;
use crate::model::kernel::{Fused, Groups, Kernel, Loop};
use crate::model::params;
use crate::model::ranges::{Chunk, Dims};
use crate::order::hazard::{AccessMode, Extent};
use crate::trace::{Direction, HostSpan, Scope, Work, nvtx};
use crate::value::DeviceCopy;
use crate::value::scalar::pattern;
use anabranch_core::decide::Verdict;

/// The work of a stream other than loops and graphs. The parts are inside their blocks and have the
/// same length.
pub(crate) enum Command<'a, T> {
    /// Copies from one part to another.
    Copy { to: &'a Use<'a>, from: &'a Use<'a> },
    /// Sets every element of a part.
    Fill { to: &'a Use<'a>, value: T },
}

impl Stream {
    /// Orders all work that is queued from now on after all conflicting uses of these bytes, and
    /// records the new uses. The device must be current.
    #[inline]
    pub(crate) fn order<'u>(&self, uses: impl Iterator<Item = (&'u Memory, Extent, AccessMode)>) -> Result<()> {
        let Stream::Gpu(stream) = self else { return Ok(()) };
        let mut ordered = Ordered::default();
        for (memory, bytes, access) in uses {
            if let Memory::Gpu(memory) = memory {
                memory.wait_for_conflicts(bytes, access, stream, &mut ordered)?;
            }
        }
        Ok(())
    }

    /// Begins the launch of a kernel, which `capture` may record.
    #[inline]
    pub(crate) fn begin<'a>(&'a self, instance: Instance, capture: Option<&'a Capture>) -> Result<Run<'a>> {
        Ok(match self {
            Stream::Cpu(cpu) => {
                instructions::choose()?;
                Run::Cpu { cpu, recorded: capture.map(|_| vec![Op::Enter(instance.kernel)]) }
            }
            Stream::Gpu(stream) => Run::Gpu(GpuRun::begin(stream, instance, capture.and_then(Capture::gpu))?),
        })
    }

    /// Queues a command that has been ordered, or lets `capture` record it. In a capture on the
    /// CPU, returns the operation instead. The device must be current.
    ///
    /// # Safety
    /// Until this returns, no other code writes what the command reads, or uses what it writes. In
    /// a capture, the same must hold whenever the graph is launched.
    pub(crate) unsafe fn queue<T: DeviceCopy>(
        &self,
        command: &Command<'_, T>,
        capture: Option<&Capture>,
    ) -> Result<Option<Op>> {
        match self {
            Stream::Cpu(cpu) => {
                let job = match command {
                    Command::Copy { to: Use { memory: Memory::Cpu(to), bytes, .. }, from } => {
                        let Memory::Cpu(source) = from.memory else { return Ok(None) }; // `prepare` compares devices
                        // SAFETY: the parts are inside their blocks; the caller promises the rest.
                        unsafe { memory::copy(to, bytes.clone(), source, from.bytes.start) }
                    }
                    Command::Fill { to: Use { memory: Memory::Cpu(to), bytes, .. }, value } => {
                        // SAFETY: as above.
                        unsafe { memory::fill(to, bytes.clone(), *value) }
                    }
                    _ => return Ok(None), // `prepare` compares devices
                };
                if capture.is_some() {
                    return Ok(Some(job));
                }
                work::run_all(cpu, None, &[job]).map_err(Stop::raise)?;
            }
            Stream::Gpu(stream) => {
                let _change = capture.and_then(Capture::gpu).map(GpuCapture::change);
                let span = |work| if capture.is_none() { stream.span(work) } else { None };
                match command {
                    Command::Copy { to: Use { memory: Memory::Gpu(to), bytes, .. }, from } => {
                        let Memory::Gpu(source) = from.memory else { return Ok(None) };
                        let _span = span(Work::Copy(Direction::OnDevice, bytes.len()));
                        to.copy_from_async(bytes.start, source, from.bytes.start, bytes.len(), stream)?;
                    }
                    Command::Fill { to: Use { memory: Memory::Gpu(to), bytes, .. }, value } => {
                        let _span = span(Work::Fill(bytes.len()));
                        to.fill(bytes.start, bytes.len(), &pattern(value), stream)?;
                    }
                    _ => return Ok(None),
                }
            }
        }
        Ok(None)
    }
}

/// A launch of a kernel. It exists as long as the host part runs.
pub(crate) enum Run<'a> {
    /// `recorded` is used in a capture.
    Cpu {
        cpu: &'a Arc<Cpu>,
        recorded: Option<Vec<Op>>,
    },
    Gpu(GpuRun<'a>),
}

impl Run<'_> {
    /// [`Stream::order`], with an error that names the kernel.
    #[inline]
    pub(crate) fn order<'u>(
        &self,
        stream: &Stream,
        uses: impl Iterator<Item = (&'u Memory, Extent, AccessMode)>,
    ) -> Result<()> {
        match self {
            Run::Cpu { .. } => Ok(()),
            Run::Gpu(run) => stream.order(uses).map_err(|error| run.named(error)),
        }
    }

    /// The place for loops outside of groups.
    #[inline]
    pub(crate) fn place(&mut self) -> Place<'_> {
        match self {
            Run::Cpu { cpu, recorded } => Place::Cpu { cpu, queue: recorded.as_mut() },
            Run::Gpu(run) => Place::Gpu { run, stream: Some(run.stream()) },
        }
    }

    /// The operations that a capture on the CPU keeps.
    pub(crate) fn into_recorded(self) -> Vec<Op> {
        match self {
            Run::Cpu { recorded, .. } => {
                let mut ops = recorded.unwrap_or_default();
                ops.push(Op::Leave);
                ops
            }
            Run::Gpu(_) => Vec::new(),
        }
    }
}

/// The place where the loops of a part of a host part go.
pub(crate) enum Place<'r> {
    /// They run at once, or are recorded for the join of the enclosing group or for a capture.
    Cpu { cpu: &'r Arc<Cpu>, queue: Option<&'r mut Vec<Op>> },
    /// They are queued. `None`: the group could not be started.
    Gpu { run: &'r GpuRun<'r>, stream: Option<StreamHandle> },
}

impl<'r> Place<'r> {
    /// The `par` loop with this `index` in its kernel. `verdict` is the verdict on it with these
    /// numbers, and `on_cpu` makes what the CPU runs.
    #[inline]
    pub(crate) fn run<D, A, W, F>(
        &mut self,
        index: usize,
        verdict: Verdict,
        dims: &D,
        args: &A,
        on_cpu: impl FnOnce() -> ParLoop<D, A, F>,
    ) -> Result<()>
    where
        D: Dims,
        A: Args,
        F: Fn(Chunk<D>, A) -> W + Copy + Send + Sync + 'static,
    {
        match self {
            Place::Cpu { cpu, queue } => {
                let par = on_cpu();
                par.check_stack()?;
                match queue {
                    None => par.execute(cpu, None),
                    Some(queue) => queue.push(Op::Job(Box::new(par))),
                }
            }
            Place::Gpu { stream: None, .. } => {}
            Place::Gpu { run, stream: Some(stream) } => {
                return launch(run, *stream, index, verdict, dims, args);
            }
        }
        Ok(())
    }

    /// Whether several loops run here as one at least as well as one by one: the CPU keeps the
    /// lanes that one of them has, and a GPU has registers enough.
    #[inline]
    pub(crate) fn suits(&self, kernel: &'static Kernel, fused: &Fused) -> bool {
        match self {
            Place::Cpu { .. } => {
                // Long loops in functions do not count: only the types say which there are.
                let has_long = |part: &Loop| part.lanes.is_ok_and(|lanes| lanes.iter().any(|lanes| lanes.looped));
                let in_lanes = kernel.loops.get(fused.index).is_some_and(|all| all.lanes.is_ok());
                in_lanes || !kernel.parts(fused).iter().any(has_long)
            }
            Place::Gpu { run, .. } => run.suits(fused),
        }
    }

    /// Whether the work of this place is only recorded, and the call of a kernel with it.
    fn runs_later(&self) -> bool {
        matches!(self, Place::Cpu { queue: Some(_), .. })
    }

    /// Lets `host` run with the place for the loops of a kernel that is called here.
    #[inline]
    pub(crate) fn nested(mut self, instance: Instance, host: impl FnOnce(Place<'_>)) -> Result<()> {
        let _range = if self.runs_later() { None } else { nvtx::kernel(instance.kernel) };
        let callee = match &self {
            Place::Cpu { .. } => None,
            Place::Gpu { run, .. } => Some(run.nested(instance)?),
        };
        let _call = match &mut self {
            Place::Cpu { cpu, queue: None } => cpu.trace.enter(Scope::Kernel(instance.kernel)),
            Place::Cpu { queue: Some(queue), .. } => {
                queue.push(Op::Enter(instance.kernel));
                None
            }
            Place::Gpu { run, .. } => run.enter(Scope::Kernel(instance.kernel)),
        };
        host(match (self.reborrow(), &callee) {
            (Place::Gpu { stream, .. }, Some(run)) => Place::Gpu { run, stream },
            (place, _) => place,
        });
        if let Place::Cpu { queue: Some(queue), .. } = self {
            queue.push(Op::Leave);
        }
        Ok(())
    }

    /// Memory for what the work of this place computes on the way; zero, unless it holds
    /// `any_bits`. To be dropped before the host part leaves the place.
    pub(crate) fn scratch(&mut self, bytes: usize, any_bits: bool) -> Result<Memory> {
        Ok(match self {
            Place::Cpu { cpu, queue } => {
                let memory = Arc::new(CpuMemory::zeroed(cpu, bytes)?);
                if let Some(queue) = queue {
                    queue.push(match any_bits {
                        true => memory::kept(&memory),
                        // A graph runs the work again. SAFETY: the part is the whole block, and the
                        // jobs that use it come later in the queue.
                        false => unsafe { memory::fill(&memory, 0..bytes, 0u8) },
                    });
                }
                Memory::Cpu(memory)
            }
            Place::Gpu { run, stream: Some(stream) } => Memory::Gpu(run.scratch(*stream, bytes, any_bits)?),
            Place::Gpu { run, stream: None } => Memory::Gpu(run.no_memory()),
        })
    }

    /// The turn of a library kernel here.
    pub(crate) fn turn(&mut self, kernel: &'static Kernel) -> Result<Turn<'_>> {
        Ok(match self {
            Place::Cpu { cpu, queue: None } => {
                Turn::Now(Now::Cpu { cpu, _span: cpu.trace.span(Work::Library(kernel)) })
            }
            Place::Cpu { queue: Some(queue), .. } => Turn::Later(Queue(queue)),
            Place::Gpu { stream: None, .. } => Turn::Never,
            Place::Gpu { run, stream: Some(stream) } => Turn::Now(Now::Gpu(run.lend(*stream, kernel)?)),
        })
    }

    /// The same place for as long as it is borrowed.
    #[inline]
    pub(crate) fn reborrow(&mut self) -> Place<'_> {
        match self {
            Place::Cpu { cpu, queue } => Place::Cpu { cpu, queue: queue.as_deref_mut() },
            Place::Gpu { run, stream } => Place::Gpu { run, stream: *stream },
        }
    }

    /// A `stream_parallel!` of `G` groups.
    #[inline]
    pub(crate) fn fork<const G: usize>(
        &mut self,
        kernel: &'static Kernel,
        described: &'static Groups,
        failed: Failing<'_>,
    ) -> Fork<'_, G> {
        match self {
            Place::Cpu { cpu, queue } => {
                let groups = std::array::from_fn(|_| Vec::new());
                Fork::Cpu { cpu, parent: queue.as_deref_mut(), kernel, described, groups }
            }
            Place::Gpu { run, stream } => {
                let parent = stream.filter(|_| !failed.is_set());
                Fork::Gpu { run, fork: parent.and_then(|parent| failed.note(run.fork(parent, kernel, described))) }
            }
        }
    }
}

/// When the body of a library kernel runs.
pub(crate) enum Turn<'p> {
    Now(Now<'p>),
    /// In the launch of its group or graph.
    Later(Queue<'p>),
    /// The group could not be started.
    Never,
}

/// The stream for a body that runs at once.
pub(crate) enum Now<'p> {
    Cpu { cpu: &'p Arc<Cpu>, _span: Option<HostSpan<'p>> },
    Gpu(Lending<'p>),
}

impl Now<'_> {
    pub(crate) fn stream(&self) -> Stream {
        match self {
            Now::Cpu { cpu, .. } => Stream::Cpu(Arc::clone(cpu)),
            Now::Gpu(lending) => Stream::Gpu(Arc::clone(lending.stream())),
        }
    }

    /// Whether the memory of the device is that of the host.
    pub(crate) fn is_in_host_memory(&self) -> bool {
        matches!(self, Now::Cpu { .. })
    }

    /// To be called when the body has returned.
    pub(crate) fn end(self) -> Result<()> {
        match self {
            Now::Cpu { .. } => Ok(()),
            Now::Gpu(lending) => lending.end(),
        }
    }
}

/// The operations that a group or a capture has recorded.
pub(crate) struct Queue<'p>(&'p mut Vec<Op>);

impl Queue<'_> {
    /// Adds the body of a library kernel.
    pub(crate) fn library(
        self,
        kernel: &'static Kernel,
        measured: &'static Measured,
        callers: Callers,
        body: impl Fn() -> Result<()> + Send + Sync + 'static,
    ) {
        let body = move || -> Result<(), Error> { body().map_err(|error| callers.name(error)) };
        self.0.push(Op::Job(Box::new(LibraryJob { kernel, body, measured })));
    }
}

/// Queues a loop on a GPU.
#[inline]
fn launch<D: Dims, A: Args>(
    run: &GpuRun<'_>,
    stream: StreamHandle,
    index: usize,
    verdict: Verdict,
    dims: &D,
    args: &A,
) -> Result<()> {
    // SAFETY: generated code calls `par` with the index of the loop whose template it was generated
    // from, and the list of captures in the order of the template's parameters; both come from one
    // pass over the same loop. The buffers are borrowed by the launch, whose uses `Run::order` has
    // ordered, and freeing them is ordered after that; or the launch is captured, and the graph
    // co-owns the buffers and orders its own launches.
    params::packed(dims, args, |ranges, params| unsafe { run.launch(stream, index, verdict, ranges, params) })
}

/// A `stream_parallel!` in progress.
#[allow(clippy::large_enum_variant, reason = "it is on the stack of a host part, and a launch allocates nothing")]
pub(crate) enum Fork<'r, const G: usize> {
    /// Groups are recorded and run together at the join, unless an enclosing place records them.
    Cpu {
        cpu: &'r Arc<Cpu>,
        parent: Option<&'r mut Vec<Op>>,
        kernel: &'static Kernel,
        described: &'static Groups,
        groups: [Vec<Op>; G],
    },
    Gpu {
        run: &'r GpuRun<'r>,
        fork: Option<GpuFork<'r, G>>,
    },
}

impl<const G: usize> Fork<'_, G> {
    /// Begins group `number` and ends the previous group.
    #[inline]
    pub(crate) fn group(&mut self, number: usize, failed: Failing<'_>) -> Place<'_> {
        match self {
            Fork::Cpu { cpu, groups, .. } => Place::Cpu { cpu, queue: Some(&mut groups[number]) },
            Fork::Gpu { run, fork } => {
                let fork = fork.as_mut().filter(|_| !failed.is_set());
                Place::Gpu { run, stream: fork.and_then(|fork| failed.note(fork.enter(number))) }
            }
        }
    }

    /// Ends the last group and joins all of them.
    pub(crate) fn join(&mut self, failed: Failing<'_>) {
        match self {
            Fork::Cpu { cpu, parent, kernel, described, groups } => {
                let groups: Vec<Vec<Op>> = groups.iter_mut().map(std::mem::take).collect();
                let parallel = Arc::new(Parallel { kernel, described, groups });
                match parent {
                    Some(parent) => parent.push(Op::Fork(parallel)),
                    None => {
                        if let Err(stop) = work::run_groups(cpu, None, &parallel) {
                            failed.stop(stop);
                        }
                    }
                }
            }
            Fork::Gpu { run: _, fork } => {
                if let Some(fork) = fork {
                    failed.note(fork.join());
                }
            }
        }
    }
}
