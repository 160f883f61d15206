//! Which loops run in lanes on the CPU: several iterations in lock step, so that the compiler makes vectors of what they do.
//!
//! **Rule.** It pays for loops with loops in them: of the others, and of short inner loops, the compiler makes vectors itself. An inner loop that all
//! iterations run alike stays a loop, and so does one that they leave at different times, until the last one has left it. What is between two such loops
//! is a [`Region`](Step::Region): it is done lane by lane.
//!
//! Lanes that take no part in a region may compute it all the same, if that can be neither seen nor fail ([`speculation`]). So a loop in which something
//! can fail stays as it is. Its inner loops read elements that all lanes share or that lie side by side, and write none.
//!
//! | file | what it knows |
//! |---|---|
//! | `asked` | which checks are asked once, before the lanes run |
//! | `classes` | what is the same in all lanes, and what is one more in each |
//! | `speculation` | what may be computed for nothing |
//! | `variables` | which variables are mentioned, declared and changed |

mod asked;
mod classes;
mod speculation;
mod variables;

use std::collections::BTreeMap;

use proc_macro2::TokenStream;

use super::access::LoopFacts;
use crate::ir::{
    Adaptor, BinOp, Block, Body, Borrow, CaptureId, DeviceFn, Expr, ExprKind, Flow, LocalId, LocalKind, LoopId,
    LoopRange, Of, ParLoop, Part, SlotId, Space, Stmt,
};
pub(crate) use asked::{Asked, Checks};
use classes::{Class, Classes};
use speculation::Speculation;
pub(crate) use variables::{assigned, declared, mentions};

/// What a loop does in lanes.
pub(crate) struct Lanes<'b> {
    pub(crate) steps: Vec<Step<'b>>,
    /// The variables that live longer than a region, with the number of masks around them.
    pub(crate) kept: BTreeMap<LocalId, usize>,
    /// Variables that are made anew in each region, so that the compiler sees what lies side by side.
    pub(crate) recomputed: BTreeMap<LocalId, &'b Expr>,
    /// Some lanes end early, with `continue`.
    pub(crate) ends: bool,
    pub(crate) checks: Checks<'b>,
    /// The slots of operations that are understood if they are of integers.
    pub(crate) integers: Vec<SlotId>,
    /// The slots of functions that have all lanes at once.
    calls: Vec<SlotId>,
    /// Methods that do not change the variable that they are called on.
    methods: Vec<SlotId>,
    /// There is a long loop, not only functions that may have some.
    looped: bool,
}

/// A part of that.
pub(crate) enum Step<'b> {
    /// What each lane does, one behind the other. A `total` one may be computed for lanes that take no part.
    Region { lines: Vec<Line<'b>>, total: bool },
    /// An access of the next region: the elements of all lanes, which lie side by side if the index of the last lane says so, and none of the `sums`
    /// wraps.
    Window { access: &'b Expr, sums: Vec<&'b Expr> },
    /// The element of each lane, or a part of it, that a loop reads. Perhaps the loop has no round, and it is not there.
    Own(&'b Expr),
    /// A variable that is the same in all lanes.
    Uniform(&'b Stmt),
    /// `{ … }`.
    Scope(Vec<Step<'b>>),
    /// `if`, with loops in it or with elements that it reads.
    If { cond: &'b Expr, test: Test, then: Vec<Step<'b>>, otherwise: Option<Vec<Step<'b>>> },
    /// A loop with the same range in all lanes. If it is `left`, not all of them may be in it.
    Counted { id: LoopId, left: Left, var: LocalId, range: &'b LoopRange, body: Vec<Step<'b>> },
    /// A loop that goes on until no lane is in it.
    While { id: LoopId, left: Left, cond: Option<&'b Expr>, body: Vec<Step<'b>> },
    /// A loop whose ends differ between lanes.
    Ranged { id: LoopId, left: Left, var: LocalId, range: &'b LoopRange, body: Vec<Step<'b>> },
    /// A call that the next region uses the results of. All lanes take part.
    Call { call: &'b Expr, slot: SlotId, args: Vec<&'b Expr> },
    /// What a function returns.
    Result(&'b Expr),
    /// `break`, or `continue`, or the end of a function.
    Jump { to: LoopId, leaves: bool },
}

/// What `return` leaves.
pub(crate) const FUNCTION: LoopId = LoopId(usize::MAX);

/// What a condition is for the lanes.
#[derive(Clone, Copy)]
pub(crate) enum Test {
    /// The same in all of them.
    Uniform,
    /// It may be asked for lanes that take no part.
    Total,
    /// Only those that take part ask.
    Partial,
}

/// How lanes leave a loop.
#[derive(Clone, Copy)]
pub(crate) struct Left {
    /// Some before others.
    pub(crate) early: bool,
    /// Some leave a round of it.
    pub(crate) rounds: bool,
}

/// A statement, or an expression as one.
#[derive(Clone, Copy)]
pub(crate) enum Line<'b> {
    Let(&'b Stmt),
    Expr(&'b Expr),
}

impl Lanes<'_> {
    /// What is asked of the types.
    pub(crate) fn conditions(&self, body: &Body, private: &TokenStream) -> TokenStream {
        let kept: Vec<SlotId> = self.kept.keys().map(|local| body[*local].slot).collect();
        self.checks.conditions([&self.integers, &kept, &self.calls, &self.methods], self.looped, private)
    }
}

impl Step<'_> {
    /// Whether lanes may take no more part behind it.
    pub(crate) fn jumps(&self) -> bool {
        match self {
            Step::Region { .. }
            | Step::Window { .. }
            | Step::Own(_)
            | Step::Uniform(_)
            | Step::Call { .. }
            | Step::Result(_) => false,
            Step::Scope(steps)
            | Step::Counted { body: steps, .. }
            | Step::Ranged { body: steps, .. }
            | Step::While { body: steps, .. } => steps.iter().any(Step::jumps),
            Step::If { then, otherwise, .. } => then.iter().chain(otherwise.iter().flatten()).any(Step::jumps),
            Step::Jump { .. } => true,
        }
    }
}

/// Literal loops of so many rounds at most are for the compiler to unroll.
const SHORT: u128 = 16;

/// So many variables that are made of each other are made anew.
const DEPTH: usize = 4;

/// What a loop does in lanes, or why it does not run in lanes.
pub(crate) fn of<'b>(par_loop: &'b ParLoop, facts: &LoopFacts) -> Result<Lanes<'b>, &'static str> {
    let (body, lane) = (&par_loop.body, par_loop.dims.last());
    if par_loop.shape.is_some() {
        return Err("it is a loop over blocks");
    }
    if !facts.unsafe_sites.is_empty() {
        return Err("the user answers for its races");
    }
    let vars = par_loop.dims.iter().map(|dim| dim.var);
    let classes = Classes::new(body, vars, lane.filter(|dim| dim.step.is_none()).map(|dim| dim.var));
    Builder::new(body, classes).lanes(LoopId(0), asked::of(body, facts))
}

/// What a device function does with the arguments of all lanes at once, or why it does not.
pub(crate) fn of_arguments(function: &DeviceFn) -> Result<Lanes<'_>, &'static str> {
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
    let checks = asked::of(body, &LoopFacts::default())?;
    if !checks.asked.is_empty() {
        return Err("it can fail");
    }
    let mut builder = Builder::new(body, Classes::new(body, std::iter::empty(), None));
    builder.homes.extend(params().map(|param| (param, (usize::MAX, 0))));
    builder.lanes(FUNCTION, Ok(checks))
}

const NO_LOOP: &str = "it has no long loop in it";

/// What is asked of the types of a device function that comes straight to its end, whatever its arguments are. None for others.
pub(crate) fn of_function(body: &Body) -> Option<Checks<'_>> {
    let branches = body.block.any(&mut |expr| match &expr.kind {
        ExprKind::Flow { flow: Flow::For { .. }, .. } => is_long(expr),
        ExprKind::Flow { flow: Flow::Block(_), .. } => false,
        ExprKind::Flow { .. } | ExprKind::Atomic { .. } | ExprKind::Print { .. } | ExprKind::CallLocal { .. } => true,
        _ => false,
    });
    let checks = if branches { None } else { asked::of(body, &LoopFacts::default()).ok() };
    checks.filter(|checks| checks.asked.is_empty())
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
    let literal = |end: &Expr| match &end.kind {
        ExprKind::Int { digits, .. } => digits.parse::<u128>().ok(),
        _ => None,
    };
    let rounds = literal(&range.start).zip(literal(&range.end)).map(|(start, end)| end.saturating_sub(start));
    rounds.is_some_and(|rounds| rounds <= SHORT) && !body.jumps() && !inner(body.parts()).into_iter().any(is_long)
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

struct Builder<'b> {
    body: &'b Body,
    classes: Classes<'b>,
    /// The loops around that stay loops.
    loops: usize,
    /// The masks around.
    masks: usize,
    /// The number of the region that is next.
    region: usize,
    /// Where the variables of lanes are declared: in which region, and behind how many masks.
    homes: BTreeMap<LocalId, (usize, usize)>,
    kept: BTreeMap<LocalId, usize>,
    recomputed: BTreeMap<LocalId, &'b Expr>,
    integers: Vec<SlotId>,
    calls: Vec<SlotId>,
}

type Built<T> = Result<T, &'static str>;

impl<'b> Builder<'b> {
    fn new(body: &'b Body, mut classes: Classes<'b>) -> Self {
        body.block.any(&mut |expr| {
            if let ExprKind::Flow { flow: Flow::For { var, range, body: inside, .. }, .. } = &expr.kind
                && is_short(range, inside)
                && !body[*var].mutable
            {
                classes.set(*var, Class::Uniform);
            }
            false
        });
        Self {
            body,
            classes,
            loops: 0,
            masks: 0,
            region: 0,
            homes: BTreeMap::new(),
            kept: BTreeMap::new(),
            recomputed: BTreeMap::new(),
            integers: Vec::new(),
            calls: Vec::new(),
        }
    }

    /// All that `whole` does, which is the `par` loop or the function.
    fn lanes(mut self, whole: LoopId, checks: Built<Checks<'b>>) -> Built<Lanes<'b>> {
        let body = self.body;
        let looped = inner(body.block.parts()).into_iter().any(is_long);
        if !looped && !body.block.any(&mut |expr| called(expr, body).is_some()) {
            return Err(NO_LOOP);
        }
        if body.block.has_items() {
            return Err("there are items in it");
        }
        let checks = checks?;
        let methods = speculation::check(body)?;
        let ends = body.block.any(&mut |expr| match whole {
            FUNCTION => matches!(&expr.kind, ExprKind::Flow { flow: Flow::Return { .. }, .. }),
            whole => jumps_to(expr, whole, false),
        });
        self.masks = usize::from(ends);
        let steps = self.statements(&body.block, whole == FUNCTION)?;
        let Builder { kept, recomputed, integers, calls, .. } = self;
        if !looped && calls.is_empty() {
            return Err(NO_LOOP);
        }
        Ok(Lanes { steps, kept, recomputed, ends, checks, integers, calls, methods, looped })
    }

    fn block(&mut self, block: &'b Block) -> Built<Vec<Step<'b>>> {
        self.statements(block, false)
    }

    /// The statements of a block. The value of one that `returns` is the result of a function.
    fn statements(&mut self, block: &'b Block, returns: bool) -> Built<Vec<Step<'b>>> {
        let mut steps = Vec::new();
        let mut lines = Vec::new();
        for stmt in &block.stmts {
            match stmt {
                Stmt::Let { .. } => self.declaration(stmt, &mut lines, &mut steps)?,
                Stmt::Expr(expr) => self.expr(expr, &mut lines, &mut steps)?,
                Stmt::Declare { .. } => return Err("a variable in it has no value at first"),
                Stmt::Item(_) => return Err("there are items in it"),
            }
        }
        match &block.value {
            Some(value) if returns => self.result(value, &mut lines, &mut steps)?,
            Some(value) => self.expr(value, &mut lines, &mut steps)?,
            None => {}
        }
        self.flush(&mut lines, &mut steps)?;
        Ok(steps)
    }

    fn result(&mut self, value: &'b Expr, lines: &mut Vec<Line<'b>>, steps: &mut Vec<Step<'b>>) -> Built<()> {
        if splits(value) {
            return Err("there are loops or jumps inside of a value");
        }
        self.flush(lines, steps)?;
        self.functions(value, lines, steps)?;
        self.uses(value);
        self.region += 1;
        steps.push(Step::Result(value));
        Ok(())
    }

    /// Functions are called before the region of the line that uses their results.
    fn functions(&mut self, expr: &'b Expr, lines: &mut Vec<Line<'b>>, steps: &mut Vec<Step<'b>>) -> Built<()> {
        if self.loops > 0 || self.masks > 0 {
            return Ok(());
        }
        let mut calls = Vec::new();
        surely_called(expr, self.body, &mut calls);
        for (call, slot, args) in calls {
            self.flush(lines, steps)?;
            args.iter().for_each(|arg| self.uses(arg));
            self.region += 1;
            self.calls.push(slot);
            steps.push(Step::Call { call, slot, args });
        }
        Ok(())
    }

    /// Ends a region.
    fn flush(&mut self, lines: &mut Vec<Line<'b>>, steps: &mut Vec<Step<'b>>) -> Built<()> {
        let lines = std::mem::take(lines);
        if lines.is_empty() {
            return Ok(());
        }
        let speculation = Speculation { classes: &self.classes, masked: self.masks > 0 };
        let total = lines.iter().all(|line| speculation.allows(line));
        if self.loops > 0 && !total {
            return Err("an inner loop does what cannot be done for several iterations at a time");
        }
        self.region += 1;
        steps.push(Step::Region { lines, total });
        Ok(())
    }

    fn declaration(&mut self, stmt: &'b Stmt, lines: &mut Vec<Line<'b>>, steps: &mut Vec<Step<'b>>) -> Built<()> {
        let Stmt::Let { pat, init, otherwise, .. } = stmt else { return Ok(()) };
        if otherwise.is_some() || splits(init) {
            return Err("there are loops or jumps inside of a value");
        }
        if !assigned(Part::Expr(init)).is_empty() {
            return Err("a value assigns to variables");
        }
        let uniform = pat.name().filter(|local| !self.body[*local].mutable);
        if let Some(local) = uniform.filter(|_| self.classes.of(init) == Class::Uniform) {
            self.classes.set(local, Class::Uniform);
            // In front of the region that has begun, of which it uses nothing.
            steps.push(Step::Uniform(stmt));
            return Ok(());
        }
        for local in pat.locals() {
            if self.body[local].kind != LocalKind::Value || self.body[local].space != Space::Own {
                return Err("there are references in it");
            }
        }
        if let Some(local) = uniform {
            let class = self.classes.of(init);
            self.classes.set(local, class);
            if class != Class::Varying && self.can_be_made_anew(init) {
                self.recomputed.insert(local, init);
                return Ok(());
            }
        }
        self.functions(init, lines, steps)?;
        self.windows(init, lines, steps)?;
        // Only now is it known in which region they are.
        self.homes.extend(pat.locals().into_iter().map(|local| (local, (self.region, self.masks))));
        self.uses(init);
        lines.push(Line::Let(stmt));
        Ok(())
    }

    fn expr(&mut self, expr: &'b Expr, lines: &mut Vec<Line<'b>>, steps: &mut Vec<Step<'b>>) -> Built<()> {
        let ExprKind::Flow { flow, .. } = &expr.kind else {
            return self.line(expr, lines, steps);
        };
        let splits = splits(expr);
        let step = match flow {
            Flow::If { cond, then, otherwise } if splits || self.loops > 0 && !self.converts(expr) => {
                self.flush(lines, steps)?;
                self.branches(cond, then, otherwise.as_deref())?
            }
            _ if !splits => return self.line(expr, lines, steps),
            Flow::Block(block) => {
                self.flush(lines, steps)?;
                Step::Scope(self.block(block)?)
            }
            Flow::For { id, var, range, body, .. } => {
                self.flush(lines, steps)?;
                self.own(body, steps);
                self.counted(*id, *var, range, body)?
            }
            Flow::While { id, cond, body, .. } => {
                self.flush(lines, steps)?;
                self.own(body, steps);
                self.round(*id, Some(cond), body)?
            }
            Flow::Loop { id, body, .. } => {
                self.flush(lines, steps)?;
                self.own(body, steps);
                self.round(*id, None, body)?
            }
            Flow::Break { id, value: None, .. } => {
                self.flush(lines, steps)?;
                Step::Jump { to: *id, leaves: true }
            }
            Flow::Continue { id, .. } => {
                self.flush(lines, steps)?;
                Step::Jump { to: *id, leaves: false }
            }
            Flow::Return { value: Some(value), closure: false } => {
                self.result(value, lines, steps)?;
                Step::Jump { to: FUNCTION, leaves: true }
            }
            _ => return Err("loops or jumps in it are not understood"),
        };
        steps.push(step);
        Ok(())
    }

    fn line(&mut self, expr: &'b Expr, lines: &mut Vec<Line<'b>>, steps: &mut Vec<Step<'b>>) -> Built<()> {
        if splits(expr) {
            return Err("there are loops or jumps inside of a value");
        }
        self.functions(expr, lines, steps)?;
        self.windows(expr, lines, steps)?;
        self.uses(expr);
        lines.push(Line::Expr(expr));
        Ok(())
    }

    /// What each lane reads again and again in a loop, of views that nobody writes, is read once before it.
    fn own(&mut self, body: &'b Block, steps: &mut Vec<Step<'b>>) {
        if self.loops > 0 || self.masks > 0 {
            return;
        }
        let (mut reads, inside) = (Vec::new(), declared(Part::Block(body)));
        own_reads(Part::Block(body), &self.classes, &mut reads);
        for (read, index) in reads {
            if mentions(&Line::Expr(index)).iter().any(|local| inside.contains(local)) || !self.is_pure(index) {
                continue;
            }
            self.uses(index);
            self.region += 1;
            self.classes.read_before(read);
            steps.push(Step::Own(read));
        }
    }

    /// Whether an index is made of variables and numbers alone.
    fn is_pure(&self, index: &Expr) -> bool {
        let other =
            |expr: &Expr| matches!(expr.kind, ExprKind::Index { .. } | ExprKind::Call { .. } | ExprKind::Flow { .. });
        !index.any(&mut { other })
    }

    /// Elements that mostly lie side by side are read before the region of the line that uses them.
    fn windows(&mut self, expr: &'b Expr, lines: &mut Vec<Line<'b>>, steps: &mut Vec<Step<'b>>) -> Built<()> {
        let mut near = Vec::new();
        if self.loops > 0 && self.masks == 0 {
            near_reads(expr, &self.classes, &mut near);
        }
        if !near.is_empty() {
            self.flush(lines, steps)?;
        }
        for access in near {
            let ExprKind::Index { index, .. } = &access.kind else { continue };
            let mut sums = Vec::new();
            let mut slots = Vec::new();
            if !self.classes.way(index, &self.recomputed, (&mut sums, &mut slots)) {
                continue;
            }
            self.integers.append(&mut slots);
            self.uses(index);
            self.region += 1;
            steps.push(Step::Window { access, sums });
        }
        Ok(())
    }

    /// Whether a value means the same in every later region.
    fn can_be_made_anew(&self, init: &Expr) -> bool {
        let reads = init.any(&mut |expr| matches!(expr.kind, ExprKind::Index { .. } | ExprKind::Call { .. }));
        // A region begins with what it makes anew, so that nothing of the region itself is there yet.
        let is_there = |local| self.homes.get(&local).is_none_or(|(region, _)| *region != self.region);
        !reads && mentions(&Line::Expr(init)).into_iter().all(|local| is_there(local) && self.depth(local) < DEPTH)
    }

    /// How many variables must be made anew for this one, at most one behind the other.
    fn depth(&self, local: LocalId) -> usize {
        let of = |init: &&Expr| {
            1 + mentions(&Line::Expr(init)).into_iter().map(|local| self.depth(local)).max().unwrap_or(0)
        };
        self.recomputed.get(&local).map_or(0, of)
    }

    /// Whether both sides of an `if` can be computed, and the right values chosen.
    fn converts(&self, expr: &Expr) -> bool {
        Speculation { classes: &self.classes, masked: true }.converts(expr)
    }

    fn branches(&mut self, cond: &'b Expr, then: &'b Block, otherwise: Option<&'b Expr>) -> Built<Step<'b>> {
        let test = self.test(cond, false)?;
        let uniform = matches!(test, Test::Uniform);
        self.masks += usize::from(!uniform);
        let then = self.block(then)?;
        let otherwise = match otherwise {
            None => None,
            Some(Expr { kind: ExprKind::Flow { flow: Flow::Block(block), .. }, .. }) => Some(self.block(block)?),
            Some(other) => {
                let (mut lines, mut steps) = (Vec::new(), Vec::new());
                self.expr(other, &mut lines, &mut steps)?;
                self.flush(&mut lines, &mut steps)?;
                Some(steps)
            }
        };
        self.masks -= usize::from(!uniform);
        Ok(Step::If { cond, test, then, otherwise })
    }

    /// A condition, which is a region of its own: what it is for the lanes. That of a loop is asked lane by lane.
    fn test(&mut self, cond: &Expr, of_loop: bool) -> Built<Test> {
        self.uses(cond);
        self.region += 1;
        if !assigned(Part::Expr(cond)).is_empty() || splits(cond) {
            return Err("a condition does more than to compare");
        }
        let masked = self.masks > 0;
        let total = Speculation { classes: &self.classes, masked }.allows(&Line::Expr(cond));
        match total {
            _ if !of_loop && self.classes.of(cond) == Class::Uniform => Ok(Test::Uniform),
            true => Ok(Test::Total),
            false if self.loops == 0 => Ok(Test::Partial),
            false => Err("a condition of a loop reads elements that do not lie side by side, or divides"),
        }
    }

    fn counted(&mut self, id: LoopId, var: LocalId, range: &'b LoopRange, body: &'b Block) -> Built<Step<'b>> {
        let operands = range.operands();
        operands.iter().for_each(|operand| self.uses(operand));
        let uniform = operands.iter().all(|operand| self.classes.of(operand) == Class::Uniform);
        // Another step may be 0.
        let literal = |step: &Expr| matches!(&step.kind, ExprKind::Int { digits, .. } if digits != "0");
        let steps = range.adaptors.iter().all(|adaptor| match adaptor {
            Adaptor::StepBy { step, .. } => literal(step),
            Adaptor::Rev => true,
        });
        if self.body[var].mutable {
            return Err("the variable of an inner loop changes");
        }
        if !uniform && !range.inclusive && range.adaptors.is_empty() {
            return self.ranged(id, var, range, body);
        }
        if !uniform || !steps {
            return Err("the ends of an inner loop differ between iterations");
        }
        self.classes.set(var, Class::Uniform);
        let left = Left { early: jumps_out(body), rounds: body.any(&mut |expr| jumps_to(expr, id, false)) };
        let body = self.inside(left, body)?;
        Ok(Step::Counted { id, left, var, range, body })
    }

    /// A loop whose ends differ: each lane leaves it at its own.
    fn ranged(&mut self, id: LoopId, var: LocalId, range: &'b LoopRange, body: &'b Block) -> Built<Step<'b>> {
        let speculation = Speculation { classes: &self.classes, masked: self.masks > 0 };
        let ends = [&range.start, &range.end];
        let total = ends.iter().all(|end| speculation.allows(&Line::Expr(end)));
        if (self.masks > 0 || self.loops > 0) && !total || ends.iter().any(|end| splits(end)) {
            return Err("the ends of an inner loop differ between iterations");
        }
        self.region += 1;
        self.kept.insert(var, 0);
        let left = Left { early: true, rounds: body.any(&mut |expr| jumps_to(expr, id, false)) };
        let body = self.inside(left, body)?;
        Ok(Step::Ranged { id, left, var, range, body })
    }

    fn round(&mut self, id: LoopId, cond: Option<&'b Expr>, body: &'b Block) -> Built<Step<'b>> {
        // It is asked in each round, so it belongs to the loop.
        self.loops += 1;
        self.masks += 1;
        let asked = cond.map(|cond| self.test(cond, true)).transpose();
        self.masks -= 1;
        self.loops -= 1;
        asked?;
        let left = Left { early: true, rounds: body.any(&mut |expr| jumps_to(expr, id, false)) };
        let body = self.inside(left, body)?;
        Ok(Step::While { id, left, cond, body })
    }

    fn inside(&mut self, left: Left, body: &'b Block) -> Built<Vec<Step<'b>>> {
        let around = self.masks;
        self.loops += 1;
        self.masks += usize::from(left.early) + usize::from(left.early && left.rounds);
        let steps = self.block(body);
        self.masks = around;
        self.loops -= 1;
        steps
    }

    /// Variables of another region live longer than that.
    fn uses(&mut self, expr: &Expr) {
        for local in mentions(&Line::Expr(expr)) {
            if let Some(init) = self.recomputed.get(&local).copied() {
                self.uses(init);
            }
            if let Some((region, masks)) = self.homes.get(&local)
                && *region != self.region
            {
                self.kept.insert(local, *masks);
            }
        }
    }
}

/// The accesses to elements that lie side by side, or to fields of them, of slices that the loop does not write; with their indexes.
fn own_reads<'b>(part: Part<'b>, classes: &Classes<'_>, all: &mut Vec<(&'b Expr, &'b Expr)>) {
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
fn called<'b>(call: &'b Expr, body: &Body) -> Option<(SlotId, Vec<&'b Expr>)> {
    let (slot, args): (_, Vec<&Expr>) = match &call.kind {
        ExprKind::Call { args, slot, of: Of::Module { .. }, .. } => (*slot, args.iter().collect()),
        ExprKind::Resolved { known: None, receiver, args, slot, .. } => {
            (*slot, std::iter::once(&**receiver).chain(args).collect())
        }
        _ => return None,
    };
    let no_value = |expr: &Expr| match &expr.kind {
        ExprKind::Local(local) => body[*local].kind != LocalKind::Value,
        ExprKind::Flow { .. } | ExprKind::Reference { .. } | ExprKind::View { .. } | ExprKind::Closure { .. } => true,
        _ => false,
    };
    let values = args.iter().all(|arg| !arg.any(&mut { no_value }) && assigned(Part::Expr(arg)).is_empty());
    values.then_some((slot, args))
}

/// The calls that surely happen in an expression, before anything in it changes, in their order.
fn surely_called<'b>(expr: &'b Expr, body: &Body, calls: &mut Vec<(&'b Expr, SlotId, Vec<&'b Expr>)>) {
    let parts: Vec<&Expr> = match &expr.kind {
        ExprKind::Assign { place, value } | ExprKind::AssignOp { place, value, .. } => vec![place, value],
        ExprKind::Flow { flow: Flow::Match { scrutinee, .. }, .. } => vec![scrutinee],
        ExprKind::Flow { flow: Flow::If { cond, .. }, .. } => vec![cond],
        ExprKind::Flow { .. } => return,
        ExprKind::Logic { lhs, .. } => vec![lhs],
        _ => inner(expr.parts()),
    };
    if parts.iter().all(|part| assigned(Part::Expr(part)).is_empty()) {
        parts.into_iter().for_each(|part| surely_called(part, body, calls));
        calls.extend(called(expr, body).map(|(slot, args)| (expr, slot, args)));
    }
}

/// The accesses to elements that mostly lie side by side, of views that the loop does not write. They happen, or else the line could not be done
/// for several lanes at a time.
fn near_reads<'b>(expr: &'b Expr, classes: &Classes<'_>, all: &mut Vec<&'b Expr>) {
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

/// Whether a lane may leave a loop, or one around it, or a round of these, before the others do.
fn jumps_out(body: &Block) -> bool {
    body.any(&mut |expr| expr.is_jump())
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
