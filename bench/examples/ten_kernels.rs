//! Ten small kernels, for what they cost to build: `bench/build` compares them with `ten_loops.rs`.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use anabranch::prelude::*;

const N: usize = 96;
const BINS: usize = 16;

#[device]
#[derive(Clone, Copy, Default)]
struct Body {
    x: f32,
    y: f32,
    mass: f32,
}

#[device]
impl Body {
    fn pull(self, other: Body) -> f32 {
        let (dx, dy) = (other.x - self.x, other.y - self.y);
        other.mass / (dx * dx + dy * dy + 1.0)
    }
}

#[kernel]
fn saxpy(y: &mut [f32], x: &[f32], a: f32) {
    for i in par(0..y.len()) {
        y[i] += a * x[i];
    }
}

#[kernel]
fn stencil(out: &mut [f32], x: &[f32], w: usize, h: usize) {
    for (r, c) in par((1..h - 1, 1..w - 1)) {
        let at = r * w + c;
        out[at] = 0.25 * (x[at - 1] + x[at + 1] + x[at - w] + x[at + w]) - x[at];
    }
}

#[kernel]
fn transpose(out: &mut [f32], x: &[f32], w: usize, h: usize) {
    for (r, c) in par((0..h, 0..w)) {
        out[c * h + r] = x[r * w + c];
    }
}

#[kernel]
fn product(out: &mut [f32], a: &[f32], b: &[f32], n: usize) {
    for (r, c) in par((0..n, 0..n)) {
        let mut sum = 0.0;
        for k in 0..n {
            sum += a[r * n + k] * b[k * n + c];
        }
        out[r * n + c] = sum;
    }
}

#[kernel]
fn greatest(out: &mut [f32], x: &[f32]) {
    out[0] = par(0..x.len()).map(|i| x[i]).max();
}

#[kernel]
fn histogram(bins: &[AtomicU32], x: &[f32]) {
    for i in par(0..x.len()) {
        let bin = (x[i].abs() * 8.0) as usize % BINS;
        bins[bin].fetch_add(1, Relaxed);
    }
}

#[kernel]
fn gather(out: &mut [f32], x: &[f32], from: &[u32]) {
    for i in par(0..out.len()) {
        out[i] = x[from[i] as usize];
    }
}

#[kernel]
fn pulls(out: &mut [f32], bodies: &[Body]) {
    for i in par(0..out.len()) {
        let own = bodies[i];
        let mut sum = 0.0;
        for other in bodies {
            sum += own.pull(*other);
        }
        out[i] = sum;
    }
}

#[kernel]
fn escapes(out: &mut [u32], w: usize, most: u32) {
    for i in par(0..out.len()) {
        let (cx, cy) = ((i % w) as f32 / w as f32 * 3.0 - 2.0, (i / w) as f32 / w as f32 * 2.0 - 1.0);
        let (mut x, mut y, mut steps) = (0.0f32, 0.0f32, 0);
        while steps < most && x * x + y * y < 4.0 {
            (x, y) = (x * x - y * y + cx, 2.0 * x * y + cy);
            steps += 1;
        }
        out[i] = steps;
    }
}

#[kernel]
fn both(a: &mut [f32], b: &mut [f32]) {
    stream_parallel! {
        { for i in par(0..a.len()) { a[i] *= 0.5; } }
        { for i in par(0..b.len()) { b[i] += 1.0; } }
    }
}

fn main() -> anabranch::Result<()> {
    let device = Device::cpu();
    let stream = device.default_stream();
    let numbers: Vec<f32> = (0..N * N).map(|i| (i * 37 % 101) as f32 / 101.0).collect();
    let places: Vec<u32> = (0..N * N).map(|i| (i * 61 % (N * N)) as u32).collect();
    let all: Vec<Body> = numbers[..N].iter().map(|&x| Body { x, y: 1.0 - x, mass: x * x }).collect();
    let (x, from, bodies) = (device.buffer_from(&numbers)?, device.buffer_from(&places)?, device.buffer_from(&all)?);
    let [mut a, mut b, mut c] = [device.buffer_from(&numbers)?, device.zeros(N * N)?, device.zeros(N * N)?];
    let (mut one, mut sums) = (device.zeros(1)?, device.zeros(N)?);
    let (mut bins, mut steps) = (device.zeros::<u32>(BINS)?, device.zeros::<u32>(N * N)?);
    saxpy(&stream, &mut a, &x, 2.0)?;
    stencil(&stream, &mut b, &a, N, N)?;
    transpose(&stream, &mut c, &b, N, N)?;
    product(&stream, &mut b, &a, &c, N)?;
    greatest(&stream, &mut one, &b)?;
    histogram(&stream, &mut bins, &c)?;
    gather(&stream, &mut c, &b, &from)?;
    pulls(&stream, &mut sums, &bodies)?;
    escapes(&stream, &mut steps, N, 100)?;
    both(&stream, &mut a, &mut c)?;
    let floats = [a.to_vec()?, b.to_vec()?, c.to_vec()?, one.to_vec()?, sums.to_vec()?].concat();
    println!("{} {}", floats.iter().map(|x| f64::from(*x)).sum::<f64>(), steps.to_vec()?.iter().sum::<u32>());
    println!("{:?}", bins.to_vec()?);
    Ok(())
}
