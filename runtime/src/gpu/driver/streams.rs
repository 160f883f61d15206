//! Streams and events.

use std::ptr;

use cudarc::driver::sys;

use super::{
    ERROR_NOT_READY, EVENT_DISABLE_TIMING, Failure, RawEvent, RawStream, Result, STREAM_NON_BLOCKING,
    synchronize_context,
};
use crate::gpu::wait::Wait;

/// The numerically smallest value is the greatest priority: `(least, greatest)`.
pub(in crate::gpu) fn priority_range() -> Result<(i32, i32)> {
    let (mut least, mut greatest) = (0, 0);
    call!("cuCtxGetStreamPriorityRange", cuCtxGetStreamPriorityRange(&mut least, &mut greatest))?;
    Ok((least, greatest))
}

/// A non-blocking stream in the current context.
pub(in crate::gpu) fn create_stream(priority: i32) -> Result<RawStream> {
    let mut stream = ptr::null_mut();
    call!("cuStreamCreateWithPriority", cuStreamCreateWithPriority(&mut stream, STREAM_NON_BLOCKING, priority))?;
    Ok(RawStream(stream))
}

/// Returns at once; work in flight goes on.
pub(in crate::gpu) fn destroy_stream(stream: RawStream) -> Result<()> {
    call!("cuStreamDestroy", cuStreamDestroy_v2(stream.0))
}

pub(in crate::gpu) fn stream_priority(stream: RawStream) -> Result<i32> {
    let mut priority = 0;
    call!("cuStreamGetPriority", cuStreamGetPriority(stream.0, &mut priority)).map(|()| priority)
}

/// Blocks until the stream's work so far is complete.
pub(in crate::gpu) fn synchronize_stream(stream: RawStream, why: Wait) -> Result<()> {
    if why.is_left_out() {
        return Ok(());
    }
    call!("cuStreamSynchronize", cuStreamSynchronize(stream.0))
}

/// The same where something depends on it: that host memory is given back, or that an order holds which nothing else makes.
///
/// If the stream cannot be waited for, it is tried again, and then the host waits for the whole device, which is the last resort because it
/// breaks captures. If that fails too, the failure makes the device a lost one: then there is no later use that could come too early, and
/// of an unusable context nothing runs any more.
pub(in crate::gpu) fn settle(stream: RawStream, why: Wait) -> Result<()> {
    synchronize_stream(stream, why).map_err(|failure| {
        let settled = synchronize_stream(stream, why).or_else(|_| synchronize_context(why));
        Failure { unsettled: settled.is_err(), ..failure }
    })
}

/// Whether all of the stream's work is complete.
pub(in crate::gpu) fn stream_is_idle(stream: RawStream) -> Result<bool> {
    ready(call!("cuStreamQuery", cuStreamQuery(stream.0)))
}

fn ready(result: Result<()>) -> Result<bool> {
    match result {
        Ok(()) => Ok(true),
        Err(Failure { code: ERROR_NOT_READY, .. }) => Ok(false),
        Err(failure) => Err(failure),
    }
}

/// All work queued on `stream` from now on starts after what `event` last recorded.
pub(in crate::gpu) fn wait_event(stream: RawStream, event: RawEvent, why: Wait) -> Result<()> {
    if why.is_left_out() {
        return Ok(());
    }
    call!("cuStreamWaitEvent", cuStreamWaitEvent(stream.0, event.0, 0))
}

pub(in crate::gpu) fn create_event(timing: bool) -> Result<RawEvent> {
    let mut event = ptr::null_mut();
    let flags = if timing { 0 } else { EVENT_DISABLE_TIMING };
    call!("cuEventCreate", cuEventCreate(&mut event, flags)).map(|()| RawEvent(event))
}

pub(in crate::gpu) fn destroy_event(event: RawEvent) -> Result<()> {
    call!("cuEventDestroy", cuEventDestroy_v2(event.0))
}

pub(in crate::gpu) fn record_event(event: RawEvent, stream: RawStream) -> Result<()> {
    call!("cuEventRecord", cuEventRecord(event.0, stream.0))
}

/// Blocks until what the event last recorded is complete.
pub(in crate::gpu) fn synchronize_event(event: RawEvent, why: Wait) -> Result<()> {
    if why.is_left_out() {
        return Ok(());
    }
    call!("cuEventSynchronize", cuEventSynchronize(event.0))
}

/// Whether what the event last recorded is complete.
pub(in crate::gpu) fn event_is_complete(event: RawEvent) -> Result<bool> {
    ready(call!("cuEventQuery", cuEventQuery(event.0)))
}

/// Milliseconds from one complete event to another, to about half a microsecond.
pub(in crate::gpu) fn elapsed(start: RawEvent, end: RawEvent) -> Result<f32> {
    let mut milliseconds = 0.0;
    call!("cuEventElapsedTime", cuEventElapsedTime(&mut milliseconds, start.0, end.0)).map(|()| milliseconds)
}
