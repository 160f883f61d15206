//! The warps of a phase at one access: the words and banks that their threads ask for.
//!
//! Word `w` of shared memory is in bank `w % 32`. A bank gives a warp one word at a time, to all threads that ask for it. So threads that ask for different words
//! of one bank wait for each other. Where threads ask for 8 bytes, halves of the warp follow each other, and of 16 bytes its quarters.
//!
//! A thread asks for up to 16 bytes at once, if they begin at a multiple of so many: of a large element, and of the neighbouring elements that a loop with a
//! written number of rounds touches. So does the machine code: the compiler unrolls such loops, and joins what is aligned.
//!
//! Iteration `i` of a phase, by rows, is of thread `i % threads`, and 32 threads in a row are a warp. Rounds of loops happen in all of its threads at once.
//! A shared array begins at the first byte of a word.

use std::collections::BTreeSet;

use anabranch_core::banks::Op;

use super::numbers::{Course, Values};
use super::parts::{Index, Part};
use crate::model::banks::{Number, Touch, Touches};
use crate::model::description::SlotValue;
use crate::value::DeviceType;

/// Threads of a warp; and banks, each of which has every 32nd word.
const WARP: i128 = 32;
const WORD: i128 = 4;
/// Iterations that are looked at for an access, all rounds of the loops around it included.
const MOST: usize = 1 << 19;
/// At least so many of them, if their number is unknown.
const ENOUGH: i128 = 1 << 12;

const BEHIND: &str = "what is read behind a reference is not followed";
const OWN: &str = "its index depends on what a thread has computed or read";
const LATER: &str = "its index depends on a number that only the launch knows";
const MANY: &str = "there are too many iterations to count";

/// Of an access, how many words of one bank a warp asks for at once, in the worst case; or why that is unknown. Rows of the array are so much longer.
pub(super) fn ways(
    (phase, touch): (&Touches, &Touch),
    array: &'static DeviceType,
    longer: usize,
    slots: &[SlotValue],
    threads: u32,
) -> Result<u32, &'static str> {
    let part = Part::of(array, touch.path.ok_or(BEHIND)?, longer);
    if part.indexes.iter().any(|index| index.number.is_empty()) {
        return Err(OWN);
    }
    if !part.indexes.iter().flat_map(|index| index.number).any(|op| matches!(op, Op::Place(_))) {
        return Ok(1);
    }
    let mut known: Vec<bool> = Vec::new();
    for number in phase.common {
        known.push(is_known(number, &known));
    }
    let count = |number: &Number| Some(*number).filter(|number| is_known(number, &known));
    let counts: Vec<Option<Number>> = phase.counts.iter().map(count).collect();
    if counts.iter().skip(1).any(Option::is_none) {
        return Err(LATER);
    }
    // Where a condition is not known, any threads may be there.
    let conditions: Vec<Number> = touch.conditions.iter().copied().filter(|number| is_known(number, &known)).collect();
    let (indexes, trips) = (part.indexes.iter().map(|index| index.number), phase.common.iter().copied());
    let of_indexes: BTreeSet<usize> = indexes.flat_map(common).collect();
    let numbers = trips.chain(counts.iter().flatten().copied()).chain(conditions.iter().copied());
    let of_others: BTreeSet<usize> = numbers.flat_map(common).collect();
    let mut warps = Warps {
        part,
        counts,
        conditions,
        slots,
        threads: threads.into(),
        rounds: Vec::new(),
        exact: true,
        bytes: 0,
        piece: 0,
        left: MOST,
    };
    let is_alone = |at: &usize| known[*at] && !of_others.contains(at);
    let run =
        of_indexes.iter().rev().copied().filter(is_alone).find_map(|at| Some((at, warps.run(at, phase.common[at])?)));
    let (size, least) = (warps.part.size, warps.part.least);
    let longest = run.map_or(size, |(_, bytes)| bytes);
    let widths = least..=warps.part.most.min(longest);
    let pieces = [16, 8, 4, 2, 1].into_iter().filter(|piece| widths.contains(piece) && longest % piece == 0);
    for piece in pieces.collect::<Vec<i128>>() {
        let joined = run.filter(|_| piece > size);
        (warps.piece, warps.bytes) = (piece, joined.map_or(size, |(_, bytes)| bytes));
        let rounds = phase.common.iter().enumerate().map(|(at, number)| {
            let (is_used, is_counted) = (of_indexes.contains(&at), of_others.contains(&at));
            let period = warps.course(at).and_then(|course| Some(course.to_multiple(piece.max(WORD))?.period));
            Ok(match known[at] {
                _ if !is_used && !is_counted || joined.is_some_and(|(joined, _)| joined == at) => Rounds::One,
                false => Rounds::AnyOf(period.ok_or(LATER)?),
                true => {
                    let alike = !is_counted && !number.iter().any(|op| matches!(op, Op::Place(_)));
                    Rounds::Below(number, period.filter(|_| alike))
                }
            })
        });
        warps.rounds = rounds.collect::<Result<Vec<_>, &str>>()?;
        warps.exact = !warps.rounds.iter().any(|rounds| matches!(rounds, Rounds::AnyOf(_)));
        match warps.worst(&mut Vec::new()) {
            Err(Stop::Misaligned) => {}
            Err(Stop::Unknown(why)) => return Err(why),
            Ok(ways) => return Ok(ways),
        }
    }
    Err(LATER)
}

/// Whether it is made of numbers that are known.
fn is_known(number: Number, known: &[bool]) -> bool {
    let is_known = |op: &Op| !matches!(op, Op::Common(at) if known.get(*at as usize) != Some(&true));
    !number.is_empty() && number.iter().all(is_known)
}

fn common(number: Number) -> impl Iterator<Item = usize> {
    number.iter().filter_map(|op| if let Op::Common(at) = op { Some(*at as usize) } else { None })
}

/// The values that are tried for a number that threads have in common.
#[derive(Clone, Copy)]
enum Rounds {
    /// It is of no interest.
    One,
    /// Those below a number, or the first so many if the others are like these.
    Below(Number, Option<i128>),
    /// So many of any number are like all.
    AnyOf(i128),
}

struct Warps<'p> {
    part: Part,
    counts: Vec<Option<Number>>,
    conditions: Vec<Number>,
    slots: &'p [SlotValue],
    threads: i128,
    rounds: Vec<Rounds>,
    /// There are no others than the known ones.
    exact: bool,
    /// What a thread touches, and how much of it at once.
    bytes: i128,
    piece: i128,
    left: usize,
}

/// Why an access is not counted.
enum Stop {
    /// Its bytes do not begin where so many are read at once.
    Misaligned,
    Unknown(&'static str),
}

impl From<&'static str> for Stop {
    fn from(why: &'static str) -> Self {
        Stop::Unknown(why)
    }
}

impl Warps<'_> {
    /// The bytes that a loop touches one after the other, all of its rounds together, if their number is written.
    fn run(&self, at: usize, trips: Number) -> Option<i128> {
        let is_written = |op: &Op| matches!(op, Op::Int(_) | Op::Constant(_) | Op::Binary(_));
        let trips = self.number(trips, [0; 3], &[], false).filter(|_| trips.iter().all(is_written))?;
        let course = self.course(at)?;
        (course.period == 1 && course.by == self.part.size && trips > 1).then_some(trips * course.by)
    }

    /// How the byte that an access begins at follows a number that threads have in common.
    fn course(&self, at: usize) -> Option<Course> {
        self.part
            .indexes
            .iter()
            .try_fold(Course::NONE, |whole, index| whole.plus(Course::of(index.number, at, self.slots)?, index.stride))
    }

    /// Tries all values of the numbers from the next one on.
    fn worst(&mut self, values: &mut Vec<i128>) -> Result<u32, Stop> {
        let Some(rounds) = self.rounds.get(values.len()).copied() else { return self.at(values) };
        let below = match rounds {
            Rounds::One => 1,
            Rounds::AnyOf(period) => period,
            Rounds::Below(number, like) => {
                let most = self.trips(number, values)?;
                like.map_or(most, |like| like.min(most))
            }
        };
        let mut worst = 1;
        for value in 0..below {
            values.push(value);
            worst = self.worst(values)?.max(worst);
            values.pop();
        }
        Ok(worst)
    }

    /// The most rounds of a loop that a thread has.
    fn trips(&mut self, number: Number, values: &[i128]) -> Result<i128, &'static str> {
        if !number.iter().any(|op| matches!(op, Op::Place(_))) {
            return self.number(number, [0; 3], values, false).ok_or(LATER);
        }
        let (counts, all) = self.counts(values)?;
        let mut most = 0;
        for at in 0..all {
            self.left = self.left.checked_sub(1).ok_or(MANY)?;
            most = self.number(number, place(at, counts), values, false).ok_or(LATER)?.max(most);
        }
        Ok(most)
    }

    fn number(&self, number: Number, place: [i128; 3], common: &[i128], exact: bool) -> Option<i128> {
        Values { slots: self.slots, place, common, exact }.of(number)
    }

    /// The lengths of the phase's dimensions, and the number of its iterations. If that is unknown, it is the number of elements of the array.
    fn counts(&self, values: &[i128]) -> Result<([i128; 3], i128), &'static str> {
        let mut counts = [1; 3];
        for (count, number) in counts.iter_mut().zip(&self.counts).skip(1) {
            *count = self.number(number.unwrap_or_default(), [0; 3], values, false).ok_or(LATER)?.max(0);
        }
        let row: i128 = counts.iter().product();
        let all = match self.counts.first().copied().flatten() {
            Some(number) => self.number(number, [0; 3], values, false).ok_or(LATER)?.max(0).saturating_mul(row),
            None if row > 0 => {
                let elements: i128 = self.part.indexes.iter().map(|index| index.len).product();
                let all = elements.max(ENOUGH);
                all + (-all).rem_euclid(row)
            }
            None => 0,
        };
        Ok((counts, all))
    }

    /// The worst of all warps with these numbers.
    fn at(&mut self, values: &[i128]) -> Result<u32, Stop> {
        let (counts, all) = self.counts(values)?;
        let mut worst = 1;
        let mut first = 0;
        while first < all {
            let round = (first / self.threads + 1) * self.threads;
            let end = (first + WARP).min(round).min(all);
            let mut lanes = Vec::new();
            for at in first..end {
                self.left = self.left.checked_sub(1).ok_or(MANY)?;
                if let Some(byte) = self.byte(place(at, counts), values)? {
                    if self.piece > self.part.least && byte.rem_euclid(self.piece) != 0 {
                        return Err(Stop::Misaligned);
                    }
                    lanes.push((at - first, byte));
                }
            }
            worst = conflict(&lanes, self.piece, self.bytes).max(worst);
            first = end;
        }
        Ok(worst)
    }

    /// Where an iteration touches the array, if it does.
    fn byte(&self, place: [i128; 3], values: &[i128]) -> Result<Option<i128>, &'static str> {
        let is_there = |(rounds, value): (&Rounds, &i128)| match rounds {
            Rounds::One | Rounds::AnyOf(_) => true,
            Rounds::Below(number, _) => self.number(number, place, values, false).is_some_and(|rounds| *value < rounds),
        };
        if !self.rounds.iter().zip(values).all(is_there)
            || self.conditions.iter().any(|condition| self.number(condition, place, values, true) == Some(0))
        {
            return Ok(None);
        }
        let mut byte = self.part.offset;
        for Index { number, stride, len: _ } in &self.part.indexes {
            let index = self.number(number, place, values, self.exact).ok_or(OWN)?;
            byte = index.checked_mul(*stride).and_then(|far| far.checked_add(byte)).ok_or(OWN)?;
        }
        Ok(Some(byte))
    }
}

/// The place of an iteration.
fn place(at: i128, [_, y, x]: [i128; 3]) -> [i128; 3] {
    [at / (y * x), at / x % y, at % x]
}

/// The most words of a bank for some threads of a warp, each with the byte that its element begins at.
fn conflict(lanes: &[(i128, i128)], piece: i128, bytes: i128) -> u32 {
    let words = (piece / WORD).max(1);
    // All pieces that lie alike in their words are alike.
    let pieces = (bytes / piece).min((WORD / piece).max(1));
    let mut worst = 0;
    for at in 0..pieces {
        for turn in 0..words {
            let own = lanes.iter().filter(|(lane, _)| lane * words / WARP == turn);
            let first = own.map(|(_, byte)| (byte + at * piece).div_euclid(WORD));
            let mut all: Vec<i128> = first.flat_map(|first| first..first + words).collect();
            all.sort_unstable();
            all.dedup();
            let mut banks = [0u32; WARP as usize];
            all.iter().for_each(|word| banks[word.rem_euclid(WARP) as usize] += 1);
            worst = banks.into_iter().max().unwrap_or(0).max(worst);
        }
    }
    worst
}
