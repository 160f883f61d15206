//! Calls of device functions, put in their places: what a function does and returns ([`Summary`])
//! becomes a part of the loop's facts, as if its body stood there.
//!
//! That is done once for each instance of a loop, because rustc alone knows which functions, types
//! and constants an instance has. The launch then decides facts without calls. A parameter is an
//! immutable variable: its form is that of the argument. A reference to elements has a length,
//! which the accesses of the function are compared with. What the function does to the elements is
//! no matter to races: the reference is an access itself, to all that it may touch.
//!
//! What is too large is not put in its place. Then nothing is known of the result, and a loop whose
//! function would leave out checks has all of them.

use std::ops::Range;

use crate::facts::{Access, Argument, Call, Component, Condition, Facts, Form, Member, Source, Step, Summary, Value};
use crate::limits::{MAX_ATOMS, MAX_NESTING};
use crate::ops::Operation;
use crate::scalar::IntType;

use super::{Example, Numbers, Refusal, Verdict, decide, example};

/// More accesses of functions are not decided.
const MOST_ACCESSES: usize = 256;
/// More calls have no place.
const MOST_CALLS: usize = 1024;

/// The facts of an instance of a loop, without calls.
#[derive(Debug)]
pub struct Inlined {
    /// What the launch decides.
    facts: Facts,
    /// The types in the slots of these facts.
    types: Vec<Option<IntType>>,
    /// Where the accesses are that are none of the loop's own: those behind them.
    origins: Vec<Origin>,
    own: usize,
    /// The number of the loop's own slots.
    slots: usize,
    /// Whether a function that leaves out checks was too large.
    checked: bool,
}

/// What a body has in its slots.
pub trait Slots {
    /// The number of slots.
    fn count(&self) -> usize;
    /// The type in a slot, if it is one of integers.
    fn integer(&self, slot: usize) -> Option<IntType>;
    /// A number of the constant in a slot, if an index can have it.
    fn number(&self, slot: usize, member: &Member) -> Option<i64>;
    /// Whether a device function is in a slot.
    fn has_function(&self, slot: usize) -> bool;
    /// What is known of it.
    fn function(&self, slot: usize) -> Option<Function<Self>>
    where
        Self: Sized;
}

/// A device function, as a launch sees it.
pub struct Function<S> {
    /// What it does and returns.
    pub summary: Summary,
    /// What its body has in its slots.
    pub slots: S,
    /// `DeviceFn::needs` of the runtime.
    pub needs: u64,
    /// The file of its source.
    pub file: &'static str,
}

/// A function that makes an access.
#[derive(Debug, Clone)]
pub struct Origin {
    /// The call in the loop, as the user wrote it.
    pub call: String,
    /// The line of that.
    pub line: u32,
    /// The file of the function.
    pub file: &'static str,
}

impl Inlined {
    /// The facts of a loop with so many variables.
    pub fn of(facts: &Facts, vars: usize, slots: &impl Slots) -> Self {
        let inlined = Self {
            facts: Facts { steps: Vec::new(), ..facts.clone() },
            types: Vec::new(),
            origins: Vec::new(),
            own: facts.accesses.len(),
            slots: slots.count(),
            checked: false,
        };
        let mut all = Inliner { inlined, fixed: vars..vars.saturating_add(facts.sources.len()), calls: 0, nesting: 0 };
        let mut frame = Frame {
            facts,
            slots,
            first_slot: all.results(&facts.steps, slots),
            atoms: (0..facts.atoms).map(|atom| Some(Form::atom(atom))).collect(),
            regions: Vec::new(),
            origin: None,
            always: true,
            decides: true,
        };
        let mut steps = Vec::new();
        if all.steps(&facts.steps, &mut frame, &mut steps).is_none() {
            // Facts of a loop that are none. They are refused as those with too many atoms.
            all.inlined.facts.atoms = MAX_ATOMS + 1;
        }
        all.inlined.facts.steps = steps;
        all.inlined
    }

    /// Decides how the loop runs, with the numbers of a launch.
    pub fn decide(&self, numbers: &Numbers<'_>) -> Result<Verdict, Refusal> {
        let verdict = self.with(numbers, decide)?;
        Ok(if self.checked { Verdict::Checked } else { verdict })
    }

    /// What the launch decides, and the numbers with which it does.
    pub(super) fn with<R>(&self, numbers: &Numbers<'_>, then: impl FnOnce(&Facts, &Numbers<'_>) -> R) -> R {
        // The types in the loop's own slots are those that the launch knows, and those of results.
        let ty = |slot: usize| match slot < self.slots {
            true => (numbers.types)(slot).or_else(|| self.ty(slot)),
            false => self.ty(slot),
        };
        then(&self.facts, &Numbers { types: &ty, ..*numbers })
    }

    /// Two iterations that a refusal of [`decide`](Self::decide) is about.
    pub fn example(&self, numbers: &Numbers<'_>, refusal: Refusal) -> Option<Example> {
        self.with(numbers, |facts, numbers| example(facts, numbers, refusal))
    }

    /// The type in a slot.
    fn ty(&self, slot: usize) -> Option<IntType> {
        self.types.get(slot).copied().flatten()
    }

    /// The accesses that functions make and the launch decides.
    pub fn of_functions(&self) -> impl Iterator<Item = (&Access, &Origin)> {
        self.facts.accesses.iter().skip(self.own).zip(&self.origins)
    }

    /// An access that a function makes, and the function.
    pub fn of_a_function(&self, access: usize) -> Option<(&Access, &Origin)> {
        Some((self.facts.accesses.get(access)?, self.origins.get(access.checked_sub(self.own)?)?))
    }
}

/// A body whose steps are put in their place: that of the loop, or of a function at one of its
/// calls.
struct Frame<'f, S> {
    facts: &'f Facts,
    slots: &'f S,
    /// The number of its first slot among all types.
    first_slot: usize,
    /// What its atoms are in terms of those of the loop. `None`: not bound yet.
    atoms: Vec<Option<Form>>,
    /// By parameters: the elements that they refer to.
    regions: Vec<Option<Region>>,
    /// Of a function.
    origin: Option<Origin>,
    /// Whether every iteration comes to its beginning.
    always: bool,
    /// Whether it leaves out checks.
    decides: bool,
}

/// The elements that a parameter refers to.
#[derive(Clone, Copy)]
struct Region {
    /// The capture of the loop.
    view: usize,
    /// An atom.
    len: usize,
}

struct Inliner {
    inlined: Inlined,
    /// The atoms that are numbers of the launch.
    fixed: Range<usize>,
    /// Number of calls so far.
    calls: usize,
    /// Number of steps around.
    nesting: usize,
}

/// What is undone if a call has no place.
struct Mark {
    atoms: usize,
    types: usize,
    accesses: usize,
    steps: usize,
    checked: bool,
}

impl<S: Slots> Frame<'_, S> {
    /// A form of this body in terms of the atoms of the loop.
    fn form(&self, form: &Form) -> Option<Form> {
        let known = form.atoms().all(|atom| self.atoms.get(atom).is_some_and(Option::is_some));
        let value = |atom: usize| self.atoms.get(atom).cloned().flatten().unwrap_or_default();
        known.then(|| form.substitute(&value, &|slot| self.slot(slot)))?
    }

    fn slot(&self, slot: usize) -> usize {
        self.first_slot.saturating_add(slot)
    }
}

impl Inliner {
    fn fresh(&mut self) -> usize {
        self.inlined.facts.atoms += 1;
        self.inlined.facts.atoms - 1
    }

    /// What may be no integer. Where it has cancelled in a form, its cast, which never holds,
    /// stays.
    fn no_number(&mut self) -> Form {
        let (atom, slot) = (self.fresh(), self.slot_of(None));
        Form::atom(atom).cast(slot, slot)
    }

    /// The atom of the loop that an atom of a body is, from where it is bound on.
    fn bound(&mut self, frame: &mut Frame<'_, impl Slots>, atom: usize) -> Option<usize> {
        let place = frame.atoms.get_mut(atom)?;
        if let Some(form) = place {
            return form.value.atoms().next().copied();
        }
        let fresh = self.fresh();
        *place = Some(Form::atom(fresh));
        Some(fresh)
    }

    fn slot_of(&mut self, ty: Option<IntType>) -> usize {
        self.inlined.types.push(ty);
        self.inlined.types.len() - 1
    }

    /// Adds the types in the slots of a body. That in the slot of a call is the type of its result:
    /// what is done with that says so by this slot.
    fn types(&mut self, steps: &[Step], slots: &impl Slots) -> usize {
        let first = self.inlined.types.len();
        self.inlined.types.extend((0..slots.count()).map(|slot| slots.integer(slot)));
        self.types_of_results(steps, slots, first);
        first
    }

    /// The same without the types that the launch knows.
    fn results(&mut self, steps: &[Step], slots: &impl Slots) -> usize {
        self.inlined.types.resize(slots.count(), None);
        self.types_of_results(steps, slots, 0);
        0
    }

    fn types_of_results(&mut self, steps: &[Step], slots: &impl Slots, first: usize) {
        for step in steps {
            match step {
                Step::Call(Call { callee, .. }) => {
                    let ty = slots.function(*callee).and_then(|function| function.slots.integer(function.summary.ty?));
                    if let Some(at) = self.inlined.types.get_mut(first.saturating_add(*callee)) {
                        *at = ty;
                    }
                }
                Step::For { body, .. } | Step::When { body, .. } => self.types_of_results(body, slots, first),
                Step::Let { .. } | Step::Declare { .. } | Step::Join { .. } | Step::Access(_) => {}
            }
        }
    }

    /// A form of a body. A product of two atoms that vary becomes one atom, as the macro has it.
    fn form(&mut self, form: &Form, frame: &Frame<'_, impl Slots>, out: &mut Vec<Step>) -> Option<Form> {
        let mut form = frame.form(form)?;
        while let Some(pair) = form.varying_pair(&|atom| self.fixed.contains(&atom)) {
            let (product, ty) = (self.fresh(), self.slot_of(Some(USIZE)));
            let operands = pair.iter().map(|atom| Form::atom(*atom)).collect();
            let value = Value { operation: Operation::Mul, operands, ty, narrow: false };
            out.push(Step::Let { atom: product, value });
            form = form.with_product(pair, product)?;
        }
        Some(form)
    }

    /// Puts the steps of a body behind others. `None`: they are too large, or none.
    fn steps(&mut self, steps: &[Step], frame: &mut Frame<'_, impl Slots>, out: &mut Vec<Step>) -> Option<()> {
        for step in steps {
            match step {
                // What is of the loop itself stays as it is, except that it may mention results.
                Step::Let { atom, value: Value { operation, operands, ty, narrow } } => {
                    let operands =
                        operands.iter().map(|form| self.form(form, frame, out)).collect::<Option<Vec<_>>>()?;
                    let (ty, narrow) = (frame.slot(*ty), *narrow && frame.decides);
                    let value = Value { operation: *operation, operands, ty, narrow };
                    out.push(Step::Let { atom: self.bound(frame, *atom)?, value });
                }
                Step::Declare { atom } => out.push(Step::Declare { atom: self.bound(frame, *atom)? }),
                Step::Join { atom, value, ty } => {
                    let value = self.form(value, frame, out)?;
                    out.push(Step::Join { atom: self.bound(frame, *atom)?, value, ty: frame.slot(*ty) });
                }
                Step::For { atom, start, end, inclusive, step, ty, narrow, wraps, body } => {
                    let (start, end) = (self.form(start, frame, out)?, self.form(end, frame, out)?);
                    let step = match step {
                        Some(step) => Some(self.form(step, frame, out)?),
                        None => None,
                    };
                    let (atom, ty) = (self.bound(frame, *atom)?, frame.slot(*ty));
                    let inner = self.inside(body, frame)?;
                    out.push(Step::For {
                        atom,
                        start,
                        end,
                        inclusive: *inclusive,
                        step,
                        ty,
                        narrow: *narrow && frame.decides,
                        wraps: *wraps,
                        body: inner,
                    });
                }
                Step::When { conditions, body } => {
                    let mut known = Vec::new();
                    for Condition { lhs, comparison, rhs, ty } in conditions {
                        // Without a condition less is known.
                        let sides = self.form(lhs, frame, out).zip(self.form(rhs, frame, out));
                        let ty = frame.slot(*ty);
                        known.extend(sides.map(|(lhs, rhs)| Condition { lhs, comparison: *comparison, rhs, ty }));
                    }
                    let inner = self.inside(body, frame)?;
                    out.push(Step::When { conditions: known, body: inner });
                }
                Step::Access(number) => self.access(*number, frame, out)?,
                Step::Call(call) => self.call(call, frame, out)?,
            }
        }
        Some(())
    }

    /// The steps in a loop or branch.
    fn inside(&mut self, body: &[Step], frame: &mut Frame<'_, impl Slots>) -> Option<Vec<Step>> {
        if self.nesting >= MAX_NESTING {
            return None;
        }
        self.nesting += 1;
        let mut inner = Vec::new();
        let done = self.steps(body, frame, &mut inner);
        self.nesting -= 1;
        done.map(|()| inner)
    }

    fn access(&mut self, number: usize, frame: &Frame<'_, impl Slots>, out: &mut Vec<Step>) -> Option<()> {
        let access = frame.facts.accesses.get(number)?;
        let Some(origin) = &frame.origin else {
            let form = |this: &mut Self, form: &Option<Form>, out: &mut Vec<Step>| {
                form.as_ref().and_then(|form| this.form(form, frame, out))
            };
            let index = form(self, &access.index, out);
            let more = access
                .more
                .iter()
                .map(|component| Component { index: form(self, &component.index, out), ..*component });
            let more = more.collect();
            let end = access.end.as_ref().map(|end| form(self, end, out));
            let place = self.inlined.facts.accesses.get_mut(number)?;
            (place.index, place.more, place.end) = (index, more, end);
            out.push(Step::Access(number));
            return Some(());
        };
        if !(frame.decides && access.decided) {
            return Some(());
        }
        let region = frame.regions.get(access.view).copied().flatten();
        let index = access.index.as_ref().and_then(|index| self.form(index, frame, out));
        let (Some(Region { view, len }), Some(index)) = (region, index) else {
            self.inlined.checked = true;
            return Some(());
        };
        out.push(Step::Access(self.inlined.facts.accesses.len()));
        let (index, always) = (Some(index), frame.always && access.always);
        let (more, strides, end) = (Vec::new(), Vec::new(), None);
        self.inlined.facts.accesses.push(Access { view, len, index, more, strides, end, always, ..access.clone() });
        self.inlined.origins.push(origin.clone());
        Some(())
    }

    /// Puts a function in the place of its call; what has no place is not known.
    fn call(&mut self, call: &Call, frame: &mut Frame<'_, impl Slots>, out: &mut Vec<Step>) -> Option<()> {
        let facts = &self.inlined.facts;
        let mark = Mark {
            atoms: facts.atoms,
            types: self.inlined.types.len(),
            accesses: facts.accesses.len(),
            steps: out.len(),
            checked: self.inlined.checked,
        };
        let before = frame.atoms.get(call.result)?.clone();
        let value = self.called(call, frame, out);
        let facts = &mut self.inlined.facts;
        let fits = facts.atoms <= MAX_ATOMS && facts.accesses.len() - self.inlined.own <= MOST_ACCESSES;
        if let Some(value) = value.filter(|_| fits) {
            *frame.atoms.get_mut(call.result)? = value;
            return Some(());
        }
        facts.atoms = mark.atoms;
        facts.accesses.truncate(mark.accesses);
        self.inlined.types.truncate(mark.types);
        self.inlined.origins.truncate(mark.accesses - self.inlined.own);
        out.truncate(mark.steps);
        *frame.atoms.get_mut(call.result)? = before;
        // Nobody has shown that what it leaves to the launch is in bounds. A method of std leaves
        // nothing.
        self.inlined.checked = mark.checked || frame.decides && call.decides && frame.slots.has_function(call.callee);
        let ty = frame.slot(call.ty.unwrap_or(call.callee));
        let value = Value { operation: Operation::Any, operands: Vec::new(), ty, narrow: false };
        out.push(Step::Let { atom: self.bound(frame, call.result)?, value });
        Some(())
    }

    /// The steps of a function, and what it returns: `Some(None)` if nobody asks.
    fn called(&mut self, call: &Call, frame: &mut Frame<'_, impl Slots>, out: &mut Vec<Step>) -> Option<Option<Form>> {
        self.calls += 1;
        if self.calls > MOST_CALLS {
            return None;
        }
        let Function { summary, slots, needs, file } = frame.slots.function(call.callee)?;
        let facts = &summary.facts;
        let origin = match &frame.origin {
            None => Origin { call: call.text.clone(), line: call.line, file },
            Some(origin) => Origin { file, ..origin.clone() },
        };
        let mut inner = Frame {
            first_slot: self.types(&facts.steps, &slots),
            facts,
            slots: &slots,
            atoms: vec![None; facts.atoms],
            regions: Vec::new(),
            origin: Some(origin),
            always: frame.always && call.always,
            decides: frame.decides && call.decides && needs & call.unlimited == 0,
        };
        let mut values = Vec::new();
        for (at, ty) in summary.params.iter().enumerate() {
            let (value, region) = self.argument(call.args.get(at)?, inner.slot(*ty), frame, out)?;
            values.push(value);
            inner.regions.push(region);
        }
        for (atom, from) in facts.sources.iter().enumerate() {
            let value = match from {
                Source::Capture(param, Member { path, .. }) if path.is_empty() => values.get(*param)?.clone(),
                // A part of a parameter, which may be any.
                Source::Capture(..) => self.no_number(),
                // Names of one spelling may be several constants.
                Source::Constant(mentions, member) => {
                    let mut numbers = mentions.iter().map(|slot| slots.number(*slot, member));
                    let first = numbers.next().flatten();
                    match first.filter(|_| numbers.all(|number| number == first)) {
                        Some(number) => Form::constant(number),
                        None => self.no_number(),
                    }
                }
            };
            *inner.atoms.get_mut(atom)? = Some(value);
        }
        self.steps(&facts.steps, &mut inner, out)?;
        let result = match &summary.result {
            Some(result) => self.form(result, &inner, out),
            None => None,
        };
        if let Some(result) = result {
            return Some(Some(result));
        }
        let (atom, ty) = (self.bound(frame, call.result)?, frame.slot(call.callee));
        let value = Value { operation: Operation::Any, operands: Vec::new(), ty, narrow: false };
        out.push(Step::Let { atom, value });
        Some(Some(Form::atom(atom)))
    }

    /// What a parameter is: its value, or the length of the elements that it refers to.
    fn argument(
        &mut self,
        argument: &Argument,
        ty: usize,
        frame: &Frame<'_, impl Slots>,
        out: &mut Vec<Step>,
    ) -> Option<(Form, Option<Region>)> {
        match argument {
            Argument::Value(form) => {
                if let Some(form) = self.form(form, frame, out) {
                    return Some((form, None));
                }
            }
            Argument::Elements(number) => {
                let access = frame.facts.accesses.get(*number)?;
                if let Some(region) = self.region(access, frame, out) {
                    return Some((Form::atom(region.len), Some(region)));
                }
            }
            Argument::Other => {}
        }
        let any = self.fresh();
        let value = Value { operation: Operation::Any, operands: Vec::new(), ty, narrow: false };
        out.push(Step::Let { atom: any, value });
        Some((Form::atom(any), None))
    }

    /// The elements that an access of a body lends.
    fn region(&mut self, access: &Access, frame: &Frame<'_, impl Slots>, out: &mut Vec<Step>) -> Option<Region> {
        let whole = match &frame.origin {
            None => Region { view: access.view, len: access.len },
            Some(_) => frame.regions.get(access.view).copied().flatten()?,
        };
        // What has several dimensions is no slice.
        let (Some(end), Some(start), true) = (&access.end, &access.index, access.more.is_empty()) else { return None };
        if *start == Form::constant(0) && end.as_ref().is_some_and(|end| *end == Form::atom(access.len)) {
            return Some(whole);
        }
        let (start, end) = (self.form(start, frame, out)?, self.form(end.as_ref()?, frame, out)?);
        // A part that ends before it begins is none: then nobody comes here.
        let (len, ty) = (self.fresh(), self.slot_of(Some(USIZE)));
        let value = Value { operation: Operation::SaturatingSub, operands: vec![end, start], ty, narrow: false };
        out.push(Step::Let { atom: len, value });
        Some(Region { view: whole.view, len })
    }
}

const USIZE: IntType = IntType { bits: 64, signed: false };
