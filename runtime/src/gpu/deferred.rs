//! Memory that is freed later, because it could not be freed in stream order.

use std::sync::Arc;

use super::Gpu;
use super::driver::{Driver, Failure, RawHost};
use super::event::{PooledEvent, StreamHandle};
use super::stream::StreamCore;
use super::wait::{Ordered, Wait};
use crate::error::Result;
use crate::order::hazard::{Hazards, StreamId};

/// Memory that could not be freed in stream order, because the device does not support this or a
/// call failed.
#[derive(Debug)]
pub(super) struct DeferredFree {
    what: DeferredBlock,
    /// The memory is unused when these events are complete. `None`: when the whole device is idle.
    after: Option<Vec<Arc<PooledEvent>>>,
}

#[derive(Debug)]
enum DeferredBlock {
    Device(u64),
    Host(RawHost),
}

impl DeferredFree {
    /// Device memory whose last use is unknown.
    pub(super) fn device(address: u64) -> Self {
        Self { what: DeferredBlock::Device(address), after: None }
    }

    /// Host memory, to be freed once these are complete.
    pub(super) fn host(memory: RawHost, after: Vec<Arc<PooledEvent>>) -> Self {
        Self { what: DeferredBlock::Host(memory), after: Some(after) }
    }

    /// On failure, the memory is freed with the context.
    fn give_back(&self, driver: &dyn Driver) {
        let _ = match self.what {
            DeferredBlock::Device(address) => driver.free(address),
            DeferredBlock::Host(memory) => driver.free_host(memory),
        };
    }
}

impl Gpu {
    /// Keeps memory until its uses are complete, to free it then.
    pub(super) fn discard(&self, hazards: &Hazards<Arc<StreamCore>>, address: u64) -> Result<()> {
        let mut seen = Ordered::default();
        let mut after = Vec::new();
        for stream in hazards.streams() {
            if seen.is_new(stream.id()) {
                seen.insert(stream.id());
                after.extend(stream.last_event(&self.context)?);
            }
        }
        self.free_later(DeferredFree { what: DeferredBlock::Device(address), after: Some(after) });
        Ok(())
    }

    /// Keeps memory until the work of a stream so far is complete.
    pub(super) fn discard_on(&self, stream: StreamHandle, address: u64) -> Result<()> {
        self.free_deferred();
        let after = vec![Arc::new(self.events.record(stream)?)];
        self.free_later(DeferredFree { what: DeferredBlock::Device(address), after: Some(after) });
        Ok(())
    }

    pub(super) fn free_later(&self, memory: DeferredFree) {
        self.deferred.lock().push(memory);
    }

    /// Frees the memory that is known to be unused. The context must be current.
    pub(super) fn free_deferred(&self) {
        self.free_unless(|memory| match &memory.after {
            Some(after) => !after.iter().all(|event| event.is_complete().unwrap_or(false)),
            None => true,
        });
    }

    /// Frees everything, after waiting for all work of the device. The context must be current.
    pub(super) fn free_all_deferred(&self) {
        // On a lost device, no work runs any more. Another failure can be ignored: memory that
        // cannot be freed now is freed with the context.
        let at_rest =
            || self.synchronize(Wait::CloseAfterUse).is_some_and(|done| done.map_or_else(Failure::is_fatal, |()| true));
        if at_rest() || at_rest() {
            self.free_unless(|memory| {
                // Other devices may still copy from it or to it. On a lost device, no work runs any
                // more.
                for event in memory.after.iter().flatten().filter(|event| !event.is_complete().unwrap_or(false)) {
                    let _ = event.synchronize(Wait::CloseAfterUse);
                }
                false
            });
        }
    }

    /// Frees the memory that is not to be kept. The list is not locked while `keep` or the driver
    /// waits.
    fn free_unless(&self, keep: impl Fn(&DeferredFree) -> bool) {
        let all = std::mem::take(&mut *self.deferred.lock());
        let (kept, unused): (Vec<_>, Vec<_>) = all.into_iter().partition(keep);
        self.deferred.lock().extend(kept);
        unused.iter().for_each(|memory| memory.give_back(self.driver()));
    }

    pub(super) fn has_deferred(&self) -> bool {
        !self.deferred.lock().is_empty()
    }
}
