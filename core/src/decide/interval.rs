//! Intervals of integers, in checked 128-bit arithmetic.

use crate::scalar::IntType;

/// The integers from `lo` to `hi`, both included; none where `lo > hi`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Interval {
    pub(super) lo: i128,
    pub(super) hi: i128,
}

impl Interval {
    /// Nothing is known, not even that 128 bits hold the value.
    pub(super) const UNKNOWN: Self = Self { lo: i128::MIN, hi: i128::MAX };
    /// No integers.
    pub(super) const EMPTY: Self = Self { lo: 0, hi: -1 };

    pub(super) const fn new(lo: i128, hi: i128) -> Self {
        Self { lo, hi }
    }

    pub(super) fn point(value: i128) -> Self {
        Self { lo: value, hi: value }
    }

    pub(super) fn is_empty(self) -> bool {
        self.lo > self.hi
    }

    /// `None` if nothing is known of it, or if there is nothing in it.
    pub(super) fn known(self) -> Option<Self> {
        (self.lo <= self.hi && self.lo != i128::MIN && self.hi != i128::MAX).then_some(self)
    }

    /// The one integer in it.
    pub(super) fn value(self) -> Option<i128> {
        (self.lo == self.hi).then_some(self.lo)
    }

    /// The smallest interval around both.
    pub(super) fn hull(self, other: Self) -> Self {
        match (self.is_empty(), other.is_empty()) {
            (true, _) => other,
            (_, true) => self,
            _ => Self::new(self.lo.min(other.lo), self.hi.max(other.hi)),
        }
    }

    /// What is in both.
    pub(super) fn meet(self, other: Self) -> Self {
        Self::new(self.lo.max(other.lo), self.hi.min(other.hi))
    }

    pub(super) fn contains(self, other: Self) -> bool {
        self.lo <= other.lo && other.hi <= self.hi
    }

    /// All sums `self + factor * other`.
    pub(super) fn plus(self, factor: i128, other: Self) -> Option<Self> {
        let (least, most) = if factor >= 0 { (other.lo, other.hi) } else { (other.hi, other.lo) };
        Some(Self {
            lo: self.lo.checked_add(product(factor, least)?)?,
            hi: self.hi.checked_add(product(factor, most)?)?,
        })
    }

    /// All products of two integers.
    pub(super) fn product(self, other: Self) -> Option<Self> {
        let corners = [
            product(self.lo, other.lo)?,
            product(self.lo, other.hi)?,
            product(self.hi, other.lo)?,
            product(self.hi, other.hi)?,
        ];
        Some(Self::around(corners))
    }

    /// The smallest interval around some integers.
    pub(super) fn around(values: impl IntoIterator<Item = i128>) -> Self {
        values.into_iter().fold(Self::EMPTY, |all, value| all.hull(Self::point(value)))
    }
}

/// `a * b`: one multiplication where both fit 64 bits.
pub(super) fn product(a: i128, b: i128) -> Option<i128> {
    match (i64::try_from(a), i64::try_from(b)) {
        (Ok(a), Ok(b)) => Some(i128::from(a) * i128::from(b)),
        _ => a.checked_mul(b),
    }
}

/// `a / b`, rounded down, for `b > 0`.
pub(super) fn floor(a: i128, b: i64) -> Option<i128> {
    match i64::try_from(a) {
        _ if b == 1 => Some(a),
        Ok(a) => a.checked_div_euclid(b).map(i128::from),
        Err(_) => a.checked_div_euclid(i128::from(b)),
    }
}

/// `a / b`, rounded up, for `b > 0`.
pub(super) fn ceiling(a: i128, b: i64) -> Option<i128> {
    floor(a.checked_neg()?, b)?.checked_neg()
}

impl IntType {
    /// All values of the type. `None`: 128 bits with a sign do not hold them.
    pub(super) fn range(self) -> Option<Interval> {
        match (self.bits, self.signed) {
            (1..=126, false) => Some(Interval::new(0, (1 << self.bits) - 1)),
            (1..=127, true) => Some(Interval::new(-(1 << (self.bits - 1)), (1 << (self.bits - 1)) - 1)),
            _ => None,
        }
    }

    /// Whether all these values are values of the type.
    pub(super) fn holds(self, values: Interval) -> bool {
        match self.range() {
            Some(range) => range.contains(values),
            None if self.bits == 128 => self.signed || values.lo >= 0,
            None => false,
        }
    }
}
