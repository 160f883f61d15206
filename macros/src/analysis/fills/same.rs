//! Whether two conditions are one, by their looks, or whether one follows from the other.

use proc_macro2::Literal;

use crate::analysis::within::Known;
use crate::ir::{BinOp, CompareOp, Expr, ExprKind, LocalId, SlotId, Space};

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
    /// The slots of two comparisons, `a < b` that follows from `c < d` if nothing in them wraps:
    /// `a - c` and `d - b` are together at most 0.
    pub(super) fn follows(&self, needed: &Expr, held: &Expr, stands_for: &[StandsFor<'_>]) -> Option<[SlotId; 2]> {
        let (
            ExprKind::Compare { op: CompareOp::Lt, lhs: a, rhs: b, slot: of_needed },
            ExprKind::Compare { op: CompareOp::Lt, lhs: c, rhs: d, slot: of_held },
        ) = (&needed.kind, &held.kind)
        else {
            return None;
        };
        let more = self.most_apart(a, c, stands_for)?.checked_add(self.most_apart(d, b, &[])?)?;
        (more <= 0).then_some([*of_needed, *of_held])
    }

    /// The most that one expression is greater than another one, as integers.
    fn most_apart(&self, one: &Expr, other: &Expr, stands_for: &[StandsFor<'_>]) -> Option<i64> {
        if self.is_same(one, other, stands_for) {
            return Some(0);
        }
        let apart = |one: &Expr, other: &Expr| self.most_apart(one, other, stands_for);
        match (&one.kind, &other.kind) {
            (ExprKind::Local(local), _) if let Some((_, is)) = stands_for.iter().find(|(var, _)| var == local) => {
                self.most_apart(is, other, &[])
            }
            (ExprKind::Local(local), _) if let Some(init) = self.inits.get(local) => apart(init, other),
            (_, ExprKind::Local(local)) if let Some(init) = self.inits.get(local) => apart(one, init),
            (
                ExprKind::Binary { op: BinOp::Add, lhs: l1, rhs: r1, .. },
                ExprKind::Binary { op: BinOp::Add, lhs: l2, rhs: r2, .. },
            ) if let (Some(left), Some(right)) = (apart(l1, l2), apart(r1, r2)) => left.checked_add(right),
            // What stands for a variable has another interval.
            (ExprKind::Binary { op: BinOp::Add, lhs, rhs, .. }, _) if stands_for.is_empty() => {
                apart(lhs, other)?.checked_add(self.interval(rhs)?.1)
            }
            (ExprKind::Binary { op: BinOp::Sub, lhs, rhs, .. }, _) if stands_for.is_empty() => {
                apart(lhs, other)?.checked_sub(self.interval(rhs)?.0)
            }
            (_, ExprKind::Binary { op: BinOp::Add, lhs, rhs, .. }) => {
                apart(one, lhs)?.checked_sub(self.interval(rhs)?.0)
            }
            (_, ExprKind::Binary { op: BinOp::Sub, lhs, rhs, .. }) => {
                apart(one, lhs)?.checked_add(self.interval(rhs)?.1)
            }
            _ => None,
        }
    }

    /// Whether two expressions have one value, at any place of a block's round where both are
    /// known. They are made of numbers that do not change there.
    ///
    /// Where their variables are the same, so are their types, and what their operators do.
    /// Literals in the initializers of two variables may have different types, unless they say
    /// which.
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
            (ExprKind::Local(local), _) if let Some(init) = self.inits.get(local) => {
                says_its_type(init) && same(init, other)
            }
            (_, ExprKind::Local(local)) if let Some(init) = self.inits.get(local) => {
                says_its_type(init) && same(one, init)
            }
            (ExprKind::Captured(a), ExprKind::Captured(b)) | (ExprKind::Len(a), ExprKind::Len(b)) => a == b,
            (ExprKind::Int { token: a, .. }, ExprKind::Int { token: b, .. }) => a.to_string() == b.to_string(),
            (ExprKind::Binary { op: a, lhs: l1, rhs: r1, .. }, ExprKind::Binary { op: b, lhs: l2, rhs: r2, .. }) => {
                a == b && same(l1, l2) && same(r1, r2)
            }
            (ExprKind::Compare { op: a, lhs: l1, rhs: r1, .. }, ExprKind::Compare { op: b, lhs: l2, rhs: r2, .. }) => {
                a == b && same(l1, l2) && same(r1, r2)
            }
            // Two casts may name different types by one name.
            _ => false,
        }
    }
}

/// The type that a literal says it has.
pub(super) fn suffix(token: &Literal) -> Option<String> {
    let text = token.to_string();
    text.rfind(['u', 'i']).map(|at| text[at..].to_owned())
}

/// Whether something other than literals without a type is in an expression. Operands of arithmetic
/// have one type, or are of a type of the user's.
fn says_its_type(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Int { token, .. } => suffix(token).is_some(),
        ExprKind::Binary { lhs, rhs, .. } => says_its_type(lhs) || says_its_type(rhs),
        _ => true,
    }
}
