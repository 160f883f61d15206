//! The CUDA C++ and the plans of real kernels, for a reader's eye.

use anabranch::{Bounds, Plan};
use anabranch_tests::kernels::{arithmetic, atomics, groups, ported};

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

/// Of every access, who sees to it that it is in bounds.
#[test]
fn plans_tell_who_checks() {
    let told = |plan: Plan| plan.accesses().map(|a| (a.access, a.writes, a.bounds)).collect::<Vec<_>>();
    assert_eq!(
        told(groups::step::plan())[2..],
        [
            ("heat[i]", true, Bounds::Proved),
            ("heat[i]", true, Bounds::Proved),
            ("heat[i % 16]", false, Bounds::Launch),
            ("vel[i]", true, Bounds::Launch),
        ]
    );
    let product = told(ported::spmv::spmv::plan());
    assert!(product.contains(&("x[columns[at as usize] as usize]", false, Bounds::Device)), "{product:?}");
    assert_eq!(told(atomics::histogram::plan())[1], ("hist[keys[i] as usize % hist.len()]", true, Bounds::Proved));
    let plan = format!("{:#}", atomics::groups_share::plan());
    assert!(plan.contains("shares hist\n") && plan.contains("lo[0]  written, decided"), "{plan}");
    let plan = format!("{:#}", groups::step::plan());
    assert!(plan.contains("heat[i]  written, proved"), "{plan}");
}
