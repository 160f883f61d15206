//! Copies between a device and pageable memory of the host, for which the host waits.
//!
//! The driver copies such memory with one thread, through page-locked memory of its own. This
//! limits a large copy, most of all one to new memory, whose pages the system clears at the first
//! write to each. So several threads take the chunks of a large copy, each with a block of
//! page-locked memory: while some of them copy on the host, the device copies for the others. Where
//! the system gives no page-locked memory, the driver copies a chunk.

#![allow(unsafe_code, reason = "it passes on the contract of a copy")]

use std::mem::MaybeUninit;
use std::num::NonZero;
use std::sync::OnceLock;
use std::thread;

use super::driver::{self, Driver, RawStream};
use super::memory::GpuMemory;
use super::stream::StreamCore;
use super::trace::GpuSpan;
use super::wait::Wait;
use crate::error::{Error, Result};
use crate::lock::Lock;

/// From this many bytes on, a copy takes much longer than the start of the threads.
const LARGE: usize = 8 << 20;
/// The bytes of a chunk: a huge page, and large enough that its calls take less time than its
/// copies.
const CHUNK: usize = 2 << 20;
/// The most threads of a copy, also on a processor with many cores: the bus, or the host's memory,
/// is the limit then.
const MOST_THREADS: usize = 8;

impl GpuMemory {
    /// Copies to the host, in the order of a stream. Blocks. `traced` ends when the last copy is
    /// queued. The context must be current.
    pub(super) fn read_in_order(
        &self,
        to: &mut [MaybeUninit<u8>],
        offset: usize,
        stream: &StreamCore,
        traced: Option<GpuSpan<'_>>,
    ) -> Result<()> {
        let (gpu, start) = (&self.gpu, self.at(offset));
        let at_once = |to: &mut [_], from, traced| {
            gpu.driver().read_blocking(to, from, stream.raw(), traced).map_err(|failure| gpu.context.error(failure))
        };
        if to.len() < LARGE {
            return at_once(to, start, traced);
        }
        by_threads(to.len().div_ceil(CHUNK), (start..).step_by(CHUNK).zip(to.chunks_mut(CHUNK)), |(from, chunk)| {
            gpu.context.bind()?;
            match gpu.fetch(chunk, from, stream) {
                Err(Error::OutOfHostMemory { .. }) => at_once(chunk, from, None),
                result => result,
            }
        })
    }

    /// Copies from the host, in the order of a stream. Blocks. `traced` ends when the last copy is
    /// queued. The context must be current.
    pub(super) fn write_in_order(
        &self,
        offset: usize,
        from: &[MaybeUninit<u8>],
        stream: &StreamCore,
        traced: Option<GpuSpan<'_>>,
    ) -> Result<()> {
        let (gpu, start) = (&self.gpu, self.at(offset));
        let at_once = |to, from: &[_], traced| {
            gpu.driver().write_blocking(to, from, stream.raw(), traced).map_err(|failure| gpu.context.error(failure))
        };
        if from.len() < LARGE {
            return at_once(start, from, traced);
        }
        by_threads(from.len().div_ceil(CHUNK), (start..).step_by(CHUNK).zip(from.chunks(CHUNK)), |(to, chunk)| {
            gpu.context.bind()?;
            match gpu.send(to, chunk, stream) {
                Err(Error::OutOfHostMemory { .. }) => at_once(to, chunk, None),
                sent => sent?.wait(stream),
            }
        })
    }
}

/// Copies `count` chunks, several at a time. Returns the first failure; after one, no copy begins.
fn by_threads<C>(
    count: usize,
    chunks: impl Iterator<Item = C> + Send,
    copy: impl Fn(C) -> Result<()> + Sync,
) -> Result<()> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get).clamp(2, MOST_THREADS).min(count);
    let (chunks, failure) = (Lock::new(chunks), OnceLock::new());
    let next = || chunks.lock().next();
    let work = || {
        while failure.get().is_none()
            && let Some(chunk) = next()
        {
            if let Err(error) = copy(chunk) {
                let _ = failure.set(error); // the first one is reported
            }
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads {
            // Where no thread can be started, the others copy its chunks.
            let _ = thread::Builder::new().name("anabranch copy".to_owned()).spawn_scoped(scope, work);
        }
        work();
    });
    failure.into_inner().map_or(Ok(()), Err)
}

impl dyn Driver + '_ {
    /// Copies to the device and waits until the copy, and all work before it on `stream`, is
    /// complete. `traced` ends when the copy is queued.
    pub(super) fn write_blocking(
        &self,
        address: u64,
        bytes: &[MaybeUninit<u8>],
        stream: RawStream,
        traced: Option<GpuSpan<'_>>,
    ) -> driver::Result<()> {
        // SAFETY: `bytes` are borrowed until the copy is complete or the device is lost; dropping a
        // span does not panic.
        unsafe { self.copy_to_device(address, bytes.as_ptr().cast(), bytes.len(), stream)? };
        drop(traced);
        self.settle(stream, Wait::Write)
    }

    /// Copies from the device and waits until the copy, and all work before it on `stream`, is
    /// complete. `traced` ends when the copy is queued.
    pub(super) fn read_blocking(
        &self,
        bytes: &mut [MaybeUninit<u8>],
        address: u64,
        stream: RawStream,
        traced: Option<GpuSpan<'_>>,
    ) -> driver::Result<()> {
        // SAFETY: as above, uniquely.
        unsafe { self.copy_to_host(bytes.as_mut_ptr().cast(), address, bytes.len(), stream)? };
        drop(traced);
        self.settle(stream, Wait::Read)
    }
}
