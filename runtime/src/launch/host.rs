//! What a launch does: the host part runs over a [`Ctx`], which launches or records each `par` loop it meets.

use std::cell::RefCell;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

use anabranch_core::limits::MAX_SYMBOLS;

use super::views::Launching;
use crate::buffer::Storage;
use crate::capture::{Recorder, Recording, Work};
use crate::cpu::Cpu;
use crate::cpu::work::{self, Op, ParLoop};
use crate::decide::{Decided, Differ, Facts, Numbers, Refusal, Verdict};
use crate::error::{Error, Result};
use crate::gpu::{CudaFork, CudaRun, Lane, Ordered};
use crate::model::args::Args;
use crate::model::description::{Description, LoopTypes};
use crate::model::kernel::{Instance, Kernel, Loop};
use crate::model::params::Params;
use crate::model::ranges::{Chunk, Dims};
use crate::model::slots::Slots;
use crate::order::hazard::Access;
use crate::order::turn::Turn;
use crate::stream::{Kind, Stream};

/// The types of a loop: its captures and its slots. Unified with both at [`Ctx::par`].
#[derive(Debug)]
pub struct Ty<A, W>(PhantomData<fn() -> (A, W)>);

impl<A, W> Clone for Ty<A, W> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<A, W> Copy for Ty<A, W> {}

/// The types of all loops of a kernel: `(Ty, (Ty, ()))`.
pub trait AllTypes {
    /// Nothing but types.
    fn new() -> Self;
    /// Reads them.
    fn describe(out: &mut Description);
}

impl AllTypes for () {
    fn new() -> Self {}
    fn describe(_: &mut Description) {}
}

impl<A: Args, W: Slots, R: AllTypes> AllTypes for (Ty<A, W>, R) {
    fn new() -> Self {
        (Ty(PhantomData), R::new())
    }
    fn describe(out: &mut Description) {
        // That no function of the loop calls itself, at these types: only here are those of generic functions known.
        const { W::DEPTH };
        let mut types = LoopTypes::default();
        A::types(&mut types.captures);
        W::describe(&mut types.slots);
        out.loops.push(types);
        R::describe(out);
    }
}

/// A buffer argument of a launch.
#[derive(Debug)]
pub struct Use<'a> {
    pub(crate) name: &'static str,
    pub(crate) storage: &'a Storage,
    pub(crate) bytes: Range<usize>,
    pub(crate) access: Access,
}

/// A call of a kernel's launcher, or a look at its types.
#[derive(Debug)]
pub enum Call<'a, V> {
    /// Runs the host part.
    Run {
        /// Where.
        stream: &'a Stream,
        /// What.
        instance: Instance,
        /// The buffer arguments.
        uses: &'a [Use<'a>],
        /// All arguments, for the host part.
        values: V,
    },
    /// Reads the types that the host part and its loops have, and runs nothing.
    Describe(&'a mut Description),
}

impl<V> Call<'_, V> {
    /// The only place where a host part runs.
    #[inline]
    pub fn enter<T: AllTypes, F: FnOnce(&mut Ctx<'_>, T, V)>(self, host: F) -> Result<()> {
        let (stream, instance, uses, values) = match self {
            Call::Describe(out) => {
                T::describe(out);
                return Ok(());
            }
            Call::Run { stream, instance, uses, values } => (stream, instance, uses, values),
        };
        let kernel = instance.kernel;
        // First, so that a capture fails with whatever fails here.
        let recording = stream.recording()?;
        if let Some(used) = uses.iter().find(|used| !used.storage.is_of(stream)) {
            return Err(wrong_device(kernel, used, stream));
        }
        let recorder = recording.as_ref().map(Recording::recorder);
        let failed = RefCell::new(None);
        let mut ops = Vec::new();
        match &stream.kind {
            Kind::Cpu(cpu) => {
                let _turn = take_turn(stream, uses, recording.as_ref())?;
                let queue = recorder.is_some().then_some(&mut ops);
                let target = Target::Cpu { cpu, queue };
                host(&mut Ctx { kernel, failed: &failed, target, recorder }, T::new(), values);
            }
            Kind::Cuda(cuda) => {
                let run = CudaRun::begin(cuda, instance, recorder.and_then(Recorder::cuda))?;
                let _turn = take_turn(stream, uses, recording.as_ref())?;
                let mut ordered = Ordered::default();
                for used in uses.iter().filter(|_| recording.is_none()) {
                    if let Storage::Cuda(memory) = used.storage {
                        run.order(memory, used.bytes.clone(), used.access, &mut ordered)?;
                    }
                }
                let target = Target::Cuda { run: &run, lane: Some(run.lane()) };
                host(&mut Ctx { kernel, failed: &failed, target, recorder }, T::new(), values);
            }
        }
        if let Some(error) = failed.into_inner() {
            return Err(error);
        }
        if let Some(recording) = recording {
            recording.finish(ops);
        }
        Ok(())
    }
}

/// Keeps graphs away from the buffers and puts the launch into the books, or tells a capture of them.
#[inline]
pub(crate) fn take_turn<'a>(
    stream: &Stream,
    uses: &[Use<'a>],
    recording: Option<&Recording<'_>>,
) -> Result<Option<Turn<'a>>> {
    let Some(recording) = recording else {
        let turn = Storage::share_all(uses.iter().map(|used| used.storage))?;
        stream.reports().launches(uses.iter().map(|used| (used.storage.written(), used.access)));
        return Ok(turn);
    };
    uses.iter().try_for_each(|used| recording.uses(used.storage, used.bytes.clone(), used.access))?;
    Ok(None)
}

#[cold]
fn wrong_device(kernel: &'static Kernel, used: &Use<'_>, stream: &Stream) -> Error {
    let (buffer, on) = (used.storage.device_name(), stream.device().to_string());
    let (buffer, stream) = match (used.storage, &stream.kind) {
        // Both would be called the same.
        (Storage::Cpu(_), Kind::Cpu(_)) => ("another CPU device (each `Device::cpu()` makes its own)".to_owned(), on),
        _ => (buffer, on),
    };
    Error::WrongDevice { kernel: kernel.name, argument: used.name, buffer, stream }
}

/// Where the loops of the current place of a host part go.
#[derive(Debug)]
pub struct Ctx<'r> {
    kernel: &'static Kernel,
    /// The first error; behind it nothing is launched any more.
    failed: &'r RefCell<Option<Error>>,
    target: Target<'r>,
    /// Where a capture writes down what is launched.
    recorder: Option<Recorder<'r>>,
}

enum Target<'r> {
    /// Runs loops at once, or records them for the join of the group around.
    Cpu { cpu: &'r Arc<Cpu>, queue: Option<&'r mut Vec<Op>> },
    /// Launches loops on a lane; `None`: the group could not be started.
    Cuda { run: &'r CudaRun<'r>, lane: Option<Lane> },
}

impl std::fmt::Debug for Target<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Target::Cpu { .. } => "Cpu",
            Target::Cuda { .. } => "Cuda",
        })
    }
}

impl<'r> Ctx<'r> {
    /// What views without a lifetime are made with.
    #[inline(always)]
    pub fn launching(&self) -> Launching<'_> {
        Launching::new()
    }

    /// One `par` loop.
    #[inline]
    pub fn par<D: Dims, A: Args, W: Slots, F>(&mut self, _: Ty<A, W>, index: usize, dims: D, args: A, body: F)
    where
        F: Fn(Chunk<D>, A) -> W + Send + Sync + 'static,
    {
        let Some(description) = self.kernel.loops.get(index) else { return }; // the macro numbers the loops that it lists
        if self.failed.borrow().is_some() {
            return;
        }
        if dims.stands_still() {
            return self.fail(zero_step(self.kernel, description));
        }
        let verdict = match decide::<D, A, W>(&description.facts, &dims, &args) {
            Ok(verdict) => verdict,
            Err(refusal) => return self.fail(refused(self.kernel, description, refusal)),
        };
        if let Some(recorder) = self.recorder.filter(|_| dims.rows().saturating_mul(dims.width()) > 0) {
            recorder.add(Work::Loop(self.kernel, description));
        }
        match &mut self.target {
            Target::Cpu { cpu, queue } => {
                let decided = Decided::by(verdict);
                let looped = ParLoop { kernel: self.kernel, looped: description, dims, args, decided, body };
                match queue {
                    None => looped.execute(cpu),
                    Some(queue) => queue.push(Op::Job(Box::new(looped))),
                }
            }
            Target::Cuda { run, lane } => {
                let Some(lane) = *lane else { return };
                let result = launch(run, lane, index, verdict, &dims, &args);
                if let Err(error) = result {
                    self.fail(error);
                }
            }
        }
    }

    /// A `stream_parallel!`. The guard joins when it goes, also on an early way out.
    #[inline]
    pub fn fork<const G: usize>(&mut self) -> Fork<'_, G> {
        let state = match &mut self.target {
            Target::Cpu { cpu, queue } => {
                ForkState::Cpu { cpu, parent: queue.as_deref_mut(), groups: std::array::from_fn(|_| Vec::new()) }
            }
            Target::Cuda { run, lane } => {
                let forked = match lane {
                    Some(lane) if self.failed.borrow().is_none() => match run.fork(*lane) {
                        Ok(fork) => Some(fork),
                        Err(error) => {
                            self.failed.borrow_mut().get_or_insert(error);
                            None
                        }
                    },
                    _ => None,
                };
                ForkState::Cuda { run, fork: forked }
            }
        };
        let recorder = self.recorder.map(|parent| (parent, parent.fork(G)));
        Fork { kernel: self.kernel, failed: self.failed, state, recorder }
    }

    #[cold]
    fn fail(&self, error: Error) {
        self.failed.borrow_mut().get_or_insert(error);
    }
}

#[cold]
fn zero_step(kernel: &Kernel, looped: &Loop) -> Error {
    Error::ZeroStep { kernel: kernel.name, header: looped.header, file: kernel.file, line: looped.line }
}

/// What the numbers of a launch say of the elements that a loop touches.
#[inline]
fn decide<D: Dims, A: Args, W: Slots>(facts: &Facts, dims: &D, args: &A) -> Result<Verdict, Refusal> {
    if facts.accesses.is_empty() {
        return Ok(Verdict::Proved { narrow: true });
    }
    let Some(axes) = dims.axes() else { return facts.without_numbers() };
    let decide = |symbols: &mut [Option<i128>]| {
        for (at, symbol) in symbols.iter_mut().zip(facts.symbols) {
            match symbol.number(|capture| args.number(capture), W::number) {
                Ok(number) => *at = number,
                Err(Differ) => return facts.without_numbers(),
            }
        }
        facts.decide(&Numbers { axes: &axes[..D::COUNT], symbols, types: &W::integer })
    };
    match facts.symbols.len() {
        ..=4 => decide(&mut [None; 4][..facts.symbols.len()]),
        count => decide(&mut [None; MAX_SYMBOLS][..count.min(MAX_SYMBOLS)]),
    }
}

#[cold]
fn refused(kernel: &Kernel, looped: &Loop, refusal: Refusal) -> Error {
    let access = |number: usize| looped.facts.accesses.get(number);
    let buffer = |number| {
        let capture = access(number).and_then(|access| looped.captures.get(access.view));
        capture.map_or("", |capture| capture.name)
    };
    let text = |number| access(number).map_or("", |access| access.text);
    let place = |number| access(number).map_or((looped.line, looped.column), |access| (access.line, access.column));
    let (kernel, file, header) = (kernel.name, kernel.file, looped.header);
    match refusal {
        Refusal::OutOfBounds { access, index, len } => {
            let (line, column) = place(access);
            let (buffer, access) = (buffer(access), text(access));
            // A length is a `usize`; only an index so far out that its last digits are of no interest does not fit.
            let index = i64::try_from(index).unwrap_or(if index < 0 { i64::MIN } else { i64::MAX });
            let len = usize::try_from(len).unwrap_or_default();
            Error::OutOfBounds { kernel, header, access, buffer, index, len, file, line, column }
        }
        Refusal::Overlap { first, second } => {
            let (buffer, line) = (buffer(first), place(second).0);
            Error::Overlap { kernel, header, buffer, first: text(first), second: text(second), file, line }
        }
    }
}

fn launch<D: Dims, A: Args>(
    run: &CudaRun<'_>,
    lane: Lane,
    index: usize,
    verdict: Verdict,
    dims: &D,
    args: &A,
) -> Result<()> {
    let mut params = Params::default();
    args.push(&mut params);
    let dims = &dims.args()[..D::COUNT];
    // SAFETY: generated code calls `par` with the index of the loop whose template it was generated from, and the list
    // of captures in the order of the template's parameters; both come from one pass over the same loop. The buffers
    // are borrowed by the launch, whose uses `Call::enter` has ordered, freeing them is ordered behind that; or the launch is
    // captured, and the graph co-owns the buffers and orders its own launches.
    unsafe { run.launch(lane, index, verdict, dims, &mut params) }
}

/// A `stream_parallel!` under way.
#[derive(Debug)]
pub struct Fork<'r, const G: usize> {
    kernel: &'static Kernel,
    failed: &'r RefCell<Option<Error>>,
    state: ForkState<'r, G>,
    /// Of the place around, and of the first group.
    recorder: Option<(Recorder<'r>, Recorder<'r>)>,
}

enum ForkState<'r, const G: usize> {
    Cpu { cpu: &'r Arc<Cpu>, parent: Option<&'r mut Vec<Op>>, groups: [Vec<Op>; G] },
    Cuda { run: &'r CudaRun<'r>, fork: Option<CudaFork<'r, G>> },
}

impl<const G: usize> std::fmt::Debug for ForkState<'_, G> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            ForkState::Cpu { .. } => "Cpu",
            ForkState::Cuda { .. } => "Cuda",
        })
    }
}

impl<const G: usize> Fork<'_, G> {
    /// Begins group `number`; the one before it ends.
    #[inline]
    pub fn group(&mut self, number: usize) -> Ctx<'_> {
        let target = match &mut self.state {
            ForkState::Cpu { cpu, groups, .. } => Target::Cpu { cpu, queue: Some(&mut groups[number]) },
            ForkState::Cuda { run, fork } => {
                let lane = match fork {
                    Some(fork) if self.failed.borrow().is_none() => match fork.enter(number) {
                        Ok(lane) => Some(lane),
                        Err(error) => {
                            self.failed.borrow_mut().get_or_insert(error);
                            None
                        }
                    },
                    _ => None,
                };
                Target::Cuda { run, lane }
            }
        };
        let recorder = self.recorder.map(|(_, first)| first.group(number));
        Ctx { kernel: self.kernel, failed: self.failed, target, recorder }
    }
}

impl<const G: usize> Drop for Fork<'_, G> {
    /// The join, on every way out. After an error or a panic of the host part the CPU runs what it has recorded until then, because a GPU
    /// has launched it: on both devices what stands before that place has run, and nothing behind it.
    fn drop(&mut self) {
        if let Some((parent, first)) = self.recorder {
            parent.join(first, G);
        }
        match &mut self.state {
            ForkState::Cpu { cpu, parent, groups } => {
                let groups: Vec<Vec<Op>> = groups.iter_mut().map(std::mem::take).collect();
                match parent {
                    Some(parent) => parent.push(Op::Fork(groups)),
                    None => work::run_groups(cpu, &groups),
                }
            }
            ForkState::Cuda { run: _, fork } => {
                if let Some(Err(error)) = fork.take().map(CudaFork::join) {
                    self.failed.borrow_mut().get_or_insert(error);
                }
            }
        }
    }
}
