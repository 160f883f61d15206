//! The CUDA C++ and the plans of real kernels, for a reader's eye.

use anabranch_tests::kernels::{arithmetic, groups};

#[test]
fn cuda_source_reads_like_the_kernel() {
    let source = groups::step::cuda_source();
    for part in ["step_0_motion", "f32* __restrict__ pos_p", "step_3", "// for i in par(0..n)"] {
        assert!(source.contains(part), "{part} is missing in\n{source}");
    }
    assert_eq!(source, groups::step::cuda_source(), "deterministic");
}

#[test]
fn types_are_those_that_rustc_inferred() {
    let source = arithmetic::inferred::cuda_source();
    for part in ["f64 sum = 0.0;", "u8 count = "] {
        assert!(source.contains(part), "{part} is missing in\n{source}");
    }
}

#[test]
fn plans_are_readable() {
    let plan = groups::nested::plan().to_string();
    for part in ["nested", "'lo", "'hi", "'first", "'second", "for i in par(0..lo0.len())"] {
        assert!(plan.contains(part), "{part} is missing in\n{plan}");
    }
    let plan = groups::ping_pong::plan().to_string();
    assert!(plan.contains("for round in 0..rounds"), "{plan}");
}
