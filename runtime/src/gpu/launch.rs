//! Launches.

#![allow(unsafe_code, reason = "it passes on the contract of a launch")]

use std::sync::Arc;

use super::context;
use super::driver::{RawFunction, Word};
use super::event::StreamHandle;
use super::geometry::{self, Piece};
use super::graph::{Change, GpuCapture};
use super::memory::GpuMemory;
use super::module::Loaded;
use super::stream::GpuStream;
use super::trace::GpuSpan;
use crate::codegen::FailedCheck;
use crate::error::{Error, Result};
use crate::model::description::Instance;
use crate::model::kernel::{Fused, Kernel, Variant};
use crate::model::params::{DimArg, Params, along_axes};
use crate::trace::{Entered, Role, Scope, Work};
use anabranch_core::decide::Verdict;

/// One call of a kernel's launcher. It exists as long as the host part runs.
#[derive(Debug)]
pub(crate) struct GpuRun<'a> {
    pub(super) stream: &'a GpuStream,
    instance: Instance,
    /// `None` if the kernel has no loops of its own.
    loaded: Option<&'a Loaded>,
    /// The capture that records the launch.
    pub(super) capture: Option<&'a GpuCapture>,
    /// Whether its work is traced. A graph is traced as a whole when it is launched.
    traced: bool,
}

/// What the grids of a loop have in common.
struct Grids {
    stream: StreamHandle,
    index: usize,
    function: RawFunction,
    threads: [u32; 3],
    fault: u64,
}

impl<'a> GpuRun<'a> {
    /// Enters the context on this thread and finds the kernel, compiling it at its first use.
    #[inline]
    pub(crate) fn begin(stream: &'a GpuStream, instance: Instance, capture: Option<&'a GpuCapture>) -> Result<Self> {
        let context = &stream.gpu.context;
        let bound = if capture.is_some() { context.bind() } else { context.enter() };
        bound.map_err(|error| error.in_kernel(instance.kernel.name))?;
        Self::of(stream, instance, capture)
    }

    /// A kernel that is called in the host part of this one. It has the same stream, and a capture
    /// records both.
    pub(crate) fn nested(&self, instance: Instance) -> Result<GpuRun<'a>> {
        self.stream.gpu.context.rebind().map_err(|error| error.in_kernel(instance.kernel.name))?;
        Self::of(self.stream, instance, self.capture)
    }

    #[inline]
    fn of(stream: &'a GpuStream, instance: Instance, capture: Option<&'a GpuCapture>) -> Result<Self> {
        let has_loops = !instance.kernel.loops.is_empty();
        let loaded = has_loops.then(|| stream.gpu.loaded(instance, Variant::Unchecked)).transpose()?;
        let traced = capture.is_none() && stream.is_traced();
        Ok(Self { stream, instance, loaded, capture, traced })
    }

    /// Whether a loop that is made of several needs hardly more local memory than they do. Some
    /// registers that go there cost less than another pass over the slices.
    #[inline]
    pub(crate) fn suits(&self, fused: &Fused) -> bool {
        const MORE: usize = 256;
        let local = |index: usize| self.loaded?.par_loop(index).map(|of| of.local);
        let most = fused.parts.clone().filter_map(local).max();
        local(fused.index).zip(most).is_some_and(|(fused, most)| fused <= most + MORE)
    }

    /// A program of the kernel, of which `first` is the first one. The others are loaded when a
    /// loop first needs them.
    #[inline]
    fn program(&self, first: &'a Loaded, variant: Variant) -> Result<&'a Loaded> {
        match variant {
            Variant::Unchecked => Ok(first),
            other => self.stream.gpu.loaded(self.instance, other),
        }
    }

    /// Enters a scope of the trace, if there is one.
    pub(crate) fn enter(&self, scope: Scope) -> Option<Entered> {
        if self.traced { self.stream.gpu.trace().enter(scope) } else { None }
    }

    /// Begins a piece of work on a stream of the launch, if it is traced. The context must be
    /// current.
    #[inline]
    pub(super) fn span(&self, stream: StreamHandle, work: Work) -> Option<GpuSpan<'a>> {
        if !self.traced {
            return None;
        }
        let role = if stream.raw == self.stream.core.raw() { Role::User } else { Role::Group };
        self.stream.gpu.begin_span(stream, role, work)
    }

    /// To be called after code of the user, which may have made another context current, or may
    /// have begun to capture the stream with another library.
    #[inline]
    pub(super) fn resume(&self) -> Result<()> {
        let is_ours = self.capture.is_some() || self.stream.core.is_owned();
        if is_ours && self.stream.gpu.context.is_entered() { Ok(()) } else { self.resume_elsewhere() }
    }

    #[cold]
    fn resume_elsewhere(&self) -> Result<()> {
        let checked = || {
            self.stream.gpu.context.rebind()?;
            let elsewhere = self.capture.is_none() && self.stream.is_captured_elsewhere()?;
            if elsewhere { Err(Error::CAPTURED_ELSEWHERE) } else { Ok(()) }
        };
        checked().map_err(|error| self.named(error))
    }

    /// The stream for loops outside of all groups.
    pub(crate) fn stream(&self) -> StreamHandle {
        self.stream.core.handle()
    }

    /// Queues one `par` loop: one launch, several if the ranges exceed a grid, or none if a range
    /// is empty.
    ///
    /// `verdict` is the verdict on this loop with these `ranges`, slowest first.
    ///
    /// # Safety
    /// `params` is [`packed`](crate::model::params::packed) with these ranges and with the captures
    /// of loop `index`, in order. All have the types that its source was generated from. Every
    /// buffer among them stays allocated until it is freed in the order of this run's stream, and
    /// its use was ordered.
    pub(crate) unsafe fn launch(
        &self,
        stream: StreamHandle,
        index: usize,
        verdict: Verdict,
        ranges: &[DimArg],
        params: &mut Params<'_>,
    ) -> Result<()> {
        self.resume()?;
        let Some(first) = self.loaded else { return Ok(()) };
        let Some(par_loop) = first.par_loop(index) else { return Ok(()) };
        let trips = along_axes(ranges);
        let whole = par_loop.shape.whole(trips);
        let wanted = match verdict {
            Verdict::Proved { narrow: true } if whole.is_some() || trips.contains(&0) => Variant::Unchecked,
            Verdict::Proved { narrow: true } => Variant::UncheckedMultiGrid,
            // If 32 bits do not suffice, use the program with all checks.
            Verdict::Proved { narrow: false } | Verdict::Checked => Variant::Checked,
        };
        let mut program = self.program(first, par_loop.variant(wanted))?;
        // A thread that continues after a failed check must not rely on the condition that the
        // check tested.
        if self.stream.gpu.dialect.failed == FailedCheck::GoOn
            && program.par_loop(index).is_none_or(|par_loop| par_loop.can_fail)
        {
            program = self.program(first, par_loop.variant(Variant::Checked))?;
        }
        let Some(function) = program.par_loop(index).and_then(|par_loop| par_loop.function) else { return Ok(()) };
        let grids = Grids { stream, index, function, threads: par_loop.shape.threads, fault: program.fault_address() };
        match whole.filter(|_| self.capture.is_none() && !self.traced) {
            // SAFETY: the parameters are as the caller promises.
            Some(grid) => unsafe { self.queue(&grids, grid, params) },
            // SAFETY: the caller's promise.
            None => unsafe { self.queue_pieces(&grids, trips, par_loop.shape.pieces(trips), ranges, params) },
        }
    }

    /// Queues the launches of a loop, of which there may be several, or none. They may be traced or
    /// captured.
    ///
    /// # Safety
    /// As for [`launch`](Self::launch).
    #[cold]
    unsafe fn queue_pieces(
        &self,
        grids: &Grids,
        trips: [u64; 3],
        mut pieces: impl Iterator<Item = Piece>,
        ranges: &[DimArg],
        params: &mut Params<'_>,
    ) -> Result<()> {
        let _span = if self.traced { self.loop_span(grids, geometry::iterations(trips)) } else { None };
        pieces.try_for_each(|piece| {
            params.set_ranges(ranges, piece.first, piece.trips);
            let _change = self.change();
            // SAFETY: the captures are as the caller promises, and these are ranges of the same
            // types.
            unsafe { self.queue(grids, piece.grid, params) }
        })
    }

    /// Queues one launch of a loop. `params` is unchanged on return.
    ///
    /// # Safety
    /// `params` holds the captures as for [`launch`](Self::launch), and the ranges of the grid.
    #[inline(always)]
    unsafe fn queue(&self, grids: &Grids, grid: [u32; 3], params: &mut Params<'_>) -> Result<()> {
        let mark = params.mark();
        params.push_int(u128::from(grids.fault), 8);
        if params.overflowed() {
            return Err(self.too_many_parameters(grids.index));
        }
        let gpu = &self.stream.gpu;
        let mut launch = || {
            // SAFETY: the captures and the ranges are as the caller promises; the fault follows
            // them, as in the generated signature.
            unsafe { gpu.driver().launch(grids.function, grid, grids.threads, grids.stream.raw, params.as_pointers()) }
        };
        let result = gpu.with_memory(|| gpu.context.call(&mut launch));
        params.reset(mark);
        result.map_err(|failure| self.named(gpu.context.error(failure)))
    }

    #[cold]
    fn too_many_parameters(&self, index: usize) -> Error {
        let kernel = self.instance.kernel;
        let header = kernel.loops.get(index).map_or("", |par_loop| par_loop.header);
        Error::TooManyParameters { kernel: kernel.name, header }
    }

    #[cold]
    fn loop_span(&self, grids: &Grids, iterations: u64) -> Option<GpuSpan<'a>> {
        let kernel = self.instance.kernel;
        let par_loop = kernel.loops.get(grids.index).filter(|_| iterations > 0)?;
        self.span(grids.stream, Work::Loop(kernel, par_loop, iterations))
    }

    /// Memory for what the work of a stream computes on the way; zero, unless it holds `any_bits`.
    /// It must be dropped before the host part leaves the group of the stream.
    pub(crate) fn scratch(&self, stream: StreamHandle, bytes: usize, any_bits: bool) -> Result<Arc<GpuMemory>> {
        let gpu = &self.stream.gpu;
        self.resume()?;
        let memory = match self.capture {
            Some(capture) => capture.scratch(stream.raw, bytes),
            None => GpuMemory::in_order(gpu, bytes, stream).map(Arc::new),
        };
        let memory = memory.map_err(|error| self.named(error))?;
        if !any_bits && bytes > 0 {
            let _change = self.change();
            let cleared = gpu.driver().set(memory.address(), Word::Bytes1(0), bytes, stream.raw);
            cleared.map_err(|failure| self.named(gpu.context.error(failure)))?;
        }
        Ok(memory)
    }

    /// The same where nothing is launched.
    pub(crate) fn no_memory(&self) -> Arc<GpuMemory> {
        Arc::new(GpuMemory::empty(&self.stream.gpu))
    }

    /// Lends the stream of a place to the body of a library kernel.
    pub(crate) fn lend(&self, stream: StreamHandle, kernel: &'static Kernel) -> Result<Lending<'_>> {
        self.resume()?;
        // The library may create something.
        self.stream.gpu.context.bind().map_err(|error| self.named(error))?;
        let span = self.span(stream, Work::Library(kernel));
        let stream = Arc::new(GpuStream::lent(self.stream, stream));
        Ok(Lending { run: self, stream, span, change: self.change() })
    }

    /// Locks the capture, if there is one, for a call that it records.
    #[inline]
    pub(super) fn change(&self) -> Option<Change<'_>> {
        self.capture.map(GpuCapture::change)
    }

    /// Adds the kernel's name to an error.
    #[cold]
    pub(crate) fn named(&self, error: Error) -> Error {
        error.in_kernel(self.instance.kernel.name)
    }
}

/// The time in which the body of a library kernel has the stream of its place. The driver records
/// in a capture what the library queues.
#[derive(Debug)]
pub(crate) struct Lending<'a> {
    run: &'a GpuRun<'a>,
    stream: Arc<GpuStream>,
    span: Option<GpuSpan<'a>>,
    change: Option<Change<'a>>,
}

impl Lending<'_> {
    /// The lent stream.
    pub(crate) fn stream(&self) -> &Arc<GpuStream> {
        &self.stream
    }

    /// Makes the context current again: the library may have changed that.
    pub(crate) fn end(mut self) -> Result<()> {
        self.change = None;
        self.run.stream.gpu.context.bind().map_err(|error| self.run.named(error))?;
        self.span = None;
        Ok(())
    }
}

impl Drop for Lending<'_> {
    /// After a panic of the body, too: the groups are still to be joined.
    fn drop(&mut self) {
        context::forget();
    }
}
