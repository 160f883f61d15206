//! Control flow.

use super::super::conditions::Holds;
use super::super::{Form, Step};
use super::Extractor;
use crate::analysis::jumps::{leaves, may_leave};
use crate::ir::{Block, Expr, Flow, SlotId};

impl<'b> Extractor<'b> {
    /// Walks control flow; its value, if something is known about it and it is a number.
    pub(super) fn flow(&mut self, flow: &'b Flow) -> Option<Form> {
        match flow {
            Flow::If { cond, then, otherwise, slot } => self.choice(cond, then, otherwise.as_deref(), *slot),
            Flow::Block(block) => self.block(block),
            Flow::Labelled { body, .. } => {
                // Whatever leaves it does so before its end.
                let left = self.left;
                self.leave(leaves(body));
                self.block(body);
                self.left |= left;
                None
            }
            Flow::For { range, var, body, .. } => {
                self.inner(*var, range, body);
                None
            }
            Flow::While { cond, body, .. } => {
                let truth = self.branch(Holds::default(), false, |this| this.truth(cond));
                self.branch(truth.holds, false, |this| this.block(body));
                self.leave(leaves(body));
                None
            }
            Flow::Match { scrutinee, arms, .. } => {
                self.expr(scrutinee);
                for arm in arms {
                    self.branch(Holds::default(), false, |this| {
                        arm.pat.locals().into_iter().for_each(|local| this.bind(local, None));
                        let truth = arm.guard.as_ref().map(|guard| this.truth(guard)).unwrap_or_default();
                        this.branch(truth.holds, false, |this| this.expr(&arm.body));
                    });
                    self.leave(may_leave(&arm.body));
                }
                None
            }
            Flow::WhileLet { pat, scrutinee, body, .. } | Flow::ForEach { pat, array: scrutinee, body, .. } => {
                self.branch(Holds::default(), false, |this| {
                    this.expr(scrutinee);
                    pat.locals().into_iter().for_each(|local| this.bind(local, None));
                    this.block(body);
                });
                self.leave(leaves(body));
                None
            }
            Flow::Loop { body, .. } => {
                self.branch(Holds::default(), false, |this| this.block(body));
                self.leave(leaves(body));
                None
            }
            Flow::Break { .. } | Flow::Continue { .. } | Flow::Return(_) => {
                self.parts(flow.parts());
                self.leave(true);
                None
            }
            Flow::Unsafe(block) => {
                self.unsafe_depth += 1;
                let value = self.block(block);
                self.unsafe_depth -= 1;
                value
            }
        }
    }

    fn choice(
        &mut self,
        cond: &'b Expr,
        then: &'b Block,
        otherwise: Option<&'b Expr>,
        slot: Option<SlotId>,
    ) -> Option<Form> {
        let truth = self.truth(cond);
        let joined = slot.filter(|_| otherwise.is_some()).map(|ty| (self.fresh(), ty));
        if let Some((atom, _)) = joined {
            self.steps.push(Step::Declare { atom });
        }
        let (mut known, mut limited) = (joined.is_some(), true);
        let mut way = |this: &mut Self, holds, inside: &mut dyn FnMut(&mut Self) -> Option<Form>| {
            this.branch(holds, false, |this| match (inside(this), joined) {
                (Some(value), Some((atom, ty))) => {
                    limited &= this.is_limited(&value);
                    this.steps.push(Step::Join { atom, value, ty: ty.0 });
                }
                _ => known = false,
            });
        };
        way(self, truth.holds, &mut |this| this.block(then));
        if let Some(otherwise) = otherwise {
            way(self, truth.fails, &mut |this| this.expr(otherwise));
        }
        self.leave(leaves(then) || otherwise.is_some_and(may_leave));
        if limited {
            self.limited.extend(joined.map(|(atom, _)| atom));
        }
        joined.filter(|_| known).map(|(atom, _)| Form::atom(atom))
    }
}
