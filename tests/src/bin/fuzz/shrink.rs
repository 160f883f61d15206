//! Shrinks a program while it still fails in the same way on its target. Many candidates are built
//! and run together.

use std::io;
use std::time::{Duration, Instant};

use anabranch_programs::program::Program;
use anabranch_programs::shrink::{self, Judge};

use crate::case::Case;
use crate::run::{Runner, Target};

/// Returns the smallest program found within this time that fails on the target in this way.
pub(crate) fn smallest(
    runner: &Runner,
    program: Program,
    target: Target,
    signature: &str,
    time: Duration,
) -> io::Result<Program> {
    let begin = Instant::now();
    shrink::smallest(program, &mut Build { runner: runner.only(target), signature, begin, time, tried: 0 })
}

struct Build<'a> {
    runner: Runner,
    signature: &'a str,
    begin: Instant,
    time: Duration,
    tried: usize,
}

impl Judge for Build<'_> {
    type Error = io::Error;

    const TOGETHER: usize = 24;

    fn fails(&mut self, programs: &[Program]) -> io::Result<Option<Vec<bool>>> {
        if self.begin.elapsed() >= self.time {
            return Ok(None);
        }
        let cases: Vec<Case> = programs.iter().enumerate().map(|(at, p)| Case::of(p).renumbered(at)).collect();
        let outcomes = self.runner.run(&cases)?;
        self.tried += cases.len();
        eprintln!("shrinking: {} programs tried in {:.0} s", self.tried, self.begin.elapsed().as_secs_f32());
        Ok(Some((0..cases.len()).map(|at| outcomes[&at].1.signature() == self.signature).collect()))
    }
}
