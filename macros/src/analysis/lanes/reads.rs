//! Elements that are read, and functions that are called, before the statements that use them.

use super::classes::{Class, Classes};
use super::inner;
use crate::ir::{Body, Callee, CaptureId, Expr, ExprKind, Flow, LocalKind, Part, SlotId};

/// The accesses to elements that lie side by side, or to fields of them, of slices that the loop
/// does not write; with their indexes.
pub(super) fn own_reads<'b>(part: Part<'b>, classes: &Classes<'_>, all: &mut Vec<(&'b Expr, &'b Expr)>) {
    for expr in inner(vec![part]) {
        match element(expr) {
            Some((view, index)) if classes.together(index) == Class::Unit && classes.only_reads(view) => {
                all.push((expr, index));
            }
            // Of an array, one element is read.
            _ if let ExprKind::Element { index, .. } = &expr.kind => own_reads(Part::Expr(index), classes, all),
            _ => expr.parts().into_iter().for_each(|part| own_reads(part, classes, all)),
        }
    }
}

/// The slice and the index of an element, or of a field of one.
pub(crate) fn element(expr: &Expr) -> Option<(CaptureId, &Expr)> {
    match &expr.kind {
        ExprKind::Field { base, .. } => element(base),
        ExprKind::Index { view, index, .. } if !matches!(index.kind, ExprKind::Array { .. }) => Some((*view, index)),
        _ => None,
    }
}

/// The slot and the arguments of a call of what is no method of std, if all of them are values.
pub(super) fn called<'b>(call: &'b Expr, body: &Body) -> Option<(SlotId, Vec<&'b Expr>)> {
    let ExprKind::Call { callee: Callee::Function { slot, .. } | Callee::Method { known: None, slot, .. }, args } =
        &call.kind
    else {
        return None;
    };
    let no_value = |expr: &Expr| match &expr.kind {
        ExprKind::Local(local) => body[*local].kind != LocalKind::Value,
        ExprKind::Flow { .. } | ExprKind::Reference { .. } | ExprKind::View { .. } | ExprKind::Closure { .. } => true,
        _ => false,
    };
    let values = args.iter().all(|arg| !arg.any(&mut { no_value }) && Part::Expr(arg).assigned().is_empty());
    values.then(|| (*slot, args.iter().collect()))
}

/// The calls that surely happen in an expression, before anything in it changes, in their order.
pub(super) fn surely_called<'b>(expr: &'b Expr, body: &Body, calls: &mut Vec<(&'b Expr, SlotId, Vec<&'b Expr>)>) {
    let parts: Vec<&Expr> = match &expr.kind {
        ExprKind::Assign { place, value, .. } => vec![place, value],
        ExprKind::Flow { flow: Flow::Match { scrutinee, .. }, .. } => vec![scrutinee],
        ExprKind::Flow { flow: Flow::If { cond, .. }, .. } => vec![cond],
        ExprKind::Flow { .. } => return,
        ExprKind::Logic { lhs, .. } => vec![lhs],
        _ => inner(expr.parts()),
    };
    if parts.iter().all(|part| Part::Expr(part).assigned().is_empty()) {
        parts.into_iter().for_each(|part| surely_called(part, body, calls));
        calls.extend(called(expr, body).map(|(slot, args)| (expr, slot, args)));
    }
}

/// The accesses to elements that mostly lie side by side, of views that the loop does not write.
/// They happen, or else the line could not be done for several lanes at a time.
pub(super) fn near_reads<'b>(expr: &'b Expr, classes: &Classes<'_>, all: &mut Vec<&'b Expr>) {
    if let ExprKind::Index { view, index, .. } = &expr.kind
        && classes.together(index) == Class::Near
        && classes.only_reads(*view)
    {
        return all.push(expr);
    }
    // There the index is another one in each round.
    if matches!(&expr.kind, ExprKind::Flow { flow: Flow::For { .. }, .. }) {
        return;
    }
    inner(expr.parts()).into_iter().for_each(|part| near_reads(part, classes, all));
}
