//! The cost of launches with almost no work, and launches of graphs compared with launches of their
//! kernels.

use std::hint::black_box;

use anabranch::prelude::*;

use crate::families::Family;
use crate::kernels::benchmarks as k;
use crate::kernels::poisson::steps;
use crate::measure::{Bench, Failure};

pub(super) fn run(bench: &mut Bench, stream: &Stream) -> Result<(), Failure> {
    let device = stream.device();
    let [mut a, mut b] = [device.zeros::<f32>(64)?, device.zeros::<f32>(64)?];
    let other = device.zeros::<f32>(64)?;
    bench.short("launch of 64 elements", stream, &mut || k::saxpy(stream, black_box(&mut a), &other, 0.5))?;
    bench.short("two groups of 64 elements", stream, &mut || k::tiny_groups(stream, black_box(&mut a), &mut b))?;

    // A launch treats buffers of a graph differently.
    let mut alone = [device.zeros::<f32>(64)?, device.zeros::<f32>(64)?];
    let graph = stream.capture(|stream| k::tiny_groups(stream, &mut a, &mut b))?;
    let replay = &mut || (0..1000).try_for_each(|_| graph.launch(stream));
    let [x, y] = &mut alone;
    let launch = &mut || (0..1000).try_for_each(|_| k::tiny_groups(stream, x, y));
    bench.compare(Family::Replays, "1000 × two groups of 64", stream, replay, ("launches", launch), None)?;

    let [mut of_graph, mut of_launch] = [Solver::new(device)?, Solver::new(device)?];
    let graph = stream.capture(|stream| of_graph.steps(stream))?;
    let replay = &mut || (0..100).try_for_each(|_| graph.launch(stream));
    let launch = &mut || (0..100).try_for_each(|_| of_launch.steps(stream));
    bench.compare(Family::Replays, "100 × 40 loops of 64", stream, replay, ("launches", launch), None)
}

/// Conjugate gradients on 8 × 8 points.
struct Solver {
    planes: [Buffer<f64, 2>; 4],
    sums: Buffer<f64>,
    rr: Buffer<f64>,
    factor: Buffer<f64>,
}

impl Solver {
    fn new(device: &Device) -> anabranch::Result<Self> {
        let plane = || device.grid_zeros::<f64, 2>([8, 8]);
        let planes = [plane()?, plane()?, plane()?, plane()?];
        Ok(Self { planes, sums: device.zeros(8)?, rr: device.zeros(1)?, factor: device.zeros(1)? })
    }

    fn steps(&mut self, stream: &Stream) -> anabranch::Result<()> {
        let [u, r, p, ap] = &mut self.planes;
        steps(stream, u, r, p, ap, &mut self.sums, &mut self.rr, &mut self.factor, 8)
    }
}
