//! A block of fluid falls: the material point method, as in Taichi's `mpm88`. Particles add their
//! mass and momentum to the cells of a grid with atomics, and read their velocity from it.
//!
//! `cargo run --release -p kernels-example --example 08_mpm --
//! FILE.png` draws the fluid; with `FILE.txt` it writes the mass of each cell.

use std::ops::{Add, Mul};
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::Ordering::Relaxed;

use anabranch::atomic::AtomicF32;
use anabranch::prelude::*;
use kernels_example::picture::{Picture, hue};
use kernels_example::show::{self, Outcome};

#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Vec2(f32, f32);

/// Two columns.
#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Mat2(Vec2, Vec2);

#[device]
impl Add for Vec2 {
    type Output = Self;
    fn add(self, v: Self) -> Self {
        Vec2(self.0 + v.0, self.1 + v.1)
    }
}

#[device]
impl Mul<Vec2> for f32 {
    type Output = Vec2;
    fn mul(self, v: Vec2) -> Vec2 {
        Vec2(self * v.0, self * v.1)
    }
}

#[device]
impl Add for Mat2 {
    type Output = Self;
    fn add(self, m: Self) -> Self {
        Mat2(self.0 + m.0, self.1 + m.1)
    }
}

#[device]
impl Mul<Vec2> for Mat2 {
    type Output = Vec2;
    fn mul(self, v: Vec2) -> Vec2 {
        v.0 * self.0 + v.1 * self.1
    }
}

/// `volume` is 1 if the fluid is at rest. `affine` is the change of velocity around the particle.
#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Particle {
    pos: Vec2,
    velocity: Vec2,
    affine: Mat2,
    volume: f32,
}

/// The 3 × 3 cells around a particle: the first cell, the particle's position in it, and the
/// weights of the cells in each direction.
#[device]
#[derive(Clone, Copy)]
struct Near {
    first: [usize; 2],
    at: Vec2,
    shares: [[f32; 3]; 2],
}

#[device]
impl Near {
    fn of(pos: Vec2) -> Self {
        let Vec2(x, y) = SIDE as f32 * pos;
        let first = [(y - 0.5) as usize, (x - 0.5) as usize];
        let at = Vec2(x - first[1] as f32, y - first[0] as f32);
        Near { first, at, shares: [spline(at.1), spline(at.0)] }
    }

    /// Returns a cell, its weight, and its distance from the particle.
    fn cell(self, i: usize, j: usize) -> ([usize; 2], f32, Vec2) {
        let far = CELL * Vec2(j as f32 - self.at.0, i as f32 - self.at.1);
        ([self.first[0] + i, self.first[1] + j], self.shares[0][i] * self.shares[1][j], far)
    }
}

#[device]
fn spline(x: f32) -> [f32; 3] {
    [0.5 * (1.5 - x) * (1.5 - x), 0.75 - (x - 1.0) * (x - 1.0), 0.5 * (x - 0.5) * (x - 0.5)]
}

const SIDE: usize = 128;
const CELL: f32 = 1.0 / SIDE as f32;
const DT: f32 = 2e-4;
/// Mass and volume of a particle.
const MASS: f32 = 0.25 * CELL * CELL;
const STIFF: f32 = 400.0;

#[kernel]
fn fall(
    fluid: &mut [Particle],
    mass: &Grid<AtomicF32, 2>,
    momentum: &Grid<AtomicF32, 3>,
    velocity: &mut Grid<Vec2, 2>,
    steps: usize,
) {
    let [h, w] = velocity.shape();
    for _ in 0..steps {
        for (y, x) in par((0..h, 0..w)) {
            mass[[y, x]].store(0.0, Relaxed);
            momentum[[0, y, x]].store(0.0, Relaxed);
            momentum[[1, y, x]].store(0.0, Relaxed);
        }
        for p in par(0..fluid.len()) {
            let Particle { pos, velocity, affine, volume } = fluid[p];
            let near = Near::of(pos);
            let stress = -4.0 * DT * STIFF * MASS / (CELL * CELL) * (volume - 1.0);
            let affine = Mat2(Vec2(stress, 0.0), Vec2(0.0, stress)) + Mat2(MASS * affine.0, MASS * affine.1);
            for i in 0..3 {
                for j in 0..3 {
                    let ([y, x], share, far) = near.cell(i, j);
                    let Vec2(px, py) = share * (MASS * velocity + affine * far);
                    mass[[y, x]].fetch_add(share * MASS, Relaxed);
                    momentum[[0, y, x]].fetch_add(px, Relaxed);
                    momentum[[1, y, x]].fetch_add(py, Relaxed);
                }
            }
        }
        for (y, x) in par((0..h, 0..w)) {
            let m = mass[[y, x]].load(Relaxed).max(1e-20);
            let (px, py) = (momentum[[0, y, x]].load(Relaxed), momentum[[1, y, x]].load(Relaxed));
            velocity[[y, x]] = Vec2(inside(px / m, x), inside(py / m - 9.8 * DT, y));
        }
        for p in par(0..fluid.len()) {
            let Particle { pos, volume, .. } = fluid[p];
            let near = Near::of(pos);
            let (mut v, mut affine) = (Vec2(0.0, 0.0), Mat2(Vec2(0.0, 0.0), Vec2(0.0, 0.0)));
            for i in 0..3 {
                for j in 0..3 {
                    let (cell, share, far) = near.cell(i, j);
                    let part = share * velocity[cell];
                    let scaled = 4.0 / (CELL * CELL) * part;
                    v = v + part;
                    affine = affine + Mat2(far.0 * scaled, far.1 * scaled);
                }
            }
            let volume = volume * (1.0 + DT * (affine.0.0 + affine.1.1));
            fluid[p] = Particle { pos: pos + DT * v, velocity: v, affine, volume };
        }
    }
}

/// The velocity in cell `i`, without the part that would go into a wall.
#[device]
fn inside(v: f32, i: usize) -> f32 {
    if i < 3 && v < 0.0 || i > SIDE - 3 && v > 0.0 { 0.0 } else { v }
}

/// Particles that started at the same height have the same colour.
fn picture(fluid: &[Particle]) -> Picture {
    let mut picture = Picture::of(640, 480, |_, _| [10, 14, 26]);
    for (i, Particle { pos, .. }) in fluid.iter().enumerate() {
        let colour = hue(0.55 + 0.4 * (i / 96) as f32 / 96.0);
        picture.dot(640.0 * pos.0, 480.0 - 640.0 * pos.1, 1.6, colour);
    }
    picture
}

fn main() -> ExitCode {
    show::main(run)
}

pub(crate) fn run(device: &Device, file: Option<&Path>) -> Outcome {
    let particle = |i: usize| Particle {
        pos: 0.2 * Vec2(1.0, 1.0) + 0.4 / 96.0 * Vec2((i % 96) as f32, (i / 96) as f32),
        velocity: Vec2(0.0, -1.0),
        volume: 1.0,
        ..Particle::default()
    };
    let mut fluid = device.buffer_from(&(0..96 * 96).map(particle).collect::<Vec<_>>())?;
    let mut mass = device.grid_zeros([SIDE, SIDE])?;
    let mut momentum = device.grid_zeros([2, SIDE, SIDE])?;
    let mut velocity = device.grid_filled([SIDE, SIDE], Vec2::default())?;
    fall(&device.default_stream(), &mut fluid, &mut mass, &mut momentum, &mut velocity, 1000)?;

    // No mass is lost, and the fluid has reached the ground, which is three cells high.
    let mass = mass.to_vec()?;
    let kept = mass.iter().map(|m| f64::from(*m)).sum::<f64>() / (96.0 * 96.0 * f64::from(MASS));
    let fluid = fluid.to_vec()?;
    let lowest = fluid.iter().map(|particle| particle.pos.1).fold(1.0, f32::min);
    println!(
        "{} particles on {device}: {kept:.6} of the mass remains; the lowest particle is at {lowest:.3}",
        fluid.len()
    );
    match file {
        Some(file) if show::is_text(file) => {
            let level = |m: &f32| ((m / (8.0 * MASS)).min(1.0) * 255.0).round();
            std::fs::write(file, show::text(mass.rchunks(SIDE).flatten().map(level), SIDE))?;
        }
        Some(file) => picture(&fluid).save(file)?,
        None => {}
    }
    Ok((kept - 1.0).abs() < 1e-4 && (0.01..0.1).contains(&lowest))
}
