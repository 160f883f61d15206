//! Panics of a device whose data has been copied to another device.
//!
//! After a copy from another device, its *source*, a device also holds what code of the source has
//! computed. So from then on, a panic of the source is one of this device, too:
//!
//! - A thread that takes a panic leaves it to the devices that have copied from there, before it
//!   makes room for the next one.
//! - A call that waits for this device first looks for panics of its sources that nobody has taken.
//! - A source that is closed with a panic that nobody has taken leaves it, too.
//!
//! A panic that was left is taken like one of the device itself, and so gets to each thread that
//! has launched there. The thread that has got it from the source does not get it again. The
//! sources of a source count as sources of the device, as of the copy. A device keeps neither its
//! sources nor those that have copied from it.

use std::fmt::Debug;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, MutexGuard, Weak};
use std::thread::{self, ThreadId};

use super::panic::Panic;
use super::reports::Reports;
use crate::error::{Error, Result};
use crate::lock::Lock;

/// A device that others have copied data from.
pub(crate) trait Source: Debug + Send + Sync {
    /// Fails with a panic of the device's own code that nobody has taken, and takes it.
    fn take_panic(&self) -> Result<()>;
}

/// What a device knows of those that it has copied data from, and of those that have copied from
/// it.
#[derive(Debug, Default)]
pub(super) struct Sources {
    /// Whether there are sources, or panics that they have left.
    any: AtomicBool,
    state: Lock<State>,
}

#[derive(Debug, Default)]
struct State {
    sources: Vec<(Weak<dyn Source>, Weak<Reports>)>,
    /// The devices that have copied from here.
    targets: Vec<Weak<Reports>>,
    /// Panics of sources, each with the thread that got it there.
    left: Vec<(Panic, Option<ThreadId>)>,
}

impl Sources {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    fn add_target(&self, target: &Arc<Reports>) {
        let mut state = self.state();
        state.targets.retain(|known| known.strong_count() > 0);
        if !state.targets.iter().any(|known| std::ptr::eq(known.as_ptr(), Arc::as_ptr(target))) {
            state.targets.push(Arc::downgrade(target));
        }
    }

    /// Leaves a panic to all devices that have copied from here. `told` is the thread that gets it.
    pub(super) fn leave(&self, panic: &Panic, told: Option<ThreadId>) {
        let targets: Vec<_> = self.state().targets.iter().filter_map(Weak::upgrade).collect();
        for target in targets {
            // The list first: whoever sees that there is something finds it.
            target.sources.state().left.push((panic.clone(), told));
            target.sources.any.store(true, Ordering::Release);
        }
    }
}

impl Reports {
    /// Records that data is copied from another device. To be called before the copy.
    pub(crate) fn copies_from(self: &Arc<Self>, source: Weak<dyn Source>, reports: &Arc<Reports>) {
        let mut new = reports.sources.state().sources.clone();
        new.push((source, Arc::downgrade(reports)));
        for (source, reports) in new {
            let Some(of_source) = reports.upgrade().filter(|of_source| !Arc::ptr_eq(of_source, self)) else { continue };
            of_source.sources.add_target(self);
            let mut state = self.sources.state();
            state.sources.retain(|(source, _)| source.strong_count() > 0);
            if !state.sources.iter().any(|(_, known)| known.ptr_eq(&reports)) {
                state.sources.push((source, reports));
                self.sources.any.store(true, Ordering::Release);
            }
        }
    }

    /// Whether [`take_from_sources`](Self::take_from_sources) has something to look at.
    #[inline]
    pub(crate) fn has_sources(&self) -> bool {
        self.sources.any.load(Ordering::Acquire)
    }

    /// Fails with a panic of a source, unless this thread has got it there. To be called by each
    /// wait.
    #[cold]
    pub(crate) fn take_from_sources(self: &Arc<Self>) -> Result<()> {
        let sources: Vec<_> = self.sources.state().sources.iter().map(|(source, _)| source.clone()).collect();
        let mut result = Ok(());
        for source in sources {
            // What else fails there, such as a device that is lost, is not a failure of this one.
            if let Some(Err(error @ Error::KernelPanic { .. })) = source.upgrade().map(|source| source.take_panic()) {
                result = result.and(Err(error));
            }
        }
        let left = std::mem::take(&mut self.sources.state().left);
        for (panic, told) in left {
            // The thread that has taken it gets it there when the message is there.
            let told = told.filter(|_| panic.is_formatted());
            let error = self.accept(panic, told);
            if told != Some(thread::current().id()) {
                result = result.and(Err(error));
            }
        }
        result
    }

    /// Leaves a panic that nobody has taken to the devices that have copied data from here. To be
    /// called when the device is closed.
    pub(crate) fn leave(&self, panic: &Panic) {
        self.sources.leave(panic, None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A device that does nothing but fail.
    #[derive(Debug, Default)]
    struct Device {
        reports: Arc<Reports>,
        failed: Lock<Option<u32>>,
    }

    fn panic(line: u32) -> Error {
        Error::KernelPanic { kernel: "k", file: "f", line, column: 1, message: String::new() }
    }

    impl Source for Device {
        fn take_panic(&self) -> Result<()> {
            let failed = self.failed.lock().take();
            failed.map_or(Ok(()), |line| Err(self.reports.take(panic(line).into(), || Ok(()))?.tell(|| None)))
        }
    }

    impl Device {
        fn copies_from(&self, other: &Arc<Device>) {
            let source: Weak<Device> = Arc::downgrade(other);
            self.reports.copies_from(source, &other.reports);
        }

        fn fail(&self, line: u32) {
            *self.failed.lock() = Some(line);
        }

        /// The line of the panic that a wait for the device reports.
        fn wait(&self) -> Option<u32> {
            let own = self.take_panic();
            let all = own.and_then(|()| self.reports.take_from_sources()).and_then(|()| self.reports.check(None));
            match all {
                Ok(()) => None,
                Err(Error::KernelPanic { line, .. }) => Some(line),
                Err(other) => unreachable!("{other}"),
            }
        }
    }

    fn elsewhere(device: &Arc<Device>) -> Option<u32> {
        let device = Arc::clone(device);
        thread::spawn(move || device.wait()).join().unwrap()
    }

    #[test]
    fn a_panic_of_a_source_is_reported_once() {
        let (a, b) = (Arc::<Device>::default(), Arc::<Device>::default());
        b.fail(1);
        assert_eq!(a.wait(), None, "nothing was copied");
        a.copies_from(&b);
        assert_eq!([a.wait(), a.wait(), b.wait()], [Some(1), None, None]);
        b.fail(2);
        assert_eq!([b.wait(), a.wait()], [Some(2), None], "the thread knows");
        b.fail(3);
        assert_eq!([elsewhere(&b), a.wait(), a.wait()], [Some(3), Some(3), None], "this one does not");
        assert!(!b.reports.has_sources(), "nothing goes the other way");
    }

    #[test]
    fn a_source_that_is_closed_leaves_its_panic() {
        let (a, b) = (Arc::<Device>::default(), Arc::<Device>::default());
        a.copies_from(&b);
        b.reports.leave(&panic(4).into());
        drop(b);
        assert_eq!([a.wait(), a.wait()], [Some(4), None]);
    }

    #[test]
    fn sources_are_passed_on_by_copies() {
        let [a, b, c] = [(); 3].map(|()| Arc::<Device>::default());
        b.copies_from(&c);
        a.copies_from(&b);
        c.fail(5);
        assert_eq!([a.wait(), b.wait()], [Some(5), None]);
        // In a circle, too, and then each has all others as its sources.
        c.copies_from(&a);
        b.fail(6);
        assert_eq!([elsewhere(&c), a.wait()], [Some(6), Some(6)]);
        assert_eq!(
            [b.wait(), c.wait()],
            [None, None],
            "others have taken it, and this thread has launched nothing there"
        );
    }
}
