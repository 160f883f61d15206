//! What can be named, and what can be jumped to.

use super::Generator;
use super::values::I;
use crate::program::{Expr, VarId};
use crate::types::{Scalar, Ty};

/// A loop or a labelled block.
pub(super) struct Frame {
    pub(super) label: Option<String>,
    pub(super) kind: FrameKind,
}

#[derive(Clone, PartialEq)]
pub(super) enum FrameKind {
    /// The `par` loop.
    Par,
    /// `while`, `for`, `loop` without a value.
    Loop,
    /// `loop` with a value.
    Valued(Ty),
    /// A labelled block.
    Block(Ty),
    /// The condition of a `while`, in which only labels can be jumped to.
    Head,
}

impl Generator<'_> {
    /// A new variable, which is not in scope yet.
    pub(super) fn fresh(&mut self, ty: impl Into<Ty>, mutable: bool) -> VarId {
        let mut name = self.pick(self.profile.names).to_owned();
        // Threads write what they have seen to `lanes`.
        if self.rng.chance(self.profile.numbered) || self.team.is_some() && name == "lanes" {
            name.push_str(&self.program.vars.len().to_string());
        }
        self.program.declare(name, ty, mutable)
    }

    pub(super) fn bind(&mut self, var: VarId) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(var);
        }
    }

    /// A new variable, which can be named from here on.
    pub(super) fn shown(&mut self, name: &str, ty: impl Into<Ty>, mutable: bool) -> VarId {
        let var = self.program.declare(name, ty, mutable);
        self.bind(var);
        var
    }

    pub(super) fn scoped<T>(&mut self, inside: impl FnOnce(&mut Self) -> T) -> T {
        let owned = self.host.owned.len();
        self.scopes.push(Vec::new());
        let value = inside(self);
        self.scopes.pop();
        // What was made in there may name variables of there.
        self.host.owned.truncate(owned.max(1));
        value
    }

    pub(super) fn framed<T>(
        &mut self,
        label: Option<String>,
        kind: FrameKind,
        inside: impl FnOnce(&mut Self) -> T,
    ) -> T {
        self.frames.push(Frame { label, kind });
        let value = inside(self);
        self.frames.pop();
        value
    }

    /// A label that no loop around has.
    pub(super) fn label(&mut self) -> String {
        let name = self.pick(&["outer", "inner", "a", "next", "search", "done", "rows"]);
        if self.frames.iter().any(|frame| frame.label.as_deref() == Some(name)) {
            format!("{name}{}", self.frames.len())
        } else {
            name.to_owned()
        }
    }

    /// Kernels get their labels from [`Dress`](crate::dress::Dress).
    pub(super) fn maybe_label(&mut self) -> Option<String> {
        (self.is_device() && self.rng.chance(60)).then(|| self.label())
    }

    pub(super) fn var(&self, var: VarId) -> Expr {
        self.program.var(var)
    }

    /// The number of the iteration, below `n`.
    pub(super) fn this_row(&self) -> Expr {
        self.row.clone().unwrap_or_else(|| self.var(I))
    }

    pub(super) fn len(&self, of: VarId) -> Expr {
        Expr::length(self.var(of))
    }

    /// What can be named here, innermost first.
    pub(super) fn visible(&self) -> Vec<VarId> {
        let mut seen: Vec<&str> = Vec::new();
        let mut visible = Vec::new();
        for &var in self.scopes.iter().rev().flat_map(|scope| scope.iter().rev()) {
            let name = self.program.name(var);
            if !seen.contains(&name) {
                seen.push(name);
                visible.push(var);
            }
        }
        visible.retain(|var| !self.banned.contains(var));
        visible
    }

    /// Those of a kind.
    pub(super) fn visible_as(&self, kind: impl Fn(&Ty) -> bool) -> Vec<VarId> {
        self.visible().into_iter().filter(|var| kind(self.program.ty(*var))).collect()
    }

    /// Variables that are ints.
    pub(super) fn numbers(&self) -> Vec<VarId> {
        self.visible_as(|ty| ty.scalar().is_some_and(Scalar::is_int))
    }

    /// Host values that no variable hides.
    pub(super) fn visible_values(&self) -> Vec<VarId> {
        let name = |var: &VarId| self.program.name(*var);
        let hidden = |value: &VarId| self.scopes.iter().flatten().any(|local| name(local) == name(value));
        self.host.values.iter().copied().filter(|value| !hidden(value)).collect()
    }
}
