//! Differential fuzzing of device programs: random programs as plain Rust, as CPU twin and as generated CUDA C++ on the
//! stand-in, compared bit for bit. Anything that differs is made smaller and printed.
//!
//! `cargo run -p anabranch-tests --bin fuzz -- --programs 500 --seed 1`

mod coverage;
mod features;
mod generate;
mod harness;
mod print;
mod program;
mod rng;
mod run;
mod types;
mod visit;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;

use coverage::Coverage;
use features::{ACCEPTED, Feature};
use harness::Scratch;
use program::Program;
use run::{Outcome, Runner, Target};

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
    #[arg(long, value_delimiter = ',', default_values = ["cpu", "standin"])]
    targets: Vec<Target>,
    /// Parts of the language
    #[arg(long, value_delimiter = ',', value_enum, default_values_t = ACCEPTED)]
    features: Vec<Feature>,
    /// Parts of the language to leave out
    #[arg(long, value_delimiter = ',')]
    without: Vec<Feature>,
    /// Print the programs and run nothing
    #[arg(long)]
    print: bool,
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
    let begin = Instant::now();
    options.features.retain(|feature| !options.without.contains(feature));
    let program = |number: usize| generate::program(options.seed + number as u64, number, &options.features);
    if options.print {
        for program in (0..options.programs).map(program) {
            println!("{}{}", print::items(&program, true), print::body(&program));
        }
        return Ok(true);
    }
    let runner = runner(&options)?;
    let mut coverage = Coverage::default();
    let mut totals: BTreeMap<&str, usize> = BTreeMap::new();
    let mut iterations = 0;
    for first in (0..options.programs).step_by(ROUND) {
        let programs: Vec<Program> = (first..options.programs.min(first + ROUND)).map(program).collect();
        programs.iter().for_each(|program| coverage.add(program));
        for (number, (target, outcome)) in runner.run(&programs)? {
            match outcome {
                Outcome::Same { iterations: more, panics } => {
                    iterations += more;
                    *totals.entry(if panics > 0 { "with panics" } else { "without panics" }).or_default() += 1;
                }
                other => {
                    *totals.entry(other.kind()).or_default() += 1;
                    println!("seed {}, {target:?}, {}:\n{other}", options.seed + number as u64, other.kind());
                }
            }
        }
        println!("{} programs in {:.0} s", programs.len() + first, begin.elapsed().as_secs_f32());
    }
    coverage.print();
    let good = ["with panics", "without panics"].iter().filter_map(|kind| totals.get(kind)).sum::<usize>();
    println!("{iterations} iterations compared on {:?}; programs: {totals:?}", options.targets);
    Ok(good == options.programs)
}

fn runner(options: &Options) -> io::Result<Runner> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new(".")).to_owned();
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace.join("target"), PathBuf::from);
    let folder = options.folder.clone().unwrap_or_else(|| target.join("fuzz"));
    let mut targets = options.targets.clone();
    if targets.contains(&Target::Standin) && !workspace.join("tests/standin/run").exists() {
        eprintln!("skipped: the CUDA C++, because there is no tests/standin/run");
        targets.retain(|target| *target != Target::Standin);
    }
    let jobs = options.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    Ok(Runner { scratch: Scratch { folder, workspace }, targets, jobs, batch: options.batch, seed: options.seed })
}
