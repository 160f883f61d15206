//! Which loops run in lanes on the CPU: several iterations in lock step, so that the compiler makes
//! vectors of what they do.
//!
//! **Rule.** It pays for loops with loops in them: of the others, and of short inner loops, the
//! compiler makes vectors itself. An inner loop that all iterations run alike stays a loop, and so
//! does one that they leave at different times, until the last one has left it. What is between two
//! such loops is a [`Region`](Step::Region): it is done lane by lane.
//!
//! Lanes that take no part in a region may compute it all the same, if that can be neither seen nor
//! fail ([`speculation`]). So a loop in which something can fail stays as it is. Its inner loops
//! read elements that all lanes share or that lie side by side, and write none.
//!
//! | file | what it knows |
//! |---|---|
//! | `asked` | which checks are asked once, before the lanes run |
//! | `build` | the steps of a body |
//! | `classes` | what is the same in all lanes, and what is one more in each |
//! | `phases` | the phases of blocks, whose lanes are threads |
//! | `reads` | which elements are read, and which functions are called, ahead of the statements that use them |
//! | `speculation` | what may be computed for nothing |
//! | `steps` | what lanes do |
//! | `variables` | which variables are mentioned, declared and changed |

mod asked;
mod build;
mod classes;
mod phases;
mod reads;
mod speculation;
mod steps;
mod variables;

use std::collections::{BTreeMap, BTreeSet};

use super::access::LoopFacts;
use crate::ir::{
    BinOp, Block, Body, Borrow, Callee, DeviceFn, Expr, ExprKind, Flow, LocalId, LocalKind, LoopId, LoopRange, ParLoop,
    Part, SiteId,
};
pub(crate) use asked::{Asked, Checks, OfTypes};
use build::Builder;
use classes::Classes;
pub(crate) use phases::unrolls_much;
pub(crate) use reads::element;
pub(crate) use steps::{FUNCTION, Lanes, Left, Line, ROOM, Step, Test, WHOLE};
pub(crate) use variables::{declared, mentions};

/// The loops of a `par` loop that run in lanes: itself, [`WHOLE`], or of a loop over blocks the
/// innermost loops of phases.
pub(crate) type InLanes<'b> = BTreeMap<LoopId, Lanes<'b>>;

/// Literal loops of so many rounds at most are for the compiler to unroll.
const SHORT: u128 = 16;

/// What of a `par` loop runs in lanes, or why nothing does.
pub(crate) fn of<'b>(par_loop: &'b ParLoop, facts: &LoopFacts, within: &BTreeSet<SiteId>) -> Built<InLanes<'b>> {
    if !facts.unsafe_sites.is_empty() {
        return Err("the user answers for its races");
    }
    match par_loop.shape {
        Some(_) => phases::of(par_loop, facts, within),
        None => Ok(BTreeMap::from([(WHOLE, of_iterations(par_loop, facts)?)])),
    }
}

fn of_iterations<'b>(par_loop: &'b ParLoop, facts: &LoopFacts) -> Built<Lanes<'b>> {
    let (body, lane) = (&par_loop.body, par_loop.dims.last());
    let vars = par_loop.dims.iter().map(|dim| dim.var);
    let classes = Classes::new(body, vars, lane.filter(|dim| dim.step.is_none()).map(|dim| dim.var));
    let checks = asked::of(body, &body.block, body.all_sites(), facts);
    Builder::new(body, &body.block, WHOLE, classes).lanes(checks)
}

/// What a device function does with the arguments of all lanes at once, or why it does not.
pub(crate) fn of_arguments(function: &DeviceFn) -> Built<Lanes<'_>> {
    let body = &function.body;
    let params = || function.params.iter().map(|(param, _)| *param);
    let receiver = function.receiver.and_then(|_| params().next());
    let by_value = |param: LocalId| match body[param].kind {
        LocalKind::Value => true,
        kind => kind == LocalKind::Reference(Borrow::Shared) && receiver == Some(param),
    };
    if function.output.is_none() || function.projects.is_some() || !params().all(by_value) {
        return Err("it does not take and return values");
    }
    if !inner(body.block.parts()).into_iter().any(is_long) {
        return Err(NO_LOOP);
    }
    let checks = asked::of(body, &body.block, body.all_sites(), &LoopFacts::default())?;
    if !checks.asked.is_empty() {
        return Err("it can fail");
    }
    let classes = Classes::new(body, std::iter::empty(), None);
    Builder::new(body, &body.block, FUNCTION, classes).with(params()).lanes(Ok(checks))
}

/// What is built, or why there are no lanes.
type Built<T> = Result<T, &'static str>;

const NO_LOOP: &str = "it has no long loop in it";

/// What is asked of the types of a device function that comes straight to its end, whatever its
/// arguments are. None for others.
pub(crate) fn of_function(body: &Body) -> Option<Checks<'_>> {
    let branches = body.block.any(&mut |expr| match &expr.kind {
        ExprKind::Flow { flow: Flow::For { .. }, .. } => is_long(expr),
        ExprKind::Flow { flow: Flow::Block(_), .. } => false,
        ExprKind::Flow { .. } | ExprKind::Print { .. } => true,
        ExprKind::Call { callee: Callee::Atomic { .. } | Callee::Closure(_), .. } => true,
        _ => false,
    });
    Checks::of_function(body).filter(|_| !branches)
}

/// Whether an expression is a call of a device function by its path.
fn is_function(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Call { callee: Callee::Function { .. } | Callee::Associated { .. }, .. })
}

/// Whether an expression is or has a loop that is not left to the compiler.
fn is_long(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Flow { flow: Flow::For { range, body, .. }, .. } => !is_short(range, body),
        ExprKind::Flow { flow: Flow::While { .. } | Flow::Loop { .. } | Flow::WhileLet { .. }, .. } => true,
        _ => inner(expr.parts()).into_iter().any(is_long),
    }
}

/// Whether a loop is literal and short, and leads nowhere else.
fn is_short(range: &LoopRange, body: &Block) -> bool {
    rounds(range).is_some_and(|rounds| rounds <= SHORT)
        && !body.jumps()
        && !inner(body.parts()).into_iter().any(is_long)
}

/// The rounds of a loop between literals.
fn rounds(range: &LoopRange) -> Option<u128> {
    range.start.literal().zip(range.end.literal()).map(|(start, end)| end.saturating_sub(start))
}

/// Whether an expression cannot be in a region: in it is a loop that stays one, or a jump.
fn splits(expr: &Expr) -> bool {
    let other =
        |expr: &Expr| matches!(&expr.kind, ExprKind::Flow { flow: Flow::Labelled { .. } | Flow::ForEach { .. }, .. });
    is_long(expr) || expr.any(&mut |expr| other(expr) || expr.is_jump())
}

/// Whether an expression is a jump out of a loop, or to its next round.
fn jumps_to(expr: &Expr, to: LoopId, leaves: bool) -> bool {
    match &expr.kind {
        ExprKind::Flow { flow: Flow::Break { id, .. }, .. } => leaves && *id == to,
        ExprKind::Flow { flow: Flow::Continue { id, .. }, .. } => !leaves && *id == to,
        _ => false,
    }
}

/// The children of a block or an expression, by expressions.
fn inner<'e>(parts: Vec<Part<'e>>) -> Vec<&'e Expr> {
    parts
        .into_iter()
        .flat_map(|part| match part {
            Part::Expr(expr) => vec![expr],
            Part::Block(block) => inner(block.parts()),
        })
        .collect()
}

/// Whether an operator can fail where its operands are integers.
fn divides(op: BinOp) -> bool {
    matches!(op, BinOp::Div | BinOp::Rem)
}
