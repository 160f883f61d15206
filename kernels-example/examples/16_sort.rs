//! Sorts points along a space-filling curve, so that neighbours in memory are also neighbours in
//! the plane. Tree codes and collision searches begin like this.
//!
//! `cargo run --release -p kernels-example --example 16_sort --
//! FILE.png` draws the path from point to point; `FILE.png` can be left out.

use std::path::Path;
use std::process::ExitCode;

use anabranch::algorithms::{Order, sort_by_key};
use anabranch::prelude::*;
use anabranch::random::rng;
use kernels_example::picture::{Picture, hue};
use kernels_example::show::{self, Outcome};

/// The position of a point's cell on the Hilbert curve through `2^16` times `2^16` cells.
#[device]
fn hilbert(point: [f32; 2]) -> u32 {
    let (mut x, mut y) = ((point[0] * 65536.0) as u32, (point[1] * 65536.0) as u32);
    let mut place = 0;
    for level in 0..16 {
        let side = 1u32 << (15 - level);
        let (right, up) = (x & side > 0, y & side > 0);
        place += side * side * ((3 * right as u32) ^ up as u32);
        // Rotate the four quarters so that the ends of their curves connect.
        if !up {
            if right {
                (x, y) = (65535 - x, 65535 - y);
            }
            (x, y) = (y, x);
        }
    }
    place
}

/// Scatters points in the unit square, in a cloud around each of seven centres.
#[kernel]
fn scatter(points: &mut [[f32; 2]], keys: &mut [u32], seed: u64) {
    for i in par(0..points.len()) {
        let mut rng = rng(seed, i);
        let turn = (i % 7) as f32 * 0.9;
        let width = 0.02 + 0.015 * (i % 7) as f32;
        let centre = [0.5 + 0.28 * turn.cos(), 0.5 + 0.28 * turn.sin()];
        let point = [centre[0] + width * rng.normal_f32(), centre[1] + width * rng.normal_f32()];
        points[i] = [point[0].clamp(0.0, 0.9999), point[1].clamp(0.0, 0.9999)];
        keys[i] = hilbert(points[i]);
    }
}

const POINTS: usize = 1 << 18;
/// Every 64th point is drawn.
const DRAWN: usize = 64;

fn main() -> ExitCode {
    show::main(run)
}

pub(crate) fn run(device: &Device, file: Option<&Path>) -> Outcome {
    let stream = device.default_stream();
    let (mut points, mut keys) = (device.filled(POINTS, [0.0f32; 2])?, device.zeros::<u32>(POINTS)?);
    scatter(&stream, &mut points, &mut keys, 7)?;
    let (before, keys_before) = (points.to_vec()?, keys.to_vec()?);
    sort_by_key(&stream, &mut keys, &mut points, Order::Ascending)?;
    let (after, keys) = (points.to_vec()?, keys.to_vec()?);

    let far = |a: &[f32; 2], b: &[f32; 2]| f64::from((a[0] - b[0]).hypot(a[1] - b[1]));
    let way = |points: &[[f32; 2]]| points.windows(2).map(|pair| far(&pair[0], &pair[1])).sum::<f64>();
    let shorter = way(&before) / way(&after);
    println!("{POINTS} points on {device}: the path through all of them is {shorter:.0} times shorter after sorting");
    if let Some(file) = file {
        picture(&after).save(file)?;
    }
    // std's sort is stable, too.
    let mut expected: Vec<(u32, [f32; 2])> = keys_before.into_iter().zip(before).collect();
    expected.sort_by_key(|(key, _)| *key);
    Ok(expected == keys.into_iter().zip(after).collect::<Vec<_>>() && shorter > 100.0)
}

/// The colour of a point is its position on the path.
fn picture(points: &[[f32; 2]]) -> Picture {
    let mut picture = Picture::of(640, 640, |_, _| [10, 10, 18]);
    let drawn: Vec<[f32; 2]> = points.iter().step_by(DRAWN).map(|p| p.map(|x| 640.0 * x)).collect();
    for (i, pair) in drawn.windows(2).enumerate() {
        picture.line(pair[0], pair[1], 0.9, hue(i as f32 / drawn.len() as f32));
    }
    picture
}
