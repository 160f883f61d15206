//! Makes the pictures of `docs/gallery.md`. Each program checks its own result; all but one are
//! also examples.

#![allow(dead_code, reason = "the examples have a `main` of their own")]

#[path = "../examples/07_bodies.rs"]
mod bodies;
#[path = "../examples/09_flow.rs"]
mod flow;
#[path = "../examples/15_kmeans.rs"]
mod kmeans;
#[path = "../examples/18_life.rs"]
mod life;
#[path = "../examples/10_mandelbrot.rs"]
mod mandelbrot;
#[path = "../examples/08_mpm.rs"]
mod mpm;
mod pack;
mod photo;
#[path = "../examples/12_poisson.rs"]
mod poisson;
#[path = "../examples/17_pricing.rs"]
mod pricing;
#[path = "../examples/14_reaction.rs"]
mod reaction;
#[path = "../examples/11_scene.rs"]
mod scene;
#[path = "../examples/16_sort.rs"]
mod sort;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anabranch::Device;
use clap::Parser;
use kernels_example::show::Outcome;

type Program = (&'static str, fn(&Device, Option<&Path>) -> Outcome);

const PROGRAMS: [Program; 12] = [
    ("photo", photo::run),
    ("bodies", bodies::run),
    ("flow", flow::run),
    ("mpm", mpm::run),
    ("scene", scene::run),
    ("life", life::run),
    ("reaction", reaction::run),
    ("mandelbrot", mandelbrot::run),
    ("kmeans", kmeans::run),
    ("poisson", poisson::run),
    ("sort", sort::run),
    ("pricing", pricing::run),
];

/// Makes the pictures of the gallery.
#[derive(Parser)]
#[command(name = "gallery")]
struct Args {
    /// The pictures to make. Default: all of them
    #[arg(value_name = "NAME", value_parser = PROGRAMS.map(|(name, _)| name))]
    names: Vec<String>,

    /// The folder for the pictures. It is created if necessary
    #[arg(long, value_name = "DIR", default_value = "gallery")]
    out: PathBuf,

    /// The maximum width of a picture in pixels. Wider pictures are scaled down
    #[arg(long, value_name = "PIXELS", default_value_t = 512, value_parser = clap::value_parser!(u32).range(16..=16384))]
    width: u32,
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

fn run(args: &Args) -> Outcome {
    fs::create_dir_all(&args.out)
        .map_err(|error| format!("cannot create the folder {}: {error}", args.out.display()))?;
    let device = Device::auto()?;
    let mut right = true;
    for (name, program) in PROGRAMS {
        if !args.names.is_empty() && !args.names.iter().any(|chosen| chosen == name) {
            continue;
        }
        let (file, start) = (args.out.join(name).with_extension("png"), Instant::now());
        // If one fails, the others still run.
        match program(&device, Some(&file)).and_then(|fine| pack::pack(&file, args.width).map(|()| fine)) {
            Ok(true) => println!("  {}, {:.1} s", file.display(), start.elapsed().as_secs_f64()),
            Ok(false) => {
                eprintln!("error: the result of `{name}` is wrong");
                right = false;
            }
            Err(error) => {
                eprintln!("error: `{name}`: {error}");
                right = false;
            }
        }
    }
    Ok(right)
}
