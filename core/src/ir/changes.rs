//! Whether uniform code changes memory.

use super::{Block, Body, Borrow, Callee, Expr, ExprKind, Part, Space, Stmt, Tokens};

/// Whether an expression of uniform code changes elements, what threads share, or anything else
/// that exists once for all threads.
///
/// A variable can refer for writing only to the block's own memory: no other such reference can be
/// made there.
pub fn changes_memory<S: Tokens>(expr: &Expr<S>, body: &Body<S>) -> bool {
    let here = match &expr.kind {
        // What its threads evaluate changes nothing, which is checked where it stands.
        ExprKind::Collective(collective) => {
            return collective.of.as_ref().is_some_and(|(thread, _)| changes_memory(thread, body));
        }
        ExprKind::Call { callee: Callee::Atomic { .. }, .. } | ExprKind::Print { .. } => true,
        ExprKind::Assign { place, .. } => !is_own(place, body),
        ExprKind::Reference { borrow: Borrow::Unique | Borrow::Atomic, place } => !is_own(place, body),
        _ => false,
    };
    here || expr.parts().into_iter().any(|part| match part {
        Part::Expr(expr) => changes_memory(expr, body),
        Part::Block(block) => any_of(block, &mut |expr| changes_memory(expr, body)),
    })
}

/// Whether a place is a variable of its iteration, or a part of one.
fn is_own<S: Tokens>(place: &Expr<S>, body: &Body<S>) -> bool {
    place.root().is_some_and(|local| body[local].space == Space::Own)
}

/// Whether `is_it` holds for an expression directly in a block. It looks into the parts itself.
pub fn any_of<S: Tokens>(block: &Block<S>, is_it: &mut dyn FnMut(&Expr<S>) -> bool) -> bool {
    let stmts = block.stmts.iter().any(|stmt| match stmt {
        Stmt::Let { init, otherwise, .. } => {
            is_it(init) || otherwise.as_ref().is_some_and(|block| any_of(block, is_it))
        }
        Stmt::Expr(expr) => is_it(expr),
        Stmt::Declare { .. } | Stmt::Item(_) => false,
    });
    stmts || block.value.as_ref().is_some_and(|value| is_it(value))
}
