//! The errors of the example. Each is one line that says what is wrong, where, why, and what to do.

use std::io;
use std::path::PathBuf;

use image::{ColorType, ImageError};

/// The error of the example.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The command line could not be understood.
    #[error("{message}")]
    Usage {
        /// What is wrong with it, in one line.
        message: String,
    },
    /// The input file could not be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The input is not an image, or it is damaged.
    #[error("cannot decode {}", path.display())]
    Decode {
        /// The file.
        path: PathBuf,
        /// Why.
        source: ImageError,
    },
    /// The input has no pixels.
    #[error("cannot sharpen {}: it has no pixels", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// The output's extension is not that of a supported format.
    #[error("cannot write {}: no known format has the extension .{extension}", path.display())]
    Extension {
        /// The file.
        path: PathBuf,
        /// Its extension.
        extension: String,
    },
    /// The output's format cannot store the photograph's channels.
    #[error("cannot write {}: {format} cannot store {}", path.display(), describe(*color))]
    Color {
        /// The file.
        path: PathBuf,
        /// The format's name.
        format: &'static str,
        /// What it cannot store.
        color: ColorType,
    },
    /// The photograph could not be encoded.
    #[error("cannot encode {}", path.display())]
    Encode {
        /// The file.
        path: PathBuf,
        /// Why.
        source: ImageError,
    },
    /// The output file could not be written.
    #[error("cannot write {}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The device does not exist or does not work.
    #[error("cannot use device {wanted}")]
    Device {
        /// The requested device.
        wanted: String,
        /// Why.
        source: Box<anabranch::Error>,
    },
    /// The photograph was written, but its trace could not be.
    #[error("the photograph was written, but its trace was not")]
    Trace {
        /// Why.
        source: Box<anabranch::Error>,
    },
    /// Memory, a compilation or a launch failed on the device.
    #[error("cannot {action} on {device}")]
    Launch {
        /// What was being done.
        action: &'static str,
        /// Where.
        device: String,
        /// Why.
        source: Box<anabranch::Error>,
    },
}

impl Error {
    /// The error, its causes, and what to do about it, in one line without a final period.
    pub fn one_line(&self) -> String {
        let mut line = self.to_string();
        let mut cause = std::error::Error::source(self);
        while let Some(error) = cause {
            let text = error.to_string();
            // Many errors repeat their cause in their own text.
            if !line.contains(&text) {
                line.push_str(": ");
                line.push_str(&text);
            }
            cause = error.source();
        }
        if let Some(hint) = self.hint() {
            line.push_str("; ");
            line.push_str(hint);
        }
        // Paths and foreign messages may contain line breaks.
        line.split(|c: char| c.is_control())
            .map(str::trim)
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// By convention, 2 for an invalid command line; 1 for all other errors.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Usage { .. } => 2,
            _ => 1,
        }
    }

    /// What the user can do about it.
    fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::Usage { .. } => "--help lists the options",
            Self::Read { .. } => "name a readable image, or none for the photograph that comes with the example",
            Self::Decode { .. } => "convert it to a common format such as PNG or JPEG",
            Self::Empty { .. } => "name an image of at least 1 × 1 pixels",
            Self::Extension { .. } => "choose one of png, jpg, webp, tif, bmp, tga, qoi, pnm",
            Self::Color { .. } => "choose a name that ends in .png",
            Self::Encode { .. } => "choose a name that ends in .png",
            Self::Write { .. } => "choose another place with -o",
            Self::Device { .. } => "--device cpu works everywhere",
            Self::Trace { .. } => "choose another place with --trace",
            // The library's own errors say what to do, if anything can be done.
            Self::Launch { .. } => return None,
        })
    }
}

/// The description of a colour type.
pub fn describe(color: ColorType) -> &'static str {
    match (color.has_color(), color.has_alpha()) {
        (false, false) => "grey",
        (false, true) => "grey with alpha",
        (true, false) => "RGB",
        (true, true) => "RGB with alpha",
    }
}
