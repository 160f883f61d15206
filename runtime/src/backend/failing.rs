//! The first error of a launch, with the calls of kernels that led to it.

use std::cell::RefCell;

use crate::cpu::work::Stop;
use crate::error::{Error, Result};
use crate::model::kernel::Kernel;
use crate::value::format::dropped;

/// The first error of a launch, or the first panic of a recorded library kernel. Nothing is
/// launched after it.
#[derive(Debug, Default)]
pub(crate) struct FirstError(RefCell<Option<Stop>>);

impl FirstError {
    /// The place of a launch that no kernel has called.
    #[inline]
    pub(crate) fn at_the_launch(&self) -> Failing<'_> {
        Failing { first: self, calls: None }
    }

    /// Goes on with a panic, if that came first.
    pub(crate) fn into_result(self) -> Result<()> {
        self.0.into_inner().map_or(Ok(()), |stop| Err(stop.raise()))
    }
}

/// The call of a kernel in the host part of another one, and the calls around it. It is on the
/// stack of the host.
#[derive(Debug)]
pub(crate) struct NestedCall<'r> {
    pub(crate) by: &'static Kernel,
    pub(crate) line: u32,
    pub(crate) outer: Option<&'r NestedCall<'r>>,
}

/// The kernels whose calls led to a place, with the lines of the calls, the innermost first.
#[derive(Debug)]
pub(crate) struct Callers(Box<[(&'static Kernel, u32)]>);

impl Callers {
    /// Adds them to an error.
    #[cold]
    pub(crate) fn name(&self, error: Error) -> Error {
        self.0.iter().fold(error, |error, &(by, line)| Error::Called {
            error: Box::new(error),
            by: by.name,
            file: by.file,
            line,
        })
    }
}

/// A place of a launch where something can fail: the first error, and how the host part came to
/// this place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Failing<'r> {
    first: &'r FirstError,
    calls: Option<&'r NestedCall<'r>>,
}

impl<'r> Failing<'r> {
    /// The calls that led here, the innermost first.
    #[inline]
    pub(crate) fn calls(self) -> Option<&'r NestedCall<'r>> {
        self.calls
    }

    /// The place inside a call.
    #[inline]
    pub(crate) fn within<'c>(self, call: &'c NestedCall<'c>) -> Failing<'c>
    where
        'r: 'c,
    {
        Failing { first: self.first, calls: Some(call) }
    }

    #[inline]
    pub(crate) fn is_set(self) -> bool {
        self.first.0.borrow().is_some()
    }

    #[cold]
    pub(crate) fn set(self, error: Error) {
        self.stop(Stop::Error(self.callers().name(error)));
    }

    /// Keeps what has ended recorded work. Its error names the callers.
    #[cold]
    pub(crate) fn stop(self, stop: Stop) {
        if self.is_set() {
            dropped(stop); // an error of a library is code of the user
        } else {
            self.first.0.replace(Some(stop));
        }
    }

    /// The kernels that led here, for work that is recorded. Without any this allocates nothing.
    pub(crate) fn callers(self) -> Callers {
        Callers(std::iter::successors(self.calls, |call| call.outer).map(|call| (call.by, call.line)).collect())
    }

    /// Returns the value of a result, or keeps its error.
    #[inline]
    pub(crate) fn note<T>(self, result: Result<T>) -> Option<T> {
        result.map_err(|error| self.set(error)).ok()
    }
}
