//! Expressions that jump: `break`, `continue`, `return`, a panic.
//!
//! **Rule.** What never comes to its end may be a statement, the value of a block, a branch, or the
//! right side of `&&` and `||`. Rust also lets it be an operand, `f(break)`, whose operation then
//! is never done; C++ has no type for one.

use crate::ir::{Arm, Block, Body, Expr, ExprKind, Part, Shape, Stmt, jumps};
use crate::report::{Code, Report, error};

/// Reports every operand that is one.
pub(crate) fn check(body: &Body, report: &mut Report) {
    block(&body.block, report);
}

fn block(block: &Block, report: &mut Report) {
    for stmt in &block.stmts {
        match stmt {
            Stmt::Let { init, otherwise, .. } => {
                operand(init, report);
                otherwise.iter().for_each(|otherwise| self::block(otherwise, report));
            }
            Stmt::Expr(expr) => parts(expr, report),
            Stmt::Declare { .. } | Stmt::Item(_) => {}
        }
    }
    block.value.iter().for_each(|value| parts(value, report));
}

/// Something whose value is used.
fn operand(expr: &Expr, report: &mut Report) {
    if jumps::is_jump(expr) {
        report.at(
            expr.span,
            error(Code::Unsupported, "this expression never returns, so the operation around it is unreachable")
                .help("move it to a statement of its own"),
        );
    }
    parts(expr, report);
}

fn parts(expr: &Expr, report: &mut Report) {
    match &expr.kind {
        ExprKind::Flow { flow, .. } => flow_parts(flow.shape(), report),
        ExprKind::Logic { lhs, rhs, .. } => {
            operand(lhs, report);
            parts(rhs, report);
        }
        _ => operands(expr.parts(), report),
    }
}

fn flow_parts(shape: Shape<'_>, report: &mut Report) {
    match shape {
        Shape::If { cond, then, otherwise } => {
            operand(cond, report);
            block(then, report);
            otherwise.iter().for_each(|otherwise| parts(otherwise, report));
        }
        Shape::Match { scrutinee, arms } => {
            operand(scrutinee, report);
            for Arm { guard, body, .. } in arms {
                guard.iter().for_each(|guard| operand(guard, report));
                parts(body, report);
            }
        }
        Shape::Straight { .. }
        | Shape::Phase(_)
        | Shape::Labelled(_)
        | Shape::Counted { .. }
        | Shape::Round { .. }
        | Shape::Jump(_)
        | Shape::Question(_) => operands(shape.parts(), report),
    }
}

fn operands(parts: Vec<Part<'_>>, report: &mut Report) {
    parts.into_iter().for_each(|part| match part {
        Part::Expr(expr) => operand(expr, report),
        Part::Block(inner) => block(inner, report),
    });
}
