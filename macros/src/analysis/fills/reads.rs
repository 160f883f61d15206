//! Whether all that is read has been written.

use super::writes::Written;
use super::{Array, same};
use crate::ir::{Block, Expr, ExprKind, Flow, Part, Stmt};

/// All mentions of an array behind the phase that fills it.
pub(super) struct Reads<'a, 'b> {
    pub(super) array: &'a Array<'b>,
    pub(super) written: &'a Written<'b>,
}

impl<'b> Reads<'_, 'b> {
    /// Whether the statements of a block from this one on read nothing else.
    pub(super) fn are_written(&self, block: &'b Block, from: usize) -> bool {
        let Written { whole, body, write, .. } = self.written;
        // Of the iterations themselves, the others may come later.
        *whole
            || self.mentions(body) == self.mentions_of(write)
                && self.block(&block.stmts[from..], block, &mut Vec::new())
    }

    fn mentions(&self, block: &Block) -> usize {
        block.parts().into_iter().map(|part| self.mentions_in(part)).sum()
    }

    fn mentions_of(&self, expr: &Expr) -> usize {
        let here = matches!(expr.kind, ExprKind::Local(local) if local == self.array.local);
        usize::from(here) + expr.parts().into_iter().map(|part| self.mentions_in(part)).sum::<usize>()
    }

    fn mentions_in(&self, part: Part<'_>) -> usize {
        match part {
            Part::Expr(expr) => self.mentions_of(expr),
            Part::Block(block) => self.mentions(block),
        }
    }

    fn block(&self, stmts: &'b [Stmt], block: &'b Block, holds: &mut Vec<&'b Expr>) -> bool {
        let stmt = |stmt: &'b Stmt, holds: &mut Vec<&'b Expr>| match stmt {
            Stmt::Let { init, otherwise, .. } => {
                self.expr(init, holds)
                    && otherwise.as_ref().is_none_or(|otherwise| self.block(&otherwise.stmts, otherwise, holds))
            }
            Stmt::Expr(expr) => self.expr(expr, holds),
            Stmt::Declare { .. } | Stmt::Item(_) => true,
        };
        stmts.iter().all(|of| stmt(of, holds)) && block.value.as_deref().is_none_or(|value| self.expr(value, holds))
    }

    /// What holds where an expression is evaluated, comes with it.
    fn expr(&self, expr: &'b Expr, holds: &mut Vec<&'b Expr>) -> bool {
        let known = holds.len();
        match &expr.kind {
            ExprKind::Local(local) => *local != self.array.local,
            ExprKind::Measure { base, .. } if matches!(base.kind, ExprKind::Local(_)) => true,
            ExprKind::Assign { place, value, op: None } if let Some(indexes) = self.array.indexes(place) => {
                self.expr(value, holds) && indexes.into_iter().all(|index| self.expr(index, holds))
            }
            ExprKind::Element { .. } if let Some(indexes) = self.array.indexes(expr) => {
                self.is_written(&indexes, holds) && indexes.into_iter().all(|index| self.expr(index, holds))
            }
            ExprKind::Logic { and: true, lhs, rhs } => {
                let left = self.expr(lhs, holds);
                holds.extend(same::conjuncts(lhs));
                let right = self.expr(rhs, holds);
                holds.truncate(known);
                left && right
            }
            ExprKind::Flow { flow: Flow::If { cond, then, otherwise }, .. } => {
                let asked = self.expr(cond, holds);
                holds.extend(same::conjuncts(cond));
                let then = self.block(&then.stmts, then, holds);
                holds.truncate(known);
                asked && then && otherwise.as_deref().is_none_or(|otherwise| self.expr(otherwise, holds))
            }
            _ => expr.parts().into_iter().all(|part| match part {
                Part::Expr(expr) => self.expr(expr, holds),
                Part::Block(block) => self.block(&block.stmts, block, holds),
            }),
        }
    }

    /// Whether an element has been written, if it is one: an index out of bounds reads nothing.
    fn is_written(&self, indexes: &[&Expr], holds: &[&Expr]) -> bool {
        let Array { lens, known, .. } = self.array;
        let Written { ends, conditions, vars, .. } = self.written;
        let between = |(index, ((first, last), len)): (&&Expr, (&(i64, i64), &i64))| {
            let all = *first == 0 && last + 1 == *len;
            all || known.interval(index).is_some_and(|(low, high)| *first <= low && high <= *last)
        };
        let stands_for: Vec<same::StandsFor<'_>> =
            vars.iter().flatten().copied().zip(indexes.iter().copied()).collect();
        indexes.len() >= lens.len()
            && indexes.iter().zip(ends.iter().zip(lens)).all(between)
            && conditions.iter().all(|needed| {
                holds.iter().any(|held| known.is_same(needed, held, &stands_for))
                    || holds.iter().any(|held| {
                        let compared = known.follows(needed, held, &stands_for);
                        self.array.compared.borrow_mut().extend(compared.into_iter().flatten());
                        compared.is_some()
                    })
            })
    }
}
