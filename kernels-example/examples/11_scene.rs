//! A scene of spheres, boxes and a floor, with shadows: rays march through it in steps as long as the nearest shape is far away.
//!
//! `cargo run --release -p kernels-example --example 11_scene -- FILE.png` draws it; `FILE.png` can be left out.

use std::error::Error;
use std::ops::{Add, Mul, Sub};
use std::process::ExitCode;

use anabranch::prelude::*;

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Vec3 {
    x: f32,
    y: f32,
    z: f32,
}

#[device]
fn vec3(x: f32, y: f32, z: f32) -> Vec3 {
    Vec3 { x, y, z }
}

#[device]
impl Vec3 {
    fn dot(self, v: Self) -> f32 {
        self.x * v.x + self.y * v.y + self.z * v.z
    }

    fn length(self) -> f32 {
        self.dot(self).sqrt()
    }

    fn unit(self) -> Self {
        1.0 / self.length() * self
    }
}

#[device]
impl Add for Vec3 {
    type Output = Self;
    fn add(self, v: Self) -> Self {
        vec3(self.x + v.x, self.y + v.y, self.z + v.z)
    }
}

#[device]
impl Sub for Vec3 {
    type Output = Self;
    fn sub(self, v: Self) -> Self {
        vec3(self.x - v.x, self.y - v.y, self.z - v.z)
    }
}

#[device]
impl Mul<Vec3> for f32 {
    type Output = Vec3;
    fn mul(self, v: Vec3) -> Vec3 {
        vec3(self * v.x, self * v.y, self * v.z)
    }
}

#[device]
#[derive(Clone, Copy, Debug)]
enum Shape {
    Floor,
    Sphere {
        centre: Vec3,
        radius: f32,
    },
    /// `half` goes from the centre to a corner.
    Block {
        centre: Vec3,
        half: Vec3,
    },
}

#[device]
impl Shape {
    /// How far away the surface is; inside of the shape it is less than 0.
    fn distance(self, p: Vec3) -> f32 {
        match self {
            Shape::Floor => p.y,
            Shape::Sphere { centre, radius } => (p - centre).length() - radius,
            Shape::Block { centre, half } => {
                let Vec3 { x, y, z } = p - centre;
                let d = vec3(x.abs(), y.abs(), z.abs()) - half;
                vec3(d.x.max(0.0), d.y.max(0.0), d.z.max(0.0)).length() + d.x.max(d.y).max(d.z).min(0.0)
            }
        }
    }

    fn colour(self, p: Vec3) -> Vec3 {
        match self {
            Shape::Floor if (p.x.floor() + p.z.floor()).rem_euclid(2.0) < 1.0 => vec3(0.9, 0.9, 0.9),
            Shape::Floor => vec3(0.3, 0.3, 0.35),
            Shape::Sphere { .. } => vec3(0.9, 0.35, 0.2),
            Shape::Block { .. } => vec3(0.2, 0.5, 0.9),
        }
    }
}

/// The index of the shape that is the nearest to `p`, and its distance.
#[device]
fn nearest<const N: usize>(scene: &[Shape; N], p: Vec3) -> (usize, f32) {
    let mut found = (0, scene[0].distance(p));
    for i in 1..N {
        let distance = scene[i].distance(p);
        if distance < found.1 {
            found = (i, distance);
        }
    }
    found
}

/// The point and the shape that a ray hits, if it does within a distance of 30.
#[device]
fn march<const N: usize>(scene: &[Shape; N], from: Vec3, direction: Vec3) -> Option<(Vec3, Shape)> {
    let mut way = 0.02;
    for _ in 0..200 {
        let p = from + way * direction;
        let (i, distance) = nearest(scene, p);
        if distance < 1e-4 * way {
            return Some((p, scene[i]));
        }
        way += distance;
        if way > 30.0 {
            break;
        }
    }
    None
}

#[kernel]
fn draw<const N: usize>(pixels: &mut Grid<[u8; 3], 2>, scene: [Shape; N], eye: Vec3, light: Vec3) {
    let [h, w] = pixels.shape();
    for (y, x) in par((0..h, 0..w)) {
        let (right, up) = ((x as f32 + 0.5) / h as f32 - 0.5 * w as f32 / h as f32, 0.5 - (y as f32 + 0.5) / h as f32);
        let direction = vec3(right, up - 0.25, 1.0).unit();
        let mut colour = (0.5 + up) * vec3(0.5, 0.7, 1.0);
        if let Some((p, shape)) = march(&scene, eye, direction) {
            // The distance changes the most along the normal of the surface.
            let d = nearest(&scene, p).1;
            let e = 1e-2;
            let slope = vec3(
                nearest(&scene, p + vec3(e, 0.0, 0.0)).1 - d,
                nearest(&scene, p + vec3(0.0, e, 0.0)).1 - d,
                nearest(&scene, p + vec3(0.0, 0.0, e)).1 - d,
            );
            let lit = match march(&scene, p + 0.02 * slope.unit(), light) {
                Some(_) => 0.0,
                None => slope.unit().dot(light).max(0.0),
            };
            colour = (0.2 + 0.8 * lit) * shape.colour(p);
        }
        pixels[[y, x]] = [(255.0 * colour.x) as u8, (255.0 * colour.y) as u8, (255.0 * colour.z) as u8];
    }
}

const W: usize = 960;
const H: usize = 540;

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

fn run() -> Result<bool, Box<dyn Error>> {
    let device = Device::auto()?;
    let scene = [
        Shape::Floor,
        Shape::Sphere { centre: vec3(-1.3, 1.0, 1.0), radius: 1.0 },
        Shape::Sphere { centre: vec3(0.3, 0.5, -0.6), radius: 0.5 },
        Shape::Block { centre: vec3(1.4, 0.8, 1.5), half: vec3(0.7, 0.8, 0.7) },
    ];
    let mut pixels = device.grid_zeros::<[u8; 3], 2>([H, W])?;
    draw(&device.default_stream(), &mut pixels, scene, vec3(0.0, 2.0, -5.0), vec3(0.5, 0.8, -0.4).unit())?;
    let pixels = pixels.to_vec()?;

    let red = pixels.iter().filter(|[r, _, b]| r > b && r - b > 20).count();
    println!("{W} × {H} pixels on {device}; {red} of them are of the spheres");
    if let Some(file) = std::env::args_os().nth(1) {
        let picture = image::RgbImage::from_raw(W as u32, H as u32, pixels.into_flattened());
        picture.expect("three bytes a pixel").save(file)?;
    }
    Ok(red > 0)
}
