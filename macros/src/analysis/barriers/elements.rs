//! Whether two accesses of different steps may be of one element, by different threads.
//!
//! Three questions, each of which alone tells them apart:
//!
//! - **By congruence.** Along some dimension both indexes are `c * i + rest`, for iteration `i` of
//!   a phase with one range. One element means that `i` differs by the difference of the rests,
//!   divided by `c`. If that is always a multiple of the number of threads, one thread has both
//!   iterations.
//! - **By rule A.** Both indexes are the same function of the iteration, over the same iterations,
//!   and one of the phases writes it in each of them. Rule A, which holds for that phase, says that
//!   no two iterations have one element.
//! - **By enumeration**, for shared arrays with literal lengths: the elements of one access, and
//!   the threads that touch them, against those of the other.
//!
//! A variable of the block's program may have another value where the earlier access was made. That
//! of a loop is one less in the round before.

use std::collections::BTreeMap;

use super::accesses::{Access, By, Lens, Memory, Places};
use super::numbers::{Atom, Num, Numbers, Sum, plus};
use crate::ir::{BinOp, LocalId, LoopId};

/// Elements that are looked at for two accesses, and for all of a loop.
const MOST_ELEMENTS: u64 = 1 << 16;
const MOST_OF_ALL: u64 = 1 << 21;
/// Values of a variable that are tried.
const MOST_VALUES: u64 = 64;
/// No phase has `2^44` iterations: as everywhere, nobody waits for so many.
const MOST_FACTOR: u64 = 1 << 18;

/// How long ago, in rounds of a loop.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Age {
    This,
    Before,
}

/// The ages of an access, by the loops around it. Of other loops nothing is known.
pub(super) type Ages = BTreeMap<LoopId, Age>;

pub(super) struct Elements {
    /// Of the block.
    pub(super) threads: u64,
    pub(super) lens: BTreeMap<LocalId, Lens>,
    /// Answers, by the numbers of the accesses.
    known: BTreeMap<(usize, usize, Ages), bool>,
    looked: u64,
}

impl Elements {
    pub(super) fn new(threads: u32) -> Self {
        Self { threads: threads.into(), lens: BTreeMap::new(), known: BTreeMap::new(), looked: 0 }
    }

    /// Whether there has to be a barrier between the first access, which is of this age, and the
    /// second.
    pub(super) fn meet(&mut self, numbers: &Numbers<'_>, all: &[Access], a: usize, b: usize, ages: &Ages) -> bool {
        let (earlier, later) = (&all[a], &all[b]);
        let memory = earlier.memory == later.memory && (earlier.write || later.write);
        if !memory || (&earlier.by, &later.by) == (&By::One, &By::One) {
            return false;
        }
        if let Some(known) = self.known.get(&(a, b, ages.clone())) {
            return *known;
        }
        let meet = self.may_meet(numbers, earlier, later, ages);
        self.known.insert((a, b, ages.clone()), meet);
        meet
    }

    fn may_meet(&mut self, numbers: &Numbers<'_>, earlier: &Access, later: &Access, ages: &Ages) -> bool {
        let Some(b) = &later.index else { return true };
        let Some(earlier) = aged(numbers, earlier, ages) else { return true };
        let Some(a) = &earlier.index else { return true };
        if let (By::Phase(first), By::Phase(second)) = (&earlier.by, &later.by) {
            if first.counts.len() == 1 && second.counts.len() == 1 {
                let mut dims = a.iter().zip(b).filter_map(|(a, b)| Some((a.as_ref()?, b.as_ref()?)));
                if dims.any(|(a, b)| self.by_congruence(a, b, first, second)) {
                    return false;
                }
            }
            if by_rule_a(&earlier, later) {
                return false;
            }
        }
        self.by_enumeration(numbers, &earlier, later).unwrap_or(true)
    }

    /// Whether iterations with one element are of one thread, or whether there are none.
    fn by_congruence(&self, a: &Num, b: &Num, first: &Places, second: &Places) -> bool {
        let (Some((by, a)), Some((with, b))) = (factor(a), factor(b)) else { return false };
        let size = by.min(by.wrapping_neg());
        if by != with || size > MOST_FACTOR {
            return false;
        }
        let apart = plus(a, &b, u64::MAX);
        let constant = apart.get(&Vec::new()).copied().unwrap_or(0);
        let is_constant = apart.keys().all(Vec::is_empty);
        let far = constant.min(constant.wrapping_neg());
        if is_constant && far < 1 << 62 {
            let count = |places: &Places| match places.counts.as_slice() {
                [Some(Num::Lit(count))] => *count,
                _ => u64::MAX,
            };
            let rounds = far / size;
            return !far.is_multiple_of(size)
                || rounds.is_multiple_of(self.threads)
                || rounds >= count(first).max(count(second));
        }
        // What wraps, wraps at a multiple of a power of two.
        let all = size * self.threads;
        all.is_power_of_two() && apart.values().all(|factor| factor.is_multiple_of(all))
    }

    /// Whether different threads touch one element; `None` if that is too much to look at.
    fn by_enumeration(&mut self, numbers: &Numbers<'_>, a: &Access, b: &Access) -> Option<bool> {
        let Memory::Shared(local) = a.memory else { return None };
        let lens = self.lens.get(&local).map(|lens| lens.literal.clone()).filter(|lens| !lens.is_empty())?;
        let size =
            lens.iter().try_fold(1u64, |size, len| size.checked_mul(*len)).filter(|size| *size <= MOST_ELEMENTS)?;
        let free = Free::of(numbers, [a, b]);
        let combinations = free.values.values().map(Vec::len).try_fold(1u64, |all, n| all.checked_mul(n as u64))?;
        let mut left = MOST_ELEMENTS.min(MOST_OF_ALL.saturating_sub(self.looked));
        let before = left;
        let mut meets = Some(false);
        for number in 0..combinations {
            let values = free.chosen(number);
            let found = left.checked_sub(size).and_then(|rest| {
                left = rest;
                let first = cells(a, &values, &lens, self.threads, &mut left)?;
                let second = cells(b, &values, &lens, self.threads, &mut left)?;
                let mut both = first.iter().zip(&second);
                Some(both.any(|(a, b)| *a != NOBODY && *b != NOBODY && (a != b || *a == MANY)))
            });
            if found != Some(false) {
                meets = found;
                break;
            }
        }
        self.looked += before - left;
        meets
    }
}

/// An access as it was made where a later one stands.
fn aged(numbers: &Numbers<'_>, access: &Access, ages: &Ages) -> Option<Access> {
    let is_this = |of: &LoopId| ages.get(of) == Some(&Age::This);
    let now = |atom: Atom| {
        let Atom::Local(local) = atom else { return Num::Atom(atom) };
        let homes = numbers.homes.get(&local).map_or(&[][..], Vec::as_slice);
        match homes.split_last() {
            None => Num::Atom(atom),
            _ if homes.iter().all(is_this) => Num::Atom(atom),
            Some((last, outer)) => match numbers.counters.get(&local) {
                Some(counter)
                    if counter.by_one && ages.get(last) == Some(&Age::Before) && outer.iter().all(is_this) =>
                {
                    Num::Atom(Atom::Last(local))
                }
                _ => Num::Atom(Atom::Other(local)),
            },
        }
    };
    let index = access.index.as_ref()?.iter().map(|num| num.as_ref().map(|num| num.map(&now))).collect();
    let inner = access.inner.iter().map(|ends| ends.as_ref().map(|(start, end)| (start.map(&now), end.map(&now))));
    let by = match &access.by {
        By::Phase(places) => {
            let counts = places.counts.iter().map(|count| count.as_ref().map(|count| count.map(&now))).collect();
            By::Phase(Places { counts }.into())
        }
        by => by.clone(),
    };
    Some(Access { index: Some(index), inner: inner.collect(), by, ..access.clone() })
}

/// What an index multiplies the place of an iteration with, and the rest, in which it is not.
fn factor(index: &Num) -> Option<(u64, Sum)> {
    let mut sum = index.sum();
    let by = sum.remove(&vec![Num::Atom(Atom::Place(0))])?;
    let is_own = |atom| matches!(atom, Atom::Place(_) | Atom::Inner(_));
    let rest = sum.keys().flatten().all(|num| !num.any(&is_own));
    rest.then_some((by, sum))
}

/// Whether rule A says that one element is of one iteration.
fn by_rule_a(a: &Access, b: &Access) -> bool {
    let (Some(first), Some(second)) = (&a.index, &b.index) else { return false };
    let sums = |index: &[Option<Num>]| index.iter().map(|num| num.as_ref().map(Num::sum)).collect::<Option<Vec<_>>>();
    let (Some(one), Some(other)) = (sums(first), sums(second)) else { return false };
    let places = match (&a.by, &b.by) {
        (By::Phase(a), By::Phase(b)) => a == b && a.counts.iter().all(Option::is_some),
        _ => false,
    };
    let depth = |index: &[Option<Num>]| {
        let mut atoms = Vec::new();
        index.iter().flatten().for_each(|num| num.atoms(&mut atoms));
        atoms.iter().map(|atom| if let Atom::Inner(depth) = atom { depth + 1 } else { 0 }).max().unwrap_or(0)
    };
    let depth = depth(first).max(depth(second));
    let inner = a.inner.get(..depth).is_some_and(|inner| inner.iter().all(Option::is_some))
        && a.inner.get(..depth) == b.inner.get(..depth);
    let written = a.write && a.always || b.write && b.always;
    !one.is_empty() && one == other && places && inner && written
}

/// What the indexes of two accesses depend on that is the same for all threads, and the values that
/// it may have.
struct Free {
    values: BTreeMap<Atom, Vec<u64>>,
}

impl Free {
    fn of(numbers: &Numbers<'_>, both: [&Access; 2]) -> Self {
        let mut all = Vec::new();
        for access in both {
            access.index.iter().flatten().flatten().for_each(|num| num.atoms(&mut all));
            access.inner.iter().flatten().for_each(|(start, end)| {
                start.atoms(&mut all);
                end.atoms(&mut all);
            });
        }
        all.retain(|atom| !matches!(atom, Atom::Place(_) | Atom::Inner(_)));
        all.iter_mut().for_each(|atom| *atom = now(*atom));
        all.sort();
        all.dedup();
        let values = all.into_iter().filter_map(|atom| Some((atom, values(numbers, atom, both)?)));
        Self { values: values.collect() }
    }

    /// One of the combinations, by its number.
    fn chosen(&self, mut number: u64) -> BTreeMap<Atom, u64> {
        let each = self.values.iter().map(|(atom, values)| {
            let value = values[(number % values.len() as u64) as usize];
            number /= values.len() as u64;
            (*atom, value)
        });
        each.collect()
    }
}

/// The atom that has the value of another one, or that it is counted from.
fn now(atom: Atom) -> Atom {
    match atom {
        Atom::Last(local) => Atom::Local(local),
        atom => atom,
    }
}

/// The values that have to be tried for a variable: all that it has, or all remainders if nothing
/// else of it counts.
fn values(numbers: &Numbers<'_>, atom: Atom, both: [&Access; 2]) -> Option<Vec<u64>> {
    let counter = match atom {
        Atom::Local(local) | Atom::Other(local) => numbers.counters.get(&local),
        _ => None,
    };
    if let Some((first, end)) = counter.and_then(|counter| counter.first.zip(counter.end))
        && end.saturating_sub(first) <= MOST_VALUES
    {
        // One that has no value here is in a loop that never runs.
        return Some((first..end).collect());
    }
    let counts =
        counter.is_some_and(|counter| counter.by_one && counter.first.is_some_and(|first| first < MOST_FACTOR));
    let mut modulus = 1;
    for access in both {
        let ends = access.inner.iter().flatten().flat_map(|(start, end)| [start, end]);
        for num in access.index.iter().flatten().flatten().chain(ends) {
            modulus = remainders(num, atom, None, counts, modulus)?;
        }
    }
    // Such values that one less is no less than 0.
    let first = if counts { modulus << 20 } else { 0 };
    Some((first..first + modulus).collect())
}

/// The number that only remainders by it of an atom count for an expression. `by` is what the
/// remainder of the expression is taken by.
///
/// If it is a power of two, nothing of that changes where sums wrap. By other numbers only sums are
/// understood that do not, of the variable of a loop that `counts` from a small number.
fn remainders(num: &Num, atom: Atom, by: Option<u64>, counts: bool, modulus: u64) -> Option<u64> {
    match num {
        Num::Lit(value) => by.is_none_or(|by| by.is_power_of_two() || *value < MOST_FACTOR).then_some(modulus),
        Num::Atom(own) if now(*own) != atom => by.is_none_or(u64::is_power_of_two).then_some(modulus),
        Num::Atom(_) => {
            let by = by.filter(|by| by.is_power_of_two() || counts)?;
            let both = modulus / gcd(modulus, by) * by;
            (both <= MOST_VALUES).then_some(both)
        }
        Num::Op(op, lhs, rhs) => {
            let (by, rest) = match (op, &**rhs) {
                (BinOp::Rem, Num::Lit(by)) if *by > 0 => (Some(*by), None),
                (BinOp::And, Num::Lit(mask)) if (mask.wrapping_add(1)).is_power_of_two() => (Some(mask + 1), None),
                (BinOp::Add, rhs) => (by, Some(rhs)),
                (BinOp::Sub | BinOp::Mul, rhs) => (by.filter(|by| by.is_power_of_two()), Some(rhs)),
                (_, rhs) => (None, Some(rhs)),
            };
            let modulus = remainders(lhs, atom, by, counts, modulus)?;
            rest.map_or(Some(modulus), |rest| remainders(rest, atom, by, counts, modulus))
        }
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Who touches an element.
const NOBODY: u64 = u64::MAX;
const MANY: u64 = u64::MAX - 1;

/// Who touches the elements of an array.
struct Cells<'c> {
    access: &'c Access,
    values: &'c BTreeMap<Atom, u64>,
    lens: &'c [u64],
    /// The place of an iteration, where there is one.
    place: Vec<u64>,
    inner: Vec<u64>,
    who: Vec<u64>,
    left: &'c mut u64,
}

fn cells(
    access: &Access,
    values: &BTreeMap<Atom, u64>,
    lens: &[u64],
    threads: u64,
    left: &mut u64,
) -> Option<Vec<u64>> {
    let who = vec![NOBODY; lens.iter().product::<u64>() as usize];
    let mut cells = Cells { access, values, lens, place: Vec::new(), inner: Vec::new(), who, left };
    match &access.by {
        By::All => cells.inner(0, MANY)?,
        By::One => cells.inner(0, 0)?,
        By::Phase(places) => {
            let literal = |count: &Option<Num>| match count {
                Some(Num::Lit(count)) => Some(*count),
                _ => None,
            };
            match places.counts.iter().map(literal).collect::<Option<Vec<u64>>>() {
                None => cells.inner(0, MANY)?,
                Some(counts) => {
                    let all = counts.iter().try_fold(1u64, |all, count| all.checked_mul(*count))?;
                    *cells.left = cells.left.checked_sub(all)?;
                    for number in 0..all {
                        let mut rest = number;
                        cells.place = vec![0; counts.len()];
                        for (place, count) in cells.place.iter_mut().zip(&counts).rev() {
                            (*place, rest) = (rest % count, rest / count);
                        }
                        cells.inner(0, number % threads)?;
                    }
                }
            }
        }
    }
    Some(cells.who)
}

impl Cells<'_> {
    fn value(&self, num: &Num) -> Option<u64> {
        num.value(&|atom| match atom {
            Atom::Place(at) => self.place.get(at).copied(),
            Atom::Inner(depth) => self.inner.get(depth).copied().filter(|value| *value != NOBODY),
            Atom::Last(local) => self.values.get(&Atom::Local(local)).map(|value| value.wrapping_sub(1)),
            atom => self.values.get(&atom).copied(),
        })
    }

    /// The rounds of the loops from this one on; `None` if there are too many. A loop that is not
    /// understood has one, of a number that nobody knows.
    fn inner(&mut self, depth: usize, who: u64) -> Option<()> {
        let Some(ends) = self.access.inner.get(depth) else { return self.element(who) };
        let is_own = |atom| atom == Atom::Inner(depth);
        let later = self.access.inner[depth..].iter().flatten().flat_map(|(start, end)| [start, end]);
        let is_used = self.access.index.iter().flatten().flatten().chain(later).any(|num| num.any(&is_own));
        let known = ends.as_ref().filter(|_| is_used).and_then(|(start, end)| self.value(start).zip(self.value(end)));
        match known {
            None => {
                self.inner.push(NOBODY);
                self.inner(depth + 1, who)?;
                self.inner.pop();
            }
            Some((start, end)) => {
                for value in start..end {
                    *self.left = self.left.checked_sub(1)?;
                    self.inner.push(value);
                    self.inner(depth + 1, who)?;
                    self.inner.pop();
                }
            }
        }
        Some(())
    }

    /// Marks the elements of an index; of a part that nobody knows, all.
    fn element(&mut self, who: u64) -> Option<()> {
        let mut all = vec![0usize];
        let index = self.access.index.as_ref()?;
        for (at, len) in self.lens.iter().enumerate() {
            let value = index.get(at).and_then(Option::as_ref).and_then(|num| self.value(num));
            let of_row = |row: usize| match value {
                // Out of bounds nothing is touched.
                Some(value) if value >= *len => 0..0,
                Some(value) => row + value as usize..row + value as usize + 1,
                None => row..row + *len as usize,
            };
            all = all.into_iter().flat_map(|row| of_row(row * *len as usize)).collect();
        }
        *self.left = self.left.checked_sub(1 + all.len() as u64)?;
        for at in all {
            let known = &mut self.who[at];
            *known = if *known == NOBODY || *known == who { who } else { MANY };
        }
        Some(())
    }
}
