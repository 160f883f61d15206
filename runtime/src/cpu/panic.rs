//! Failing checks of device code on the CPU.
//!
//! A failing check unwinds to the end of its chunk. It does not run the panic hook: nothing is printed, the error is the
//! message. With `panic = "abort"` the process aborts, as it would on any panic.

use std::any::Any;
use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind};

use crate::error::Error;

/// What a failing check throws.
struct DevicePanic {
    location: &'static Location<'static>,
    message: Cow<'static, str>,
}

/// Ends this part of the loop with a message; the location is the caller's.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn fail(message: &'static str) -> ! {
    resume_unwind(Box::new(DevicePanic { location: Location::caller(), message: message.into() }))
}

/// A bad index.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn out_of_bounds(index: usize, len: usize) -> ! {
    let message = format!("index out of bounds: the len is {len} but the index is {index}").into();
    resume_unwind(Box::new(DevicePanic { location: Location::caller(), message }))
}

/// Runs device code; its panic becomes an error.
#[inline]
pub(crate) fn caught(kernel: &'static str, run: impl FnOnce()) -> Result<(), Error> {
    // The views that the code writes through hold scalars: whatever was written is a value.
    catch_unwind(AssertUnwindSafe(run)).map_err(|payload| describe(kernel, payload))
}

#[cold]
fn describe(kernel: &'static str, payload: Box<dyn Any + Send>) -> Error {
    match payload.downcast::<DevicePanic>() {
        Ok(panic) => Error::KernelPanic {
            kernel,
            file: panic.location.file(),
            line: panic.location.line(),
            column: panic.location.column(),
            message: panic.message.into_owned(),
        },
        // A panic of std inside device code, which the hook has printed with its place.
        Err(payload) => {
            let text = payload.downcast_ref::<&str>().map(|s| (*s).to_owned());
            let message = text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default();
            Error::KernelPanic { kernel, file: "", line: 0, column: 0, message }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_becomes_an_error_with_its_place() {
        let line = line!() + 1;
        let error = caught("k", || out_of_bounds(7, 3)).unwrap_err();
        let Error::KernelPanic { kernel, file, line: at, message, .. } = error else { panic!("{error}") };
        assert_eq!((kernel, at), ("k", line));
        assert!(file.ends_with("panic.rs"), "{file}");
        assert_eq!(message, "index out of bounds: the len is 3 but the index is 7");
    }
}
