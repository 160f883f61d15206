//! A photograph in twelve colours: k-means clustering finds the colours nearest to all pixels.
//!
//! `cargo run --release -p kernels-example --example 15_kmeans --
//! FILE.png` writes the picture; `FILE.png` can be left out.

use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use anabranch::prelude::*;
use kernels_example::photo::Photo;
use kernels_example::picture::Picture;
use kernels_example::show::{self, Outcome};

type Colour = [f32; 3];

#[device]
fn square_distance(a: [u8; 3], b: Colour) -> f32 {
    let mut sum = 0.0;
    for k in 0..3 {
        let d = a[k] as f32 - b[k];
        sum += d * d;
    }
    sum
}

/// A round has two steps: each pixel is assigned to the nearest colour, and each colour becomes the
/// mean of its pixels. `costs[r]` is the sum of the squared distances in round `r`.
#[kernel]
fn cluster(
    pixels: &[[u8; 3]],
    nearest: &mut [u32],
    colours: &mut [Colour],
    sums: &[AtomicU32],
    costs: &mut [f32],
    rounds: usize,
) {
    let (n, many) = (pixels.len(), colours.len());
    for round in 0..rounds {
        for i in par(0..4 * many) {
            sums[i].store(0, Relaxed);
        }
        for i in par(0..n) {
            let (mut best, mut least) = (0, f32::INFINITY);
            for k in 0..many {
                let distance = square_distance(pixels[i], colours[k]);
                if distance < least {
                    (best, least) = (k, distance);
                }
            }
            nearest[i] = best as u32;
        }
        costs[round] = par(0..n).map(|i| square_distance(pixels[i], colours[nearest[i] as usize])).sum();
        for i in par(0..n) {
            let first = 4 * nearest[i] as usize;
            for k in 0..3 {
                sums[first + k].fetch_add(pixels[i][k] as u32, Relaxed);
            }
            sums[first + 3].fetch_add(1, Relaxed);
        }
        for c in par(0..many) {
            let count = sums[4 * c + 3].load(Relaxed);
            if count > 0 {
                for k in 0..3 {
                    colours[c][k] = sums[4 * c + k].load(Relaxed) as f32 / count as f32;
                }
            }
        }
    }
}

const COLOURS: usize = 12;
const ROUNDS: usize = 30;

fn main() -> ExitCode {
    show::main(run)
}

pub(crate) fn run(device: &Device, file: Option<&Path>) -> Outcome {
    let photo = Photo::read(None)?;
    let (width, channels) = (photo.width as usize, photo.channels());
    let pixels: Vec<[u8; 3]> = photo.pixels.chunks(channels).map(|p| [p[0], p[1], p[2]]).collect();
    // Pixels of the photograph, far from each other.
    let start: Vec<Colour> =
        (0..COLOURS).map(|k| pixels[(2 * k + 1) * pixels.len() / (2 * COLOURS) + 37 * k].map(f32::from)).collect();

    let on_device = device.buffer_from(&pixels)?;
    let mut nearest = device.zeros::<u32>(pixels.len())?;
    let mut colours = device.buffer_from(&start)?;
    let mut costs = device.zeros::<f32>(ROUNDS)?;
    let mut sums = device.zeros(4 * COLOURS)?;
    cluster(&device.default_stream(), &on_device, &mut nearest, &mut colours, &mut sums, &mut costs, ROUNDS)?;
    let (nearest, colours, costs) = (nearest.to_vec()?, colours.to_vec()?, costs.to_vec()?);

    let off = |cost: f32| (cost / pixels.len() as f32).sqrt();
    println!("{} pixels in {COLOURS} colours on {device}:", pixels.len());
    println!(
        "  the root mean square distance is {:.1} at first and {:.1} at the end",
        off(costs[0]),
        off(costs[ROUNDS - 1])
    );
    if let Some(file) = file {
        let colour = |i: usize| colours[nearest[i] as usize].map(|part| part.round() as u8);
        Picture::of(width, photo.height as usize, |x, y| colour(y * width + x)).save(file)?;
    }

    // No round increases the cost, and each colour is the mean of its pixels.
    let fall = costs.windows(2).all(|pair| pair[1] <= pair[0] * 1.000_01);
    let mean = |c: usize| {
        let own: Vec<_> = (0..pixels.len()).filter(|i| nearest[*i] as usize == c).map(|i| pixels[i]).collect();
        [0, 1, 2].map(|k| own.iter().map(|pixel| f64::from(pixel[k])).sum::<f64>() / own.len().max(1) as f64)
    };
    let near = |a: f64, b: f32| (a - f64::from(b)).abs() < 1e-3;
    let means = (0..COLOURS).all(|c| mean(c).iter().zip(colours[c]).all(|(a, b)| near(*a, b)));
    Ok(fall && means && costs[ROUNDS - 1] < 0.7 * costs[0])
}
