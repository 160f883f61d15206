//! The jobs with the user's own types that are timed against hand-written code: the inner loops of
//! the examples.

#![allow(missing_docs)] // Names say what the fields are.

use std::ops::{Add, AddAssign, Mul, Sub};

use anabranch::prelude::*;

/// A point or a direction.
#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Vec3 {
    pub x: f32,
    pub y: f32,
    pub z: f32,
}

#[device]
pub fn vec3(x: f32, y: f32, z: f32) -> Vec3 {
    Vec3 { x, y, z }
}

#[device]
impl Vec3 {
    pub fn dot(self, v: Self) -> f32 {
        self.x * v.x + self.y * v.y + self.z * v.z
    }

    pub fn length(self) -> f32 {
        self.dot(self).sqrt()
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
impl AddAssign for Vec3 {
    fn add_assign(&mut self, v: Self) {
        *self = *self + v;
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
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Body {
    pub pos: Vec3,
    pub velocity: Vec3,
    pub mass: f32,
}

#[device]
impl Body {
    /// What this body does to the velocity of one at `pos`.
    pub fn pull(self, pos: Vec3) -> Vec3 {
        let d = self.pos - pos;
        let square = d.dot(d) + 0.0025;
        self.mass / (square * square.sqrt()) * d
    }
}

/// All bodies attract each other.
#[kernel]
pub fn pulls(pulls: &mut [Vec3], bodies: &[Body]) {
    for i in par(0..pulls.len()) {
        let mut sum = vec3(0.0, 0.0, 0.0);
        for j in 0..bodies.len() {
            sum += bodies[j].pull(bodies[i].pos);
        }
        pulls[i] = sum;
    }
}

#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Complex<T> {
    pub re: T,
    pub im: T,
}

#[device]
impl<T: Float> Complex<T> {
    pub fn norm_sqr(self) -> T {
        self.re * self.re + self.im * self.im
    }
}

#[device]
impl<T: Float> Add for Complex<T> {
    type Output = Self;
    fn add(self, c: Self) -> Self {
        Complex { re: self.re + c.re, im: self.im + c.im }
    }
}

#[device]
impl<T: Float> Mul for Complex<T> {
    type Output = Self;
    fn mul(self, c: Self) -> Self {
        Complex { re: self.re * c.re - self.im * c.im, im: self.re * c.im + self.im * c.re }
    }
}

/// After how many steps `z → z² + c` leaves the circle with a radius of 2, if it does.
#[device]
pub fn escape<T: Float>(c: Complex<T>, limit: u32) -> Option<u32> {
    let mut z = c;
    for n in 0..limit {
        if z.norm_sqr() > T::from(4.0f32) {
            return Some(n);
        }
        z = z * z + c;
    }
    None
}

/// The Mandelbrot set.
#[kernel]
pub fn mandelbrot<T: Float>(steps: &mut Grid<u32, 2>, corner: Complex<T>, distance: T, limit: u32) {
    let [h, w] = steps.shape();
    for (y, x) in par((0..h, 0..w)) {
        let c = corner + Complex { re: distance * x.cast(), im: distance * y.cast() };
        if let Some(n) = escape(c, limit) {
            steps[[y, x]] = n;
        }
    }
}

/// What rays march through.
#[device]
pub trait Shape {
    /// How far away the surface is; inside of the shape it is less than 0.
    fn distance(&self, p: Vec3) -> f32;

    /// How far a ray goes before it hits, if it does within a distance of 30.
    fn hit(&self, from: Vec3, direction: Vec3) -> Option<f32> {
        let mut way = 0.02;
        for _ in 0..200 {
            let distance = self.distance(from + way * direction);
            if distance < 1e-4 * way {
                return Some(way);
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
pub struct Sphere {
    pub centre: Vec3,
    pub radius: f32,
}

#[device]
impl Shape for Sphere {
    fn distance(&self, p: Vec3) -> f32 {
        (p - self.centre).length() - self.radius
    }
}

#[device]
#[derive(Clone, Copy)]
pub struct Both<A, B>(pub A, pub B);

#[device]
impl<A: Shape, B: Shape> Shape for Both<A, B> {
    fn distance(&self, p: Vec3) -> f32 {
        self.0.distance(p).min(self.1.distance(p))
    }
}

/// How far away a scene is in each direction.
#[kernel]
pub fn march<S: Shape>(depth: &mut Grid<f32, 2>, scene: S, from: Vec3) {
    let [h, w] = depth.shape();
    for (y, x) in par((0..h, 0..w)) {
        let d = vec3(x as f32 / w as f32 - 0.5, y as f32 / h as f32 - 0.5, 1.0);
        depth[[y, x]] = scene.hit(from, 1.0 / d.length() * d).unwrap_or(30.0);
    }
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(u8)]
pub enum Cell {
    Fluid,
    Wall,
    Inlet,
    Outlet,
}

/// One of the nine directions in which a fluid moves.
#[device]
#[derive(Clone, Copy)]
pub struct Link {
    pub dx: isize,
    pub dy: isize,
    pub weight: f32,
    /// The direction back.
    pub back: usize,
}

const fn link(dx: isize, dy: isize, weight: f32, back: usize) -> Link {
    Link { dx, dy, weight, back }
}

pub const LINKS: [Link; 9] = [
    link(0, 0, 4.0 / 9.0, 0),
    link(1, 0, 1.0 / 9.0, 3),
    link(0, 1, 1.0 / 9.0, 4),
    link(-1, 0, 1.0 / 9.0, 1),
    link(0, -1, 1.0 / 9.0, 2),
    link(1, 1, 1.0 / 36.0, 7),
    link(-1, 1, 1.0 / 36.0, 8),
    link(-1, -1, 1.0 / 36.0, 5),
    link(1, -1, 1.0 / 36.0, 6),
];

/// Density and velocity in a cell.
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fluid {
    pub density: f32,
    pub x: f32,
    pub y: f32,
}

#[device]
impl Fluid {
    pub fn of(parts: [f32; 9]) -> Self {
        let (mut density, mut x, mut y) = (0.0, 0.0, 0.0);
        for k in 0..9 {
            density += parts[k];
            x += LINKS[k].dx as f32 * parts[k];
            y += LINKS[k].dy as f32 * parts[k];
        }
        Fluid { density, x: x / density, y: y / density }
    }

    pub fn calm(self, link: Link) -> f32 {
        let along = 3.0 * (link.dx as f32 * self.x + link.dy as f32 * self.y);
        link.weight * self.density * (1.0 + along + 0.5 * along * along - 1.5 * (self.x * self.x + self.y * self.y))
    }
}

/// A step of the lattice Boltzmann method.
#[kernel]
pub fn flow(cells: &Grid<Cell, 2>, from: &Grid<f32, 3>, to: &mut Grid<f32, 3>, inflow: Fluid) {
    let [h, w] = cells.shape();
    for (y, x) in par((1..h - 1, 1..w - 1)) {
        if !matches!(cells[[y, x]], Cell::Fluid) {
            continue;
        }
        let mut parts = [0.0; 9];
        for k in 0..9 {
            let link = LINKS[k];
            let near = [(y as isize - link.dy) as usize, (x as isize - link.dx) as usize];
            parts[k] = match cells[near] {
                Cell::Fluid => from[[k, near[0], near[1]]],
                Cell::Wall => from[[link.back, y, x]],
                Cell::Inlet => inflow.calm(link),
                Cell::Outlet => from[[k, y, x]],
            };
        }
        let fluid = Fluid::of(parts);
        for k in 0..9 {
            to[[k, y, x]] = parts[k] + 1.7 * (fluid.calm(LINKS[k]) - parts[k]);
        }
    }
}

/// Two columns.
#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mat3(pub Vec3, pub Vec3, pub Vec3);

#[device]
impl Mul<Vec3> for Mat3 {
    type Output = Vec3;
    fn mul(self, v: Vec3) -> Vec3 {
        v.x * self.0 + v.y * self.1 + v.z * self.2
    }
}

#[device]
impl Mul for Mat3 {
    type Output = Self;
    fn mul(self, m: Self) -> Self {
        Mat3(self * m.0, self * m.1, self * m.2)
    }
}

/// How a deformation changes with a velocity's gradient, as in the material point method:
/// `F = (1 + dt C) F`.
#[kernel]
pub fn deform(deformations: &mut [Mat3], gradients: &[Mat3], dt: f32) {
    for i in par(0..deformations.len()) {
        let Mat3(a, b, c) = gradients[i];
        let one = Mat3(dt * a + vec3(1.0, 0.0, 0.0), dt * b + vec3(0.0, 1.0, 0.0), dt * c + vec3(0.0, 0.0, 1.0));
        deformations[i] = one * deformations[i];
    }
}

crate::kernels::sources! {
    pulls, mandelbrot::<f32>, march::<Both<Sphere, Sphere>>, flow, deform
}
