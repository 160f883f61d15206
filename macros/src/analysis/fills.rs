//! Shared arrays whose first values nothing reads, because a phase writes all elements before.
//!
//! The phase is the first statement that mentions the array: of the block's program, or of the body of a loop outside of which nothing mentions it.
//! Its literal ranges are the dimensions of the array, and each of its iterations first writes the element that the variables name.
//!
//! A thread that fails writes nothing, and other threads go on: what they read then is any bits. So the elements must be numbers, for which all bits
//! are values.

use std::collections::BTreeSet;

use crate::ir::{Block, Body, Expr, ExprKind, Flow, LocalId, Part, Phase, Space, Stmt};

pub(super) fn of(body: &Body) -> BTreeSet<LocalId> {
    let shared = body.block.stmts.iter().enumerate().filter_map(|(at, stmt)| {
        let Stmt::Let { pat, init, .. } = stmt else { return None };
        let local = pat.name().filter(|local| body[*local].space == Space::Shared)?;
        is_filled(&body.block, at + 1, local, &lens(init)?).then_some(local)
    });
    shared.collect()
}

/// The lengths of an array of numbers, if they are literal.
fn lens(init: &Expr) -> Option<Vec<u64>> {
    match &init.kind {
        ExprKind::Repeat { value, len: syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(len), .. }), .. } => {
            let mut inner = lens(value)?;
            inner.insert(0, len.base10_parse().ok()?);
            Some(inner)
        }
        ExprKind::Int { .. } | ExprKind::Float { .. } => Some(Vec::new()),
        _ => None,
    }
}

/// Whether the statements of a block from this one on begin with a phase that fills the array, as far as they mention it.
fn is_filled(block: &Block, from: usize, array: LocalId, lens: &[u64]) -> bool {
    let of_stmt = |stmt| match stmt {
        &Stmt::Let { .. } => in_stmt(stmt, array).then_some(None),
        Stmt::Expr(expr) => mentions(expr, array).then_some(Some(expr)),
        Stmt::Declare { .. } | Stmt::Item(_) => None,
    };
    let value = block.value.as_deref().filter(|value| mentions(value, array)).map(Some);
    let mut mentioning = block.stmts[from..].iter().filter_map(of_stmt).chain(value);
    let (Some(Some(first)), more) = (mentioning.next(), mentioning.next()) else { return false };
    match &first.kind {
        ExprKind::Flow { flow: Flow::Phase { phase, body }, .. } => fills(phase, body, array, lens),
        ExprKind::Flow { flow: Flow::For { body, range, .. }, .. } if more.is_none() => {
            !range.operands().into_iter().any(|end| mentions(end, array)) && is_filled(body, 0, array, lens)
        }
        _ => false,
    }
}

/// Whether each iteration of a phase writes an element of its own before it does anything else, and these are all.
fn fills(phase: &Phase, body: &Block, array: LocalId, lens: &[u64]) -> bool {
    let whole = |(first, count): &(u64, u64), len: &u64| *first == 0 && count == len;
    let is_whole = phase.literal.as_ref().is_some_and(|literal| {
        literal.len() == lens.len() && literal.iter().zip(lens).all(|(range, len)| whole(range, len))
    });
    let mut inner = body;
    for _ in &phase.vars {
        let Some(Stmt::Expr(Expr { kind: ExprKind::Flow { flow: Flow::For { body, .. }, .. }, .. })) =
            inner.stmts.last()
        else {
            return false;
        };
        inner = body;
    }
    if let (Some(_), Some(Stmt::Expr(Expr { kind: ExprKind::Flow { flow: Flow::Block(own), .. }, .. }))) =
        (phase.thread, inner.stmts.last())
    {
        inner = own;
    }
    // Statements before the write may not jump over it, and nothing may read what has not been written.
    let mut written = false;
    for stmt in &inner.stmts {
        match stmt {
            _ if written => break,
            Stmt::Let { init, otherwise: None, .. } if !mentions(init, array) && !jumps(init) => {}
            Stmt::Expr(Expr { kind: ExprKind::Assign { place, value }, .. }) => {
                let reads = mentions(value, array) || jumps(value);
                written = is_element(place, array, &phase.vars) && !reads;
                if !written && (reads || mentions(place, array)) {
                    return false;
                }
            }
            Stmt::Expr(expr) if mentions(expr, array) || jumps(expr) => return false,
            Stmt::Let { .. } => return false,
            Stmt::Expr(_) | Stmt::Declare { .. } | Stmt::Item(_) => {}
        }
    }
    // Behind the write, an iteration reads what others may not have written: rule A refuses that.
    is_whole && written
}

/// `array[y][x]`, with all variables of a phase in their order.
fn is_element(place: &Expr, array: LocalId, vars: &[LocalId]) -> bool {
    match (&place.kind, vars.split_last()) {
        (ExprKind::Local(local), None) => *local == array,
        (ExprKind::Element { base, index, .. }, Some((var, outer))) => {
            matches!(index.kind, ExprKind::Local(local) if local == *var) && is_element(base, array, outer)
        }
        _ => false,
    }
}

fn in_stmt(stmt: &Stmt, array: LocalId) -> bool {
    match stmt {
        Stmt::Let { init, otherwise, .. } => {
            mentions(init, array) || otherwise.as_ref().is_some_and(|block| in_block(block, array))
        }
        Stmt::Expr(expr) => mentions(expr, array),
        Stmt::Declare { .. } | Stmt::Item(_) => false,
    }
}

fn in_block(block: &Block, array: LocalId) -> bool {
    block.stmts.iter().any(|stmt| in_stmt(stmt, array))
        || block.value.as_ref().is_some_and(|value| mentions(value, array))
}

fn mentions(expr: &Expr, array: LocalId) -> bool {
    matches!(expr.kind, ExprKind::Local(local) if local == array)
        || expr.parts().into_iter().any(|part| match part {
            Part::Expr(expr) => mentions(expr, array),
            Part::Block(block) => in_block(block, array),
        })
}

/// Whether control may leave an expression other than at its end.
fn jumps(expr: &Expr) -> bool {
    let is_jump = matches!(&expr.kind, ExprKind::Flow { flow, .. } if matches!(flow, Flow::Break { .. } | Flow::Continue { .. } | Flow::Return { .. } | Flow::Question { .. }));
    is_jump
        || expr.parts().into_iter().any(|part| match part {
            Part::Expr(expr) => jumps(expr),
            Part::Block(block) => {
                let stmts = block.stmts.iter().any(|stmt| match stmt {
                    Stmt::Let { init, otherwise, .. } => jumps(init) || otherwise.is_some(),
                    Stmt::Expr(expr) => jumps(expr),
                    Stmt::Declare { .. } | Stmt::Item(_) => false,
                });
                stmts || block.value.as_deref().is_some_and(jumps)
            }
        })
}
