//! A fluid flows around a disc: the lattice Boltzmann method. The contribution of a neighbour to a
//! cell depends on the neighbour's kind, an enum.
//!
//! `cargo run --release -p kernels-example --example 09_flow --
//! FILE.png` draws the rotation of the fluid, after more steps; with `FILE.txt` it writes its
//! speed.

use std::path::Path;
use std::process::ExitCode;

use anabranch::prelude::*;
use kernels_example::picture::{Picture, signed};
use kernels_example::report;
use kernels_example::show::{self, Outcome};

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(u8)]
enum Cell {
    Fluid,
    Wall,
    Inlet,
    Outlet,
}

/// One of the nine directions in which the fluid moves: to one of the eight neighbouring cells, or
/// nowhere.
#[device]
#[derive(Clone, Copy)]
struct Link {
    dx: isize,
    dy: isize,
    /// The fraction of a fluid at rest that moves in this direction.
    weight: f32,
    /// The direction back.
    back: usize,
}

const fn link(dx: isize, dy: isize, weight: f32, back: usize) -> Link {
    Link { dx, dy, weight, back }
}

const LINKS: [Link; 9] = [
    link(0, 0, 4.0 / 9.0, 0),
    link(1, 0, 1.0 / 9.0, 3),
    link(0, 1, 1.0 / 9.0, 4),
    link(-1, 0, 1.0 / 9.0, 1),
    link(0, -1, 1.0 / 9.0, 2),
    link(1, 1, 1.0 / 36.0, 7),
    link(-1, 1, 1.0 / 36.0, 8),
    link(-1, -1, 1.0 / 36.0, 5),
    link(1, -1, 1.0 / 36.0, 6),
];

/// Density and velocity of the fluid in a cell.
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Fluid {
    density: f32,
    x: f32,
    y: f32,
}

#[device]
impl Fluid {
    fn of(parts: [f32; 9]) -> Self {
        let (mut density, mut x, mut y) = (0.0, 0.0, 0.0);
        for k in 0..9 {
            density += parts[k];
            x += LINKS[k].dx as f32 * parts[k];
            y += LINKS[k].dy as f32 * parts[k];
        }
        Fluid { density, x: x / density, y: y / density }
    }

    /// How much moves along a link in equilibrium.
    fn calm(self, link: Link) -> f32 {
        let along = 3.0 * (link.dx as f32 * self.x + link.dy as f32 * self.y);
        link.weight * self.density * (1.0 + along + 0.5 * along * along - 1.5 * (self.x * self.x + self.y * self.y))
    }
}

/// One time step: each fluid cell collects what its neighbours sent, relaxes it towards
/// equilibrium, and sends it on.
#[kernel]
fn step(cells: &Grid<Cell, 2>, from: &Grid<f32, 3>, to: &mut Grid<f32, 3>, inflow: Fluid) {
    let [h, w] = cells.shape();
    for (y, x) in par((1..h - 1, 1..w - 1)) {
        if !matches!(cells[[y, x]], Cell::Fluid) {
            continue;
        }
        let mut parts = [0.0; 9];
        for k in 0..9 {
            let link = LINKS[k];
            let near = [(y as isize - link.dy) as usize, (x as isize - link.dx) as usize];
            parts[k] = match cells[near] {
                Cell::Fluid => from[[k, near[0], near[1]]],
                Cell::Wall => from[[link.back, y, x]],
                Cell::Inlet => inflow.calm(link),
                Cell::Outlet => from[[k, y, x]],
            };
        }
        let fluid = Fluid::of(parts);
        for k in 0..9 {
            to[[k, y, x]] = parts[k] + MIX * (fluid.calm(LINKS[k]) - parts[k]);
        }
    }
}

/// How fast the fluid relaxes to equilibrium. A lower value means a more viscous fluid.
const MIX: f32 = 1.0 / 0.56;
const W: usize = 400;
const H: usize = 120;

/// Walls below and above, and a disc slightly off the centre line.
fn kind(i: usize) -> Cell {
    let (x, y) = ((i % W) as i32, (i / W) as i32);
    match (x, y) {
        (_, 0) | (_, 119) => Cell::Wall,
        (0, _) => Cell::Inlet,
        (399, _) => Cell::Outlet,
        _ if (x - 80).pow(2) + (y - 62).pow(2) < 12 * 12 => Cell::Wall,
        _ => Cell::Fluid,
    }
}

/// The rotation of the fluid: red is counter-clockwise, blue clockwise. A cell has four pixels.
fn picture(cells: &[Cell], fluid: impl Fn(usize) -> Fluid) -> Picture {
    Picture::of(2 * W, 2 * H, |x, y| {
        let i = (H - 1 - y / 2) * W + x / 2;
        match cells[i] {
            Cell::Wall => [40, 40, 46],
            Cell::Inlet | Cell::Outlet => [247; 3],
            Cell::Fluid => signed(18.0 * (fluid(i + 1).y - fluid(i - 1).y - fluid(i + W).x + fluid(i - W).x)),
        }
    })
}

fn main() -> ExitCode {
    show::main(run)
}

pub(crate) fn run(device: &Device, file: Option<&Path>) -> Outcome {
    let stream = device.default_stream();
    let inflow = Fluid { density: 1.0, x: 0.1, y: 0.0 };
    let cells: Vec<Cell> = (0..W * H).map(kind).collect();
    let start: Vec<f32> = LINKS.iter().flat_map(|link| vec![inflow.calm(*link); W * H]).collect();

    let on_device = device.grid_from(&cells, [H, W])?;
    let mut now = device.grid_from(&start, [9, H, W])?;
    let mut next = device.grid_from(&start, [9, H, W])?;
    // The picture needs more time, until vortices separate from the disc.
    let steps = if file.is_some_and(|file| !show::is_text(file)) { 6000 } else { 2000 };
    let bar = report::progress(steps);
    for _ in 0..steps {
        step(&stream, &on_device, &now, &mut next, inflow)?;
        std::mem::swap(&mut now, &mut next);
        bar.inc(1);
    }
    bar.finish_and_clear();
    let parts = now.to_vec()?;

    let fluid = |i: usize| Fluid::of(std::array::from_fn(|k| parts[k * W * H + i]));
    let speed = |i: usize| match cells[i] {
        Cell::Fluid => fluid(i).x.hypot(fluid(i).y),
        Cell::Wall | Cell::Inlet | Cell::Outlet => 0.0,
    };
    // The mean flow through each of these columns.
    let through = [40, 160, 320]
        .map(|x| (1..H - 1).map(|y| y * W + x).map(|i| fluid(i).density * fluid(i).x).sum::<f32>() / (H - 2) as f32);
    println!("{W} × {H} cells on {device}: the mean flow in three places is {through:.4?}");
    match file {
        Some(file) if show::is_text(file) => {
            let level = |i| (speed(i) * 5.0 * 255.0).min(255.0).round();
            std::fs::write(file, show::text((0..W * H).map(level), W))?;
        }
        Some(file) => picture(&cells, fluid).save(file)?,
        None => {}
    }
    // The flow is the same everywhere, except for waves.
    Ok(through.iter().all(|mean| (mean / through[0] - 1.0).abs() < 0.05))
}
