//! How the body of a loop or of a function is split into steps.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::classes::{Class, Classes};
use super::reads::{called, near_reads, own_reads, surely_called};
use super::speculation::{self, Speculation};
use super::{
    Built, Checks, FUNCTION, Lanes, Left, Line, NO_LOOP, Step, Test, WHOLE, declared, inner, is_function, is_long,
    is_short, jumps_to, mentions, splits,
};
use crate::ir::{
    Adaptor, Block, Body, ElementOf, Expr, ExprKind, Flow, LocalId, LocalKind, LoopId, LoopRange, Part, SlotId, Space,
    Stmt,
};

/// So many variables that are made of each other are made anew.
const DEPTH: usize = 4;
pub(super) struct Builder<'b> {
    body: &'b Body,
    /// What `whole` does, which is a `par` loop, a phase or a function.
    block: &'b Block,
    whole: LoopId,
    slots: Range<usize>,
    /// The variables of short loops.
    short: BTreeSet<LocalId>,
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

impl<'b> Builder<'b> {
    pub(super) fn new(body: &'b Body, block: &'b Block, whole: LoopId, mut classes: Classes<'b>) -> Self {
        let mut short = BTreeSet::new();
        block.any(&mut |expr| {
            if let ExprKind::Flow { flow: Flow::For { var, range, body: inside, .. }, .. } = &expr.kind
                && is_short(range, inside)
                && !body[*var].mutable
            {
                short.insert(*var);
                classes.set(*var, Class::Uniform);
            }
            false
        });
        Self {
            body,
            block,
            whole,
            slots: 0..body.slots.len(),
            short,
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

    /// Limits the slots to some.
    pub(super) fn within(mut self, slots: &Range<usize>) -> Self {
        self.slots = slots.clone();
        self
    }

    /// Adds variables of the lanes that have values at first.
    pub(super) fn with(mut self, variables: impl Iterator<Item = LocalId>) -> Self {
        self.homes.extend(variables.map(|variable| (variable, (usize::MAX, 0))));
        self
    }

    /// All that lanes do.
    pub(super) fn lanes(mut self, checks: Built<Checks<'b>>) -> Built<Lanes<'b>> {
        let Self { body, block, whole, .. } = self;
        let looped = inner(block.parts()).into_iter().any(is_long);
        if !looped && !block.any(&mut |expr| called(expr, body).is_some()) {
            return Err(NO_LOOP);
        }
        if block.has_items() {
            return Err("there are items in it");
        }
        let checks = checks?;
        let methods = speculation::check(body, block)?;
        let ends = block.any(&mut |expr| match whole {
            FUNCTION => matches!(&expr.kind, ExprKind::Flow { flow: Flow::Return { .. }, .. }),
            whole => jumps_to(expr, whole, false),
        });
        self.masks = usize::from(ends);
        let steps = self.statements(block, whole == FUNCTION)?;
        let Builder { slots, kept, recomputed, integers, calls, .. } = self;
        if !looped && calls.is_empty() {
            return Err(NO_LOOP);
        }
        Ok(Lanes { whole, slots, steps, kept, recomputed, ends, checks, integers, calls, methods, looped })
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
        if self.loops > 0 && lines.iter().any(|line| self.searches(line)) {
            return Err("an inner loop uses elements of a variable by a number that changes");
        }
        self.region += 1;
        steps.push(Step::Region { lines, total });
        Ok(())
    }

    /// Whether a line uses an element of an array of the lane, which the compiler does not know. A
    /// region would take the whole array from all lanes, and give it back.
    fn searches(&self, line: &Line<'_>) -> bool {
        let mut found = |expr: &Expr| match &expr.kind {
            ExprKind::Element { base, index, of: ElementOf::Value(_), .. } => {
                let of_lane = base.root().is_some_and(|local| self.homes.contains_key(&local));
                let changes = |expr: &Expr| match expr.kind {
                    ExprKind::Local(local) => !self.short.contains(&local),
                    ExprKind::Int { .. } | ExprKind::Constant { .. } | ExprKind::Binary { .. } => false,
                    _ => true,
                };
                of_lane && index.any(&mut { changes })
            }
            _ => false,
        };
        match line {
            Line::Let(Stmt::Let { init, .. }) => init.any(&mut found),
            Line::Let(_) => false,
            Line::Expr(expr) => expr.any(&mut found),
        }
    }

    fn declaration(&mut self, stmt: &'b Stmt, lines: &mut Vec<Line<'b>>, steps: &mut Vec<Step<'b>>) -> Built<()> {
        let Stmt::Let { pat, init, otherwise, .. } = stmt else { return Ok(()) };
        if otherwise.is_some() || splits(init) {
            return Err("there are loops or jumps inside of a value");
        }
        if !Part::Expr(init).assigned().is_empty() {
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
            if class != Class::Varying && self.can_be_made_anew(init) {
                self.classes.set(local, class);
                self.recomputed.insert(local, init);
                return Ok(());
            }
            // Lanes that take no part have no such value.
            self.classes.set(local, if self.masks > 0 { Class::Varying } else { class });
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

    /// What each lane reads again and again in a loop, of views that nobody writes, is read once
    /// before it.
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
            |expr: &Expr| is_function(expr) || matches!(expr.kind, ExprKind::Index { .. } | ExprKind::Flow { .. });
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
        let reads = init.any(&mut |expr| is_function(expr) || matches!(expr.kind, ExprKind::Index { .. }));
        // A region begins with what it makes anew, so that nothing of the region itself is there
        // yet.
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

    /// A condition, which is a region of its own: what it is for the lanes. That of a loop is asked
    /// lane by lane.
    fn test(&mut self, cond: &Expr, of_loop: bool) -> Built<Test> {
        self.uses(cond);
        self.region += 1;
        if !Part::Expr(cond).assigned().is_empty() || splits(cond) {
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
        // A lane that has left such a loop goes on counting, and elements of a block's arrays are
        // known to be there only for numbers of the range.
        let counts_on = matches!(self.whole, FUNCTION | WHOLE);
        if !uniform && !range.inclusive && range.adaptors.is_empty() && counts_on {
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

/// Whether a lane may leave a loop, or one around it, or a round of these, before the others do.
fn jumps_out(body: &Block) -> bool {
    body.any(&mut |expr| expr.is_jump())
}
