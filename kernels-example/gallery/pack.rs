//! Makes picture files small: scales them to the width of a page and reduces them to a palette.

use std::collections::HashMap;
use std::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use color_quant::NeuQuant;
use image::imageops::{FilterType, resize};

/// The number of colours in the palette, if a picture has more than a palette can hold.
const COLOURS: usize = 160;

/// Replaces a picture with a PNG with a palette, at most `width` pixels wide.
pub(crate) fn pack(file: &Path, width: u32) -> Result<(), Box<dyn Error>> {
    let mut picture = image::open(file)?.into_rgba8();
    if picture.width() > width {
        let height = (picture.height() * width / picture.width()).max(1);
        picture = resize(&picture, width, height, FilterType::Lanczos3);
    }
    let (palette, indexes) = exact(picture.as_raw()).unwrap_or_else(|| nearest(picture.as_raw()));
    let mut encoder = png::Encoder::new(BufWriter::new(File::create(file)?), picture.width(), picture.height());
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_palette(palette);
    encoder.set_compression(png::Compression::High);
    // Neighbouring entries of a palette are unrelated.
    encoder.set_filter(png::Filter::NoFilter);
    encoder.write_header()?.write_image_data(&indexes)?;
    Ok(())
}

/// All colours, if there are at most 256.
fn exact(pixels: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    let (mut palette, mut known, mut indexes) = (Vec::new(), HashMap::new(), Vec::new());
    for pixel in pixels.chunks_exact(4) {
        let next = known.len();
        let index = *known.entry(pixel).or_insert(next);
        if index == next {
            palette.extend_from_slice(&pixel[..3]);
        }
        indexes.push(u8::try_from(index).ok()?);
    }
    Some((palette, indexes))
}

fn nearest(pixels: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let colours = NeuQuant::new(1, COLOURS, pixels);
    let indexes = pixels.chunks_exact(4).map(|pixel| colours.index_of(pixel) as u8).collect();
    (colours.color_map_rgb(), indexes)
}
