//! What follows from conditions.

use super::extract::Walk;
use super::{Comparison, Condition, Form};
use crate::ir::{CompareOp, Expr, ExprKind, UnOp};

/// What follows if an expression is true, and if it is false.
#[derive(Clone, Default)]
pub(super) struct Truth {
    pub(super) holds: Vec<Condition>,
    pub(super) fails: Vec<Condition>,
}

impl Truth {
    fn not(self) -> Truth {
        Truth { holds: self.fails, fails: self.holds }
    }
}

impl<'b> Walk<'b> {
    /// The truth of an expression that is a condition by its form. `None`: it is none, and nothing was walked.
    pub(super) fn truth_of(&mut self, expr: &'b Expr) -> Option<Truth> {
        matches!(expr.kind, ExprKind::Compare { .. } | ExprKind::Logic { .. } | ExprKind::Unary { op: UnOp::Not, .. })
            .then(|| self.truth(expr))
    }

    /// Walks a condition.
    pub(super) fn truth(&mut self, expr: &'b Expr) -> Truth {
        match &expr.kind {
            ExprKind::Compare { op, lhs, rhs } => {
                let sides = (self.expr(lhs), self.expr(rhs));
                let (Some(lhs_form), Some(rhs_form)) = sides else { return Truth::default() };
                let Some(ty) = self.ty(lhs).or(self.ty(rhs)) else { return Truth::default() };
                let condition = |lhs: &Form, comparison, rhs: &Form| {
                    vec![Condition { lhs: lhs.clone(), comparison, rhs: rhs.clone(), ty }]
                };
                let (a, b) = (&lhs_form, &rhs_form);
                let (less, at_least) = (condition(a, Comparison::Less, b), condition(b, Comparison::LessOrEqual, a));
                let (greater, at_most) = (condition(b, Comparison::Less, a), condition(a, Comparison::LessOrEqual, b));
                let (equal, unequal) = (condition(a, Comparison::Equal, b), condition(a, Comparison::NotEqual, b));
                let (holds, fails) = match op {
                    CompareOp::Lt => (less, at_least),
                    CompareOp::Ge => (at_least, less),
                    CompareOp::Gt => (greater, at_most),
                    CompareOp::Le => (at_most, greater),
                    CompareOp::Eq => (equal, unequal),
                    CompareOp::Ne => (unequal, equal),
                };
                Truth { holds, fails }
            }
            ExprKind::Logic { and: true, lhs, rhs } => {
                let mut left = self.truth(lhs);
                let right = self.branch(left.holds.clone(), false, |this| this.truth(rhs));
                left.holds.extend(right.holds);
                Truth { holds: left.holds, fails: Vec::new() }
            }
            ExprKind::Logic { and: false, lhs, rhs } => {
                let mut left = self.truth(lhs);
                let right = self.branch(left.fails.clone(), false, |this| this.truth(rhs));
                left.fails.extend(right.fails);
                Truth { holds: Vec::new(), fails: left.fails }
            }
            ExprKind::Unary { op: UnOp::Not, operand, .. } => self.truth(operand).not(),
            ExprKind::Local(local) => self.truths.get(local).cloned().unwrap_or_default(),
            _ => {
                self.expr(expr);
                Truth::default()
            }
        }
    }
}
