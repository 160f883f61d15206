//! Whether two conditions are one, by their looks.

use quote::ToTokens;

use crate::analysis::within::Known;
use crate::ir::{Expr, ExprKind, LocalId, Space};

/// What stands in one condition where a variable stands in the other.
pub(super) type StandsFor<'e> = (LocalId, &'e Expr);

/// The parts of `a && b && c`.
pub(super) fn conjuncts(cond: &Expr) -> Vec<&Expr> {
    match &cond.kind {
        ExprKind::Logic { and: true, lhs, rhs } => [conjuncts(lhs), conjuncts(rhs)].concat(),
        _ => vec![cond],
    }
}

impl Known<'_> {
    /// Whether two expressions have one value, at any place of a block's round where both are known. They are made of numbers that do not change there.
    ///
    /// Where their variables are the same, so are their types, and what their operators do.
    pub(super) fn is_same(&self, one: &Expr, other: &Expr, stands_for: &[StandsFor<'_>]) -> bool {
        let same = |one: &Expr, other: &Expr| self.is_same(one, other, stands_for);
        match (&one.kind, &other.kind) {
            (ExprKind::Local(local), _) if let Some((_, is)) = stands_for.iter().find(|(var, _)| var == local) => {
                self.is_same(is, other, &[])
            }
            (ExprKind::Local(a), ExprKind::Local(b)) if a == b => {
                let local = &self.body[*a];
                !local.mutable && local.space == Space::Own
            }
            (ExprKind::Local(local), _) if let Some(init) = self.inits.get(local) => same(init, other),
            (_, ExprKind::Local(local)) if let Some(init) = self.inits.get(local) => same(one, init),
            (ExprKind::Captured(a), ExprKind::Captured(b)) | (ExprKind::Len(a), ExprKind::Len(b)) => a == b,
            (ExprKind::Int { token: a, .. }, ExprKind::Int { token: b, .. }) => a.to_string() == b.to_string(),
            (ExprKind::Binary { op: a, lhs: l1, rhs: r1, .. }, ExprKind::Binary { op: b, lhs: l2, rhs: r2, .. }) => {
                a == b && same(l1, l2) && same(r1, r2)
            }
            (ExprKind::Compare { op: a, lhs: l1, rhs: r1, .. }, ExprKind::Compare { op: b, lhs: l2, rhs: r2, .. }) => {
                a == b && same(l1, l2) && same(r1, r2)
            }
            (ExprKind::Cast { operand: a, ty: t1, .. }, ExprKind::Cast { operand: b, ty: t2, .. }) => {
                t1.to_token_stream().to_string() == t2.to_token_stream().to_string() && same(a, b)
            }
            _ => false,
        }
    }
}
