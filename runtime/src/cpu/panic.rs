//! Failed checks of device code on the CPU.
//!
//! A failed check unwinds to the end of its chunk. It does not call the panic hook, so it prints
//! nothing; the returned error contains the message. With `panic = "abort"` the process aborts, as
//! on any panic.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::error::Error;
use crate::model::kernel::{Kernel, Loop};
use crate::value::check::DevicePanic;
use crate::value::format::message_of;

/// Runs device code and turns its panic into an error.
#[inline]
pub(crate) fn caught(kernel: &Kernel, par_loop: &Loop, run: impl FnOnce()) -> Result<(), Error> {
    // The views hold `DeviceCopy` values. A loop only writes valid values to their fields, so all
    // contents are valid after a panic.
    catch_unwind(AssertUnwindSafe(run)).map_err(|payload| describe(kernel, par_loop, payload))
}

#[cold]
fn describe(kernel: &Kernel, par_loop: &Loop, payload: Box<dyn Any + Send>) -> Error {
    let (kernel, whole) = (kernel.name, kernel.file);
    match payload.downcast::<DevicePanic>() {
        Ok(panic) => Error::KernelPanic {
            kernel,
            file: panic.location.file(),
            line: panic.location.line(),
            column: panic.location.column(),
            message: panic.message.into_owned(),
        },
        // A panic of std inside device code. The panic hook has printed its location; only the
        // location of the loop is known here.
        Err(payload) => {
            let message = message_of(payload);
            Error::KernelPanic { kernel, file: whole, line: par_loop.line, column: par_loop.column, message }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::resume_unwind;

    use super::*;
    use crate::model::cost::Cost;
    use crate::model::kernel::Number;
    use crate::value::check::{fail, out_of_bounds};

    static LOOPS: [Loop; 1] = [Loop::of_a_test(Cost::new(1, false))];
    static KERNEL: Kernel = Kernel {
        number: Number::new(),
        name: "k",
        module: "m",
        file: "k.rs",
        line: 40,
        loops: &LOOPS,
        fused: &[],
        plan: &[],
    };

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

    #[test]
    fn a_panic_that_panics_when_it_is_dropped_is_one_error() {
        struct Bomb;
        impl Drop for Bomb {
            fn drop(&mut self) {
                std::panic::panic_any(Bomb);
            }
        }
        check(|| std::panic::panic_any(Bomb), "k.rs", 41, "");
    }
}
