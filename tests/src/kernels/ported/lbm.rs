//! A fluid by the lattice Boltzmann method: D2Q9, one relaxation time.

use anabranch::prelude::*;

/// The nine directions, rest first.
const DIRECTIONS: [(isize, isize); 9] = [(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)];
/// The direction against each.
const OPPOSITE: [usize; 9] = [0, 3, 4, 1, 2, 7, 8, 5, 6];
const WEIGHTS: [f32; 9] =
    [4.0 / 9.0, 1.0 / 9.0, 1.0 / 9.0, 1.0 / 9.0, 1.0 / 9.0, 1.0 / 36.0, 1.0 / 36.0, 1.0 / 36.0, 1.0 / 36.0];

/// Density and velocity of nine populations.
#[device]
fn moments(f: &[f32; 9]) -> (f32, f32, f32) {
    let (mut density, mut x, mut y) = (0.0, 0.0, 0.0);
    for q in 0..9 {
        let (dx, dy) = DIRECTIONS[q];
        density += f[q];
        x += f[q] * dx as f32;
        y += f[q] * dy as f32;
    }
    (density, x / density, y / density)
}

/// Moves nine populations towards their equilibrium.
#[device]
fn collide(f: &mut [f32; 9], omega: f32) {
    let (density, ux, uy) = moments(f);
    for q in 0..9 {
        let (dx, dy) = DIRECTIONS[q];
        let along = 3.0 * (dx as f32 * ux + dy as f32 * uy);
        let equilibrium = WEIGHTS[q] * density * (1.0 + along + 0.5 * along * along - 1.5 * (ux * ux + uy * uy));
        f[q] += omega * (equilibrium - f[q]);
    }
}

/// One step from `now` to `next`, on a torus with solid cells, and the fields that it gives. The
/// populations of a direction lie together: that of direction `q` at cell `c` is
/// `now[q * cells + c]`.
#[kernel]
pub fn lbm(
    now: &[f32],
    next: &mut [f32],
    solid: &[bool],
    density: &mut [f32],
    speed: &mut [f32],
    width: usize,
    omega: f32,
) {
    let cells = solid.len();
    let height = cells / width;
    for (y, x) in par((0..height, 0..width)) {
        let here = y * width + x;
        let mut f = [0.0; 9];
        for q in 0..9 {
            let (dx, dy) = DIRECTIONS[q];
            let from_x = (x as isize - dx).rem_euclid(width as isize) as usize;
            let from_y = (y as isize - dy).rem_euclid(height as isize) as usize;
            let from = from_y * width + from_x;
            // What would come out of a wall is what went into it.
            f[q] = if solid[from] { now[OPPOSITE[q] * cells + here] } else { now[q * cells + from] };
        }
        if !solid[here] {
            collide(&mut f, omega);
        }
        for q in 0..9 {
            next[q * cells + here] = f[q];
        }
    }
    stream_parallel! {
        'density: {
            for c in par(0..cells) {
                let mut sum = 0.0;
                for q in 0..9 {
                    sum += next[q * cells + c];
                }
                density[c] = sum;
            }
        }
        'speed: {
            for c in par(0..cells) {
                let mut f = [0.0; 9];
                for q in 0..9 {
                    f[q] = next[q * cells + c];
                }
                let (_, ux, uy) = moments(&f);
                speed[c] = if solid[c] { 0.0 } else { ux.hypot(uy) };
            }
        }
    }
}
