//! What an expression or block is by its form: where it ends, and whether it computes anything.

use crate::ir::{Block, Expr, ExprKind, Part, Stmt};

/// Whether a block never comes to its end.
pub(crate) fn diverges(block: &Block) -> bool {
    let last = match (&block.value, block.stmts.last()) {
        (Some(value), _) => value,
        (None, Some(Stmt::Expr(expr))) => expr,
        _ => return false,
    };
    match &last.kind {
        ExprKind::Break { .. } | ExprKind::Continue { .. } | ExprKind::Return(_) | ExprKind::Panic { .. } => true,
        ExprKind::Block(inner) | ExprKind::Unsafe(inner) => diverges(inner),
        _ => false,
    }
}

/// Whether something in a block may leave it, or a loop around it.
pub(super) fn leaves(block: &Block) -> bool {
    block.parts().into_iter().any(part_leaves)
}

fn part_leaves(part: Part<'_>) -> bool {
    match part {
        Part::Expr(expr) => parts_leave(expr),
        Part::Block(block) => leaves(block),
    }
}

pub(super) fn parts_leave(expr: &Expr) -> bool {
    matches!(
        expr.kind,
        ExprKind::Break { .. } | ExprKind::Continue { .. } | ExprKind::Return(_) | ExprKind::Panic { .. }
    ) || expr.parts().into_iter().any(part_leaves)
}
