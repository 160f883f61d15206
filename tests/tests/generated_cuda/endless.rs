//! Loops that may run forever, and the checks behind them, in what NVRTC makes of them.
//!
//! C++ takes a loop without side effects to end, Rust does not. A compiler may delete
//! `while j >= x.len() {}` in C++, and the check of `x[j]` behind it, since `j` is below the length
//! once the loop has ended: an access out of bounds in safe code. NVRTC 13 did both for
//! `compute_100` and later.

use anabranch::private::offline::nvrtc_ptx;
use anabranch_tests::kernels::Source;
use anabranch_tests::kernels::endless::SOURCES;

use super::architectures;

/// Whether some jump leads back to a label before it.
fn loops(ptx: &str) -> bool {
    let mut labels = Vec::new();
    ptx.lines().map(str::trim).any(|line| {
        labels.extend(line.strip_suffix(':'));
        let target = line.strip_suffix(';').and_then(|line| line.split_whitespace().last());
        line.contains("bra") && target.is_some_and(|target| labels.contains(&target))
    })
}

#[test]
fn loops_that_may_run_forever_stay() {
    let mut lost = Vec::new();
    for at in architectures() {
        for Source { name, cuda, .. } in SOURCES {
            let ptx = nvrtc_ptx(&cuda(), at).unwrap();
            // Each of the functions that a launch may choose.
            let functions: Vec<&str> = ptx.split(".entry").skip(1).collect();
            assert!(!functions.is_empty(), "{ptx}");
            lost.extend(functions.iter().filter(|of| !loops(of)).map(|of| format!("{name} for compute_{at}:\n{of}")));
        }
    }
    assert!(lost.is_empty(), "the loop is gone, and what it guards:\n{}", lost.join("\n"));
}

#[test]
fn a_loop_is_told_from_a_branch() {
    assert!(loops("$L__BB0_2:\n\tbra.uni \t$L__BB0_2;\n"));
    assert!(loops("$L__BB0_2:\n\tadd.s32 %r1, %r1, 1;\n\t@%p1 bra \t$L__BB0_2;\n"));
    assert!(!loops("\t@%p1 bra \t$L__BB0_2;\n$L__BB0_2:\n\tret;\n"));
}
