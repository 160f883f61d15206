//! Control flow.

use super::super::conditions::Holds;
use super::super::{Form, Step};
use super::Extractor;
use crate::ir::jumps::{leaves, may_leave};
use crate::ir::{Arm, Block, Expr, Head, Shape, SlotId};

impl<'b> Extractor<'b> {
    /// Walks control flow; its value, if something is known about it and it is a number.
    pub(super) fn flow(&mut self, shape: Shape<'b>, slot: Option<SlotId>) -> Option<Form> {
        match shape {
            Shape::Straight { body, answered } => {
                self.here.unsafe_depth += usize::from(answered);
                let value = self.block(body);
                self.here.unsafe_depth -= usize::from(answered);
                return value;
            }
            Shape::If { cond, then, otherwise } => return self.choice(cond, then, otherwise, slot),
            // It is walked as a whole: see `phases`.
            Shape::Phase(body) => return self.block(body),
            Shape::Labelled(body) => {
                // Whatever leaves it does so before its end.
                let left = self.here.left;
                self.leave(leaves(body));
                self.block(body);
                self.forget(body);
                self.here.left |= left;
            }
            Shape::Match { scrutinee, arms } => self.arms(scrutinee, arms),
            Shape::Counted { var, range, body } => self.inner(var, range, body),
            Shape::Round { head, body, ends } => self.round(head, body, ends),
            Shape::Question(asked) => {
                self.expr(asked);
                self.leave(true);
            }
            Shape::Jump(_) => {
                self.parts(shape.parts());
                self.leave(true);
            }
        }
        None
    }

    fn arms(&mut self, scrutinee: &'b Expr, arms: &'b [Arm]) {
        self.expr(scrutinee);
        for arm in arms {
            self.branch(Holds::default(), false, |this| {
                arm.pat.locals().into_iter().for_each(|local| this.bind(local, None));
                let truth = arm.guard.as_ref().map(|guard| this.truth(guard)).unwrap_or_default();
                this.branch(truth.holds, false, |this| this.expr(&arm.body));
            });
            self.leave(may_leave(&arm.body));
        }
    }

    /// A loop that may make any number of rounds, also none.
    fn round(&mut self, head: Head<'b>, body: &'b Block, of_elements: bool) {
        if let Head::Test(cond) = head
            && self.steps_on(cond, body)
        {
            return;
        }
        self.forget(body);
        let holds = match head {
            Head::Test(cond) => self.branch(Holds::default(), false, |this| this.truth(cond)).holds,
            Head::Empty | Head::Bind(..) => Holds::default(),
        };
        self.branch(holds, false, |this| {
            if let Head::Bind(pat, value) = head {
                this.expr(value);
                if let Some(table) = this.portion(value).filter(|_| of_elements) {
                    this.follow(pat, &table.of_any());
                }
                this.bind_all(pat);
            }
            this.block(body);
        });
        self.forget(body);
        self.leave(leaves(body));
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
            self.here.steps.push(Step::Declare { atom });
        }
        let (mut known, mut limited) = (joined.is_some(), true);
        let mut way = |this: &mut Self, holds, inside: &mut dyn FnMut(&mut Self) -> Option<Form>| {
            this.branch(holds, false, |this| match (inside(this), joined) {
                (Some(value), Some((atom, ty))) => {
                    limited &= this.is_limited(&value);
                    this.here.steps.push(Step::Join { atom, value, ty: ty.0 });
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
            self.here.limited.extend(joined.map(|(atom, _)| atom));
        }
        joined.filter(|_| known).map(|(atom, _)| Form::atom(atom))
    }
}
