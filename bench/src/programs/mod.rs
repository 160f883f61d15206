//! The programs, each with hand-written code to compare with.

mod algorithms;
mod formulas;
mod launches;
mod long_loops;
mod loops;
mod own_types;
mod reductions;

use anabranch::Stream;

use crate::measure::{Bench, Failure};

type Program = fn(&mut Bench, &Stream) -> Result<(), Failure>;

const PROGRAMS: [Program; 7] =
    [loops::run, long_loops::run, formulas::run, own_types::run, reductions::run, algorithms::run, launches::run];

/// Runs all programs on a stream, even if one fails, and returns the failures.
pub(crate) fn run(bench: &mut Bench, stream: &Stream) -> Vec<Failure> {
    PROGRAMS.iter().filter_map(|program| program(bench, stream).err()).collect()
}

/// Pseudorandom numbers from 0 to below 1.
fn noise(n: usize) -> Vec<f32> {
    (0..n as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 8) as f32 / 16_777_216.0).collect()
}
