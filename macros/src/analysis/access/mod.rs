//! The elements that a `par` loop touches: bounds, races, and the width of index arithmetic.
//!
//! An index is a [`Form`]: a polynomial, exact over the integers. [`extract`] follows a body in
//! program order and makes [`LoopFacts`] of it: which elements are accessed, under which
//! conditions, in which inner loops. What the launch needs of them goes there ([`told`]). The
//! launch has the numbers, and it alone decides bounds and races: see `anabranch_core::decide`.
//! What [`races`] refuses here is what launches with sample numbers refuse, with words and an
//! example.
//!
//! | file | what it knows |
//! |---|---|
//! | `extract` | a body as facts |
//! | `symbols`, `conditions` | the numbers in index expressions, and what conditions say of these |
//! | `quotients` | recombined divisions |
//! | `races` | loops that are refused |
//! | `trials`, `sizes`, `widths` | launches with sample numbers, and which of these are `usize` |
//! | `made` | what indexes are made of |
//! | `states` | phases whose iterations are apart, or meet, in every state of the block |
//! | `conflict`, `counterexample` | the error that shows two iterations that overlap, and its example |
//! | `bounds`, `extents` | how far an access reaches, and which accesses are in bounds |
//! | `told` | the facts that the launch gets |

mod bounds;
mod conditions;
mod conflict;
mod counterexample;
mod extents;
mod extract;
mod made;
mod quotients;
mod races;
mod sizes;
mod states;
mod symbols;
mod told;
mod trials;
mod widths;

pub(crate) use anabranch_core::ops::{Comparison, Operation};
pub(crate) use symbols::Symbols;

use std::collections::{BTreeMap, BTreeSet};

use anabranch_core::facts;
use anabranch_core::ir::code::Info;
use proc_macro2::Span;

use crate::ir::{CaptureId, DeviceFn, ParLoop, SiteId, SlotId};
use crate::report::Report;

/// The largest number that every integer type holds.
const MOST_NARROW: i64 = i8::MAX as i64;

/// An unknown of a [`Form`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Atom {
    /// A variable of the `par` loop, by its place.
    Var(usize),
    /// A number that is the same for all iterations, by its place in the table of symbols.
    Symbol(usize),
    /// Anything else: the variable of an inner loop, the result of an operation.
    Other(usize),
}

pub(crate) type Form = facts::Form<Atom>;
pub(crate) type Step = facts::Step<Atom>;
pub(crate) type Condition = facts::Condition<Atom>;
pub(crate) type Access = facts::Access<Atom>;

/// The facts of all loops. Reports iterations that may meet, and, where everything is to be
/// `proved`, accesses that are left to the device.
pub(crate) fn check(loops: &[ParLoop], proved: bool, report: &mut Report) -> Vec<LoopFacts> {
    let facts = loops.iter().map(|par_loop| {
        let mut facts = extract::of(par_loop);
        races::check(par_loop, &mut facts, report);
        facts.told = told::of(&mut facts, par_loop.dims.len());
        if proved {
            bounds::check(&facts, report);
        }
        facts
    });
    facts.collect()
}

/// What is known of a loop.
#[derive(Default)]
pub(crate) struct LoopFacts {
    /// What [`Atom::Symbol`] counts.
    pub(crate) symbols: Symbols,
    /// Number of [`Atom::Other`].
    pub(crate) others: usize,
    /// The symbols that are quotients of host values: `n / 2`.
    pub(crate) quotients: BTreeMap<Atom, (Form, i64)>,
    /// The first and last values of symbols that count a loop of the host part.
    pub(crate) counters: BTreeMap<usize, [i64; 2]>,
    /// The ranges of the loop variables, where host code is plain enough.
    pub(crate) ranges: Vec<Values>,
    /// What happens, in program order.
    pub(crate) steps: Vec<Step>,
    /// The accesses that the steps name.
    pub(crate) accesses: Vec<Found>,
    /// By buffers that the loop writes: the accesses that the launch has to tell apart.
    pub(crate) races: Vec<Vec<usize>>,
    /// What C++ depends on. Its `decided` is filled at the end.
    pub(crate) info: Info,
    /// The access of a site, if its check is left to the launch.
    pub(crate) decided: BTreeMap<SiteId, usize>,
    /// Results that depend on elements, and on nothing else that is known, with the accesses that
    /// load these elements.
    pub(crate) loaded: BTreeMap<Atom, BTreeSet<usize>>,
    /// Those of them that are elements, which may be any number of their type.
    pub(crate) elements: BTreeSet<Atom>,
    /// Results of operations whose values are known to lie between two forms.
    pub(crate) bounded: BTreeMap<Atom, Bounded>,
    /// By the lengths of grids: their extents.
    pub(crate) grids: BTreeMap<Atom, Vec<Atom>>,
    /// Numbers that are converted to another type somewhere, and no cast of a form says so: they
    /// have had no arithmetic that could wrap.
    pub(crate) converted: BTreeSet<Atom>,
    /// Results of operations that choose one of their operands: `Min` and `Max`.
    pub(crate) chosen: BTreeMap<Atom, (Operation, Vec<Form>)>,
    /// What the launch gets of all this.
    pub(crate) told: facts::Facts,
    /// The results of calls.
    pub(crate) called: BTreeSet<Atom>,
    /// The phases that write what threads share.
    pub(crate) phases: Vec<extract::PhaseFacts>,
    /// Iterations of phases that meet.
    meetings: Vec<states::Meeting>,
    /// What all of them are for the launch: an atom that nothing asks for.
    pub(crate) compares: Option<Atom>,
    /// Sites for whose races the user has to answer.
    pub(crate) unsafe_sites: BTreeSet<SiteId>,
}

impl LoopFacts {
    /// What C++ depends on.
    pub(crate) fn info(&self) -> Info {
        Info { decided: self.decided.keys().copied().collect(), ..self.info.clone() }
    }
}

/// What is known of a device function.
#[derive(Default)]
pub(crate) struct FunctionFacts {
    /// Of its body.
    pub(crate) facts: LoopFacts,
    /// What its callers' launches get.
    pub(crate) summary: facts::Summary,
    /// The parameters on which the accesses depend that it makes itself.
    pub(crate) needs: u64,
    /// Its calls of functions that are told: slot, `unlimited`, and for each argument the
    /// parameters on which it depends.
    pub(crate) calls: Vec<(SlotId, u64, Vec<u64>)>,
}

/// The facts of a device function; `decides`: it is told what the launch has shown.
pub(crate) fn of_function(function: &DeviceFn, decides: bool) -> FunctionFacts {
    let (mut facts, result) = extract::of_function(function);
    if !decides {
        facts.decided.clear();
        facts.info.calls.clear();
    }
    let told = told::of_function(&mut facts, result.as_ref());
    let params = function.params.iter().map(|(local, _)| function.body[*local].slot.0).collect();
    let ty = function.output.as_ref().map(|(slot, _)| slot.0);
    let told::Told { facts: of_body, result, needs, calls } = told;
    FunctionFacts { facts, summary: facts::Summary { facts: of_body, params, result, ty }, needs, calls }
}

/// The values that a variable takes: from the first form to the second, both included.
#[derive(Clone, Default)]
pub(crate) struct Values {
    pub(crate) first: Option<Form>,
    pub(crate) last: Option<Form>,
    /// Where the range ends as it is written; `None` where it is not one.
    pub(crate) end: Option<Form>,
    /// Its step, where it has one.
    pub(crate) step: Option<Form>,
    /// They contain no cast, which could change the number.
    pub(crate) plain: bool,
}

impl Values {
    /// From the first value to the last; of a loop that does not run as if it did once.
    pub(crate) fn extent(&self) -> Option<Form> {
        let extent = self.last.as_ref()?.sub(self.first.as_ref()?)?;
        Some(if extent.literal().is_some_and(|extent| extent < 0) { Form::constant(0) } else { extent })
    }
}

/// What bounds the result of an operation: `8` of `v % 8`, `n - 1` of `v.min(n - 1)`.
pub(crate) struct Bounded {
    pub(crate) values: Values,
    /// If this has not wrapped.
    pub(crate) by: Form,
}

/// An access, and what the launch is not told of it.
pub(crate) struct Found {
    pub(crate) access: Access,
    /// The user answers for races: `unsafe`.
    pub(crate) unsafe_access: bool,
    /// It touches only a part of these elements, `x[..][i..]`, so no example is made of it.
    part: bool,
    pub(crate) site: Option<SiteId>,
    pub(crate) span: Span,
    /// The inner loops around it, outermost first.
    pub(crate) loops: Vec<InnerLoop>,
    /// What holds there.
    pub(crate) conditions: Vec<Condition>,
    /// What else decides whether it happens, for examples of iterations that make it.
    guards: conditions::Guards,
}

impl Found {
    /// Whether it is of all elements of a view.
    fn is_whole(&self) -> bool {
        self.site.is_none()
    }

    pub(crate) fn view(&self) -> CaptureId {
        CaptureId(self.access.view)
    }
}

/// An inner loop, as an access in it sees it.
#[derive(Clone)]
pub(crate) struct InnerLoop {
    pub(crate) atom: Atom,
    pub(crate) values: Values,
}
