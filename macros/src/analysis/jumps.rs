//! Expressions that jump: `break`, `continue`, `return`, a panic.
//!
//! **Rule.** What never comes to its end may be a statement, the value of a block, a branch, or the right side of `&&` and
//! `||`. Rust also lets it be an operand, `f(break)`, whose operation then is never done; C++ has no type for one.

use crate::ir::{Arm, Block, Body, Expr, ExprKind, Flow, LoopId, Part, Shape, Stmt};
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
    if is_jump(expr) {
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

/// What never has a value, by its form.
pub(crate) fn is_jump(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Panic { .. } => true,
        ExprKind::Flow { flow, .. } => match flow.shape() {
            Shape::Jump(_) => true,
            Shape::Straight { body, .. } => diverges(body),
            Shape::Phase(_)
            | Shape::Labelled(_)
            | Shape::If { .. }
            | Shape::Match { .. }
            | Shape::Counted { .. }
            | Shape::Round { .. }
            | Shape::Question(_) => false,
        },
        _ => false,
    }
}

/// Whether a block never comes to its end, by its form.
pub(crate) fn diverges(block: &Block) -> bool {
    match (&block.value, block.stmts.last()) {
        (Some(value), _) => is_jump(value),
        (None, Some(Stmt::Expr(expr))) => is_jump(expr),
        (None, _) => false,
    }
}

/// Whether something in a block may leave it, or a loop around it.
pub(crate) fn leaves(block: &Block) -> bool {
    block.parts().into_iter().any(part_leaves)
}

/// The same for an expression and everything in it.
pub(crate) fn may_leave(expr: &Expr) -> bool {
    let asks = matches!(&expr.kind, ExprKind::Flow { flow, .. } if matches!(flow.shape(), Shape::Question(_)));
    is_jump(expr) || asks || expr.parts().into_iter().any(part_leaves)
}

fn part_leaves(part: Part<'_>) -> bool {
    match part {
        Part::Expr(expr) => may_leave(expr),
        Part::Block(block) => leaves(block),
    }
}

/// Whether a jump leaves the loop whose body a block is.
pub(crate) fn leaves_loop(body: &Block) -> bool {
    fn within(parts: Vec<Part<'_>>, inside: &mut Vec<LoopId>) -> bool {
        parts.into_iter().any(|part| match part {
            Part::Expr(Expr { kind: ExprKind::Flow { flow, .. }, .. }) => {
                let known = inside.len();
                inside.extend(flow.id());
                let leaves = match flow {
                    Flow::Break { id, .. } => !inside.contains(id),
                    Flow::Return { .. } | Flow::Question { .. } => true,
                    _ => within(flow.shape().parts(), inside),
                };
                inside.truncate(known);
                leaves
            }
            Part::Expr(expr) => within(expr.parts(), inside),
            Part::Block(block) => within(block.parts(), inside),
        })
    }
    within(body.parts(), &mut Vec::new())
}
