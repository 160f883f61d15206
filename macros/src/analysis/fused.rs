//! Whether several loops can be one loop: `#[kernel(fuse = true)]`.
//!
//! **Rule.** The loop with all bodies has no conflict that every launch refuses, and nothing in it
//! can fail. A check that fails leaves only what its own loop writes unspecified, so a loop must
//! not fail in the middle of another one. Accesses that the launch decides do not fail there: it
//! runs the loops one by one unless it has proved them. Divisions do not fail if they are of
//! floats, which rustc finds out.

use super::lanes::Checks;
use super::{access, blocks, jumps};
use crate::ir::ParLoop;
use crate::report::Report;

/// Why a loop made of several is not right, if it is not.
pub(crate) fn check(par_loop: &ParLoop) -> Result<(), String> {
    let mut report = Report::default();
    blocks::check(par_loop, &mut report);
    jumps::check(&par_loop.body, &mut report);
    let facts = access::check(std::slice::from_ref(par_loop), false, &mut report);
    match (report.first(), facts.first().and_then(|facts| Checks::of_types(par_loop, facts))) {
        (Some(why), _) => Err(why),
        (None, None) => Err("something in them can fail or prints".to_owned()),
        (None, Some(_)) => Ok(()),
    }
}
