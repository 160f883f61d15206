//! What is accepted neither races nor leaves its bounds: shown on random kernels.
//!
//! A program goes through the macro, which accepts it or not. Then it is launched with several sets
//! of numbers: the launch decides every loop with the facts that the macro emits, and a
//! [machine](anabranch_programs::machine) runs every iteration and looks at what is touched.
//! [`judge`] compares.
//!
//! Half of the programs are spelled to mislead whoever decides by names: see
//! [`dress`](anabranch_programs::dress).
//!
//! `ANABRANCH_SOUNDNESS=100000 cargo test -p anabranch-macros soundness --
//! --nocapture` tries so many programs instead of 2,000; `ANABRANCH_SOUNDNESS_SEED` is the seed of
//! the first. Some go through rustc and onto the CPU device: `ANABRANCH_SOUNDNESS_RUSTC=1000` of
//! them instead of 40.

mod barriers;
mod campaign;
mod dressed;
mod examples;
mod fills;
mod fusion;
mod judge;
mod phases;
mod rooms;
mod rows;
mod rules;
mod scratch;
mod shrink;
mod states;
mod through_rustc;
mod types;

use campaign::Totals;

/// The number in a variable of the environment.
fn setting(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// The phases of a kernel that are left to the launch.
pub(super) fn phases_of(source: &str) -> usize {
    let (_, facts) = judge::kernel_of(source).expect("it is in the language");
    facts.iter().map(|facts| facts.phases.len()).sum()
}

#[test]
fn random_kernels() {
    let (count, first) = (setting("ANABRANCH_SOUNDNESS", 2_000), setting("ANABRANCH_SOUNDNESS_SEED", 1));
    let totals = campaign::run(first..first + count);
    eprint!("{totals}");
    assert!(totals.wrong.is_empty(), "{}", totals.failures());
    let Totals { programs, conflicting, running, shown, untried, .. } = totals;
    assert!(shown > 0 && 2 * untried <= shown, "{untried} of {shown} examples of the macro are not tried");
    // An index of a grid is more often out of bounds than one that conflicts.
    assert!(4 * conflicting >= programs, "too few conflicts to show anything");
    assert!(10 * running >= 3 * programs, "too few programs are accepted to show anything");
}
