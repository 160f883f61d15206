//! Reading a photograph: from any format to 8 bits per channel.

use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};

use image::metadata::Orientation;
use image::{ColorType, DynamicImage, ImageDecoder, ImageFormat, ImageReader, ImageResult, Limits};

use crate::error::Error;

/// NASA's portrait of Eileen Collins, embedded in the program so it works from any folder. See
/// `images/README.md`.
const ASTRONAUT: &[u8] = include_bytes!("../images/astronaut.png");

/// The maximum allocation of a decoder, in bytes. An image that claims more than 700 megapixels of
/// RGB is rejected without decoding it.
const DECODER_MEMORY: u64 = 2 << 30;

/// An image in memory: interleaved bytes, row by row, the upper left pixel first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Photo {
    /// Pixels per row.
    pub width: u32,
    /// Number of rows.
    pub height: u32,
    /// `L8`, `La8`, `Rgb8` or `Rgba8`.
    pub color: ColorType,
    /// `width * height * color.channel_count()` bytes.
    pub pixels: Vec<u8>,
    /// The metadata of the file.
    pub metadata: Metadata,
}

/// The metadata that is copied from the input to the output, if the output's format can store it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Metadata {
    /// The colour profile.
    pub icc: Option<Vec<u8>>,
    /// Camera, time, place. Its orientation has been applied to the pixels and removed.
    pub exif: Option<Vec<u8>>,
}

impl Photo {
    /// Reads the photograph at `path`, or the one that comes with the example.
    ///
    /// The content determines the format, and otherwise the extension. The orientation that the
    /// camera recorded is applied.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or is not an image. The error contains the path.
    pub fn read(path: Option<&Path>) -> Result<Self, Error> {
        let Some(path) = path else { return Self::decode(PathBuf::from("astronaut.png"), ASTRONAUT) };
        let bytes = fs::read(path).map_err(|source| Error::Read { path: path.to_owned(), source })?;
        Self::decode(path.to_owned(), &bytes)
    }

    fn decode(path: PathBuf, bytes: &[u8]) -> Result<Self, Error> {
        let (image, metadata) = match decode(&path, bytes) {
            Ok(decoded) => decoded,
            Err(source) => return Err(Error::Decode { path, source }),
        };
        let image = eight_bits(image);
        let (width, height, color) = (image.width(), image.height(), image.color());
        if width == 0 || height == 0 {
            return Err(Error::Empty { path });
        }
        Ok(Self { width, height, color, pixels: image.into_bytes(), metadata })
    }

    /// Bytes per pixel, including alpha: 1 to 4.
    pub fn channels(&self) -> usize {
        usize::from(self.color.channel_count())
    }

    /// Number of pixels.
    pub fn area(&self) -> usize {
        self.width as usize * self.height as usize
    }
}

fn decode(path: &Path, bytes: &[u8]) -> ImageResult<(DynamicImage, Metadata)> {
    let mut reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format()?;
    if reader.format().is_none() {
        // TGA has no signature.
        reader.set_format(ImageFormat::from_path(path)?);
    }
    let mut limits = Limits::default();
    limits.max_alloc = Some(DECODER_MEMORY);
    reader.limits(limits);
    let mut decoder = reader.into_decoder()?;

    // A picture with broken metadata is still readable.
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let icc = decoder.icc_profile().unwrap_or_default();
    let mut exif = decoder.exif_metadata().unwrap_or_default();
    if let Some(exif) = &mut exif {
        // The orientation is applied below. If it remained, a viewer would rotate the picture
        // again.
        let _ = Orientation::remove_from_exif_chunk(exif);
    }
    let mut image = DynamicImage::from_decoder(decoder)?;
    image.apply_orientation(orientation);
    Ok((image, Metadata { icc, exif }))
}

fn eight_bits(image: DynamicImage) -> DynamicImage {
    let color = image.color();
    match (color.has_color(), color.has_alpha()) {
        (false, false) => image.into_luma8().into(),
        (false, true) => image.into_luma_alpha8().into(),
        (true, false) => image.into_rgb8().into(),
        (true, true) => image.into_rgba8().into(),
    }
}
