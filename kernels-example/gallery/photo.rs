//! The photograph of the main example: a part of it, before and after.

use std::path::Path;

use anabranch::Device;
use kernels_example::filter::Filter;
use kernels_example::photo::Photo;
use kernels_example::picture::{Picture, Rgb};
use kernels_example::show::Outcome;

/// The corner of the part, and the length of its sides.
const CORNER: [usize; 2] = [120, 20];
const SIDE: usize = 220;

pub(crate) fn run(device: &Device, file: Option<&Path>) -> Outcome {
    let photo = Photo::read(None)?;
    let (width, channels) = (photo.width as usize, photo.channels());
    let mut filter = Filter::new(device, &photo, 2.0, 1.0)?;
    filter.run()?;
    let sharp = filter.download()?;

    // Sharpening preserves the mean and increases the differences between neighbours.
    let mean = |pixels: &[u8]| pixels.iter().map(|x| f64::from(*x)).sum::<f64>() / pixels.len() as f64;
    let contrast =
        |pixels: &[u8]| pixels.iter().zip(&pixels[channels..]).map(|(a, b)| f64::from(a.abs_diff(*b))).sum::<f64>();
    let (shift, gain) = (mean(&sharp) - mean(&photo.pixels), contrast(&sharp) / contrast(&photo.pixels));
    println!("a photograph on {device}: neighbours differ {gain:.2} times as much; the mean changed by {shift:.2}");
    if let Some(file) = file {
        let pixel = |pixels: &[u8], x: usize, y: usize| -> Rgb {
            let i = channels * ((CORNER[1] + y) * width + CORNER[0] + x);
            [pixels[i], pixels[i + 1], pixels[i + 2]]
        };
        let picture = Picture::of(2 * SIDE + 4, SIDE, |x, y| match x {
            _ if x < SIDE => pixel(&photo.pixels, x, y),
            _ if x < SIDE + 4 => [255; 3],
            _ => pixel(&sharp, x - SIDE - 4, y),
        });
        picture.save(file)?;
    }
    Ok(shift.abs() < 3.0 && gain > 1.2)
}
