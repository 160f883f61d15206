//! A scene of spheres, boxes and a floor, with shadows. Rays march through it: each step is as long
//! as the distance to the nearest shape.
//!
//! `cargo run --release -p kernels-example --example 11_scene -- FILE.png` draws it; `FILE.png` can
//! be left out.

use std::ops::{Add, Mul, Sub};
use std::path::Path;
use std::process::ExitCode;

use anabranch::prelude::*;
use kernels_example::picture::Picture;
use kernels_example::show::{self, Outcome};

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

/// What a ray can hit.
#[device]
trait Shape {
    /// The distance to the surface, which is negative inside the shape.
    fn distance(&self, p: Vec3) -> f32;

    fn colour(&self, p: Vec3) -> Vec3;

    /// The normal of the surface: the direction in which the distance grows fastest.
    fn normal(&self, p: Vec3) -> Vec3 {
        let (e, d) = (1e-2, self.distance(p));
        let [x, y, z] = [vec3(e, 0.0, 0.0), vec3(0.0, e, 0.0), vec3(0.0, 0.0, e)];
        vec3(self.distance(p + x) - d, self.distance(p + y) - d, self.distance(p + z) - d).unit()
    }

    /// The point that a ray hits within a distance of 30, or `None`.
    fn hit(&self, from: Vec3, direction: Vec3) -> Option<Vec3> {
        let mut way = 0.02;
        for _ in 0..200 {
            let p = from + way * direction;
            let distance = self.distance(p);
            if distance < 1e-4 * way {
                return Some(p);
            }
            way += distance;
            if way > 30.0 {
                break;
            }
        }
        None
    }
}

#[device]
#[derive(Clone, Copy)]
struct Floor;

#[device]
impl Shape for Floor {
    fn distance(&self, p: Vec3) -> f32 {
        p.y
    }

    fn colour(&self, p: Vec3) -> Vec3 {
        let light = (p.x.floor() + p.z.floor()).rem_euclid(2.0) < 1.0;
        if light { vec3(0.9, 0.9, 0.9) } else { vec3(0.3, 0.3, 0.35) }
    }
}

#[device]
#[derive(Clone, Copy)]
struct Sphere {
    centre: Vec3,
    radius: f32,
}

#[device]
impl Shape for Sphere {
    fn distance(&self, p: Vec3) -> f32 {
        (p - self.centre).length() - self.radius
    }

    fn colour(&self, _p: Vec3) -> Vec3 {
        vec3(0.9, 0.35, 0.2)
    }
}

/// A box. `half` is the vector from its centre to a corner.
#[device]
#[derive(Clone, Copy)]
struct Block {
    centre: Vec3,
    half: Vec3,
}

#[device]
impl Shape for Block {
    fn distance(&self, p: Vec3) -> f32 {
        let Vec3 { x, y, z } = p - self.centre;
        let d = vec3(x.abs(), y.abs(), z.abs()) - self.half;
        vec3(d.x.max(0.0), d.y.max(0.0), d.z.max(0.0)).length() + d.x.max(d.y).max(d.z).min(0.0)
    }

    fn colour(&self, _p: Vec3) -> Vec3 {
        vec3(0.2, 0.5, 0.9)
    }
}

/// Two shapes. A ray hits the nearer one.
#[device]
#[derive(Clone, Copy)]
struct Both<A, B>(A, B);

#[device]
impl<A: Shape, B: Shape> Shape for Both<A, B> {
    fn distance(&self, p: Vec3) -> f32 {
        self.0.distance(p).min(self.1.distance(p))
    }

    fn colour(&self, p: Vec3) -> Vec3 {
        if self.0.distance(p) <= self.1.distance(p) { self.0.colour(p) } else { self.1.colour(p) }
    }
}

#[kernel]
fn draw<S: Shape>(pixels: &mut Grid<[u8; 3], 2>, scene: S, eye: Vec3, light: Vec3) {
    let [h, w] = pixels.shape();
    for (y, x) in par((0..h, 0..w)) {
        let (right, up) = ((x as f32 + 0.5) / h as f32 - 0.5 * w as f32 / h as f32, 0.5 - (y as f32 + 0.5) / h as f32);
        let direction = vec3(right, up - 0.25, 1.0).unit();
        let mut colour = (0.5 + up) * vec3(0.5, 0.7, 1.0);
        if let Some(p) = scene.hit(eye, direction) {
            let normal = scene.normal(p);
            let lit = match scene.hit(p + 0.02 * normal, light) {
                Some(_) => 0.0,
                None => normal.dot(light).max(0.0),
            };
            colour = (0.2 + 0.8 * lit) * scene.colour(p);
        }
        pixels[[y, x]] = [(255.0 * colour.x) as u8, (255.0 * colour.y) as u8, (255.0 * colour.z) as u8];
    }
}

const W: usize = 960;
const H: usize = 540;

fn main() -> ExitCode {
    show::main(run)
}

pub(crate) fn run(device: &Device, file: Option<&Path>) -> Outcome {
    let spheres = Both(
        Sphere { centre: vec3(-1.3, 1.0, 1.0), radius: 1.0 },
        Sphere { centre: vec3(0.3, 0.5, -0.6), radius: 0.5 },
    );
    let block = Block { centre: vec3(1.4, 0.8, 1.5), half: vec3(0.7, 0.8, 0.7) };
    let scene = Both(Floor, Both(spheres, block));
    let mut pixels = device.grid_zeros::<[u8; 3], 2>([H, W])?;
    draw(&device.default_stream(), &mut pixels, scene, vec3(0.0, 2.0, -5.0), vec3(0.5, 0.8, -0.4).unit())?;
    let pixels = pixels.to_vec()?;

    let red = pixels.iter().filter(|[r, _, b]| r > b && r - b > 20).count();
    println!("{W} × {H} pixels on {device}; {red} of them show the spheres");
    if let Some(file) = file {
        Picture::of(W, H, |x, y| pixels[y * W + x]).save(file)?;
    }
    Ok(red > 0)
}
