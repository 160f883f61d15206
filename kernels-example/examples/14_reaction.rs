//! Two substances diffuse and react: the Gray–Scott model. Its patterns look like corals.
//!
//! `cargo run --release -p kernels-example --example 14_reaction --
//! FILE.png` draws the second one; `FILE.png` can be left out.

use std::path::Path;
use std::process::ExitCode;

use anabranch::prelude::*;
use kernels_example::picture::{Picture, heat};
use kernels_example::report;
use kernels_example::show::{self, Outcome};

/// The feed rate of the first substance, and the removal rate of the second in addition to it, per
/// step.
const FEED: f32 = 0.0545;
const KILL: f32 = 0.062;
/// How fast they diffuse.
const SPREAD: [f32; 2] = [0.16, 0.08];

/// The amount that flows into a cell from its four neighbours. Nothing flows through the edges.
#[device]
fn flow(x: &Grid<f32, 2>, at: [usize; 2]) -> f32 {
    let ([h, w], [i, j]) = (x.shape(), at);
    let (up, down) = (i.saturating_sub(1), (i + 1).min(h - 1));
    let (left, right) = (j.saturating_sub(1), (j + 1).min(w - 1));
    x[[up, j]] + x[[down, j]] + x[[i, left]] + x[[i, right]] - 4.0 * x[at]
}

/// `steps` pairs of steps: from the first buffers to the second ones, and back.
#[kernel]
fn react(a: &mut Grid<f32, 2>, b: &mut Grid<f32, 2>, a2: &mut Grid<f32, 2>, b2: &mut Grid<f32, 2>, pairs: usize) {
    let [h, w] = a.shape();
    for _ in 0..2 * pairs {
        for (y, x) in par((0..h, 0..w)) {
            let (u, v) = (a[[y, x]], b[[y, x]]);
            let reacts = u * v * v;
            a2[[y, x]] = u + SPREAD[0] * flow(&a, [y, x]) - reacts + FEED * (1.0 - u);
            b2[[y, x]] = v + SPREAD[1] * flow(&b, [y, x]) + reacts - (FEED + KILL) * v;
        }
        std::mem::swap(&mut a, &mut a2);
        std::mem::swap(&mut b, &mut b2);
    }
}

const W: usize = 320;
const H: usize = 240;
const PAIRS: usize = 100;

fn main() -> ExitCode {
    show::main(run)
}

pub(crate) fn run(device: &Device, file: Option<&Path>) -> Outcome {
    let stream = device.default_stream();
    // Squares of the second substance in the first.
    let seeds = [(60, 50), (150, 120), (250, 60), (90, 190), (260, 180)];
    let seeded = |x: usize, y: usize| seeds.iter().any(|(sx, sy)| x.abs_diff(*sx) < 6 && y.abs_diff(*sy) < 6);
    let start = |inside: f32, outside: f32| -> Vec<f32> {
        (0..W * H).map(|i| if seeded(i % W, i / W) { inside } else { outside }).collect()
    };
    let mut a = device.grid_from(&start(0.5, 1.0), [H, W])?;
    let mut b = device.grid_from(&start(0.25, 0.0), [H, W])?;
    let [mut a2, mut b2] = [device.grid_zeros([H, W])?, device.grid_zeros([H, W])?];
    // The picture needs more time, until the pattern covers the plane.
    let batches = if file.is_some() { 40 } else { 4 };
    let bar = report::progress(batches);
    for _ in 0..batches {
        react(&stream, &mut a, &mut b, &mut a2, &mut b2, PAIRS)?;
        bar.inc(1);
    }
    bar.finish_and_clear();

    // The last step is from the second buffers to the first. Both substances together gain what is
    // fed minus what is removed: diffusion only moves them, and the reaction turns one into the
    // other.
    let sum = |x: &[f32]| x.iter().map(|x| f64::from(*x)).sum::<f64>();
    let after = b.to_vec()?;
    let gained = sum(&a.to_vec()?) + sum(&after) - sum(&a2.to_vec()?) - sum(&b2.to_vec()?);
    let fed = f64::from(FEED) * ((W * H) as f64 - sum(&a2.to_vec()?));
    let removed = f64::from(FEED + KILL) * sum(&b2.to_vec()?);
    let off = (gained - (fed - removed)).abs() / fed;
    let covered = after.iter().filter(|v| **v > 0.15).count() as f64 / (W * H) as f64;
    println!("{W} × {H} cells on {device}, {} steps: the pattern covers {covered:.2}", 2 * PAIRS * batches as usize);
    println!("  the error in the balance of a step is {off:.1e}");
    if let Some(file) = file {
        picture(&after).save(file)?;
    }
    Ok(off < 1e-3 && (0.01..0.9).contains(&covered))
}

/// Four pixels per cell.
fn picture(v: &[f32]) -> Picture {
    let at = |x: usize, y: usize| v[y.min(H - 1) * W + x.min(W - 1)];
    Picture::of(2 * W, 2 * H, |x, y| {
        let mean = 0.25
            * (at(x / 2, y / 2)
                + at(x.div_ceil(2), y / 2)
                + at(x / 2, y.div_ceil(2))
                + at(x.div_ceil(2), y.div_ceil(2)));
        heat(2.6 * mean)
    })
}
