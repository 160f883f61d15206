//! What evaluating an expression may do, and so where its evaluation order can be seen.
//!
//! **Rule.** Rust evaluates operands from left to right; C++ in any order. An operand must be evaluated into a
//! temporary of its own when a later operand writes something it reads, or when both may fail (the first failure is the
//! one that is reported) or write.

use crate::ir::{Block, Body, Expr, ExprKind, Stmt};

/// What an evaluation may do.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Effects {
    /// May not come to its end: a failing check, a jump, an endless loop.
    pub(crate) stops: bool,
    /// Changes a variable or an element.
    pub(crate) writes: bool,
    /// Depends on something that can change: a `mut` variable or an element.
    pub(crate) reads: bool,
}

impl Effects {
    const NONE: Effects = Effects { stops: false, writes: false, reads: false };

    fn and(self, other: Effects) -> Effects {
        Effects {
            stops: self.stops || other.stops,
            writes: self.writes || other.writes,
            reads: self.reads || other.reads,
        }
    }
}

/// Whether an operand must be evaluated before the operands behind it.
pub(crate) fn ordered(operand: Effects, later: Effects) -> bool {
    (later.writes && (operand.reads || operand.writes || operand.stops))
        || (later.stops && (operand.stops || operand.writes))
}

/// The effects of an expression.
pub(crate) fn of(expr: &Expr, body: &Body) -> Effects {
    let all = |exprs: &[&Expr]| exprs.iter().fold(Effects::NONE, |e, x| e.and(of(x, body)));
    let stops = Effects { stops: true, ..Effects::NONE };
    let writes = Effects { writes: true, ..Effects::NONE };
    let reads = Effects { reads: true, ..Effects::NONE };
    match &expr.kind {
        ExprKind::Int { .. }
        | ExprKind::Float { .. }
        | ExprKind::Bool(_)
        | ExprKind::Captured(_)
        | ExprKind::Len(_) => Effects::NONE,
        ExprKind::Local(local) => Effects { reads: body[*local].mutable, ..Effects::NONE },
        ExprKind::Index { index, view: _, site: _ } => of(index, body).and(stops).and(reads),
        ExprKind::Unary { operand, .. } | ExprKind::Cast { operand, .. } => of(operand, body),
        ExprKind::Binary { lhs, rhs, site, .. } => {
            all(&[lhs, rhs]).and(if site.is_some() { stops } else { Effects::NONE })
        }
        ExprKind::Compare { lhs, rhs, .. } | ExprKind::Logic { lhs, rhs, .. } => all(&[lhs, rhs]),
        ExprKind::Method { args, site, .. } => {
            args.iter().fold(if site.is_some() { stops } else { Effects::NONE }, |e, a| e.and(of(a, body)))
        }
        ExprKind::Associated { arg, .. } => of(arg, body),
        ExprKind::Call { args, .. } => args.iter().fold(stops, |e, a| e.and(of(a, body))),
        ExprKind::Block(block) => of_block(block, body),
        ExprKind::If { cond, then, otherwise, .. } => {
            let otherwise = otherwise.as_ref().map_or(Effects::NONE, |e| of(e, body));
            of(cond, body).and(of_block(then, body)).and(otherwise)
        }
        ExprKind::While { cond, body: inner, .. } => of(cond, body).and(of_block(inner, body)).and(stops),
        ExprKind::Loop { body: inner, .. } => of_block(inner, body).and(stops),
        ExprKind::For { start, end, body: inner, .. } => all(&[start, end]).and(of_block(inner, body)),
        ExprKind::Assign { place, value } => all(&[value, place]).and(writes),
        ExprKind::AssignOp { place, value, site, .. } => {
            all(&[value, place]).and(writes).and(if site.is_some() { stops } else { Effects::NONE })
        }
        ExprKind::Break { value, .. } | ExprKind::Return(value) => {
            value.as_ref().map_or(Effects::NONE, |v| of(v, body)).and(stops)
        }
        ExprKind::Continue { .. } => stops,
    }
}

fn of_block(block: &Block, body: &Body) -> Effects {
    let value = block.value.as_ref().map_or(Effects::NONE, |v| of(v, body));
    block.stmts.iter().fold(value, |effects, stmt| match stmt {
        // The variable is new: nobody outside can see that it was written.
        Stmt::Let { init, .. } | Stmt::Expr(init) => effects.and(of(init, body)),
    })
}
