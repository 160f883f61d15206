//! The kernels: an unsharp mask, for colour and for grey photographs. A photograph consists of
//! interleaved bytes. The kernel splits it into one plane of `f32` per channel, so adjacent
//! iterations access adjacent numbers. The channels are independent and run as parallel groups,
//! each of which calls the same kernel, [`sharpen_plane`].

use anabranch::prelude::*;

/// Returns the position of element `k` of a window of `2 * radius + 1` around `at`, in a row of
/// `len`. Positions beyond the ends are clamped.
#[device]
pub fn edge(at: usize, k: usize, radius: usize, len: usize) -> usize {
    (at + k).saturating_sub(radius).min(len - 1)
}

/// The unsharp mask of one value: adds `amount` times the difference between the value and its
/// blur. The result is a whole level 0..=255.
#[device]
pub fn unsharp(value: f32, blur: f32, amount: f32) -> f32 {
    (value + amount * (value - blur)).clamp(0.0, 255.0).round()
}

/// Sharpens one plane of `width * height` in place: blurs along the rows into `rows`, then along
/// the columns, and combines the blur with the plane. `weights` is the blur's window and has an odd
/// length.
#[kernel]
pub fn sharpen_plane(plane: &mut [f32], rows: &mut [f32], weights: &[f32], width: usize, height: usize, amount: f32) {
    let taps = weights.len();
    let radius = taps / 2;
    for (y, x) in par((0..height, 0..width)) {
        let mut blur = 0.0;
        for k in 0..taps {
            blur += weights[k] * plane[y * width + edge(x, k, radius, width)];
        }
        rows[y * width + x] = blur;
    }
    for (y, x) in par((0..height, 0..width)) {
        let mut blur = 0.0;
        for k in 0..taps {
            blur += weights[k] * rows[edge(y, k, radius, height) * width + x];
        }
        let i = y * width + x;
        plane[i] = unsharp(plane[i], blur, amount);
    }
}

/// Sharpens `photo`, `width * height` pixels of `channels` bytes (3: RGB, 4: RGBA), into `result`.
/// Alpha is copied.
///
/// The six planes are scratch memory of `width * height` each.
#[kernel]
pub fn sharpen(
    photo: &[u8],
    result: &mut [u8],
    weights: &[f32],
    red: &mut [f32],
    green: &mut [f32],
    blue: &mut [f32],
    red_rows: &mut [f32],
    green_rows: &mut [f32],
    blue_rows: &mut [f32],
    width: usize,
    height: usize,
    channels: usize,
    amount: f32,
) {
    for i in par(0..width * height) {
        red[i] = photo[i * channels] as f32;
        green[i] = photo[i * channels + 1] as f32;
        blue[i] = photo[i * channels + 2] as f32;
    }

    stream_parallel! {
        'red: {
            sharpen_plane(&mut red, &mut red_rows, &weights, width, height, amount);
        }
        'green: {
            sharpen_plane(&mut green, &mut green_rows, &weights, width, height, amount);
        }
        'blue: {
            sharpen_plane(&mut blue, &mut blue_rows, &weights, width, height, amount);
        }
    }

    for i in par(0..width * height) {
        result[i * channels] = red[i] as u8;
        result[i * channels + 1] = green[i] as u8;
        result[i * channels + 2] = blue[i] as u8;
        if channels == 4 {
            result[i * channels + 3] = photo[i * channels + 3];
        }
    }
}

/// Sharpens a grey photograph: `channels` is 1 (grey) or 2 (grey and alpha). A single plane needs
/// no parallel groups.
#[kernel]
pub fn sharpen_grey(
    photo: &[u8],
    result: &mut [u8],
    weights: &[f32],
    grey: &mut [f32],
    grey_rows: &mut [f32],
    width: usize,
    height: usize,
    channels: usize,
    amount: f32,
) {
    for i in par(0..width * height) {
        grey[i] = photo[i * channels] as f32;
    }
    sharpen_plane(&mut grey, &mut grey_rows, &weights, width, height, amount);
    for i in par(0..width * height) {
        result[i * channels] = grey[i] as u8;
        if channels == 2 {
            result[i * channels + 1] = photo[i * channels + 1];
        }
    }
}
