//! Numbers of a block's program, as expressions that can be compared, evaluated and taken apart.
//!
//! An index is a `usize`, and so is all that it is made of without a conversion, but for what a
//! shift shifts by: an operator of a user's type cannot return an integer. So arithmetic here is
//! that of `u64`, with wrapping, and nothing is lost where a sum or a difference wraps.

use std::collections::BTreeMap;

use crate::ir::{BinOp, Body, CaptureId, Expr, ExprKind, LocalId, LocalKind, LoopId, LoopRange, Pat, PatKind, Space};

/// Larger expressions are no numbers: each variable may stand for one.
const MOST_NODES: usize = 64;
/// Products with more terms are taken as they are.
const MOST_TERMS: usize = 32;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Num {
    Lit(u64),
    Atom(Atom),
    Op(BinOp, Box<Num>, Box<Num>),
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Atom {
    /// Of an iteration of a phase: its place along a dimension, from 0.
    Place(usize),
    /// The variable of a loop inside of a step, by its depth there.
    Inner(usize),
    /// A variable of the block's program, in the round in which the later of two steps is.
    Local(LocalId),
    /// The same one round before: of a loop, one less.
    Last(LocalId),
    /// The same in some other round.
    Other(LocalId),
    Captured(CaptureId),
    Len(CaptureId),
}

/// A sum of products: their factors by what is multiplied. Nothing in there is a sum.
pub(super) type Sum = BTreeMap<Vec<Num>, u64>;

impl Num {
    pub(super) fn op(op: BinOp, lhs: Num, rhs: Num) -> Num {
        Num::Op(op, Box::new(lhs), Box::new(rhs))
    }

    fn nodes(&self) -> usize {
        match self {
            Num::Lit(_) | Num::Atom(_) => 1,
            Num::Op(_, lhs, rhs) => 1 + lhs.nodes() + rhs.nodes(),
        }
    }

    pub(super) fn any(&self, is_it: &dyn Fn(Atom) -> bool) -> bool {
        match self {
            Num::Lit(_) => false,
            Num::Atom(atom) => is_it(*atom),
            Num::Op(_, lhs, rhs) => lhs.any(is_it) || rhs.any(is_it),
        }
    }

    pub(super) fn atoms(&self, all: &mut Vec<Atom>) {
        match self {
            Num::Lit(_) => {}
            Num::Atom(atom) => all.push(*atom),
            Num::Op(_, lhs, rhs) => {
                lhs.atoms(all);
                rhs.atoms(all);
            }
        }
    }

    /// With something else in the place of each atom.
    pub(super) fn map(&self, with: &dyn Fn(Atom) -> Num) -> Num {
        match self {
            Num::Lit(value) => Num::Lit(*value),
            Num::Atom(atom) => with(*atom),
            Num::Op(op, lhs, rhs) => Num::op(*op, lhs.map(with), rhs.map(with)),
        }
    }

    /// Its value; `None` where an atom has none, or where it does not exist.
    pub(super) fn value(&self, of: &dyn Fn(Atom) -> Option<u64>) -> Option<u64> {
        Some(match self {
            Num::Lit(value) => *value,
            Num::Atom(atom) => of(*atom)?,
            Num::Op(op, lhs, rhs) => {
                let (a, b) = (lhs.value(of)?, rhs.value(of)?);
                match op {
                    BinOp::Add => a.wrapping_add(b),
                    BinOp::Sub => a.wrapping_sub(b),
                    BinOp::Mul => a.wrapping_mul(b),
                    BinOp::Div => a.checked_div(b)?,
                    BinOp::Rem => a.checked_rem(b)?,
                    BinOp::And => a & b,
                    BinOp::Or => a | b,
                    BinOp::Xor => a ^ b,
                    BinOp::Shl => a.checked_shl(u32::try_from(b).ok()?)?,
                    BinOp::Shr => a.checked_shr(u32::try_from(b).ok()?)?,
                }
            }
        })
    }

    pub(super) fn sum(&self) -> Sum {
        let alone = || Sum::from([(vec![self.clone()], 1)]);
        match self {
            Num::Lit(value) => times(&Sum::from([(Vec::new(), 1)]), *value),
            Num::Atom(Atom::Last(local)) => {
                Sum::from([(vec![Num::Atom(Atom::Local(*local))], 1), (Vec::new(), u64::MAX)])
            }
            Num::Atom(_) => alone(),
            Num::Op(BinOp::Add, lhs, rhs) => plus(lhs.sum(), &rhs.sum(), 1),
            Num::Op(BinOp::Sub, lhs, rhs) => plus(lhs.sum(), &rhs.sum(), u64::MAX),
            Num::Op(BinOp::Mul, lhs, rhs) => product(&lhs.sum(), &rhs.sum()).unwrap_or_else(alone),
            Num::Op(BinOp::Shl, lhs, rhs) => match **rhs {
                Num::Lit(by) if by < 64 => times(&lhs.sum(), 1 << by),
                _ => alone(),
            },
            Num::Op(..) => alone(),
        }
    }
}

/// `sum + factor * other`, where `u64::MAX` is -1.
pub(super) fn plus(mut sum: Sum, other: &Sum, factor: u64) -> Sum {
    for (atoms, by) in other {
        let own = sum.entry(atoms.clone()).or_default();
        *own = own.wrapping_add(by.wrapping_mul(factor));
    }
    sum.retain(|_, factor| *factor != 0);
    sum
}

fn times(sum: &Sum, factor: u64) -> Sum {
    plus(Sum::new(), sum, factor)
}

fn product(lhs: &Sum, rhs: &Sum) -> Option<Sum> {
    let mut all = Sum::new();
    for ((a, by), (b, with)) in lhs.iter().flat_map(|one| rhs.iter().map(move |other| (one, other))) {
        let mut atoms = [a.as_slice(), b].concat();
        atoms.sort();
        all = plus(all, &Sum::from([(atoms, by.wrapping_mul(*with))]), 1);
    }
    (all.len() <= MOST_TERMS).then_some(all)
}

/// The variable of a loop of the block's program.
pub(super) struct Counter {
    /// One more in each round.
    pub(super) by_one: bool,
    /// The first value, and where they end, as far as these are literal.
    pub(super) first: Option<u64>,
    pub(super) end: Option<u64>,
}

/// What the variables of a block's program are that never change.
pub(super) struct Numbers<'b> {
    pub(super) body: &'b Body,
    known: BTreeMap<LocalId, Num>,
    /// The loops around where a variable is declared.
    pub(super) homes: BTreeMap<LocalId, Vec<LoopId>>,
    pub(super) counters: BTreeMap<LocalId, Counter>,
}

impl<'b> Numbers<'b> {
    pub(super) fn new(body: &'b Body, vars: impl Iterator<Item = LocalId>) -> Self {
        let known = vars.map(|var| (var, Num::Atom(Atom::Local(var)))).collect();
        Self { body, known, homes: BTreeMap::new(), counters: BTreeMap::new() }
    }

    fn may_be_known(&self, local: LocalId) -> bool {
        let declared = &self.body[local];
        !declared.mutable && declared.kind == LocalKind::Value && declared.space == Space::Own
    }

    pub(super) fn set(&mut self, local: LocalId, num: Option<Num>) {
        match num.filter(|num| self.may_be_known(local) && num.nodes() <= MOST_NODES) {
            Some(num) => drop(self.known.insert(local, num)),
            None => drop(self.known.remove(&local)),
        }
    }

    /// Variables that the block's program declares. What they are, they are for all threads.
    pub(super) fn declare(&mut self, pat: &Pat, init: &Expr, around: &[LoopId]) {
        self.bind(pat, init);
        for local in pat.locals() {
            if !self.known.contains_key(&local) && self.may_be_known(local) {
                self.known.insert(local, Num::Atom(Atom::Local(local)));
                self.homes.insert(local, around.to_vec());
            }
        }
    }

    /// Variables that a thread declares.
    pub(super) fn bind(&mut self, pat: &Pat, init: &Expr) {
        match (&pat.kind, &init.kind) {
            (PatKind::Bind { local, sub: None }, _) => {
                let num = self.of(init);
                self.set(*local, num);
            }
            (PatKind::Tuple(list), ExprKind::Tuple { elems, .. }) if list.back.is_none() => {
                list.front.iter().zip(elems).for_each(|(pat, init)| self.bind(pat, init));
            }
            _ => {}
        }
    }

    /// The variable of a loop of the block's program, which is the last of those around.
    pub(super) fn count(&mut self, var: LocalId, range: &LoopRange, around: &[LoopId]) {
        if around.is_empty() || !self.may_be_known(var) {
            return;
        }
        let literal = |num: Option<Num>| match num {
            Some(Num::Lit(value)) => Some(value),
            _ => None,
        };
        let (first, end) = (literal(self.of(&range.start)), literal(self.of(&range.end)));
        // The other ways to go through a range have the same values.
        let end = end.and_then(|end| end.checked_add(u64::from(range.inclusive)));
        self.counters.insert(var, Counter { by_one: range.adaptors.is_empty(), first, end });
        self.homes.insert(var, around.to_vec());
        self.known.insert(var, Num::Atom(Atom::Local(var)));
    }

    pub(super) fn of(&self, expr: &Expr) -> Option<Num> {
        Some(match &expr.kind {
            ExprKind::Int { digits, .. } => Num::Lit(digits.parse().ok()?),
            ExprKind::Local(local) => self.known.get(local)?.clone(),
            ExprKind::Captured(capture) => Num::Atom(Atom::Captured(*capture)),
            ExprKind::Len(view) => Num::Atom(Atom::Len(*view)),
            ExprKind::Binary { op, lhs, rhs, .. } => {
                let (lhs, rhs) = (self.of(lhs)?, self.of(rhs)?);
                // The number to shift by has a type of its own, in which a sum may wrap.
                let shifts = matches!(op, BinOp::Shl | BinOp::Shr);
                if shifts && !matches!(rhs, Num::Lit(_)) {
                    return None;
                }
                Num::op(*op, lhs, rhs)
            }
            _ => return None,
        })
    }
}
