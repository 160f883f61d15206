//! The loops of `ten_kernels.rs` by hand, with rayon.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use rayon::prelude::*;

const N: usize = 96;
const BINS: usize = 16;

#[derive(Clone, Copy, Default)]
struct Body {
    x: f32,
    y: f32,
    mass: f32,
}

impl Body {
    fn pull(self, other: Body) -> f32 {
        let (dx, dy) = (other.x - self.x, other.y - self.y);
        other.mass / (dx * dx + dy * dy + 1.0)
    }
}

fn saxpy(y: &mut [f32], x: &[f32], a: f32) {
    y.par_iter_mut().zip(x).for_each(|(y, x)| *y += a * x);
}

fn stencil(out: &mut [f32], x: &[f32], w: usize, h: usize) {
    out.par_chunks_mut(w).enumerate().skip(1).take(h - 2).for_each(|(r, row)| {
        for (c, out) in row.iter_mut().enumerate().take(w - 1).skip(1) {
            let at = r * w + c;
            *out = 0.25 * (x[at - 1] + x[at + 1] + x[at - w] + x[at + w]) - x[at];
        }
    });
}

fn transpose(out: &mut [f32], x: &[f32], w: usize, h: usize) {
    out.par_chunks_mut(h).enumerate().for_each(|(c, column)| {
        column.iter_mut().enumerate().for_each(|(r, out)| *out = x[r * w + c]);
    });
}

fn product(out: &mut [f32], a: &[f32], b: &[f32], n: usize) {
    out.par_chunks_mut(n).enumerate().for_each(|(r, row)| {
        for (c, out) in row.iter_mut().enumerate() {
            *out = (0..n).fold(0.0, |sum, k| sum + a[r * n + k] * b[k * n + c]);
        }
    });
}

fn greatest(x: &[f32]) -> f32 {
    x.par_iter().copied().reduce(|| f32::NEG_INFINITY, f32::max)
}

fn histogram(bins: &[AtomicU32], x: &[f32]) {
    x.par_iter().for_each(|x| {
        bins[(x.abs() * 8.0) as usize % BINS].fetch_add(1, Relaxed);
    });
}

fn gather(out: &mut [f32], x: &[f32], from: &[u32]) {
    out.par_iter_mut().zip(from).for_each(|(out, from)| *out = x[*from as usize]);
}

fn pulls(out: &mut [f32], bodies: &[Body]) {
    out.par_iter_mut().zip(bodies).for_each(|(out, own)| {
        *out = bodies.iter().fold(0.0, |sum, other| sum + own.pull(*other));
    });
}

fn escapes(out: &mut [u32], w: usize, most: u32) {
    out.par_iter_mut().enumerate().for_each(|(i, out)| {
        let (cx, cy) = ((i % w) as f32 / w as f32 * 3.0 - 2.0, (i / w) as f32 / w as f32 * 2.0 - 1.0);
        let (mut x, mut y, mut steps) = (0.0f32, 0.0f32, 0);
        while steps < most && x * x + y * y < 4.0 {
            (x, y) = (x * x - y * y + cx, 2.0 * x * y + cy);
            steps += 1;
        }
        *out = steps;
    });
}

fn both(a: &mut [f32], b: &mut [f32]) {
    rayon::join(|| a.par_iter_mut().for_each(|a| *a *= 0.5), || b.par_iter_mut().for_each(|b| *b += 1.0));
}

fn main() {
    let x: Vec<f32> = (0..N * N).map(|i| (i * 37 % 101) as f32 / 101.0).collect();
    let from: Vec<u32> = (0..N * N).map(|i| (i * 61 % (N * N)) as u32).collect();
    let bodies: Vec<Body> = x[..N].iter().map(|&x| Body { x, y: 1.0 - x, mass: x * x }).collect();
    let [mut a, mut b, mut c] = [x.clone(), vec![0.0; N * N], vec![0.0; N * N]];
    let (mut sums, mut steps) = (vec![0.0; N], vec![0; N * N]);
    let bins: [AtomicU32; BINS] = Default::default();
    saxpy(&mut a, &x, 2.0);
    stencil(&mut b, &a, N, N);
    transpose(&mut c, &b, N, N);
    product(&mut b, &a, &c, N);
    let one = greatest(&b);
    histogram(&bins, &c);
    gather(&mut c, &b, &from);
    pulls(&mut sums, &bodies);
    escapes(&mut steps, N, 100);
    both(&mut a, &mut c);
    let floats = [a, b, c, vec![one], sums].concat();
    println!("{} {}", floats.iter().map(|x| f64::from(*x)).sum::<f64>(), steps.iter().sum::<u32>());
    println!("{:?}", bins.map(AtomicU32::into_inner));
}
