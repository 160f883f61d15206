//! The errors of one expansion: what each says, and where it points. The user sees all of them at
//! once.

pub(crate) use anabranch_core::code::Code;

use crate::names::dotted;
use std::fmt;

use proc_macro2::{Delimiter, Group, Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};

/// What an error says.
#[derive(Debug)]
pub(crate) struct Diagnostic {
    code: Code,
    /// What is wrong, with the user's names.
    message: String,
    /// A counterexample.
    example: Option<String>,
    /// What to do about it: one thing a line.
    help: Vec<String>,
}

/// An error with a code and a message: lower case, no final period.
pub(crate) fn error(code: Code, message: impl Into<String>) -> Diagnostic {
    Diagnostic { code, message: message.into(), example: None, help: Vec::new() }
}

impl Diagnostic {
    /// Adds a counterexample, if one was found.
    pub(crate) fn example(mut self, example: Option<String>) -> Self {
        self.example = example;
        self
    }

    /// Adds one thing to do.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }

    /// The same before all others.
    pub(crate) fn first_help(mut self, help: impl Into<String>) -> Self {
        self.help.insert(0, help.into());
        self
    }
}

/// The text of an error. No other place formats one.
///
/// Only rustc itself can print `error[AB0605]: `. It prints `error: ` before our first line, so a
/// code in front of the message comes closest: it is in the same column in every error, and does
/// not read as a part of the sentence. rustc indents the other lines by the width of `error: `, so
/// that all of them align. `example: ` and `help: ` begin like its own notes. There are no empty
/// lines, because rustc would fill them with spaces.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { code, message, example, help } = self;
        let mut line = |head: &str, text: &str| write!(f, "{head}{}", dotted(text));
        line(&format!("[{code}] "), message)?;
        example.iter().try_for_each(|example| line("\nexample: ", example))?;
        help.iter().try_for_each(|help| line("\nhelp: ", help))
    }
}

/// An error and the tokens that it points at.
#[derive(Debug)]
pub(crate) struct Located {
    first: Span,
    last: Span,
    diagnostic: Diagnostic,
}

/// Where the page of a code is: in the repository, because there is no release, and so no page on
/// docs.rs. The message is enough to mend most programs; the page says why the rule is there.
fn page(code: Code) -> String {
    format!("see docs/errors/{code}.md in the repository of anabranch")
}

/// What is wrong with the user's function; never empty.
#[derive(Debug)]
pub(crate) struct Errors(Vec<Located>);

impl ToTokens for Errors {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        for Located { first, last, diagnostic } in &self.0 {
            // rustc points at everything from the first token of the call to its last.
            let mut text = Literal::string(&format!("{diagnostic}\nhelp: {}", page(diagnostic.code)));
            text.set_span(*last);
            let mut arguments = Group::new(Delimiter::Brace, TokenTree::from(text).into());
            arguments.set_span(*last);
            tokens.extend(quote_spanned!(*first=> ::core::compile_error! #arguments));
        }
    }
}

/// The errors found so far. Must be [checked](Report::check) before it goes out of scope.
#[derive(Default)]
pub(crate) struct Report {
    errors: Vec<Located>,
    /// Places that are taken to be written, and what says that they are not.
    assumed: Vec<(Span, String)>,
    #[cfg(test)]
    checked: bool,
}

impl Report {
    /// Records an error at a span.
    pub(crate) fn at(&mut self, span: Span, diagnostic: Diagnostic) {
        let is_there = |(place, _): &&(Span, String)| place.start() == span.start() && place.file() == span.file();
        let diagnostic = match self.assumed.iter().find(is_there) {
            Some((_, reading)) => {
                diagnostic.help(format!("a method that does not change the element is called as `{reading}`"))
            }
            None => diagnostic,
        };
        self.errors.push(Located { first: span, last: span, diagnostic });
    }

    /// Records an error that covers some tokens.
    pub(crate) fn on(&mut self, tokens: impl ToTokens, diagnostic: Diagnostic) {
        let mut spans = tokens.into_token_stream().into_iter().map(|tree| tree.span());
        let first = spans.next().unwrap_or_else(Span::call_site);
        self.errors.push(Located { first, last: spans.last().unwrap_or(first), diagnostic });
    }

    /// Records an error, unless one of another place says the same.
    pub(crate) fn once(&mut self, tokens: impl ToTokens, diagnostic: Diagnostic) {
        if !self.errors.iter().any(|error| error.diagnostic.message == diagnostic.message) {
            self.on(tokens, diagnostic);
        }
    }

    /// Records what `syn` said.
    pub(crate) fn syn(&mut self, code: Code, errors: &syn::Error) {
        for one in errors.clone() {
            self.at(one.span(), error(code, one.to_string()));
        }
    }

    /// Notes that a place is taken to be written.
    pub(crate) fn assume_write(&mut self, place: Span, reading: String) {
        self.assumed.push((place, reading));
    }

    /// Records all errors of another report.
    pub(crate) fn append(&mut self, mut other: Report) {
        if let Err(Errors(errors)) = other.check() {
            self.errors.extend(errors);
        }
    }

    /// The message of the first error, if there is one. The others are left out.
    pub(crate) fn first(mut self) -> Option<String> {
        let Errors(errors) = self.check().err()?;
        errors.into_iter().next().map(|error| error.diagnostic.message)
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
    pub(crate) fn check(&mut self) -> Result<(), Errors> {
        #[cfg(test)]
        {
            self.checked = true;
        }
        if self.errors.is_empty() { Ok(()) } else { Err(Errors(std::mem::take(&mut self.errors))) }
    }
}

#[cfg(test)]
impl Drop for Report {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            assert!(self.checked, "a report was dropped without `check`: its errors would be lost");
        }
    }
}

/// What tests read.
#[cfg(test)]
mod read {
    use super::{Errors, Located, Span, fmt};

    impl Located {
        pub(crate) fn span(&self) -> Span {
            self.first
        }
    }

    impl fmt::Display for Located {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            self.diagnostic.fmt(f)
        }
    }

    impl IntoIterator for Errors {
        type Item = Located;
        type IntoIter = std::vec::IntoIter<Located>;

        fn into_iter(self) -> Self::IntoIter {
            self.0.into_iter()
        }
    }

    impl fmt::Display for Errors {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            self.0.iter().try_for_each(|error| writeln!(f, "{error}"))
        }
    }

    impl From<Errors> for syn::Error {
        fn from(errors: Errors) -> Self {
            Self::new(Span::call_site(), errors)
        }
    }
}
