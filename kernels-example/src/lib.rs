//! The main example of the repository: it sharpens a photograph, and processes the colour channels
//! in parallel groups.
//!
//! [`run`] does everything from the command line to the written file; the kernels are in
//! [`sharpen`].

pub mod cli;
pub mod error;
pub mod filter;
pub mod output;
pub mod photo;
pub mod picture;
pub mod report;
pub mod sharpen;
pub mod show;

use std::path::Path;
use std::time::{Duration, Instant};

use anabranch::{Device, Trace};

use cli::{Args, DeviceChoice};
use error::{Error, describe};
use filter::Filter;
use output::Output;
use photo::Photo;
use report::{Spread, Stages, say};

/// Reads, sharpens and writes a photograph according to the command line, and prints its progress.
///
/// # Errors
///
/// Returns the first error. Then no output file is written, and an existing file is unchanged.
pub fn run(args: &Args) -> Result<(), Error> {
    let mut stages = Stages::default();
    let output = Output::new(&args.output)?;
    let mut photo = stages.time("read", || Photo::read(args.input.as_deref()))?;
    output.check(photo.color)?;
    let device = open(args.device)?;
    let name = device.to_string();
    let at = |action: &'static str| {
        let device = name.clone();
        move |source| Error::Launch { action, device, source: Box::new(source) }
    };

    say(format_args!("photograph  {}, {} × {}, {}", title(args), photo.width, photo.height, describe(photo.color)));
    say(format_args!("device      {name}"));

    let upload = || Filter::new(&device, &photo, args.sigma, args.amount);
    let mut filter = stages.time("upload", upload).map_err(at("upload the photograph"))?;
    say(format_args!("kernel      {}: {} taps along rows, then columns", filter.kernel(), filter::taps(args.sigma)));
    say(format_args!("plan\n{}", indent(&filter.plan().to_string())));

    stages.time("compile", || filter.compile()).map_err(at("compile the kernel"))?;
    let traced = args.trace.is_some().then_some(&device);
    let (times, trace) =
        stages.time("kernel", || repeat(&mut filter, args.repeat, traced)).map_err(at("run the kernel"))?;
    photo.pixels = stages.time("download", || filter.download()).map_err(at("download the photograph"))?;
    stages.time("write", || output.write(&photo))?;

    say(format_args!("streams     {}", streams(&device)));
    if let Some(spread) = Spread::of(times).filter(|_| args.repeat > 1) {
        say(format_args!("kernel      {spread}"));
    }
    say(format_args!("times\n{stages}"));
    if let (Some(path), Some(trace)) = (&args.trace, trace) {
        write_trace(path, &trace)?;
        say(format_args!("trace       {}\n{}", path.display(), indent(&trace.to_string())));
    }
    say(format_args!("written     {}", args.output.display()));
    Ok(())
}

fn open(choice: DeviceChoice) -> Result<Device, Error> {
    let device = match choice {
        DeviceChoice::Auto => Device::auto(),
        DeviceChoice::Cpu => Ok(Device::cpu()),
        DeviceChoice::Cuda(ordinal) => Device::cuda(ordinal),
        DeviceChoice::Hip(ordinal) => Device::hip(ordinal),
    };
    device.map_err(|source| Error::Device { wanted: choice.to_string(), source: Box::new(source) })
}

/// Returns the times of all runs, and the trace of the last one if the device to trace is given.
fn repeat(
    filter: &mut Filter,
    runs: u32,
    traced: Option<&Device>,
) -> anabranch::Result<(Vec<Duration>, Option<Trace>)> {
    let bar = report::progress(runs);
    let (mut times, mut trace) = (Vec::new(), None);
    for number in 1..=runs {
        let mut run = || -> anabranch::Result<()> {
            let start = Instant::now();
            filter.run()?;
            times.push(start.elapsed());
            Ok(())
        };
        match traced.filter(|_| number == runs) {
            None => run()?,
            Some(device) => {
                let (ran, traced) = device.trace(run)?;
                ran?;
                trace = Some(traced);
            }
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok((times, trace))
}

fn write_trace(path: &Path, trace: &Trace) -> Result<(), Error> {
    let is_picture = path.extension().is_some_and(|extension| extension == "svg");
    let written = if is_picture { trace.write_svg(path) } else { trace.write_perfetto(path) };
    written.map_err(|source| Error::Trace { source: Box::new(source) })
}

/// The statistics of the stream pool, as text.
fn streams(device: &Device) -> String {
    if device.is_cpu() {
        return "none: on the CPU, groups share its threads".to_owned();
    }
    let stats = device.stream_pool().stats();
    if stats.acquired == 0 {
        return "none: the pool was not used".to_owned();
    }
    format!(
        "{} created, acquired {} times, at most {} at the same time, {} shared",
        stats.created, stats.acquired, stats.high_water, stats.shared
    )
}

fn title(args: &Args) -> String {
    let path = args.input.as_deref().map(Path::display);
    path.map_or_else(|| "the astronaut that comes with the example".to_owned(), |path| path.to_string())
}

fn indent(text: &str) -> String {
    text.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}
