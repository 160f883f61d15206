//! Prints the CUDA C++ of a kernel of the test suites, to read or to measure:
//! `cargo run -p anabranch-tests --example cuda_source -- saxpy`, or `saxpy hip` for its HIP C++.
//! Without a name it lists the kernels.

use std::process::ExitCode;

fn main() -> ExitCode {
    let kernels = anabranch_tests::kernels::all();
    let mut words = std::env::args().skip(1);
    let Some(wanted) = words.next() else {
        kernels.iter().for_each(|source| println!("{}", source.name));
        return ExitCode::SUCCESS;
    };
    match kernels.iter().find(|source| source.name == wanted) {
        Some(source) => {
            print!("{}", if words.next().as_deref() == Some("hip") { (source.hip)() } else { (source.cuda)() });
            ExitCode::SUCCESS
        }
        None => {
            eprintln!("there is no kernel `{wanted}`; without a name this lists them all");
            ExitCode::FAILURE
        }
    }
}
