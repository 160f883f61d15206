//! Captures and graphs.

use std::ffi::c_uint;
use std::marker::PhantomData;
use std::ptr;

use cudarc::driver::sys;

use super::{RawGraph, RawGraphExec, RawStream, Result};

/// From now on what is queued on the stream, and on streams that wait for its events, is captured. Other calls of any thread go on as
/// before.
pub(in crate::gpu) fn begin_capture(stream: RawStream) -> Result<()> {
    let mode = sys::CUstreamCaptureMode_enum::CU_STREAM_CAPTURE_MODE_RELAXED;
    call!("cuStreamBeginCapture", cuStreamBeginCapture_v2(stream.0, mode))
}

pub(in crate::gpu) fn is_capturing(stream: RawStream) -> Result<bool> {
    // An int here, because a newer driver may have more of them.
    let mut status: c_uint = 0;
    call!("cuStreamIsCapturing", cuStreamIsCapturing(stream.0, (&raw mut status).cast()))
        .map(|()| status != sys::CUstreamCaptureStatus_enum::CU_STREAM_CAPTURE_STATUS_NONE as c_uint)
}

pub(in crate::gpu) fn end_capture(stream: RawStream) -> Result<RawGraph> {
    let mut graph = ptr::null_mut();
    call!("cuStreamEndCapture", cuStreamEndCapture(stream.0, &mut graph)).map(|()| RawGraph(graph))
}

pub(in crate::gpu) fn instantiate_graph(graph: RawGraph) -> Result<RawGraphExec> {
    let mut exec = ptr::null_mut();
    call!("cuGraphInstantiateWithFlags", cuGraphInstantiateWithFlags(&mut exec, graph.0, 0))
        .map(|()| RawGraphExec(exec))
}

pub(in crate::gpu) fn destroy_graph(graph: RawGraph) -> Result<()> {
    call!("cuGraphDestroy", cuGraphDestroy(graph.0))
}

pub(in crate::gpu) fn launch_graph(exec: RawGraphExec, stream: RawStream) -> Result<()> {
    call!("cuGraphLaunch", cuGraphLaunch(exec.0, stream.0))
}

pub(in crate::gpu) fn destroy_graph_exec(exec: RawGraphExec) -> Result<()> {
    call!("cuGraphExecDestroy", cuGraphExecDestroy(exec.0))
}

/// The calling thread may do what could wait for the device, whatever other threads capture. Ends when dropped.
#[must_use]
pub(in crate::gpu) struct Unrestricted(c_uint, PhantomData<*const ()>); // stays on its thread

impl Unrestricted {
    /// By default, a capture that another library has begun in the global mode forbids such calls to all threads, and is broken by one. A
    /// thread in the relaxed mode is exempt: it says that its calls have nothing to do with what is captured.
    pub(in crate::gpu) fn begin() -> Result<Self> {
        exchange(sys::CUstreamCaptureMode_enum::CU_STREAM_CAPTURE_MODE_RELAXED as c_uint)
            .map(|mode| Self(mode, PhantomData))
    }
}

impl Drop for Unrestricted {
    fn drop(&mut self) {
        let _ = exchange(self.0); // the mode is one that the driver has given
    }
}

/// Sets the mode of the calling thread, and gives the one before.
fn exchange(mut mode: c_uint) -> Result<c_uint> {
    call!("cuThreadExchangeStreamCaptureMode", cuThreadExchangeStreamCaptureMode((&raw mut mode).cast())).map(|()| mode)
}
