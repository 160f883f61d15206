//! `compare_exchange` of the iteration's own cell, so that the old value is the same everywhere.

use super::Generator;
use super::features::Feature;
use super::values::I;
use crate::program::{Around, Callee, Expr};
use crate::types::{Scalar, Ty};

/// What `compare_exchange` gives.
pub(super) fn exchanged() -> Ty {
    Ty::Enum(1, vec![Scalar::I64.into(), Scalar::I64.into()])
}

impl Generator<'_> {
    /// Whether the iteration has a cell of its own here.
    pub(super) fn has_cells(&self) -> bool {
        let of_loop = self.scopes.first().and_then(|scope| scope.first()) == Some(&I);
        of_loop && self.output.is_none() && self.team.is_none() && self.on(Feature::Atomics) && !self.quiet
    }

    /// The outcome of an exchange, or now and then what the cell holds, if the type fits and the
    /// code is that of a loop.
    pub(super) fn exchange(&mut self, ty: &Ty) -> Option<Expr> {
        let here = self.has_cells();
        let load = || Expr::call(Callee::Around(Around::Load), Vec::new(), Scalar::I64);
        if here && *ty == Scalar::I64.into() && self.rng.chance(3) {
            return Some(load());
        }
        if !here || *ty != exchanged() || self.rng.chance(30) {
            return None;
        }
        let number = Ty::from(Scalar::I64);
        let expected = match self.rng.which([45, 30, 25]) {
            0 => load(),
            1 => self.small(Scalar::I64, 4),
            _ => self.expr(&number),
        };
        let new = if self.rng.chance(50) { self.small(Scalar::I64, 4) } else { self.expr(&number) };
        Some(Expr::call(Callee::Around(Around::Exchange), vec![expected, new], exchanged()))
    }
}
