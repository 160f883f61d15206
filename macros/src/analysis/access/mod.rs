//! The elements that a `par` loop touches: bounds, races, and the width of index arithmetic.
//!
//! An index is a [`Form`]: a polynomial, exact over the integers. [`extract`] follows a body in program order and makes
//! [`Facts`] of it: which elements are accessed, under which conditions, in which inner loops. The facts go to the launch as
//! constant data ([`tokens`]). The launch has the numbers, and it alone decides bounds and races: see
//! `anabranch::private::data::facts`. What [`races`] refuses here is refused early, with words and an example.
//!
//! | file | what it knows |
//! |---|---|
//! | `extract` | a body as facts |
//! | `form`, `symbols`, `conditions` | index expressions, the numbers in them, and what conditions say of these |
//! | `races`, `digits`, `disjoint`, `quotients` | the rules that tell iterations apart: delinearization, the GCD test, recombined divisions |
//! | `counterexample`, `conflict` | two iterations that overlap, and the error that shows them |
//! | `bounds`, `extents` | how far an access reaches, and which accesses are in bounds |
//! | `prune`, `tokens` | the facts that the launch gets |

mod bounds;
mod conditions;
mod conflict;
mod counterexample;
mod digits;
mod disjoint;
mod extents;
mod extract;
mod form;
mod prune;
mod quotients;
mod races;
mod symbols;
mod tokens;

pub(crate) use anabranch_core::ops::{Comparison, Operation};
pub(crate) use form::{Atom, Cast, Form};
pub(crate) use symbols::{Source, Symbols};

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::Span;

use crate::ir::{BinOp, CaptureId, Expr, ExprKind, LocalId, ParLoop, SiteId, SlotId};
use crate::report::Report;

/// The facts of all loops. Reports iterations that may meet, and, where everything is to be `proved`, accesses that are left to
/// the device.
pub(crate) fn check(loops: &[ParLoop], proved: bool, report: &mut Report) -> Vec<Facts> {
    let facts = loops.iter().map(|par_loop| {
        let mut facts = extract::of(par_loop);
        races::check(par_loop, &mut facts, report);
        prune::prune(&mut facts, par_loop.dims.len());
        if proved {
            bounds::check(&facts, report);
        }
        facts
    });
    facts.collect()
}

/// The skeleton of a loop body.
#[derive(Default)]
pub(crate) struct Facts {
    /// What [`Atom::Symbol`] counts.
    pub(crate) symbols: Symbols,
    /// Number of [`Atom::Other`].
    pub(crate) others: usize,
    /// Those of them that the launch is told of.
    pub(crate) kept: BTreeSet<usize>,
    /// The symbols that are quotients of host values: `n / 2`.
    pub(crate) quotients: BTreeMap<Atom, (Form, i64)>,
    /// The ranges of the loop variables, where host code is plain enough.
    pub(crate) ranges: Vec<Interval>,
    /// What happens, in program order.
    pub(crate) steps: Vec<Step>,
    /// The accesses that the steps name.
    pub(crate) accesses: Vec<Access>,
    /// By buffers that the loop writes: the accesses that the launch has to tell apart.
    pub(crate) races: Vec<Vec<usize>>,
    /// The access of a site, if its check is left to the launch.
    pub(crate) decided: BTreeMap<SiteId, usize>,
    /// Variables that such accesses are indexed with.
    pub(crate) indexing: BTreeSet<LocalId>,
    /// Variables of inner loops whose ends the launch knows.
    pub(crate) counted: BTreeSet<LocalId>,
    /// Variables that are forms whose size the launch knows, and not just any number.
    pub(crate) plain: BTreeSet<LocalId>,
    /// Results that depend on elements, and on nothing else that is known, with the accesses that load these elements.
    pub(crate) loaded: BTreeMap<Atom, BTreeSet<usize>>,
    /// Results of operations whose values are known to lie between two forms.
    pub(crate) bounded: BTreeMap<usize, Bounded>,
    /// Results of operations that choose one of their operands: `Min` and `Max`.
    pub(crate) chosen: BTreeMap<usize, (Operation, Vec<Form>)>,
    /// Sites for whose races the user has to answer.
    pub(crate) unsafe_sites: BTreeSet<SiteId>,
}

impl Facts {
    /// Whether the value of an expression is a form by its looks: then index arithmetic in 32 bits can make it, whose size
    /// the launch knows.
    pub(crate) fn is_plain(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Int { .. } | ExprKind::Captured(_) | ExprKind::Len(_) => true,
            ExprKind::Local(local) => self.plain.contains(local),
            ExprKind::Binary { op: BinOp::Add | BinOp::Sub | BinOp::Mul, lhs, rhs, .. } => {
                self.is_plain(lhs) && self.is_plain(rhs)
            }
            ExprKind::Cast { operand, .. } | ExprKind::GenericCast { operand, .. } => self.is_plain(operand),
            ExprKind::Method { method, args, .. } => method.is_narrow() && args.iter().all(|arg| self.is_plain(arg)),
            _ => false,
        }
    }
}

/// A number that is the same for all iterations.
pub(crate) struct Symbol {
    /// As the user wrote it.
    pub(crate) name: String,
    /// The block of the body that declares it, if it is a constant: see `ExprKind::Constant`.
    pub(crate) scope: usize,
    /// Where the launch finds its number. `None`: it has no need for it.
    pub(crate) source: Option<Source>,
}

/// The values that a variable takes: from the first form to the second, both included.
#[derive(Clone, Default)]
pub(crate) struct Interval {
    pub(crate) first: Option<Form>,
    pub(crate) last: Option<Form>,
    /// Where the range ends as it is written; `None` where it is not one.
    pub(crate) end: Option<Form>,
    /// Its step, where it has one.
    pub(crate) step: Option<Form>,
    /// They contain no cast, which could change the number.
    pub(crate) plain: bool,
}

impl Interval {
    /// From the first value to the last; of a loop that does not run as if it did once.
    pub(crate) fn extent(&self) -> Option<Form> {
        let extent = self.last.as_ref()?.sub(self.first.as_ref()?)?;
        Some(if extent.literal().is_some_and(|extent| extent < 0) { Form::constant(0) } else { extent })
    }
}

/// What bounds the result of an operation: `8` of `v % 8`, `n - 1` of `v.min(n - 1)`.
pub(crate) struct Bounded {
    pub(crate) values: Interval,
    /// If this has not wrapped.
    pub(crate) by: Form,
}

/// What happens in an iteration.
#[derive(Clone)]
pub(crate) enum Step {
    /// An atom is bound to the result of an operation.
    Let {
        atom: usize,
        operation: Operation,
        operands: Vec<Form>,
        ty: SlotId,
        /// Index arithmetic in 32 bits does it, too.
        narrow: bool,
    },
    /// An atom will be one of the values that are joined to it.
    Declare { atom: usize },
    /// A way on which it gets this value.
    Join { atom: usize, value: Form, ty: SlotId },
    /// An inner loop.
    For {
        atom: usize,
        start: Form,
        end: Form,
        inclusive: bool,
        step: Option<Form>,
        ty: SlotId,
        /// Counted in 32 bits where indexes are.
        narrow: bool,
        body: Vec<Step>,
    },
    /// What happens only where all the conditions hold.
    When { conditions: Vec<Condition>, body: Vec<Step> },
    /// An access.
    Access(usize),
}

/// `lhs op rhs`.
#[derive(Clone, PartialEq)]
pub(crate) struct Condition {
    pub(crate) lhs: Form,
    pub(crate) comparison: Comparison,
    pub(crate) rhs: Form,
    pub(crate) ty: SlotId,
}

/// An access of elements of a buffer.
pub(crate) struct Access {
    pub(crate) view: CaptureId,
    /// The symbol of its length.
    pub(crate) len: usize,
    /// The element, or the first of a range. `None`: nothing is known.
    pub(crate) index: Option<Form>,
    /// End of a range of elements.
    pub(crate) end: Option<Option<Form>>,
    pub(crate) write: bool,
    /// Every iteration makes it.
    pub(crate) always: bool,
    /// The user answers for races: `unsafe`.
    pub(crate) unsafe_access: bool,
    pub(crate) site: Option<SiteId>,
    pub(crate) span: Span,
    /// The index as the user wrote it.
    pub(crate) text: String,
    /// The inner loops around it, outermost first.
    pub(crate) loops: Vec<InnerLoop>,
    /// What holds there.
    pub(crate) conditions: Vec<Condition>,
    /// What else decides whether it happens, for examples of iterations that make it.
    guards: conditions::Guards,
}

/// An inner loop, as an access in it sees it.
#[derive(Clone)]
pub(crate) struct InnerLoop {
    pub(crate) atom: usize,
    pub(crate) values: Interval,
}
