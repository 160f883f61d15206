//! A graph, captured from calls on a stream.

use std::ptr;
use std::rc::Rc;

use cudarc::driver::sys;

use super::{Context, Result, Stream, call};

/// A graph that can be launched.
#[derive(Debug)]
pub(crate) struct Graph {
    raw: sys::CUgraphExec,
    _context: Rc<Context>,
}

impl Graph {
    /// Captures what `calls` queue on the stream.
    pub(crate) fn capture(context: &Rc<Context>, stream: &Stream, calls: impl FnOnce() -> Result<()>) -> Result<Self> {
        call!(cuStreamBeginCapture_v2(stream.raw, sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED))?;
        let called = calls();
        let mut graph = ptr::null_mut();
        let ended = call!(cuStreamEndCapture(stream.raw, &mut graph));
        called.and(ended)?;
        let mut raw = ptr::null_mut();
        let made = call!(cuGraphInstantiateWithFlags(&mut raw, graph, 0));
        let _ = call!(cuGraphDestroy(graph)); // an instance does not need it
        made.map(|()| Self { raw, _context: Rc::clone(context) })
    }

    pub(crate) fn launch(&self, stream: &Stream) -> Result<()> {
        call!(cuGraphLaunch(self.raw, stream.raw))
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        let _ = call!(cuGraphExecDestroy(self.raw));
    }
}
