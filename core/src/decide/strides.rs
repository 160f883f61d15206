//! Variables that are read off an element by strides whose sums conditions bound: tiles of which
//! the last ones are clipped.
//!
//! In `if ty * 16 + y < h && tx * 16 + x < w { c[(ty * 16 + y) * w + tx * 16 + x] … }`, as in `for
//! x in tx * 16..(tx * 16 + 16).min(w)`, the part below a row is less than `w`, although tiles of
//! 16 may reach beyond it.
//!
//! **Why it is right.** Two equal elements have the difference 0. It is a sum of multiples of
//! strides, from the greatest stride on: `S * k + rest = 0`. If what lies below `S` differs by less
//! than `S`, then `k` and the rest are 0, and so on down. A stride that only one variable has tells
//! that this variable is the same.

use super::interval::{Interval, product};
use super::linear::Linear;
use super::numbers::AXES;
use super::scope::{Atoms, Scope, inner_loops};

/// The most strides of an index.
const STRIDES: usize = 6;
/// The most terms: those of an index, and those of where its inner loops start.
const PARTS: usize = 12;

/// What lies below each stride, by strides.
#[derive(Clone, Copy)]
pub(super) struct Below {
    strides: [(i128, Interval); STRIDES],
    count: usize,
    whole: Interval,
    /// The factors of the variables of the loop.
    factors: [i64; AXES],
    /// Their strides, where no other term has the same.
    owned: [i128; AXES],
}

impl Below {
    fn strides(&self) -> &[(i128, Interval)] {
        self.strides.get(..self.count).unwrap_or_default()
    }

    /// What is left of the index without the terms of this stride and of greater ones.
    fn of(&self, stride: i128) -> Interval {
        let above = self.strides().iter().filter(|(own, _)| *own >= stride).min_by_key(|(own, _)| *own);
        above.map_or(self.whole, |(_, below)| *below)
    }

    /// The variables that are equal where the elements are. `equal`: those that are known to be.
    pub(super) fn tell(&self, other: &Self, equal: [bool; AXES]) -> Option<[bool; AXES]> {
        // What a variable adds that begins elsewhere than at 0 is no multiple of its stride, but
        // cancels.
        if self.factors != other.factors {
            return None;
        }
        let mut told = [false; AXES];
        let mut least = None;
        for (at, told) in told.iter_mut().enumerate().filter(|(at, _)| !equal[*at]) {
            *told = self.owned[at] != 0 && self.owned[at] == other.owned[at];
            if *told {
                least = Some(least.unwrap_or(self.owned[at]).min(self.owned[at]));
            } else if self.factors[at] != 0 {
                return None;
            }
        }
        let least = least?;
        let strides = || self.strides().iter().chain(other.strides()).map(|(stride, _)| *stride);
        let differs_less = |stride: i128| {
            let below = self.of(stride).hull(other.of(stride));
            below.hi.checked_sub(below.lo).is_some_and(|below| stride > below)
        };
        strides().filter(|stride| *stride >= least).all(differs_less).then_some(told)
    }
}

impl<const N: usize> Atoms<'_, N> {
    /// What lies below the strides of an index.
    pub(super) fn below(&self, index: &Linear, scope: Option<&Scope<'_>>) -> Option<Below> {
        let mut parts = [(0i128, Linear::constant(0)); PARTS];
        let mut count = 0;
        let mut add = |stride: i128, part: Linear| {
            *parts.get_mut(count)? = (stride.checked_abs()?, part);
            count += 1;
            Some(())
        };
        let mut rest = *index;
        for inner in inner_loops(scope).filter(|inner| !inner.start.terms().is_empty()) {
            let factor = rest.factor(inner.atom);
            if factor != 0 {
                let way = Linear::atom(inner.atom).minus(&inner.start)?;
                add(product(factor.into(), inner.stride.into())?, Linear::constant(0).plus(factor, &way)?)?;
                rest = rest.plus(factor.checked_neg()?, &way)?;
            }
        }
        let (mut factors, mut owned) = ([0; AXES], [0; AXES]);
        for &(atom, factor) in rest.terms() {
            let place = self.vars.place(atom);
            let step = place.and_then(|at| self.vars.axes().get(at)).map_or(1, |axis| axis.step);
            let stride = product(factor.into(), step)?;
            add(stride, Linear::constant(0).plus(factor, &Linear::atom(atom))?)?;
            if let Some(at) = place {
                *factors.get_mut(at)? = factor;
                *owned.get_mut(at)? = stride.checked_abs()?;
            }
        }
        let parts = parts.get(..count)?;
        // Of two with one stride nothing can be told.
        for own in &mut owned {
            if parts.iter().filter(|(stride, _)| stride == own).count() > 1 {
                *own = 0;
            }
        }
        let whole = self.bounds(index, scope)?;
        let mut below = Below { strides: [(0, whole); STRIDES], count: 0, whole, factors, owned };
        for (stride, _) in parts {
            if below.strides().iter().any(|(known, _)| known == stride) {
                continue;
            }
            let mut sum = Linear::constant(rest.constant);
            for (_, part) in parts.iter().filter(|(other, _)| other < stride) {
                sum = sum.plus(1, part)?;
            }
            // An end that is a `min` is two facts away.
            *below.strides.get_mut(below.count)? = (*stride, self.bounds_by(&sum, scope, 2)?);
            below.count += 1;
        }
        Some(below)
    }
}
