//! A phase in one state of the block: its iterations, one after the other, and what they touch.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::Span;

use super::values::{State, Value};
use super::walk::{Ran, Walk, forget};
use crate::ir::{Block, Expr, ExprId, ExprKind, Flow, LocalId, Part, Phase, Space, Stmt};
use crate::names::{self, place};
use crate::report::{Code, Diagnostic, Report, error};

/// Phases with more iterations are not tried.
const MOST_ITERATIONS: i64 = 1 << 14;

/// An error names no more variables: its lines have to fit into a terminal.
const MOST_NAMED: usize = 4;

/// Two iterations that meet.
pub(crate) struct Meeting {
    span: Span,
    error: Diagnostic,
}

impl Meeting {
    pub(crate) fn report(self, report: &mut Report) {
        report.at(self.span, self.error);
    }
}

/// What the iterations of a phase touch.
pub(super) struct Touched<'b> {
    phase: ExprId,
    /// The variables of the current iteration.
    iteration: Vec<i64>,
    /// The arrays of which it writes something; the others are in no conflict.
    written: BTreeSet<LocalId>,
    elements: BTreeMap<(LocalId, Vec<i64>), Vec<Touch<'b>>>,
}

/// That an iteration touches an element.
struct Touch<'b> {
    iteration: Vec<i64>,
    write: bool,
    certain: bool,
    place: &'b Expr,
}

impl<'b> Walk<'b> {
    pub(super) fn phase(&mut self, expr: &'b Expr, phase: &'b Phase, body: &'b Block, state: State) -> Ran<Vec<State>> {
        let Some((Stmt::Expr(nest), ends)) = body.stmts.split_last() else { return Ok(vec![state]) };
        let mut states = vec![state];
        for end in ends {
            let mut next = Vec::new();
            for state in states {
                next.extend(self.stmt(end, state)?);
            }
            states = next;
        }
        self.tried.phases.insert(expr.id);
        let (named, changed) = (named(expr), Part::Expr(nest).assigned());
        for state in &mut states {
            let mut own = state.clone();
            own.values.retain(|local, _| named.contains(local));
            if self.seen.insert((expr.id, own.clone())) {
                self.iterations(expr.id, phase, nest, own)?;
            }
            // Nothing but what each iteration declares, or else it is an error.
            forget(state, &changed);
            let ends = ends.iter().filter_map(|end| if let Stmt::Let { pat, .. } = end { pat.name() } else { None });
            ends.for_each(|end| forget(state, [&end]));
        }
        Ok(states)
    }

    fn iterations(&mut self, id: ExprId, phase: &'b Phase, nest: &'b Expr, state: State) -> Ran<()> {
        let (mut all, mut inner, mut body) = (Some(vec![Vec::new()]), nest, None);
        for _ in &phase.vars {
            let ExprKind::Flow { flow: Flow::For { range, body: within, .. }, .. } = &inner.kind else {
                all = None;
                break;
            };
            let ends = [&range.start, &range.end].map(|end| self.types.value(end, &state));
            all = match (all, ends) {
                (Some(all), [Some(Value::Int(start)), Some(Value::Int(end))])
                    if (end - start).max(0) * all.len() as i64 <= MOST_ITERATIONS =>
                {
                    let row = |outer: &Vec<i64>| (start..end).map(|at| [outer.as_slice(), &[at]].concat()).collect();
                    Some(all.iter().flat_map(|outer| -> Vec<Vec<i64>> { row(outer) }).collect())
                }
                _ => None,
            };
            body = Some(within);
            match within.stmts.first() {
                Some(Stmt::Expr(next)) => inner = next,
                _ => break,
            }
        }
        let jumps = std::mem::take(&mut self.jumps);
        let written = self.written(nest);
        let tries = !written.is_empty();
        self.touched = Some(Touched { phase: id, iteration: Vec::new(), written, elements: BTreeMap::new() });
        match (all, body) {
            (Some(all), Some(body)) if tries => {
                for iteration in all {
                    let mut state = state.clone();
                    for (var, value) in phase.vars.iter().zip(&iteration) {
                        self.set(&mut state, *var, Some(Value::Int(*value)));
                    }
                    self.touched.iter_mut().for_each(|touched| touched.iteration.clone_from(&iteration));
                    self.block(body, state)?;
                }
            }
            _ => self.hide(nest),
        }
        self.jumps = jumps;
        self.touched.take().into_iter().for_each(|touched| self.compare(phase, touched, &state));
        Ok(())
    }

    /// The arrays that threads share and that a phase may write.
    fn written(&self, nest: &Expr) -> BTreeSet<LocalId> {
        let mut all = BTreeSet::new();
        nest.any(&mut |expr| {
            if let ExprKind::Assign { place, .. } | ExprKind::Reference { place, .. } = &expr.kind {
                all.extend(place.root().filter(|local| self.body[*local].space == Space::Shared));
            }
            false
        });
        all
    }

    /// What is not understood may touch any element of the arrays that it names.
    pub(super) fn hide(&mut self, expr: &Expr) {
        let Some(touched) = &self.touched else { return };
        let arrays = named(expr).into_iter().filter(|local| self.body[*local].space == Space::Shared);
        self.tried.undecided.extend(arrays.map(|array| (touched.phase, array)));
    }

    /// An access to an array that threads share: to an element, or to a part of one.
    pub(super) fn touch(
        &mut self,
        array: LocalId,
        indexes: &[Option<Value>],
        (write, part): (bool, bool),
        place: &'b Expr,
        state: &mut State,
    ) {
        let Some(touched) = self.touched.as_mut().filter(|_| self.answered == 0) else { return };
        let Some((dims, lens)) = self.types.shared.get(&array) else { return };
        let number = |index: &Option<Value>| match index {
            Some(Value::Int(number)) => Some(*number),
            _ => None,
        };
        let element: Option<Vec<i64>> = indexes.iter().take(*dims).map(number).collect();
        let is_tried = touched.written.contains(&array) && self.body[array].atomics == 0;
        let Some(element) = element.filter(|of| is_tried && of.len() == *dims) else {
            self.tried.undecided.insert((touched.phase, array));
            return;
        };
        // Behind an access out of bounds, the iteration has ended.
        state.certain &= lens.len() == *dims && element.iter().zip(lens).all(|(index, len)| index < len);
        let certain = state.certain && !part && indexes.len() == *dims;
        let iteration = touched.iteration.clone();
        let touches = touched.elements.entry((array, element)).or_default();
        // Those of this iteration are the last ones.
        let mut own = touches.iter().rev().take_while(|touch| touch.iteration == iteration);
        if !own.any(|touch| (touch.write, touch.certain) == (write, certain)) {
            touches.push(Touch { iteration, write, certain, place });
        }
    }

    /// Compares what the iterations of a phase have touched.
    fn compare(&mut self, phase: &Phase, touched: Touched<'b>, state: &State) {
        for ((array, element), touches) in &touched.elements {
            let meets = |certain: bool| {
                let of = move |touch: &&Touch<'_>| touch.certain || !certain;
                touches.iter().filter(of).filter(|touch| touch.write).find_map(|one| {
                    let other = touches.iter().filter(of).find(|other| other.iteration != one.iteration)?;
                    Some((one, other))
                })
            };
            let key = (touched.phase, *array);
            if let Some((one, other)) = meets(true)
                && !self.tried.meetings.contains_key(&key)
            {
                let meeting = self.meeting(phase, (*array, element), one, other, state);
                self.tried.meetings.insert(key, meeting);
            }
            if meets(false).is_some() {
                self.tried.undecided.insert(key);
            }
        }
    }

    fn meeting(
        &self,
        phase: &Phase,
        (array, element): (LocalId, &[i64]),
        one: &Touch<'_>,
        other: &Touch<'_>,
        state: &State,
    ) -> Meeting {
        let name = |local: LocalId| names::plain(&self.body[local].name);
        let of = |iteration: &[i64]| {
            let list = |parts: Vec<String>| match parts.as_slice() {
                [one] => one.clone(),
                many => format!("({})", many.join(", ")),
            };
            let vars = phase.vars.iter().map(|var| name(*var)).collect();
            format!("{} = {}", list(vars), list(iteration.iter().map(ToString::to_string).collect()))
        };
        // The ends of a range have names that no user has written.
        let values = state.values.iter().map(|(local, value)| (name(*local), value));
        let values = values.filter(|(name, _)| !name.starts_with("__")).take(MOST_NAMED);
        let values: Vec<String> = values.map(|(name, value)| format!("{name} = {value}")).collect();
        let when = if values.is_empty() { String::new() } else { format!("with {}: ", values.join(", ")) };
        let indexes: String = element.iter().map(|index| format!("[{index}]")).collect();
        let (first, second, array) = (of(&one.iteration), of(&other.iteration), name(array));
        let at = format!("`{array}{indexes}`");
        let example = match other.write {
            true => format!("{when}{first} and {second} both write {at}"),
            false => format!("{when}{first} writes {at} (line {}), and {second} reads it", place(one.place.span).0),
        };
        let error = match other.write {
            true => {
                error(Code::OverlappingWrites, format!("iterations of a phase write the same element of `{array}`"))
                    .help("give each iteration an element of its own")
            }
            false => error(
                Code::OverlappingAccesses,
                format!("an iteration of a phase reads an element of `{array}` that another one writes"),
            )
            .help("read and write in two phases: a phase begins when the one before it has ended")
            .help("or write to another array"),
        };
        Meeting { span: other.place.span, error: error.example(Some(example)) }
    }
}

/// The variables that an expression names.
fn named(expr: &Expr) -> BTreeSet<LocalId> {
    let mut names = BTreeSet::new();
    expr.any(&mut |expr| {
        if let ExprKind::Local(local) = expr.kind {
            names.insert(local);
        }
        false
    });
    names
}
