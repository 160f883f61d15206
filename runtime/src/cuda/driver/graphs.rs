//! Captures and graphs.

use std::ptr;

use cudarc::driver::sys;

use super::{Failure, RawGraph, RawGraphExec, RawStream, Result};

/// From now on what is queued on the stream, and on streams that wait for its events, is captured. Other calls of any thread go on as
/// before.
pub(in crate::cuda) fn begin_capture(stream: RawStream) -> Result<()> {
    let mode = sys::CUstreamCaptureMode_enum::CU_STREAM_CAPTURE_MODE_RELAXED;
    call!("cuStreamBeginCapture", cuStreamBeginCapture_v2(stream.0, mode))
}

pub(in crate::cuda) fn is_capturing(stream: RawStream) -> Result<bool> {
    let mut status = sys::CUstreamCaptureStatus_enum::CU_STREAM_CAPTURE_STATUS_NONE;
    call!("cuStreamIsCapturing", cuStreamIsCapturing(stream.0, &mut status))
        .map(|()| status != sys::CUstreamCaptureStatus_enum::CU_STREAM_CAPTURE_STATUS_NONE)
}

pub(in crate::cuda) fn end_capture(stream: RawStream) -> Result<RawGraph> {
    let mut graph = ptr::null_mut();
    call!("cuStreamEndCapture", cuStreamEndCapture(stream.0, &mut graph)).map(|()| RawGraph(graph))
}

pub(in crate::cuda) fn instantiate_graph(graph: RawGraph) -> Result<RawGraphExec> {
    let mut exec = ptr::null_mut();
    call!("cuGraphInstantiateWithFlags", cuGraphInstantiateWithFlags(&mut exec, graph.0, 0))
        .map(|()| RawGraphExec(exec))
}

pub(in crate::cuda) fn destroy_graph(graph: RawGraph) -> Result<()> {
    call!("cuGraphDestroy", cuGraphDestroy(graph.0))
}

pub(in crate::cuda) fn launch_graph(exec: RawGraphExec, stream: RawStream) -> Result<()> {
    call!("cuGraphLaunch", cuGraphLaunch(exec.0, stream.0))
}

pub(in crate::cuda) fn destroy_graph_exec(exec: RawGraphExec) -> Result<()> {
    call!("cuGraphExecDestroy", cuGraphExecDestroy(exec.0))
}
