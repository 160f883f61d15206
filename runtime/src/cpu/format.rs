//! Printing macros and messages with values, as generated code calls them.

use std::borrow::Cow;
use std::panic::{Location, resume_unwind};

use crate::model::slots::FormatSlot;
use crate::output::{self, Output};
use crate::value::DeviceValue;
use crate::value::check::DevicePanic;
use crate::value::format::{Format, caught, text};

/// `println!` and the like. A panic of the user's `Display`, or of the stream, is a failed check at
/// the macro.
#[inline(never)]
#[track_caller]
pub fn print<A: DeviceValue, F: Format<A>>(_: FormatSlot<A, F>, output: Output, values: A, format: F) {
    let location = Location::caller();
    let written = text(values, format).and_then(|text| caught(|| output::write(output, location.into(), &text)));
    if let Err(message) = written {
        fail(location, message.into());
    }
}

/// Ends this chunk of the loop with a message that has values.
#[cold]
#[inline(never)]
#[track_caller]
pub fn panic_with<A: DeviceValue, F: Format<A>>(_: FormatSlot<A, F>, values: A, format: F) -> ! {
    let location = Location::caller();
    fail(location, text(values, format).unwrap_or_else(|message| message).into())
}

/// Ends this chunk of the loop with a text, or with the message of the panic of what should have
/// written it.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn panic_with_text(text: Result<String, String>) -> ! {
    fail(Location::caller(), text.unwrap_or_else(|message| message).into())
}

fn fail(location: &'static Location<'static>, message: Cow<'static, str>) -> ! {
    resume_unwind(Box::new(DevicePanic { location, message }))
}
