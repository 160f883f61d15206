//! The HIP C++ of kernels through compilers for AMD GPUs: that it compiles, and what they make of
//! it.

mod compilers;
mod instructions;

use anabranch_tests::compiled::{in_turns, of_today};
use anabranch_tests::kernels::Source;
use compilers::{Compilers, TARGETS, Target};

/// HIPRTC 5.2 cannot divide numbers of 128 bits. Later ones can.
const DIVIDES_128_BITS: [&str; 2] = ["methods_i128", "methods_u128"];

#[test]
fn kernels_of_the_test_suites() {
    let Some(compilers) = Compilers::find() else { return };
    let all = of_today(4);
    let compile = |source: &Source, target: Target| {
        let Source { name, hip, .. } = source;
        if matches!(target, Target::Hiprtc(_)) && DIVIDES_128_BITS.contains(name) {
            return Ok(());
        }
        // With every function that a launch may choose.
        let program = hip();
        compilers.compile(&program, target).map_err(|error| format!("{name}, {target:?}: {error}\n{program}"))
    };
    let complaints = in_turns(&all, &TARGETS, compile);
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    println!("{} kernels compiled for {TARGETS:?}", all.len());
}

#[test]
fn a_wrong_source_is_told() {
    let Some(compilers) = Compilers::find() else { return };
    for target in TARGETS {
        let error = compilers.compile("__global__ void k() { undeclared; }", target).unwrap_err();
        assert!(error.contains("undeclared"), "{error}");
    }
}

/// HIPRTC would end the process.
#[test]
fn a_processor_that_hiprtc_does_not_know_is_refused() {
    let Some(compilers) = Compilers::find() else { return };
    let error = compilers.compile("", Target::Hiprtc("gfx942:sramecc+:xnack-")).unwrap_err();
    assert!(
        error.contains("cannot compile for this GPU, gfx942:sramecc+:xnack-: it does not know this GPU"),
        "{error}"
    );
}
