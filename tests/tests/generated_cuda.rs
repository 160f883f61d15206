//! Every kernel of the repository through NVRTC: it compiles without a word for each architecture.

use std::collections::BTreeSet;

use anabranch::private::{Variant, as_variant, nvrtc_compile, nvrtc_found};
use anabranch_tests::kernels;

/// Turing, which NVRTC 13 still knows, and the data-centre generations behind it.
const ARCHITECTURES: [u32; 3] = [75, 80, 90];

/// The programs that a kernel becomes.
const VARIANTS: [Variant; 3] = [Variant::Decided, Variant::Split, Variant::Checked];

/// Whether there is an NVRTC. On CI a missing one is a failure.
fn nvrtc() -> bool {
    match nvrtc_found() {
        Ok((path, (major, minor))) => {
            println!("NVRTC {major}.{minor} at {}", path.display());
            true
        }
        Err(error) => {
            assert!(std::env::var_os("CI").is_none(), "CI needs NVRTC: {error}");
            println!("skipped: {error}");
            false
        }
    }
}

/// Compiles everything, and collects what the compiler had to say.
fn compile(sources: &[kernels::Source]) -> Vec<String> {
    let mut complaints = Vec::new();
    for (name, source, _) in sources {
        // Where no range begins at a literal, two of them are the same.
        let programs: BTreeSet<String> = VARIANTS.into_iter().map(|variant| as_variant(variant, *source)).collect();
        for (program, architecture) in programs.iter().flat_map(|program| ARCHITECTURES.map(|at| (program, at))) {
            match nvrtc_compile(program, architecture) {
                Ok((cubin, log)) if log.is_empty() && !cubin.is_empty() => {}
                Ok((_, log)) => complaints.push(format!("{name}, sm_{architecture}: {log}")),
                Err(error) => complaints.push(format!("{name}, sm_{architecture}: {error}\n{program}")),
            }
        }
    }
    complaints
}

#[test]
fn kernels_of_the_test_suites() {
    let all = kernels::all();
    assert!(all.len() > 40, "the list of kernels is not complete: {}", all.len());
    if nvrtc() {
        let complaints = compile(&all);
        assert!(complaints.is_empty(), "{}", complaints.join("\n"));
        println!("{} kernels compiled for {} architectures", all.len(), ARCHITECTURES.len());
    }
}

#[test]
fn a_wrong_source_is_told() {
    if nvrtc() {
        let error = nvrtc_compile("__global__ void k() { undeclared; }", 80).unwrap_err().to_string();
        assert!(error.contains("undeclared"), "{error}");
        let (_, log) = nvrtc_compile("__global__ void k(int* p) { int unused; *p = 1; }", 80).unwrap();
        assert!(log.contains("unused"), "a warning must reach the log: {log}");
    }
}
