//! The closures of captures that this thread is in: what they launch on another stream of the device would be missing in the graph.
//!
//! That is a mistake easily made, `stream.capture(|_| kernel(&stream, …))`, and nothing but the thread tells it from work that has
//! nothing to do with the capture: that of other threads and on other devices goes on as ever.

use std::cell::RefCell;
use std::marker::PhantomData;

use crate::backend::Backend;
use crate::error::{Error, Result};

thread_local! {
    /// The devices of the captures, innermost last.
    static CAPTURING: RefCell<Vec<*const Backend>> = const { RefCell::new(Vec::new()) };
}

/// This thread is in the closure of a capture while this lives.
pub(crate) struct Closure(PhantomData<*const ()>); // stays on its thread

impl Closure {
    /// On this device.
    pub(crate) fn enter(device: &Backend) -> Self {
        // In the destructors of thread-locals there are no books any more.
        let _ = CAPTURING.try_with(|devices| devices.borrow_mut().push(std::ptr::from_ref(device)));
        Self(PhantomData)
    }
}

impl Drop for Closure {
    fn drop(&mut self) {
        let _ = CAPTURING.try_with(|devices| devices.borrow_mut().pop());
    }
}

/// Fails in the closure of a capture on this device; for work on a stream that is not captured.
#[inline]
pub(crate) fn check_outside(device: &Backend) -> Result<()> {
    let here = std::ptr::from_ref(device);
    let is_inside = CAPTURING.try_with(|devices| devices.borrow().contains(&here)).unwrap_or(false);
    if is_inside { Err(on_another_stream()) } else { Ok(()) }
}

#[cold]
fn on_another_stream() -> Error {
    Error::NotCapturable {
        what: "work on another stream than that of the capture",
        instead: "use the stream that the closure is given, or do this before the capture",
    }
}
