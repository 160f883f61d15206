//! The kernels of one device. A launch finds its programs by the number of the kernel, without a
//! lock.

use std::any::TypeId;
use std::iter;
use std::sync::OnceLock;

use super::module::Loaded;
use crate::lock::Lock;
use crate::model::description::Instance;
use crate::model::kernel::Variant;

/// The kernels in the first bucket. Each bucket after it has twice as many.
const FIRST: usize = 32;
/// More kernels than these buckets hold do not fit into a process.
const BUCKETS: usize = 27;

/// The loaded programs. If two threads launch a kernel for the first time, it is compiled once.
/// Different kernels are compiled concurrently. A failure is not stored, so the next launch tries
/// again. No program is unloaded before the device is dropped.
#[derive(Debug, Default)]
pub(super) struct Kernels {
    buckets: [OnceLock<Box<[Instances]>>; BUCKETS],
}

/// The instances of a kernel, each with the next one. A kernel without type parameters has one, and
/// few have many: a launch walks along them.
type Instances = OnceLock<Box<Programs>>;

#[derive(Debug)]
struct Programs {
    id: TypeId,
    /// In the order of [`Variant::ALL`].
    slots: [Slot; Variant::ALL.len()],
    next: Instances,
}

#[derive(Debug, Default)]
struct Slot {
    loaded: OnceLock<Loaded>,
    loading: Lock<()>,
}

impl Kernels {
    /// A program of a kernel, if it is there.
    #[inline]
    pub(super) fn get(&self, instance: Instance, variant: Variant) -> Option<&Loaded> {
        self.programs(instance).slots[variant as usize].loaded.get()
    }

    /// A program of a kernel, which `load` loads if it is not there.
    pub(super) fn get_or_load<E>(
        &self,
        instance: Instance,
        variant: Variant,
        load: impl FnOnce() -> Result<Loaded, E>,
    ) -> Result<&Loaded, E> {
        let slot = &self.programs(instance).slots[variant as usize];
        let _loading = slot.loading.lock();
        if let Some(loaded) = slot.loaded.get() {
            return Ok(loaded);
        }
        let loaded = load()?;
        Ok(slot.loaded.get_or_init(|| loaded))
    }

    fn programs(&self, instance: Instance) -> &Programs {
        let id = (instance.id)();
        let mut place = self.instances(instance.kernel.number.get());
        loop {
            let programs =
                place.get_or_init(|| Box::new(Programs { id, slots: Default::default(), next: OnceLock::new() }));
            if programs.id == id {
                return programs;
            }
            place = &programs.next;
        }
    }

    fn instances(&self, number: usize) -> &Instances {
        let place = number + FIRST;
        let bucket = place.ilog2() - FIRST.ilog2();
        let size = FIRST << bucket;
        let bucket = self.buckets[bucket as usize].get_or_init(|| (0..size).map(|_| OnceLock::new()).collect());
        &bucket[place - size]
    }

    /// All programs.
    pub(super) fn all(&self) -> impl Iterator<Item = &Loaded> {
        let kernels = self.buckets.iter().filter_map(OnceLock::get).flatten();
        let instances = kernels.flat_map(|first| iter::successors(first.get(), |programs| programs.next.get()));
        instances.flat_map(|programs| programs.slots.iter().filter_map(|slot| slot.loaded.get()))
    }
}
