//! Accumulates the errors of one expansion, so that the user sees all of them at once.

pub(crate) use anabranch_core::code::Code;

use proc_macro2::Span;
use quote::ToTokens;

/// The errors found so far. Must be [checked](Report::check) before it goes out of scope.
#[derive(Default)]
pub(crate) struct Report {
    errors: Vec<syn::Error>,
    #[cfg(test)]
    checked: bool,
}

impl Report {
    /// Records an error at a span.
    pub(crate) fn at(&mut self, span: Span, code: Code, message: impl std::fmt::Display) {
        self.errors.push(syn::Error::new(span, with_code(message, code)));
    }

    /// Records an error that covers some tokens.
    pub(crate) fn on(&mut self, tokens: impl ToTokens, code: Code, message: impl std::fmt::Display) {
        self.errors.push(syn::Error::new_spanned(tokens, with_code(message, code)));
    }

    /// Records what `syn` said.
    pub(crate) fn syn(&mut self, code: Code, error: &syn::Error) {
        for error in error.clone() {
            self.at(error.span(), code, error);
        }
    }

    /// Number of errors so far.
    pub(crate) fn len(&self) -> usize {
        self.errors.len()
    }

    /// Whether nothing is wrong so far.
    pub(crate) fn is_empty(&self) -> bool {
        self.errors.is_empty()
    }

    /// Ends a stage: `Err` holds every error recorded so far.
    pub(crate) fn check(&mut self) -> syn::Result<()> {
        #[cfg(test)]
        {
            self.checked = true;
        }
        let mut errors = self.errors.drain(..);
        let Some(mut all) = errors.next() else { return Ok(()) };
        errors.for_each(|e| all.combine(e));
        Err(all)
    }
}

/// A macro cannot give an error a code as rustc does, so the message ends with it.
fn with_code(message: impl std::fmt::Display, code: Code) -> String {
    format!("{message} [{code}]")
}

#[cfg(test)]
impl Drop for Report {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            assert!(self.checked, "a report was dropped without `check`: its errors would be lost");
        }
    }
}
