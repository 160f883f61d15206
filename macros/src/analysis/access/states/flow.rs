//! Branches, loops and jumps.

use std::collections::{BTreeMap, BTreeSet};

use super::values::{State, Value};
use super::walk::{Paths, Ran, Walk, distinct, forget};
use crate::ir::{Adaptor, Arm, Block, Expr, Flow, Head, LocalId, LoopId, LoopRange, Part, Shape};

/// The states in which control jumps, by where to.
#[derive(Default)]
pub(super) struct Jumps {
    breaks: BTreeMap<LoopId, Vec<State>>,
    continues: BTreeMap<LoopId, Vec<State>>,
}

impl<'b> Walk<'b> {
    pub(super) fn flow(&mut self, expr: &'b Expr, flow: &'b Flow, state: State) -> Ran<Paths> {
        let id = flow.id().unwrap_or(LoopId(0));
        let states = match flow.shape() {
            Shape::Straight { body, answered } => {
                self.answered += usize::from(answered);
                let paths = self.block(body, state);
                self.answered -= usize::from(answered);
                return paths;
            }
            Shape::Phase(body) => match flow {
                Flow::Phase { phase, .. } => self.phase(expr, phase, body, state)?,
                _ => vec![state],
            },
            Shape::Labelled(body) => {
                let mut states = states(self.block(body, state)?);
                states.extend(self.jumps.breaks.remove(&id).unwrap_or_default());
                states
            }
            Shape::If { cond, then, otherwise } => return self.branch(cond, then, otherwise, state),
            Shape::Match { scrutinee, arms } => return self.arms(scrutinee, arms, state),
            Shape::Counted { var, range, body } => self.counted(id, var, range, body, state)?,
            Shape::Round { head, body, ends: _ } => self.rounds(id, head, body, state, None)?,
            Shape::Jump(value) => {
                let states = match value {
                    Some(value) => states(self.expr(value, state)?),
                    None => vec![state],
                };
                match flow {
                    Flow::Break { id, .. } => self.jumps.breaks.entry(*id).or_default().extend(states),
                    Flow::Continue { id, .. } => self.jumps.continues.entry(*id).or_default().extend(states),
                    _ => {}
                }
                Vec::new()
            }
            Shape::Question(value) => states(self.expr(value, state)?).into_iter().map(State::unsure).collect(),
        };
        Ok(distinct(states).into_iter().map(|state| (state, None)).collect())
    }

    fn branch(&mut self, cond: &'b Expr, then: &'b Block, otherwise: Option<&'b Expr>, state: State) -> Ran<Paths> {
        let mut paths = Vec::new();
        for (state, cond) in self.expr(cond, state)? {
            let (state, ways) = match cond {
                Some(Value::Bool(cond)) => (state, [cond, !cond]),
                _ => (state.unsure(), [true, true]),
            };
            if ways[0] {
                paths.extend(self.block(then, state.clone())?);
            }
            match otherwise.filter(|_| ways[1]) {
                Some(otherwise) => paths.extend(self.expr(otherwise, state)?),
                None if ways[1] => paths.push((state, None)),
                None => {}
            }
        }
        Ok(distinct(paths))
    }

    /// Any arm may be the one that matches.
    fn arms(&mut self, scrutinee: &'b Expr, arms: &'b [Arm], state: State) -> Ran<Paths> {
        let mut paths = Vec::new();
        let mut heads = states(self.expr(scrutinee, state)?);
        for arm in arms {
            let locals = arm.pat.locals();
            let mut next = Vec::new();
            for head in heads {
                let mut inside = head.clone().unsure();
                forget(&mut inside, &locals);
                let guarded = match &arm.guard {
                    Some(guard) => states(self.expr(guard, inside)?),
                    None => vec![inside],
                };
                next.push(head);
                for state in guarded {
                    next.push(state.clone());
                    paths.extend(self.expr(&arm.body, state)?);
                }
            }
            heads = distinct(next);
        }
        paths.iter_mut().for_each(|(state, _)| arms.iter().for_each(|arm| forget(state, &arm.pat.locals())));
        Ok(distinct(paths))
    }

    fn counted(
        &mut self,
        id: LoopId,
        var: LocalId,
        range: &'b LoopRange,
        body: &'b Block,
        state: State,
    ) -> Ran<Vec<State>> {
        let mut after = Vec::new();
        for (state, operands) in self.operands(&range.operands(), state)? {
            let Some(values) = self.values(range, &operands)? else {
                after.extend(self.rounds(id, Head::Empty, body, state.unsure(), Some(var))?);
                continue;
            };
            let mut states = vec![state];
            for value in values {
                let mut next = Vec::new();
                for mut state in states {
                    self.step()?;
                    self.set(&mut state, var, Some(Value::Int(value)));
                    next.extend(self::states(self.block(body, state)?));
                }
                next.extend(self.jumps.continues.remove(&id).unwrap_or_default());
                next.iter_mut().for_each(|state| forget(state, [&var]));
                states = distinct(next);
            }
            after.extend(states);
            after.extend(self.jumps.breaks.remove(&id).unwrap_or_default());
        }
        after.iter_mut().for_each(|state| forget(state, [&var]));
        Ok(after)
    }

    /// The values of a range whose ends and steps are these.
    fn values(&mut self, range: &LoopRange, operands: &[Option<Value>]) -> Ran<Option<Vec<i64>>> {
        let number = |value: &Option<Value>| match value {
            Some(Value::Int(number)) => Some(*number),
            _ => None,
        };
        let Some(numbers) = operands.iter().map(number).collect::<Option<Vec<_>>>() else { return Ok(None) };
        let &[start, end, ref steps @ ..] = numbers.as_slice() else { return Ok(None) };
        let end = end + i64::from(range.inclusive);
        for _ in start..end {
            self.step()?;
        }
        let (mut values, mut steps): (Vec<i64>, _) = ((start..end).collect(), steps.iter());
        for adaptor in &range.adaptors {
            match adaptor {
                Adaptor::Rev => values.reverse(),
                Adaptor::StepBy { .. } => match steps.next().map(|step| usize::try_from(*step)) {
                    Some(Ok(step)) if step > 0 => values = values.into_iter().step_by(step).collect(),
                    _ => return Ok(None),
                },
            }
        }
        Ok(Some(values))
    }

    /// A loop, round after round, until no state is new. It may count with a variable, in a range
    /// that is not known: then it has any number of rounds, and the variable any value in each.
    fn rounds(
        &mut self,
        id: LoopId,
        head: Head<'b>,
        body: &'b Block,
        first: State,
        counts: Option<LocalId>,
    ) -> Ran<Vec<State>> {
        let (mut seen, mut open, mut after) = (BTreeSet::new(), vec![first], Vec::new());
        while let Some(mut state) = open.pop() {
            self.step()?;
            forget(&mut state, &counts);
            if !seen.insert(state.clone()) {
                continue;
            }
            let inside = match head {
                Head::Empty => {
                    after.extend(counts.map(|_| state.clone()));
                    vec![state]
                }
                Head::Test(cond) => {
                    let mut inside = Vec::new();
                    for (state, cond) in self.expr(cond, state)? {
                        match cond {
                            Some(Value::Bool(true)) => inside.push(state),
                            Some(Value::Bool(false)) => after.push(state),
                            _ => {
                                inside.push(state.clone().unsure());
                                after.push(state.unsure());
                            }
                        }
                    }
                    inside
                }
                // The value may be evaluated again, or not.
                Head::Bind(pat, value) => {
                    let mut inside = states(self.expr(value, state)?);
                    for state in &mut inside {
                        forget(state, &Part::Expr(value).assigned());
                        forget(state, &pat.locals());
                        state.certain = false;
                    }
                    after.extend(inside.iter().cloned());
                    inside
                }
            };
            for state in inside {
                open.extend(states(self.block(body, state)?));
            }
            open.extend(self.jumps.continues.remove(&id).unwrap_or_default());
        }
        after.extend(self.jumps.breaks.remove(&id).unwrap_or_default());
        Ok(after)
    }
}

fn states(paths: Paths) -> Vec<State> {
    paths.into_iter().map(|(state, _)| state).collect()
}
