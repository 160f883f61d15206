//! Symbols: numbers that are the same for all iterations.
//!
//! The launch has their values: of what the body captures, and of the constants that it names and
//! the lengths of its arrays, by the slots into which rustc has put them. Two mentions are one
//! symbol here if they are spelled alike. Of captures that is true, since every mention of one goes
//! to the same variable. Elsewhere it may be wrong: of an expression of a `par` head nobody knows
//! whether it has the same value again, and a constant of a `macro_rules!` may be another one than
//! its caller's. The launch is told of no expression of a `par` head, and it compares the mentions
//! of a constant. So what is accepted does not depend on spelling.

use std::collections::BTreeMap;

use anabranch_core::facts::{Member, Source};

use super::{Atom, Form};
use crate::ir::{CaptureId, LocalId, SlotId};

/// A number that is the same for all iterations.
pub(crate) struct Symbol {
    /// As the user wrote it.
    pub(crate) name: String,
    /// The block of the body that declares it, if it is a constant: see `ExprKind::Constant`.
    scope: usize,
    /// `None`: the launch does not get it.
    pub(crate) source: Option<Source>,
}

impl Symbol {
    /// Whether it is a variable or the length of one, and no other expression of the host part.
    pub(super) fn is_variable(&self) -> bool {
        let name = self.name.strip_suffix(".len()").unwrap_or(&self.name);
        name.chars().all(|c| c.is_alphanumeric() || c == '_')
    }
}

/// The symbols of a loop.
#[derive(Default)]
pub(crate) struct Symbols(Vec<Symbol>);

impl Symbols {
    /// An expression of the host part, which the launch does not get.
    pub(super) fn host(&mut self, text: &str) -> Form {
        Form::atom(Atom::Symbol(self.find(text, 0, |_| true)))
    }

    /// A captured value, or the length of a captured view.
    pub(super) fn capture(&mut self, text: &str, capture: CaptureId) -> Atom {
        self.member(text, capture, Member::default())
    }

    /// A part of a captured value.
    pub(super) fn member(&mut self, text: &str, capture: CaptureId, member: Member) -> Atom {
        let at = self.find(text, 0, |source| !matches!(source, Source::Constant(..)));
        self.0[at].source = Some(Source::Capture(capture.0, member));
        Atom::Symbol(at)
    }

    /// A mention of a constant, or of a part of it.
    pub(super) fn constant(&mut self, text: &str, scope: usize, slot: SlotId, member: Member) -> Atom {
        let at = self.find(text, scope, |source| !matches!(source, Source::Capture(..)));
        if let Source::Constant(slots, _) = self.0[at].source.get_or_insert(Source::Constant(Vec::new(), member)) {
            slots.push(slot.0);
        }
        Atom::Symbol(at)
    }

    /// The length of the array in a variable, by the slot of its type. The scope is not the number
    /// of any block.
    pub(super) fn length(&mut self, text: &str, array: LocalId, slot: SlotId) -> Atom {
        self.constant(text, usize::MAX - array.0, slot, Member::default())
    }

    fn find(&mut self, name: &str, scope: usize, suits: impl Fn(&Source) -> bool) -> usize {
        // `r#n` is `n`.
        let name = name.replace("r#", "");
        let known = |of: &Symbol| of.name == name && of.scope == scope && of.source.as_ref().is_none_or(&suits);
        self.0.iter().position(known).unwrap_or_else(|| {
            self.0.push(Symbol { name, scope, source: None });
            self.0.len() - 1
        })
    }

    /// By symbols that are variables of the host part: what is known of these by name.
    pub(super) fn known(&self, by_name: &BTreeMap<String, [i64; 2]>) -> BTreeMap<usize, [i64; 2]> {
        let values = |symbol: &Symbol| match &symbol.source {
            Some(Source::Capture(_, Member { path, .. })) if path.is_empty() => by_name.get(&symbol.name).copied(),
            None => by_name.get(&symbol.name).copied(),
            Some(Source::Capture(..) | Source::Constant(..)) => None,
        };
        self.0.iter().enumerate().filter_map(|(at, symbol)| Some((at, values(symbol)?))).collect()
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn get(&self, at: usize) -> Option<&Symbol> {
        self.0.get(at)
    }
}
