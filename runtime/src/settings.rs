//! Environment variables.

use crate::error::{Error, Result};

/// The value of a variable; `None` if it isn't set or is empty.
///
/// # Errors
/// `read` does not know the value.
pub(crate) fn setting<T>(
    name: &'static str,
    expected: &'static str,
    read: impl FnOnce(&str) -> Option<T>,
) -> Result<Option<T>> {
    let Some(value) = std::env::var_os(name).filter(|value| !value.is_empty()) else { return Ok(None) };
    let known = value.to_str().map(str::trim).and_then(read);
    known.map(Some).ok_or_else(|| Error::Setting { name, value: value.to_string_lossy().into_owned(), expected })
}

/// The same for a variable that is `on` or `off`.
///
/// # Errors
/// The variable has another value.
pub(crate) fn switch(name: &'static str) -> Result<Option<bool>> {
    setting(name, "`on` or `off`", |value| match value {
        "on" => Some(true),
        "off" => Some(false),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every process of a test has a `PATH`.
    #[test]
    fn values_are_read_or_told() {
        assert_eq!(setting("ANABRANCH_NO_SUCH_VARIABLE", "anything", |_| Some(1)).unwrap(), None);
        let path = std::env::var("PATH").unwrap();
        let length = setting("PATH", "anything", |value| Some(value.len())).unwrap();
        assert_eq!(length, Some(path.trim().len()));
        let error = switch("PATH").unwrap_err().to_string();
        assert_eq!(error, format!("the environment variable PATH is `{path}`; expected `on` or `off`"));
    }
}
