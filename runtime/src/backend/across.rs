//! Copies from one device to another.
//!
//! | from | to | on a stream of a GPU | on one of the CPU, or blocking |
//! |---|---|---|---|
//! | CPU | CPU | | at once |
//! | CPU | GPU | through page-locked memory, which the host fills at once | the host waits for the copy |
//! | GPU | CPU | the host waits for the copy: the next work on the CPU begins at once | the same |
//! | GPU | GPU | work of the stream | the host waits for the copy |

use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::{Arc, Weak};

use super::memory::{Memory, Use};
use super::stream::Stream;
use crate::cpu::memory;
use crate::cpu::work::Stop;
use crate::error::Result;
use crate::order::graph_lock::GraphGuard;
use crate::order::hazard::{AccessMode, Extent};
use crate::order::reports::Reports;
use crate::order::sources::Source;
use crate::trace::{Direction, Work};

impl Memory {
    /// The panics of its device.
    fn reports(&self) -> &Arc<Reports> {
        match self {
            Memory::Cpu(memory) => &memory.cpu().reports,
            Memory::Gpu(memory) => &memory.gpu().reports,
        }
    }

    fn source(&self) -> Weak<dyn Source> {
        match self {
            Memory::Cpu(memory) => Arc::downgrade(memory.cpu()) as Weak<dyn Source>,
            Memory::Gpu(memory) => Arc::downgrade(memory.gpu()) as Weak<dyn Source>,
        }
    }

    /// For a copy between two devices: keeps the graphs of both away, and lets panics of the source
    /// be panics of the destination. Fails if a capture in progress writes one of the blocks.
    pub(crate) fn share_across<'s>(to: &Use<'s>, from: &Use<'s>) -> Result<[Option<GraphGuard<'s>>; 2]> {
        let guards = loop {
            let first = to.share()?;
            match from.share() {
                Ok(second) => break [first, second],
                // Who holds the one does not wait for the other: wait for it alone, and begin
                // again.
                Err(_) => {
                    drop(first);
                    drop(from.share()?);
                }
            }
        };
        let (to, from) = (to.memory, from.memory);
        let (here, there) = (to.reports(), from.reports());
        here.copies_from(from.source(), there);
        here.launches(std::iter::once((to.written(), AccessMode::Write)));
        there.launches(std::iter::once((from.written(), AccessMode::Read)));
        Ok(guards)
    }

    /// Reports a panic of device code after a copy for which the host has waited for a GPU. This
    /// runs code of the user: the caller holds no guard.
    pub(crate) fn report_across(to: &Memory, from: &Memory) -> Result<()> {
        match (to, from) {
            (_, Memory::Cpu(_)) => Ok(()),
            (Memory::Gpu(to), Memory::Gpu(source)) if source.is_reachable_from(to.gpu()) => Ok(()),
            (_, Memory::Gpu(_)) => from.report(),
        }
    }

    /// Copies bytes of a block of another device, after all launches that write those and use
    /// these. Blocks. [`report_across`](Self::report_across) must follow.
    ///
    /// # Safety
    /// Both blocks have the bytes. In the meantime only work that was queued before writes the
    /// source or uses the destination.
    pub(crate) unsafe fn copy_across(&self, bytes: Range<usize>, from: &Memory, start: usize) -> Result<()> {
        let len = bytes.len();
        match (self, from) {
            (Memory::Cpu(to), Memory::Cpu(from)) => {
                // SAFETY: the caller's promise.
                unsafe { memory::copy(to, bytes, from, start) }.run_on(to.cpu(), None).map_err(Stop::raise)
            }
            (Memory::Gpu(to), Memory::Cpu(from)) => {
                // SAFETY: the caller's promise.
                to.write(bytes.start, unsafe { from.bytes(start, len) })
            }
            (Memory::Cpu(to), Memory::Gpu(from)) => {
                // SAFETY: the caller's promise.
                from.read(&Extent::from(start..start + len), unsafe { to.bytes_mut(bytes.start, len) })
            }
            (Memory::Gpu(to), Memory::Gpu(from)) if from.is_reachable_from(to.gpu()) => {
                to.copy_from(bytes.start, from, start, len)
            }
            (Memory::Gpu(to), Memory::Gpu(from)) => {
                let mut host = vec![MaybeUninit::uninit(); len];
                from.read(&Extent::from(start..start + len), &mut host)?;
                to.write(bytes.start, &host)
            }
        }
    }
}

impl Stream {
    /// Orders and queues a copy from one device to another. The stream belongs to one of them. The
    /// table above says when this blocks.
    ///
    /// # Safety
    /// Both parts are inside their blocks and borrowed, the destination uniquely.
    pub(crate) unsafe fn copy_across(&self, to: &Use<'_>, from: &Use<'_>) -> Result<()> {
        if let Stream::Gpu(stream) = self {
            let bytes = to.bytes.len();
            match (to.memory, from.memory) {
                (Memory::Gpu(target), Memory::Gpu(source)) if source.is_reachable_from(target.gpu()) => {
                    stream.bind()?;
                    self.order(
                        [to, from].into_iter().map(|used| (used.memory, Extent::from(used.bytes.clone()), used.access)),
                    )?;
                    let _span = stream.span(Work::Copy(Direction::BetweenDevices, bytes));
                    return target.copy_from_async(to.bytes.start, source, from.bytes.start, bytes, stream);
                }
                (Memory::Gpu(target), Memory::Cpu(source)) => {
                    stream.bind()?;
                    target.order(to.bytes.clone(), to.access, stream)?;
                    let _span = stream.span(Work::Copy(Direction::ToDevice, bytes));
                    // SAFETY: the source has these bytes and is borrowed, and work on the CPU is
                    // complete.
                    let host = unsafe { source.bytes(from.bytes.start, bytes) };
                    return target.write_async(to.bytes.start, host, stream);
                }
                (Memory::Cpu(target), Memory::Gpu(source)) => {
                    // SAFETY: the destination has these bytes and is borrowed uniquely.
                    let host = unsafe { target.bytes_mut(to.bytes.start, bytes) };
                    return source.read_on(stream, from.bytes.start, host);
                }
                _ => {}
            }
        }
        // SAFETY: the caller's promise.
        unsafe { to.memory.copy_across(to.bytes.clone(), from.memory, from.bytes.start) }
    }
}
