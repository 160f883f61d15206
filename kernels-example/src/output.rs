//! Writing a photograph: in the format of the extension, either completely or not at all.

use std::fs::{self, Permissions};
use std::io::{self, Cursor, Write};
use std::path::{Path, PathBuf};

use image::codecs::{bmp, jpeg, png, pnm, qoi, tga, tiff, webp};
use image::{ColorType, ImageEncoder, ImageFormat, ImageResult};

use crate::error::Error;
use crate::photo::Photo;

/// JPEG quality, 1 to 100: a sharpened photograph should not be blurred again by the encoder.
const JPEG_QUALITY: u8 = 95;

/// The output file, checked as far as possible before the work begins.
#[derive(Debug)]
pub struct Output {
    path: PathBuf,
    format: Format,
}

impl Output {
    /// Chooses the format by the extension of `path`; PNG if there is none.
    ///
    /// # Errors
    ///
    /// The extension is not that of a supported format, or the path is not writable, as far as this
    /// can be checked in advance.
    pub fn new(path: &Path) -> Result<Self, Error> {
        let format = match path.extension() {
            None => Format::Png,
            Some(extension) => Format::from_extension(&extension.to_string_lossy()).ok_or_else(|| {
                Error::Extension { path: path.to_owned(), extension: extension.to_string_lossy().into_owned() }
            })?,
        };
        let output = Self { path: path.to_owned(), format };
        output.place().map_err(|source| output.failed(source))?;
        Ok(output)
    }

    /// Checks that the format can store every channel of a photograph of this colour type.
    ///
    /// # Errors
    /// [`Error::Color`] if it cannot store them. No channel is dropped silently.
    pub fn check(&self, color: ColorType) -> Result<(), Error> {
        if self.format.stores(color) {
            return Ok(());
        }
        Err(Error::Color { path: self.path.clone(), format: self.format.name(), color })
    }

    /// Writes the photograph. An existing file is replaced atomically and keeps its permissions.
    ///
    /// # Errors
    ///
    /// The photograph cannot be encoded, or the file cannot be written. Then an existing file is
    /// unchanged.
    pub fn write(&self, photo: &Photo) -> Result<(), Error> {
        let encoded = self.format.encode(photo).map_err(|source| Error::Encode { path: self.path.clone(), source })?;
        self.place().and_then(|place| place.fill(&encoded)).map_err(|source| self.failed(source))
    }

    /// The place where the bytes will be written.
    fn place(&self) -> io::Result<Place> {
        let path = match fs::canonicalize(&self.path) {
            // Follow links: replace the file that they point to, not the link.
            Ok(path) => path,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let folder = folder_of(&self.path);
                return if folder.is_dir() {
                    Ok(Place::File { path: self.path.clone(), permissions: None })
                } else {
                    Err(io::Error::new(error.kind(), format!("there is no folder {}", folder.display())))
                };
            }
            Err(error) => return Err(error),
        };
        let metadata = fs::metadata(&path)?;
        if metadata.is_dir() {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
        }
        if metadata.permissions().readonly() {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is read-only"));
        }
        if metadata.is_file() {
            Ok(Place::File { path, permissions: Some(metadata.permissions()) })
        } else {
            Ok(Place::Special { path })
        }
    }

    fn failed(&self, source: io::Error) -> Error {
        Error::Write { path: self.path.clone(), source }
    }
}

/// What is at the output's path.
enum Place {
    /// A file, or nothing yet.
    File { path: PathBuf, permissions: Option<Permissions> },
    /// A pipe or a device such as `/dev/null`: it must be written to, not replaced.
    Special { path: PathBuf },
}

impl Place {
    fn fill(&self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Special { path } => fs::OpenOptions::new().write(true).open(path)?.write_all(bytes),
            Self::File { path, permissions } => {
                let mut file = temporary_file(folder_of(path))?;
                file.write_all(bytes)?;
                if let Some(permissions) = permissions {
                    file.as_file().set_permissions(permissions.clone())?;
                }
                // If an error drops it before this, it removes itself.
                file.persist(path).map_err(|error| error.error)?;
                Ok(())
            }
        }
    }
}

/// A file with the permissions of a new file. It is in `folder`, so it can be renamed to its final
/// name.
fn temporary_file(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".sharpened-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(Permissions::from_mode(0o666)); // less the umask
    }
    builder.tempfile_in(folder)
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// A format that can be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Png,
    Jpeg,
    WebP,
    Tiff,
    Bmp,
    Tga,
    Qoi,
    Pnm,
}

impl Format {
    fn from_extension(extension: &str) -> Option<Self> {
        Some(match ImageFormat::from_extension(extension)? {
            ImageFormat::Png => Self::Png,
            ImageFormat::Jpeg => Self::Jpeg,
            ImageFormat::WebP => Self::WebP,
            ImageFormat::Tiff => Self::Tiff,
            ImageFormat::Bmp => Self::Bmp,
            ImageFormat::Tga => Self::Tga,
            ImageFormat::Qoi => Self::Qoi,
            ImageFormat::Pnm => Self::Pnm,
            _ => return None, // formats for floats, icons and animations
        })
    }

    fn name(self) -> &'static str {
        match self {
            Self::Png => "PNG",
            Self::Jpeg => "JPEG",
            Self::WebP => "WebP",
            Self::Tiff => "this TIFF encoder",
            Self::Bmp => "BMP",
            Self::Tga => "TGA",
            Self::Qoi => "QOI",
            Self::Pnm => "PNM",
        }
    }

    /// Whether the format keeps grey images grey, and keeps alpha.
    fn stores(self, color: ColorType) -> bool {
        match self {
            Self::Png | Self::WebP | Self::Tga | Self::Pnm => true,
            Self::Jpeg => !color.has_alpha(),
            Self::Tiff | Self::Bmp => color.has_color() || !color.has_alpha(),
            Self::Qoi => color.has_color(),
        }
    }

    /// Encodes the whole file in memory, so a failing encoder leaves no file.
    fn encode(self, photo: &Photo) -> ImageResult<Vec<u8>> {
        let mut file = Cursor::new(Vec::new());
        match self {
            Self::Png => write(png::PngEncoder::new(&mut file), photo),
            Self::Jpeg => write(jpeg::JpegEncoder::new_with_quality(&mut file, JPEG_QUALITY), photo),
            Self::WebP => write(webp::WebPEncoder::new_lossless(&mut file), photo),
            Self::Tiff => write(tiff::TiffEncoder::new(&mut file), photo),
            Self::Bmp => write(bmp::BmpEncoder::new(&mut file), photo),
            Self::Tga => write(tga::TgaEncoder::new(&mut file), photo),
            Self::Qoi => write(qoi::QoiEncoder::new(&mut file), photo),
            Self::Pnm => write(pnm::PnmEncoder::new(&mut file), photo),
        }?;
        Ok(file.into_inner())
    }
}

fn write(mut encoder: impl ImageEncoder, photo: &Photo) -> ImageResult<()> {
    // Formats that cannot store metadata return an error. The picture is still useful without it.
    if let Some(icc) = &photo.metadata.icc {
        let _ = encoder.set_icc_profile(icc.clone());
    }
    if let Some(exif) = &photo.metadata.exif {
        let _ = encoder.set_exif_metadata(exif.clone());
    }
    encoder.write_image(&photo.pixels, photo.width, photo.height, photo.color.into())
}
