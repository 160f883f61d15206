//! Bodies that attract each other (n-body), with operators for vectors. Energy and momentum are
//! conserved.
//!
//! `cargo run --release -p kernels-example --example 07_bodies --
//! FILE.png` draws the bodies; with `FILE.txt` it writes their positions.

use std::ops::{Add, AddAssign, Mul, Sub};
use std::path::Path;
use std::process::ExitCode;

use anabranch::prelude::*;
use kernels_example::picture::{Picture, heat};
use kernels_example::report;
use kernels_example::show::{self, Outcome};

/// A point or a direction.
#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Vec3 {
    x: f32,
    y: f32,
    z: f32,
}

#[device]
impl Vec3 {
    fn dot(self, other: Self) -> f32 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }
}

#[device]
impl Add for Vec3 {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Vec3 { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }
}

#[device]
impl Sub for Vec3 {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Vec3 { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }
}

#[device]
impl Mul<Vec3> for f32 {
    type Output = Vec3;
    fn mul(self, v: Vec3) -> Vec3 {
        Vec3 { x: self * v.x, y: self * v.y, z: self * v.z }
    }
}

#[device]
impl AddAssign for Vec3 {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Body {
    pos: Vec3,
    velocity: Vec3,
    mass: f32,
}

/// The softening length: below this distance, the attraction is weaker, so no body is thrown away.
const SOFT: f32 = 0.05;

#[device]
impl Body {
    const NONE: Vec3 = Vec3 { x: 0.0, y: 0.0, z: 0.0 };

    /// The acceleration of a body at `pos` due to this body.
    fn pull(self, pos: Vec3) -> Vec3 {
        let d = self.pos - pos;
        let square = d.dot(d) + SOFT * SOFT;
        self.mass / (square * square.sqrt()) * d
    }
}

/// Steps of the leapfrog method: half a step of position, the new velocity, the other half.
#[kernel]
fn simulate(bodies: &mut [Body], pulls: &mut [Vec3], dt: f32, steps: usize) {
    for _ in 0..steps {
        for i in par(0..bodies.len()) {
            bodies[i].pos += 0.5 * dt * bodies[i].velocity;
        }
        for i in par(0..bodies.len()) {
            let mut sum = Body::NONE;
            for j in 0..bodies.len() {
                sum += bodies[j].pull(bodies[i].pos);
            }
            pulls[i] = sum;
        }
        for i in par(0..bodies.len()) {
            bodies[i].velocity += dt * pulls[i];
            bodies[i].pos += 0.5 * dt * bodies[i].velocity;
        }
    }
}

const BODIES: usize = 2048;

/// Fast bodies are bright.
fn picture(bodies: &[Body]) -> Picture {
    let mut picture = Picture::of(1024, 1024, |_, _| [6, 6, 16]);
    for Body { pos, velocity, .. } in bodies {
        let speed = velocity.dot(*velocity).sqrt();
        picture.dot(512.0 + 330.0 * pos.x, 512.0 - 330.0 * pos.y, 2.2, heat(0.3 + 0.5 * speed));
    }
    picture
}

/// Kinetic and potential energy, in double precision.
fn energy(bodies: &[Body]) -> f64 {
    let mut sum = 0.0;
    for (i, a) in bodies.iter().enumerate() {
        sum += 0.5 * f64::from(a.mass * a.velocity.dot(a.velocity));
        for b in &bodies[..i] {
            let d = a.pos - b.pos;
            sum -= f64::from(a.mass * b.mass) / f64::from(d.dot(d) + SOFT * SOFT).sqrt();
        }
    }
    sum
}

fn main() -> ExitCode {
    show::main(run)
}

pub(crate) fn run(device: &Device, file: Option<&Path>) -> Outcome {
    // A disc that turns.
    let disc = |i: usize| {
        let radius = 0.5 + i as f32 / BODIES as f32;
        let (sin, cos) = (i as f32 * 2.4).sin_cos();
        let pos = Vec3 { x: radius * cos, y: radius * sin, z: 0.0 };
        Body { pos, velocity: Vec3 { x: -0.7 * sin, y: 0.7 * cos, z: 0.1 * sin }, mass: 1.0 / BODIES as f32 }
    };
    let before: Vec<Body> = (0..BODIES).map(disc).collect();
    let mut bodies = device.buffer_from(&before)?;
    // The picture needs more time, until clumps form.
    let batches = if file.is_some_and(|file| !show::is_text(file)) { 30 } else { 10 };
    let mut pulls = device.zeros(BODIES)?;
    let bar = report::progress(batches);
    for _ in 0..batches {
        simulate(&device.default_stream(), &mut bodies, &mut pulls, 0.01, 10)?;
        bodies.get(0)?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    let after = bodies.to_vec()?;

    let momentum = |bodies: &[Body]| bodies.iter().fold(Body::NONE, |sum, body| sum + body.mass * body.velocity);
    let lost = momentum(&after) - momentum(&before);
    let change = energy(&after) / energy(&before) - 1.0;
    println!("{BODIES} bodies on {device}: relative change of energy {change:.1e}, change of momentum {lost:?}");
    match file {
        Some(file) if show::is_text(file) => {
            let numbers = after.iter().flat_map(|Body { pos, .. }| [pos.x, pos.y, pos.z]);
            std::fs::write(file, show::text(numbers, 3))?;
        }
        Some(file) => picture(&after).save(file)?,
        None => {}
    }
    Ok(change.abs() < 1e-4 && lost.dot(lost).sqrt() < 1e-5)
}
