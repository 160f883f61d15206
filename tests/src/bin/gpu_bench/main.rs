//! Benchmarks on a GPU, each compared with a peer in the same run: generated kernels with
//! hand-written CUDA C++ that the same NVRTC compiles, launches and forks with the same sequences
//! of driver calls, groups with the same loops in series.
//!
//! `cargo run --release -p anabranch-tests --bin gpu_bench`; `tests/on-gpu` packs it for a machine
//! without Rust. The two sides alternate, and the output is medians of many rounds. The results of
//! both sides are compared; the exit status is 1 if they differ.

mod clock;
mod compute;
mod copies;
mod launches;
mod peer;
mod raw;
mod report;
#[cfg(test)]
mod tests;
mod together;

use std::fs::File;
use std::path::PathBuf;
use std::process::ExitCode;
use std::rc::Rc;

use anabranch::prelude::*;
use anabranch::private::offline::nvrtc_found;
use clap::Parser;
use cudarc::driver::sys::CUdevice_attribute as Attribute;

use clock::Result;
use report::Report;

/// Runs the benchmarks on the first CUDA device, each compared with a peer.
#[derive(Parser)]
struct Args {
    /// Use tiny sizes and few rounds, to test that everything works
    #[arg(long)]
    smoke: bool,
    /// Use the CPU device, without peers
    #[arg(long)]
    cpu: bool,
    /// Also write the figures to this file, each as a line of JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Where and how to measure.
struct Bench {
    smoke: bool,
    rounds: usize,
    device: Device,
    stream: Stream,
    /// `None` on the CPU.
    cuda: Option<Rc<raw::Context>>,
    /// The size of the last-level cache in bytes.
    cache: usize,
    report: Report,
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(wrong) => {
            eprintln!("error: {wrong} results are wrong");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs everything, and returns how many results differ from the peer's.
fn run(args: &Args) -> Result<usize> {
    let device = if args.cpu { Device::cpu() } else { Device::cuda(0)? };
    let cuda = if args.cpu { None } else { Some(raw::Context::open(0)?) };
    let lines = args.json.as_deref().map(File::create).transpose()?;
    let cache = cuda.as_ref().and_then(|cuda| cuda.attribute(Attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
    let mut bench = Bench {
        smoke: args.smoke,
        rounds: if args.smoke { 3 } else { 41 },
        stream: device.default_stream(),
        device,
        cuda,
        cache: cache.map_or(32 << 20, |bytes| bytes as usize),
        report: Report::new(lines),
    };
    bench.machine()?;
    copies::large(&mut bench)?;
    compute::bandwidth(&mut bench)?;
    compute::arithmetic(&mut bench)?;
    together::tiles(&mut bench)?;
    together::reductions(&mut bench)?;
    together::sorting(&mut bench)?;
    launches::launch(&mut bench)?;
    launches::forks(&mut bench)?;
    launches::calls(&mut bench)?;
    launches::overlap(&mut bench)?;
    launches::graphs(&mut bench)?;
    launches::replays(&mut bench)?;
    Ok(bench.report.wrong())
}

impl Bench {
    /// Reports the machine and the versions.
    fn machine(&mut self) -> Result<()> {
        let mut facts = vec![("device", self.device.to_string())];
        if let Some(cuda) = &self.cuda {
            let (major, minor) = cuda.driver_version()?;
            let (_, nvrtc) = nvrtc_found()?;
            facts.push(("CUDA of the driver", format!("{major}.{minor}")));
            facts.push(("NVRTC", format!("{}.{}", nvrtc.0, nvrtc.1)));
            for (name, attribute, unit) in [
                ("multiprocessors", Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, ""),
                ("L2 cache", Attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, " bytes"),
                ("clock", Attribute::CU_DEVICE_ATTRIBUTE_CLOCK_RATE, " kHz"),
            ] {
                if let Some(value) = cuda.attribute(attribute) {
                    facts.push((name, format!("{value}{unit}")));
                }
            }
        }
        facts.push(("medians of", format!("{} rounds in turns", self.rounds)));
        if self.smoke || self.cuda.is_none() {
            facts.push(("note", "a dry run; the figures are meaningless".to_owned()));
        }
        self.report.machine(&facts);
        Ok(())
    }

    /// One of two sizes.
    fn size<T>(&self, full: T, smoke: T) -> T {
        if self.smoke { smoke } else { full }
    }
}
