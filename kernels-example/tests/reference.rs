//! Compares the whole program with an independent implementation in `f64`, image by image.

mod common;

use std::fs;

use common::{astronaut, noise, succeed};
use image::{DynamicImage, imageops};

/// The unsharp mask as the program's help defines it, in plain `f64` loops; alpha is copied.
fn reference(image: &DynamicImage, sigma: f64, amount: f64) -> Vec<u8> {
    let (width, height) = (image.width() as isize, image.height() as isize);
    let channels = usize::from(image.color().channel_count());
    let colors = if image.color().has_alpha() { channels - 1 } else { channels };
    let bytes = image.as_bytes();
    let at = |x: isize, y: isize, c: usize| {
        let (x, y) = (x.clamp(0, width - 1), y.clamp(0, height - 1));
        ((y * width + x) as usize) * channels + c
    };
    let radius = (3.0 * sigma).ceil() as isize;
    let weight = |k: isize| (-((k * k) as f64) / (2.0 * sigma * sigma)).exp();
    let sum: f64 = (-radius..=radius).map(weight).sum();
    let blur = |values: &[f64], (dx, dy): (isize, isize)| {
        let mut blurred = vec![0.0; values.len()];
        for y in 0..height {
            for x in 0..width {
                for c in 0..colors {
                    let window = (-radius..=radius).map(|k| weight(k) / sum * values[at(x + k * dx, y + k * dy, c)]);
                    blurred[at(x, y, c)] = window.sum();
                }
            }
        }
        blurred
    };
    let values: Vec<f64> = bytes.iter().map(|&byte| f64::from(byte)).collect();
    let blurred = blur(&blur(&values, (1, 0)), (0, 1));
    let sharpen = |i: usize| (values[i] + amount * (values[i] - blurred[i])).clamp(0.0, 255.0).round() as u8;
    (0..bytes.len()).map(|i| if i % channels < colors { sharpen(i) } else { bytes[i] }).collect()
}

/// The results differ by at most one level at any pixel, and are equal for 99.9 %: `f32` and `f64`
/// may round a value near a half differently.
#[track_caller]
fn check(name: &str, image: &DynamicImage, sigma: f64, amount: f32) {
    let folder = tempfile::tempdir().unwrap();
    image.save(folder.path().join("in.png")).unwrap();
    let (sigma_text, amount_text) = (sigma.to_string(), amount.to_string());
    succeed(folder.path(), &["in.png", "-o", "out.png", "--sigma", &sigma_text, "--amount", &amount_text]);
    let result = image::open(folder.path().join("out.png")).unwrap();

    assert_eq!(
        (result.width(), result.height(), result.color()),
        (image.width(), image.height(), image.color()),
        "{name}"
    );
    let expected = reference(image, sigma, f64::from(amount));
    let differences: Vec<u8> = result.as_bytes().iter().zip(&expected).map(|(a, b)| a.abs_diff(*b)).collect();
    let unequal = differences.iter().filter(|&&d| d > 0).count();
    assert!(differences.iter().all(|&d| d <= 1), "{name}: off by {} levels", differences.iter().max().unwrap());
    assert!(unequal * 1000 <= differences.len(), "{name}: {unequal} of {} values differ", differences.len());
}

#[test]
fn every_size_and_colour_type() {
    for (width, height) in [(1, 1), (1, 7), (7, 1), (2, 2), (3, 5), (17, 33), (64, 48)] {
        for channels in 1..=4 {
            check(&format!("{width} × {height} × {channels}"), &noise(width, height, channels), 1.5, 0.8);
        }
    }
}

#[test]
fn every_strength_and_width() {
    let image = noise(40, 23, 3);
    for (sigma, amount) in [(0.01, 1.0), (0.3, 2.0), (1.0, 0.0), (2.0, -1.0), (7.7, 5.0), (100.0, 1.0), (2.0, 3e38)] {
        check(&format!("σ {sigma}, amount {amount}"), &image, sigma, amount);
    }
}

#[test]
fn the_photograph_in_colour() {
    check("the photograph", &astronaut(), 2.0, 1.0);
}

#[test]
fn the_photograph_in_grey() {
    check("the photograph in grey", &DynamicImage::from(astronaut().to_luma8()), 1.0, 1.5);
}

#[test]
fn the_photograph_with_alpha_and_odd_sides() {
    let mut image = imageops::crop_imm(&astronaut().to_rgba8(), 100, 50, 201, 167).to_image();
    for (x, y, pixel) in image.enumerate_pixels_mut() {
        pixel.0[3] = (x * 3 + y) as u8;
    }
    check("a part with alpha", &DynamicImage::from(image), 3.0, 1.0);
}

#[test]
fn no_argument_means_the_photograph() {
    let folder = tempfile::tempdir().unwrap();
    let text = succeed::<&str>(folder.path(), &[]);
    let result = image::open(folder.path().join("sharpened.png")).unwrap();
    assert_eq!(result.as_bytes(), {
        let explicit = succeed(folder.path(), &["--sigma", "2", "--amount", "1", "--device", "cpu", "-o", "again.png"]);
        assert!(explicit.contains("512 × 512"), "{explicit}");
        image::open(folder.path().join("again.png")).unwrap().into_bytes()
    });
    assert_ne!(result.as_bytes(), astronaut().as_bytes(), "it has been sharpened");
    for word in [
        "512 × 512",
        "device",
        "plan",
        "'red",
        "'green",
        "'blue",
        "streams",
        "read",
        "upload",
        "compile",
        "download",
        "write",
    ] {
        assert!(text.contains(word), "{word} is not in {text}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing but the two pictures");
}
