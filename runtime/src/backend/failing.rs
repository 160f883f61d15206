//! The first error of a launch, with the calls of kernels that led to it.

use std::cell::RefCell;

use crate::error::{Error, Result};
use crate::model::kernel::Kernel;

/// The first error of a launch. Nothing is launched after it.
#[derive(Debug, Default)]
pub(crate) struct FirstError(RefCell<Option<Error>>);

impl FirstError {
    /// The place of a launch that no kernel has called.
    #[inline]
    pub(crate) fn at_the_launch(&self) -> Failing<'_> {
        Failing { first: self, calls: None }
    }

    pub(crate) fn into_result(self) -> Result<()> {
        self.0.into_inner().map_or(Ok(()), Err)
    }
}

/// The call of a kernel in the host part of another one, and the calls around it. It is on the stack of the host.
#[derive(Debug)]
pub(crate) struct NestedCall<'r> {
    pub(crate) by: &'static Kernel,
    pub(crate) line: u32,
    pub(crate) outer: Option<&'r NestedCall<'r>>,
}

/// A place of a launch where something can fail: the first error, and how the host part came to this place.
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
        self.first.0.borrow_mut().get_or_insert_with(|| {
            std::iter::successors(self.calls, |call| call.outer).fold(error, |error, call| {
                let (by, file, line) = (call.by.name, call.by.file, call.line);
                Error::Called { error: Box::new(error), by, file, line }
            })
        });
    }

    /// Returns the value of a result, or keeps its error.
    #[inline]
    pub(crate) fn note<T>(self, result: Result<T>) -> Option<T> {
        result.map_err(|error| self.set(error)).ok()
    }
}
