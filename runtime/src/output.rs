//! Where the text of device code goes: standard output and standard error, through std's macros, so
//! that a test harness captures it.

use crate::lock::Lock;
use std::io::{self, StderrLock, StdoutLock};
use std::panic::Location;
use std::sync::MutexGuard;

pub use anabranch_core::output::Output;

/// A place in the source.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) file: &'a str,
    pub(crate) line: u32,
    pub(crate) column: u32,
}

impl<'a> From<&Location<'a>> for Place<'a> {
    fn from(location: &Location<'a>) -> Self {
        Place { file: location.file(), line: location.line(), column: location.column() }
    }
}

/// What a test collects instead of printing it.
static CAPTURED: Lock<Option<Vec<(Output, String)>>> = Lock::new(None);

fn captured() -> MutexGuard<'static, Option<Vec<(Output, String)>>> {
    CAPTURED.lock()
}

/// Writes the text of a printing macro in one call, so that lines of several threads do not mix.
///
/// # Panics
/// Panics like std's macros, if the stream cannot be written.
pub(crate) fn write(output: Output, place: Place<'_>, text: &str) {
    let Place { file, line, column } = place;
    let text = match output {
        Output::Print | Output::Error => text.to_owned(),
        Output::PrintLine | Output::ErrorLine => format!("{text}\n"),
        Output::Debug if text.is_empty() => format!("[{file}:{line}:{column}]\n"),
        Output::Debug => format!("[{file}:{line}:{column}] {text}\n"),
    };
    if let Some(all) = &mut *captured() {
        return all.push((output, text));
    }
    match output {
        Output::Print | Output::PrintLine => print!("{text}"),
        Output::Error | Output::ErrorLine | Output::Debug => eprint!("{text}"),
    }
}

/// Says that lines were lost.
pub(crate) fn lost(text: &str) {
    if let Some(all) = &mut *captured() {
        return all.push((Output::ErrorLine, format!("{text}\n")));
    }
    eprintln!("{text}");
}

/// As long as the result exists, this thread writes to standard error, or to standard output,
/// without waiting for other threads.
pub(crate) fn lock(error: bool) -> (Option<StdoutLock<'static>>, Option<StderrLock<'static>>) {
    if error { (None, Some(io::stderr().lock())) } else { (Some(io::stdout().lock()), None) }
}

/// Collects the text of all device code of the process during a call instead of printing it, for
/// tests. Calls do not overlap.
pub fn capture(work: impl FnOnce()) -> Vec<(Output, String)> {
    static ONE: Lock<()> = Lock::new(());
    let _one = ONE.lock();
    *captured() = Some(Vec::new());
    work();
    captured().take().unwrap_or_default()
}
