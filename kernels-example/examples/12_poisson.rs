//! Reading back in a loop: conjugate gradients for Poisson's equation, until the residual is small
//! enough. The host must see the residual to know when to stop, but the device should not wait for
//! the host. So the host queues the next batch of steps before it looks at the residual of the
//! previous batch.
//!
//! `cargo run --release -p kernels-example --example 12_poisson -- solution.png
//! 513`; both arguments are optional. With `solution.txt` it writes the numbers.

use std::path::Path;
use std::process::ExitCode;

use anabranch::prelude::*;
use kernels_example::picture::{Picture, heat, mix};
use kernels_example::show::{self, Outcome};

/// Steps of the method of conjugate gradients for `A u = f`, where `A` is the five-point formula,
/// `4 u - (its four neighbours)`. `r` is the residual `f - A u`, `p` the direction of the next
/// step, `rr` the product `r · r`. The outermost points are never written: they hold zeros. Dot
/// products are summed within rows and then over the rows, so each run has the same result.
#[kernel]
pub fn steps(
    u: &mut Grid<f64, 2>,
    r: &mut Grid<f64, 2>,
    p: &mut Grid<f64, 2>,
    ap: &mut Grid<f64, 2>,
    rows_sums: &mut [f64],
    rr: &mut [f64],
    factor: &mut [f64],
    count: usize,
) {
    let [rows, columns] = u.shape();
    for _ in 0..count {
        for y in par(1..rows - 1) {
            let mut sum = 0.0;
            for x in 1..columns - 1 {
                let near = p[[y - 1, x]] + p[[y, x - 1]] + p[[y, x + 1]] + p[[y + 1, x]];
                let here = 4.0 * p[[y, x]] - near;
                ap[[y, x]] = here;
                sum += p[[y, x]] * here;
            }
            rows_sums[y] = sum;
        }
        for i in par(0..1) {
            let sum = rows_sums.iter().sum::<f64>();
            factor[i] = if sum > 0.0 { rr[i] / sum } else { 0.0 };
        }
        for y in par(1..rows - 1) {
            let mut sum = 0.0;
            for x in 1..columns - 1 {
                u[[y, x]] += factor[0] * p[[y, x]];
                r[[y, x]] -= factor[0] * ap[[y, x]];
                sum += r[[y, x]] * r[[y, x]];
            }
            rows_sums[y] = sum;
        }
        for i in par(0..1) {
            let sum = rows_sums.iter().sum::<f64>();
            factor[i] = if rr[i] > 0.0 { sum / rr[i] } else { 0.0 };
            rr[i] = sum;
        }
        for (y, x) in par((1..rows - 1, 1..columns - 1)) {
            p[[y, x]] = r[[y, x]] + factor[0] * p[[y, x]];
        }
    }
}

/// The number of points in each direction, including the boundary.
const SIDE: usize = 513;
/// The number of steps between two checks of the residual.
const BATCH: usize = 32;
/// The factor by which the residual shrinks.
const REDUCTION: f64 = 1e-10;

fn main() -> ExitCode {
    let side = std::env::args().nth(2).map_or(Ok(SIDE), |side| side.parse::<usize>());
    show::main(|device, file| solve(device, file, side?.max(3)))
}

#[allow(dead_code, reason = "the gallery calls it")]
pub(crate) fn run(device: &Device, file: Option<&Path>) -> Outcome {
    solve(device, file, SIDE)
}

/// A colour for each height, with dark contour lines.
fn picture(u: &[f64], side: usize) -> Picture {
    let (low, high) = u.iter().fold((0.0f64, 0.0f64), |(low, high), u| (low.min(*u), high.max(*u)));
    let level = |i: usize| ((u[i] - low) / (high - low)) as f32;
    Picture::of(side - 1, side - 1, |x, y| {
        let i = y * side + x;
        let band = |i: usize| (16.0 * level(i)) as u32;
        let colour = heat(level(i));
        if band(i) != band(i + 1) || band(i) != band(i + side) { mix(colour, [0; 3], 0.5) } else { colour }
    })
}

fn solve(device: &Device, file: Option<&Path>, side: usize) -> Outcome {
    let h = 1.0 / (side - 1) as f64;
    let stream = device.default_stream();
    // Sources and sinks on a chessboard of 5 × 5 squares, so all frequencies occur.
    let square = |i: usize| 5 * i / side;
    let source = |y: usize, x: usize| if (square(y) + square(x)).is_multiple_of(2) { 100.0 } else { -60.0 };
    let inside = |i: usize| 0 < i && i < side - 1;
    let f = |i: usize| if inside(i / side) && inside(i % side) { h * h * source(i / side, i % side) } else { 0.0 };
    let f: Vec<f64> = (0..side * side).map(f).collect();

    let shape = [side, side];
    let (mut u, mut ap) = (device.grid_zeros(shape)?, device.grid_zeros(shape)?);
    let (mut r, mut p) = (device.grid_from(&f, shape)?, device.grid_from(&f, shape)?);
    let (mut sums, mut factor) = (device.zeros(side)?, device.zeros(1)?);
    let first: f64 = f.iter().map(|f| f * f).sum();
    let mut rr = device.buffer_from(&[first])?;

    let graph =
        stream.capture(|s| steps(s, &mut u, &mut r, &mut p, &mut ap, &mut sums, &mut rr, &mut factor, BATCH))?;
    let mut seen = [device.pinned::<f64>(1)?, device.pinned::<f64>(1)?];
    let most = 20 * side / BATCH;
    let mut batch = 0;
    loop {
        graph.launch(&stream)?;
        rr.copy_to_async(&stream, &mut seen[batch % 2])?;
        batch += 1;
        // Waits for the copy of the previous batch, while the device works on this one.
        if batch == most || batch > 1 && seen[batch % 2].as_slice()?[0] <= REDUCTION * REDUCTION * first {
            break;
        }
    }
    let u = u.to_vec()?;

    // The true residual, not the one that the method updates.
    let a = |i: usize| 4.0 * u[i] - u[i - side] - u[i - 1] - u[i + 1] - u[i + side];
    let residual = |i: usize| if inside(i / side) && inside(i % side) { f[i] - a(i) } else { 0.0 };
    let left = ((0..side * side).map(|i| residual(i).powi(2)).sum::<f64>() / first).sqrt();
    println!("{} steps over {side} × {side} points on {device}", batch * BATCH);
    println!("  the residual is {left:.1e} of its initial value");
    match file {
        Some(file) if show::is_text(file) => std::fs::write(file, show::text(&u, side))?,
        Some(file) => picture(&u, side).save(file)?,
        None => {}
    }
    Ok(left <= 10.0 * REDUCTION)
}
