//! Jacobi's method for Poisson's equation, with a strip of rows per GPU. One group exchanges the
//! halo rows by NCCL, while another one computes the interior.
//!
//! `jacobi-nccl [--devices N] [--rows N] [--columns N] [--sweeps N] [--check]`. Each GPU has a
//! thread of this process. `--check` compares all values with plain Rust, bit for bit.
//! `--die SWEEP` has the last GPU's thread end early.

mod jacobi;
mod nccl;

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anabranch::prelude::*;
use cudarc::nccl::sys::ncclUniqueId;

use jacobi::{change, sweeps};
use nccl::{Comm, new_id};

/// The options of the command line.
#[derive(Debug, Clone)]
struct Options {
    devices: usize,
    rows: usize,
    columns: usize,
    sweeps: usize,
    check: bool,
    /// After how many sweeps the last thread ends.
    die: Option<usize>,
}

impl Options {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, Box<dyn Error>> {
        let found = Device::cuda_count()?;
        let mut options = Self { devices: found, rows: 512, columns: 512, sweeps: 200, check: false, die: None };
        while let Some(name) = arguments.next() {
            if name == "--check" {
                options.check = true;
                continue;
            }
            let value = arguments.next().ok_or_else(|| format!("`{name}` needs a value"))?;
            let number = value.parse::<usize>().map_err(|_| format!("`{name} {value}`: not a number"))?;
            match name.as_str() {
                "--devices" => options.devices = number,
                "--rows" => options.rows = number,
                "--columns" => options.columns = number,
                "--sweeps" => options.sweeps = number,
                "--die" => options.die = Some(number),
                _ => return Err(format!("unknown option `{name}`").into()),
            }
        }
        let Options { devices, rows, columns, sweeps, .. } = options;
        if devices == 0 || devices > found {
            return Err(format!("{devices} GPUs are asked for, and there are {found}").into());
        }
        if columns < 3 || !sweeps.is_multiple_of(2) {
            return Err("at least 3 columns, and an even number of sweeps".into());
        }
        if rows / devices < 3 {
            return Err(format!("{rows} rows are too few for {devices} GPUs: each needs 3").into());
        }
        Ok(options)
    }

    /// The rows of a GPU. The first GPUs get the remainder.
    fn strip(&self, rank: usize) -> std::ops::Range<usize> {
        let start = |rank: usize| rank * (self.rows / self.devices) + rank.min(self.rows % self.devices);
        start(rank)..start(rank + 1)
    }
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// What a GPU has computed.
struct Strip {
    values: Vec<f64>,
    /// The change of the last sweep on all GPUs.
    change: f64,
    time: Duration,
}

fn run() -> Result<(), Box<dyn Error>> {
    let options = Options::parse(std::env::args().skip(1))?;
    let id = new_id()?;
    let strips: Vec<Result<Strip, String>> = std::thread::scope(|scope| {
        let options = &options;
        let threads: Vec<_> = (0..options.devices)
            .map(|rank| scope.spawn(move || solve(options, id, rank).map_err(|error| format!("GPU {rank}: {error}"))))
            .collect();
        let ended = |thread: std::thread::ScopedJoinHandle<'_, _>| thread.join().unwrap_or_else(|_| Err("a panic".to_owned()));
        threads.into_iter().map(ended).collect()
    });
    let failed: Vec<&str> = strips.iter().filter_map(|strip| strip.as_ref().err().map(String::as_str)).collect();
    if !failed.is_empty() {
        return Err(failed.join("; ").into());
    }
    report(&options, &strips.into_iter().flatten().collect::<Vec<_>>())
}

/// Runs all sweeps on one strip.
fn solve(options: &Options, id: ncclUniqueId, rank: usize) -> Result<Strip, Box<dyn Error>> {
    let (w, rows) = (options.columns, options.strip(rank));
    let n = rows.len();
    let device = Device::cuda(rank)?;
    let comm = Arc::new(Comm::join(&device, id, rank, options.devices)?);
    let stream = device.new_stream()?;
    let f: Vec<f64> = (0..n * w).map(|i| source(i / w + rows.start, i % w)).collect();
    let f = device.buffer_from(&f)?;
    // The boundary: 1 above the first row and 0 elsewhere.
    let mut above = device.filled(w, if rank == 0 { 1.0 } else { 0.0 })?;
    let mut below = device.zeros::<f64>(w)?;
    let (mut u, mut next) = (device.zeros::<f64>(n * w)?, device.zeros::<f64>(n * w)?);
    let mut total = device.zeros::<f64>(1)?;

    let pairs = options.sweeps / 2;
    let until = options.die.filter(|_| rank + 1 == options.devices).map_or(pairs, |sweep| pairs.min(sweep / 2));
    let start = Instant::now();
    sweeps(&stream, &mut u, &mut next, &mut above, &mut below, &f, w, until, &comm)?;
    if until < pairs {
        return Err("this thread was told to end".into());
    }
    change(&stream, &u, &next, &mut total, &comm)?;
    let change = total.to_vec()?[0];
    Ok(Strip { values: u.to_vec()?, change, time: start.elapsed() })
}

/// The right-hand side times the square of the distance between points.
fn source(y: usize, x: usize) -> f64 {
    (y as f64 * 0.1).sin() * (x as f64 * 0.05).cos() * 1e-2
}

/// The last two states of all sweeps in plain Rust, on one thread.
fn plain(options: &Options) -> [Vec<f64>; 2] {
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
    [u, next]
}

/// Prints what has been computed, and checks it.
fn report(options: &Options, strips: &[Strip]) -> Result<(), Box<dyn Error>> {
    let all: Vec<f64> = strips.iter().flat_map(|strip| strip.values.iter().copied()).collect();
    let change = strips[0].change;
    let Options { devices, rows, columns, sweeps, .. } = options;
    let seconds = strips.iter().map(|strip| strip.time).max().unwrap_or_default().as_secs_f64();
    println!("{sweeps} sweeps over {rows} × {columns} points on {devices} GPUs: {seconds:.3} s, change {change:.6e}");
    if strips.iter().any(|strip| strip.change.to_bits() != change.to_bits()) {
        return Err("the GPUs have different sums of the same numbers".into());
    }
    if options.check {
        let [u, before] = plain(options);
        let wrong = all.iter().zip(&u).filter(|(a, b)| a.to_bits() != b.to_bits()).count();
        if all.len() != u.len() || wrong > 0 {
            return Err(format!("{wrong} of {} values differ from those of plain Rust", all.len()).into());
        }
        let expected: f64 = u.iter().zip(&before).map(|(a, b)| (a - b) * (a - b)).sum();
        if (change - expected).abs() > 1e-12 * expected {
            return Err(format!("the change is {change:e}, and in plain Rust {expected:e}").into());
        }
    }
    Ok(())
}
