//! Two iterations that a refusal is about, so that the error can name them.
//!
//! A refused launch is shrunk like a failing test: each variable loses values for as long as the decision is still a refusal. What is left is
//! two iterations, or a few corners of a box; of these, [`walk::touched`](super::walk::touched) tells which two touch one element.

use std::ops::RangeInclusive;

use anabranch_core::facts::Facts;

use super::interval::Interval;
use super::races::{self, Meeting};
use super::walk::{Axis, Numbers, Refusal, decide, phase_axes, touched};

/// The most decisions that an example may cost. A decision takes about a microsecond.
const MOST_DECISIONS: usize = 1000;
/// The most corners that are compared in pairs.
const MOST_CORNERS: usize = 8;

/// Of an index that may be as large, only the type is known.
const ANY_ELEMENT: i128 = i32::MAX as i128;

/// Two iterations of a loop, or of a phase of a block, that may touch one element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Example {
    /// Of a phase: the index of the block; else empty.
    pub(crate) block: Vec<i128>,
    /// The variables of both, slowest first. Of a phase, the number of the iteration in each range.
    pub(crate) pair: [Vec<i128>; 2],
    /// The numbers of their accesses, one of which writes.
    pub(crate) accesses: [usize; 2],
    /// The elements of each access, from the first to the last, for each component of the index; `None` if they may be any.
    pub(crate) elements: Option<[Vec<RangeInclusive<i128>>; 2]>,
}

/// Two iterations that the launch with these numbers was refused for, if some are found.
pub(crate) fn example(facts: &Facts, numbers: &Numbers<'_>, refusal: Refusal) -> Option<Example> {
    match refusal {
        Refusal::OutOfBounds { .. } => None,
        Refusal::Overlap { .. } => Search { facts, numbers, blocks: 0, decisions: 0 }.pair(numbers.axes.to_vec()),
        Refusal::OverlapInPhase { phase, .. } => {
            let phase = facts.phases.get(phase)?;
            let (axes, dims) = phase_axes(phase, numbers);
            let all = [numbers.axes, axes.get(..dims)?].concat();
            Search { facts: &phase.facts, numbers, blocks: numbers.axes.len(), decisions: 0 }.pair(all)
        }
    }
}

struct Search<'a> {
    facts: &'a Facts,
    numbers: &'a Numbers<'a>,
    /// How many of the axes are those of the blocks around a phase.
    blocks: usize,
    decisions: usize,
}

impl Search<'_> {
    fn pair(mut self, mut axes: Vec<Axis>) -> Option<Example> {
        if !self.is_refused(&axes) {
            return None;
        }
        for at in 0..axes.len() {
            while let Some(smaller) = smaller(axes[at]).into_iter().find(|smaller| {
                let mut axes = axes.clone();
                axes[at] = *smaller;
                self.is_refused(&axes)
            }) {
                axes[at] = smaller;
            }
        }
        let (blocks, own) = axes.split_at(self.blocks);
        let block: Vec<_> = blocks.iter().map(|axis| axis.lo).collect();
        let corners = corners(own)?;
        if blocks.iter().any(|axis| axis.trips != 1) {
            return None;
        }
        let touched: Vec<_> = corners.iter().map(|corner| self.at(blocks, corner)).collect();
        let mut pairs = (0..corners.len()).flat_map(|one| (one + 1..corners.len()).map(move |other| (one, other)));
        pairs.find_map(|(one, other)| {
            let Meeting { accesses, elements } = races::meet(&touched[one], &touched[other])?;
            let pair = [corners[one].clone(), corners[other].clone()];
            Some(Example { block: block.clone(), pair, accesses, elements: known(&elements) })
        })
    }

    /// Whether the launch with these axes is refused for an overlap.
    fn is_refused(&mut self, axes: &[Axis]) -> bool {
        self.decisions += 1;
        self.decisions <= MOST_DECISIONS && matches!(decide(self.facts, &self.with(axes)), Err(Refusal::Overlap { .. }))
    }

    fn with<'n>(&'n self, axes: &'n [Axis]) -> Numbers<'n> {
        let (blocks, axes) = axes.split_at(self.blocks);
        Numbers { blocks, axes, ..*self.numbers }
    }

    /// What one iteration touches.
    fn at(&self, blocks: &[Axis], corner: &[i128]) -> Vec<Option<races::Touch>> {
        let own = corner.iter().map(|lo| Axis { lo: *lo, step: 1, trips: 1 });
        let axes: Vec<_> = blocks.iter().copied().chain(own).collect();
        touched(self.facts, &self.with(&axes))
    }
}

/// Elements that an error can name: the range of a type would tell the reader nothing.
fn known(elements: &[Vec<Interval>; 2]) -> Option<[Vec<RangeInclusive<i128>>; 2]> {
    let range = |of: &Interval| (of.lo >= 0 && of.hi < ANY_ELEMENT).then_some(of.lo..=of.hi);
    let [one, other] = elements.each_ref().map(|each| each.iter().map(range).collect::<Option<_>>());
    Some([one?, other?])
}

/// Ranges of fewer values, the most telling ones first.
fn smaller(Axis { lo, step, trips }: Axis) -> Vec<Axis> {
    let part = |first: u64, stride: u64, trips: u64| {
        let from = lo.checked_add(step.checked_mul(first.into())?)?;
        Some(Axis { lo: from, step: step.checked_mul(stride.into())?, trips })
    };
    let (half, quarter) = (trips / 2, trips.div_ceil(4));
    let last = trips.saturating_sub(1);
    let parts = [
        part(0, 1, 1),
        part(last, 1, 1),
        part(0, 1, 2),
        part(0, last, 2),
        part(0, 1, half),
        part(half, 1, trips - half),
        part(0, 1, trips - quarter),
        part(quarter, 1, trips - quarter),
        part(0, 2, trips - half),
        part(1, 2, half),
        part(0, 1, last),
        part(1, 1, last),
    ];
    parts.into_iter().flatten().filter(|axis| axis.trips >= 1 && axis.trips < trips).collect()
}

/// The iterations of a box of so few.
fn corners(axes: &[Axis]) -> Option<Vec<Vec<i128>>> {
    let mut corners = vec![Vec::new()];
    for Axis { lo, step, trips } in axes {
        if *trips > 2 {
            return None;
        }
        let values = (0..*trips).map(|t| lo + step * i128::from(t));
        corners = corners.iter().flat_map(|c| values.clone().map(|v| [c.as_slice(), &[v]].concat())).collect();
    }
    (corners.len() <= MOST_CORNERS).then_some(corners)
}
