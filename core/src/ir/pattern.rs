//! Patterns of device code.

use super::{LocalId, SlotId, Tokens};

/// A pattern.
pub struct Pat<S: Tokens> {
    /// The whole pattern.
    pub span: S::Span,
    /// What it is.
    pub kind: PatKind<S>,
}

/// What a pattern matches. Patterns read nothing but the value that they are matched with.
pub enum PatKind<S: Tokens> {
    /// `_`.
    Wild,
    /// `name`, `name @ sub`.
    Bind { local: LocalId, sub: Option<Box<Pat<S>>> },
    /// `true`.
    Bool(bool),
    /// `5`, `-5`, `1.5`: the user's tokens for Rust, decimal digits with a sign for C++.
    Number { tokens: S::Stream, digits: String, float: bool },
    /// `LIMIT`, `f32::MAX`, and what has no fields: `None`, `Kind::Red`, a unit struct.
    Constant { path: S::Path, slot: SlotId },
    /// `lo..=hi`, `lo..`, `..hi`; the ends are numbers or constants.
    Range { lo: Option<Box<Pat<S>>>, hi: Option<Box<Pat<S>>>, inclusive: bool },
    /// `(a, b)`, `(a, .., z)`.
    Tuple(List<S>),
    /// `[a, b]`, `[a, .., z]`.
    Array(List<S>),
    /// `T { a, b: x, .. }`; `rest` says whether it ends in `..`.
    Struct { path: Box<S::Path>, fields: Vec<(S::Member, Pat<S>)>, rest: bool, slot: SlotId },
    /// `T(a, b)`, `T(a, .., z)`.
    TupleStruct { path: Box<S::Path>, list: List<S>, slot: SlotId },
    /// `a | b`.
    Or(Vec<Pat<S>>),
}

/// The parts of a tuple or array pattern.
pub struct List<S: Tokens> {
    /// From the first on.
    pub front: Vec<Pat<S>>,
    /// Behind `..`, if there is one.
    pub back: Option<Vec<Pat<S>>>,
}

impl<S: Tokens> Pat<S> {
    /// The patterns right inside.
    pub fn parts(&self) -> Vec<&Pat<S>> {
        match &self.kind {
            PatKind::Wild | PatKind::Bool(_) | PatKind::Number { .. } | PatKind::Constant { .. } => Vec::new(),
            PatKind::Bind { sub, local: _ } => sub.iter().map(|p| &**p).collect(),
            PatKind::Range { lo, hi, inclusive: _ } => lo.iter().chain(hi).map(|p| &**p).collect(),
            PatKind::Struct { fields, path: _, rest: _, slot: _ } => fields.iter().map(|(_, pat)| pat).collect(),
            PatKind::Tuple(list) | PatKind::Array(list) | PatKind::TupleStruct { list, path: _, slot: _ } => {
                list.front.iter().chain(list.back.iter().flatten()).collect()
            }
            PatKind::Or(pats) => pats.iter().collect(),
        }
    }

    /// The locals that it binds, each once, in order.
    pub fn locals(&self) -> Vec<LocalId> {
        let mut locals = Vec::new();
        if let PatKind::Bind { local, .. } = self.kind {
            locals.push(local);
        }
        for local in self.parts().into_iter().flat_map(Pat::locals) {
            if !locals.contains(&local) {
                locals.push(local);
            }
        }
        locals
    }

    /// The one local that it is, if it is nothing but a name.
    pub fn name(&self) -> Option<LocalId> {
        match self.kind {
            PatKind::Bind { local, sub: None } => Some(local),
            _ => None,
        }
    }

    /// Whether it is one of alternatives, or a pattern inside is.
    pub fn has_alternatives(&self) -> bool {
        matches!(self.kind, PatKind::Or(_)) || self.parts().into_iter().any(Pat::has_alternatives)
    }

    /// Whether it, or a pattern inside, names a constant, a struct or a variant.
    pub fn has_paths(&self) -> bool {
        let own = matches!(self.kind, PatKind::Constant { .. } | PatKind::Struct { .. } | PatKind::TupleStruct { .. });
        own || self.parts().into_iter().any(Pat::has_paths)
    }
}
