//! The CPU device next to hand-written `rayon`, and what a launch costs.
//!
//! Both sides of a pair run in turns, so that what else the machine does meets both alike; the ratio of each round is
//! taken, and of those the median. A ratio below 1 means that the kernel is faster.

mod algorithms;
mod own_types;
mod reductions;

use std::hint::black_box;
use std::time::{Duration, Instant};

use anabranch::prelude::*;
use anabranch_tests::kernels::benchmarks as k;
use anabranch_tests::kernels::graphs::rounds;
use anabranch_tests::kernels::groups::step;
use anabranch_tests::kernels::ported::poisson::{ByHand, steps};
use rayon::prelude::*;

const ROUNDS: usize = 41;
/// Copies of the data of the stencil.
const PLANES: usize = 8;

fn time(run: &mut dyn FnMut()) -> Duration {
    let start = Instant::now();
    run();
    start.elapsed()
}

fn median<T: PartialOrd + Copy>(mut values: Vec<T>) -> T {
    values.sort_by(|a, b| a.partial_cmp(b).expect("times are numbers"));
    values[values.len() / 2]
}

/// One line: the job, both times, the ratio, and the ratios of the quarter of rounds around the median.
fn pair(name: &str, kernel: &mut dyn FnMut(), by_hand: &mut dyn FnMut()) {
    kernel();
    by_hand();
    let rounds: Vec<(f64, f64)> = (0..ROUNDS)
        .map(|round| {
            // Whoever is first finds other caches.
            if round % 2 == 0 {
                let kernel = time(kernel).as_secs_f64();
                (kernel, time(by_hand).as_secs_f64())
            } else {
                let by_hand = time(by_hand).as_secs_f64();
                (time(kernel).as_secs_f64(), by_hand)
            }
        })
        .collect();
    let mut ratios: Vec<f64> = rounds.iter().map(|(kernel, by_hand)| kernel / by_hand).collect();
    ratios.sort_by(f64::total_cmp);
    let quartiles = (ratios[ROUNDS / 4], ratios[3 * ROUNDS / 4]);
    println!(
        "{name:<28} {:>9.3} ms {:>9.3} ms   {:.2}   ({:.2} to {:.2})",
        median(rounds.iter().map(|r| r.0).collect()) * 1e3,
        median(rounds.iter().map(|r| r.1).collect()) * 1e3,
        median(ratios),
        quartiles.0,
        quartiles.1
    );
}

/// The median time of a call that is too short to be timed alone.
fn short(name: &str, aim: &str, run: &mut dyn FnMut()) {
    const CALLS: u32 = 10_000;
    let times = (0..ROUNDS).map(|_| time(&mut || (0..CALLS).for_each(|_| run())) / CALLS).collect();
    println!("{name:<28} {:>9} ns   aim {aim}", median::<Duration>(times).as_nanos());
}

fn noise(n: usize) -> Vec<f32> {
    (0..n as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 8) as f32 / 16_777_216.0).collect()
}

fn main() -> anabranch::Result<()> {
    let device = Device::cpu();
    let stream = device.default_stream();
    println!("{device}. Medians of {ROUNDS} rounds in turns; below a ratio of 1 the kernel is faster.");
    println!("{:<28} {:>12} {:>12}   ratio of a round (quartiles)", "", "kernel", "rayon");

    let n = 4 << 20;
    let (x, mut y) = (noise(n), noise(n));
    let (dx, mut dy) = (device.buffer_from(&x)?, device.buffer_from(&y)?);
    pair("saxpy, 4M f32", &mut || k::saxpy(&stream, &mut dy, &dx, 0.5).expect("runs"), &mut || {
        y.par_iter_mut().zip(&x).for_each(|(y, x)| *y += 0.5 * x)
    });

    let side = 2048;
    let a = noise(side * side);
    // Rows of 8 KiB: how two planes lie to each other in memory costs more than what is compared. So each round has others.
    let mut by_hand: Vec<_> = (0..PLANES).map(|_| (a.clone(), vec![0.0f32; side * side])).collect();
    let mut of_kernel = (0..PLANES)
        .map(|_| Ok((device.buffer_from(&a)?, device.zeros::<f32>(side * side)?)))
        .collect::<anabranch::Result<Vec<_>>>()?;
    let (mut run, mut run_by_hand) = ((0..PLANES).cycle(), (0..PLANES).cycle());
    let mut kernel = || {
        let (da, db) = &mut of_kernel[run.next().expect("endless")];
        k::stencil(&stream, db, da, side, side).expect("runs");
    };
    pair("5-point stencil, 2048²", &mut kernel, &mut || {
        let (a, b) = &mut by_hand[run_by_hand.next().expect("endless")];
        b.par_chunks_mut(side).enumerate().skip(1).take(side - 2).for_each(|(y, row)| {
            let (up, mid, down) = (&a[(y - 1) * side..][..side], &a[y * side..][..side], &a[(y + 1) * side..][..side]);
            for x in 1..side - 1 {
                row[x] = 0.25 * (mid[x - 1] + mid[x + 1] + up[x] + down[x]);
            }
        });
    });
    assert_eq!(of_kernel[0].1.to_vec()?, by_hand[0].1);

    let (w, h, taps) = (512, 512, 13);
    let plane = noise(w * h);
    let weights: Vec<f32> = (0..taps).map(|k| 1.0 / (k as f32 + 13.0)).collect();
    let mut out = vec![0.0f32; w * h];
    let (dp, dw, mut dout) = (device.buffer_from(&plane)?, device.buffer_from(&weights)?, device.zeros::<f32>(w * h)?);
    pair(
        "blur of a photograph's plane",
        &mut || k::blur(&stream, &mut dout, &dp, &dw, w, h).expect("runs"),
        &mut || {
            let radius = taps / 2;
            out.par_chunks_mut(w).zip(plane.par_chunks(w)).for_each(|(out, row)| {
                for (x, out) in out.iter_mut().enumerate() {
                    let mut sum = 0.0;
                    for (k, weight) in weights.iter().enumerate() {
                        sum += weight * row[(x + k).saturating_sub(radius).min(w - 1)];
                    }
                    *out = sum;
                }
            });
        },
    );
    assert_eq!(dout.to_vec()?, out);

    let points = 4096;
    let (px, py, pz) = (noise(points), noise(2 * points), noise(3 * points));
    let (py, pz) = (&py[points..], &pz[2 * points..]);
    let mut sums = vec![0.0f32; points];
    let (dpx, dpy, dpz) = (device.buffer_from(&px)?, device.buffer_from(py)?, device.buffer_from(pz)?);
    let mut dsums = device.zeros::<f32>(points)?;
    pair(
        "all pairs of 4096 points",
        &mut || k::all_pairs(&stream, &mut dsums, &dpx, &dpy, &dpz).expect("runs"),
        &mut || {
            sums.par_iter_mut().enumerate().for_each(|(i, out)| {
                let (x, y, z) = (px[i], py[i], pz[i]);
                let mut sum = 0.0;
                for ((qx, qy), qz) in px.iter().zip(py).zip(pz) {
                    let (dx, dy, dz) = (qx - x, qy - y, qz - z);
                    sum += 1.0 / (dx * dx + dy * dy + dz * dz + 1e-3).sqrt();
                }
                *out = sum;
            });
        },
    );
    assert_eq!(dsums.to_vec()?, sums);

    // In one buffer after the other, what lies how in memory is the same for both.
    let side = 1024;
    let inside = |i: usize| 0 < i && i < side - 1;
    let f = |(i, f): (usize, f32)| if inside(i / side) && inside(i % side) { f64::from(f) - 0.5 } else { 0.0 };
    let f: Vec<f64> = noise(side * side).into_iter().enumerate().map(f).collect();
    let mut by_hand = ByHand::new(&f, side);
    let [mut u, mut ap] = [0, 1].map(|_| device.grid_zeros([side, side]).expect("fits"));
    let [mut r, mut p] = [0, 1].map(|_| device.grid_from(&f, [side, side]).expect("fits"));
    let (mut sums, mut rr) = (device.zeros(side)?, device.buffer_from(&[by_hand.rr])?);
    let mut factor = device.zeros(1)?;
    let mut kernel = || {
        steps(&stream, &mut u, &mut r, &mut p, &mut ap, &mut sums, &mut rr, &mut factor, 10).expect("runs");
    };
    pair("conjugate gradients, 1024²", &mut kernel, &mut || by_hand.steps(10));
    assert_eq!(u.to_vec()?, by_hand.u);

    algorithms::run(&stream)?;
    reductions::run(&stream)?;
    own_types::run(&stream)?;

    println!("small work runs on the calling thread:");
    let mut small = device.zeros::<f32>(64)?;
    let other = device.zeros::<f32>(64)?;
    short("launch of 64 elements", "200 ns", &mut || {
        k::saxpy(&stream, black_box(&mut small), &other, 0.5).expect("runs");
    });
    let mut second = device.zeros::<f32>(64)?;
    short("two groups of 64 elements", "1000 ns", &mut || {
        k::tiny_groups(&stream, black_box(&mut small), &mut second).expect("runs");
    });

    println!("{:<28} {:>12} {:>12}   ratio of a round (quartiles)", "", "replay", "launch");
    const CALLS: usize = 10_000;
    let [mut pos, mut vel, mut heat] = [0.0f32, 1.0, 0.0].map(|x| device.buffer_from(&[x; 64]).expect("fits"));
    let graph = stream.capture(|s| step(s, &mut pos, &mut vel, &mut heat, 1e-9))?;
    let replay = &mut || (0..CALLS).for_each(|_| graph.launch(&stream).expect("runs"));
    let alone = Device::cpu();
    let other = alone.default_stream();
    let [mut pos, mut vel, mut heat] = [0.0f32, 1.0, 0.0].map(|x| alone.buffer_from(&[x; 64]).expect("fits"));
    pair("10000 steps of 64 elements", replay, &mut || {
        (0..CALLS).for_each(|_| step(&other, &mut pos, &mut vel, &mut heat, 1e-9).expect("runs"));
    });
    let (mut x, count) = (device.zeros::<u32>(64)?, device.zeros::<u32>(32)?);
    let graph = stream.capture(|s| rounds(s, &mut x, &count, 1))?;
    let replay = &mut || (0..CALLS).for_each(|_| graph.launch(&stream).expect("runs"));
    let (mut x, count) = (alone.zeros::<u32>(64)?, alone.zeros::<u32>(32)?);
    pair("10000 × 32 loops of 64", replay, &mut || {
        (0..CALLS).for_each(|_| rounds(&other, &mut x, &count, 1).expect("runs"));
    });
    Ok(())
}
