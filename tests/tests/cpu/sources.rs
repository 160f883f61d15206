//! The CUDA C++ and the plans of real kernels, for a reader's eye.

use anabranch::{Bounds, Plan};
use anabranch_tests::kernels::{arithmetic, atomics, benchmarks, groups, indirect, ported};

#[test]
fn cuda_source_reads_like_the_kernel() {
    let source = groups::step::cuda_source();
    for part in ["step_0_motion", "f32* __restrict__ pos_p", "step_3", "// for i in par(0..n)"] {
        assert!(source.contains(part), "{part} is missing in\n{source}");
    }
    assert_eq!(source, groups::step::cuda_source(), "deterministic");
}

/// One function for every launch where it would be the same, and names that tell them apart.
#[test]
fn cuda_source_has_what_launches_choose() {
    let functions = |source: String| {
        let names =
            source.lines().filter_map(|line| line.strip_prefix("extern \"C\" __global__ void __launch_bounds__("));
        names
            .map(|name| name.split_once(") ").map_or("", |name| name.1).trim_end_matches('(').to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(functions(benchmarks::saxpy::cuda_source()), ["saxpy_0", "saxpy_0_checked"]);
    let blur = ["blur_0", "blur_0_split", "blur_0_checked"];
    assert_eq!(functions(benchmarks::blur::cuda_source()), blur);
    let product = indirect::sparse_product::cuda_source();
    let (main, checked) =
        product.split_once("sparse_product_0_checked(").expect("it has accesses that launches decide");
    for part in ["rows_p[(r_32 + 1)]", "vals.at_narrow(", "x.at_narrow(", "y_p[r_32] = sum;"] {
        assert!(main.contains(part) && !checked.contains(part), "{part} in\n{product}");
    }
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
    // What no launch can decide is checked on the device, and nothing else of its loop is.
    assert_eq!(
        told(indirect::sparse_product::plan()),
        [
            ("rows[r]", false, Bounds::Launch),
            ("rows[r + 1]", false, Bounds::Launch),
            ("vals[k]", false, Bounds::Device),
            ("cols[k]", false, Bounds::Device),
            ("x[cols[k] as usize]", false, Bounds::Device),
            ("y[r]", true, Bounds::Proved),
        ]
    );
    let of_x = |plan: Plan| told(plan).into_iter().find(|(access, ..)| access.starts_with("x[")).map(|(.., who)| who);
    assert_eq!(of_x(indirect::gather::plan()), Some(Bounds::Device));
    assert_ne!(of_x(indirect::gather_what_there_is::plan()), Some(Bounds::Device));
    let product = told(ported::spmv::spmv::plan::<f32>());
    assert!(product.contains(&("x[columns[at as usize] as usize]", false, Bounds::Device)), "{product:?}");
    assert_eq!(told(atomics::histogram::plan())[1], ("hist[keys[i] as usize % hist.len()]", true, Bounds::Proved));
    let plan = format!("{:#}", atomics::groups_share::plan());
    assert!(
        plan.contains("shares hist  on the CPU without SIMD lanes") && plan.contains("lo[0]  written, decided"),
        "{plan}"
    );
    let plan = format!("{:#}", groups::step::plan());
    assert!(plan.contains("heat[i]  written, proved"), "{plan}");
}
