//! Accesses whose indexes are neighbours along a row, so that the CPU checks them once a row and not once an iteration.
//!
//! **Rule.** The index is a sum in which the fastest loop variable stands once, with the coefficient 1, and everything
//! else is the same for the whole row: literals, host values, lengths, the other loop variables, and products, sums and
//! differences of those. Immutable locals stand for what they were bound to.
//!
//! Then iteration `t` of a row uses index `first + t`, also if parts of the sum wrap, because `usize` arithmetic is
//! arithmetic modulo a power of two. So all indexes of a row of `n` iterations are in bounds exactly if `first` is and
//! at least `n` elements follow it, and that is a fact about two numbers. An index that is the same for the whole row is
//! one that needs a single element.
//!
//! Where a row is not covered, or an index is of another form, each access checks for itself.

use std::collections::BTreeMap;

use crate::ir::{BinOp, Block, Body, CaptureId, Expr, ExprKind, LocalId, ParLoop, Part, SiteId, Stmt};

/// The accesses of a loop that a row can cover.
#[derive(Default)]
pub(crate) struct Rows<'b> {
    /// By their sites.
    pub(crate) accesses: BTreeMap<SiteId, RowAccess<'b>>,
    /// What immutable locals were bound to.
    pub(crate) bound: BTreeMap<LocalId, &'b Expr>,
}

/// `view[index]`.
pub(crate) struct RowAccess<'b> {
    /// The buffer.
    pub(crate) view: CaptureId,
    /// Its index.
    pub(crate) index: &'b Expr,
    /// Whether the index moves along the row.
    pub(crate) moves: bool,
}

/// Finds them. A loop with a step has none.
pub(crate) fn of(looped: &ParLoop) -> Rows<'_> {
    let Some((inner, outer)) = looped.dims.split_last() else { return Rows::default() };
    if inner.step.is_some() {
        return Rows::default();
    }
    let outer = outer.iter().map(|d| d.var).collect();
    let mut walk = Walk { body: &looped.body, inner: inner.var, outer, rows: Rows::default() };
    walk.block(&looped.body.block);
    walk.rows
}

struct Walk<'b> {
    body: &'b Body,
    inner: LocalId,
    outer: Vec<LocalId>,
    rows: Rows<'b>,
}

impl<'b> Walk<'b> {
    /// How often the row's variable stands in a sum: 0 or 1. `None`: the expression is of another form.
    fn coefficient(&self, expr: &Expr) -> Option<u8> {
        match &expr.kind {
            ExprKind::Int { .. } | ExprKind::Captured(_) | ExprKind::Len(_) => Some(0),
            ExprKind::Local(local) if *local == self.inner => Some(1),
            ExprKind::Local(local) if self.outer.contains(local) => Some(0),
            ExprKind::Local(local) => self.coefficient(self.rows.bound.get(local)?),
            ExprKind::Binary { op, lhs, rhs, .. } => match (op, self.coefficient(lhs)?, self.coefficient(rhs)?) {
                (BinOp::Add, a, b) => Some(a + b).filter(|sum| *sum <= 1),
                (BinOp::Sub, a, 0) => Some(a),
                (BinOp::Mul, 0, 0) => Some(0),
                _ => None,
            },
            _ => None,
        }
    }

    fn block(&mut self, block: &'b Block) {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Let { pat, init, otherwise, ty: _ } => {
                    self.expr(init);
                    otherwise.iter().for_each(|b| self.block(b));
                    if let Some(local) = pat.name().filter(|local| !self.body[*local].mutable) {
                        self.rows.bound.insert(local, init);
                    }
                }
                Stmt::Expr(expr) => self.expr(expr),
                Stmt::Declare { .. } | Stmt::Item(_) => {}
            }
        }
        block.value.iter().for_each(|value| self.expr(value));
    }

    fn expr(&mut self, expr: &'b Expr) {
        if let ExprKind::Index { view, index, site } = &expr.kind
            && let Some(coefficient) = self.coefficient(index)
        {
            let access = RowAccess { view: *view, index, moves: coefficient == 1 };
            self.rows.accesses.insert(*site, access);
        }
        for part in expr.parts() {
            match part {
                Part::Expr(expr) => self.expr(expr),
                Part::Block(block) => self.block(block),
            }
        }
    }
}
