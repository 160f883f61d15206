//! Makes one kind of launch a number of times, and nothing else: `tests/standin/null/count` counts
//! its instructions.

use std::error::Error;

use anabranch::prelude::*;
use clap::{Parser, ValueEnum};

use kernels::benchmarks::saxpy;
use kernels::independent::{groups, series};

// The files belong to the test suites, and not all of their kernels are launched.
#[allow(dead_code, unreachable_pub, reason = "the files belong to the test suites")]
mod kernels;

/// Repeats a launch on the first GPU.
#[derive(Parser)]
struct Args {
    shape: Shape,
    times: u32,
    /// On the CPU device instead
    #[arg(long)]
    cpu: bool,
}

/// What is repeated.
#[derive(Clone, Copy, ValueEnum)]
enum Shape {
    /// A loop of one slice and one number
    Launch,
    /// A loop of two slices and one number
    Saxpy,
    /// A loop of five slices and four numbers
    Five,
    /// A launch of 16 loops, one after the other
    Loops16,
    /// A group
    Groups1,
    /// Four groups
    Groups4,
    /// 16 groups
    Groups16,
    /// The launch of a graph of four groups
    Graph,
}

fn main() -> Result<(), Box<dyn Error>> {
    let Args { shape, times, cpu } = Args::parse();
    // On the CPU device, the iterations count, too.
    let (device, elements) = if cpu { (Device::cpu(), 1) } else { (Device::cuda(0)?, 64) };
    let stream = device.default_stream();
    let buffers = |count| (0..count).map(|_| device.zeros::<u32>(elements)).collect::<anabranch::Result<Vec<_>>>();
    let repeat = |launch: &mut dyn FnMut() -> anabranch::Result<()>| (0..times).try_for_each(|_| launch());
    let of = |kernel: fn(&Stream, &mut [Buffer<u32>], u32) -> anabranch::Result<()>, count| {
        let mut buffers = buffers(count)?;
        repeat(&mut || kernel(&stream, &mut buffers, 1))
    };
    match shape {
        Shape::Launch => of(series, 1)?,
        Shape::Loops16 => of(series, 16)?,
        Shape::Groups1 => of(groups, 1)?,
        Shape::Groups4 => of(groups, 4)?,
        Shape::Groups16 => of(groups, 16)?,
        Shape::Saxpy => {
            let (mut y, x) = (device.zeros::<f32>(elements)?, device.zeros::<f32>(elements)?);
            repeat(&mut || saxpy(&stream, &mut y, &x, 2.0))?;
        }
        Shape::Five => {
            let zeros = || device.zeros::<f32>(elements);
            let (mut a, b, c, d, e) = (zeros()?, zeros()?, zeros()?, zeros()?, zeros()?);
            repeat(&mut || kernels::five(&stream, &mut a, &b, &c, &d, &e, 1.0, 2.0, 3.0, 4.0))?;
        }
        Shape::Graph => {
            let mut buffers = buffers(4)?;
            let graph = stream.capture(|stream| groups(stream, &mut buffers, 1))?;
            repeat(&mut || graph.launch(&stream))?;
        }
    }
    Ok(())
}
