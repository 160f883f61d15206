//! Phases in lanes: several threads of a block in lock step.
//!
//! The lanes are neighbours in the innermost loop of a phase, whose threads are neighbours, too.
//! What belongs to the block is the same in all of them, and the value that each thread has of a
//! variable is one of the lane for as long as the phase lasts.

use std::collections::BTreeSet;

use super::build::Builder;
use super::classes::{Class, Classes};
use super::{Built, InLanes, Lanes, NO_LOOP, asked, inner, rounds};
use crate::analysis::access::LoopFacts;
use crate::ir::{Block, Expr, ExprKind, Flow, LocalId, LocalKind, ParLoop, Part, Phase, SiteId, Space, Stmt};

/// The phases that run in lanes, by their innermost loops; if there is none, why.
pub(super) fn of<'b>(par_loop: &'b ParLoop, facts: &LoopFacts, within: &BTreeSet<SiteId>) -> Built<InLanes<'b>> {
    let (mut lanes, mut why) = (InLanes::new(), NO_LOOP);
    for (phase, body) in phases(Part::Block(&par_loop.body.block)) {
        match of_phase(par_loop, phase, body, |site| !within.contains(site), facts) {
            Ok(of_phase) => drop(lanes.insert(phase.id, of_phase)),
            Err(NO_LOOP) => {}
            Err(other) => why = other,
        }
    }
    if lanes.is_empty() { Err(why) } else { Ok(lanes) }
}

/// Rounds of loops between literals from which on wider vectors pay off for the loop around them.
const MANY: u128 = 64;

/// Whether a thread makes many rounds of loops between literals in a phase: it computes a tile in
/// registers. The compiler makes vectors of them itself.
pub(crate) fn unrolls_much(par_loop: &ParLoop) -> bool {
    let phases = phases(Part::Block(&par_loop.body.block));
    phases
        .into_iter()
        .filter_map(|(phase, body)| innermost(phase, body))
        .any(|body| all_rounds(Part::Block(body)) >= MANY)
}

/// The rounds of all loops between literals in a part of the code.
fn all_rounds(part: Part<'_>) -> u128 {
    let of_expr = |expr: &Expr| match &expr.kind {
        ExprKind::Flow { flow: Flow::For { range, body, .. }, .. } => {
            rounds(range).unwrap_or(1).saturating_mul(all_rounds(Part::Block(body)).max(1))
        }
        _ => expr.parts().into_iter().map(all_rounds).fold(0, u128::saturating_add),
    };
    inner(vec![part]).into_iter().map(of_expr).fold(0, u128::saturating_add)
}

fn of_phase<'b>(
    par_loop: &'b ParLoop,
    phase: &Phase,
    body: &'b Block,
    can_fail: impl Fn(&SiteId) -> bool,
    facts: &LoopFacts,
) -> Built<Lanes<'b>> {
    let whole = &par_loop.body;
    let block = innermost(phase, body).ok_or(NO_LOOP)?;
    let ([first, ..], [.., lane]) = (phase.vars.as_slice(), phase.vars.as_slice()) else { return Err(NO_LOOP) };
    let mut classes = Classes::new(whole, std::iter::once(*lane), Some(*lane));
    phase.vars.iter().filter(|var| *var != lane).for_each(|var| classes.set(*var, Class::Uniform));
    phase.thread.iter().for_each(|thread| classes.set(*thread, Class::Unit));
    let changed = Part::Block(block).assigned();
    for local in (0..first.0).map(LocalId).filter(|local| phase.thread != Some(*local)) {
        let declared = &whole[local];
        let stays = declared.space == Space::Own || declared.space == Space::Shared && !changed.contains(&local);
        if stays && declared.kind == LocalKind::Value {
            classes.set(local, Class::Uniform);
        }
    }
    let each = (0..first.0).map(LocalId).filter(|local| matches!(whole[*local].space, Space::Each(_)));
    let checks = asked::of(whole, block, phase.sites.clone().map(SiteId).filter(can_fail), facts);
    let lanes = Builder::new(whole, block, phase.id, classes).within(&phase.slots).with(each).lanes(checks)?;
    if phase.thread.is_some() && phase.vars.len() > 1 && !phase.of_threads {
        return Err("its threads have iterations in several rows");
    }
    Ok(lanes)
}

/// What an iteration of a phase does.
fn innermost<'b>(phase: &Phase, body: &'b Block) -> Option<&'b Block> {
    phase.vars.iter().try_fold(body, |block, _| match block.stmts.last()? {
        Stmt::Expr(Expr { kind: ExprKind::Flow { flow: Flow::For { body, .. }, .. }, .. }) => Some(body),
        _ => None,
    })
}

/// The phases in a part of a block's code, in their order.
fn phases<'b>(part: Part<'b>) -> Vec<(&'b Phase, &'b Block)> {
    let of_expr = |expr: &'b Expr| match &expr.kind {
        ExprKind::Flow { flow: Flow::Phase { phase, body }, .. } => vec![(phase, body)],
        _ => expr.parts().into_iter().flat_map(phases).collect(),
    };
    inner(vec![part]).into_iter().flat_map(of_expr).collect()
}
