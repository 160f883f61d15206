//! Failed checks of device code on the CPU. A failed check unwinds to the end of its chunk without
//! the panic hook.

use std::borrow::Cow;
use std::panic::{Location, resume_unwind};

use anabranch_core::check::Check;

/// The panic payload of a failed check.
pub(crate) struct DevicePanic {
    pub(crate) location: &'static Location<'static>,
    pub(crate) message: Cow<'static, str>,
}

/// Ends this chunk of the loop with a message, at the caller's location.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn fail(message: &'static str) -> ! {
    resume_unwind(Box::new(DevicePanic { location: Location::caller(), message: message.into() }))
}

/// Ends this chunk of the loop with the message of a failed check and its two numbers.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn fail_check(check: Check, a: u64, b: u64) -> ! {
    resume_unwind(Box::new(DevicePanic { location: Location::caller(), message: check.describe(a, b).into() }))
}

/// Ends this chunk of the loop because of an index out of bounds.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn out_of_bounds(index: usize, len: usize) -> ! {
    fail_check(Check::Index, index as u64, len as u64)
}
