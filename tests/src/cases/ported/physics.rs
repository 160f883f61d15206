use anabranch::prelude::*;

use super::{near, signed};
use crate::kernels::ported::{lbm, nbody, poisson};

pub fn nbody(device: &Device, stream: &Stream) {
    for (n, steps) in [(1, 1), (2, 50), (257, 3), (1000, 2)] {
        let (softening, dt) = (0.05, 0.01);
        let [pos, vel] = [signed(3 * n), signed(6 * n)[3 * n..].to_vec()];
        let mass: Vec<f32> = signed(n).iter().map(|m| m.abs()).collect();
        let (mut dpos, mut dvel) = (device.buffer_from(&pos).unwrap(), device.buffer_from(&vel).unwrap());
        nbody::nbody(stream, &mut dpos, &mut dvel, &device.buffer_from(&mass).unwrap(), softening, dt, steps).unwrap();

        let mut pos: Vec<f64> = pos.into_iter().map(f64::from).collect();
        let mut vel: Vec<f64> = vel.into_iter().map(f64::from).collect();
        for _ in 0..steps {
            for i in 0..n {
                for j in 0..n {
                    let d: [f64; 3] = std::array::from_fn(|k| pos[3 * j + k] - pos[3 * i + k]);
                    let square = d.iter().map(|d| d * d).sum::<f64>() + f64::from(softening).powi(2);
                    for (k, d) in d.iter().enumerate() {
                        vel[3 * i + k] += f64::from(dt) * f64::from(mass[j]) * d / square.powf(1.5);
                    }
                }
            }
            for (pos, vel) in pos.iter_mut().zip(&vel) {
                *pos += f64::from(dt) * vel;
            }
        }
        near(&dvel.to_vec().unwrap(), &vel, 1e-5);
        near(&dpos.to_vec().unwrap(), &pos, 1e-5);
    }
}

/// The directions of a lattice cell, and their weights.
const LATTICE: [(isize, isize, f64); 9] = [
    (0, 0, 16.0),
    (1, 0, 4.0),
    (0, 1, 4.0),
    (-1, 0, 4.0),
    (0, -1, 4.0),
    (1, 1, 1.0),
    (-1, 1, 1.0),
    (-1, -1, 1.0),
    (1, -1, 1.0),
];

/// One step: every population goes to its neighbour or back, then the fluid relaxes.
fn lbm_step(now: &[f64], solid: &[bool], width: usize, omega: f64) -> Vec<f64> {
    let cells = solid.len();
    let (w, h) = (width as isize, (cells / width) as isize);
    let mut next = vec![0.0; 9 * cells];
    for c in 0..cells {
        let (x, y) = (c as isize % w, c as isize / w);
        for (q, (dx, dy, _)) in LATTICE.into_iter().enumerate() {
            let back = LATTICE.iter().position(|&(x, y, _)| (x, y) == (-dx, -dy)).unwrap();
            let target = ((y + dy).rem_euclid(h) * w + (x + dx).rem_euclid(w)) as usize;
            next[q * cells + target] = if solid[c] { now[back * cells + target] } else { now[q * cells + c] };
        }
    }
    for c in (0..cells).filter(|&c| !solid[c]) {
        let (density, ux, uy) = moments(&next, c, cells);
        for (q, (dx, dy, weight)) in LATTICE.into_iter().enumerate() {
            let (along, square) = (dx as f64 * ux + dy as f64 * uy, ux * ux + uy * uy);
            let equilibrium = weight / 36.0 * density * (1.0 + 3.0 * along + 4.5 * along * along - 1.5 * square);
            let f = &mut next[q * cells + c];
            *f = (1.0 - omega) * *f + omega * equilibrium;
        }
    }
    next
}

/// Density and velocity of cell `c`.
fn moments(f: &[f64], c: usize, cells: usize) -> (f64, f64, f64) {
    let sum = |factor: &dyn Fn(isize, isize) -> isize| {
        LATTICE.iter().enumerate().map(|(q, &(dx, dy, _))| f[q * cells + c] * factor(dx, dy) as f64).sum::<f64>()
    };
    let density = sum(&|_, _| 1);
    (density, sum(&|dx, _| dx) / density, sum(&|_, dy| dy) / density)
}

pub fn lbm(device: &Device, stream: &Stream) {
    for (width, height, steps) in [(1, 1, 2), (7, 3, 5), (128, 64, 4), (61, 133, 9)] {
        let (cells, omega) = (width * height, 1.3);
        let disturbance = signed(9 * cells);
        let start: Vec<f32> =
            (0..9 * cells).map(|i| LATTICE[i / cells].2 as f32 / 36.0 * (1.0 + 0.2 * disturbance[i])).collect();
        // A wall at the bottom, and grains.
        let grains = signed(cells);
        let solid: Vec<bool> = (0..cells).map(|c| cells > 1 && (c < width || grains[c] > 0.9)).collect();

        let (mut now, dsolid) = (device.buffer_from(&start).unwrap(), device.buffer_from(&solid).unwrap());
        let mut next = device.zeros(9 * cells).unwrap();
        let (mut density, mut speed) = (device.zeros(cells).unwrap(), device.zeros(cells).unwrap());
        for _ in 0..steps {
            lbm::lbm(stream, &now, &mut next, &dsolid, &mut density, &mut speed, width, omega).unwrap();
            std::mem::swap(&mut now, &mut next);
        }

        let mut want: Vec<f64> = start.iter().map(|&f| f.into()).collect();
        for _ in 0..steps {
            want = lbm_step(&want, &solid, width, omega.into());
        }
        near(&now.to_vec().unwrap(), &want, 1e-5);
        let moments: Vec<_> = (0..cells).map(|c| moments(&want, c, cells)).collect();
        near(&density.to_vec().unwrap(), &moments.iter().map(|m| m.0).collect::<Vec<_>>(), 1e-5);
        let want: Vec<f64> = moments.iter().zip(&solid).map(|(m, &s)| if s { 0.0 } else { m.1.hypot(m.2) }).collect();
        near(&speed.to_vec().unwrap(), &want, 1e-4);
        // No fluid is lost.
        let mass = |density: &mut dyn Iterator<Item = f64>| -> f64 {
            density.zip(&solid).filter(|(_, solid)| !**solid).map(|(density, _)| density).sum()
        };
        let before = mass(&mut (0..cells).map(|c| (0..9).map(|q| f64::from(start[q * cells + c])).sum()));
        let after = mass(&mut density.to_vec().unwrap().into_iter().map(f64::from));
        assert!((after / before - 1.0).abs() < 1e-6, "{before} before, {after} after");
    }
}

/// The solution of the five-point formula by its waves. The outermost points of `f` are 0.
fn by_waves(f: &[f64], side: usize) -> Vec<f64> {
    let n = (side - 1) as f64;
    let wave = |k: usize, i: usize| (2.0 / n).sqrt() * (std::f64::consts::PI * (k * i) as f64 / n).sin();
    let transformed = |f: &[f64]| {
        let mut out = vec![0.0; side * side];
        for (y, x) in (1..side - 1).flat_map(|y| (1..side - 1).map(move |x| (y, x))) {
            out[x * side + y] = (1..side - 1).map(|k| wave(k, x) * f[y * side + k]).sum();
        }
        out
    };
    let scale = |k: usize| 2.0 - 2.0 * (std::f64::consts::PI * k as f64 / n).cos();
    let mut waves = transformed(&transformed(f));
    for (i, wave) in waves.iter_mut().enumerate() {
        *wave = if *wave == 0.0 { 0.0 } else { *wave / (scale(i / side) + scale(i % side)) };
    }
    transformed(&transformed(&waves))
}

/// The host sees the residual of a batch of steps while the device works on the next one.
pub fn poisson(device: &Device, stream: &Stream) {
    const BATCH: usize = 8;
    for side in [3, 4, 17, 40] {
        let inside = |i: usize| 0 < i && i < side - 1;
        let mut f: Vec<f64> = signed(side * side).into_iter().map(f64::from).collect();
        f.iter_mut().enumerate().filter(|(i, _)| !inside(i / side) || !inside(i % side)).for_each(|(_, f)| *f = 0.0);
        let mut by_hand = poisson::ByHand::new(&f, side);
        let zeros = || device.grid_zeros::<f64, 2>([side, side]).unwrap();
        let of_f = || device.grid_from(&f, [side, side]).unwrap();
        let (mut u, mut ap, mut r, mut p) = (zeros(), zeros(), of_f(), of_f());
        let (mut sums, mut factor) = (device.zeros(side).unwrap(), device.zeros(1).unwrap());
        let mut rr = device.buffer_from(&[by_hand.rr]).unwrap();
        let (enough, most) = (1e-24 * by_hand.rr, 20 * side);
        let graph = stream
            .capture(|s| poisson::steps(s, &mut u, &mut r, &mut p, &mut ap, &mut sums, &mut rr, &mut factor, BATCH))
            .unwrap();
        let mut seen = [0, 1].map(|_| device.pinned::<f64>(1).unwrap());
        let mut batch = 0;
        loop {
            graph.launch(stream).unwrap();
            rr.copy_to_async(stream, &mut seen[batch % 2]).unwrap();
            batch += 1;
            assert!(batch * BATCH < most, "{side}: it does not converge");
            if batch > 1 && seen[batch % 2].as_slice().unwrap()[0] <= enough {
                break;
            }
        }
        let u = u.to_vec().unwrap();
        near(&u, &by_waves(&f, side), 1e-10);
        by_hand.steps(batch * BATCH);
        // A GPU rounds `a * b + c` once.
        near(&u, &by_hand.u, if device.is_cpu() { 0.0 } else { 1e-10 });
    }
}
