//! Shared by the examples that draw: the command line, and the exit status.

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

use anabranch::Device;

/// Whether the result is right, or the error.
pub type Outcome = Result<bool, Box<dyn Error>>;

/// Runs an example on the device that [`Device::auto`] selects. If there is an argument, the
/// example draws to this file.
pub fn main(run: impl FnOnce(&Device, Option<&Path>) -> Outcome) -> ExitCode {
    let file = std::env::args_os().nth(1);
    let outcome = Device::auto().map_err(Box::from).and_then(|device| run(&device, file.as_deref().map(Path::new)));
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            eprintln!("error: the result is wrong");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Whether to write numbers for other programs instead of a picture.
pub fn is_text(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "txt")
}

/// Formats rows of numbers as text.
pub fn text<T: std::fmt::Display>(numbers: impl IntoIterator<Item = T>, width: usize) -> String {
    let mut text = String::new();
    for (i, number) in numbers.into_iter().enumerate() {
        text += &number.to_string();
        text.push(if (i + 1).is_multiple_of(width) { '\n' } else { ' ' });
    }
    text
}
