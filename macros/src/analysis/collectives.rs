//! Collectives: what the threads evaluate for them changes nothing.
//!
//! So the order of the threads shows nowhere, and neither does the number of the evaluations.

use super::blocks::changes_memory;
use crate::ir::{Body, Collective};
use crate::report::{Code, Diagnostic, Report, error};

/// Reports a value that changes something when it is evaluated.
pub(super) fn check(collective: &Collective, body: &Body, report: &mut Report) {
    let Collective { op, own, .. } = collective;
    if changes_memory(own, body) {
        report.at(own.span, changing_value(op.name()));
    }
}

/// What is said of it.
pub(crate) fn changing_value(name: &str) -> Diagnostic {
    let error = error(Code::CollectiveValue, format!("what the threads evaluate for `{name}` changes something"));
    error
        .help("change it in a phase before: `for t in block.threads() { … }`")
        .help("what a thread finds there, it can keep in a `block.each(…)`")
}
