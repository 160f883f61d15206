use anabranch::prelude::*;

use super::super::noise;
use super::signed;
use crate::kernels::ported::{box_filter, life, mandelbrot, spheres};

/// No pixel wrong on the CPU. On a GPU, where a fused operation can move a pixel across an edge, at
/// most one of a hundred.
#[track_caller]
fn pixels(device: &Device, count: usize, wrong: impl Fn(usize) -> bool) {
    let wrong: Vec<usize> = (0..count).filter(|&at| wrong(at)).collect();
    let allowed = if device.is_cpu() { 0 } else { count / 100 };
    assert!(wrong.len() <= allowed, "{} of {count} pixels are wrong: {:?}…", wrong.len(), &wrong[..wrong.len().min(5)]);
}

pub fn mandelbrot(device: &Device, stream: &Stream) {
    for (width, height, limit) in [(1, 1, 10), (320, 200, 300), (77, 131, 64)] {
        let (corner, size) = ((-2.2, -1.3), (3.1, 2.6));
        let mut image = device.zeros(width * height).unwrap();
        mandelbrot::mandelbrot(stream, &mut image, width, corner, size, limit).unwrap();
        let image = image.to_vec().unwrap();
        let steps = |at: usize| {
            let re = corner.0 + size.0 / width as f64 * (at % width) as f64;
            let im = corner.1 + size.1 / height as f64 * (at / width) as f64;
            let orbit = std::iter::successors(Some((0.0, 0.0)), |&(x, y)| Some((x * x - y * y + re, 2.0 * x * y + im)));
            orbit.take(limit as usize).take_while(|&(x, y)| x * x + y * y <= 4.0).count() as u32
        };
        pixels(device, width * height, |at| image[at] != steps(at));
    }
}

pub fn life(device: &Device, stream: &Stream) {
    for (width, height, generations) in [(1, 1, 2), (2, 5, 3), (128, 64, 5), (37, 101, 20)] {
        let mut cells: Vec<bool> = noise(width * height).map(|v| v % 3 == 0).collect();
        let (mut now, mut next) = (device.buffer_from(&cells).unwrap(), device.zeros(width * height).unwrap());
        for generation in 1..=generations {
            life::life(stream, &now, &mut next, width).unwrap();
            std::mem::swap(&mut now, &mut next);
            let (w, h) = (width as isize, height as isize);
            let alive = |y: isize, x: isize| cells[(y.rem_euclid(h) * w + x.rem_euclid(w)) as usize];
            cells = (0..h * w)
                .map(|at| {
                    let around = (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dy, dx))).filter(|&d| d != (0, 0));
                    let around = around.filter(|(dy, dx)| alive(at / w + dy, at % w + dx)).count();
                    around == 3 || around == 2 && alive(at / w, at % w)
                })
                .collect();
            assert_eq!(now.to_vec().unwrap(), cells, "{width} x {height}, generation {generation}");
        }
    }
}

pub fn box_filter(device: &Device, stream: &Stream) {
    for (width, height, radius) in [(1, 1, 3), (64, 32, 1), (101, 57, 4), (5, 301, 7)] {
        let plane = width * height;
        let picture: Vec<u8> = noise(3 * plane).map(|v| (v >> 40) as u8).collect();
        let (mut planes, mut scratch) = (device.buffer_from(&picture).unwrap(), device.zeros(3 * plane).unwrap());
        box_filter::box_filter(stream, &mut planes, &mut scratch, width, radius).unwrap();
        let want: Vec<u8> = (0..3 * plane)
            .map(|at| {
                let (channel, y, x) = (&picture[at / plane * plane..], at % plane / width, at % width);
                let rows = y.saturating_sub(radius)..=(y + radius).min(height - 1);
                let near: Vec<f64> = rows
                    .flat_map(|row| {
                        let columns = x.saturating_sub(radius)..=(x + radius).min(width - 1);
                        columns.map(move |column| channel[row * width + column].into())
                    })
                    .collect();
                (near.iter().sum::<f64>() / near.len() as f64).round() as u8
            })
            .collect();
        assert_eq!(planes.to_vec().unwrap(), want, "{width} x {height}, radius {radius}");
    }
}

type Vec3 = [f64; 3];

fn dot(a: Vec3, b: Vec3) -> f64 {
    (0..3).map(|k| a[k] * b[k]).sum()
}

/// The distance and the shade of what is seen in a direction, by the roots of a quadratic equation.
fn look(direction: Vec3, spheres: &[f32], light: Vec3) -> (f64, f64) {
    let mut seen = (f64::INFINITY, 0.0);
    for sphere in spheres.chunks(4) {
        let centre = [0, 1, 2].map(|k| f64::from(sphere[k]));
        let radius = f64::from(sphere[3]);
        let (a, b) = (dot(direction, direction), -2.0 * dot(direction, centre));
        let root = (b * b - 4.0 * a * (dot(centre, centre) - radius * radius)).sqrt();
        // Without a root these are NaN, which is not less than anything.
        for t in [(-b - root) / (2.0 * a), (-b + root) / (2.0 * a)] {
            if t > 0.0 && t * a.sqrt() < seen.0 {
                let normal = [0, 1, 2].map(|k| (t * direction[k] - centre[k]) / radius);
                seen = (t * a.sqrt(), (dot(normal, light) / dot(light, light).sqrt()).abs());
                seen.1 *= if dot(normal, light) > 0.0 { 1.0 } else { 0.0 };
            }
        }
    }
    seen
}

pub fn spheres(device: &Device, stream: &Stream) {
    let light = [1.0f32, -2.0, -1.5];
    for (width, height, count) in [(1, 1, 1), (200, 120, 20), (63, 97, 5), (40, 30, 0)] {
        let noise = signed(4 * count);
        let mut scene: Vec<f32> =
            noise.chunks(4).flat_map(|n| [2.0 * n[0], 2.0 * n[1], 4.0 + n[2], 0.6 + 0.4 * n[3]]).collect();
        if count == 5 {
            scene[16..].copy_from_slice(&[0.3, 0.0, 0.0, 9.0]); // around the eye
        }
        let (mut depth, mut shade) = (device.zeros(width * height).unwrap(), device.zeros(width * height).unwrap());
        let dscene = device.buffer_from(&scene).unwrap();
        spheres::spheres(stream, &dscene, light, width, &mut depth, &mut shade).unwrap();
        let (depth, shade): (Vec<f32>, _) = (depth.to_vec().unwrap(), shade.to_vec().unwrap());
        let middle = |at: usize, of: usize| (at as f64 + 0.5) / of as f64 * 2.0 - 1.0;
        pixels(device, width * height, |at| {
            let direction = [middle(at % width, width), middle(at / width, height), 1.0];
            let (far, bright) = look(direction, &scene, light.map(f64::from));
            let off = (f64::from(depth[at]) - far).abs();
            !(far.is_infinite() && depth[at].is_infinite() || off < 2e-3)
                || (f64::from(shade[at]) - bright).abs() > 5e-3
        });
    }
}
