//! Traces: what ran when, on which stream.
//!
//! [`Device::trace`](crate::Device::trace) traces what a closure launches. The result is a
//! [`Trace`]: a table (`Display`), a picture ([`Trace::to_svg`]), or a file for
//! [Perfetto](https://ui.perfetto.dev) ([`Trace::to_perfetto`]).
//!
//! ```
//! # use anabranch::prelude::*;
//! #[kernel]
//! fn step(x: &mut [f32], y: &mut [f32]) {
//!     stream_parallel! {
//!         'left: { for i in par(0..x.len()) { x[i] += 1.0; } }
//!         'right: { for i in par(0..y.len()) { y[i] *= 2.0; } }
//!     }
//! }
//!
//! # fn main() -> anabranch::Result<()> {
//! let device = Device::auto()?;
//! let stream = device.default_stream();
//! let (mut x, mut y) = (device.zeros(1000)?, device.zeros(1000)?);
//! let (launched, trace) = device.trace(|| step(&stream, &mut x, &mut y))?;
//! launched?;
//! println!("{trace}");
//! # let right = trace.spans().iter().find(|span| span.group.as_deref() == Some("right") && span.name == "step.par#2");
//! # assert!(right.is_some(), "{trace}");
//! # Ok(())
//! # }
//! ```
//!
//! `ANABRANCH_TRACE=FILE` traces a whole program on all its devices, and writes the trace when the
//! program ends: a picture if the name ends in `.svg`, else a file for Perfetto. `%p` in the name
//! stands for the number of the process. The file is also written when the last device is dropped.
//! If the program is killed or aborts, only that file remains. If the file cannot be written, a
//! message on standard error says so, and the program runs as usual.
//!
//! # What is measured
//!
//! - **On a GPU** two events with times surround each loop, copy, fill, library kernel and graph on
//!   its stream. Their resolution is about half a microsecond. They cost two driver calls, and can
//!   keep kernels from overlapping with the next one of the same stream. A graph is one span.
//! - **On the CPU** the clock is read before and after each piece of work. The tracks are the
//!   threads that launch, and the groups that run at the same time. The time of a loop includes
//!   waiting for the threads that share it.
//! - A `stream_parallel!` is a span from its fork to its join on the stream that forks. Kernels and
//!   groups are spans around their work.
//! - A [`Wait`] is a wait of one stream for another that the runtime or
//!   [`Stream::wait`](crate::Stream::wait) has queued. A wait for an event of another device is not
//!   traced.
//!
//! With the feature `nvtx`, launches of kernels and groups are also ranges of NVTX, in the domain
//! `anabranch`, on the thread that queues them. Profilers such as Nsight Systems show them; a trace
//! does not depend on them.
//!
//! A trace holds at most 2^20 pieces of work. What was not timed or not kept is counted
//! ([`Trace::untimed`], [`Trace::skipped`]).

pub(crate) mod build;
mod exit;
#[cfg(feature = "nvtx")]
pub(crate) mod nvtx;
#[cfg(not(feature = "nvtx"))]
#[path = "no_nvtx.rs"]
pub(crate) mod nvtx;
mod perfetto;
mod program;
mod recorder;
mod summary;
mod svg;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

pub(crate) use program::{Timed, closed, opened, recorder_of_cpu, recorder_of_gpu};
pub use recorder::Direction;
pub(crate) use recorder::{Begun, Entered, HostSpan, Log, Recorder, Role, Scope, Work, now};

use crate::error::{Error, Result};

/// What ran when, on which stream.
#[derive(Debug, Clone, Default)]
pub struct Trace {
    pub(super) tracks: Vec<Track>,
    pub(super) spans: Vec<Span>,
    pub(super) waits: Vec<Wait>,
    pub(super) untimed: u64,
    pub(super) skipped: u64,
}

/// A row of a trace: a stream of a GPU, or on the CPU a thread that launches, or groups that run
/// one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Track {
    /// The device.
    pub device: String,
    /// The name of the row: `stream 1`.
    pub name: String,
}

/// A stretch of time on a track. Spans of a track do not overlap, but one can lie inside another
/// one.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Span {
    /// The name: `step.par#1` for the first `par` loop of the kernel `step`, the name of a kernel,
    /// the label of a group.
    pub name: String,
    /// What it is.
    pub kind: SpanKind,
    /// The number of its track.
    pub track: usize,
    /// The start, measured from the start of the trace.
    pub start: Duration,
    /// How long it took.
    pub length: Duration,
    /// The innermost group that it belongs to: its label, or `group 2` for the second group of a
    /// fork if it has none.
    pub group: Option<String>,
    /// The number of the smallest span of the track around it.
    pub inside: Option<usize>,
}

impl Span {
    /// The end, measured from the start of the trace.
    pub fn end(&self) -> Duration {
        self.start + self.length
    }

    /// Whether the device works: a loop, a library kernel, a copy, a fill or a graph. Other spans
    /// only lie around such work.
    pub fn is_work(&self) -> bool {
        !matches!(self.kind, SpanKind::Parallel { .. } | SpanKind::Kernel { .. } | SpanKind::Group)
    }
}

/// What a span is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SpanKind {
    /// A `par` loop.
    Loop {
        /// The kernel.
        kernel: &'static str,
        /// The head of the loop, as [`Plan`](crate::Plan) shows it.
        header: &'static str,
        /// Source file.
        file: &'static str,
        /// Line, from 1.
        line: u32,
        /// Number of iterations; of a loop over blocks, number of blocks.
        iterations: u64,
    },
    /// The body of a library kernel.
    Library {
        /// The kernel.
        kernel: &'static str,
    },
    /// A copy.
    Transfer {
        /// Where it goes.
        direction: Direction,
        /// Number of bytes.
        bytes: usize,
    },
    /// A fill.
    Fill {
        /// Number of bytes.
        bytes: usize,
    },
    /// The launch of a graph.
    Graph {
        /// Number of its nodes.
        nodes: usize,
    },
    /// A `stream_parallel!`, from its fork to its join, on the stream that waits for the groups.
    Parallel {
        /// The kernel.
        kernel: &'static str,
        /// Source file.
        file: &'static str,
        /// Line, from 1.
        line: u32,
        /// Number of groups.
        groups: usize,
    },
    /// A launch of a kernel, or its call in another one: from its first work on this track to its
    /// last.
    Kernel {
        /// Source file.
        file: &'static str,
        /// Line, from 1.
        line: u32,
    },
    /// A group: from its first work to its last.
    Group,
}

/// An order between two spans of different tracks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Wait {
    /// The number of the span that is waited for.
    pub from: usize,
    /// The number of the span that waits.
    pub to: usize,
    /// Why: `fork`, `join`, `read after write`, `event`, …
    pub why: &'static str,
}

impl Trace {
    /// Returns the tracks. They are in the order of their first use, device by device.
    pub fn tracks(&self) -> &[Track] {
        &self.tracks
    }

    /// Returns the spans, track by track, ordered by their start. A span comes after those around
    /// it.
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// Returns the waits between spans of different tracks.
    pub fn waits(&self) -> &[Wait] {
        &self.waits
    }

    /// Returns the number of pieces of work whose times are unknown: those in progress when a whole
    /// program's trace was written, and those whose events the driver could not read.
    pub fn untimed(&self) -> u64 {
        self.untimed
    }

    /// Returns the number of pieces of work beyond the maximum.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Returns the trace in Chrome's JSON format, for [Perfetto](https://ui.perfetto.dev) and
    /// `chrome://tracing`. Devices are processes, tracks are threads, waits are arrows.
    pub fn to_perfetto(&self) -> String {
        perfetto::json(self)
    }

    /// Returns the trace as a picture for a browser or a README, for a light and a dark background.
    ///
    /// Spans that are too short to be seen are drawn together, so that the picture of a long trace
    /// is small, too.
    pub fn to_svg(&self) -> String {
        svg::picture(self)
    }

    /// Writes [`to_perfetto`](Self::to_perfetto) to a file, which is replaced.
    ///
    /// # Errors
    /// [`Error::TraceFile`]
    pub fn write_perfetto(&self, path: impl AsRef<Path>) -> Result<()> {
        write(path.as_ref(), &self.to_perfetto())
    }

    /// Writes [`to_svg`](Self::to_svg) to a file, which is replaced.
    ///
    /// # Errors
    /// [`Error::TraceFile`]
    pub fn write_svg(&self, path: impl AsRef<Path>) -> Result<()> {
        write(path.as_ref(), &self.to_svg())
    }
}

fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).map_err(|source| failed(path, source))
}

fn failed(path: &Path, source: std::io::Error) -> Error {
    Error::TraceFile { path: path.to_owned(), source: Arc::new(source) }
}
