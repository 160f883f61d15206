//! What host values are taken to be where two iterations are looked for that meet.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use anabranch_core::facts::Term;

use super::trials::Results;
use super::{Atom, Condition, Form, LoopFacts, MOST_NARROW, Operation};

/// Larger operands do not count.
const MOST_LITERAL: i64 = 64;
/// Host values to try.
const TRIALS: [Rule; 10] = [
    Rule::Steps(4, 1),
    Rule::Steps(3, 1),
    Rule::Steps(6, 1),
    Rule::Steps(1, 1),
    Rule::Steps(12, 1),
    Rule::Steps(9, -2),
    Rule::Steps(1, 6),
    Rule::Steps(15, -10),
    Rule::Steps(6, 9),
    Rule::Ones,
];
/// The number of iterations of [`Rule::Ones`].
const ONES: i64 = 8;
/// Of [`Rule::Drawn`]: how many there are, what host values are, and what numbers of iterations and
/// lengths are at least. These are larger than all others, as they are in most programs.
const DRAWS: u64 = 128;
const DRAWN: [i64; 8] = [3, 4, 5, 6, 9, 12, 24, 48];
const LEAST_COUNT: i64 = 96;

/// How large host values are.
#[derive(Clone, Copy)]
enum Rule {
    /// The first, and by how much each next one is larger.
    Steps(i64, i64),
    /// As small as they can be, but for the number of iterations.
    Ones,
    /// By chance.
    Drawn(u64),
}

impl Rule {
    fn of(self, symbol: usize, is_count: bool) -> i64 {
        match self {
            Rule::Steps(first, more) => (first + more * symbol as i64).max(1),
            Rule::Ones => {
                if is_count {
                    ONES
                } else {
                    1
                }
            }
            Rule::Drawn(draw) => {
                // SplitMix64.
                let mixed = |bits: u64, by: u32, factor: u64| (bits ^ bits >> by).wrapping_mul(factor);
                let bits = (draw << 32 | symbol as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                let bits = mixed(mixed(bits, 30, 0xbf58_476d_1ce4_e5b9), 27, 0x94d0_49bb_1331_11eb);
                let value = DRAWN[(bits >> 32) as usize % DRAWN.len()];
                if is_count { LEAST_COUNT + value / 2 } else { value }
            }
        }
    }
}

/// The sizes of one trial.
#[derive(Clone)]
pub(super) struct Sizes {
    /// The host values that indexes only add.
    offsets: Rc<Vec<usize>>,
    /// Those that are meant to be powers of two.
    powers: Rc<BTreeSet<usize>>,
    /// Those that say how many iterations there are, and what there should be more of: `i % 16`
    /// says nothing of 9 iterations.
    counts: Rc<(BTreeSet<usize>, i64)>,
    /// Those of which the first and last values are known.
    counters: Rc<BTreeMap<usize, [i64; 2]>>,
    rule: Rule,
}

impl Sizes {
    /// For each trial.
    pub(super) fn all(facts: &LoopFacts, results: &Results<'_>, accesses: &[usize]) -> impl Iterator<Item = Self> {
        let first = Self {
            offsets: Rc::new(offsets(facts, results, accesses)),
            powers: Rc::new(powers(results)),
            counts: Rc::new((counts(facts), most_literal(results))),
            counters: Rc::new(counters(facts, results, accesses)),
            rule: Rule::Ones,
        };
        TRIALS.into_iter().map(move |rule| Self { rule, ..first.clone() })
    }

    /// For each trial by chance, with what another trial knows.
    pub(super) fn drawn(facts: &LoopFacts, results: &Results<'_>, accesses: &[usize]) -> impl Iterator<Item = Self> {
        let known = Self::all(facts, results, accesses).next();
        (0..DRAWS).filter_map(move |draw| Some(Self { rule: Rule::Drawn(draw), ..known.clone()? }))
    }

    /// What the length of a slice is taken to be, which is a `usize`.
    pub(super) fn length(&self, symbol: usize) -> i64 {
        match self.rule {
            Rule::Drawn(_) => self.rule.of(symbol, true) * 8,
            Rule::Steps(..) | Rule::Ones => self.of(symbol),
        }
    }

    /// What a host value is taken to be.
    pub(super) fn of(&self, symbol: usize) -> i64 {
        if let Some([first, last]) = self.counters.get(&symbol) {
            let values = last.saturating_sub(*first).saturating_add(1).max(1);
            return first.saturating_add(self.rule.of(symbol, false).rem_euclid(values));
        }
        if let Some(rank) = self.offsets.iter().position(|offset| *offset == symbol) {
            return 1 + rank as i64;
        }
        let (counts, more) = &*self.counts;
        let size = self.rule.of(symbol, counts.contains(&symbol));
        let size = if counts.contains(&symbol) && size <= 2 * more { size + more + 1 } else { size };
        match self.powers.contains(&symbol) {
            true => size.min(MOST_NARROW / 2).cast_unsigned().next_power_of_two().cast_signed(),
            false => size.min(MOST_NARROW),
        }
    }
}

/// The host values that indexes only add: `k` of `x[i + k]`. People mean them to be small beside
/// sizes.
fn offsets(facts: &LoopFacts, results: &Results<'_>, accesses: &[usize]) -> Vec<usize> {
    let accesses = || accesses.iter().filter_map(|&at| facts.accesses.get(at));
    let indexes = || accesses().flat_map(|found| found.access.forms());
    let conditions = accesses().flat_map(|found| &found.conditions);
    let compared = conditions.flat_map(|condition| [&condition.lhs, &condition.rhs]);
    let terms = indexes().chain(compared).flat_map(|form| &form.value.terms);
    let is_moving = |atoms: &[Atom]| atoms.iter().any(|atom| !matches!(atom, Atom::Symbol(_)));
    let factors = terms.filter(|term| is_moving(&term.atoms)).flat_map(|term| term.atoms.iter().copied());
    let loops = accesses().flat_map(|found| found.loops.iter().map(|inner| &inner.values));
    let ends = facts.ranges.iter().chain(loops).flat_map(|values| [&values.first, &values.last, &values.step]);
    let operands = results.values().flat_map(|(_, operands)| operands.iter());
    let sizes: BTreeSet<Atom> = factors.chain(ends.flatten().chain(operands).flat_map(Form::atoms)).collect();
    let mut offsets: Vec<usize> = indexes()
        .flat_map(Form::atoms)
        .filter(|atom| !sizes.contains(atom))
        .filter_map(|atom| if let Atom::Symbol(at) = atom { Some(at) } else { None })
        .collect();
    offsets.sort_unstable();
    offsets.dedup();
    offsets
}

/// The host values of which it is known how small they are, and those that are compared with
/// remainders: `(x + y) % 2 != color`.
fn counters(facts: &LoopFacts, results: &Results<'_>, accesses: &[usize]) -> BTreeMap<usize, [i64; 2]> {
    let alone = |form: &Form| match form.value.terms.as_slice() {
        [Term { atoms, factor: 1 }] if atoms.len() == 1 => atoms.first().copied(),
        _ => None,
    };
    let conditions = accesses.iter().filter_map(|&at| facts.accesses.get(at)).flat_map(|found| &found.conditions);
    let colors =
        conditions.flat_map(|Condition { lhs, rhs, .. }| [(lhs, rhs), (rhs, lhs)]).filter_map(|(rest, color)| {
            let (rest, Atom::Symbol(color)) = (alone(rest)?, alone(color)?) else { return None };
            let modulus = match results.get(&rest)? {
                (Operation::Rem | Operation::RemEuclid, [_, by]) => by.literal()?,
                (Operation::And, [_, mask]) => mask.literal()?.checked_add(1)?,
                _ => return None,
            };
            (1..=MOST_LITERAL).contains(&modulus).then_some((color, [0, modulus - 1]))
        });
    // What is known comes last.
    colors.chain(facts.counters.iter().map(|(symbol, values)| (*symbol, *values))).collect()
}

/// The host values that are the number of iterations over a variable, or the end of its range.
fn counts(facts: &LoopFacts) -> BTreeSet<usize> {
    let alone = |form: &Form| match form.value.atoms().collect::<Vec<_>>().as_slice() {
        &[&Atom::Symbol(at)] => Some(at),
        _ => None,
    };
    facts.ranges.iter().filter_map(|values| alone(values.last.as_ref()?)).collect()
}

/// The largest number that operations have as an operand, up to a limit.
fn most_literal(results: &Results<'_>) -> i64 {
    let wanted = [Operation::Rem, Operation::RemEuclid, Operation::And, Operation::Div, Operation::Min];
    let of_these = results.values().filter(|(operation, _)| wanted.contains(operation));
    let literals = of_these.flat_map(|(_, operands)| operands.iter().filter_map(Form::literal));
    literals.filter(|literal| (0..=MOST_LITERAL).contains(literal)).max().unwrap_or(0)
}

/// The host values that are meant to be powers of two: `t & (half - 1)`, `i ^ stride`. With others,
/// most right kernels are wrong.
fn powers(results: &Results<'_>) -> BTreeSet<usize> {
    let of = |form: &Form| match form.value.atoms().copied().collect::<Vec<_>>().as_slice() {
        &[Atom::Symbol(at)] => Some((at, form.sub(&Form::atom(Atom::Symbol(at)))?.literal()?)),
        _ => None,
    };
    let operands = |wanted: Operation, far: i64| {
        let all =
            results.values().filter(move |(operation, _)| *operation == wanted).flat_map(|(_, operands)| *operands);
        all.filter_map(of).filter(move |(_, more)| *more == far).map(|(at, _)| at)
    };
    operands(Operation::And, -1).chain(operands(Operation::Xor, 0)).collect()
}
