//! What a kernel of the library cannot do with its arguments, reported where it is launched or
//! called.
//!
//! A closure has no `#[track_caller]`, and a host part is one. So a host part that refuses its
//! arguments unwinds without a message to the function that the user calls, and the panic begins
//! there.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Why.
struct Refusal(String);

/// Refuses the arguments of a kernel with `#[track_caller]`, unless they are right.
#[inline]
#[track_caller]
pub(crate) fn require(right: bool, why: impl FnOnce() -> String) {
    if !right {
        // Where a panic ends the process there is no unwinding, and this one would end it without a
        // message.
        if cfg!(panic = "abort") {
            panic!("{}", why());
        }
        resume_unwind(Box::new(Refusal(why())));
    }
}

/// Runs the host part of a kernel with `#[track_caller]`. If that refuses the arguments, panics at
/// the caller's line.
#[inline]
#[track_caller]
pub fn at_caller<R>(run: impl FnOnce() -> R) -> R {
    // A host part that unwinds leaves nothing half done: this is how every panic leaves it.
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(result) => result,
        Err(payload) => match payload.downcast::<Refusal>() {
            Ok(refusal) => panic!("{}", refusal.0),
            Err(payload) => resume_unwind(payload),
        },
    }
}
