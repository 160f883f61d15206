//! Two iterations that a refusal is about, so that the error can name them.
//!
//! A refused launch is shrunk like a failing test: each variable loses values for as long as the
//! decision is still a refusal. What is left is two iterations, or a few corners of a box. These
//! are [run](super::evaluate), and two that touch one element are the example. The rules may have
//! refused them for what they might do. Then other iterations are run, and if no two of them meet,
//! there is no example.

use std::collections::BTreeMap;

use crate::facts::Facts;

use super::evaluate::{Elements, Touched, Wrap, touched};
use super::numbers::{Axis, Numbers, Refusal};
use super::walk::{MOST_TRIPS, decide, phase_axes};

/// The most decisions that an example may cost. A decision takes about a microsecond.
const MOST_DECISIONS: usize = 1000;
/// The most steps of iterations that are run.
const MOST_STEPS: usize = 30_000;
/// The most corners that are compared in pairs.
const MOST_CORNERS: usize = 8;
/// How many first values of a variable are tried.
const FIRST_VALUES: u64 = 512;
/// How many iterations are remembered for an element that they touch.
const MOST_VISITS: usize = 4;

/// Who touches an element, by its group and its index.
type Visits = BTreeMap<(usize, Vec<i128>), Vec<(Vec<i128>, Touched)>>;

/// Two iterations of a loop, or of a phase of a block, that touch one element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    /// Of a phase: the index of the block; else empty.
    pub block: Vec<i128>,
    /// The variables of both, slowest first. Of a phase, the number of the iteration in each range.
    pub pair: [Vec<i128>; 2],
    /// The numbers of their accesses, one of which writes.
    pub accesses: [usize; 2],
    /// The element. `None` for a phase, whose facts leave out what all iterations add to an index.
    pub element: Option<Vec<i128>>,
    /// A number in one of the indexes that has wrapped.
    pub wrap: Option<Wrap>,
}

/// An access in an iteration: its number, and the variables.
pub type Visit<'a> = (usize, &'a [i128]);

/// What is known of numbers that iterations load.
pub struct Loaded<'a> {
    /// Of one iteration. Its sample is not used.
    pub elements: Elements<'a>,
    /// The values to try.
    pub samples: &'a [i128],
    /// Whether elements can be such that two accesses happen.
    pub can_be: &'a dyn Fn([Visit<'_>; 2]) -> bool,
}

/// Two iterations that the launch with these numbers was refused for, if some are found.
pub fn example(facts: &Facts, numbers: &Numbers<'_>, refusal: Refusal) -> Option<Example> {
    example_with(facts, numbers, refusal, None)
}

/// The same where elements may have the values that the two iterations need.
pub fn example_with(
    facts: &Facts,
    numbers: &Numbers<'_>,
    refusal: Refusal,
    loaded: Option<&Loaded<'_>>,
) -> Option<Example> {
    let search = |facts, blocks| Search { facts, numbers, loaded, blocks, decisions: 0, steps: MOST_STEPS };
    match refusal {
        Refusal::OutOfBounds { .. } => None,
        Refusal::Overlap { .. } => search(facts, 0).pair(numbers.axes.to_vec()),
        Refusal::OverlapInPhase { phase, .. } => {
            let phase = facts.phases.get(phase)?;
            let (axes, dims) = phase_axes(phase, numbers);
            let axes = axes.get(..dims).filter(|axes| axes.iter().all(|axis| axis.trips < MOST_TRIPS))?;
            let all = [numbers.axes, axes].concat();
            let found = search(&phase.facts, numbers.axes.len()).pair(all)?;
            Some(Example { element: None, ..found })
        }
    }
}

struct Search<'a> {
    facts: &'a Facts,
    numbers: &'a Numbers<'a>,
    loaded: Option<&'a Loaded<'a>>,
    /// How many of the axes are those of the blocks around a phase.
    blocks: usize,
    decisions: usize,
    steps: usize,
}

impl Search<'_> {
    fn pair(mut self, all: Vec<Axis>) -> Option<Example> {
        if !self.is_refused(&all) {
            return None;
        }
        let mut axes = all.clone();
        for at in 0..axes.len() {
            while let Some(smaller) = smaller(axes[at]).into_iter().find(|smaller| {
                let mut axes = axes.clone();
                axes[at] = *smaller;
                self.is_refused(&axes)
            }) {
                axes[at] = smaller;
            }
        }
        let block: Vec<_> = axes.iter().take(self.blocks).map(|axis| axis.lo).collect();
        let of_corners = corners(axes.get(self.blocks..)?).and_then(|corners| self.meeting(&block, corners));
        of_corners.or_else(|| self.meeting(&block, lines(all.get(self.blocks..)?)))
    }

    /// Whether the launch with these axes is refused for an overlap.
    fn is_refused(&mut self, axes: &[Axis]) -> bool {
        self.decisions += 1;
        let (blocks, axes) = axes.split_at(self.blocks);
        let numbers = Numbers { blocks, axes, ..*self.numbers };
        self.decisions <= MOST_DECISIONS && matches!(decide(self.facts, &numbers), Err(Refusal::Overlap { .. }))
    }

    /// Runs iterations of a block until two of them meet.
    fn meeting(&mut self, block: &[i128], iterations: impl IntoIterator<Item = Vec<i128>>) -> Option<Example> {
        let mut visits = Visits::new();
        // Of a phase: no index has bounds there.
        let blocks = self.numbers.axes.get(..self.blocks).unwrap_or_default();
        let numbers = Numbers { blocks, ..*self.numbers };
        let samples: Vec<Option<Elements<'_>>> = match self.loaded {
            None => vec![None],
            Some(Loaded { elements, samples, .. }) => {
                samples.iter().map(|sample| Some(Elements { sample: *sample, ..*elements })).collect()
            }
        };
        for iteration in iterations {
            let variables = [block, &iteration].concat();
            let all = samples
                .iter()
                .flat_map(|elements| touched(self.facts, &numbers, &variables, *elements, &mut self.steps));
            for touch in all.collect::<Vec<_>>() {
                let visits = visits.entry((touch.group, touch.element.clone())).or_default();
                let can_be = |other: &[i128], before: usize| {
                    self.loaded.is_none_or(|of| (of.can_be)([(before, other), (touch.access, &iteration)]))
                };
                let meets = |(other, before): &&(Vec<i128>, Touched)| {
                    *other != iteration && (before.write || touch.write) && can_be(other, before.access)
                };
                if let Some((other, before)) = visits.iter().find(meets) {
                    return Some(Example {
                        block: block.to_vec(),
                        pair: [other.clone(), iteration],
                        accesses: [before.access, touch.access],
                        wrap: before.wrap.clone().or(touch.wrap),
                        element: Some(touch.element),
                    });
                }
                if visits.len() < MOST_VISITS {
                    visits.push((iteration.clone(), touch));
                }
            }
            if self.steps == 0 {
                break;
            }
        }
        None
    }
}

/// Ranges of fewer values, the most telling ones first.
fn smaller(axis: Axis) -> Vec<Axis> {
    let Axis { trips, step, .. } = axis;
    let part = |first: u64, stride: u64, trips: u64| {
        Some(Axis { lo: nth(axis, first)?, step: step.checked_mul(stride.into())?, trips })
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

/// A value of a variable.
fn nth(Axis { lo, step, .. }: Axis, trip: u64) -> Option<i128> {
    lo.checked_add(step.checked_mul(trip.into())?)
}

/// The iterations of a box of so few.
fn corners(axes: &[Axis]) -> Option<Vec<Vec<i128>>> {
    let few = axes.iter().all(|axis| axis.trips <= 2) && axes.len() < usize::BITS as usize;
    let all = boxed(&axes.iter().map(|axis| values(*axis, 0..axis.trips.min(2))).collect::<Vec<_>>());
    (few && all.len() <= MOST_CORNERS).then_some(all)
}

/// Iterations in which one variable has many values, and the others have their first ones.
fn lines(axes: &[Axis]) -> impl Iterator<Item = Vec<i128>> {
    (0..axes.len()).flat_map(move |along| {
        let of = |(at, axis): (usize, &Axis)| match at == along {
            false => values(*axis, 0..axis.trips.min(2)),
            true => {
                let first = 0..axis.trips.min(FIRST_VALUES);
                let powers = (0..64).map(|bit| 1u64 << bit).filter(|trip| (FIRST_VALUES..axis.trips).contains(trip));
                values(*axis, first.chain(powers).chain(axis.trips.checked_sub(1).filter(|last| *last >= FIRST_VALUES)))
            }
        };
        boxed(&axes.iter().enumerate().map(of).collect::<Vec<_>>())
    })
}

fn values(axis: Axis, trips: impl Iterator<Item = u64>) -> Vec<i128> {
    trips.filter_map(|trip| nth(axis, trip)).collect()
}

/// All combinations, the last variable fastest.
fn boxed(values: &[Vec<i128>]) -> Vec<Vec<i128>> {
    values.iter().fold(vec![Vec::new()], |all, values| {
        all.iter().flat_map(|one| values.iter().map(|value| [one.as_slice(), &[*value]].concat())).collect()
    })
}
