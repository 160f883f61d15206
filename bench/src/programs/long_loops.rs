//! Long inner loops, as one would write them first.

use anabranch::prelude::*;
use rayon::prelude::*;

use super::noise;
use crate::families::Family;
use crate::kernels as k;
use crate::measure::{Bench, Failure};

pub(super) fn run(bench: &mut Bench, stream: &Stream) -> Result<(), Failure> {
    product(bench, stream)?;
    blur(bench, stream)?;
    potentials(bench, stream)?;
    forces(bench, stream)
}

fn product(bench: &mut Bench, stream: &Stream) -> Result<(), Failure> {
    let (device, side) = (stream.device(), 512);
    let (a, mut c) = (noise(side * side), vec![0.0f32; side * side]);
    let (da, mut dc) = (device.grid_from(&a, [side, side])?, device.grid_zeros::<f32, 2>([side, side])?);
    let name = ("matmul by rows and columns, 512²", &*format!("rows {side}"));
    let mut kernel = || k::rows_and_columns(stream, &mut dc, &da, &da);
    bench.with_peers(Family::LongLoops, name, stream, &mut kernel, &mut || {
        c.par_chunks_mut(side).zip(a.par_chunks(side)).for_each(|(c, row)| {
            for (x, c) in c.iter_mut().enumerate() {
                let mut sum = 0.0;
                for (k, factor) in row.iter().enumerate() {
                    sum += factor * a[k * side + x];
                }
                *c = sum;
            }
        });
    })?;
    bench.same(&dc.to_vec()?, &c)
}

fn blur(bench: &mut Bench, stream: &Stream) -> Result<(), Failure> {
    let (device, side) = (stream.device(), 1024);
    let plane: Vec<u8> = noise(side * side).into_iter().map(|v| (v * 255.0) as u8).collect();
    let weights: Vec<u32> = (0..13).map(|k: i32| 26 - 2 * (k - 6).unsigned_abs()).collect();
    let mut out = vec![0u8; side * side];
    let (from, on_device) = (device.grid_from(&plane, [side, side])?, device.buffer_from(&weights)?);
    let mut to = device.grid_zeros::<u8, 2>([side, side])?;
    let mut kernel = || k::blur_of_bytes(stream, &mut to, &from, &on_device);
    let name = ("blur of bytes, 1024²", &*format!("bytes {side}"));
    bench.with_peers(Family::Windows, name, stream, &mut kernel, &mut || {
        out.par_chunks_mut(side).zip(plane.par_chunks(side)).for_each(|(out, row)| {
            for (x, out) in out.iter_mut().enumerate() {
                let mut sum = 0;
                for (k, weight) in weights.iter().enumerate() {
                    sum += weight * u32::from(row[(x + k).saturating_sub(6).min(side - 1)]);
                }
                *out = (sum >> 8) as u8;
            }
        });
    })?;
    bench.same(&to.to_vec()?, &out)
}

fn potentials(bench: &mut Bench, stream: &Stream) -> Result<(), Failure> {
    let (device, points) = (stream.device(), 4096);
    let all: Vec<f64> = noise(3 * points).into_iter().map(f64::from).collect();
    let [px, py, pz] = [0, 1, 2].map(|dim| &all[dim * points..][..points]);
    let mut sums = vec![0.0; points];
    let (dpx, dpy, dpz) = (device.buffer_from(px)?, device.buffer_from(py)?, device.buffer_from(pz)?);
    let mut dsums = device.zeros::<f64>(points)?;
    let mut kernel = || k::potentials(stream, &mut dsums, &dpx, &dpy, &dpz);
    let name = ("all pairs of 4096 points, f64", &*format!("potentials {points}"));
    bench.with_peers(Family::LongLoops, name, stream, &mut kernel, &mut || {
        sums.par_iter_mut().enumerate().for_each(|(i, out)| {
            let mut sum = 0.0;
            for ((qx, qy), qz) in px.iter().zip(py).zip(pz) {
                let (dx, dy, dz) = (qx - px[i], qy - py[i], qz - pz[i]);
                sum += 1.0 / (dx * dx + dy * dy + dz * dz + 1e-3).sqrt();
            }
            *out = sum;
        });
    })?;
    bench.same(&dsums.to_vec()?, &sums)
}

fn forces(bench: &mut Bench, stream: &Stream) -> Result<(), Failure> {
    let (device, points, reach) = (stream.device(), 4096, 0.2f32);
    let all = noise(2 * points);
    let (px, py) = all.split_at(points);
    let mut forces = vec![[0.0f32; 2]; points];
    let (dpx, dpy) = (device.buffer_from(px)?, device.buffer_from(py)?);
    let mut on_device = device.zeros::<[f32; 2]>(points)?;
    let name = ("forces with a cutoff, 4096 points", &*format!("forces {points}"));
    let mut kernel = || k::forces_within(stream, &mut on_device, &dpx, &dpy, reach);
    bench.with_peers(Family::LongLoops, name, stream, &mut kernel, &mut || {
        forces.par_iter_mut().enumerate().for_each(|(i, out)| {
            let (mut sum_x, mut sum_y) = (0.0, 0.0);
            for (qx, qy) in px.iter().zip(py) {
                let (dx, dy) = (qx - px[i], qy - py[i]);
                let square = dx * dx + dy * dy;
                if square < reach * reach && square > 0.0 {
                    let force = 1.0 / (square * square.sqrt());
                    sum_x += force * dx;
                    sum_y += force * dy;
                }
            }
            *out = [sum_x, sum_y];
        });
    })?;
    bench.same(&on_device.to_vec()?, &forces)
}
