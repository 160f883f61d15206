//! Prints the CUDA C++ of a kernel of the test suites, to read or to measure:
//! `cargo run -p anabranch-tests --example cuda_source -- saxpy`. Without a name it lists the kernels.

use std::process::ExitCode;

fn main() -> ExitCode {
    let kernels = anabranch_tests::kernels::all();
    let Some(wanted) = std::env::args().nth(1) else {
        kernels.iter().for_each(|(name, ..)| println!("{name}"));
        return ExitCode::SUCCESS;
    };
    match kernels.iter().find(|(name, ..)| *name == wanted) {
        Some((_, source, _)) => {
            print!("{}", source());
            ExitCode::SUCCESS
        }
        None => {
            eprintln!("there is no kernel `{wanted}`; without a name this lists them all");
            ExitCode::FAILURE
        }
    }
}
