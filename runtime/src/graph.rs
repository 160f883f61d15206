//! Graphs: launches that are captured once and replayed with one driver call.

use std::fmt;
use std::sync::Arc;

use crate::backend;
pub use crate::capture::GraphStats;
use crate::capture::{GraphCapture, OwnedUse, Picture, Recorded};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::launch::enqueue;
use crate::stream::Stream;

/// A sequence of launches, with their forks and joins, captured by [`Stream::capture`].
///
/// A graph is launched as a whole, any number of times. On a GPU this takes one driver call,
/// however many loops the graph has. On the CPU it does not run the host parts again, only the
/// bodies of [library kernels](crate::library).
///
/// **A graph fixes everything except the contents of buffers**: scalars, ranges, lengths, the
/// branches that an `if` in a host part took, the number of iterations of host loops, and the
/// bounds decisions of its launches. Other effects of the closure, such as a new buffer that
/// [`Device::zeros`] filled with zeros, happened during the capture and do not happen again. If an
/// `unsafe` block in a loop relies on the contents of a buffer, these contents must be valid for
/// every launch of the graph.
///
/// **A graph borrows nothing.** It shares ownership of the memory that it uses. This memory stays
/// allocated as long as the graph exists, even if its buffer is dropped or replaced. Between
/// launches of the graph you can read, write and launch with its buffers. The launch of a graph is
/// ordered by its buffers with the work of all streams, like the launch of a kernel. As always, the
/// next call that waits returns a panic of device code.
///
/// **Several threads:** graphs of one GPU are launched one at a time. The launch of a graph waits
/// until no other thread launches or copies with a buffer of any graph of the device. This includes
/// the time in which that thread runs the host part or waits. So the host part of that launch must
/// not launch a graph ([`Error::GraphUnderWay`]), nor wait for a thread that does.
///
/// On the CPU, a launch is complete when it returns, so this time includes the run time of the
/// launch. There, the launch of a graph waits only for launches, copies and other graphs that use
/// the same elements, unless both only read them. Graphs that share nothing else run at the same
/// time. A task of `rayon` cannot wait, so it gets
/// [`Error::GraphUnderWay`]: what it would wait for may depend on another task of the same thread.
///
/// A thread also gets this error if its launch or copy, or the graph that it launches, uses a
/// buffer of a graph of one device and it must wait for another device.
///
/// # Reading back in a loop
///
/// A method that runs until a value is small enough needs the value on the host. A graph does the
/// same work at each launch: it contains no decision and no copy to the host. So let the host
/// decide, but not wait for the device in each round: queue a batch of rounds and an asynchronous
/// copy of the value to pinned memory, then look at the copy of the batch *before*. Waiting for
/// that copy waits for nothing that was queued after it, and the device always has a batch to work
/// on. The price is one batch too many at the end.
///
/// ```
/// # use anabranch::prelude::*;
/// /// Newton's method for the square root of `a`, and how far it still was.
/// #[kernel]
/// fn refine(x: &mut [f64], left: &mut [f64], a: f64) {
///     for i in par(0..1) {
///         left[i] = (x[i] * x[i] - a).abs();
///         x[i] = 0.5 * (x[i] + a / x[i]);
///     }
/// }
///
/// # fn main() -> anabranch::Result<()> {
/// let device = Device::auto()?;
/// let stream = device.default_stream();
/// let (mut x, mut left) = (device.buffer_from(&[1.0])?, device.zeros(1)?);
/// let mut seen = [device.pinned::<f64>(1)?, device.pinned::<f64>(1)?];
/// let batch = stream.capture(|stream| {
///     for _ in 0..4 {
///         refine(stream, &mut x, &mut left, 2.0)?;
///     }
///     Ok(())
/// })?;
/// for round in 0.. {
///     batch.launch(&stream)?;
///     left.copy_to_async(&stream, &mut seen[round % 2])?;
///     if round > 0 && seen[(round + 1) % 2].as_slice()?[0] < 1e-12 {
///         break;
///     }
/// }
/// assert!((x.to_vec()?[0] - 2.0f64.sqrt()).abs() < 1e-15);
/// # Ok(())
/// # }
/// ```
///
/// On the CPU device the launch and the copy are complete when they return. There, this loop runs
/// one batch more than needed.
#[doc(alias("cudaGraph", "cudaGraph_t", "cudaGraphExec_t", "CUgraph"))]
#[must_use = "a graph does nothing until it is launched"]
pub struct Graph {
    backend: backend::Graph,
    uses: Vec<OwnedUse>,
    picture: Picture,
    device: Device,
}

impl Graph {
    /// Launches the graph on a stream, after the work of other streams that uses its buffers. In
    /// steady state this is one driver call.
    ///
    /// # Errors
    /// The stream belongs to another device or to a capture, the call is in the closure of a
    /// capture, the driver fails, or [`Error::GraphUnderWay`].
    #[doc(alias("cudaGraphLaunch", "cuGraphLaunch"))]
    pub fn launch(&self, stream: &Stream) -> Result<()> {
        if !self.backend.is_of(&stream.backend) {
            return Err(Error::OtherDevice {
                what: "a graph",
                found: self.device.to_string(),
                expected: format!("a stream of {}", stream.device()),
                operation: None,
            });
        }
        let _alone = enqueue::graph(stream, std::ptr::from_ref(self).addr(), &self.uses)?;
        self.backend.launch(&stream.backend, self.picture.nodes())
    }

    /// Returns the numbers of nodes and edges.
    pub fn stats(&self) -> GraphStats {
        self.picture.stats()
    }

    /// Returns the graph in the DOT language of [Graphviz](https://graphviz.org); draw it with
    /// `dot -Tsvg`.
    #[doc(alias("cudaGraphDebugDotPrint"))]
    pub fn dot(&self) -> String {
        self.picture.dot()
    }

    /// Returns the device on which the graph was captured.
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

impl Stream {
    /// Captures launches into a [`Graph`] instead of running them.
    ///
    /// The graph contains all launches with their groups, fills, and copies between buffers on the
    /// stream that is passed to the closure. That is a new stream with the priority of this one. It
    /// is an error if the closure launches, fills or copies on any other stream of the device,
    /// including this one, because that work would be missing from the graph. A worker thread of
    /// `rayon` is not checked, because it may run other tasks if the closure waits for tasks of its
    /// own. Streams of other devices and other threads are not affected. Everything else that the
    /// closure does, such as creating buffers, happens at once and is not part of the graph.
    /// Kernels that are not compiled yet are compiled.
    ///
    /// ```
    /// # use anabranch::prelude::*;
    /// #[kernel]
    /// fn step(x: &mut [f32], y: &mut [f32]) {
    ///     stream_parallel! {
    ///         { for i in par(0..x.len()) { x[i] += 1.0; } }
    ///         { for i in par(0..y.len()) { y[i] *= 2.0; } }
    ///     }
    /// }
    ///
    /// # fn main() -> anabranch::Result<()> {
    /// let device = Device::auto()?;
    /// let stream = device.default_stream();
    /// let (mut x, mut y) = (device.zeros(1000)?, device.buffer_from(&[1.0f32; 1000])?);
    /// let graph = stream.capture(|stream| {
    ///     step(stream, &mut x, &mut y)?;
    ///     step(stream, &mut x, &mut y)
    /// })?;
    /// assert_eq!(graph.stats().sub_kernels, 4);
    /// for _ in 0..3 {
    ///     graph.launch(&stream)?;
    /// }
    /// assert_eq!((x.to_vec()?[0], y.to_vec()?[0]), (6.0, 64.0));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// An error that the closure returns, which ends the capture without a graph;
    /// [`Error::NotCapturable`] for what a graph cannot contain (an event, a wait, another graph,
    /// pinned memory, work on another stream); [`Error::NothingCaptured`] if the closure launched
    /// nothing (a launch without iterations counts as one); [`Error::BufferCaptured`] for a use
    /// outside the capture of a buffer that the capture writes; [`Error::CaptureFailed`]; or the
    /// driver fails.
    #[doc(alias("cudaStreamBeginCapture", "cudaStreamEndCapture"))]
    #[doc(alias("cuStreamBeginCapture"))]
    pub fn capture(&self, record: impl FnOnce(&Stream) -> Result<()>) -> Result<Graph> {
        capture(self, record)
    }
}

/// Ends a capture whose closure panics or fails.
struct UnderWay(Arc<GraphCapture>);

impl Drop for UnderWay {
    fn drop(&mut self) {
        if self.0.is_active() {
            let _ = self.0.end(); // the panic or the error in progress is the one to report
        }
    }
}

/// Implements [`Stream::capture`].
fn capture(stream: &Stream, record: impl FnOnce(&Stream) -> Result<()>) -> Result<Graph> {
    stream.check_own("a capture")?;
    if stream.captured_by().is_some() {
        return Err(Error::NotCapturable {
            what: "a capture",
            instead: "launch on the stream that the closure was given",
        });
    }
    let device = stream.device();
    let capture = backend::Capture::begin(&stream.backend)?;
    let backend = capture.stream();
    let under_way = UnderWay(Arc::new(GraphCapture::new(capture)));
    let recorded = Stream::new(device.clone(), backend, Some(Arc::clone(&under_way.0)));
    {
        let _closure = backend::Closure::enter(device.backend());
        record(&recorded)?;
    }
    let Recorded { launches, failed, uses, picture, ops, backend } = under_way.0.end()?;
    if failed {
        return Err(Error::CaptureFailed);
    }
    if launches == 0 {
        return Err(Error::NothingCaptured);
    }
    Ok(Graph { backend: backend?.instantiate(ops)?, uses, picture, device: device.clone() })
}
