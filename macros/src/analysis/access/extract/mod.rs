//! From a body to its facts.

mod accesses;
mod calls;
mod compared;
mod expressions;
mod flow;
mod host;
mod limits;
mod loops;
mod members;
mod phases;
mod rows;
mod running;
mod statements;
mod values;

use std::collections::{BTreeMap, BTreeSet};

use super::conditions::{Guards, Holds, Truth};
use super::quotients::Division;
use super::states::Tried;
use super::{Atom, Condition, Form, InnerLoop, LoopFacts, Step};
use crate::ir::{Body, CaptureId, DeviceFn, Expr, LocalId, LocalKind, ParLoop};
use members::Portion;
pub(super) use phases::PhaseFacts;
use running::Running;

/// The facts of a loop.
pub(crate) fn of(par_loop: &ParLoop) -> LoopFacts {
    let mut walk = Extractor::new(&par_loop.body, Vec::new());
    walk.known.counters = par_loop.dims.iter().map(|dim| dim.var).collect();
    for (at, dim) in par_loop.dims.iter().enumerate() {
        walk.known.locals.insert(dim.var, Form::atom(Atom::Var(at)));
        walk.facts.info.plain.insert(dim.var);
        let range = walk.range(dim);
        walk.facts.ranges.push(range);
    }
    walk.in_block.blocks = par_loop.dims.len();
    walk.in_block.of_blocks = par_loop.shape.is_some();
    walk.in_block.threads = i64::from(par_loop.block);
    if walk.in_block.of_blocks {
        walk.in_block.small = rows::never_grow(&par_loop.body, &walk.known.followed);
    }
    walk.block(&par_loop.body.block);
    walk.strides();
    let Extractor { facts, here: Here { steps, .. }, in_block: InBlock { phases, .. }, .. } = walk;
    let counters = facts.symbols.known(&par_loop.counters);
    LoopFacts { steps, phases, counters, ..facts }
}

/// The facts of a device function, and what it returns, if something is known of that. Its
/// parameters are the captures of a loop.
pub(crate) fn of_function(function: &DeviceFn) -> (LoopFacts, Option<Form>) {
    let params: Vec<LocalId> = function.params.iter().map(|(local, _)| *local).collect();
    let mut walk = Extractor::new(&function.body, params.clone());
    for (at, local) in params.into_iter().enumerate() {
        let of = &function.body[local];
        if of.kind == LocalKind::Value && !of.mutable && !of.loose {
            // Two names of one spelling may be two parameters.
            let atom = walk.facts.symbols.capture(&format!("{at} {}", of.name), CaptureId(at));
            walk.known.locals.insert(local, Form::atom(atom));
            walk.facts.info.plain.insert(local);
        }
    }
    let result = walk.block(&function.body.block);
    let Extractor { facts, here: Here { steps, left, .. }, .. } = walk;
    // What an earlier `return` returns, nobody knows.
    (LoopFacts { steps, ..facts }, result.filter(|_| !left))
}

/// The walk over a body.
pub(super) struct Extractor<'b> {
    body: &'b Body,
    /// Of a device function: what its accesses are of.
    params: Vec<LocalId>,
    pub(super) facts: LoopFacts,
    pub(super) known: Known<'b>,
    here: Here,
    in_block: InBlock,
}

/// What is known of variables.
#[derive(Clone, Default)]
pub(super) struct Known<'b> {
    /// Their values: of those that are mutable, at this place.
    pub(super) locals: BTreeMap<LocalId, Form>,
    /// The mutable ones among them.
    followed: BTreeSet<LocalId>,
    /// Those of them that count loops.
    counters: BTreeSet<LocalId>,
    /// What immutable variables were bound to.
    pub(super) inits: BTreeMap<LocalId, &'b Expr>,
    /// The immutable variables whose numbers were made for them: no other variable has them in
    /// another type.
    made: BTreeSet<LocalId>,
    /// Immutable variables that are parts of host values or constants.
    portions: BTreeMap<LocalId, Portion>,
    /// Quotients and remainders.
    pub(super) divisions: Vec<Division>,
    /// What immutable arrays and tuples are made of, such as indexes of grids.
    lists: BTreeMap<LocalId, Vec<Option<Form>>>,
    /// Lengths of arrays in variables.
    arrays: BTreeMap<LocalId, i64>,
    /// What follows from immutable variables of type `bool`.
    pub(super) truths: BTreeMap<LocalId, Truth>,
}

/// Where the walk is.
struct Here {
    /// The steps of the innermost loop or branch.
    steps: Vec<Step>,
    loops: Vec<InnerLoop>,
    conditions: Vec<Condition>,
    /// Of [`Atom::Other`], those that a launch can limit.
    limited: BTreeSet<Atom>,
    /// What else decides whether this place is reached.
    guards: Guards,
    /// So do jumps that are not in `guards`.
    lost: bool,
    /// So do checks that are not in `guards`: an iteration that fails one has ended.
    failed: bool,
    /// Of the next place, only a part is touched.
    part: bool,
    /// Number of branches around.
    sometimes: usize,
    /// Number of `unsafe` blocks around.
    unsafe_depth: usize,
    /// Some iterations may have ended before.
    left: bool,
}

/// The block of threads whose program the body is, or a phase of one.
#[derive(Default)]
struct InBlock {
    /// Number of the indexes of a block.
    blocks: usize,
    /// It is the walk of a loop over blocks.
    of_blocks: bool,
    /// The threads of a block.
    threads: i64,
    /// The arrays that the threads of a block share, with their dimensions.
    shared: BTreeMap<LocalId, usize>,
    /// The variables of a block's program that begin at a literal and never grow.
    small: BTreeSet<LocalId>,
    /// Comparisons of one of them with a variable as it is, by slots.
    compared: BTreeSet<usize>,
    /// The walk is of a phase by itself.
    in_phase: bool,
    /// The ends of the phase's ranges, which are computed right before it.
    ends: BTreeSet<LocalId>,
    phases: Vec<PhaseFacts>,
    /// What came of running the block's program, once a phase asks for it.
    tried: Option<Tried>,
}

impl<'b> Extractor<'b> {
    fn new(body: &'b Body, params: Vec<LocalId>) -> Self {
        let known = Known { followed: running::followed(body), ..Known::default() };
        let here = Here {
            steps: Vec::new(),
            loops: Vec::new(),
            conditions: Vec::new(),
            limited: BTreeSet::new(),
            guards: Some(Vec::new()),
            lost: false,
            failed: false,
            part: false,
            sometimes: 0,
            unsafe_depth: 0,
            left: false,
        };
        Extractor { body, params, facts: LoopFacts::default(), known, here, in_block: InBlock::default() }
    }
}

/// A branch around the current place, with what was known before it.
struct Branch {
    conditions: Vec<Condition>,
    always: bool,
    outer: Vec<Step>,
    guards: Guards,
    known: usize,
    limited: BTreeSet<Atom>,
    first: Atom,
    running: Running,
    /// It begins with a check, which ends the iteration if it fails.
    check: bool,
}

impl<'b> Extractor<'b> {
    fn fresh(&mut self) -> Atom {
        self.facts.others += 1;
        Atom::Other(self.facts.others - 1)
    }

    /// Whether some iterations have ended now, or left a loop.
    pub(super) fn leave(&mut self, leaves: bool) {
        self.here.left |= leaves;
        self.here.lost |= leaves;
    }

    /// The contents of a branch, with the conditions that hold there.
    pub(super) fn branch<T>(&mut self, holds: Holds, always: bool, inside: impl FnOnce(&mut Self) -> T) -> T {
        let branch = self.enter(holds, always);
        let value = inside(self);
        self.exit(branch);
        value
    }

    fn enter(&mut self, holds: Holds, always: bool) -> Branch {
        let Holds { conditions, guards } = holds;
        let branch = Branch {
            conditions,
            always,
            outer: std::mem::take(&mut self.here.steps),
            guards: self.here.guards.clone(),
            known: self.here.conditions.len(),
            limited: self.here.limited.clone(),
            first: Atom::Other(self.facts.others),
            running: self.running(),
            check: false,
        };
        self.here.guards = self.here.guards.take().zip(guards).map(|(outer, inner)| [outer, inner].concat());
        self.here.conditions.extend(branch.conditions.iter().cloned());
        self.limit(&branch.conditions);
        self.here.sometimes += usize::from(!always);
        branch
    }

    fn exit(&mut self, branch: Branch) {
        let Branch { conditions, always, outer, guards, known, limited, first, running, check: _ } = branch;
        self.meet(&running);
        self.here.sometimes -= usize::from(!always);
        // What it has made stays as it is: `&&` hands conditions on.
        self.here.limited.retain(|atom| *atom >= first || limited.contains(atom));
        self.here.conditions.truncate(known);
        self.here.guards = guards;
        let body = std::mem::replace(&mut self.here.steps, outer);
        self.here.steps.push(Step::When { conditions, body });
    }
}
