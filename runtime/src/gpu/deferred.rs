//! Memory that is freed later, because it could not be freed in the order of a stream.

use std::sync::{Arc, PoisonError};

use super::Gpu;
use super::driver::{Driver, Failure, RawHost};
use super::event::PooledEvent;
use super::memory::Ordered;
use super::stream::StreamCore;
use super::wait::Wait;
use crate::error::Result;
use crate::order::hazard::{Hazards, StreamId};

/// Memory that could not be freed in the order of a stream: there is no such thing, or a call has failed.
#[derive(Debug)]
pub(super) struct DeferredFree {
    what: Block,
    /// It is out of use when these are complete; unknown: when the whole device is at rest.
    after: Option<Vec<Arc<PooledEvent>>>,
}

#[derive(Debug)]
enum Block {
    Device(u64),
    Host(RawHost),
}

impl DeferredFree {
    /// Device memory of which it is not known when it is out of use.
    pub(super) fn device(address: u64) -> Self {
        Self { what: Block::Device(address), after: None }
    }

    /// Host memory, to be freed once these are complete.
    pub(super) fn host(memory: RawHost, after: Vec<Arc<PooledEvent>>) -> Self {
        Self { what: Block::Host(memory), after: Some(after) }
    }

    /// On failure it goes with the context.
    fn give_back(&self, driver: &dyn Driver) {
        let _ = match self.what {
            Block::Device(address) => driver.free(address),
            Block::Host(memory) => driver.free_host(memory),
        };
    }
}

impl Gpu {
    /// Keeps memory to be freed once its uses are complete.
    pub(super) fn discard(&self, hazards: &Hazards<Arc<StreamCore>>, address: u64) -> Result<()> {
        let mut seen = Ordered::default();
        let mut after = Vec::new();
        for stream in hazards.streams() {
            if seen.is_new(stream.id()) {
                seen.insert(stream.id());
                after.extend(stream.last_event()?);
            }
        }
        self.free_later(DeferredFree { what: Block::Device(address), after: Some(after) });
        Ok(())
    }

    pub(super) fn free_later(&self, memory: DeferredFree) {
        self.deferred.lock().unwrap_or_else(PoisonError::into_inner).push(memory);
    }

    /// Frees what is known to be out of use. The context must be current.
    pub(super) fn free_deferred(&self) {
        self.retain_deferred(|memory| match &memory.after {
            Some(after) => !after.iter().all(|event| event.is_complete().unwrap_or(false)),
            None => true,
        });
    }

    /// Frees everything, after waiting for all work of the device. The context must be current.
    pub(super) fn free_all_deferred(&self) {
        // Of a lost device nothing runs any more. Another failure may pass: what cannot be freed now goes with the context.
        let at_rest =
            || self.synchronize(Wait::CloseAfterUse).is_some_and(|done| done.map_or_else(Failure::is_fatal, |()| true));
        if at_rest() || at_rest() {
            self.retain_deferred(|_| false);
        }
    }

    fn retain_deferred(&self, keep: impl Fn(&DeferredFree) -> bool) {
        self.deferred.lock().unwrap_or_else(PoisonError::into_inner).retain(|memory| {
            let kept = keep(memory);
            if !kept {
                memory.give_back(self.driver());
            }
            kept
        });
    }

    pub(super) fn has_deferred(&self) -> bool {
        !self.deferred.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }
}
