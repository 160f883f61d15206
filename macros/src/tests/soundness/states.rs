//! Random programs of blocks whose phases depend on the block's variables: what is accepted when a
//! kernel is compiled has no two iterations that meet, and each error names two that do.
//!
//! The variables change in loops, branches, nested values and through references, have types that
//! only rustc finds, and wrap. A machine runs each program with several numbers of a launch, and
//! each run twice: what fails ends its iteration, or goes on.

mod machine;
mod program;
mod text;

use anabranch_programs::rng::Rng;

use super::{judge, setting};
use crate::tests::errors;
use machine::{Launch, Meeting, Run};

#[derive(Default, Debug)]
struct Totals {
    programs: usize,
    /// Phases that some launch reaches.
    phases: usize,
    accepted: usize,
    /// Those in which iterations meet in some launch.
    meeting: usize,
    refused: usize,
}

/// The meetings that errors name, in the phases at these lines.
fn named(said: &str, phases: &[(u32, u32)]) -> Vec<Meeting> {
    let mut phase = None;
    said.lines()
        .filter_map(|line| {
            if let Some((at, _)) = line.split_once(": [AB") {
                let at: u32 = at.split(':').next()?.parse().expect("an error has a line");
                phase = phases.iter().position(|(first, last)| (first..=last).contains(&&at));
                assert!(line.contains("AB0604") || line.contains("AB0605"), "{line}");
            }
            let example = line.strip_prefix("example: ")?;
            let element = example.split('`').nth(1)?;
            let numbers = |text: &str| -> Vec<u64> {
                text.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse().ok()).collect()
            };
            let iterations: Vec<u64> = example.split("t = ").skip(1).map(|rest| numbers(rest)[0]).collect();
            let array = usize::from(element.starts_with('q'));
            Some((phase?, array, numbers(element), iterations[0], iterations[1], example.contains("both write")))
        })
        .collect()
}

impl Totals {
    fn add(&mut self, seed: u64) {
        let program = program::random(seed);
        let (source, lines) = text::of(&program, &mut Rng::new(seed));
        let (_, facts) = judge::kernel_of(&source).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{source}"));
        let launches = [0, 1, 2, 5, 1 << 40]
            .into_iter()
            .flat_map(|m| [(false, true), (true, true), (true, false)].map(|(data, ends)| Launch { m, data, ends }));
        let runs: Vec<Run> = launches.map(|launch| machine::run(&program, &launch)).collect();
        self.programs += 1;
        let left: Vec<u32> = facts.iter().flat_map(|facts| &facts.phases).map(|phase| phase.line).collect();
        for (number, (line, _)) in lines.iter().enumerate() {
            self.phases += usize::from(runs.iter().any(|run| run.reached.contains(&number)));
            let met = runs.iter().flat_map(|run| &run.meetings).find(|met| met.0 == number);
            self.meeting += usize::from(met.is_some());
            if !left.contains(line) {
                self.accepted += 1;
                assert!(met.is_none(), "seed {seed}, line {line}: a phase is accepted, but {met:?}\n{source}");
            }
        }
        let said = errors(&source);
        for named in named(&said, &lines) {
            self.refused += 1;
            let is_it = |run: &Run| run.failed || run.meetings.contains(&named);
            let is_found = |run: &Run| run.given_up || run.meetings.contains(&named);
            let all = runs.iter().all(is_it) && runs.iter().any(is_found);
            assert!(all, "seed {seed}: {named:?} is no meeting\n{said}\n{source}");
        }
    }
}

#[test]
fn random_states() {
    let (count, first) = (setting("ANABRANCH_SOUNDNESS", 1_000), setting("ANABRANCH_SOUNDNESS_SEED", 1));
    let mut totals = Totals::default();
    for seed in first..first + count {
        totals.add(seed);
        proc_macro2::extra::invalidate_current_thread_spans();
    }
    eprintln!("{totals:?}");
    assert!(totals.accepted * 5 > totals.phases, "too few phases are accepted to show anything");
    assert!(totals.refused * 20 > totals.phases, "too few phases are refused to show anything");
}
