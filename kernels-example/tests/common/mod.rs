//! Shared by the tests of the program: running it, and images to run it on.

#![allow(dead_code)] // every test file uses a part

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Output};

use image::{DynamicImage, GrayAlphaImage, GrayImage, RgbImage, RgbaImage};

/// Runs the program in `folder` on the CPU, unless the arguments name another device.
pub(crate) fn run<S: AsRef<OsStr>>(folder: &Path, arguments: &[S]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kernels-example"))
        .current_dir(folder)
        .env("ANABRANCH_DEVICE", "cpu")
        .args(arguments)
        .output()
        .expect("the program starts")
}

/// Runs it and expects success; returns what it printed.
pub(crate) fn succeed<S: AsRef<OsStr>>(folder: &Path, arguments: &[S]) -> String {
    let output = run(folder, arguments);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "exit {:?}, stderr: {stderr}", output.status.code());
    assert_eq!(stderr, "", "success has nothing to complain about");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The photograph that comes with the example.
pub(crate) fn astronaut() -> DynamicImage {
    image::open(Path::new(env!("CARGO_MANIFEST_DIR")).join("images/astronaut.png")).expect("the photograph")
}

/// An image of 1 (grey), 2 (grey, alpha), 3 (RGB) or 4 (RGBA) channels: noise with hard edges, the
/// same in every run.
pub(crate) fn noise(width: u32, height: u32, channels: u32) -> DynamicImage {
    let mut state = u64::from(width * 31 + height * 7 + channels);
    let bytes = (0..width * height * channels)
        .map(|i| {
            // Numerical Recipes' linear congruential generator; its high bits are random enough for
            // a picture.
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223) % (1 << 32);
            let edge = if i / channels % width > width / 2 { 128 } else { 0 };
            (state >> 25) as u8 + edge
        })
        .collect();
    let image = match channels {
        1 => GrayImage::from_raw(width, height, bytes).map(DynamicImage::from),
        2 => GrayAlphaImage::from_raw(width, height, bytes).map(DynamicImage::from),
        3 => RgbImage::from_raw(width, height, bytes).map(DynamicImage::from),
        _ => RgbaImage::from_raw(width, height, bytes).map(DynamicImage::from),
    };
    image.expect("the right number of bytes")
}
