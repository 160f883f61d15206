//! What follows from conditions.

use std::collections::BTreeSet;

use super::extract::Extractor;
use super::{Comparison, Condition, Form};
use crate::ir::{CompareOp, Expr, ExprKind, Part, UnOp};

/// What follows if an expression is true, and if it is false. Without more: something that is not
/// understood.
#[derive(Clone, Default)]
pub(super) struct Truth {
    pub(super) holds: Holds,
    pub(super) fails: Holds,
}

/// What holds where something happens, and what else decides whether it does.
#[derive(Clone, Default)]
pub(super) struct Holds {
    pub(super) conditions: Vec<Condition>,
    pub(super) guards: Guards,
}

/// Elements that decide, besides conditions, whether something happens: a set of accesses for each
/// decision. `None`: so does something that is not understood.
pub(super) type Guards = Option<Vec<BTreeSet<usize>>>;

impl Holds {
    fn and(self, other: Holds) -> Holds {
        Holds {
            conditions: [self.conditions, other.conditions].concat(),
            guards: self.guards.zip(other.guards).map(|(a, b)| [a, b].concat()),
        }
    }

    /// If either holds. Where an element alone decides one of them, that may do.
    fn or(self, other: Holds) -> Holds {
        let free = [self, other].into_iter().find(|holds| {
            holds.conditions.is_empty() && holds.guards.as_ref().is_some_and(|guards| !guards.is_empty())
        });
        Holds { conditions: Vec::new(), guards: free.and_then(|holds| holds.guards) }
    }
}

impl Truth {
    fn not(self) -> Truth {
        Truth { holds: self.fails, fails: self.holds }
    }
}

impl<'b> Extractor<'b> {
    /// The truth of an expression that is a condition by its form. `None`: it is none, and nothing
    /// was walked.
    pub(super) fn truth_of(&mut self, expr: &'b Expr) -> Option<Truth> {
        matches!(expr.kind, ExprKind::Compare { .. } | ExprKind::Logic { .. } | ExprKind::Unary { op: UnOp::Not, .. })
            .then(|| self.truth(expr))
    }

    /// Walks a condition.
    pub(super) fn truth(&mut self, expr: &'b Expr) -> Truth {
        match &expr.kind {
            ExprKind::Compare { op, lhs, rhs, slot } => {
                self.compares(expr, false);
                self.compares_small(lhs, rhs, *slot);
                let sides = (self.expr(lhs), self.expr(rhs));
                let (Some(lhs_form), Some(rhs_form)) = sides else { return self.of_elements(expr) };
                // It says nothing unless the slot is that of integers, whatever a user's comparison
                // may do.
                let condition = |lhs: &Form, comparison, rhs: &Form| {
                    let conditions = vec![Condition { lhs: lhs.clone(), comparison, rhs: rhs.clone(), ty: slot.0 }];
                    Holds { conditions, guards: Some(Vec::new()) }
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
                let left = self.truth(lhs);
                self.compares(rhs, true);
                let right = self.branch(left.holds.clone(), false, |this| this.truth(rhs));
                Truth { holds: left.holds.and(right.holds), fails: left.fails.or(right.fails) }
            }
            ExprKind::Logic { and: false, lhs, rhs } => {
                let left = self.truth(lhs);
                let right = self.branch(left.fails.clone(), false, |this| this.truth(rhs));
                Truth { holds: left.holds.or(right.holds), fails: left.fails.and(right.fails) }
            }
            ExprKind::Unary { op: UnOp::Not, operand, .. } => self.truth(operand).not(),
            ExprKind::Local(local) if let Some(truth) = self.known.truths.get(local) => truth.clone(),
            _ => {
                self.expr(expr);
                self.of_elements(expr)
            }
        }
    }

    /// The truth of what is no condition: elements decide, if it has any, and they may be anything.
    fn of_elements(&self, expr: &Expr) -> Truth {
        let guards = Some(self.loads(expr)).filter(|loads| !loads.is_empty()).map(|loads| vec![loads]);
        let holds = Holds { conditions: Vec::new(), guards };
        Truth { holds: holds.clone(), fails: holds }
    }

    /// The accesses whose elements an expression depends on.
    pub(super) fn loads(&self, expr: &Expr) -> BTreeSet<usize> {
        let accesses = &self.facts.accesses;
        match &expr.kind {
            ExprKind::Index { site, .. } => {
                accesses.iter().rposition(|access| access.site == Some(*site)).into_iter().collect()
            }
            ExprKind::Local(local) => {
                let atoms = self.known.locals.get(local).into_iter().flat_map(Form::atoms);
                atoms.filter_map(|atom| self.facts.loaded.get(&atom)).flatten().copied().collect()
            }
            // It depends on the elements of all threads, not on the one that is spelled there.
            ExprKind::Collective(_) => BTreeSet::new(),
            _ => {
                let of = |part| match part {
                    Part::Expr(expr) => self.loads(expr),
                    Part::Block(_) => BTreeSet::new(),
                };
                expr.parts().into_iter().flat_map(of).collect()
            }
        }
    }
}
