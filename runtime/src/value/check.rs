//! Failing checks of device code on the CPU: they unwind to the end of their chunk, without the panic hook.

use std::borrow::Cow;
use std::panic::{Location, resume_unwind};

use anabranch_core::check::Check;

/// What a failing check throws.
pub(crate) struct DevicePanic {
    pub(crate) location: &'static Location<'static>,
    pub(crate) message: Cow<'static, str>,
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
