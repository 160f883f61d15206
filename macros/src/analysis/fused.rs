//! Whether several loops can be one loop: `#[kernel(fuse = true)]`.
//!
//! **Rule.** The loop with all bodies has no conflict that every launch refuses, and nothing in it
//! can fail. A check that fails leaves only what its own loop writes unspecified, so a loop must not
//! fail in the middle of another one. Accesses that the launch decides do not fail there: it runs
//! the loops one by one unless it has proved them. Divisions do not fail if they are of floats,
//! which rustc finds out.

use std::collections::BTreeSet;

use anabranch_core::check::Check;

use super::access::{self, LoopFacts};
use super::jumps;
use super::lanes::literal;
use crate::ir::{AssignOp, BinOp, Callee, ExprKind, ParLoop, SiteId, SlotId};
use crate::report::Report;

/// Why a loop made of several is not right, if it is not.
pub(crate) fn check(par_loop: &ParLoop) -> Result<(), String> {
    let mut report = Report::default();
    jumps::check(&par_loop.body, &mut report);
    let facts = access::check(std::slice::from_ref(par_loop), false, &mut report);
    match (report.first(), facts.first().and_then(|facts| divisions(par_loop, facts))) {
        (Some(why), _) => Err(why),
        (None, None) => Err("a check in them can fail".to_owned()),
        (None, Some(_)) => Ok(()),
    }
}

/// The slots of the divisions that must be of floats for nothing to fail; `None`: something can
/// fail in any case.
pub(crate) fn divisions(par_loop: &ParLoop, facts: &LoopFacts) -> Option<Vec<SlotId>> {
    let body = &par_loop.body;
    let (mut slots, mut harmless) = (Vec::new(), BTreeSet::new());
    body.block.any(&mut |expr| {
        match &expr.kind {
            ExprKind::Binary { op: BinOp::Div | BinOp::Rem, rhs: by, slot, site: Some(site), .. }
            | ExprKind::Assign {
                value: by,
                op: Some(AssignOp { op: BinOp::Div | BinOp::Rem, slot, site: Some(site) }),
                ..
            } => {
                if literal(by).is_none_or(|by| by == 0.0 || by == -1.0) {
                    slots.push(*slot);
                }
                harmless.insert(*site);
            }
            ExprKind::Call {
                callee:
                    Callee::Number { method, site: Some(site), .. }
                    | Callee::Method { known: Some(method), site: Some(site), .. },
                args,
            } if method.check == Some(Check::Clamp) => {
                let ends = [1, 2].map(|at| args.get(at).and_then(literal));
                // What seems to be equal may be rounded.
                if let [Some(low), Some(high)] = ends
                    && low < high
                {
                    harmless.insert(*site);
                }
            }
            // The sites of all dimensions are decided as one.
            ExprKind::Index { view, site, .. } if facts.decided.contains_key(site) => {
                harmless.extend((0..body[*view].dims.max(1)).map(|dim| SiteId(site.0 + dim)));
            }
            _ => {}
        }
        false
    });
    body.all_sites().all(|site| harmless.contains(&site)).then_some(slots)
}
