//! Compares anabranch with hand-written `rayon` and, if they are installed, with Numba, Taichi and
//! Quadrants.
//!
//! All Rust code runs in one process in rounds with a rotating order, and every result is checked.
//! The `README.md` of this crate has the commands.

mod check;
mod families;
// The files belong to the test suites, and not all of their kernels are timed.
#[allow(dead_code, unreachable_pub, reason = "the files belong to the test suites")]
mod kernels;
mod measure;
mod peers;
mod plot;
mod programs;
mod report;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread::available_parallelism;
use std::time::Instant;

use anabranch::Device;
use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};

use families::Family;
use measure::{Bench, Failure, Row};
use peers::Peers;
use report::Report;

/// Compares anabranch with hand-written code and other libraries. Exits with 1 if a result is wrong
/// or the gate fails.
#[derive(Parser)]
#[command(name = "anabranch-bench")]
struct Args {
    /// Run 11 rounds instead of 41
    #[arg(long)]
    quick: bool,

    /// Fail if the kernels of a family exceed its limit on the CPU device. Runs 7 rounds, without a
    /// GPU
    #[arg(long)]
    gate: bool,

    /// Run only the programs with this text in their names
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,

    /// A Python in which numba, taichi, quadrants, warp or torch are installed
    #[arg(long, value_name = "FILE")]
    python: Option<PathBuf>,

    /// Write report.md, report.html and report.svg into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// A note for the report, such as other load on the machine
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Result<bool, Failure> {
    let start = Instant::now();
    let threads = available_parallelism().map_or(1, usize::from);
    let peers = match &args.python {
        Some(python) => Peers::start(python, threads)?,
        None => Peers::default(),
    };
    let versions = peers.describe();
    let bar = ProgressBar::new_spinner().with_style(ProgressStyle::with_template("{spinner} {elapsed} {msg}")?);
    let rounds = match (args.gate, args.quick) {
        (true, _) => 7,
        (false, true) => 11,
        (false, false) => 41,
    };
    let mut bench = Bench::new(rounds, args.only.clone(), peers, bar);
    let mut devices = vec![Device::cpu()];
    if !args.gate && Device::cuda_count()? > 0 {
        devices.push(Device::cuda(0)?);
    }

    println!(
        "Medians of {rounds} rounds in rotating order. The number after a time is its ratio to hand-written rayon, with quartiles;"
    );
    println!("below 1 is faster than rayon.");
    let mut wrong = Vec::new();
    for device in &devices {
        println!("\n{device}");
        wrong.extend(programs::run(&mut bench, &device.default_stream()));
    }
    let Bench { rows, bar, .. } = bench;
    bar.finish_and_clear();
    for failure in &wrong {
        eprintln!("error: {failure}");
    }
    println!("\n{} comparisons in {:.0} s", rows.len(), start.elapsed().as_secs_f64());

    if let Some(folder) = &args.out {
        let report =
            Report { rows: &rows, rounds, threads, devices: &devices, peers: &versions, note: args.note.as_deref() };
        write(folder, &report)?;
        println!("written  {}", folder.join("report.md").display());
    }
    let slow = if args.gate { too_slow(&rows) } else { false };
    Ok(wrong.is_empty() && !slow)
}

fn write(folder: &Path, report: &Report<'_>) -> Result<(), Failure> {
    let failed = |error| format!("cannot write the report into {}: {error}", folder.display());
    fs::create_dir_all(folder).map_err(failed)?;
    let svg = plot::svg(report.rows);
    for (name, text) in
        [("report.md", report.markdown()), ("report.html", report.html(&svg)), ("report.svg", svg.clone())]
    {
        fs::write(folder.join(name), text).map_err(failed)?;
    }
    Ok(())
}

/// Prints the worst program of each family, and whether it is within its limit.
fn too_slow(rows: &[Row]) -> bool {
    let mut slow = false;
    for family in Family::ALL {
        let worst = rows.iter().filter(|row| row.family == family).max_by(|a, b| a.figure().total_cmp(&b.figure()));
        let Some(worst) = worst else { continue };
        let above = worst.figure() > family.limit();
        slow |= above;
        let verdict = if above { "TOO SLOW" } else { "fine    " };
        println!("{verdict}  {}: {:.2}, limit {} ({})", family.title(), worst.figure(), family.limit(), worst.name);
    }
    slow
}

#[cfg(test)]
mod tests {
    use super::*;
    use measure::{Entry, Spread};

    #[test]
    fn the_gate_looks_at_the_worst_of_each_family() {
        // The medians are far above each limit, as other load makes them.
        let spread = |low| Spread { low, median: 2.0 * low, high: 3.0 * low };
        let row = |family: Family, ratio: f64| {
            let entry = Entry { who: "cpu".to_owned(), time: spread(1e-9 * ratio), ratio: spread(ratio) };
            Row { family, name: "a program".to_owned(), entries: vec![entry] }
        };
        for family in Family::ALL {
            let (fine, slow) = (row(family, 0.9 * family.limit()), row(family, 1.1 * family.limit()));
            assert!(!too_slow(&[fine.clone(), fine.clone()]), "{family:?}");
            assert!(too_slow(&[fine.clone(), slow, fine]), "{family:?}");
        }
    }
}
