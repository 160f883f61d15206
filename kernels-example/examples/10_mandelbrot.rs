//! The Mandelbrot set, with complex numbers of any float type.
//!
//! `cargo run --release -p kernels-example --example 10_mandelbrot --
//! FILE.png` draws it; `FILE.png` can be left out.

use std::ops::{Add, Mul};
use std::path::Path;
use std::process::ExitCode;

use anabranch::prelude::*;
use kernels_example::picture::Picture;
use kernels_example::show::{self, Outcome};

#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Complex<T> {
    re: T,
    im: T,
}

#[device]
impl<T: Float> Complex<T> {
    fn norm_sqr(self) -> T {
        self.re * self.re + self.im * self.im
    }
}

#[device]
impl<T: Float> Add for Complex<T> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Complex { re: self.re + other.re, im: self.im + other.im }
    }
}

#[device]
impl<T: Float> Mul for Complex<T> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Complex { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
    }
}

/// The number of steps after which `z → z² + c` leaves the circle of radius 2, or `None`.
#[device]
fn escape<T: Float>(c: Complex<T>, limit: u32) -> Option<u32> {
    let mut z = c;
    for n in 0..limit {
        if z.norm_sqr() > T::from(4.0f32) {
            return Some(n);
        }
        z = z * z + c;
    }
    None
}

/// From blue through orange to red. Only points of the set are black.
#[device]
fn colour(n: u32, limit: u32) -> [u8; 3] {
    let t = ((n + 1) as f32 / (limit + 1) as f32).sqrt();
    let s = 1.0 - t;
    [(9.0 * s * t * t * t * 255.0) as u8, (15.0 * s * s * t * t * 255.0) as u8, (8.5 * s * s * s * t * 255.0) as u8]
}

/// Draws the part of the plane that begins at `corner`, with pixels at a distance of `distance`.
#[kernel]
fn draw<T: Float>(pixels: &mut Grid<[u8; 3], 2>, corner: Complex<T>, distance: T, limit: u32) {
    let [h, w] = pixels.shape();
    for (y, x) in par((0..h, 0..w)) {
        let c = corner + Complex { re: distance * x.cast(), im: distance * y.cast() };
        if let Some(n) = escape(c, limit) {
            pixels[[y, x]] = colour(n, limit);
        }
    }
}

const W: usize = 1200;
const H: usize = 800;

fn main() -> ExitCode {
    show::main(run)
}

pub(crate) fn run(device: &Device, file: Option<&Path>) -> Outcome {
    let mut pixels = device.grid_zeros::<[u8; 3], 2>([H, W])?;
    let corner = Complex { re: -2.0, im: -1.0 };
    draw::<f64>(&device.default_stream(), &mut pixels, corner, 0.0025, 256)?;
    let pixels = pixels.to_vec()?;

    let black = pixels.iter().filter(|pixel| **pixel == [0; 3]).count();
    let area = black as f64 * 0.0025 * 0.0025;
    println!("{W} × {H} pixels on {device}: the area of the set is about {area:.3}");
    if let Some(file) = file {
        Picture::of(W, H, |x, y| pixels[y * W + x]).save(file)?;
    }
    // The area is 1.5066. The result is a little larger, because some points need more than 256
    // steps.
    Ok((1.5..1.55).contains(&area))
}
