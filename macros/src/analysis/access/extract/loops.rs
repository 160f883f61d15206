//! Inner loops.

use super::super::leaves::leaves;
use super::super::{Atom, Form, InnerLoop, Interval, Step};
use super::Walk;
use crate::ir::{Adaptor, Block, LocalId};

impl<'b> Walk<'b> {
    #[allow(clippy::too_many_arguments)] // what a `for` is made of
    pub(super) fn inner(
        &mut self,
        var: LocalId,
        start: Option<Form>,
        end: Option<Form>,
        inclusive: bool,
        adaptors: &[Adaptor],
        steps: Vec<Option<Form>>,
        body: &'b Block,
    ) {
        // `.rev().step_by(k)` visits others than `.step_by(k)`: then nothing is known of the distances.
        let reversed = matches!(adaptors, [Adaptor::Rev, _, ..]);
        let step = match steps.as_slice() {
            [Some(step)] if !reversed => Some(step.clone()),
            _ => None,
        };
        let skips = steps.len() > usize::from(step.is_some());
        let sometimes = usize::from(leaves(body) || skips);
        self.sometimes += sometimes;
        match (start, end) {
            (Some(start), Some(end)) => {
                let atom = self.fresh();
                let last = if inclusive { Some(end.clone()) } else { end.sub(&Form::constant(1)) };
                let plain = start.casts.is_empty() && end.casts.is_empty();
                let values = Interval { first: Some(start.clone()), last, end: Some(end.clone()), step: None, plain };
                self.loops.push(InnerLoop { atom, values });
                if !self.body[var].mutable {
                    self.locals.insert(var, Form::atom(Atom::Other(atom)));
                    self.counters.insert(var);
                    self.facts.plain.insert(var);
                }
                let outer = std::mem::take(&mut self.steps);
                self.block(body);
                let body_steps = std::mem::replace(&mut self.steps, outer);
                self.loops.pop();
                let ty = self.body[var].slot;
                let plain = adaptors.is_empty() && !inclusive && !self.body[var].mutable;
                let narrow = plain && self.facts.indexing.contains(&var);
                if narrow {
                    self.facts.counted.insert(var);
                }
                self.steps.push(Step::For { atom, start, end, inclusive, step, ty, narrow, body: body_steps });
            }
            _ => self.branch(Vec::new(), false, |this| {
                this.bind(var, None);
                this.block(body);
            }),
        }
        self.sometimes -= sometimes;
        self.left |= leaves(body);
    }
}
