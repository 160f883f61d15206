//! Rays against spheres, with arrays as vectors.

use anabranch::prelude::*;

type Vec3 = [f32; 3];

#[device]
fn dot(a: Vec3, b: Vec3) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// `a + t b`.
#[device]
fn along(a: Vec3, t: f32, b: Vec3) -> Vec3 {
    [a[0] + t * b[0], a[1] + t * b[1], a[2] + t * b[2]]
}

#[device]
fn normalize(a: Vec3) -> Vec3 {
    along([0.0; 3], dot(a, a).sqrt().recip(), a)
}

/// The distance at which a ray from the origin first meets a sphere: infinite if it does not.
/// `direction` has length 1.
#[device]
fn meet(direction: Vec3, centre: Vec3, radius: f32) -> f32 {
    let closest = dot(centre, direction);
    let square = closest * closest - dot(centre, centre) + radius * radius;
    if square < 0.0 {
        return f32::INFINITY;
    }
    let half = square.sqrt();
    match (closest - half, closest + half) {
        (near, _) if near > 0.0 => near,
        (_, far) if far > 0.0 => far,
        _ => f32::INFINITY,
    }
}

/// Where the middle of pixel `at` of `of` lies between -1 and 1.
#[device]
fn middle(at: usize, of: usize) -> f32 {
    (2 * at + 1) as f32 / of as f32 - 1.0
}

/// Looks from the origin towards `z` on spheres of four numbers each, `x y z radius`, lit from
/// `light`.
#[kernel]
pub fn spheres(spheres: &[f32], light: Vec3, width: usize, depth: &mut [f32], shade: &mut [f32]) {
    let height = depth.len() / width;
    let light = normalize(light);
    for (y, x) in par((0..height, 0..width)) {
        let direction = normalize([middle(x, width), middle(y, height), 1.0]);
        let mut nearest = (f32::INFINITY, [0.0; 3]);
        for s in 0..spheres.len() / 4 {
            let centre = [spheres[4 * s], spheres[4 * s + 1], spheres[4 * s + 2]];
            let t = meet(direction, centre, spheres[4 * s + 3]);
            if t < nearest.0 {
                nearest = (t, centre);
            }
        }
        let (t, centre) = nearest;
        let here = y * width + x;
        depth[here] = t;
        shade[here] = if t.is_finite() {
            let normal = normalize(along(along([0.0; 3], t, direction), -1.0, centre));
            dot(normal, light).max(0.0)
        } else {
            0.0
        };
    }
}
