//! The command line.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use clap::Parser;

use crate::error::Error;

/// Sharpens a photograph with an unsharp mask, with the colour channels in parallel. For each
/// colour channel: out = clamp(in + AMOUNT * (in - blur), 0, 255), rounded to the nearest level.
/// The blur is a Gaussian of SIGMA pixels, cut off at 3 SIGMA, with the edge pixels repeated. Alpha
/// is copied, and grey stays grey.
#[derive(Debug, Clone, PartialEq, Parser)]
#[command(name = "kernels-example", version)]
pub struct Args {
    /// The photograph: PNG, JPEG, WebP, TIFF, GIF (first frame), BMP, TGA, QOI, PNM, ICO, HDR,
    /// OpenEXR or farbfeld, at least 1 × 1 pixels. 16-bit and float images are converted to 8 bits
    /// per channel. Default: the photograph that comes with the example
    #[arg(value_name = "INPUT")]
    pub input: Option<PathBuf>,

    /// The output file. Its extension chooses the format (png, jpg, webp, tif, bmp, tga, qoi, pnm);
    /// without one it is PNG. An existing file is replaced once the new one is complete
    #[arg(short, long, value_name = "OUTPUT", default_value = "sharpened.png")]
    pub output: PathBuf,

    /// Standard deviation of the blur in pixels, greater than 0 and at most 100. It sets the size
    /// of the details that are sharpened
    #[arg(short, long, value_name = "S", default_value_t = 2.0, allow_hyphen_values = true, value_parser = sigma)]
    pub sigma: f64,

    /// Strength: 0 changes nothing, 1 doubles the details that the blur removes, negative values
    /// soften
    #[arg(short, long, value_name = "A", default_value_t = 1.0, allow_hyphen_values = true, value_parser = amount)]
    pub amount: f32,

    /// The device: auto, cpu, cuda, cuda:N (GPU number N, from 0), hip or hip:N (AMD). auto uses
    /// ANABRANCH_DEVICE if it is set, or else the first GPU, or else the CPU
    #[arg(short, long, value_name = "D", default_value_t = DeviceChoice::Auto)]
    pub device: DeviceChoice,

    /// How often to run the kernel. With more than one run, the minimum and the median time are
    /// printed
    #[arg(short, long, value_name = "N", default_value_t = 1, allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..))]
    pub repeat: u32,

    /// Writes a trace of the kernel's last run: a picture if the name ends in .svg, or a file for
    /// ui.perfetto.dev if it ends in .json
    #[arg(short, long, value_name = "FILE", value_parser = trace)]
    pub trace: Option<PathBuf>,
}

/// The request of a command line.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// Sharpen a photograph.
    Run(Args),
    /// Print this text (help, version) and exit.
    Print(String),
}

impl Args {
    /// Reads a command line, program name first.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] with clap's message, cut to one line.
    pub fn read(line: impl IntoIterator<Item = OsString>) -> Result<Request, Error> {
        let error = match Self::try_parse_from(line) {
            Ok(args) => return Ok(Request::Run(args)),
            Err(error) => error,
        };
        let text = error.render().to_string();
        if !error.use_stderr() {
            return Ok(Request::Print(text));
        }
        // clap writes a paragraph for the cause, then tips and usage. Scripts and logs need a
        // single line.
        let cause = text.split("\n\n").next().unwrap_or(&text);
        let cause = cause.strip_prefix("error: ").unwrap_or(cause);
        Err(Error::Usage { message: cause.split_whitespace().collect::<Vec<_>>().join(" ") })
    }
}

/// The device to run on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceChoice {
    /// The device that [`anabranch::Device::auto`] selects.
    Auto,
    /// The CPU.
    Cpu,
    /// A GPU of NVIDIA by its ordinal.
    Cuda(usize),
    /// A GPU of AMD by its ordinal.
    Hip(usize),
}

impl FromStr for DeviceChoice {
    type Err = UnknownDevice;

    fn from_str(text: &str) -> Result<Self, UnknownDevice> {
        let (name, ordinal) = match text.split_once(':') {
            Some((name, ordinal)) => (name, Some(ordinal.parse().map_err(|_| UnknownDevice)?)),
            None => (text, None),
        };
        match (name, ordinal) {
            ("auto", None) => Ok(Self::Auto),
            ("cpu", None) => Ok(Self::Cpu),
            ("cuda", ordinal) => Ok(Self::Cuda(ordinal.unwrap_or(0))),
            ("hip", ordinal) => Ok(Self::Hip(ordinal.unwrap_or(0))),
            _ => Err(UnknownDevice),
        }
    }
}

impl fmt::Display for DeviceChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Cpu => f.write_str("cpu"),
            Self::Cuda(ordinal) => write!(f, "cuda:{ordinal}"),
            Self::Hip(ordinal) => write!(f, "hip:{ordinal}"),
        }
    }
}

/// The error for text that is not a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("devices are auto, cpu, cuda, cuda:N, hip and hip:N")]
pub struct UnknownDevice;

/// The error for a number out of range, or for text that is not a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be {0}")]
struct Expected(&'static str);

fn sigma(text: &str) -> Result<f64, Expected> {
    let valid = |sigma: &f64| *sigma > 0.0 && *sigma <= 100.0;
    text.parse().ok().filter(valid).ok_or(Expected("a number of pixels greater than 0 and at most 100"))
}

fn trace(text: &str) -> Result<PathBuf, Expected> {
    let path = PathBuf::from(text);
    let known = path.extension().is_some_and(|extension| extension == "svg" || extension == "json");
    if known { Ok(path) } else { Err(Expected("a name that ends in .svg or .json")) }
}

fn amount(text: &str) -> Result<f32, Expected> {
    text.parse().ok().filter(|amount: &f32| amount.is_finite()).ok_or(Expected("a finite number"))
}
