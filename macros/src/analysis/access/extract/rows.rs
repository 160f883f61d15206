//! Iterations of a phase that variables of the block tell apart.
//!
//! In a reduction by halves, `if t < half { all[t] += all[t + half]; }`, nobody knows what `half`
//! is. But all iterations have it in common, so it cuts the elements into rows of `half`: an
//! iteration below `half` has one element of each row. The range of the phase may say the same:
//! `for t in block.par(0..half)`.

use std::collections::BTreeSet;

use anabranch_core::facts::Term;

use super::super::{Atom, Comparison, Form, Found, LoopFacts};
use crate::ir::{BinOp, Block, Body, Expr, ExprKind, Flow, LocalId, Part, Slot, Stmt};

/// More rows are not understood.
const MOST_ROWS: i64 = 1 << 20;

/// The iterations of a phase.
pub(super) struct Iterations<'f> {
    pub(super) body: &'f Body,
    pub(super) facts: &'f LoopFacts,
    /// The first of its variables, which count from 0.
    pub(super) first: usize,
    /// How many values its variables have, where a form is exactly that.
    pub(super) trips: &'f [Option<Form>],
    /// The numbers that all iterations have in common and that may be sizes of rows: integers.
    /// Those of a user type could have methods that make any index of them.
    pub(super) sizes: &'f BTreeSet<Atom>,
    /// The comparisons, by slots, of two variables as they are, one of which [never
    /// grows](never_grow).
    pub(super) compared: &'f BTreeSet<usize>,
}

impl Iterations<'_> {
    /// Whether no two iterations meet in a group of accesses, one of which writes.
    pub(super) fn are_apart(&self, group: &[usize]) -> bool {
        let accesses = || group.iter().map(|at| &self.facts.accesses[*at]);
        accesses().filter(|found| found.access.write).all(|one| accesses().all(|other| self.apart(one, other)))
    }

    /// Two iterations differ in a variable. So each variable must be seen in a component of the
    /// index.
    fn apart(&self, one: &Found, other: &Found) -> bool {
        let (Some(ones), Some(others)) = (indexes(one), indexes(other)) else { return false };
        (self.first..).zip(self.trips).all(|(var, trips)| {
            ones.iter().zip(&others).any(|(a, b)| self.tells((one, a), (other, b), Atom::Var(var), trips.as_ref()))
        })
    }

    /// Whether two indexes are equal only where a variable is equal in both: they are
    /// `t + k * s + rest` and `u + l * s + rest`, where `s` and the rest are what all iterations
    /// have in common. If `k == l`, that is plain. If `k < l`, then `t` is `u + (l - k) * s`, so it
    /// is not below `s`.
    ///
    /// No variable has more than `2^40` values. Nor is `s` larger: a range up to it would have as
    /// many iterations, and in a condition it begins at a literal and never grows. So no sum wraps
    /// back to where another one is.
    fn tells(&self, one: (&Found, &Form), other: (&Found, &Form), var: Atom, trips: Option<&Form>) -> bool {
        let ((one, a), (other, b)) = (one, other);
        let (Some(mut a), Some(mut b)) = (self.parts(a, var), self.parts(b, var)) else { return false };
        if a == b {
            return true;
        }
        // What they do not have in common must be rows of one size.
        let same: Vec<_> = a.iter().filter(|part| b.contains(part)).copied().collect();
        a.retain(|part| !same.contains(part));
        b.retain(|part| !same.contains(part));
        let (size, k, l) = match (a.as_slice(), b.as_slice()) {
            (&[(size, k)], &[(other, l)]) if size == other => (size, k, l),
            (&[(size, k)], []) => (size, k, 0),
            ([], &[(size, l)]) => (size, 0, l),
            _ => return false,
        };
        let lower = if k < l { one } else { other };
        k.abs().max(l.abs()) < MOST_ROWS && (trips.and_then(single) == Some(size) || self.is_below(lower, var, size))
    }

    /// The parts of an index besides the variable, which has the factor 1: atoms with their
    /// factors. A number is a part of the variable's own atom, so that nothing takes it for a row.
    fn parts(&self, index: &Form, var: Atom) -> Option<Vec<(Atom, i64)>> {
        // A method or an assignment of a user type makes any number, although a form says
        // otherwise; operands may even have cancelled in it. A slot of one tells the launch, but
        // nobody here.
        let is_of_user = |slot: usize| matches!(self.body.slots[slot], Slot::Method | Slot::Assign);
        if index.casts.iter().any(|cast| cast.from != cast.to || is_of_user(cast.from)) {
            return None;
        }
        // What has cancelled may have been no number, or several of one spelling.
        if index.size.atoms().any(|atom| index.value.atoms().all(|kept| kept != atom)) {
            return None;
        }
        let (mut parts, mut owned) = (Vec::new(), false);
        for Term { atoms, factor } in &index.value.terms {
            match atoms.as_slice() {
                [] => parts.push((var, *factor)),
                [atom] if *atom == var && *factor == 1 => owned = true,
                [atom] if self.sizes.contains(atom) => parts.push((*atom, *factor)),
                _ => return None,
            }
        }
        owned.then_some(parts)
    }

    /// Whether an access is made only where a variable is below a number.
    fn is_below(&self, found: &Found, var: Atom, size: Atom) -> bool {
        found.conditions.iter().any(|condition| {
            condition.comparison == Comparison::Less
                && self.compared.contains(&condition.ty)
                && single(&condition.lhs) == Some(var)
                && single(&condition.rhs) == Some(size)
        })
    }
}

/// The atom that a form is.
pub(super) fn single(form: &Form) -> Option<Atom> {
    match form.value.terms.as_slice() {
        [Term { atoms, factor: 1 }] if form.casts.is_empty() => atoms.first().copied().filter(|_| atoms.len() == 1),
        _ => None,
    }
}

/// The components of an index; of a slice it is one.
fn indexes(found: &Found) -> Option<Vec<&Form>> {
    if found.access.end.is_some() { None } else { found.access.components().map(|(_, index)| index).collect() }
}

/// The variables whose first value is a literal, and which only divisions, shifts to the right and
/// each other's values follow: they are integers, not negative, and no greater than the literals.
pub(super) fn never_grow(body: &Body, followed: &BTreeSet<LocalId>) -> BTreeSet<LocalId> {
    let mut all = Values::default();
    all.block(&body.block);
    let first = |(local, value): &(LocalId, Assigned<'_>)| matches!(value, Assigned::First(_)).then_some(*local);
    let mut small: BTreeSet<LocalId> = all.values.iter().filter_map(first).collect();
    small.retain(|local| {
        !body[*local].loose && !body[*local].late && (!body[*local].mutable || followed.contains(local))
    });
    loop {
        let before = small.len();
        for (local, value) in &all.values {
            let is_small = match value {
                Assigned::First(value) | Assigned::Later(value) => all.is_small(value, &small),
                Assigned::Operation(op, by) => matches!(op, BinOp::Div | BinOp::Shr) && all.is_integer(by, &small),
            };
            if !is_small {
                small.remove(local);
            }
        }
        if small.len() == before {
            return small;
        }
    }
}

/// What variables get.
#[derive(Default)]
struct Values<'b> {
    values: Vec<(LocalId, Assigned<'b>)>,
    /// The variables of inner loops, which are integers.
    counters: BTreeSet<LocalId>,
}

enum Assigned<'b> {
    /// In its `let`.
    First(&'b Expr),
    Later(&'b Expr),
    /// `local op= value`.
    Operation(BinOp, &'b Expr),
}

impl<'b> Values<'b> {
    fn block(&mut self, block: &'b Block) {
        for stmt in &block.stmts {
            if let Stmt::Let { pat, init, .. } = stmt
                && let Some(local) = pat.name()
            {
                self.values.push((local, Assigned::First(init)));
            }
        }
        self.parts(block.parts());
    }

    fn expr(&mut self, expr: &'b Expr) {
        match &expr.kind {
            ExprKind::Assign { place, value, op: None } => {
                self.values.extend(place.root().map(|local| (local, Assigned::Later(value))));
            }
            ExprKind::Assign { place, value, op: Some(op) } => {
                self.values.extend(place.root().map(|local| (local, Assigned::Operation(op.op, value))));
            }
            ExprKind::Flow { flow: Flow::For { var, .. }, .. } => _ = self.counters.insert(*var),
            _ => {}
        }
        self.parts(expr.parts());
    }

    fn parts(&mut self, parts: Vec<Part<'b>>) {
        for part in parts {
            match part {
                Part::Expr(expr) => self.expr(expr),
                Part::Block(block) => self.block(block),
            }
        }
    }

    fn is_small(&self, value: &Expr, small: &BTreeSet<LocalId>) -> bool {
        match &value.kind {
            ExprKind::Int { digits, .. } => digits.parse::<u32>().is_ok(),
            ExprKind::Local(local) => small.contains(local),
            ExprKind::Binary { op: BinOp::Div | BinOp::Shr, lhs, rhs, .. } => {
                self.is_small(lhs, small) && self.is_integer(rhs, small)
            }
            _ => false,
        }
    }

    fn is_integer(&self, value: &Expr, small: &BTreeSet<LocalId>) -> bool {
        match &value.kind {
            ExprKind::Int { .. } => true,
            ExprKind::Local(local) => small.contains(local) || self.counters.contains(local),
            _ => false,
        }
    }
}
