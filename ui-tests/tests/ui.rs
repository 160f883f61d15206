//! What the macros and rustc say about wrong programs, word for word, and right programs that are
//! easily refused.
//!
//! One folder a topic. `TRYBUILD=overwrite cargo test -p anabranch-ui-tests` writes the expected
//! texts anew; read the difference as a user who has never seen the project: one error a mistake,
//! at the token that is wrong, saying what to do.

/// Without one that is built among them trybuild checks them all at once.
#[test]
fn wrong_programs() {
    let cases = trybuild::TestCases::new();
    for topic in [
        "atomics",
        "blocks",
        "borrows",
        "called",
        "collectives",
        "device",
        "enums",
        "flow",
        "generic",
        "grids",
        "groups",
        "language",
        "library",
        "launch",
        "outside",
        "parameters",
        "races",
        "reductions",
        "traits",
        "methods",
        "types",
        "values",
    ] {
        cases.compile_fail(format!("{topic}/*.rs"));
    }
}

/// What compiles and runs, and what is wrong only where a program is built and not just checked.
#[test]
fn built_programs() {
    let cases = trybuild::TestCases::new();
    cases.pass("pass/*.rs");
    cases.compile_fail("built/*.rs");
}
