//! Differential fuzzing of device programs: random programs as plain Rust, as CPU twin and as generated CUDA C++ on the
//! stand-in, compared bit for bit. Anything that differs is made smaller and printed.
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

/// What a program is that the generator has got wrong.
const NO_RUST: &str = "rejected by rustc";

/// Programs that are built together; the disk holds one round.
const ROUND: usize = 500;

#[derive(Parser)]
#[command(about = "Runs random device programs as plain Rust, as CPU twin and as CUDA C++, and compares")]
struct Options {
    /// How many programs
    #[arg(long, default_value_t = 100)]
    programs: usize,
    /// The seed of the first; the next has the next
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Processes at the same time; all cores without it
    #[arg(long)]
    jobs: Option<usize>,
    /// Programs of a scratch crate
    #[arg(long, default_value_t = 50)]
    batch: usize,
    /// What plain Rust is compared with
    #[arg(long, value_delimiter = ',', default_values = ["cpu", "lanes", "standin"])]
    targets: Vec<Target>,
    /// Parts of the language; all without it
    #[arg(long, value_delimiter = ',')]
    features: Vec<Feature>,
    /// Parts of the language to leave out
    #[arg(long, value_delimiter = ',')]
    without: Vec<Feature>,
    /// Run the cases of this folder, and no random programs
    #[arg(long)]
    replay: Option<PathBuf>,
    /// How many programs that differ are made smaller
    #[arg(long, default_value_t = 3)]
    shrink: usize,
    /// Seconds that one of them may take
    #[arg(long, default_value_t = 240)]
    shrink_time: u64,
    /// How many percent of the programs are loops over blocks
    #[arg(long, default_value_t = 25)]
    blocks: u64,
    /// How many percent of the programs are host parts with reductions and scans
    #[arg(long, default_value_t = 15)]
    reductions: u64,
    /// How many percent of the programs are loops that mostly run in lanes on the CPU
    #[arg(long, default_value_t = 20)]
    lanes: u64,
    /// Build the kernels with all optimizations, and compare with plain Rust without: what a compiler gets wrong differs
    #[arg(long)]
    optimized: bool,
    /// The stand-in runs the threads of blocks forwards or backwards, as this seed says
    #[arg(long)]
    chaos: Option<u64>,
    /// Print the programs and run nothing
    #[arg(long)]
    print: bool,
    /// The repository under test; this one without it
    #[arg(long)]
    workspace: Option<PathBuf>,
    /// Where the scratch crates go; `fuzz` in the target folder without it
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

/// Whether everything agrees.
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
    // One kind's programs are not in a row.
    let generate = match seed * 61 % 100 {
        share if share < options.reductions => generate::reductions,
        share if share < options.reductions + options.blocks => generate::blocks,
        share if share < options.reductions + options.blocks + options.lanes => generate::lanes,
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
    // A program that plain Rust refuses says nothing of the macro; many of them say that the generator is wrong.
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
    let folder = options.folder.clone().unwrap_or_else(|| target.join("fuzz"));
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
