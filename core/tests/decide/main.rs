//! The launch's decisions: cases with names ([`bounds`], [`sharing`]), and random loops that are
//! run on a machine.

mod bounds;
mod calls;
mod facts;
mod sharing;
mod speed;

use anabranch_core::facts::Facts;
use anabranch_programs::generate::accesses::{self, Accesses, Ran};
use anabranch_programs::{machine, program};

use anabranch_core::decide::{Example, Refusal, Verdict};

/// Loops of a test. A longer run: `ANABRANCH_PROGRAMS=1000000 cargo test --release
/// -p anabranch-core --test decide`.
const PROGRAMS: u64 = 10_000;
/// A buffer that is longer is not allocated for a test.
const MOST_ELEMENTS: i128 = 1 << 16;

const PROVED: Result<Verdict, Refusal> = Ok(Verdict::Proved { narrow: true });
const WIDE: Result<Verdict, Refusal> = Ok(Verdict::Proved { narrow: false });
const CHECKED: Result<Verdict, Refusal> = Ok(Verdict::Checked);

/// An access that is refused, with its index.
fn outside(access: usize, index: i128, len: i128) -> Result<Verdict, Refusal> {
    Err(Refusal::OutOfBounds { access, index, len, dim: None })
}

/// The same of a grid, in one of its dimensions.
fn outside_in(dim: usize, access: usize, index: i128, len: i128) -> Result<Verdict, Refusal> {
    Err(Refusal::OutOfBounds { access, index, len, dim: Some(dim) })
}

/// Two accesses that are refused.
fn overlap(first: usize, second: usize) -> Result<Verdict, Refusal> {
    Err(Refusal::Overlap { first, second })
}

/// What is wrong with a decision.
fn wrong(decision: Result<Verdict, Refusal>, Ran { outcome, endless, .. }: &Ran) -> Option<&'static str> {
    let outside = !outcome.outside.is_empty() || outcome.outside_parts;
    match decision {
        Ok(_) if outcome.conflict.is_some() => Some("iterations meet"),
        Ok(Verdict::Proved { .. }) if outside => Some("out of bounds"),
        Err(Refusal::OutOfBounds { .. }) if !outcome.has_failed() && !endless => Some("refused, and in bounds"),
        _ => None,
    }
}

/// The decision on a loop must be this one. Small ones are run, too.
#[track_caller]
fn check(program: &Accesses, expected: Result<Verdict, Refusal>) {
    let facts = facts::of(program);
    let decision = facts::decide(program, &facts);
    assert_eq!(decision, expected, "{facts:#?}");
    let small = program.symbols.iter().all(|symbol| *symbol < MOST_ELEMENTS);
    if small && program.axes.iter().all(|axis| axis.trips < 100) {
        assert_eq!(wrong(decision, &program.run()), None);
    }
}

#[derive(Debug, Default)]
struct Counts {
    proved: u64,
    /// Of these, something was touched.
    proved_something: u64,
    checked: u64,
    /// Of these, nothing was out of bounds.
    checked_in_vain: u64,
    outside: u64,
    overlap: u64,
    /// Of these, no iterations met.
    refused_in_vain: u64,
    /// Of those that met, two iterations are named. That two of others are is a failure.
    examples: u64,
    conflicts: u64,
}

/// What is decided on random loops holds on a machine.
#[test]
fn decisions_hold() {
    let programs = std::env::var("ANABRANCH_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(PROGRAMS);
    let first = std::env::var("ANABRANCH_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let mut counts = Counts::default();
    for seed in first..first + programs {
        let (program, never_sure) = accesses::random(seed);
        let facts = facts::some(&program, never_sure);
        let decision = facts::decide(&program, &facts);
        let ran = program.run();
        if let Some(wrong) = wrong(decision, &ran) {
            panic!("{wrong}: seed {seed}\n{program:#?}\n{facts:#?}\n{decision:?} {ran:?}");
        }
        let conflict = ran.outcome.conflict.is_some();
        match decision {
            Ok(Verdict::Proved { .. }) => {
                counts.proved += 1;
                counts.proved_something += u64::from(ran.touched);
            }
            Ok(Verdict::Checked) => {
                counts.checked += 1;
                counts.checked_in_vain += u64::from(!ran.outcome.has_failed() && !ran.endless);
            }
            Err(Refusal::OutOfBounds { .. }) => counts.outside += 1,
            Err(Refusal::Overlap { .. } | Refusal::OverlapInPhase { .. }) => {
                counts.overlap += 1;
                counts.refused_in_vain += u64::from(!conflict && !ran.endless);
                let example = facts::example(&program, &facts).filter(|_| !ran.endless);
                counts.examples += u64::from(example.is_some());
                if let Some(example) = example {
                    let wrong = "the iterations of the example do not meet";
                    assert!(
                        is_true(&program, &facts, &example),
                        "{wrong}: seed {seed}\n{program:#?}\n{facts:#?}\n{example:?}"
                    );
                }
            }
        }
        counts.conflicts += u64::from(conflict);
    }
    println!("{programs} programs: {counts:?}");
    // A generator that makes nothing but one kind tests nothing.
    let enough = |count: u64, percent: u64| assert!(count * 100 >= programs * percent, "{counts:?}");
    enough(counts.proved_something, 15);
    enough(counts.checked, 5);
    enough(counts.outside, 3);
    enough(counts.overlap, 10);
    enough(counts.conflicts, 10);
    let met = counts.overlap - counts.refused_in_vain;
    assert!(counts.examples * 100 >= met * 75, "{counts:?}");
}

/// Whether the two iterations touch the element on the machine.
fn is_true(program: &Accesses, facts: &Facts, example: &Example) -> bool {
    let buffer = facts.accesses[example.accesses[0]].view;
    let pair = example.pair.each_ref().map(|values| machine::iteration(&program.axes, values).expect("an iteration"));
    let shape =
        program::shape(program.symbols[buffer_symbol(program, buffer)] as usize, program.program.vars[buffer].minor);
    let element = example.element.as_ref().expect("its index");
    let place = element.iter().zip(&shape).fold(0, |place, (index, extent)| place * extent + *index as usize);
    program.watched(Some(pair)).outcome.met().any(|met| (met.buffer, met.element) == (buffer, place))
}

/// The number of the symbol that is the length of a buffer.
fn buffer_symbol(Accesses { program, .. }: &Accesses, buffer: usize) -> usize {
    program.params.iter().position(|param| param.0 == buffer).expect("a parameter")
}
