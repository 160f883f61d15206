//! Rules of the macro that random programs seldom need, each with a loop that is judged wrongly without it.

use super::super::kernel;
use crate::analysis::access::{self, Facts, Step};
use crate::report::Report;

/// The facts of a loop, and what is said of it.
fn facts(body: &str) -> (Facts, String) {
    let kernel = kernel(&format!("fn k(x: &mut [f32], y: &[u32], n: usize, k: usize) {{ {body} }}"));
    let mut report = Report::default();
    let mut facts = access::check(&kernel.loops, false, &mut report);
    let said = report.check().err().map(|error| error.to_string()).unwrap_or_default();
    (facts.remove(0), said)
}

#[test]
fn refused() {
    for body in [
        // The widest of the inner loops with one factor counts.
        "for (a, i) in par((0..n, 0..4)) { for j in 0..2 { x[12 * a + i + 4 * j] = 1.0; } for j in 0..4 { x[12 * a + i + 4 * j] = 2.0; } }",
        // A negative factor counts down: from 7 to 0, or from what an operation bounds.
        "for i in par(0..n) { for j in 0..8 { x[8 * i + 7 - j] = 1.0; } x[8 * i + 14] = 2.0; }",
        "for i in par(0..n) { let v = y[i] as usize % 8; x[8 * i + 7 - v] = 1.0; x[8 * i + 14] = 2.0; }",
        // What is left of an index is the same for all iterations.
        "for i in par(0..n) { let v = y[i] as usize; x[4 * i + v] = 1.0; }",
    ] {
        assert_ne!(facts(body).1, "", "{body}");
    }
}

/// The macro accepts these, but the numbers of a launch have the last word: so many accesses are compared there.
#[test]
fn left_to_the_launch() {
    for (body, compared) in [
        // A host value may be 0, or a factor so large that the machine wraps.
        ("for i in par(0..9) { x[n * i] = 1.0; }", 1),
        ("for i in par(0..n) { x[65536 * i] = 1.0; }", 1),
        ("for i in par(0..n) { x[i] = 1.0; x[k * n + i] = 2.0; }", 2),
        // What pins a variable may have wrapped: of 600, three are 3 as `u8`.
        ("for i in par(0..600) { if i as u8 == 3 { x[3] = 1.0; } }", 1),
        // An extent that is a number only if nothing has wrapped.
        (
            "for (a, i) in par((0..n, 0..4)) { for j in (n as u8 - 1) as usize..n + 2 { x[12 * a + i + 4 * j] = 1.0; } }",
            1,
        ),
        ("for i in par(0..n) { let v = y[i] as usize % ((n as u8) as usize - n + 8); x[8 * i + v] = 1.0; }", 1),
        ("for i in par(0..n) { put(&mut x[4 * i..4 * i + ((n as u8) as usize - n + 4)]); }", 1),
        // Accesses that differ in anything are not the same.
        ("for i in par(0..9) { x[n * i] = 1.0; x[n * i + 1] = 1.0; }", 2),
        ("for i in par(0..9) { let v = x[n * i]; x[n * i] = v; }", 2),
        ("for i in par(0..9) { x[n * i] = 1.0; put(&mut x[n * i..n * i + 2]); }", 2),
        ("for i in par(0..9) { for j in k..n { x[n * i] = 1.0; } x[n * i] = 1.0; }", 2),
        ("for i in par(0..9) { if i < k { x[n * i] = 1.0; } x[n * i] = 1.0; }", 2),
    ] {
        let (facts, said) = facts(body);
        assert_eq!(said, "", "{body}");
        assert_eq!(facts.races.iter().map(Vec::len).sum::<usize>(), compared, "{body}");
    }
}

/// `(0..4).rev().step_by(2)` is 3 and 1: no steps from where the range begins.
#[test]
fn steps_of_reversed_ranges() {
    let step = |range: &str| {
        let (facts, _) = facts(&format!("for i in par(0..n) {{ for j in {range} {{ x[i * n + j] = 1.0; }} }}"));
        let known = |step: &Step| matches!(step, Step::For { step: Some(_), .. });
        facts.steps.iter().any(known)
    };
    assert!(step("(0..n).step_by(2)"));
    assert!(!step("(0..n).rev().step_by(2)"));
}
