//! Sharpens a photograph. `--help` lists the options.

use std::env;
use std::process::ExitCode;

use kernels_example::cli::{Args, Request};
use kernels_example::report::say;

fn main() -> ExitCode {
    let result = Args::read(env::args_os()).and_then(|request| match request {
        Request::Run(args) => kernels_example::run(&args),
        Request::Print(text) => {
            say(format_args!("{}", text.trim_end()));
            Ok(())
        }
    });
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {}", error.one_line());
            ExitCode::from(error.exit_code())
        }
    }
}
