//! Which variables are mentioned, declared and changed.

use std::collections::BTreeSet;

use super::Line;
use crate::ir::{Expr, ExprKind, Flow, LocalId, Part, Pat, Stmt};

/// The variables that a line mentions or declares. What each thread has a value of is one.
pub(crate) fn mentions(line: &Line<'_>) -> BTreeSet<LocalId> {
    let mut all = BTreeSet::new();
    let mut mention = |expr: &Expr| {
        if let ExprKind::Local(local) | ExprKind::Own { all: local, .. } = expr.kind {
            all.insert(local);
        }
        false
    };
    match line {
        Line::Let(Stmt::Let { pat, init, .. }) => {
            init.any(&mut mention);
            all.extend(pat.locals());
        }
        Line::Let(_) => {}
        Line::Expr(expr) => drop(expr.any(&mut mention)),
    }
    all
}

/// The variables that are declared in this part. Of a block, its own are among them: its parts
/// alone would leave them out.
pub(crate) fn declared(part: Part<'_>) -> BTreeSet<LocalId> {
    let mut all: BTreeSet<LocalId> = patterns([part]).into_iter().flat_map(Pat::locals).collect();
    part.any(&mut |expr| {
        if let ExprKind::Flow { flow: Flow::For { var, .. }, .. } = &expr.kind {
            all.insert(*var);
        }
        false
    });
    all
}

/// The patterns of `let` in these parts.
pub(super) fn patterns<'e>(parts: impl IntoIterator<Item = Part<'e>>) -> Vec<&'e Pat> {
    let mut all = Vec::new();
    for part in parts {
        match part {
            Part::Expr(expr) => all.extend(patterns(expr.parts())),
            Part::Block(block) => {
                all.extend(block.stmts.iter().filter_map(|stmt| match stmt {
                    Stmt::Let { pat, .. } => Some(pat),
                    Stmt::Declare { .. } | Stmt::Expr(_) | Stmt::Item(_) => None,
                }));
                all.extend(patterns(block.parts()));
            }
        }
    }
    all
}
