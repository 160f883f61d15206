//! The capture closures that this thread is in. Work that a closure launches on another stream of
//! the device would be missing from the graph.
//!
//! This mistake is easy to make: `stream.capture(|_| kernel(&stream, …))`. Only the thread
//! distinguishes it from work that is unrelated to the capture. Work of other threads and on other
//! devices is not affected. A worker of `rayon` is not checked: if the closure uses `rayon`, the
//! worker may run an unrelated task while it waits for that.

use std::cell::{Cell, RefCell};
use std::marker::PhantomData;

use super::Backend;
use crate::error::{Error, Result};

thread_local! {
    /// The devices of the captures, innermost last.
    static CAPTURING: RefCell<Vec<*const Backend>> = const { RefCell::new(Vec::new()) };
    /// How many there are: each launch looks at this alone.
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

/// As long as this value exists, this thread is in the closure of a capture.
pub(crate) struct Closure(PhantomData<*const ()>); // stays on its thread

impl Closure {
    /// Enters the closure of a capture on this device.
    pub(crate) fn enter(device: &Backend) -> Self {
        // In destructors of thread-locals, the list may be gone.
        let _ = CAPTURING.try_with(|devices| devices.borrow_mut().push(std::ptr::from_ref(device)));
        COUNT.set(COUNT.get() + 1);
        Self(PhantomData)
    }
}

impl Drop for Closure {
    fn drop(&mut self) {
        let _ = CAPTURING.try_with(|devices| devices.borrow_mut().pop());
        COUNT.set(COUNT.get() - 1);
    }
}

/// For work on a stream that is not captured: fails in the closure of a capture on this device.
#[inline]
pub(crate) fn check_outside(device: &Backend) -> Result<()> {
    if COUNT.get() > 0 && is_inside(device) { Err(on_another_stream()) } else { Ok(()) }
}

#[cold]
fn is_inside(device: &Backend) -> bool {
    let here = std::ptr::from_ref(device);
    CAPTURING.try_with(|devices| devices.borrow().contains(&here)).unwrap_or(false)
        && rayon::current_thread_index().is_none()
}

#[cold]
fn on_another_stream() -> Error {
    Error::NotCapturable {
        what: "work on another stream than that of the capture",
        instead: "use the stream that the closure is given, or do this before the capture",
    }
}
