//! Kernels with user types, compared with `rayon` with the same types and methods. A `black_box`
//! hides values from rustc that a launch does not know at compile time either.

use std::hint::black_box;

use anabranch::prelude::*;
use rayon::prelude::*;

use super::noise;
use crate::families::Family;
use crate::kernels::own_types::*;
use crate::measure::{Bench, Failure};

pub(crate) fn run(bench: &mut Bench, stream: &Stream) -> Result<(), Failure> {
    bodies(bench, stream)?;
    mandelbrot_set(bench, stream)?;
    scene(bench, stream)?;
    fluid(bench, stream)?;
    deformations(bench, stream)
}

fn bodies(bench: &mut Bench, stream: &Stream) -> Result<(), Failure> {
    let device = stream.device();
    let n = 4096;
    let at = noise(3 * n);
    let of = |i: usize| Body { pos: vec3(at[i], at[n + i], at[2 * n + i]), mass: 1.0, ..Body::default() };
    let bodies: Vec<Body> = (0..n).map(of).collect();
    let (on_device, mut sums) = (device.buffer_from(&bodies)?, device.zeros::<Vec3>(n)?);
    let mut by_hand = vec![Vec3::default(); n];
    bench.pair(
        Family::LongLoops,
        "pulls of 4096 bodies",
        stream,
        &mut || pulls(stream, &mut sums, &on_device),
        &mut || {
            by_hand.par_iter_mut().zip(&bodies).for_each(|(sum, body)| {
                *sum = Vec3::default();
                for other in &bodies {
                    *sum += other.pull(body.pos);
                }
            });
        },
    )?;
    bench.same(&sums.to_vec()?, &by_hand)
}

fn mandelbrot_set(bench: &mut Bench, stream: &Stream) -> Result<(), Failure> {
    let (h, w, limit) = black_box((400, 600, 256));
    let (corner, distance) = black_box((Complex { re: -2.0, im: -1.0 }, 0.005f32));
    let mut steps = stream.device().grid_zeros::<u32, 2>([h, w])?;
    let mut by_hand = vec![0u32; h * w];
    let kernel = &mut || mandelbrot(stream, &mut steps, corner, distance, limit);
    bench.with_peers(
        Family::LongLoops,
        ("Mandelbrot set, 600 × 400", &format!("mandelbrot {w} {h}")),
        stream,
        kernel,
        &mut || {
            by_hand.par_chunks_mut(w).enumerate().for_each(|(y, row)| {
                for (x, steps) in row.iter_mut().enumerate() {
                    let c = corner + Complex { re: distance * x as f32, im: distance * y as f32 };
                    if let Some(n) = escape(c, limit) {
                        *steps = n;
                    }
                }
            });
        },
    )?;
    bench.same(&steps.to_vec()?, &by_hand)
}

fn scene(bench: &mut Bench, stream: &Stream) -> Result<(), Failure> {
    let (h, w) = black_box((240, 320));
    let ball = |x, radius| Sphere { centre: vec3(x, 0.0, 4.0), radius };
    let (scene, from) = black_box((Both(ball(-1.0, 1.0), ball(1.2, 0.8)), Vec3::default()));
    let mut depth = stream.device().grid_zeros::<f32, 2>([h, w])?;
    let mut by_hand = vec![0.0f32; h * w];
    let kernel = &mut || march(stream, &mut depth, scene, from);
    bench.pair(Family::LongLoops, "rays in a scene, 320 × 240", stream, kernel, &mut || {
        by_hand.par_chunks_mut(w).enumerate().for_each(|(y, row)| {
            for (x, depth) in row.iter_mut().enumerate() {
                let d = vec3(x as f32 / w as f32 - 0.5, y as f32 / h as f32 - 0.5, 1.0);
                *depth = scene.hit(from, 1.0 / d.length() * d).unwrap_or(30.0);
            }
        });
    })?;
    bench.same(&depth.to_vec()?, &by_hand)
}

fn fluid(bench: &mut Bench, stream: &Stream) -> Result<(), Failure> {
    let device = stream.device();
    let (h, w) = black_box((256, 512));
    let inflow = black_box(Fluid { density: 1.0, x: 0.1, y: 0.0 });
    let kind = |i: usize| match (i % w, i / w) {
        (_, y) if y == 0 || y == h - 1 => Cell::Wall,
        (0, _) => Cell::Inlet,
        (x, _) if x == w - 1 => Cell::Outlet,
        (x, y) if (x as i32 - 100).pow(2) + (y as i32 - 130).pow(2) < 900 => Cell::Wall,
        _ => Cell::Fluid,
    };
    let cells: Vec<Cell> = (0..h * w).map(kind).collect();
    let start: Vec<f32> = LINKS.iter().flat_map(|link| vec![inflow.calm(*link); h * w]).collect();
    let on_device = device.grid_from(&cells, [h, w])?;
    let (from, mut to) = (device.grid_from(&start, [9, h, w])?, device.grid_from(&start, [9, h, w])?);
    let mut by_hand = start.clone();
    // A cell's nine values are in nine planes, which safe Rust splits like this.
    let mut planes: Vec<&mut [f32]> = by_hand.chunks_mut(h * w).collect();
    let kernel = &mut || flow(stream, &on_device, &from, &mut to, inflow);
    bench.pair(Family::OwnTypes, "flow of a fluid, 512 × 256", stream, kernel, &mut || {
        let mut rows: Vec<Vec<&mut [f32]>> = (0..h).map(|_| Vec::with_capacity(9)).collect();
        for plane in &mut planes {
            plane.chunks_mut(w).zip(&mut rows).for_each(|(row, rows)| rows.push(row));
        }
        rows.par_iter_mut().enumerate().skip(1).take(h - 2).for_each(|(y, to)| {
            for x in 1..w - 1 {
                if cells[y * w + x] != Cell::Fluid {
                    continue;
                }
                let mut parts = [0.0; 9];
                for (k, link) in LINKS.iter().enumerate() {
                    let near = (y as isize - link.dy) as usize * w + (x as isize - link.dx) as usize;
                    parts[k] = match cells[near] {
                        Cell::Fluid => start[k * h * w + near],
                        Cell::Wall => start[(link.back * h + y) * w + x],
                        Cell::Inlet => inflow.calm(*link),
                        Cell::Outlet => start[(k * h + y) * w + x],
                    };
                }
                let fluid = Fluid::of(parts);
                for (k, link) in LINKS.iter().enumerate() {
                    to[k][x] = parts[k] + 1.7 * (fluid.calm(*link) - parts[k]);
                }
            }
        });
    })?;
    bench.same(&to.to_vec()?, &by_hand)
}

fn deformations(bench: &mut Bench, stream: &Stream) -> Result<(), Failure> {
    let device = stream.device();
    let n = 1 << 18;
    let at = noise(18 * n);
    let matrix = |i: usize| {
        let column = |k: usize| vec3(at[9 * i + k], at[9 * i + k + 1], at[9 * i + k + 2]);
        Mat3(column(0), column(3), column(6))
    };
    let (mut by_hand, gradients): (Vec<Mat3>, Vec<Mat3>) = (0..n).map(|i| (matrix(i), matrix(n + i))).unzip();
    let (mut of_kernel, on_device) = (device.buffer_from(&by_hand)?, device.buffer_from(&gradients)?);
    let kernel = &mut || deform(stream, &mut of_kernel, &on_device, 1e-4);
    bench.pair(Family::Memory, "256k matrices of 3 × 3", stream, kernel, &mut || {
        by_hand.par_iter_mut().zip(&gradients).for_each(|(f, c)| {
            let Mat3(a, b, c) = *c;
            let one =
                Mat3(1e-4 * a + vec3(1.0, 0.0, 0.0), 1e-4 * b + vec3(0.0, 1.0, 0.0), 1e-4 * c + vec3(0.0, 0.0, 1.0));
            *f = one * *f;
        });
    })?;
    bench.same(&of_kernel.to_vec()?, &by_hand)
}
