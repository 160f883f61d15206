//! Times on a GPU, each next to its peer in the same run: generated kernels next to hand-written CUDA C++ that the same NVRTC has
//! compiled, launches and forks next to the same sequences of driver calls, groups next to the same loops in series.
//!
//! `cargo run --release -p anabranch-tests --bin gpu_bench`; `tests/on-gpu` packs it for a machine without Rust. Both sides run in
//! turns, and medians of many rounds are told. What the sides have computed is compared; the exit status is 1 if it differs.

mod clock;
mod compute;
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

/// Times on the first CUDA device, each next to its peer.
#[derive(Parser)]
struct Args {
    /// Tiny sizes and few rounds: that everything works, not how fast it is
    #[arg(long)]
    smoke: bool,
    /// On the CPU device, where there are no peers
    #[arg(long)]
    cpu: bool,
    /// Writes the figures here, too, one line of JSON each
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
    /// Of the last cache before the memory, in bytes.
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

/// How many results differ from the peer's.
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
    compute::bandwidth(&mut bench)?;
    compute::arithmetic(&mut bench)?;
    together::tiles(&mut bench)?;
    together::reductions(&mut bench)?;
    together::sorting(&mut bench)?;
    launches::launch(&mut bench)?;
    launches::forks(&mut bench)?;
    launches::overlap(&mut bench)?;
    launches::graphs(&mut bench)?;
    launches::replays(&mut bench)?;
    Ok(bench.report.wrong())
}

impl Bench {
    /// Says what is measured on what.
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
            facts.push(("note", "a dry run, whose figures say nothing".to_owned()));
        }
        self.report.machine(&facts);
        Ok(())
    }

    /// One of two sizes.
    fn size<T>(&self, full: T, smoke: T) -> T {
        if self.smoke { smoke } else { full }
    }
}
