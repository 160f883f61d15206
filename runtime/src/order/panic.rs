//! A panic of device code on its way to the threads that get it.

use std::sync::{Arc, OnceLock};

use crate::error::Error;

/// The text of a panic until the user's code has formatted its message.
const UNFORMATTED: &str = "its message is still being formatted";

/// A panic of device code. Clones share the message, so that each of them has it as soon as it is
/// formatted.
#[derive(Debug, Clone)]
pub(crate) struct Panic {
    error: Error,
    /// The message, if it comes later.
    message: Option<Arc<OnceLock<String>>>,
}

impl From<Error> for Panic {
    /// A panic with its message.
    fn from(error: Error) -> Self {
        Self { error, message: None }
    }
}

impl Panic {
    /// A panic whose message comes later, by [`format`](Self::format).
    pub(crate) fn unformatted(error: Error) -> Self {
        Self { error, message: Some(Arc::default()) }
    }

    /// Sets the message.
    pub(crate) fn format(&self, text: String) {
        if let Some(message) = &self.message {
            let _ = message.set(text); // nobody else formats it
        }
    }

    /// Whether the message is there.
    pub(super) fn is_formatted(&self) -> bool {
        self.message.as_ref().is_none_or(|message| message.get().is_some())
    }

    /// The error, with the message if it is there.
    pub(crate) fn error(&self) -> Error {
        let mut error = self.error.clone();
        if let (Error::KernelPanic { message, .. }, Some(later)) = (&mut error, &self.message) {
            *message = later.get().map_or(UNFORMATTED, String::as_str).to_owned();
        }
        error
    }
}
