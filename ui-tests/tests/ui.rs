//! What the macros and rustc say about wrong programs, word for word, and right programs that are easily refused.
//!
//! One folder a topic. `TRYBUILD=overwrite cargo test -p anabranch-ui-tests` writes the expected texts anew; read the
//! difference as a user who has never seen the project: one error a mistake, at the token that is wrong, saying what
//! to do.

#[test]
fn ui() {
    let cases = trybuild::TestCases::new();
    cases.pass("pass/*.rs");
    for topic in [
        "borrows",
        "device",
        "flow",
        "generic",
        "groups",
        "language",
        "launch",
        "outside",
        "parameters",
        "types",
        "values",
    ] {
        cases.compile_fail(format!("{topic}/*.rs"));
    }
}
