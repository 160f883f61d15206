//! Captures and graphs.

use std::sync::Arc;

use super::stream::Stream;
use crate::cpu::Cpu;
use crate::cpu::work::{self, Op, Stop};
use crate::error::Result;
use crate::gpu::{CapturedGraph, GpuCapture, GpuGraph};
use crate::trace::Work;

/// The backend's part of a capture in progress.
#[derive(Debug)]
pub(crate) enum Capture {
    /// Launches hand over their operations instead of running them.
    Cpu(Arc<Cpu>),
    /// The driver records.
    Gpu(GpuCapture),
}

/// A capture that has ended.
pub(crate) enum Captured {
    Cpu(Arc<Cpu>),
    Gpu(CapturedGraph),
}

impl Capture {
    /// Begins a capture on a new stream with the priority of `like`.
    pub(crate) fn begin(like: &Stream) -> Result<Self> {
        Ok(match like {
            Stream::Cpu(cpu) => Capture::Cpu(Arc::clone(cpu)),
            Stream::Gpu(stream) => Capture::Gpu(GpuCapture::begin(stream)?),
        })
    }

    /// The stream of the capture.
    pub(crate) fn stream(&self) -> Stream {
        match self {
            Capture::Cpu(cpu) => Stream::Cpu(Arc::clone(cpu)),
            Capture::Gpu(capture) => Stream::Gpu(Arc::clone(capture.stream())),
        }
    }

    pub(super) fn gpu(&self) -> Option<&GpuCapture> {
        match self {
            Capture::Cpu(_) => None,
            Capture::Gpu(capture) => Some(capture),
        }
    }

    /// Ends the capture. To be called once.
    pub(crate) fn end(&self) -> Result<Captured> {
        Ok(match self {
            Capture::Cpu(cpu) => Captured::Cpu(Arc::clone(cpu)),
            Capture::Gpu(capture) => Captured::Gpu(capture.end()?),
        })
    }
}

impl Captured {
    /// Makes a graph that can be launched. `ops` is what the launches handed over.
    pub(crate) fn instantiate(self, ops: Vec<Op>) -> Result<Graph> {
        Ok(match self {
            Captured::Cpu(cpu) => Graph::Cpu(cpu, ops),
            Captured::Gpu(captured) => Graph::Gpu(captured.instantiate()?),
        })
    }
}

/// Work that was captured.
pub(crate) enum Graph {
    Cpu(Arc<Cpu>, Vec<Op>),
    Gpu(GpuGraph),
}

impl Graph {
    /// Whether the stream belongs to the device of the graph.
    pub(crate) fn is_of(&self, stream: &Stream) -> bool {
        match (self, stream) {
            (Graph::Cpu(cpu, _), Stream::Cpu(other)) => Arc::ptr_eq(cpu, other),
            (Graph::Gpu(graph), Stream::Gpu(stream)) => Arc::ptr_eq(graph.gpu(), stream.gpu()),
            _ => false,
        }
    }

    /// Queues the graph, which has `nodes` nodes, on a stream of its device, which must be current.
    /// The stream must have been [ordered](Stream::order), and no other thread may launch the graph
    /// at the same time.
    pub(crate) fn launch(&self, stream: &Stream, nodes: usize) -> Result<()> {
        match (self, stream) {
            (Graph::Cpu(cpu, ops), _) => {
                let _span = cpu.trace.span(Work::Graph(nodes));
                work::run_all(cpu, None, ops).map_err(Stop::raise)
            }
            (Graph::Gpu(graph), Stream::Gpu(stream)) => {
                let _span = stream.span(Work::Graph(nodes));
                graph.launch(stream)
            }
            (Graph::Gpu(_), Stream::Cpu(_)) => Ok(()), // the caller compares devices
        }
    }
}
