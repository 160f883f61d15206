//! Moves bodies that attract each other. Positions and velocities are structs, in buffers and as values.
//!
//! `cargo run --release -p kernels-example --example 07_bodies`

use std::process::ExitCode;

use anabranch::prelude::*;

/// A point or a direction.
#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Vec3 {
    x: f32,
    y: f32,
    z: f32,
}

#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Body {
    pos: Vec3,
    velocity: Vec3,
    mass: f32,
}

/// `a + k * b`.
#[device]
fn add(a: Vec3, k: f32, b: Vec3) -> Vec3 {
    Vec3 { x: a.x + k * b.x, y: a.y + k * b.y, z: a.z + k * b.z }
}

/// The acceleration of a body at `pos` by another body. Bodies that are close to each other attract each other less, so that none is thrown away.
#[device]
fn pull(pos: Vec3, other: Body) -> Vec3 {
    let d = add(other.pos, -1.0, pos);
    let square = d.x * d.x + d.y * d.y + d.z * d.z + 0.01;
    add(Vec3 { x: 0.0, y: 0.0, z: 0.0 }, other.mass / (square * square.sqrt()), d)
}

/// A step of time, from `now` to `next`.
#[kernel]
fn step(now: &[Body], next: &mut [Body], dt: f32) {
    for i in par(0..now.len()) {
        let body = now[i];
        let mut velocity = body.velocity;
        for j in 0..now.len() {
            velocity = add(velocity, dt, pull(body.pos, now[j]));
        }
        next[i] = Body { pos: add(body.pos, dt, velocity), velocity, ..body };
    }
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> anabranch::Result<bool> {
    let device = Device::auto()?;
    let stream = device.default_stream();
    // A disc that turns.
    let disc = |i: usize| {
        let (sin, cos) = (i as f32).sin_cos();
        let radius = 1.0 + i as f32 / 256.0;
        Body {
            pos: Vec3 { x: radius * cos, y: radius * sin, z: 0.0 },
            velocity: Vec3 { x: -sin, y: cos, z: 0.0 },
            mass: 1.0 / 512.0,
        }
    };
    let bodies: Vec<Body> = (0..512).map(disc).collect();
    let mut now = device.buffer_from(&bodies)?;
    let mut next = device.filled(bodies.len(), Body::default())?;
    for _ in 0..100 {
        step(&stream, &now, &mut next, 0.01)?;
        std::mem::swap(&mut now, &mut next);
    }
    let after = now.to_vec()?;

    // Bodies that only attract each other keep their momentum.
    let momentum =
        |bodies: &[Body]| bodies.iter().fold(Vec3::default(), |sum, body| add(sum, body.mass, body.velocity));
    let lost = add(momentum(&bodies), -1.0, momentum(&after));
    let moved = add(after[0].pos, -1.0, bodies[0].pos);
    println!(
        "{} bodies on {device}; the first has moved by {moved:?}; the momentum has changed by {lost:?}",
        after.len()
    );
    let right = [lost.x, lost.y, lost.z].iter().all(|part| part.abs() < 1e-4) && moved != Vec3::default();
    println!("{}", if right { "as it should be" } else { "WRONG: the momentum is not kept" });
    Ok(right)
}
