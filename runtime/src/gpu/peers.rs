//! Copies from the memory of one GPU to that of another.
//!
//! Where the devices can reach each other's memory, a copy is one call. Elsewhere its chunks go
//! through the host: to page-locked memory on a stream of the source's device, and from there on a
//! stream of the destination's, so that a chunk arrives while the next one leaves. One of the two
//! is the stream of the copy, and the other a service stream, which is forked from it and joined
//! into it by events. So for everybody else the copy is work of its own stream, and the hazards of
//! both blocks know no other.
//!
//! | from | to | waits |
//! |---|---|---|
//! | the copy's stream | the service stream of the source's device | `StagingFork` |
//! | a chunk has reached the host | the stream of the destination's device | `Staged` |
//! | a chunk has left the host | the stream of the source's device, before it writes there again | `StagingReuse` |
//! | the service stream of the destination's device | the copy's stream | `StagingJoin` |

#![allow(unsafe_code, reason = "copies through the host")]

use std::sync::{Arc, Weak};

use super::Gpu;
use super::context::Context;
use super::driver::{Failure, RawDevice};
use super::event::PooledEvent;
use super::staging::Block;
use super::stream::StreamCore;
use super::wait::Wait;
use crate::error::Result;
use crate::lock::Lock;

/// The bytes of a chunk: large enough that its calls take less time than its copies.
const CHUNK: usize = 1 << 20;
/// Chunks that are on the host at the same time.
const PLACES: usize = 4;

/// Whether other devices and this one can reach each other's memory, as far as somebody has asked.
#[derive(Debug, Default)]
pub(super) struct Peers(Lock<Vec<(Weak<Context>, bool)>>);

/// A place in the memory of a device.
type Place<'a> = (&'a Arc<Gpu>, u64);

/// Queues a copy from one device to another on a stream of one of them. The stream's context must
/// be current; it is so afterwards.
pub(super) fn transfer(to: Place<'_>, from: Place<'_>, bytes: usize, on: &StreamCore) -> Result<()> {
    let ((to_gpu, to_address), (from_gpu, from_address)) = (to, from);
    // Otherwise a failure of one would look like one of the other.
    to_gpu.context.check()?;
    from_gpu.context.check()?;
    if to_gpu.reaches(from_gpu, on.context())? {
        let (to_context, from_context) = (to_gpu.context.raw(), from_gpu.context.raw());
        let (driver, context) = (to_gpu.driver(), on.context());
        return driver
            .copy_between(to_address, to_context, from_address, from_context, bytes, on.raw())
            .map_err(|failure| context.error(failure));
    }
    let (near, far) = if on.is_of(&to_gpu.context) { (to_gpu, from_gpu) } else { (from_gpu, to_gpu) };
    let helper = {
        let _there = far.context.visit(&near.context)?;
        far.service()?
    };
    let staging = near.take_staging(bytes.min(PLACES * CHUNK))?;
    let (reader, writer) = if on.is_of(&to_gpu.context) { (&**helper.core(), on) } else { (on, &**helper.core()) };
    let staged = Staged { staging: &staging, reader, writer, near: &near.context };
    let queued = staged.copy(to_address, from_address, bytes, on, helper.core());
    let last = queued.and_then(|()| on.record());
    match last {
        Ok(last) => {
            near.give_back_staging(staging, last);
            Ok(())
        }
        Err(error) => {
            // What has been queued of it may still use the block.
            {
                let _there = far.context.visit(&near.context);
                far.context.settle(helper.core().raw(), Wait::StagingFailed);
            }
            near.context.settle(on.raw(), Wait::StagingFailed);
            near.discard_block(staging);
            Err(error)
        }
    }
}

/// A copy through the host.
struct Staged<'a> {
    staging: &'a Block,
    /// Of the source's device.
    reader: &'a StreamCore,
    /// Of the destination's device.
    writer: &'a StreamCore,
    /// The context of the copy's stream, which is current between the calls for the other device.
    near: &'a Context,
}

impl Staged<'_> {
    fn copy(&self, to: u64, from: u64, bytes: usize, on: &StreamCore, helper: &StreamCore) -> Result<()> {
        let helper_writes = std::ptr::eq(self.writer, helper);
        if !helper_writes {
            let _there = helper.context().visit(self.near)?;
            on.make_wait(helper, Wait::StagingFork)?;
        }
        let mut left: [Option<PooledEvent>; PLACES] = [const { None }; PLACES];
        for (number, start) in (0..bytes).step_by(CHUNK).enumerate() {
            let (place, len) = (number % PLACES, CHUNK.min(bytes - start));
            let arrived = self.stage(place, from + start as u64, len, left[place].take())?;
            left[place] = Some(self.pass_on(place, to + start as u64, len, &arrived)?);
        }
        if helper_writes { helper.make_wait(on, Wait::StagingJoin) } else { Ok(()) }
    }

    /// Queues the first half of a chunk's way.
    fn stage(&self, place: usize, from: u64, bytes: usize, left: Option<PooledEvent>) -> Result<PooledEvent> {
        let (context, raw) = (self.reader.context(), self.reader.raw());
        let _there = context.visit(self.near)?;
        if let Some(left) = left {
            left.wait_in(context, raw, Wait::StagingReuse)?;
        }
        let host = self.staging.at(place * CHUNK);
        // SAFETY: the block has this place, and `transfer` holds it until an event behind this copy
        // is complete. Only copies use it, one after the other.
        let queued = unsafe { context.driver().copy_to_host(host.cast(), from, bytes, raw) };
        queued.map_err(|failure| context.error(failure))?;
        self.reader.record()
    }

    /// Queues the second half.
    fn pass_on(&self, place: usize, to: u64, bytes: usize, arrived: &PooledEvent) -> Result<PooledEvent> {
        let (context, raw) = (self.writer.context(), self.writer.raw());
        let _there = context.visit(self.near)?;
        arrived.wait_in(context, raw, Wait::Staged)?;
        let host = self.staging.at(place * CHUNK);
        // SAFETY: as above.
        let queued = unsafe { context.driver().copy_to_device(to, host.cast_const().cast(), bytes, raw) };
        queued.map_err(|failure| context.error(failure))?;
        self.writer.record()
    }
}

impl Gpu {
    /// Whether this device and another one can reach each other's memory, after what they need for
    /// that. The context `back` must be current; it is so afterwards.
    fn reaches(&self, other: &Arc<Gpu>, back: &Context) -> Result<bool> {
        let mut peers = self.peers.0.lock();
        peers.retain(|(context, _)| context.strong_count() > 0);
        let other_context = Arc::downgrade(&other.context);
        if let Some((_, reached)) = peers.iter().find(|(context, _)| context.ptr_eq(&other_context)) {
            return Ok(*reached);
        }
        let reached = self.gain_access(other, back)? && other.gain_access(self, back)?;
        peers.push((other_context, reached));
        Ok(reached)
    }

    /// Lets work of this device use the memory of another one. If the driver refuses, copies go
    /// through the host.
    fn gain_access(&self, owner: &Gpu, back: &Context) -> Result<bool> {
        let (driver, device) = (self.driver(), self.context.device());
        let _here = self.context.visit(back)?;
        let gained = driver.can_access_peer(device, owner.context.device()).and_then(|can| {
            if can {
                driver.enable_peer_access(owner.context.raw())?;
                owner.share_reserve(device)?;
            }
            Ok(can)
        });
        match gained {
            Err(failure) if failure.is_fatal() => Err(self.context.error(failure)),
            gained => Ok(gained.unwrap_or(false)),
        }
    }

    fn share_reserve(&self, device: RawDevice) -> std::result::Result<(), Failure> {
        self.reserve.as_ref().map_or(Ok(()), |reserve| reserve.share_with(device))
    }
}
