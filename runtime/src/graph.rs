//! Graphs: launches that are captured once, and replayed with one driver call.

use std::fmt;
use std::sync::Arc;

use crate::backend;
pub use crate::capture::GraphStats;
use crate::capture::{Capture, Closure, OwnedUse, Picture, Recorded};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::launch::enqueue;
use crate::stream::Stream;

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
    backend: backend::Graph,
    uses: Vec<OwnedUse>,
    picture: Picture,
    device: Device,
}

impl Graph {
    /// Launches everything on a stream, behind what other streams do with its buffers. One driver call in steady state.
    ///
    /// # Errors
    /// The stream is of another device, or itself captured, or this is the closure of a capture; the driver fails; or
    /// [`Error::GraphUnderWay`].
    pub fn launch(&self, stream: &Stream) -> Result<()> {
        if !self.backend.is_of(&stream.backend) {
            return Err(Error::OtherDevice {
                what: "a graph",
                found: self.device.to_string(),
                expected: format!("a stream of {}", stream.device()),
            });
        }
        let _alone = enqueue::graph(stream, &self.uses)?;
        self.backend.launch(&stream.backend)
    }

    /// How much there is in it.
    pub fn stats(&self) -> GraphStats {
        self.picture.stats()
    }

    /// A picture of it in the language of [Graphviz](https://graphviz.org): `dot -Tsvg`.
    pub fn dot(&self) -> String {
        self.picture.dot()
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

impl Stream {
    /// Captures launches into a [`Graph`], instead of running them: all launches, with their groups, and fills and copies from buffer to
    /// buffer, on the stream that the closure is given. That is a new one, of this one's priority. To launch, fill or copy in the closure on
    /// another stream of the device, such as this one, is an error, because it would be missing in the graph; streams of other devices
    /// and other threads go on as ever. What the closure does besides, such as to make buffers, is done at once and is no part of the graph.
    /// Kernels that have not been compiled yet are compiled.
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
    /// What the closure returns, which then is all that is left of the capture; [`Error::NotCapturable`] for what a graph cannot
    /// hold (an event, waiting, another graph, pinned memory, work on another stream); [`Error::NothingCaptured`] where the closure has launched
    /// nothing (a launch of no iterations is one); [`Error::BufferCaptured`] for what touches, from outside, a buffer that the
    /// capture writes; [`Error::CaptureFailed`]; or the driver fails.
    pub fn capture(&self, record: impl FnOnce(&Stream) -> Result<()>) -> Result<Graph> {
        capture(self, record)
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
fn capture(stream: &Stream, record: impl FnOnce(&Stream) -> Result<()>) -> Result<Graph> {
    if stream.captured_by().is_some() {
        return Err(Error::NotCapturable {
            what: "a capture",
            instead: "launch on the stream that the closure was given",
        });
    }
    let device = stream.device();
    let capture = backend::Capture::begin(&stream.backend)?;
    let backend = capture.stream();
    let under_way = UnderWay(Arc::new(Capture::new(capture)));
    let recorded = Stream { device: device.clone(), backend, capture: Some(Arc::clone(&under_way.0)) };
    {
        let _closure = Closure::enter(device.backend());
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
