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
/// So many more trials have numbers by chance. Loops have few iterations there, and what indexes
/// multiply has any size: so for one that is right if its strides are large enough, there is a
/// trial that shows it.
const DRAWS: u64 = 192;
const DRAWN: [i64; 12] = [1, 2, 3, 5, 8, 16, 33, 64, 127, 512, 4_096, 65_536];
const DRAWN_LENGTHS: [i64; 4] = [64, 512, 4_096, 65_536];
/// The fewest iterations there, of the loop and of an inner one.
const DRAWN_COUNTS: [i64; 2] = [6, 3];
/// The number after the least and the greatest of those that are drawn.
const MORE: i64 = 3;

/// How large host values are.
#[derive(Clone, Copy)]
enum Rule {
    /// The first, and by how much each next one is larger.
    Steps(i64, i64),
    /// As small as they can be, but for the number of iterations.
    Ones,
    /// By chance.
    Drawn(u64),
    /// By chance, whatever they are used for.
    Wild(u64),
}

/// What the host values are used for.
struct Roles {
    /// Those that indexes only add.
    offsets: Vec<usize>,
    /// The same where they may be in ranges, too: `n - k` iterations, and `x[i + k]`.
    shifts: Vec<usize>,
    /// Those that are meant to be powers of two.
    powers: BTreeSet<usize>,
    /// Those that say how many iterations there are.
    counts: BTreeSet<usize>,
    /// The same of inner loops.
    inner_counts: BTreeSet<usize>,
    /// What there should be more iterations of: `i % 16` says nothing of 9.
    most_literal: i64,
    /// Those that something is divided by.
    divisors: BTreeSet<usize>,
    /// Those of which the first and last values are known.
    counters: BTreeMap<usize, [i64; 2]>,
    /// Those that are `usize` in any case.
    wide: BTreeSet<usize>,
}

/// The sizes of one trial.
pub(super) struct Sizes {
    roles: Rc<Roles>,
    rule: Rule,
}

impl Sizes {
    /// For each trial; then those by chance, and those that are any numbers.
    pub(super) fn all(
        facts: &LoopFacts,
        results: &Results<'_>,
        accesses: &[usize],
        wide: &BTreeSet<Atom>,
    ) -> [Vec<Self>; 3] {
        let loops = accesses.iter().filter_map(|&at| facts.accesses.get(at)).flat_map(|found| &found.loops);
        let divisors =
            results.values().filter(|(of, _)| matches!(of, Operation::Div | Operation::Rem | Operation::RemEuclid));
        let roles = Rc::new(Roles {
            offsets: offsets(facts, results, accesses, true),
            shifts: offsets(facts, results, accesses, false),
            powers: powers(results),
            counts: alone(facts.ranges.iter().filter_map(|values| values.last.as_ref())),
            inner_counts: alone(loops.filter_map(|inner| inner.values.last.as_ref())),
            most_literal: most_literal(results),
            divisors: alone(divisors.filter_map(|(_, operands)| operands.get(1))),
            counters: counters(facts, results, accesses),
            wide: wide.iter().filter_map(symbol).collect(),
        });
        let with = |rule| Self { roles: roles.clone(), rule };
        let drawn = |rule: fn(u64) -> Rule| (0..DRAWS).map(rule).map(with).collect();
        [TRIALS.into_iter().map(with).collect(), drawn(Rule::Drawn), drawn(Rule::Wild)]
    }

    /// What the length of a slice is taken to be.
    pub(super) fn length(&self, symbol: usize) -> i64 {
        match self.rule {
            Rule::Drawn(draw) if !self.roles.counts.contains(&symbol) => pick(&DRAWN_LENGTHS, draw, symbol),
            _ => self.of(symbol),
        }
    }

    /// What a host value is taken to be.
    pub(super) fn of(&self, symbol: usize) -> i64 {
        let Roles { offsets, shifts, powers, counts, inner_counts, most_literal, divisors, counters, wide } =
            &*self.roles;
        let is_count = counts.contains(&symbol);
        let is_drawn = matches!(self.rule, Rule::Drawn(_));
        let size = match self.rule {
            Rule::Steps(first, more) => (first + more * symbol as i64).max(1),
            Rule::Ones => {
                if is_count {
                    ONES
                } else {
                    1
                }
            }
            Rule::Wild(draw) => pick(&DRAWN, draw, symbol),
            Rule::Drawn(draw) => {
                let [of_loop, of_inner] = DRAWN_COUNTS.map(|least| least + pick(&[0, 1, MORE], draw, symbol));
                match (is_count, inner_counts.contains(&symbol)) {
                    (true, _) => of_loop,
                    (false, true) => of_inner,
                    (false, false) => pick(&DRAWN, draw, symbol),
                }
            }
        };
        if let Some([first, last]) = counters.get(&symbol) {
            let values = last.saturating_sub(*first).saturating_add(1).max(1);
            return first.saturating_add(size.rem_euclid(values));
        }
        if matches!(self.rule, Rule::Wild(_)) {
            return size;
        }
        if let Some(rank) = (if is_drawn { shifts } else { offsets }).iter().position(|offset| *offset == symbol) {
            return 1 + rank as i64;
        }
        let size = if is_count && size <= 2 * most_literal { size + most_literal + 1 } else { size };
        // Divided by 1, numbers stay as they are.
        let size = if divisors.contains(&symbol) { size.max(2) } else { size };
        let most = if is_drawn && wide.contains(&symbol) { i64::MAX } else { MOST_NARROW };
        match powers.contains(&symbol) {
            true => size.min(most / 2).cast_unsigned().next_power_of_two().cast_signed(),
            false => size.min(most),
        }
    }
}

/// One of some numbers, as good as by chance.
fn pick(numbers: &[i64], draw: u64, symbol: usize) -> i64 {
    // SplitMix64.
    let mixed = |bits: u64, by: u32, factor: u64| (bits ^ bits >> by).wrapping_mul(factor);
    let bits = (draw << 32 | symbol as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let bits = mixed(mixed(bits, 30, 0xbf58_476d_1ce4_e5b9), 27, 0x94d0_49bb_1331_11eb);
    numbers.get((bits >> 32) as usize % numbers.len()).copied().unwrap_or(1)
}

fn symbol(atom: &Atom) -> Option<usize> {
    if let Atom::Symbol(at) = atom { Some(*at) } else { None }
}

/// The host values that are some forms, but for what these add: `n - 1`.
fn alone<'f>(forms: impl Iterator<Item = &'f Form>) -> BTreeSet<usize> {
    let of = |form: &Form| match form.value.atoms().collect::<Vec<_>>().as_slice() {
        &[atom] => symbol(atom),
        _ => None,
    };
    forms.filter_map(of).collect()
}

/// The host values that indexes only add: `k` of `x[i + k]`. People mean them to be small beside
/// sizes.
/// `ranges`: they are not in ranges, either.
fn offsets(facts: &LoopFacts, results: &Results<'_>, accesses: &[usize], ranges: bool) -> Vec<usize> {
    let accesses = || accesses.iter().filter_map(|&at| facts.accesses.get(at));
    let indexes = || accesses().flat_map(|found| found.access.forms());
    let conditions = accesses().flat_map(|found| &found.conditions);
    let compared = conditions.flat_map(|condition| [&condition.lhs, &condition.rhs]);
    let terms = indexes().chain(compared).flat_map(|form| &form.value.terms);
    let is_moving = |atoms: &[Atom]| atoms.iter().any(|atom| !matches!(atom, Atom::Symbol(_)));
    let factors = terms.filter(|term| is_moving(&term.atoms)).flat_map(|term| term.atoms.iter().copied());
    let loops = accesses().flat_map(|found| found.loops.iter().map(|inner| &inner.values));
    let ends = facts.ranges.iter().chain(loops).filter(|_| ranges);
    let ends = ends.flat_map(|values| [&values.first, &values.last, &values.step]);
    let operands = results.values().flat_map(|(_, operands)| operands.iter());
    let sizes: BTreeSet<Atom> = factors.chain(ends.flatten().chain(operands).flat_map(Form::atoms)).collect();
    let mut offsets: Vec<usize> =
        indexes().flat_map(Form::atoms).filter(|atom| !sizes.contains(atom)).filter_map(|atom| symbol(&atom)).collect();
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
