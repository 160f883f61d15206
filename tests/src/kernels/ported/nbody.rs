//! Bodies that attract each other, all pairs.

use anabranch::prelude::*;

type Vec3 = [f32; 3];

/// The vector `i` of a flat slice.
#[device]
fn vector(x: &[f32], i: usize) -> Vec3 {
    [x[3 * i], x[3 * i + 1], x[3 * i + 2]]
}

/// The acceleration at `p` by a mass `m` at `q`, softened so that two bodies in one place do no
/// harm.
#[device]
fn pull(p: Vec3, q: Vec3, m: f32, softening: f32) -> Vec3 {
    let d = [q[0] - p[0], q[1] - p[1], q[2] - p[2]];
    let square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + softening * softening;
    let strength = m / (square * square.sqrt());
    [d[0] * strength, d[1] * strength, d[2] * strength]
}

/// `steps` steps of `dt`: all velocities from all positions, then all positions. The components of
/// a vector lie together.
#[kernel]
pub fn nbody(pos: &mut [f32], vel: &mut [f32], mass: &[f32], softening: f32, dt: f32, steps: usize) {
    let n = mass.len();
    for _ in 0..steps {
        for i in par(0..n) {
            let p = vector(&pos, i);
            let mut sum = [0.0; 3];
            for j in 0..n {
                let a = pull(p, vector(&pos, j), mass[j], softening);
                for k in 0..3 {
                    sum[k] += a[k];
                }
            }
            for k in 0..3 {
                vel[3 * i + k] += dt * sum[k];
            }
        }
        for i in par(0..3 * n) {
            pos[i] += dt * vel[i];
        }
    }
}
