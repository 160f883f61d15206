//! Collectives: what the threads evaluate for them changes nothing.
//!
//! So the order of the threads shows nowhere, and neither does the number of the evaluations.

use crate::ir::{Body, Collective, changes_memory};
use crate::parse::changing_value;
use crate::report::Report;

/// Reports a value that changes something when it is evaluated.
pub(super) fn check(collective: &Collective, body: &Body, report: &mut Report) {
    let Collective { op, own, .. } = collective;
    if changes_memory(own, body) {
        report.at(own.span, changing_value(op.name()));
    }
}
