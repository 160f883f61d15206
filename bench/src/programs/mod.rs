//! The programs, each next to the same by hand.

mod algorithms;
mod formulas;
mod launches;
mod loops;
mod own_types;
mod reductions;

use anabranch::Stream;

use crate::measure::{Bench, Failure};

type Program = fn(&mut Bench, &Stream) -> Result<(), Failure>;

const PROGRAMS: [Program; 6] =
    [loops::run, formulas::run, own_types::run, reductions::run, algorithms::run, launches::run];

/// Runs all on a stream. Those after one that fails run, too: each failure is returned.
pub(crate) fn run(bench: &mut Bench, stream: &Stream) -> Vec<Failure> {
    PROGRAMS.iter().filter_map(|program| program(bench, stream).err()).collect()
}

/// Numbers from 0 to below 1 that look random.
fn noise(n: usize) -> Vec<f32> {
    (0..n as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 8) as f32 / 16_777_216.0).collect()
}
