//! Graphs: launches that are captured once, and replayed with one driver call.

mod capture;
mod picture;

use std::fmt;
use std::sync::Arc;

pub(crate) use capture::{Capture, Capturing, Recorder, Recording};
pub use picture::GraphStats;
pub(crate) use picture::Work;

use crate::buffer::Storage;
use crate::cpu::Cpu;
use crate::cpu::work::{self, Op};
use crate::cuda::{CudaGraph, Ordered};
use crate::device::{Backend, Device};
use crate::error::{Error, Result};
use crate::stream::{Kind, Stream};
use crate::turn::Waiting;
use capture::{Captured, Recorded};

/// Launches, with their forks and joins, that were captured once by [`Stream::capture`], to be launched as a whole, any number
/// of times: on a GPU with one driver call, however many loops there are, and on the CPU without running a host part again.
///
/// **Everything but the contents of buffers is as it was at the capture**: scalars, ranges, lengths, which way an `if` of a host
/// part went, how often a host loop ran, and what the launches have decided about bounds. So does a panic of device code come
/// back from the next call that waits, as from a launch.
///
/// A graph borrows nothing. It has a share of the buffers that it touches, so that they stay allocated while it lives, also one that was
/// made and dropped within the closure. They can be read, written and launched with between its launches: a launch of the graph is
/// ordered by its buffers like the launch of a kernel, against work of all streams. Launches of graphs of one device, from whichever threads,
/// come one after the other; on the CPU, where a launch is done when it returns, other threads wait for them, and so do theirs.
#[must_use = "a graph does nothing until it is launched"]
pub struct Graph {
    replay: Replay,
    uses: Vec<Captured>,
    recorded: picture::Picture,
    device: Device,
}

enum Replay {
    Cpu(Arc<Cpu>, Vec<Op>),
    Cuda(CudaGraph),
}

impl Graph {
    /// Launches everything on a stream, behind what other streams do with its buffers. One driver call in steady state.
    ///
    /// # Errors
    /// The stream is of another device, or itself captured; the driver fails; or [`Error::GraphUnderWay`].
    pub fn launch(&self, stream: &Stream) -> Result<()> {
        if stream.captured_by().is_some() {
            return Err(Error::NotCapturable {
                what: "the launch of a graph",
                instead: "capture what it consists of, or launch it behind the graph",
            });
        }
        match (&self.replay, &stream.kind) {
            (Replay::Cpu(cpu, ops), Kind::Cpu(other)) if Arc::ptr_eq(cpu, other) => {
                let _turn = cpu.turns.exclude(Waiting::on_cpu())?;
                self.check_uncaptured()?;
                work::run_all(cpu, ops);
                Ok(())
            }
            (Replay::Cuda(graph), Kind::Cuda(cuda)) if Arc::ptr_eq(graph.cuda(), cuda.cuda()) => {
                let _turn = cuda.cuda().turns.exclude(Waiting::Blocks)?;
                self.check_uncaptured()?;
                let mut ordered = Ordered::default();
                graph.bind()?;
                for used in &self.uses {
                    if let Storage::Cuda(memory) = &used.storage {
                        memory.order_among(used.bytes.clone(), used.access, cuda, &mut ordered)?;
                    }
                }
                graph.launch(cuda)
            }
            _ => Err(Error::OtherDevice {
                what: "a graph",
                found: self.device.to_string(),
                expected: format!("a stream of {}", stream.device()),
            }),
        }
    }

    fn check_uncaptured(&self) -> Result<()> {
        self.uses.iter().try_for_each(|used| used.storage.capturing().check())
    }

    /// How much there is in it.
    pub fn stats(&self) -> GraphStats {
        self.recorded.stats()
    }

    /// A picture of it in the language of [Graphviz](https://graphviz.org): `dot -Tsvg`.
    pub fn dot(&self) -> String {
        self.recorded.dot()
    }

    /// The device it was captured on.
    pub fn device(&self) -> &Device {
        &self.device
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        self.device.turns().remove_graph();
    }
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let GraphStats { nodes, edges, .. } = self.stats();
        write!(f, "Graph({nodes} nodes, {edges} edges, on {})", self.device)
    }
}

/// A capture between its begin and its end. Dropped before, because the closure panics, it ends the capture all the same.
struct UnderWay<'a> {
    device: &'a Device,
    capture: Arc<Capture>,
    done: bool,
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        if !self.done {
            let _ = self.capture.end(); // a panic or an error is under way, which is the one to tell
            if let Some(cuda) = self.capture.cuda() {
                let _ = cuda.end();
            }
            self.device.turns().remove_graph();
        }
    }
}

/// What [`Stream::capture`] does.
pub(crate) fn capture(stream: &Stream, record: impl FnOnce(&Stream) -> Result<()>) -> Result<Graph> {
    if stream.captured_by().is_some() {
        return Err(Error::NotCapturable {
            what: "a capture",
            instead: "launch on the stream that the closure was given",
        });
    }
    let device = stream.device();
    device.turns().add_graph();
    let (kind, cuda) = match begin(stream) {
        Ok(begun) => begun,
        Err(error) => {
            device.turns().remove_graph();
            return Err(error);
        }
    };
    let capture = Arc::new(Capture::new(cuda));
    let mut under_way = UnderWay { device, capture: Arc::clone(&capture), done: false };
    record(&Stream { device: device.clone(), kind, capture: Some(Arc::clone(&capture)) })?;
    let Recorded { failed, uses, picture, ops } = capture.end()?;
    if failed {
        return Err(Error::CaptureFailed);
    }
    let replay = match (device.backend(), capture.cuda()) {
        (Backend::Cpu(cpu), _) => Replay::Cpu(Arc::clone(cpu), ops),
        (Backend::Cuda { .. }, Some(cuda)) => Replay::Cuda(cuda.end()?),
        (Backend::Cuda { .. }, None) => return Err(Error::CaptureFailed), // `begin` gives one for this device
    };
    under_way.done = true;
    Ok(Graph { replay, uses, recorded: picture, device: device.clone() })
}

fn begin(stream: &Stream) -> Result<(Kind, Option<crate::cuda::CudaCapture>)> {
    match &stream.kind {
        Kind::Cpu(cpu) => Ok((Kind::Cpu(Arc::clone(cpu)), None)),
        Kind::Cuda(cuda) => {
            let capture = crate::cuda::CudaCapture::begin(cuda)?;
            Ok((Kind::Cuda(Arc::clone(capture.stream())), Some(capture)))
        }
    }
}
