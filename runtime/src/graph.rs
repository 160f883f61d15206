//! Graphs: launches that are captured once, and replayed with one driver call.

use std::fmt;
use std::sync::Arc;

use crate::buffer::Storage;
pub use crate::capture::GraphStats;
use crate::capture::{Capture, Captured, Closure, Picture, Recorded, check_outside};
use crate::cpu::Cpu;
use crate::cpu::work::{self, Op};
use crate::device::{Backend, Device};
use crate::error::{Error, Result};
use crate::gpu::{CudaCapture, CudaGraph, Ordered};
use crate::order::turn::Waiting;
use crate::stream::{Kind, Stream};

/// Launches, with their forks and joins, that were captured once by [`Stream::capture`], to be launched as a whole, any number
/// of times: on a GPU with one driver call, however many loops there are, and on the CPU without running a host part again.
///
/// **Everything but the contents of buffers is as it was at the capture**: scalars, ranges, lengths, which way an `if` of a host
/// part went, how often a host loop ran, and what the launches have decided about bounds. What the closure did besides launching, such as
/// to fill a new buffer with zeros by [`Device::zeros`], was done then, and is not done again. What an `unsafe` block in a loop promises of the
/// contents of a buffer has to hold for every launch of the graph.
///
/// **A graph borrows nothing.** It has a share of the memory that it touches, which stays allocated while it lives: that of a buffer that was
/// dropped, or replaced by another one, too. Buffers can be read, written and launched with between its launches: a launch of the graph is
/// ordered by them like the launch of a kernel, against work of all streams. A panic of device code comes back from the next call that
/// waits, as always.
///
/// **From several threads**: graphs of one device are launched one after the other, and not while another thread launches or copies with a
/// buffer of some graph, which includes its host part and its waiting. So the host part
/// of such a launch must not launch a graph ([`Error::GraphUnderWay`]), nor wait for a thread that does. On the CPU, where a launch is done when it returns, this is also the time that the
/// launch takes; as the tasks of `rayon` cannot wait for each other, they get [`Error::GraphUnderWay`] where they would have to.
#[must_use = "a graph does nothing until it is launched"]
pub struct Graph {
    replay: Replay,
    uses: Vec<Captured>,
    recorded: Picture,
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
    /// The stream is of another device, or itself captured, or this is the closure of a capture; the driver fails; or
    /// [`Error::GraphUnderWay`].
    pub fn launch(&self, stream: &Stream) -> Result<()> {
        if stream.captured_by().is_some() {
            return Err(Error::NotCapturable {
                what: "the launch of a graph",
                instead: "capture what it consists of, or launch it behind the graph",
            });
        }
        check_outside(stream.device())?;
        match (&self.replay, &stream.kind) {
            (Replay::Cpu(cpu, ops), Kind::Cpu(other)) if Arc::ptr_eq(cpu, other) => {
                let _turn = cpu.turns.exclude(Waiting::on_cpu())?;
                self.check_uncaptured()?;
                self.launches(stream);
                work::run_all(cpu, ops);
                Ok(())
            }
            (Replay::Cuda(graph), Kind::Cuda(cuda)) if Arc::ptr_eq(graph.cuda(), cuda.cuda()) => {
                let _turn = cuda.cuda().turns.exclude(Waiting::Blocks)?;
                self.check_uncaptured()?;
                self.launches(stream);
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

    fn launches(&self, stream: &Stream) {
        stream.reports().launches(self.uses.iter().map(|used| (used.storage.written(), used.access)));
    }

    fn check_uncaptured(&self) -> Result<()> {
        self.uses.iter().try_for_each(|used| used.storage.in_graphs().check())
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

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let GraphStats { nodes, edges, .. } = self.stats();
        write!(f, "Graph({nodes} nodes, {edges} edges, on {})", self.device)
    }
}

/// Ends a capture whose closure panics or fails.
struct UnderWay(Arc<Capture>);

impl Drop for UnderWay {
    fn drop(&mut self) {
        if self.0.is_active() {
            let _ = self.0.end(); // a panic or an error is under way, which is the one to tell
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
    let (kind, cuda) = match &stream.kind {
        Kind::Cpu(cpu) => (Kind::Cpu(Arc::clone(cpu)), None),
        Kind::Cuda(cuda) => {
            let capture = CudaCapture::begin(cuda)?;
            (Kind::Cuda(Arc::clone(capture.stream())), Some(capture))
        }
    };
    let under_way = UnderWay(Arc::new(Capture::new(cuda)));
    let recorded = Stream { device: device.clone(), kind, capture: Some(Arc::clone(&under_way.0)) };
    {
        let _closure = Closure::enter(device);
        record(&recorded)?;
    }
    let Recorded { launches, failed, uses, picture, ops, cuda } = under_way.0.end()?;
    if failed {
        return Err(Error::CaptureFailed);
    }
    if launches == 0 {
        return Err(Error::NothingCaptured);
    }
    let replay = match (cuda, device.backend()) {
        (Some(captured), _) => Replay::Cuda(captured?.instantiate()?),
        (None, Backend::Cpu(cpu)) => Replay::Cpu(Arc::clone(cpu), ops),
        (None, Backend::Cuda { .. }) => return Err(Error::CaptureFailed), // the driver has captured
    };
    Ok(Graph { replay, uses, recorded: picture, device: device.clone() })
}
