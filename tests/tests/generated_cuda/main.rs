//! The CUDA C++ of kernels through NVRTC: that it compiles without a word for each architecture,
//! and what the compiler makes of it.

/// The tokens of a kernel that this file defines, with a value of the caller's: kernels for
/// [`source_lines`].
macro_rules! kernel_of {
    ($name:ident, $value:expr) => {
        #[kernel]
        fn $name(x: &mut [f32], y: &[f32]) {
            for i in par(0..x.len()) {
                let element = crate::third(y[i]); // in the macro
                x[i] = element * $value; // store of the macro
            }
        }
    };
}

mod by_hand;
mod endless;
mod instructions;
mod machine_code;
mod source_lines;

use anabranch::prelude::*;
use anabranch::private::offline::{nvrtc_compile, nvrtc_compile_for_debuggers, nvrtc_found, nvrtc_knows};
use anabranch_tests::compiled::{in_turns, of_today};
use anabranch_tests::kernels::{self, Source};

/// The name of this file in line tables.
const FILE: &str = file!();

/// A function of another file than the kernels that call it.
#[device]
fn third(x: f32) -> f32 {
    let more = x + 1.0;
    more / 3.0 // in another file
}

/// Turing, which NVRTC 13 still knows, the data-centre generations behind it, and Blackwell, for
/// which NVRTC has another optimizer.
const ARCHITECTURES: [u32; 5] = [75, 80, 90, 100, 120];

/// The architectures to compile for; none where there is no NVRTC, which is a failure on CI.
fn architectures() -> Vec<u32> {
    match nvrtc_found() {
        Ok((path, (major, minor))) => {
            let known = nvrtc_knows(&ARCHITECTURES).unwrap();
            println!("NVRTC {major}.{minor} at {}, for {known:?}", path.display());
            assert!(known.len() >= 3, "an NVRTC that works knows Turing, Ampere and Hopper");
            known
        }
        Err(error) => {
            assert!(std::env::var_os("CI").is_none(), "CI needs NVRTC: {error}");
            println!("skipped: {error}");
            Vec::new()
        }
    }
}

#[test]
fn kernels_of_the_test_suites() {
    let all = of_today(3);
    let architectures = architectures();
    let compile = |source: &Source, at: u32| {
        let Source { name, cuda, .. } = source;
        // With every function that a launch may choose.
        let program = cuda();
        match nvrtc_compile(&program, at) {
            Ok((cubin, log)) if log.is_empty() && !cubin.is_empty() => Ok(()),
            Ok((_, log)) => Err(format!("{name}, sm_{at}: {log}")),
            Err(error) => Err(format!("{name}, sm_{at}: {error}\n{program}")),
        }
    };
    let complaints = in_turns(&all, &architectures, compile);
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    println!("{} kernels compiled for the architectures {architectures:?}", all.len());
}

/// A sample: without optimization, NVRTC goes other ways, and nothing that the optimizer would
/// remove is removed.
#[test]
fn kernels_compile_for_debuggers() {
    let mut all = kernels::all();
    // NVRTC 12.0 loses the debug information of a program with conversions of `bf16`, and says so.
    if nvrtc_found().is_ok_and(|(_, version)| version == (12, 0)) {
        all.retain(|Source { name, .. }| !name.contains("bf16"));
    }
    let mut compiled = 0;
    for (number, architecture) in architectures().into_iter().enumerate() {
        for Source { name, cuda, .. } in all.iter().skip(number).step_by(40) {
            let (cubin, log) = nvrtc_compile_for_debuggers(&cuda(), architecture).unwrap();
            assert_eq!(log, "", "{name}, sm_{architecture}");
            assert!(machine_code::section(&cubin, ".debug_info").is_some(), "{name}, sm_{architecture}");
            compiled += 1;
        }
    }
    println!("{compiled} kernels compiled for debuggers");
}

/// Threads that could meet need stacks of their own on the stand-in, and loops without blocks never
/// do.
#[test]
fn only_loops_over_blocks_have_barriers() {
    let has_blocks = |source: &Source| (source.cuda)().contains("AB_BLOCKS");
    let (blocks, others): (Vec<_>, Vec<_>) = kernels::all().into_iter().partition(has_blocks);
    assert!(blocks.iter().any(|source| (source.cuda)().contains("__syncthreads")));
    for Source { name, cuda, .. } in others {
        assert!(!cuda().contains("__sync"), "{name}");
    }
}

#[test]
fn a_wrong_source_is_told() {
    for at in architectures() {
        let error = nvrtc_compile("__global__ void k() { undeclared; }", at).unwrap_err().to_string();
        assert!(error.contains("undeclared"), "{error}");
        let (_, log) = nvrtc_compile("__global__ void k(int* p) { int unused; *p = 1; }", at).unwrap();
        assert!(log.contains("unused"), "a warning must reach the log: {log}");
    }
}
