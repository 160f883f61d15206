//! Comparisons of index arithmetic, which a block makes in 32 bits, as the indexes themselves.
//!
//! A tile that reaches beyond the edge is clipped by comparisons such as `by * 32 + y < h`. The launch has to show that no part of them needs more bits,
//! or has wrapped, wherever they are made. To it they are an operation whose result nothing asks for.

use anabranch_core::facts::Value;

use super::super::{Operation, Step};
use super::Extractor;
use crate::ir::{BinOp, Expr, ExprKind};

impl<'b> Extractor<'b> {
    /// A comparison that comes now. `ahead`: before what stands left of its `&&`.
    pub(in crate::analysis::access) fn compares(&mut self, cond: &'b Expr, ahead: bool) {
        let ExprKind::Compare { lhs, rhs, slot, .. } = &cond.kind else { return };
        let fits = self.of_blocks && [lhs, rhs].into_iter().all(|side| self.is_sum(side));
        if !fits || !self.counts(lhs) && !self.counts(rhs) {
            return;
        }
        let (Some(lhs), Some(rhs)) = (self.expr(lhs), self.expr(rhs)) else { return };
        let atom = self.facts.compares.unwrap_or_else(|| self.fresh());
        self.facts.compares = Some(atom);
        let value = Value { operation: Operation::Any, operands: vec![lhs, rhs], ty: slot.0, narrow: true };
        self.steps.push(Step::Let { atom, value });
        *self.facts.compared.entry(*slot).or_default() |= ahead;
    }

    /// Sums and products of numbers that the launch knows. Differences may be below 0, where those of the machine wrap.
    fn is_sum(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Int { .. } | ExprKind::Captured(_) | ExprKind::Len(_) | ExprKind::Local(_) => {
                self.facts.is_plain(expr)
            }
            ExprKind::Binary { op: BinOp::Add | BinOp::Mul, lhs, rhs, .. } => self.is_sum(lhs) && self.is_sum(rhs),
            _ => false,
        }
    }

    /// Whether a variable of a loop is in a sum: then it is one of integers.
    fn counts(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Local(local) => self.is_counter(*local),
            ExprKind::Binary { lhs, rhs, .. } => self.counts(lhs) || self.counts(rhs),
            _ => false,
        }
    }
}
