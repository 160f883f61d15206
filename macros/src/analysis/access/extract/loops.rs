//! Inner loops.

use super::super::conditions::Holds;
use super::super::{Atom, Form, InnerLoop, Step, Values};
use super::Extractor;
use super::running::Running;
use crate::ir::jumps::leaves;
use crate::ir::{Adaptor, Block, CompareOp, Expr, ExprKind, LocalId, LoopRange, SlotId};

/// The rounds of a loop whose variable goes from a form to another.
struct Counted {
    start: Form,
    end: Form,
    inclusive: bool,
    step: Option<Form>,
    wraps: bool,
}

impl<'b> Extractor<'b> {
    pub(super) fn inner(&mut self, var: LocalId, range: &'b LoopRange, body: &'b Block) {
        let LoopRange { start, end, inclusive, adaptors } = range;
        let (start, end, inclusive) = (self.expr(start), self.expr(end), *inclusive);
        let mut steps = Vec::new();
        for adaptor in adaptors {
            if let Adaptor::StepBy { step, .. } = adaptor {
                steps.push(self.expr(step));
            }
        }
        // `.rev().step_by(k)` visits others than `.step_by(k)`: then nothing is known of the
        // distances.
        let reversed = matches!(adaptors.as_slice(), [Adaptor::Rev, _, ..]);
        let step = match steps.as_slice() {
            [Some(step)] if !reversed => Some(step.clone()),
            _ => None,
        };
        let skips = steps.len() > usize::from(step.is_some());
        let before = self.maybe(leaves(body) || skips);
        match (start, end) {
            (Some(start), Some(end)) => {
                let (ty, mutable) = (self.body[var].slot, self.body[var].mutable);
                let limits = self.is_limited(&start) && self.is_limited(&end);
                let rounds = Counted { start, end, inclusive, step, wraps: false };
                let (atom, steps) = self.rounds(&rounds, body, |this, atom| {
                    if !mutable {
                        this.known.locals.insert(var, Form::atom(atom));
                        this.known.counters.insert(var);
                        if this.is_limited(&rounds.end) {
                            this.facts.info.plain.insert(var);
                        }
                    }
                    let counts_up = adaptors.is_empty();
                    let induced = if counts_up { this.induced(body, atom, &rounds.start, ty) } else { Running::new() };
                    this.forget(body);
                    this.known.locals.extend(induced);
                });
                let plain = adaptors.is_empty() && !inclusive && !mutable;
                let narrow = plain && limits && self.facts.info.indexing.contains(&var);
                if narrow {
                    self.facts.info.counted.insert(var);
                }
                let Counted { start, end, inclusive, step, wraps } = rounds;
                self.here.steps.push(Step::For {
                    atom,
                    start,
                    end,
                    inclusive,
                    step,
                    ty: ty.0,
                    narrow,
                    wraps,
                    body: steps,
                });
            }
            _ => {
                self.forget(body);
                self.branch(Holds::default(), false, |this| {
                    this.bind(var, None);
                    this.block(body);
                });
            }
        }
        (self.here.sometimes, self.here.lost) = before;
        self.leave(leaves(body));
    }

    /// `while k < n { …; k += step; }`, where nothing else changes `k`, and no round changes `n` or
    /// the step. `false`: it is another loop.
    pub(super) fn steps_on(&mut self, cond: &'b Expr, body: &'b Block) -> bool {
        let Some(Below { var, inclusive, end, slot }) = below(cond) else { return false };
        let Some((start, step)) = self.known.locals.get(&var).cloned().zip(self.step_of(var, body)) else {
            return false;
        };
        let Some(end) = self.fixed(end) else { return false };
        let before = self.maybe(leaves(body));
        // It says nothing of `var` unless integers are compared.
        let ty = slot.0;
        let rounds = Counted { start, end, inclusive, step: Some(step), wraps: true };
        let (atom, steps) = self.rounds(&rounds, body, |this, atom| {
            this.forget(body);
            this.known.locals.insert(var, Form::atom(atom));
        });
        let Counted { start, end, inclusive, step, wraps } = rounds;
        self.here.steps.push(Step::For { atom, start, end, inclusive, step, ty, narrow: false, wraps, body: steps });
        (self.here.sometimes, self.here.lost) = before;
        self.leave(leaves(body));
        true
    }

    /// The rounds of a loop of which some may be left out: then no condition tells which ones there
    /// are. What was before.
    fn maybe(&mut self, some: bool) -> (usize, bool) {
        let before = (self.here.sometimes, self.here.lost);
        self.here.sometimes += usize::from(some);
        self.here.lost |= some;
        before
    }

    fn rounds(
        &mut self,
        Counted { start, end, inclusive, step, wraps }: &Counted,
        body: &'b Block,
        begin: impl FnOnce(&mut Self, Atom),
    ) -> (Atom, Vec<Step>) {
        let atom = self.fresh();
        if self.is_limited(end) {
            self.here.limited.insert(atom);
        }
        let last = if *inclusive { Some(end.clone()) } else { end.sub(&Form::constant(1)) };
        let plain = !wraps && start.casts.is_empty() && end.casts.is_empty();
        let (first, past) = (Some(start.clone()), Some(end.clone()));
        let values = Values { first, last, end: past, step: step.clone(), plain };
        self.here.loops.push(InnerLoop { atom, values });
        begin(self, atom);
        let outer = std::mem::take(&mut self.here.steps);
        self.block(body);
        self.forget(body);
        self.here.loops.pop();
        (atom, std::mem::replace(&mut self.here.steps, outer))
    }
}

/// `var < end`, or `var <= end`.
struct Below<'b> {
    var: LocalId,
    inclusive: bool,
    end: &'b Expr,
    /// Of the comparison.
    slot: SlotId,
}

/// `k < n`, `k <= n`, or the other way round.
fn below(cond: &Expr) -> Option<Below<'_>> {
    let ExprKind::Compare { op, lhs, rhs, slot } = &cond.kind else { return None };
    let (low, end, inclusive) = match op {
        CompareOp::Lt => (lhs, rhs, false),
        CompareOp::Le => (lhs, rhs, true),
        CompareOp::Gt => (rhs, lhs, false),
        CompareOp::Ge => (rhs, lhs, true),
        CompareOp::Eq | CompareOp::Ne => return None,
    };
    match low.kind {
        ExprKind::Local(var) => Some(Below { var, inclusive, end, slot: *slot }),
        _ => None,
    }
}
