//! What the examples that draw have in common: the command line, and the exit status.

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

use anabranch::Device;

/// Whether the result is right, or why there is none.
pub type Outcome = Result<bool, Box<dyn Error>>;

/// Runs an example on the device that [`Device::auto`] selects. The first argument of the command line is the file that it draws, if there is one.
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

/// Whether the file is to hold numbers for other programs, and no picture.
pub fn is_text(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "txt")
}

/// Rows of numbers as text.
pub fn text<T: std::fmt::Display>(numbers: impl IntoIterator<Item = T>, width: usize) -> String {
    let mut text = String::new();
    for (i, number) in numbers.into_iter().enumerate() {
        text += &number.to_string();
        text.push(if (i + 1).is_multiple_of(width) { '\n' } else { ' ' });
    }
    text
}
