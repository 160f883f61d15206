//! Differential fuzzing of device programs: runs random programs as plain Rust, as the CPU twin and
//! as generated CUDA C++ on the stand-in, and compares them bit for bit. Programs with different
//! results are shrunk and printed.
//!
//! `cargo run -p anabranch-tests --bin fuzz -- --programs 500 --seed 1`

mod case;
mod coverage;
mod harness;
mod run;
mod shrink;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anabranch_programs::generate::{self, Feature};
use anabranch_programs::program::Program;
use anabranch_programs::scratch::Scratch;
use clap::Parser;

use case::Case;
use coverage::Coverage;
use harness::Crates;
use run::{Outcome, Runner, Target};

/// The outcome of an invalid program, which is a bug of the generator.
const NO_RUST: &str = "rejected by rustc";

/// The number of programs that are built together. The disk holds one round.
const ROUND: usize = 500;

#[derive(Parser)]
#[command(
    about = "Runs random device programs as plain Rust, as the CPU twin and as CUDA C++, and compares the results"
)]
struct Options {
    /// The number of programs
    #[arg(long, default_value_t = 100)]
    programs: usize,
    /// The seed of the first program; the others have the seeds after it
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The number of processes at the same time. Default: the number of cores
    #[arg(long)]
    jobs: Option<usize>,
    /// The number of programs in a scratch crate
    #[arg(long, default_value_t = 50)]
    batch: usize,
    /// The targets to compare with plain Rust
    #[arg(long, value_delimiter = ',', default_values = ["cpu", "lanes", "standin"])]
    targets: Vec<Target>,
    /// The parts of the language to use. Default: all
    #[arg(long, value_delimiter = ',')]
    features: Vec<Feature>,
    /// The parts of the language to leave out
    #[arg(long, value_delimiter = ',')]
    without: Vec<Feature>,
    /// Run the cases in this folder instead of random programs
    #[arg(long)]
    replay: Option<PathBuf>,
    /// The maximum number of failing programs to shrink
    #[arg(long, default_value_t = 3)]
    shrink: usize,
    /// The time limit for shrinking a program, in seconds
    #[arg(long, default_value_t = 240)]
    shrink_time: u64,
    /// The percentage of programs that are loops over blocks
    #[arg(long, default_value_t = 25)]
    blocks: u64,
    /// The percentage of programs that are host parts with reductions and scans
    #[arg(long, default_value_t = 15)]
    reductions: u64,
    /// The percentage of programs that are loops for the CPU's lanes
    #[arg(long, default_value_t = 20)]
    lanes: u64,
    /// The percentage of programs with inner loops over ranges that data decide
    #[arg(long, default_value_t = 10)]
    along: u64,
    /// Build the kernels with optimizations and plain Rust without, to find miscompilations
    #[arg(long)]
    optimized: bool,
    /// The seed with which the stand-in runs the threads of blocks forwards or backwards
    #[arg(long)]
    chaos: Option<u64>,
    /// Print the programs without running them
    #[arg(long)]
    print: bool,
    /// The repository to test. Default: this one
    #[arg(long)]
    workspace: Option<PathBuf>,
    /// The folder for the scratch crates. Default: `fuzz` in the target folder
    #[arg(long)]
    folder: Option<PathBuf>,
}

fn main() -> ExitCode {
    match fuzz(Options::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("fuzz: {error}");
            ExitCode::from(2)
        }
    }
}

/// Returns whether all results agree.
fn fuzz(mut options: Options) -> io::Result<bool> {
    if options.features.is_empty() {
        options.features = Feature::ALL.to_vec();
    }
    options.features.retain(|feature| !options.without.contains(feature));
    if options.print {
        (0..options.programs).for_each(|number| print!("{}", Case::of(&program(&options, number)).to_file("")));
        return Ok(true);
    }
    let runner = runner(&options)?;
    match &options.replay {
        Some(folder) => replay(&runner, folder),
        None => campaign(&runner, &options),
    }
}

fn program(options: &Options, number: usize) -> Program {
    let seed = options.seed + number as u64;
    // Mixes the kinds of programs.
    let generate = match seed * 61 % 100 {
        share if share < options.reductions => generate::reductions,
        share if share < options.reductions + options.blocks => match seed.is_multiple_of(2) {
            true => generate::blocks_in_lanes,
            false => generate::blocks,
        },
        share if share < options.reductions + options.blocks + options.lanes => generate::lanes,
        share if share < options.reductions + options.blocks + options.lanes + options.along => generate::along,
        _ => generate::program,
    };
    generate(seed, number, &options.features)
}

/// The cases of a folder.
fn replay(runner: &Runner, folder: &Path) -> io::Result<bool> {
    let (names, cases): (Vec<String>, Vec<Case>) = Case::load(folder)?.into_iter().unzip();
    let mut good = true;
    for (number, (target, outcome)) in runner.run(&cases)? {
        println!("{}, {target:?}, {}: {outcome}", names[number], outcome.kind());
        good &= outcome.is_same();
    }
    println!("{} cases on {:?}", names.len(), runner.targets);
    Ok(good)
}

/// Random programs, in rounds.
fn campaign(runner: &Runner, options: &Options) -> io::Result<bool> {
    let begin = Instant::now();
    let mut coverage = Coverage::default();
    let mut totals: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut iterations, mut shrunk) = (0, 0);
    for first in (0..options.programs).step_by(ROUND) {
        let numbers = first..options.programs.min(first + ROUND);
        let programs: Vec<Program> = numbers.clone().map(|number| program(options, number)).collect();
        programs.iter().for_each(|program| coverage.add(program));
        let cases: Vec<Case> = programs.iter().map(Case::of).collect();
        for (number, (target, outcome)) in runner.run(&cases)? {
            if let Outcome::Same { iterations: more, panics } = outcome {
                iterations += more;
                *totals.entry(if panics > 0 { "agree, with panics" } else { "agree" }).or_default() += 1;
                continue;
            }
            let kind = outcome.kind();
            *totals.entry(kind).or_default() += 1;
            println!("seed {} on {target:?}: {kind}\n{outcome}", options.seed + number as u64);
            if kind == NO_RUST {
                continue;
            }
            if shrunk < options.shrink {
                shrunk += 1;
                let time = Duration::from_secs(options.shrink_time);
                let signature = outcome.signature();
                let small = shrink::smallest(runner, programs[number - first].clone(), target, &signature, time)?;
                keep(&small, target, kind)?;
            }
        }
        println!("{} programs in {:.0} s", numbers.end, begin.elapsed().as_secs_f32());
    }
    coverage.print();
    let in_lanes = runner.in_lanes.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if !in_lanes.is_empty() {
        println!("loops on the CPU: {in_lanes:?}");
    }
    println!("{iterations} iterations compared on {:?}; programs: {totals:?}", runner.targets);
    // A program that is not valid Rust does not test the macro. Many of them mean that the
    // generator is wrong.
    let no_rust = totals.remove(NO_RUST).unwrap_or_default();
    Ok(50 * no_rust <= options.programs && totals.keys().all(|kind| kind.starts_with("agree")))
}

/// Prints a case and saves it.
fn keep(program: &Program, target: Target, kind: &str) -> io::Result<()> {
    let case = Case::of(program).to_file(&format!("{target:?}: {kind}"));
    let folder = repository().join("tests/fuzz/found");
    let file = folder.join(format!("{}_{}.rs", kind.replace(' ', "_"), program.seed));
    fs::create_dir_all(folder)?;
    fs::write(&file, &case)?;
    println!("{case}saved as {}", file.display());
    Ok(())
}

/// The root of the repository that this program was built in.
fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}

fn runner(options: &Options) -> io::Result<Runner> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| repository().join("target"), PathBuf::from);
    let folder = std::path::absolute(options.folder.clone().unwrap_or_else(|| target.join("fuzz")))?;
    let workspace = fs::canonicalize(options.workspace.as_deref().unwrap_or(repository()))?;
    let standin = repository().join("tests/standin/run");
    let mut targets = options.targets.clone();
    if targets.contains(&Target::Standin) && !standin.exists() {
        eprintln!("skipped: the CUDA C++, because there is no tests/standin/run");
        targets.retain(|target| *target != Target::Standin);
    }
    let jobs = options.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    Ok(Runner {
        crates: Crates { scratch: Scratch { folder, workspace }, optimized: options.optimized },
        standin,
        chaos: options.chaos,
        targets,
        jobs,
        batch: options.batch,
        loops: 10,
        in_lanes: Mutex::default(),
    })
}
