//! The conversions between `f32` and the types of two bytes, and the order of the latter.
//!
//! They have the results of the crate `half`, except for the bits of a NaN. `half` chooses between
//! an instruction and a function at each conversion, so that no loop with a conversion becomes
//! vectors. These here have neither calls nor branches, so the compiler makes vectors of them for
//! every processor. The instructions of F16C gain nothing over this where that was measured: those
//! to `f16` do not become vectors.

use half::{bf16, f16};

/// A type of two bytes: a sign, an exponent and a fraction.
pub(super) trait Bits: Copy {
    /// The bits of infinity. The magnitude of a NaN is above it.
    const INFINITE: u16;
    fn pattern(self) -> u16;
    /// The same number.
    fn single(self) -> f32;
    /// The nearest number; of two, the one with an even last digit.
    fn of_single(x: f32) -> Self;

    #[inline(always)]
    fn is_no_number(self) -> bool {
        self.pattern() & 0x7fff > Self::INFINITE
    }

    /// Integers in the order of the numbers. `-0.0` is less than `0.0`.
    #[inline(always)]
    fn rank(self) -> i16 {
        let bits = self.pattern().cast_signed();
        bits ^ (bits >> 15) & 0x7fff
    }

    /// `self < other`
    #[inline(always)]
    fn is_less(self, other: Self) -> bool {
        let both_are_zero = (self.pattern() | other.pattern()) & 0x7fff == 0;
        let unordered = self.is_no_number() | other.is_no_number();
        (self.rank() < other.rank()) & !both_are_zero & !unordered
    }
}

const F32_INFINITY: u32 = f32::INFINITY.to_bits();
const SIGN: u32 = 1 << 31;

/// 2 to this power. Its exponent is the one that the bits of a `f32` hold, without the fraction.
const fn power(exponent: i32) -> u32 {
    ((127 + exponent) as u32) << 23
}

impl Bits for f16 {
    const INFINITE: u16 = f16::INFINITY.to_bits();

    #[inline(always)]
    fn pattern(self) -> u16 {
        self.to_bits()
    }

    #[inline(always)]
    fn single(self) -> f32 {
        // The exponent and the fraction are in their places. The sign is in its place, too, and in
        // the three bits below it.
        let bits = i32::from(self.to_bits().cast_signed()) << 13;
        let magnitude = bits & 0x0fff_ffff;
        // The exponent of a `f32` is greater by 112, and that of infinity by twice as much.
        let up = if magnitude >= i32::from(f16::INFINITE) << 13 { 224 << 23 } else { 112 << 23 };
        let normal = f32::from_bits((magnitude + up).cast_unsigned());
        // A number below the normal ones is `f * 2^-24`, but `normal` is `2^-15 + f * 2^-25`. Of
        // the others, the sum is not less than `normal`.
        let subnormal = normal + normal - f32::from_bits(power(-14));
        let value = if subnormal < normal { subnormal } else { normal };
        f32::from_bits(value.to_bits() | bits.cast_unsigned() & SIGN)
    }

    #[inline(always)]
    fn of_single(x: f32) -> Self {
        let magnitude = x.to_bits() & !SIGN;
        // From 2 to the power of 16 all are infinite.
        let finite = magnitude.min(power(16));
        let even = finite >> 13 & 1;
        let normal = (finite + 0xfff + even).wrapping_sub(112 << 23) >> 13;
        // The last digit of this sum is that of the smallest numbers.
        let subnormal = (f32::from_bits(magnitude) + 0.5).to_bits().wrapping_sub(power(-1));
        let bits = if magnitude < power(-14) { subnormal } else { normal };
        let bits = if magnitude > F32_INFINITY { 0x7e00 } else { bits };
        f16::from_bits((bits | x.to_bits() >> 16 & 0x8000) as u16)
    }
}

impl Bits for bf16 {
    const INFINITE: u16 = bf16::INFINITY.to_bits();

    #[inline(always)]
    fn pattern(self) -> u16 {
        self.to_bits()
    }

    #[inline(always)]
    fn single(self) -> f32 {
        f32::from_bits(u32::from(self.to_bits()) << 16)
    }

    #[inline(always)]
    fn of_single(x: f32) -> Self {
        let bits = x.to_bits();
        let even = bits >> 16 & 1;
        let rounded = bits.wrapping_add(0x7fff + even) >> 16;
        let rounded = if bits & !SIGN > F32_INFINITY { bits >> 16 | 0x40 } else { rounded };
        bf16::from_bits(rounded as u16)
    }
}

/// The `f32` that rounds as this number does: towards zero, with an odd last digit if it is not
/// exact.
#[inline(always)]
pub(super) fn odd_of_double(x: f64) -> f32 {
    let near = x as f32;
    let beyond = f64::from(near).abs() > x.abs();
    let inexact = f64::from(near) != x;
    // A NaN remains one.
    f32::from_bits((near.to_bits() - u32::from(beyond)) | u32::from(inexact))
}

/// The same of an integer.
#[inline(always)]
pub(super) fn odd_of_unsigned(x: u128) -> f32 {
    match u32::try_from(x) {
        Ok(x) => odd_of_word(x),
        Err(_) => {
            let unused = (128 - x.leading_zeros()).saturating_sub(f32::MANTISSA_DIGITS);
            let kept = x >> unused;
            let inexact = kept << unused != x;
            (kept | u128::from(inexact)) as f32 * f32::from_bits(power(0) + (unused << 23))
        }
    }
}

/// The same of an integer with a sign.
#[inline(always)]
pub(super) fn odd_of_signed(x: i128) -> f32 {
    // The compiler knows which branch it is, from the type that the integer had before.
    let magnitude = match i32::try_from(x) {
        Ok(x) => odd_of_word(x.unsigned_abs()),
        Err(_) => odd_of_unsigned(x.unsigned_abs()),
    };
    if x < 0 { -magnitude } else { magnitude }
}

/// The same of a short one, whose last eight digits become one if a `f32` has no room for them.
#[inline(always)]
fn odd_of_word(x: u32) -> f32 {
    let short = x & !0xff | u32::from(x & 0xff != 0) << 8;
    (if x < 1 << f32::MANTISSA_DIGITS { x } else { short }) as f32
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use super::*;

    /// A NaN of one is a NaN of the other.
    fn same(x: impl Debug, (got, is_nan): (u32, bool), (right, right_is_nan): (u32, bool)) {
        assert!(got == right && !is_nan || is_nan && right_is_nan, "{x:?} became {got:#x}, which should be {right:#x}");
    }

    #[test]
    fn every_one_becomes_the_single_that_it_is_for_half() {
        for bits in 0..=u16::MAX {
            let (x, y) = (f16::from_bits(bits), bf16::from_bits(bits));
            for (got, right) in [(x.single(), x.to_f32_const()), (y.single(), y.to_f32_const())] {
                same(x, (got.to_bits(), got.is_nan()), (right.to_bits(), right.is_nan()));
            }
        }
    }

    fn check_single(bits: u32) {
        let x = f32::from_bits(bits);
        let (got, right) = (f16::of_single(x), f16::from_f32_const(x));
        same(x, (got.to_bits().into(), got.is_nan()), (right.to_bits().into(), right.is_nan()));
        assert_eq!(got.is_sign_negative(), x.is_sign_negative(), "{x:?}");
        let (got, right) = (bf16::of_single(x), bf16::from_f32_const(x));
        same(x, (got.to_bits().into(), got.is_nan()), (right.to_bits().into(), right.is_nan()));
    }

    #[test]
    fn singles_round_as_for_half() {
        // Each number of both types, the half-way points above it, and what is next to these.
        for high in 0..=u16::MAX {
            for low in
                [0u32, 1, 0xfff, 0x1000, 0x1001, 0x1fff, 0x2000, 0x2fff, 0x3000, 0x3001, 0x7fff, 0x8000, 0x8001, 0xffff]
            {
                check_single(u32::from(high) << 16 | low);
            }
        }
        // Below the normal numbers of `f16` the half-way points lie elsewhere.
        for ulps in 0..=4096u16 {
            let middle = f32::from(ulps) * f32::from_bits(power(-26));
            for near in [middle.next_down(), middle, middle.next_up()] {
                check_single(near.to_bits());
                check_single((-near).to_bits());
            }
        }
        // A step that has no factor in common with 2^32.
        let (step, mut bits) = if cfg!(debug_assertions) { (4099, 0u32) } else { (101, 0) };
        loop {
            check_single(bits);
            let (next, end) = bits.overflowing_add(step);
            if end {
                break;
            }
            bits = next;
        }
    }

    #[test]
    fn ranks_are_in_the_order_of_the_numbers() {
        fn check<T: Bits + PartialOrd>(of_bits: impl Fn(u16) -> T) {
            let all: Vec<T> = (0..=u16::MAX).map(of_bits).collect();
            let mut numbers: Vec<T> = all.iter().copied().filter(|x| !x.is_no_number()).collect();
            numbers.sort_by(|x, y| x.single().total_cmp(&y.single()));
            assert!(numbers.is_sorted_by(|x, y| x.rank() < y.rank()));
            for (at, &x) in all.iter().enumerate() {
                for &y in all[at % 89..].iter().step_by(89).chain(&[x, all[0], all[0x8000], all[0x7fff]]) {
                    assert_eq!(
                        (x.is_less(y), y.is_less(x)),
                        (x < y, y < x),
                        "{:#x} and {:#x}",
                        x.pattern(),
                        y.pattern()
                    );
                }
            }
        }
        check(f16::from_bits);
        check(bf16::from_bits);
    }
}
