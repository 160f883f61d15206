//! The names that are visible at a place.

use proc_macro2::Ident;

use crate::names;

/// Blocks around a place, innermost last, with the meanings of their names.
pub(super) struct Scopes<T>(Vec<Vec<(String, T)>>);

impl<T: Copy> Scopes<T> {
    pub(super) fn new() -> Self {
        Self(vec![Vec::new()])
    }

    pub(super) fn enter(&mut self) {
        self.0.push(Vec::new());
    }

    /// The names of the innermost block are gone.
    pub(super) fn leave(&mut self) {
        self.0.pop();
    }

    /// From here to the end of the innermost block, the name means this.
    pub(super) fn declare(&mut self, name: &Ident, is: T) {
        if let Some(scope) = self.0.last_mut() {
            scope.push((names::plain(name), is));
        }
    }

    /// What a name, without its `r#`, has been declared as, the latest and innermost first.
    pub(super) fn all(&self, name: &str) -> impl Iterator<Item = T> {
        self.0
            .iter()
            .rev()
            .flat_map(|scope| scope.iter().rev())
            .filter(move |(known, _)| known == name)
            .map(|(_, is)| *is)
    }

    /// All names, and what they mean: of two meanings of one, the last.
    pub(super) fn each(&self) -> impl Iterator<Item = (&str, T)> {
        self.0.iter().flatten().map(|(name, is)| (name.as_str(), *is))
    }

    /// What a name, without its `r#`, means.
    pub(super) fn find(&self, name: &str) -> Option<T> {
        self.all(name).next()
    }
}
