//! Jacobi's method for Poisson's equation, with a strip of rows per process. One group exchanges
//! the halo rows by MPI, while another one computes the interior.
//!
//! `mpirun -n 4 target/release/jacobi-mpi [--rows N] [--columns N] [--sweeps N] [--out FILE]
//! [--check]`. Process 0 writes all values as bytes, so you can compare runs with different numbers
//! of processes. `--check` compares them with plain Rust, bit for bit. `--die HOW@SWEEP` lets the
//! last process end early: `error`, `panic` or `kill`.

mod halo;
mod jacobi;

use std::error::Error;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use anabranch::prelude::*;
use mpi::Threading;
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;

use jacobi::sweeps;

/// The options of the command line.
#[derive(Debug, Clone)]
struct Options {
    rows: usize,
    columns: usize,
    sweeps: usize,
    out: Option<String>,
    /// Whether process 0 compares all values with those of plain Rust.
    check: bool,
    /// How the last process ends early, and after how many sweeps.
    die: Option<(String, usize)>,
}

impl Options {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self { rows: 512, columns: 512, sweeps: 200, out: None, check: false, die: None };
        while let Some(name) = arguments.next() {
            if name == "--check" {
                options.check = true;
                continue;
            }
            let value = arguments.next().ok_or_else(|| format!("`{name}` needs a value"))?;
            let number = |text: &str| text.parse::<usize>().map_err(|_| format!("`{name} {value}`: not a number"));
            match name.as_str() {
                "--rows" => options.rows = number(&value)?,
                "--columns" => options.columns = number(&value)?,
                "--sweeps" => options.sweeps = number(&value)?,
                "--out" => options.out = Some(value),
                "--die" => {
                    let parts = value.split_once('@').filter(|(how, _)| ["error", "panic", "kill"].contains(how));
                    let (how, sweep) = parts.ok_or("`--die` needs `error`, `panic` or `kill`, `@` and a sweep")?;
                    options.die = Some((how.to_owned(), number(sweep)?));
                }
                _ => return Err(format!("unknown option `{name}`")),
            }
        }
        if options.columns < 3 || !options.sweeps.is_multiple_of(2) {
            return Err("at least 3 columns, and an even number of sweeps".to_owned());
        }
        Ok(options)
    }
}

/// The rows of a process. The first processes get the remainder.
fn strip(rows: usize, rank: usize, size: usize) -> std::ops::Range<usize> {
    let start = |rank: usize| rank * (rows / size) + rank.min(rows % size);
    start(rank)..start(rank + 1)
}

fn main() {
    let Some((universe, threading)) = mpi::initialize_with_threading(Threading::Serialized) else {
        eprintln!("error: MPI is already initialized");
        std::process::exit(1);
    };
    let world = universe.world();
    // The other processes wait for this one, so they must end with it. `mpirun` notices a process
    // that is killed.
    let result = match catch_unwind(AssertUnwindSafe(|| run(&world, threading))) {
        Ok(result) => result.map_err(|error| error.to_string()),
        Err(payload) => {
            let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
            Err(format!("panic: {}", text.unwrap_or_default()))
        }
    };
    if let Err(error) = result {
        eprintln!("error: process {} of {}: {error}; all processes end", world.rank(), world.size());
        world.abort(1);
    }
}

fn run(world: &SimpleCommunicator, threading: Threading) -> Result<(), Box<dyn Error>> {
    if threading < Threading::Serialized {
        return Err(
            "this MPI can be called from only one thread, but the exchange runs on a thread of the CPU device".into()
        );
    }
    let options = Options::parse(std::env::args().skip(1))?;
    let (rank, size) = (world.rank() as usize, world.size() as usize);
    let (w, rows) = (options.columns, strip(options.rows, rank, size));
    let n = rows.len();
    if options.rows / size < 3 {
        return Err(format!("{} rows are too few for {size} processes: each needs 3", options.rows).into());
    }

    let device = Device::cpu();
    let stream = device.default_stream();
    let f: Vec<f64> = (0..n * w).map(|i| source(i / w + rows.start, i % w)).collect();
    let f = device.buffer_from(&f)?;
    // The boundary: 1 above the first row and 0 elsewhere.
    let mut above = device.filled(w, if rank == 0 { 1.0 } else { 0.0 })?;
    let mut below = device.zeros::<f64>(w)?;
    let (mut u, mut next) = (device.zeros::<f64>(n * w)?, device.zeros::<f64>(n * w)?);

    let pairs = options.sweeps / 2;
    let until = options.die.as_ref().filter(|_| rank + 1 == size).map_or(pairs, |(_, sweep)| pairs.min(sweep / 2));
    world.barrier();
    let start = Instant::now();
    sweeps(&stream, &mut u, &mut next, &mut above, &mut below, &f, w, until)?;
    if until < pairs {
        match options.die.as_ref().map(|(how, _)| how.as_str()) {
            Some("error") => return Err("this process was told to fail".into()),
            Some("panic") => panic!("this process was told to panic"),
            _ => {
                // Like a kill by the system, without a message.
                std::process::Command::new("kill").args(["-9", &std::process::id().to_string()]).status()?;
            }
        }
    }
    let mine = u.to_vec()?;
    world.barrier();
    let seconds = start.elapsed().as_secs_f64();
    gather(world, &options, &mine, seconds)
}

/// The right-hand side times the square of the distance between points.
fn source(y: usize, x: usize) -> f64 {
    (y as f64 * 0.1).sin() * (x as f64 * 0.05).cos() * 1e-2
}

/// Runs all sweeps in plain Rust, on one thread.
fn plain(options: &Options) -> Vec<f64> {
    let (rows, w) = (options.rows, options.columns);
    let mut u = vec![0.0; rows * w];
    let mut next = u.clone();
    for _ in 0..options.sweeps {
        for y in 0..rows {
            for x in 1..w - 1 {
                let i = y * w + x;
                let up = if y == 0 { 1.0 } else { u[i - w] };
                let down = if y + 1 == rows { 0.0 } else { u[i + w] };
                next[i] = 0.25 * (up + u[i - 1] + u[i + 1] + down + source(y, x));
            }
        }
        std::mem::swap(&mut u, &mut next);
    }
    u
}

fn different(a: &[f64], b: &[f64]) -> usize {
    a.iter().zip(b).filter(|(a, b)| a.to_bits() != b.to_bits()).count()
}

/// Collects the strips in process 0, which checks, prints and writes them.
fn gather(world: &SimpleCommunicator, options: &Options, mine: &[f64], seconds: f64) -> Result<(), Box<dyn Error>> {
    let (rank, size) = (world.rank() as usize, world.size() as usize);
    if rank > 0 {
        world.process_at_rank(0).send(mine);
        return Ok(());
    }
    let mut all = mine.to_vec();
    for other in 1..size {
        let (part, _) = world.process_at_rank(other as i32).receive_vec::<f64>();
        all.extend(part);
    }
    if all.len() != options.rows * options.columns {
        return Err(format!("{} values arrived, not {} × {}", all.len(), options.rows, options.columns).into());
    }
    let sum: f64 = all.iter().sum();
    let Options { rows, columns, sweeps, .. } = options;
    println!(
        "{sweeps} sweeps over {rows} × {columns} points in {size} processes: {seconds:.3} s, mean {:.6}",
        sum / all.len() as f64
    );
    let wrong = if options.check { different(&all, &plain(options)) } else { 0 };
    if wrong > 0 {
        return Err(format!("{wrong} values differ from those of plain Rust").into());
    }
    if let Some(path) = &options.out {
        let bytes: Vec<u8> = all.iter().flat_map(|value| value.to_le_bytes()).collect();
        std::fs::write(path, bytes).map_err(|error| format!("cannot write `{path}`: {error}"))?;
    }
    Ok(())
}
