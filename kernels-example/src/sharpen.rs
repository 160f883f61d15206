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

/// A photograph on the device.
#[device]
pub struct Image<'a> {
    /// Its pixels: `width * height` of `channels` bytes.
    pub photo: &'a [u8],
    /// The sharpened pixels.
    pub result: &'a mut [u8],
    /// The window of the blur. Its length is odd.
    pub weights: &'a [f32],
    /// Pixels in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Bytes of a pixel.
    pub channels: usize,
    /// The strength of the mask.
    pub amount: f32,
}

/// One channel, as `width * height` numbers. What they are before a launch does not matter.
#[device]
pub struct Plane<'a> {
    /// Its values.
    pub values: &'a mut [f32],
    /// The values, blurred along the rows.
    pub rows: &'a mut [f32],
}

/// Sharpens one plane in place: blurs along the rows, then along the columns, and combines the blur
/// with the values.
#[kernel]
pub fn sharpen_plane(plane: Plane<'_>, weights: &[f32], width: usize, height: usize, amount: f32) {
    let taps = weights.len();
    let radius = taps / 2;
    for (y, x) in par((0..height, 0..width)) {
        let mut blur = 0.0;
        for k in 0..taps {
            blur += weights[k] * plane.values[y * width + edge(x, k, radius, width)];
        }
        plane.rows[y * width + x] = blur;
    }
    for (y, x) in par((0..height, 0..width)) {
        let mut blur = 0.0;
        for k in 0..taps {
            blur += weights[k] * plane.rows[edge(y, k, radius, height) * width + x];
        }
        let i = y * width + x;
        plane.values[i] = unsharp(plane.values[i], blur, amount);
    }
}

/// Sharpens a photograph in colour: 3 (RGB) or 4 (RGBA) channels. Alpha is copied.
#[kernel]
pub fn sharpen(image: Image<'_>, red: Plane<'_>, green: Plane<'_>, blue: Plane<'_>) {
    let (width, height, channels) = (image.width, image.height, image.channels);
    for i in par(0..width * height) {
        red.values[i] = image.photo[i * channels] as f32;
        green.values[i] = image.photo[i * channels + 1] as f32;
        blue.values[i] = image.photo[i * channels + 2] as f32;
    }

    stream_parallel! {
        'red: { sharpen_plane(&mut red, &image.weights, width, height, image.amount); }
        'green: { sharpen_plane(&mut green, &image.weights, width, height, image.amount); }
        'blue: { sharpen_plane(&mut blue, &image.weights, width, height, image.amount); }
    }

    for i in par(0..width * height) {
        image.result[i * channels] = red.values[i] as u8;
        image.result[i * channels + 1] = green.values[i] as u8;
        image.result[i * channels + 2] = blue.values[i] as u8;
        if channels == 4 {
            image.result[i * channels + 3] = image.photo[i * channels + 3];
        }
    }
}

/// Sharpens a grey photograph: 1 (grey) or 2 (grey and alpha) channels. A single plane needs no
/// parallel groups.
#[kernel]
pub fn sharpen_grey(image: Image<'_>, grey: Plane<'_>) {
    let (width, height, channels) = (image.width, image.height, image.channels);
    for i in par(0..width * height) {
        grey.values[i] = image.photo[i * channels] as f32;
    }
    sharpen_plane(&mut grey, &image.weights, width, height, image.amount);
    for i in par(0..width * height) {
        image.result[i * channels] = grey.values[i] as u8;
        if channels == 2 {
            image.result[i * channels + 1] = image.photo[i * channels + 1];
        }
    }
}
