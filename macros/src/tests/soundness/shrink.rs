//! Makes a failing program and its numbers smaller, as long as it fails.

use std::convert::Infallible;

use anabranch_programs::dress::Spelling;
use anabranch_programs::machine::Numbers;
use anabranch_programs::print;
use anabranch_programs::program::Program;
use anabranch_programs::shrink::{self, Judge};

use super::campaign;

/// Programs that are tried.
const MOST_TRIED: usize = 2_000;

struct Failing<'s> {
    spelling: &'s Spelling,
    numbers: Numbers,
    tried: usize,
}

impl Judge for Failing<'_> {
    type Error = Infallible;

    const TOGETHER: usize = 8;

    fn fails(&mut self, programs: &[Program]) -> Result<Option<Vec<bool>>, Infallible> {
        self.tried += programs.len();
        let fails = |program| campaign::wrong(program, self.spelling, &self.numbers).is_some();
        Ok((self.tried < MOST_TRIED).then(|| programs.iter().map(fails).collect()))
    }
}

/// The text of the smallest program that was found, with its numbers and what is wrong.
pub(super) fn smallest(program: &Program, spelling: &Spelling, numbers: &Numbers) -> String {
    let (mut program, mut judge) = (program.clone(), Failing { spelling, numbers: numbers.clone(), tried: 0 });
    loop {
        let Ok(smaller) = shrink::smallest(program, &mut judge);
        program = smaller;
        let all: Vec<Numbers> = fewer(&judge.numbers).collect();
        let better = all.into_iter().find(|numbers| {
            judge.tried += 1;
            judge.tried < MOST_TRIED && campaign::wrong(&program, spelling, numbers).is_some()
        });
        match better {
            Some(numbers) => judge.numbers = numbers,
            None => break,
        }
    }
    let numbers = &judge.numbers;
    let values = program.values().zip(&numbers.values).map(|(var, n)| format!("{} = {n}", program.name(var)));
    let lens = program.buffers().zip(&numbers.lens).map(|(var, n)| format!("{}.len() = {n}", program.name(var)));
    let with: Vec<String> = values.chain(lens).collect();
    let wrong = campaign::wrong(&program, spelling, numbers).unwrap_or_default();
    let print::Text { source, dress, .. } = print::dressed(&program, "k", spelling.dress(&program));
    format!("{wrong}\n{}{source}with {}", dress.around, with.join(", "))
}

/// Smaller numbers.
fn fewer(numbers: &Numbers) -> impl Iterator<Item = Numbers> {
    let values = (0..numbers.values.len()).flat_map(move |at| {
        let now = numbers.values[at];
        [0, 1, now / 2, now - now.signum()].into_iter().filter(move |new| new.abs() < now.abs()).map(move |new| {
            let mut fewer = numbers.clone();
            fewer.values[at] = new;
            fewer
        })
    });
    let lens = (0..numbers.lens.len()).flat_map(move |at| {
        let now = numbers.lens[at];
        [0, now / 2, now.saturating_sub(1)].into_iter().filter(move |new| *new < now).map(move |new| {
            let mut fewer = numbers.clone();
            fewer.lens[at] = new;
            fewer
        })
    });
    values.chain(lens)
}
