//! Calls: random loops of which parts are put into functions, and cases with names.
//!
//! What a function does is a part of the loop that was there before. So the loop means what it did,
//! and what is decided must hold where that runs. The slots of a function are not those of its
//! caller.

use anabranch_core::facts::{Access, Argument, Call, Condition, Facts, Form, Member, Source, Step, Summary, Value};
use anabranch_programs::generate::accesses;
use anabranch_programs::types::Scalar;

use super::{PROGRAMS, facts, wrong};
use anabranch_core::decide::{Function, Inlined, Slots, Verdict};
use anabranch_core::scalar::IntType;

/// The slot of the first function.
const FUNCTIONS: usize = 200;
/// By how much the slots of types are greater in functions.
const SHIFT: usize = 64;

/// The slots of a loop, or those of a function.
#[derive(Clone, Debug, Default)]
struct Table {
    functions: Vec<Summary>,
    shift: usize,
    /// What the functions need of their arguments.
    needs: u64,
}

impl Slots for Table {
    fn count(&self) -> usize {
        FUNCTIONS + self.functions.len()
    }
    fn integer(&self, slot: usize) -> Option<IntType> {
        facts::ty(slot.checked_sub(self.shift)?)
    }
    fn number(&self, slot: usize, _: &Member) -> Option<i64> {
        (slot < 10).then_some(slot as i64)
    }
    fn has_function(&self, slot: usize) -> bool {
        slot.checked_sub(FUNCTIONS).is_some_and(|at| at < self.functions.len())
    }
    fn function(&self, slot: usize) -> Option<Function<Self>> {
        let summary = self.functions.get(slot.checked_sub(FUNCTIONS)?)?.clone();
        let slots = Table { shift: SHIFT, ..self.clone() };
        Some(Function { summary, slots, needs: self.needs, file: "lib.rs" })
    }
}

/// Puts parts of a loop into functions.
struct Outliner {
    table: Table,
    facts: Facts,
    seed: u64,
}

impl Outliner {
    fn below(&mut self, end: u64) -> u64 {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.seed >> 33) % end
    }

    fn fresh(&mut self) -> usize {
        self.facts.atoms += 1;
        self.facts.atoms - 1
    }

    fn call(&mut self, summary: Summary, args: Vec<Argument>, decides: bool) -> Step {
        self.table.functions.push(summary);
        let callee = FUNCTIONS + self.table.functions.len() - 1;
        let (result, text) = (self.fresh(), String::new());
        Step::Call(Call { callee, args, result, ty: None, always: true, decides, unlimited: 0, text, line: 1 })
    }

    /// The result of a function that computes a form of its arguments, each of which is further
    /// than an atom by a number.
    fn form(&mut self, form: &Form, out: &mut Vec<Step>) -> Form {
        let mut atoms: Vec<usize> = form.atoms().collect();
        atoms.sort_unstable();
        atoms.dedup();
        let further: Vec<i64> = atoms.iter().map(|_| self.below(4) as i64).collect();
        let by = |atom: usize, sign: i64| {
            let number = atoms.iter().position(|of| *of == atom).map_or(0, |at| further[at]);
            Form::constant(sign * number)
        };
        let param = |atom: usize| {
            let at = atoms.iter().position(|of| *of == atom).unwrap_or(0);
            Form::atom(at).add(&by(atom, -1)).expect("it is small")
        };
        let Some(result) = form.substitute(&param, &|slot| slot + SHIFT) else { return form.clone() };
        let args = atoms.iter().map(|atom| Form::atom(*atom).add(&by(*atom, 1)).expect("it is small"));
        let args = args.map(Argument::Value).collect();
        let sources = (0..atoms.len()).map(|at| Source::Capture(at, Member::default())).collect();
        let of_body = Facts { atoms: atoms.len(), sources, ..Facts::default() };
        let params = vec![facts::slot(Scalar::Usize) + SHIFT; atoms.len()];
        let ty = Some(facts::slot(Scalar::Usize) + SHIFT);
        let call = self.call(Summary { facts: of_body, params, result: Some(result), ty }, args, false);
        let Step::Call(Call { result, .. }) = &call else { return form.clone() };
        let result = Form::atom(*result);
        out.push(call);
        result
    }

    /// The same steps, with functions.
    fn steps(&mut self, steps: &[Step]) -> Vec<Step> {
        let mut out = Vec::new();
        for step in steps {
            match step {
                Step::For { body, .. } | Step::When { body, .. } => {
                    let (mut step, inside) = (step.clone(), self.steps(body));
                    if let Step::For { body, .. } | Step::When { body, .. } = &mut step {
                        *body = inside;
                    }
                    out.push(step);
                }
                Step::Access(number) => {
                    if self.below(2) == 0
                        && let Some(index) = self.facts.accesses[*number].index.clone()
                    {
                        let form = self.form(&index, &mut out);
                        self.facts.accesses[*number].index = Some(form);
                    }
                    out.push(step.clone());
                }
                Step::Let { .. } | Step::Declare { .. } | Step::Join { .. } | Step::Call(_) => out.push(step.clone()),
            }
        }
        if self.below(2) == 0 {
            let first = self.below(out.len() as u64 + 1) as usize;
            let rest = out.split_off(first);
            match self.function(&rest) {
                Some(step) => {
                    // Races are of the loop: its accesses stay, and are no longer decided.
                    out.extend(rest);
                    out.push(step);
                }
                None => out.extend(rest),
            }
        }
        out
    }

    /// A function that does what some steps do, and the call of it. Nothing that they bind is
    /// mentioned behind them, because they are the last ones of a block.
    fn function(&mut self, steps: &[Step]) -> Option<Step> {
        let mut moved = Moved::default();
        moved.steps(steps, &self.facts)?;
        let outer: Vec<usize> = moved.used.iter().copied().filter(|atom| !moved.bound.contains(atom)).collect();
        if moved.accesses.is_empty() {
            return None;
        }
        // Slices are lent; their lengths are no values of their own.
        let mut views: Vec<(usize, usize)> =
            moved.accesses.iter().map(|at| (self.facts.accesses[*at].view, self.facts.accesses[*at].len)).collect();
        views.sort_unstable();
        views.dedup();
        let values: Vec<usize> = outer.into_iter().filter(|atom| views.iter().all(|(_, len)| len != atom)).collect();
        let mut atoms: Vec<usize> = views.iter().map(|(_, len)| *len).chain(values.iter().copied()).collect();
        let params = atoms.len();
        atoms.extend(&moved.bound);
        let number = |atom: &usize| atoms.iter().position(|of| of == atom).unwrap_or(usize::MAX);
        let mut accesses = Vec::new();
        let numbers = moved.accesses.clone();
        for at in &numbers {
            let access = &self.facts.accesses[*at];
            let view = views.iter().position(|(view, _)| *view == access.view)?;
            accesses.push(Access { view, decided: true, ..shifted_access(access).map(&number) });
        }
        let renumbered = |at: usize| numbers.iter().position(|of| *of == at).unwrap_or(usize::MAX);
        let steps = steps.iter().map(|step| in_function(&step.map(&number), &renumbered)).collect();
        let mut args = Vec::new();
        for (view, len) in views {
            args.push(Argument::Elements(self.facts.accesses.len()));
            let like = self.facts.accesses.iter().find(|access| access.view == view)?;
            let whole = Access {
                index: Some(Form::constant(0)),
                end: Some(Some(Form::atom(len))),
                decided: false,
                write: false,
                ..like.clone()
            };
            self.facts.accesses.push(whole);
        }
        args.extend(values.iter().map(|atom| Argument::Value(Form::atom(*atom))));
        for at in numbers {
            self.facts.accesses[at].decided = false;
        }
        let sources = (0..params).map(|at| Source::Capture(at, Member::default())).collect();
        let of_body = Facts { atoms: atoms.len(), sources, steps, accesses, races: Vec::new(), phases: Vec::new() };
        let params = vec![facts::slot(Scalar::Usize) + SHIFT; params];
        Some(self.call(Summary { facts: of_body, params, result: None, ty: None }, args, true))
    }
}

/// What some steps mention.
#[derive(Default)]
struct Moved {
    used: Vec<usize>,
    bound: Vec<usize>,
    accesses: Vec<usize>,
}

impl Moved {
    fn forms<'f>(&mut self, forms: impl IntoIterator<Item = &'f Form>) {
        for atom in forms.into_iter().flat_map(Form::atoms) {
            if !self.used.contains(&atom) {
                self.used.push(atom);
            }
        }
    }

    fn bind(&mut self, atom: usize) {
        if !self.bound.contains(&atom) {
            self.bound.push(atom);
        }
    }

    /// `None`: they cannot be in a function.
    fn steps(&mut self, steps: &[Step], facts: &Facts) -> Option<()> {
        for step in steps {
            match step {
                Step::Let { atom, value } => {
                    self.forms(&value.operands);
                    self.bind(*atom);
                }
                Step::Declare { atom } => self.bind(*atom),
                Step::Join { atom, value, .. } => {
                    self.forms([value]);
                    // What is joined outside stays there.
                    self.bound.contains(atom).then_some(())?;
                }
                Step::For { atom, start, end, step, body, .. } => {
                    self.forms([start, end].into_iter().chain(step));
                    self.bind(*atom);
                    self.steps(body, facts)?;
                }
                Step::When { conditions, body } => {
                    conditions.iter().for_each(|Condition { lhs, rhs, .. }| self.forms([lhs, rhs]));
                    self.steps(body, facts)?;
                }
                Step::Access(at) => {
                    let access = &facts.accesses[*at];
                    (access.more.is_empty() && access.end.is_none() && access.decided).then_some(())?;
                    self.forms(&access.index);
                    self.forms([&Form::atom(access.len)]);
                    self.accesses.push(*at);
                }
                Step::Call(call) => {
                    // What lends elements is of the loop.
                    (!call.decides).then_some(())?;
                    self.forms(call.forms());
                    self.bind(call.result);
                }
            }
        }
        Some(())
    }
}

fn shifted(form: &Form) -> Form {
    form.substitute(&Form::atom, &|slot| slot + SHIFT).expect("it is as large as before")
}

fn shifted_access(access: &Access) -> Access {
    Access { index: access.index.as_ref().map(shifted), ..access.clone() }
}

/// A step with the slots and the numbers of accesses that it has in a function.
fn in_function(step: &Step, access: &impl Fn(usize) -> usize) -> Step {
    let all = |body: &[Step]| body.iter().map(|step| in_function(step, access)).collect();
    match step {
        Step::Let { atom, value: Value { operation, operands, ty, narrow } } => {
            let operands = operands.iter().map(shifted).collect();
            Step::Let { atom: *atom, value: Value { operation: *operation, operands, ty: ty + SHIFT, narrow: *narrow } }
        }
        Step::Join { atom, value, ty } => Step::Join { atom: *atom, value: shifted(value), ty: ty + SHIFT },
        Step::For { atom, start, end, inclusive, step, ty, narrow, wraps, body } => Step::For {
            atom: *atom,
            start: shifted(start),
            end: shifted(end),
            inclusive: *inclusive,
            step: step.as_ref().map(shifted),
            ty: ty + SHIFT,
            narrow: *narrow,
            wraps: *wraps,
            body: all(body),
        },
        Step::When { conditions, body } => {
            let conditions = conditions.iter().map(|condition| Condition {
                lhs: shifted(&condition.lhs),
                rhs: shifted(&condition.rhs),
                ty: condition.ty + SHIFT,
                ..condition.clone()
            });
            Step::When { conditions: conditions.collect(), body: all(body) }
        }
        Step::Access(at) => Step::Access(access(*at)),
        Step::Call(call) => {
            let args = call.args.iter().map(|arg| match arg {
                Argument::Value(form) => Argument::Value(shifted(form)),
                Argument::Elements(at) => Argument::Elements(*at),
                Argument::Other => Argument::Other,
            });
            Step::Call(Call { args: args.collect(), ..call.clone() })
        }
        Step::Declare { .. } => step.clone(),
    }
}

/// What is decided on random loops with functions holds on a machine, and most of what is proved
/// without functions is proved with them.
#[test]
fn decisions_hold_through_functions() {
    let programs = std::env::var("ANABRANCH_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(PROGRAMS);
    let (mut calls, mut proved, mut kept) = (0, 0, 0);
    for seed in 1..=programs {
        let (program, never_sure) = accesses::random(seed);
        let original = facts::some(&program, never_sure);
        let (facts, table) = outlined(&original, seed);
        if table.functions.is_empty() {
            continue;
        }
        calls += 1;
        let inlined = Inlined::of(&facts, program.axes.len(), &table);
        let decision = facts::decide_by(&program, |numbers| inlined.decide(numbers));
        let ran = program.run();
        if let Some(wrong) = wrong(decision, &ran) {
            panic!("{wrong}: seed {seed}\n{program:#?}\n{facts:#?}\n{table:#?}\n{inlined:#?}\n{decision:?} {ran:?}");
        }
        if let Ok(Verdict::Proved { .. }) = facts::decide(&program, &original) {
            proved += 1;
            kept += u64::from(matches!(decision, Ok(Verdict::Proved { .. })));
        }
    }
    println!("{programs} programs: {calls} with functions, {proved} proved without them, {kept} of these with them");
    assert!(calls * 2 > programs && proved * 5 > calls && kept * 20 > proved * 19, "{calls}, {proved}, {kept}");
}

fn outlined(original: &Facts, seed: u64) -> (Facts, Table) {
    let mut outliner = Outliner { table: Table::default(), facts: original.clone(), seed };
    let steps = outliner.steps(&original.steps);
    (Facts { steps, ..outliner.facts }, outliner.table)
}
