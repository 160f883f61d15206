//! The functions that the emitter writes, and which of their programs.

use std::collections::BTreeSet;

/// What a launch has shown before it runs a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Proved {
    /// Nothing.
    Nothing,
    /// The lengths of all slices fit 32 bits.
    Lengths,
    /// In addition, the accesses that the launch decides are in bounds, and index arithmetic fits
    /// 32 bits.
    Accesses,
}

/// One of the functions that a device function becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Version {
    /// The function for what the launch has shown.
    For(Proved),
    /// Its result in 32 bits, from arguments in 32 bits.
    Index,
}

/// The function to write.
#[derive(Debug, Clone, Copy)]
pub struct Form<'a> {
    /// Its C++ name.
    pub name: &'a str,
    /// What is true where it runs. It decides how parameters are passed, also where nothing else in
    /// the text depends on it.
    pub proved: Proved,
    /// One grid runs all iterations of the loop.
    pub one_grid: bool,
    /// A thread goes on after a failed check, because it cannot end alone.
    pub goes_on: bool,
    /// The number of sites in the program before those of the body.
    pub sites: u32,
    /// The file and line of the source, if the text says which lines it comes from.
    pub source: Option<(&'a str, u32)>,
}

/// A function in C++.
#[derive(Debug, Default)]
pub struct Written {
    /// The function. It ends with a line break.
    pub text: String,
    /// Its declaration, with a line break. A `__global__` function has none.
    pub declaration: String,
    /// What the text has in it.
    pub uses: Uses,
}

/// What a text has in it, for the program around it.
#[derive(Debug, Default)]
pub struct Uses {
    /// A check that can fail.
    pub checks: bool,
    /// A printing macro.
    pub prints: bool,
    /// A loop that polls in each round whether a thread of its block has failed.
    pub polls: bool,
    /// Device functions, by [`CalledFunction::number`](super::CalledFunction::number).
    pub functions: BTreeSet<(usize, Version)>,
}

impl Uses {
    /// What another text has in it is in the program, too.
    pub fn add(&mut self, other: Uses) {
        let Uses { checks, prints, polls, functions } = other;
        self.checks |= checks;
        self.prints |= prints;
        self.polls |= polls;
        self.functions.extend(functions);
    }
}
