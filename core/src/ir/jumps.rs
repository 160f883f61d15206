//! Where control leaves a part of a body.

use super::{Block, Expr, ExprKind, Flow, LoopId, Part, Shape, Stmt, Tokens};

/// What never has a value, by its form.
pub fn is_jump<S: Tokens>(expr: &Expr<S>) -> bool {
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
pub fn diverges<S: Tokens>(block: &Block<S>) -> bool {
    match (&block.value, block.stmts.last()) {
        (Some(value), _) => is_jump(value),
        (None, Some(Stmt::Expr(expr))) => is_jump(expr),
        (None, _) => false,
    }
}

/// Whether something in a block may leave it, or a loop around it.
pub fn leaves<S: Tokens>(block: &Block<S>) -> bool {
    block.parts().into_iter().any(part_leaves)
}

/// The same for an expression and everything in it.
pub fn may_leave<S: Tokens>(expr: &Expr<S>) -> bool {
    let asks = matches!(&expr.kind, ExprKind::Flow { flow, .. } if matches!(flow.shape(), Shape::Question(_)));
    is_jump(expr) || asks || expr.parts().into_iter().any(part_leaves)
}

fn part_leaves<S: Tokens>(part: Part<'_, S>) -> bool {
    match part {
        Part::Expr(expr) => may_leave(expr),
        Part::Block(block) => leaves(block),
    }
}

/// Whether a jump leaves the loop whose body a block is.
pub fn leaves_loop<S: Tokens>(body: &Block<S>) -> bool {
    fn within<S: Tokens>(parts: Vec<Part<'_, S>>, inside: &mut Vec<LoopId>) -> bool {
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
