//! Rules of the macro that random programs seldom need, each with a loop that is judged wrongly
//! without it.

use super::super::kernel;
use anabranch_core::facts::Step;
use anabranch_core::limits::MAX_ATOMS;
use anabranch_core::ops::Operation;

use crate::analysis::access::{self, Atom, LoopFacts};
use crate::report::Report;

/// The facts of a loop, and what is said of it.
fn facts(body: &str) -> (LoopFacts, String) {
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
        "for i in par(0..n) { let v = y[i] as usize; x[i + v] = 1.0; }",
        // A loop's variable that is assigned is no form.
        "for i in par(0..n) { for mut j in 0..4 { j += 2; x[4 * i + j] = 1.0; } }",
    ] {
        assert_ne!(facts(body).1, "", "{body}");
    }
}

/// The numbers of a launch have the last word, whatever the macro makes of a loop: so many accesses
/// are compared there.
#[test]
fn left_to_the_launch() {
    for (body, compared) in [
        ("for i in par(0..n) { x[i] = 1.0; }", 1),
        ("for i in par(7..8) { x[0] = 1.0; }", 1),
        ("for i in par(0..n) { for j in 2..5 { x[3 * i + j] = 1.0; } }", 1),
        ("for (j, i) in par((0..9, 0..4)) { x[4 * j + i] = x[4 * j + i + 36]; }", 2),
        // What is read alone, and what the user answers for.
        ("for i in par(0..n) { x[i] = y[i] as f32; unsafe { x[k] = 1.0; } }", 1),
        // The macro takes a name that stands for two constants for one.
        (
            "for i in par(0..n) { { const C: usize = 2; x[C * i] = 1.0; } { const C: usize = 3; x[C * i + 1] = 1.0; } }",
            2,
        ),
        // A type of elements may be small enough.
        ("for i in par(0..n) { x[256 * i + y[i] as usize] = 1.0; }", 1),
        ("for i in par(0..n) { let v = y[i]; x[256 * i + usize::from(v)] = 1.0; }", 1),
        // Behind what is written if no number is 0, and as far as the type of the elements goes.
        ("for i in par({ n }..k) { x[i] += sum(&x[k * i..y[i] as usize]); }", 2),
        // A variable that is stepped on may wrap.
        ("for i in par(0..n) { let mut j = i; while j < 1000 { x[j] = 1.0; j += n; } }", 1),
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
        // A range that wraps: from 0 to the last of all numbers, though its end is -1.
        ("for i in par(0..n) { for p in 0..=(1usize - 2usize) { x[i + p] = 1.0; } }", 1),
        ("for i in par(0..=(1usize - 2usize)) { for p in 0..2 { x[2 * i + p] = 1.0; } }", 1),
        // Accesses that differ in anything are not the same.
        ("for i in par(0..9) { x[n * i] = 1.0; x[n * i + 1] = 1.0; }", 2),
        ("for i in par(0..9) { let v = x[n * i + 1]; x[n * i] = v; }", 2),
        ("for i in par(0..9) { x[n * i] = 1.0; put(&mut x[n * i..n * i + 2]); }", 2),
        ("for i in par(0..9) { for j in k..n { x[n * i] = 1.0; } x[n * i] = 1.0; }", 2),
        ("for i in par(0..9) { if i < k { x[n * i] = 1.0; } if k < i { x[n * i] = 1.0; } }", 2),
        ("for i in par(0..9) { if i < k { x[n * i] = 1.0; } let v = x[n * i]; }", 2),
        // One stands for another if it touches all that the other does, and writes if the other
        // writes.
        ("for i in par(0..9) { let v = x[n * i]; x[n * i] = v; }", 1),
        ("for i in par(0..9) { if i < k { x[n * i] = 1.0; } x[n * i] = 1.0; }", 1),
        ("for i in par(0..9) { x[n * i] = 1.0; if i < k { let v = x[n * i]; } }", 1),
        ("for i in par(0..9) { if i < k { if k < n { x[n * i] = 1.0; } x[n * i] = 2.0; } }", 1),
    ] {
        let (facts, said) = facts(body);
        assert_eq!(said, "", "{body}");
        assert_eq!(facts.races.iter().map(Vec::len).sum::<usize>(), compared, "{body}");
    }
}

/// What a plan calls proved, the compiler has shown.
#[test]
fn proved() {
    let proved = |body: &str| {
        let (facts, said) = facts(body);
        assert_eq!(said, "", "{body}");
        facts.told.accesses[0].proved
    };
    assert!(proved("for i in par(0..x.len()) { x[i] = 1.0; }"));
    assert!(proved("for i in par(0..y.len()) { if i < x.len() { x[i] = 1.0; } }"));
    for body in [
        // Of 128, `i8` makes -128.
        "for i in par(0..x.len()) { unsafe { x[(i as i8) as usize] = 1.0; } }",
        "for i in par(0..x.len() as i8 as usize) { x[i] = 1.0; }",
        // A product of lengths is not bounded by its factors' bounds.
        "for i in par(0..x.len()) { unsafe { x[i * y.len()] = 1.0; } }",
        "for i in par(0..x.len() * y.len()) { unsafe { x[i] = 1.0; } }",
        "for i in par(0..y.len()) { if i * y.len() + y.len() < x.len() { unsafe { x[i * y.len()] = 1.0; } } }",
        // There may be nothing in it.
        "for i in par(0..y.len()) { unsafe { x[i.min(x.len() - 1)] = 1.0; } }",
        "for i in par(0..y.len()) { if i <= x.len() { x[i] = 1.0; } }",
        "for i in par(0..y.len()) { if i != x.len() { x[i] = 1.0; } }",
    ] {
        assert!(!proved(body), "{body}");
    }
}

/// What some iterations leave out must not refuse a launch.
#[test]
fn made_by_some_iterations() {
    let always = |body: &str| {
        let (facts, _) = facts(&format!("for i in par(0..n) {{ {body} }}"));
        facts.told.accesses.iter().find(|access| access.write).expect("it writes").always
    };
    assert!(always("x[i] = 1.0;"));
    assert!(always("for j in (0..4).step_by(2) { x[4 * i + j] = 1.0; }"));
    for body in [
        "if i < k { x[i] = 1.0; }",
        "if y[i] > 3 { continue; } x[i] = 1.0;",
        "if i < k { if y[i] > 3 { continue; } } x[i] = 1.0;",
        "match y[i] { 3 => { continue; } _ => {} } x[i] = 1.0;",
        "for j in 0..4 { x[4 * i + j] = 1.0; if y[i] > 3 { break; } }",
        "for j in (0..4).rev().step_by(3) { x[4 * i + j] = 1.0; }",
        "while y[i] > 3 { x[i] = 1.0; }",
    ] {
        assert!(!always(body), "{body}");
    }
}

/// A form has one moving factor a term, as the launch walks it; of a product of two only an
/// interval is known.
#[test]
fn products_of_what_moves() {
    for product in ["i * j", "i * v", "v * v", "(i + 1) * (j + 1)", "2 * i * k * j"] {
        let body =
            format!("for (i, j) in par((0..4, 0..4)) {{ let v = y[j] as usize % 4; x[0] = y[{product}] as f32; }}");
        let (facts, _) = facts(&body);
        let multiplied = facts
            .told
            .steps
            .iter()
            .filter(|step| matches!(step, Step::Let { value, .. } if value.operation == Operation::Mul))
            .count();
        assert_eq!(multiplied, 1, "{product}");
        let moving = |atom: &Atom| !matches!(atom, Atom::Symbol(_));
        let forms = facts.accesses.iter().filter_map(|found| found.access.index.as_ref());
        let alone =
            forms.flat_map(|form| &form.value.terms).all(|term| term.atoms.iter().filter(|at| moving(at)).count() <= 1);
        assert!(alone, "{product}");
    }
}

/// What the launch is not told of, it does not walk: nothing that an access or its conditions
/// depend on may be missing.
#[test]
fn what_the_launch_is_told() {
    let told = |body: &str| {
        fn named(steps: &[Step]) -> Vec<&'static str> {
            let of = |step: &Step| match step {
                Step::Let { value, .. } => vec![value.operation.variant()],
                Step::For { body, .. } | Step::When { body, .. } => named(body),
                Step::Declare { .. } | Step::Join { .. } | Step::Access(_) | Step::Call(_) => Vec::new(),
            };
            steps.iter().flat_map(of).collect()
        }
        named(&facts(&format!("for i in par(0..n) {{ {body} }}")).0.told.steps)
    };
    assert_eq!(told("let v = i.min(k); x[i] = 1.0;"), [""; 0]);
    assert_eq!(told("let v = i.min(k); if i < v { x[i] = 1.0; }"), ["Min"]);
    assert_eq!(told("let v = i.min(k); for j in v..v + 2 { x[n * i + j] = 1.0; }"), ["Min"]);
    assert_eq!(told("let v = i.min(k); x[i + (v / 2) * n] = 1.0;"), ["Min", "Div"]);
}

/// A check is a branch around all that comes after it.
#[test]
fn what_the_launch_cannot_follow() {
    let follows = |blocks: usize| {
        let checks = "if y[i] == 3 { continue; }".repeat(63);
        let body = (0..blocks).fold("x[i] = 1.0;".to_owned(), |inner, _| format!("{checks} if i < k {{ {inner} }}"));
        let LoopFacts { told, decided, .. } = facts(&format!("for i in par(0..n) {{ {body} }}")).0;
        assert_eq!(told.races.concat(), [told.accesses.len() - 1]);
        [told.atoms <= MAX_ATOMS, !told.steps.is_empty(), !decided.is_empty()]
    };
    // As much stack as rustc has.
    let thread = std::thread::Builder::new().stack_size(8 << 20);
    let thread = thread.spawn(move || assert_eq!([1, 3].map(follows), [[true; 3], [false; 3]]));
    thread.expect("it starts").join().expect("it ends");
}

/// A truth that is assigned says nothing.
#[test]
fn truths_that_change() {
    let conditions = |body: &str| facts(body).0.accesses[0].conditions.len();
    assert_eq!(conditions("for i in par(0..n) { let ok = i < 4; if ok { x[i] = 1.0; } }"), 1);
    assert_eq!(conditions("for i in par(0..n) { let mut ok = i < 4; ok = true; if ok { x[i] = 1.0; } }"), 0);
}

/// `(0..4).rev().step_by(2)` is 3 and 1: no steps from where the range begins.
#[test]
fn steps_of_reversed_ranges() {
    let step = |range: &str| {
        let (facts, _) = facts(&format!("for i in par(0..n) {{ for j in {range} {{ x[i * n + j] = 1.0; }} }}"));
        let known = |step: &Step| matches!(step, Step::For { step: Some(_), .. });
        facts.told.steps.iter().any(known)
    };
    assert!(step("(0..n).step_by(2)"));
    assert!(!step("(0..n).rev().step_by(2)"));
}
