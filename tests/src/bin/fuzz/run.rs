//! Builds scratch crates, runs them, and reports the outcome of every program.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anabranch_programs::scratch::{self, Told};

use crate::case::Case;
use crate::harness::{Crates, Parts};

/// A target to compare with plain Rust.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum Target {
    /// The CPU device.
    Cpu,
    /// The CPU device with several iterations in lock step where possible.
    Lanes,
    /// The generated CUDA C++ on the stand-in for driver and NVRTC.
    Standin,
    /// The generated CUDA C++ on the first GPU.
    Gpu,
}

/// The outcome of a program.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Outcome {
    /// All iterations agree, including those that panic.
    Same { iterations: usize, panics: usize },
    /// Something differs.
    Differs(String),
    /// The process crashed or did not end in time.
    Crashed(String),
    /// rustc or the macro rejects it.
    Rejected(String),
}

impl Outcome {
    pub(crate) fn is_same(&self) -> bool {
        matches!(self, Outcome::Same { .. })
    }

    /// The kind of failure, which the shrinker preserves.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Outcome::Same { .. } => "same",
            Outcome::Differs(text) if text.contains("does not compile") => "uncompilable",
            Outcome::Differs(text) if text.contains("panic") => "panics differ",
            Outcome::Differs(_) => "values differ",
            Outcome::Crashed(_) => "crashed",
            Outcome::Rejected(text) if text.contains("plain") => "rejected by rustc",
            Outcome::Rejected(_) => "rejected by the macro",
        }
    }
}

impl Outcome {
    /// What the shrinker preserves: the kind, and the compiler's message.
    pub(crate) fn signature(&self) -> String {
        let words = match self {
            Outcome::Rejected(text) => text.split_once("error").map(|(_, words)| words),
            Outcome::Differs(text) if self.kind() == "uncompilable" => text.split_once("error").map(|(_, words)| words),
            _ => None,
        };
        let words = words.and_then(|words| words.lines().next()).unwrap_or_default();
        format!("{}{}", self.kind(), words.replace(|c: char| c.is_ascii_digit(), ""))
    }
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Outcome::Same { iterations, panics } => write!(f, "{iterations} iterations agree, {panics} panic"),
            Outcome::Differs(text) | Outcome::Crashed(text) | Outcome::Rejected(text) => f.write_str(text),
        }
    }
}

/// How programs are run.
pub(crate) struct Runner {
    pub(crate) crates: Crates,
    /// Runs a command on the stand-in.
    pub(crate) standin: PathBuf,
    /// The seed for the order of threads.
    pub(crate) chaos: Option<u64>,
    pub(crate) targets: Vec<Target>,
    pub(crate) jobs: usize,
    pub(crate) batch: usize,
    /// The number of programs in a kernel, which share the cost of compiling the helpers.
    pub(crate) loops: usize,
    /// The number of loops that run in lanes, and that do not, by reason.
    pub(crate) in_lanes: Mutex<BTreeMap<String, usize>>,
}

impl Runner {
    /// A runner for one target and few programs.
    pub(crate) fn only(&self, target: Target) -> Self {
        let (crates, standin) = (self.crates.clone(), self.standin.clone());
        let (chaos, targets, in_lanes) = (self.chaos, vec![target], Mutex::default());
        Self { crates, standin, chaos, targets, jobs: self.jobs, batch: 12, loops: 1, in_lanes }
    }

    /// Runs programs with different numbers on all targets. The first failing target decides.
    pub(crate) fn run(&self, programs: &[Case]) -> io::Result<BTreeMap<usize, (Target, Outcome)>> {
        let mut outcomes = self.run_with(programs, self.loops)?;
        if self.loops == 1 {
            return Ok(outcomes);
        }
        // One bad program breaks the source of its whole kernel.
        let spoilt = |number: &usize| outcomes[number].1.kind() == "uncompilable";
        let again: Vec<Case> = programs.iter().filter(|program| spoilt(&program.number)).cloned().collect();
        outcomes.extend(self.run_with(&again, 1)?);
        Ok(outcomes)
    }

    fn run_with(&self, programs: &[Case], loops: usize) -> io::Result<BTreeMap<usize, (Target, Outcome)>> {
        let mut outcomes = BTreeMap::new();
        let mut good = programs.to_vec();
        while !good.is_empty() {
            let batches: Vec<Vec<Case>> = good.chunks(self.batch).map(<[Case]>::to_vec).collect();
            let parts = self.crates.write(&batches, loops)?;
            let rejected = self.build(&batches, &parts)?;
            if rejected.is_empty() {
                self.run_batches(&batches, &mut outcomes)?;
                break;
            }
            good.retain(|program| !rejected.contains_key(&program.number));
            let rejected = rejected.into_iter().map(|(number, text)| (number, (Target::Cpu, Outcome::Rejected(text))));
            outcomes.extend(rejected);
        }
        Ok(outcomes)
    }

    /// The errors of rustc, by program.
    fn build(&self, batches: &[Vec<Case>], parts: &[Parts]) -> io::Result<BTreeMap<usize, String>> {
        let scratch = &self.crates.scratch;
        let jobs = self.jobs.to_string();
        let built = scratch.build(&scratch.folder.join("target"), &["--keep-going", "--jobs", &jobs])?;
        let mut rejected = BTreeMap::new();
        let Err(errors) = built else { return Ok(rejected) };
        for (path, at, line) in scratch::errors(&errors) {
            let Some((batch, file)) = place(path) else { continue };
            let spans = &parts[batch][file];
            let hit =
                spans.iter().position(|spans| spans.iter().any(|[first, lines]| (*first..first + lines).contains(&at)));
            if let Some(at) = hit {
                let text: &mut String = rejected.entry(batches[batch][at].number).or_default();
                // The first errors are enough.
                if text.lines().count() < 3 {
                    text.push_str(line);
                    text.push('\n');
                }
            }
        }
        if rejected.is_empty() {
            Err(io::Error::other(format!("the scratch crates do not build:\n{errors}")))
        } else {
            Ok(rejected)
        }
    }

    fn run_batches(&self, batches: &[Vec<Case>], outcomes: &mut BTreeMap<usize, (Target, Outcome)>) -> io::Result<()> {
        let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
        std::thread::scope(|scope| {
            for _ in 0..self.jobs {
                scope.spawn(|| {
                    loop {
                        let at = next.fetch_add(1, Ordering::Relaxed);
                        let (Some(programs), Some(&target)) =
                            (batches.get(at / self.targets.len()), self.targets.get(at % self.targets.len()))
                        else {
                            break;
                        };
                        let result = self.run_batch(at / self.targets.len(), programs, target);
                        results.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((target, result));
                    }
                });
            }
        });
        for (target, result) in results.into_inner().unwrap_or_default() {
            for (number, outcome) in result? {
                let entry = outcomes.entry(number).or_insert_with(|| (target, outcome.clone()));
                if entry.1.is_same() && !outcome.is_same() {
                    *entry = (target, outcome);
                }
            }
        }
        Ok(())
    }

    fn run_batch(&self, batch: usize, programs: &[Case], target: Target) -> io::Result<BTreeMap<usize, Outcome>> {
        let mut outcomes = BTreeMap::new();
        let mut first = 0;
        loop {
            let Told { lines, status, silent, errors } = scratch::run(&mut self.command(batch, target, first))?;
            if target == Target::Lanes && first == 0 {
                let mut in_lanes = self.in_lanes.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                let told = lines.iter().filter_map(|line| line.strip_prefix("loop 0 "));
                told.for_each(|why| *in_lanes.entry(why.to_owned()).or_default() += 1);
            }
            let Some(crashed) = read(&lines, &mut outcomes) else {
                if !status.success() {
                    let silent = if silent { "it says nothing\n" } else { "" };
                    return Err(io::Error::other(format!("batch {batch} on {target:?}: {status}\n{silent}{errors}")));
                }
                break;
            };
            let how = if silent { "it does not end".to_owned() } else { status.to_string() };
            outcomes.insert(crashed, Outcome::Crashed(format!("{how}\n{errors}")));
            first = crashed + 1;
            if programs.iter().all(|program| program.number < first) {
                break;
            }
        }
        Ok(outcomes)
    }

    fn command(&self, batch: usize, target: Target, first: usize) -> Command {
        let program = self.crates.scratch.folder.join(format!("target/debug/twin{batch}"));
        let mut command = match target {
            Target::Cpu | Target::Lanes | Target::Gpu => Command::new(program),
            Target::Standin => {
                let mut command = Command::new(&self.standin);
                if let Some(seed) = self.chaos {
                    command.args(["--chaos", &seed.to_string()]);
                }
                command.arg(program);
                command
            }
        };
        command.arg(if matches!(target, Target::Cpu | Target::Lanes) { "cpu" } else { "cuda" });
        // Plain Rust rounds twice.
        command.env("ANABRANCH_CONTRACT", "off");
        command.env("ANABRANCH_LANES", if target == Target::Lanes { "on" } else { "off" });
        command.arg(first.to_string());
        command
    }
}

/// Reads the output of a scratch binary. Returns the program that began and did not end.
fn read(lines: &[String], outcomes: &mut BTreeMap<usize, Outcome>) -> Option<usize> {
    let mut started = None;
    for line in lines {
        let mut words = line.splitn(3, ' ');
        let (what, number) = (words.next(), words.next().and_then(|number| number.parse::<usize>().ok()));
        let (Some(what), Some(number)) = (what, number) else { continue };
        let rest = words.next().unwrap_or_default();
        match what {
            "start" => {
                started = Some(number);
                continue;
            }
            "same" => {
                let mut counts = rest.split(' ').map(|count| count.parse().unwrap_or(0));
                let (iterations, panics) = (counts.next().unwrap_or(0), counts.next().unwrap_or(0));
                outcomes.insert(number, Outcome::Same { iterations, panics });
            }
            "differs" => {
                outcomes.insert(number, Outcome::Differs(unescape(rest)));
            }
            _ => continue,
        }
        started = None;
    }
    started
}

/// The inverse of `str::escape_debug`, as far as it is needed to read a text.
fn unescape(text: &str) -> String {
    text.replace("\\n", "\n").replace("\\\"", "\"").replace("\\'", "'").replace("\\\\", "\\")
}

/// Batch and file, 0 for plain Rust and 1 for kernels, of `twin3/src/main.rs`.
fn place(path: &str) -> Option<(usize, usize)> {
    let (package, file) = path.split_once('/')?;
    let (batch, file) = match (package.strip_prefix("plain"), package.strip_prefix("twin"), file) {
        (Some(batch), None, "src/lib.rs") => (batch, 0),
        (None, Some(batch), "src/main.rs") => (batch, 1),
        _ => return None,
    };
    Some((batch.parse().ok()?, file))
}
