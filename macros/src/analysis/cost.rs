//! A rough cost of an iteration on the CPU, so that the CPU device runs small loops inline: waking a thread costs as
//! much as tens of thousands of operations.
//!
//! **Rule.** One operation a node that computes, loads or stores; a loop with literal ends multiplies. A loop of
//! unknown length or a call makes the body *unbounded*: the runtime measures such a body instead of believing us.

use crate::ir::{Block, Expr, ExprKind, Stmt};

/// What an iteration costs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Cost {
    /// Operations, saturating.
    pub(crate) operations: u32,
    /// Nobody knows.
    pub(crate) unbounded: bool,
}

impl Cost {
    const UNKNOWN: Cost = Cost { operations: 0, unbounded: true };

    fn one() -> Cost {
        Cost { operations: 1, unbounded: false }
    }

    fn and(self, other: Cost) -> Cost {
        Cost {
            operations: self.operations.saturating_add(other.operations),
            unbounded: self.unbounded || other.unbounded,
        }
    }

    fn times(self, n: u32) -> Cost {
        Cost { operations: self.operations.saturating_mul(n), ..self }
    }
}

/// The cost of a block.
pub(crate) fn of_block(block: &Block) -> Cost {
    let value = block.value.as_ref().map_or(Cost::default(), |v| of(v));
    block.stmts.iter().fold(value, |cost, stmt| match stmt {
        Stmt::Let { init, .. } | Stmt::Expr(init) => cost.and(of(init)),
    })
}

fn of(expr: &Expr) -> Cost {
    let all = |exprs: &[&Expr]| exprs.iter().fold(Cost::one(), |c, x| c.and(of(x)));
    match &expr.kind {
        ExprKind::Int { .. }
        | ExprKind::Float { .. }
        | ExprKind::Bool(_)
        | ExprKind::Captured(_)
        | ExprKind::Len(_)
        | ExprKind::Local(_)
        | ExprKind::Continue { .. } => Cost::default(),
        ExprKind::Index { index: operand, .. }
        | ExprKind::Unary { operand, .. }
        | ExprKind::Cast { operand, .. }
        | ExprKind::Associated { arg: operand, .. } => all(&[operand]),
        ExprKind::Binary { lhs, rhs, .. } | ExprKind::Compare { lhs, rhs, .. } | ExprKind::Logic { lhs, rhs, .. } => {
            all(&[lhs, rhs])
        }
        // Square roots and the like: an order of magnitude more than an addition.
        ExprKind::Method { args, .. } => args.iter().fold(Cost::one().times(4), |c, a| c.and(of(a))),
        ExprKind::Call { args, .. } => args.iter().fold(Cost::UNKNOWN, |c, a| c.and(of(a))),
        ExprKind::Block(block) => of_block(block),
        ExprKind::If { cond, then, otherwise, .. } => {
            let otherwise = otherwise.as_ref().map_or(Cost::default(), |e| of(e));
            all(&[cond]).and(of_block(then)).and(otherwise)
        }
        ExprKind::While { cond, body, .. } => all(&[cond]).and(of_block(body)).and(Cost::UNKNOWN),
        ExprKind::Loop { body, .. } => of_block(body).and(Cost::UNKNOWN),
        ExprKind::For { start, end, inclusive, body, .. } => {
            let ends = all(&[start, end]);
            match (literal(start), literal(end)) {
                (Some(start), Some(end)) => {
                    let trips = end.saturating_add(u32::from(*inclusive)).saturating_sub(start);
                    ends.and(of_block(body).and(Cost::one()).times(trips))
                }
                _ => ends.and(of_block(body)).and(Cost::UNKNOWN),
            }
        }
        ExprKind::Assign { place, value } | ExprKind::AssignOp { place, value, .. } => all(&[value, place]),
        ExprKind::Break { value, .. } | ExprKind::Return(value) => value.as_ref().map_or(Cost::default(), |v| of(v)),
    }
}

fn literal(expr: &Expr) -> Option<u32> {
    match &expr.kind {
        ExprKind::Int { digits, .. } => digits.parse().ok(),
        _ => None,
    }
}
