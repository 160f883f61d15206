//! Failing checks of device code on the CPU.
//!
//! A failing check unwinds to the end of its chunk. It does not run the panic hook: nothing is printed, the error is the
//! message. With `panic = "abort"` the process aborts, as it would on any panic.

use std::any::Any;
use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind};

use anabranch_core::check::Check;

use crate::error::Error;
use crate::private::kernel::{Kernel, Loop};

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

/// The same with the words of a check that has failed with two numbers.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn fail_check(check: Check, a: u64, b: u64) -> ! {
    resume_unwind(Box::new(DevicePanic { location: Location::caller(), message: check.describe(a, b).into() }))
}

/// A bad index.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn out_of_bounds(index: usize, len: usize) -> ! {
    fail_check(Check::Index, index as u64, len as u64)
}

/// Runs device code; its panic becomes an error.
#[inline]
pub(crate) fn caught(kernel: &Kernel, looped: &Loop, run: impl FnOnce()) -> Result<(), Error> {
    // The views that the code writes through hold scalars: whatever was written is a value.
    catch_unwind(AssertUnwindSafe(run)).map_err(|payload| describe(kernel, looped, payload))
}

#[cold]
fn describe(kernel: &Kernel, looped: &Loop, payload: Box<dyn Any + Send>) -> Error {
    let (kernel, whole) = (kernel.name, kernel.file);
    match payload.downcast::<DevicePanic>() {
        Ok(panic) => Error::KernelPanic {
            kernel,
            file: panic.location.file(),
            line: panic.location.line(),
            column: panic.location.column(),
            message: panic.message.into_owned(),
        },
        // A panic of std inside device code: the hook has printed its place, the loop's is all that is known here.
        Err(payload) => {
            let text = payload.downcast_ref::<&str>().map(|s| (*s).to_owned());
            let message = text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default();
            Error::KernelPanic { kernel, file: whole, line: looped.line, column: looped.column, message }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::private::cost::Cost;

    static LOOPS: [Loop; 1] = [Loop {
        name: "k_0",
        header: "for i in par(0..1)",
        group: None,
        line: 41,
        column: 5,
        block: 256,
        dims: 1,
        captures: &[],
        sites: &[],
        template: crate::private::Template(&[]),
        cost: Cost::new(1, false),
        facts: crate::private::facts::Facts::NONE,
    }];
    static KERNEL: Kernel = Kernel { name: "k", module: "m", file: "k.rs", line: 40, loops: &LOOPS, plan: &[] };

    fn check(run: impl FnOnce(), expected_file: &str, expected_line: u32, expected_message: &str) {
        let error = caught(&KERNEL, &LOOPS[0], run).unwrap_err();
        let Error::KernelPanic { kernel, file, line, message, .. } = error else { panic!("{error}") };
        assert!(file.ends_with(expected_file), "{file}");
        assert_eq!((kernel, line, message.as_str()), ("k", expected_line, expected_message));
    }

    #[test]
    fn a_failure_becomes_an_error_with_its_place() {
        let message = "index out of bounds: the len is 3 but the index is 7";
        check(|| out_of_bounds(7, 3), "panic.rs", line!(), message);
        check(|| fail("the words"), "panic.rs", line!(), "the words");
    }

    #[test]
    fn a_foreign_panic_has_the_place_of_the_loop() {
        check(|| resume_unwind(Box::new("of std")), "k.rs", 41, "of std");
        check(|| resume_unwind(Box::new(String::from("formatted"))), "k.rs", 41, "formatted");
    }
}
