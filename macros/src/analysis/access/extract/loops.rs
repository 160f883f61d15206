//! Inner loops.

use super::super::conditions::Holds;
use super::super::{Form, InnerLoop, Step, Values};
use super::Extractor;
use super::running::Running;
use crate::analysis::jumps::leaves;
use crate::ir::{Adaptor, Block, LocalId, LoopRange};

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
        // `.rev().step_by(k)` visits others than `.step_by(k)`: then nothing is known of the distances.
        let reversed = matches!(adaptors.as_slice(), [Adaptor::Rev, _, ..]);
        let step = match steps.as_slice() {
            [Some(step)] if !reversed => Some(step.clone()),
            _ => None,
        };
        let skips = steps.len() > usize::from(step.is_some());
        let sometimes = usize::from(leaves(body) || skips);
        self.sometimes += sometimes;
        // Which trips there are, no condition tells.
        let lost = self.lost;
        self.lost |= sometimes > 0;
        match (start, end) {
            (Some(start), Some(end)) => {
                let atom = self.fresh();
                let limited = self.is_limited(&end);
                if limited {
                    self.limited.insert(atom);
                }
                let last = if inclusive { Some(end.clone()) } else { end.sub(&Form::constant(1)) };
                let plain = start.casts.is_empty() && end.casts.is_empty();
                let (first, past) = (Some(start.clone()), Some(end.clone()));
                let values = Values { first, last, end: past, step: step.clone(), plain };
                self.loops.push(InnerLoop { atom, values });
                if !self.body[var].mutable {
                    self.locals.insert(var, Form::atom(atom));
                    self.counters.insert(var);
                    if limited {
                        self.facts.plain.insert(var);
                    }
                }
                let ty = self.body[var].slot;
                let counts_up = adaptors.is_empty();
                let induced = if counts_up { self.induced(body, atom, &start, ty) } else { Running::new() };
                self.forget(body);
                self.locals.extend(induced);
                let outer = std::mem::take(&mut self.steps);
                self.block(body);
                self.forget(body);
                let body_steps = std::mem::replace(&mut self.steps, outer);
                self.loops.pop();
                let plain = adaptors.is_empty() && !inclusive && !self.body[var].mutable;
                let limited = limited && self.is_limited(&start);
                let narrow = plain && limited && self.facts.indexing.contains(&var);
                if narrow {
                    self.facts.counted.insert(var);
                }
                self.steps.push(Step::For { atom, start, end, inclusive, step, ty: ty.0, narrow, body: body_steps });
            }
            _ => {
                self.forget(body);
                self.branch(Holds::default(), false, |this| {
                    this.bind(var, None);
                    this.block(body);
                });
            }
        }
        self.sometimes -= sometimes;
        self.lost = lost;
        self.leave(leaves(body));
    }
}
