//! The host part of a launch. It runs with a [`Ctx`], which launches or records each `par` loop.

use std::any::TypeId;
use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::OnceLock;

use anabranch_core::facts::{Facts, Member, Source};
use anabranch_core::limits::MAX_ATOMS;

use super::called::{Called, CalledKernel, Nested};
use super::enqueue::{self, Enqueue};
use super::views::Launching;
use crate::backend::{self, Failing, FirstError, ParLoop, Place, Stack, Use};
use crate::capture::{Recorder, Work};
use crate::error::{Error, Overlap, Parallel, Result};
use crate::model::args::Args;
use crate::model::description::{self, Description, Inferred, Instance, LoopTypes, SlotValue, reachable};
use crate::model::judge::{Decided, Judge};
use crate::model::kernel::{CaptureKind, Fused, Groups, Kernel, Loop};
use crate::model::ranges::{Chunk, Dims, Longest, Ranges};
use crate::model::slots::Slots;
use crate::settings::switch;
use crate::stream::Stream;
use crate::trace::{Scope, nvtx};
use anabranch_core::decide::{self, Axis, Differ, Example, Inlined, Numbers, Refusal, Verdict, without_numbers};
use anabranch_core::scalar::IntType;

/// The types of a loop's captures and slots. [`Ctx::par`] unifies it with both.
#[derive(Debug)]
pub struct Ty<A, W>(PhantomData<fn() -> (A, W)>);

impl<A, W> Clone for Ty<A, W> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<A, W> Copy for Ty<A, W> {}

/// The types of all loops of a kernel, then of all kernels that it calls:
/// `(Ty, (Ty, (Called, ())))`.
pub trait AllTypes {
    /// A value without data, only with types.
    fn new() -> Self;
    /// Reads the types.
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
        // Checks that no function of the loop calls itself with these types. Only here are the
        // types of generic functions known.
        const { W::DEPTH };
        let mut types = LoopTypes::default();
        A::types(&mut types.captures);
        W::describe(&mut types.slots);
        W::lanes(&mut types.lanes);
        out.loops.push(types);
        R::describe(out);
    }
}

impl<I: CalledKernel, R: AllTypes> AllTypes for (Called<I>, R) {
    fn new() -> Self {
        (Called::new(), R::new())
    }
    fn describe(out: &mut Description) {
        out.calls.push(I::instance);
        R::describe(out);
    }
}

/// A call of a kernel's launcher, or a query of its types.
#[derive(Debug)]
pub enum Call<'a, V> {
    /// Runs the host part.
    Run {
        /// The stream to launch on.
        stream: &'a Stream,
        /// The kernel.
        instance: Instance,
        /// The buffer arguments.
        uses: &'a [Use<'a>],
        /// All arguments, for the host part.
        values: V,
    },
    /// Runs the host part as a part of another one.
    Nested {
        /// The place of the call.
        place: Nested<'a>,
        /// The called kernel.
        instance: Instance,
        /// All arguments, for the host part.
        values: V,
    },
    /// Reads the types of the host part and its loops. Nothing runs.
    Describe(&'a mut Description),
}

impl<V> Call<'_, V> {
    /// The only place where a host part runs.
    #[inline]
    pub fn enter<T: AllTypes, F: FnOnce(&mut Ctx<'_>, T, V)>(self, host: F) -> Result<()> {
        let (start, values) = match self {
            Call::Describe(out) => {
                T::describe(out);
                return Ok(());
            }
            Call::Nested { place, instance, values } => (Start::Nested(place, instance), values),
            Call::Run { stream, instance, uses, values } => (Start::Launch { stream, instance, uses }, values),
        };
        let mut host = Some((host, values));
        start.run(&mut |ctx| {
            if let Some((host, values)) = host.take() {
                host(ctx, T::new(), values);
            }
        })
    }
}

/// How a host part of any type begins.
enum Start<'a> {
    Launch { stream: &'a Stream, instance: Instance, uses: &'a [Use<'a>] },
    Nested(Nested<'a>, Instance),
}

impl Start<'_> {
    /// Calls `host` at most once. It is not generic, so that it is not compiled for each kernel.
    fn run(self, host: &mut dyn FnMut(&mut Ctx<'_>)) -> Result<()> {
        let (stream, instance, uses) = match self {
            Start::Launch { stream, instance, uses } => (stream, instance, uses),
            Start::Nested(place, instance) => {
                place.run(instance, host);
                return Ok(());
            }
        };
        let kernel = instance.kernel;
        let mut enqueue = Enqueue::prepare(stream, uses, |used| wrong_device(kernel, used, stream))
            .map_err(|error| error.in_kernel(kernel.name))?;
        let backend = &stream.backend;
        let _range = nvtx::kernel(kernel);
        // A graph traces its launches, not its capture.
        let _scope = enqueue.capture().is_none().then(|| backend.trace().enter(Scope::Kernel(kernel))).flatten();
        let mut run = backend.begin(instance, enqueue.capture())?;
        enqueue.order(uses, || run.order(backend, enqueue::parts(uses)))?;
        let failed = FirstError::default();
        let (place, recorder) = (run.place(), enqueue.recorder());
        let ctx = &mut Ctx { kernel, stream, failed: failed.at_the_launch(), place, recorder, only_decides: false };
        on_device(stream.device().is_cpu(), || host(ctx));
        failed.into_result()?;
        enqueue.record(|| run.into_recorded());
        Ok(())
    }
}

thread_local! {
    /// Whether the host part that runs on this thread is that of a launch on the CPU device.
    static ON_CPU: Cell<bool> = const { Cell::new(false) };
}

/// Whether the loops of the host part that calls this run on the CPU device.
pub(crate) fn on_cpu() -> bool {
    ON_CPU.get()
}

/// Runs the host part of a launch. In it there may be another launch, on another device.
#[inline]
fn on_device(cpu: bool, host: impl FnOnce()) {
    struct Outer(bool);
    impl Drop for Outer {
        fn drop(&mut self) {
            ON_CPU.set(self.0);
        }
    }
    let _outer = Outer(ON_CPU.replace(cpu));
    host();
}

#[cold]
fn wrong_device(kernel: &'static Kernel, used: &Use<'_>, stream: &Stream) -> Error {
    let (buffer, stream) = (used.memory.device_beside(&stream.backend), stream.device().to_string());
    Error::WrongDevice { kernel: kernel.name, argument: used.name, buffer, stream }
}

/// The place where the loops of the current part of a host part go.
pub struct Ctx<'r> {
    pub(super) kernel: &'static Kernel,
    /// The stream of the launch.
    pub(super) stream: &'r Stream,
    pub(super) failed: Failing<'r>,
    pub(super) place: Place<'r>,
    /// The place where a capture records the launches.
    pub(super) recorder: Option<Recorder<'r>>,
    /// Loops are decided, and not launched.
    pub(super) only_decides: bool,
}

impl std::fmt::Debug for Ctx<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Ctx(of {})", self.kernel.name)
    }
}

impl<'r> Ctx<'r> {
    /// The place of a call of another kernel.
    #[inline]
    pub fn nested(&mut self, line: u32) -> Nested<'_> {
        let Ctx { kernel, stream, failed, ref mut place, recorder, only_decides: _ } = *self;
        Nested { by: kernel, line, stream, failed, place: place.reborrow(), recorder }
    }

    /// The token that creating views without a lifetime requires.
    #[inline(always)]
    pub fn launching(&self) -> Launching<'_> {
        Launching::new()
    }

    /// From here on, whether loops are decided, and not launched.
    #[inline]
    pub fn only_decides(&mut self, only: bool) {
        self.only_decides = only;
    }

    /// One `par` loop.
    #[inline]
    pub fn par<D: Dims, A: Args, W: Slots, F>(&mut self, _: Ty<A, W>, index: usize, dims: D, args: A, body: F)
    where
        F: Fn(Chunk<D>, A) -> W + Copy + Send + Sync + 'static,
    {
        let Some(description) = self.kernel.loops.get(index) else { return }; // the macro numbers the loops that it lists
        let number = |capture, member: &_| args.number(capture, member);
        let remembered = self.remembered(&description.judge, TypeId::of::<F>(), &dims, |source| {
            decide::number(source, number, W::number)
        });
        let verdict = remembered.or_else(|| self.verdict(description, &OfLoop::new::<D, W, F>(&dims, &number)));
        if let Some(verdict) = verdict {
            let result = self.run(index, description, verdict, dims, args, body);
            self.failed.note(result);
        }
    }

    /// Several loops as one, the `number`th of these: whether it has been launched. If not, nothing
    /// has happened, and the loops are to be launched one by one. Their ranges, `alike`,
    /// must be equal.
    #[inline]
    pub fn fused<D: Dims, A: Args, W: Slots, F>(
        &mut self,
        _: Ty<A, W>,
        number: usize,
        dims: D,
        alike: &[&dyn Ranges],
        args: A,
        body: F,
    ) -> bool
    where
        F: Fn(Chunk<D>, A) -> W + Copy + Send + Sync + 'static,
    {
        let Some(fused) = self.kernel.fused.get(number) else { return false };
        let Some(description) = self.kernel.loops.get(fused.index) else { return false };
        if !same(alike) {
            return false;
        }
        let number = |capture, member: &_| args.number(capture, member);
        let remembered = self.remembered(&description.judge, TypeId::of::<F>(), &dims, |source| {
            decide::number(source, number, W::number)
        });
        let verdict =
            remembered.or_else(|| self.verdict_of_fused(fused, description, &OfLoop::new::<D, W, F>(&dims, &number)));
        let proved = Verdict::Proved { narrow: true };
        if verdict != Some(proved) || !self.place.suits(self.kernel, fused) {
            return false;
        }
        match self.run(fused.index, description, proved, dims, args, body) {
            // Each of them alone may need less.
            Err(Error::TooMuchLocalMemory { .. } | Error::TooManyParameters { .. }) => return false,
            result => {
                self.failed.note(result);
            }
        }
        if let Some(recorder) = self.recorder.filter(|_| dims.count() > 0) {
            recorder.add(Work::Loop(self.kernel, description));
        }
        true
    }

    /// Launches a loop that has been decided.
    #[inline(always)]
    fn run<D: Dims, A: Args, W: Slots, F>(
        &mut self,
        index: usize,
        description: &'static Loop,
        verdict: Verdict,
        dims: D,
        args: A,
        body: F,
    ) -> Result<()>
    where
        F: Fn(Chunk<D>, A) -> W + Copy + Send + Sync + 'static,
    {
        let (kernel, decided) = (self.kernel, Decided::by(verdict));
        let on_cpu = || {
            let stack = Stack::of::<W>(&description.cost);
            ParLoop { kernel, par_loop: description, dims, args, decided, stack, body }
        };
        self.place.run(index, verdict, &dims, &args, on_cpu)
    }

    /// The verdict of an earlier launch with the same numbers, if all there is to do is to run the
    /// loop.
    #[inline]
    fn remembered<D: Dims>(
        &self,
        judge: &Judge,
        body: TypeId,
        dims: &D,
        number: impl Fn(&Source) -> Result<Option<i128>, Differ>,
    ) -> Option<Verdict> {
        if self.failed.is_set() || self.only_decides || self.recorder.is_some() {
            return None;
        }
        judge.remembered(body, &dims.axes()?[..D::COUNT], &judge.facts()?.sources, number)
    }

    /// The verdict on a loop, if it is to run.
    #[cold]
    fn verdict(&mut self, par_loop: &'static Loop, of: &OfLoop<'_>) -> Option<Verdict> {
        if self.failed.is_set() {
            return None;
        }
        match of.decide(self.kernel, par_loop) {
            Ok(verdict) if !self.only_decides => {
                if let Some(recorder) = self.recorder.filter(|_| of.dims.count() > 0) {
                    recorder.add(Work::Loop(self.kernel, par_loop));
                }
                Some(verdict)
            }
            Ok(_) => None,
            Err(error) => {
                self.failed.set(*error);
                None
            }
        }
    }

    /// The verdict on a loop that is made of several: `None` if these are to run one by one.
    #[cold]
    fn verdict_of_fused(&mut self, fused: &Fused, par_loop: &'static Loop, of: &OfLoop<'_>) -> Option<Verdict> {
        if self.failed.is_set()
            || self.only_decides
            || !fuses(self.failed)
            || of.dims.stands_still()
            || of.dims.is_too_long()
        {
            return None;
        }
        of.decide_fused(fused, par_loop)
    }

    /// A `stream_parallel!`. The guard joins the groups when it is dropped, also on an early exit.
    #[inline]
    pub fn fork<const G: usize>(&mut self, described: &'static Groups) -> Fork<'_, G> {
        let recorder = self.recorder.map(|parent| (parent, parent.fork(G)));
        let Ctx { kernel, stream, failed, ref mut place, .. } = *self;
        Fork { kernel, stream, failed, fork: place.fork(kernel, described, failed), recorder }
    }
}

/// Whether the ranges of several loops are equal.
fn same(alike: &[&dyn Ranges]) -> bool {
    let axes = alike.first().and_then(|first| first.axes());
    axes.is_some() && alike.iter().skip(1).all(|other| other.axes() == axes)
}

/// Whether loops may run as one in this process: `ANABRANCH_FUSE`. A value that is neither `on` nor
/// `off` fails the launch.
fn fuses(failed: Failing<'_>) -> bool {
    static FUSES: OnceLock<bool> = OnceLock::new();
    if let Some(fuses) = FUSES.get() {
        return *fuses;
    }
    match switch("ANABRANCH_FUSE") {
        Ok(set) => *FUSES.get_or_init(|| set.unwrap_or(true)),
        Err(error) => {
            failed.set(error);
            false
        }
    }
}

#[cold]
fn unreadable(kernel: &Kernel, par_loop: &Loop) -> Error {
    Error::Unreadable { kernel: kernel.name, header: par_loop.header, file: kernel.file, line: par_loop.line }
}

#[cold]
pub(super) fn too_long(
    kernel: &Kernel,
    longest: Longest,
    range: &'static str,
    header: &'static str,
    line: u32,
) -> Error {
    let mistake = longest.mistake();
    let Longest { values, .. } = longest;
    Error::TooManyIterations { kernel: kernel.name, header, range, values, mistake, file: kernel.file, line }
}

#[cold]
fn zero_step(kernel: &Kernel, par_loop: &Loop) -> Error {
    Error::ZeroStep { kernel: kernel.name, header: par_loop.header, file: kernel.file, line: par_loop.line }
}

/// What the launch needs of a loop's types and values to decide it. So its code is not compiled for
/// each loop.
struct OfLoop<'a> {
    /// The type of the body, which tells instances of a generic kernel apart.
    body: TypeId,
    dims: &'a dyn Ranges,
    /// The number of ranges.
    vars: usize,
    /// [`Args::number`]
    number: &'a dyn Fn(usize, &Member) -> Option<i128>,
    /// [`Slots::number`]
    constant: fn(usize, &Member) -> Option<i128>,
    /// [`Slots::integer`]
    integer: fn(usize) -> Option<IntType>,
    /// [`Slots::describe`]
    describe: fn(&mut Vec<SlotValue>),
}

impl<'a> OfLoop<'a> {
    fn new<D: Dims, W: Slots, F: 'static>(dims: &'a D, number: &'a dyn Fn(usize, &Member) -> Option<i128>) -> Self {
        Self {
            body: TypeId::of::<F>(),
            dims,
            vars: D::COUNT,
            number,
            constant: W::number,
            integer: W::integer,
            describe: W::describe,
        }
    }

    /// The verdict with the numbers of this launch, or why the loop must not run.
    fn decide(&self, kernel: &Kernel, par_loop: &'static Loop) -> Result<Verdict, Box<Error>> {
        if self.dims.stands_still() {
            return Err(Box::new(zero_step(kernel, par_loop)));
        }
        if self.dims.is_too_long() {
            let (longest, Loop { header, ranges, line, .. }) = (self.dims.longest(), par_loop);
            let range = ranges.get(longest.dim).map_or(*header, |range| range.text);
            return Err(Box::new(too_long(kernel, longest, range, header, *line)));
        }
        let judge = &par_loop.judge;
        let Some(facts) = judge.facts() else { return Err(Box::new(unreadable(kernel, par_loop))) };
        if facts.accesses.is_empty() && facts.phases.is_empty() && facts.steps.is_empty() {
            return Ok(Verdict::Proved { narrow: true });
        }
        let error =
            |refused: Box<Refused>| Box::new(refused.error(kernel, par_loop, facts, self.inlined(judge, facts)));
        let Some(axes) = self.dims.axes() else {
            return without_numbers(facts).map_err(|refusal| error(refusal.into()));
        };
        let axes = &axes[..self.vars];
        match judge.remembered(self.body, axes, &facts.sources, |source| self.number(source)) {
            Some(verdict) => Ok(verdict),
            None => self.decide_anew(judge, facts, axes).map_err(error),
        }
    }

    /// The number of a symbol in this launch.
    fn number(&self, source: &Source) -> Result<Option<i128>, Differ> {
        decide::number(source, self.number, self.constant)
    }

    /// The numbers of all symbols in this launch.
    fn symbols<'s>(
        &self,
        facts: &Facts,
        symbols: &'s mut [Option<i128>; MAX_ATOMS],
    ) -> Result<&'s [Option<i128>], Differ> {
        let symbols = &mut symbols[..facts.sources.len().min(MAX_ATOMS)];
        for (at, source) in symbols.iter_mut().zip(&facts.sources) {
            *at = self.number(source)?;
        }
        Ok(symbols)
    }

    /// The verdict on a loop that is made of several. A refusal, or that something in it can fail,
    /// is remembered as that its accesses are not proved, because the loops then run one by one.
    fn decide_fused(&self, fused: &Fused, par_loop: &'static Loop) -> Option<Verdict> {
        let judge = &par_loop.judge;
        let (facts, axes, mut symbols) = (judge.facts()?, self.dims.axes()?, [None; MAX_ATOMS]);
        let (axes, symbols) = (&axes[..self.vars], self.symbols(facts, &mut symbols).ok()?);
        let remembered = judge.remembered(self.body, axes, symbols, |number| Ok(*number));
        remembered.or_else(|| {
            let numbers = Numbers { blocks: &[], axes, symbols, types: &self.integer };
            let decide = || {
                let verdict = match self.inlined(judge, facts) {
                    _ if self.can_fail(fused) => Ok(Verdict::Checked),
                    None => decide::decide(facts, &numbers),
                    Some(inlined) => inlined.decide(&numbers),
                };
                let verdict = verdict.and_then(|verdict| decide::decide_phases(facts, &numbers).map(|()| verdict));
                Ok(verdict.unwrap_or(Verdict::Checked))
            };
            judge.decide(self.body, axes, symbols, decide).ok()
        })
    }

    /// Whether something in it can fail, apart from accesses that the launch decides.
    fn can_fail(&self, fused: &Fused) -> bool {
        let mut slots = Vec::new();
        (self.describe)(&mut slots);
        !fused.infallible.holds(&*slots) || reachable(slots.iter()).iter().any(description::Called::can_fail)
    }

    fn decide_anew(&self, judge: &Judge, facts: &Facts, axes: &[Axis]) -> Result<Verdict, Box<Refused>> {
        let mut symbols = [None; MAX_ATOMS];
        let Ok(symbols) = self.symbols(facts, &mut symbols) else { return Ok(without_numbers(facts)?) };
        let numbers = Numbers { blocks: &[], axes, symbols, types: &self.integer };
        let verdict = judge.decide(self.body, axes, symbols, || {
            let verdict = match self.inlined(judge, facts) {
                None => decide::decide(facts, &numbers)?,
                Some(inlined) => inlined.decide(&numbers)?,
            };
            decide::decide_phases(facts, &numbers)?;
            Ok(verdict)
        });
        verdict.map_err(|refusal| Refused::new(refusal, facts, self.inlined(judge, facts), &numbers))
    }

    /// The facts of a loop that calls functions, with what these do.
    fn inlined(&self, judge: &Judge, facts: &Facts) -> Option<&'static Inlined> {
        facts.has_calls().then(|| {
            judge.inlined(self.body, || {
                let mut slots = Vec::new();
                (self.describe)(&mut slots);
                Inlined::of(facts, self.vars, &Inferred(slots))
            })
        })
    }
}

/// Why a loop must not run with the numbers of a launch.
struct Refused {
    refusal: Refusal,
    /// Two iterations that it is about.
    example: Option<Example>,
}

impl From<Refusal> for Box<Refused> {
    fn from(refusal: Refusal) -> Self {
        Box::new(Refused { refusal, example: None })
    }
}

impl Refused {
    #[cold]
    fn new(refusal: Refusal, facts: &Facts, inlined: Option<&Inlined>, numbers: &Numbers<'_>) -> Box<Self> {
        let example = match (refusal, inlined) {
            (Refusal::Overlap { .. }, Some(inlined)) => inlined.example(numbers, refusal),
            _ => decide::example(facts, numbers, refusal),
        };
        Box::new(Self { refusal, example })
    }

    #[cold]
    fn error(
        self,
        kernel: &Kernel,
        par_loop: &Loop,
        facts: &'static Facts,
        inlined: Option<&'static Inlined>,
    ) -> Error {
        let access = |number: usize| facts.accesses.get(number);
        let buffer = |number| {
            let capture = access(number).and_then(|access| par_loop.captures.get(access.view));
            capture.map_or("", |capture| capture.name)
        };
        let text = |number| access(number).map_or("", |access| access.text.as_str());
        let place =
            |number| access(number).map_or((par_loop.line, par_loop.column), |access| (access.line, access.column));
        let (kernel, file, header) = (kernel.name, kernel.file, par_loop.header);
        match self.refusal {
            Refusal::OutOfBounds { access: number, index, len, dim } => {
                let (mut line, mut column) = place(number);
                let (mut buffer, mut access) = (buffer(number), text(number));
                let (mut call, mut file) = (None, file);
                if let Some((made, origin)) = inlined.and_then(|inlined| inlined.of_a_function(number)) {
                    (line, column, file) = (made.line, made.column, origin.file);
                    (access, call) = (made.text.as_str(), Some(Box::new((origin.call.as_str(), origin.line))));
                    buffer = par_loop.captures.get(made.view).map_or("", |capture| capture.name);
                }
                // A length is a `usize`. An index that does not fit is so far out of bounds that
                // its exact value does not matter.
                let index = i64::try_from(index).unwrap_or(if index < 0 { i64::MIN } else { i64::MAX });
                let len = usize::try_from(len).unwrap_or_default();
                let dim = dim.and_then(|dim| u8::try_from(dim).ok());
                Error::OutOfBounds { kernel, header, access, call, buffer, index, dim, len, file, line, column }
            }
            Refusal::Overlap { first, second } => {
                let [first, second] = self.example.as_ref().map_or([first, second], |example| example.accesses);
                let parallel = if par_loop.blocks.is_some() { Parallel::Blocks } else { Parallel::Iterations };
                let parts = [first, second].map(|number| access(number).is_some_and(|access| access.end.is_some()));
                let of = Box::new(Overlap::new(parallel, self.example, parts, &|atom| name(par_loop, facts, atom)));
                let (buffer, line) = (buffer(first), place(second).0);
                Error::Overlap { kernel, header, buffer, first: text(first), second: text(second), of, file, line }
            }
            Refusal::OverlapInPhase { phase, first, second } => {
                let [first, second] = self.example.as_ref().map_or([first, second], |example| example.accesses);
                let of_phase = |number: usize| facts.phases.get(phase)?.facts.accesses.get(number);
                let text = |number| of_phase(number).map_or("", |access| access.text.as_str());
                // What threads share has the name that its accesses begin with.
                let buffer = text(first).split(['[', '.']).next().unwrap_or_default();
                let line = of_phase(second).map_or(par_loop.line, |access| access.line);
                let of_line = facts.phases.get(phase).map_or(par_loop.line, |phase| phase.line);
                let parts = [first, second].map(|number| of_phase(number).is_some_and(|access| access.end.is_some()));
                let of = Box::new(Overlap::new(Parallel::Phase { line: of_line }, self.example, parts, &|_| None));
                Error::Overlap { kernel, header, buffer, first: text(first), second: text(second), of, file, line }
            }
        }
    }
}

/// The name of a number that an index is made of, if it has one.
fn name(par_loop: &Loop, facts: &Facts, atom: usize) -> Option<String> {
    if let Some(range) = par_loop.ranges.get(atom) {
        return Some(range.variable.to_owned()).filter(|name| !name.is_empty());
    }
    let Source::Capture(capture, member) = facts.sources.get(atom.checked_sub(par_loop.ranges.len())?)? else {
        return None;
    };
    let capture = par_loop.captures.get(*capture).filter(|_| member.path.is_empty())?;
    Some(match capture.kind {
        CaptureKind::Value => capture.name.to_owned(),
        CaptureKind::Read | CaptureKind::Write | CaptureKind::Atomic => format!("{}.len()", capture.name),
    })
}

/// A `stream_parallel!` in progress.
pub struct Fork<'r, const G: usize> {
    kernel: &'static Kernel,
    stream: &'r Stream,
    failed: Failing<'r>,
    fork: backend::Fork<'r, G>,
    /// The recorder of the surrounding place, and of the first group.
    recorder: Option<(Recorder<'r>, Recorder<'r>)>,
}

impl<const G: usize> std::fmt::Debug for Fork<'_, G> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Fork({G} groups of {})", self.kernel.name)
    }
}

impl<const G: usize> Fork<'_, G> {
    /// Begins group `number` and ends the previous group.
    #[inline]
    pub fn group(&mut self, number: usize) -> Ctx<'_> {
        let recorder = self.recorder.map(|(_, first)| first.group(number));
        let Fork { kernel, stream, failed, ref mut fork, .. } = *self;
        Ctx { kernel, stream, failed, place: fork.group(number, failed), recorder, only_decides: false }
    }
}

impl<const G: usize> Drop for Fork<'_, G> {
    /// Joins the groups on every exit. After an error or a panic of the host part, the CPU runs
    /// what it has recorded until then, because a GPU has already launched the same work. So on
    /// both devices the work before that place runs, and no work after it.
    fn drop(&mut self) {
        if let Some((parent, first)) = self.recorder {
            parent.join(first, G);
        }
        self.fork.join(self.failed);
    }
}
