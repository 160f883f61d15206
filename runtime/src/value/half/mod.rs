//! `f16` and `bf16` of the crate `half`. Every operation and method is that of `f32`, rounded once,
//! as in `half` itself. What only concerns the sign and the comparisons are the methods of `half`.
//! Of two zeros, `min` and `max` take the same one as for `f32`. The conversions of `half` are slow
//! in loops, and those from `f64` differ between processors, so `bits` has all of them.

mod bits;

use std::cmp::Ordering;

use half::{bf16, f16};

use self::bits::{Bits, odd_of_double, odd_of_signed, odd_of_unsigned};
use super::admitted::{ConstantValue, scalar_constants};
use super::arithmetic::{Arithmetic, Extremes, SignedArithmetic};
use super::check::fail;
use super::number::{self, Float, Half, Num};
use super::scalar::{Scalar, ScalarType, sealed};
use super::{DeviceCopy, DeviceType, DeviceValue, IntType, Zeroed, scalar_values};
use anabranch_core::check::message;

scalar_values! { f16 bf16 }
scalar_constants! { f16 bf16 }

/// Methods of `f32`, rounded.
macro_rules! in_single {
    ($t:ident $(($($arg:ident: $A:ident),*): $($name:ident)*;)*) => { $( in_single! { @one $t ($($arg: $A),*) $($name)* } )* };
    (@one $t:ident $args:tt $($name:ident)*) => { $( in_single! { @method $t $args $name } )* };
    (@method $t:ident ($($arg:ident: $A:ident),*) $name:ident) => {
        #[inline]
        fn $name(self $(, $arg: $A)*) -> Self { $t::of_single(f32::$name(self.single() $(, in_single!(@arg $arg $A))*)) }
    };
    (@arg $arg:ident Self) => { $arg.single() };
    (@arg $arg:ident $A:ident) => { $arg };
}

/// Methods of the type itself.
macro_rules! own {
    ($t:ident $(($($arg:ident: $A:ty),*) -> $R:ty: $($name:ident)*;)*) => { $( own! { @one $t ($($arg: $A),*) $R: $($name)* } )* };
    (@one $t:ident $args:tt $R:ty: $($name:ident)*) => { $( own! { @method $t $args $R: $name } )* };
    (@method $t:ident ($($arg:ident: $A:ty),*) $R:ty: $name:ident) => {
        #[inline]
        fn $name(self $(, $arg: $A)*) -> $R { $t::$name(self $(, $arg)*) }
    };
}

macro_rules! halves {
    ($($t:ident $ty:ident $tau:literal;)*) => { $(
        impl sealed::Sealed for $t {}
        #[diagnostic::do_not_recommend]
        impl Scalar for $t {
            const TYPE: ScalarType = ScalarType::$ty;
            #[inline]
            fn bits(self) -> u128 { self.to_bits().into() }
            #[inline]
            fn of_bits(bits: u128) -> Self { $t::from_bits(bits as u16) }
        }
        impl Extremes for $t {
            #[inline(always)]
            fn ab_min(self, other: Self) -> Self {
                let less = other.rank() < self.rank() && !other.is_no_number();
                if less || self.is_no_number() { other } else { self }
            }
            #[inline(always)]
            fn ab_max(self, other: Self) -> Self {
                let greater = other.rank() > self.rank() && !other.is_no_number();
                if greater || self.is_no_number() { other } else { self }
            }
            #[inline(always)]
            #[track_caller]
            fn ab_clamp(self, lo: Self, hi: Self) -> Self {
                if hi.is_less(lo) || lo.is_no_number() || hi.is_no_number() {
                    fail(message::CLAMP_FLOAT);
                }
                let low = if self.is_less(lo) { lo } else { self };
                if hi.is_less(low) { hi } else { low }
            }
        }
        impl Arithmetic for $t {
            #[inline(always)]
            fn ab_add(self, other: Self) -> Self { $t::of_single(self.single() + other.single()) }
            #[inline(always)]
            fn ab_sub(self, other: Self) -> Self { $t::of_single(self.single() - other.single()) }
            #[inline(always)]
            fn ab_mul(self, other: Self) -> Self { $t::of_single(self.single() * other.single()) }
            #[inline(always)]
            fn ab_div(self, other: Self) -> Self { $t::of_single(self.single() / other.single()) }
            #[inline(always)]
            fn ab_rem(self, other: Self) -> Self { $t::of_single(self.single() % other.single()) }
            #[inline(always)]
            fn ab_div_euclid(self, other: Self) -> Self { Num::div_euclid(self, other) }
            #[inline(always)]
            fn ab_rem_euclid(self, other: Self) -> Self { Num::rem_euclid(self, other) }
            #[inline(always)]
            fn ab_as<U: Arithmetic>(self) -> U { U::ab_from_single(self.single()) }
            #[inline(always)]
            fn ab_from_signed(x: i128) -> Self { $t::of_single(odd_of_signed(x)) }
            #[inline(always)]
            fn ab_from_unsigned(x: u128) -> Self { $t::of_single(odd_of_unsigned(x)) }
            #[inline(always)]
            fn ab_from_single(x: f32) -> Self { $t::of_single(x) }
            #[inline(always)]
            fn ab_from_double(x: f64) -> Self { $t::of_single(odd_of_double(x)) }
        }
        impl SignedArithmetic for $t {
            #[inline(always)]
            fn ab_neg(self) -> Self { -self }
            #[inline(always)]
            fn ab_abs(self) -> Self { Float::abs(self) }
            #[inline(always)]
            fn ab_signum(self) -> Self { self.signum() }
        }
        impl number::FromNumber<bool> for $t {
            #[inline(always)]
            fn from(x: bool) -> Self { if x { $t::ONE } else { $t::ZERO } }
        }
        halves! { @from $t f32 i8 i16 u8 u16 }
        impl Num for $t {
            const ZERO: Self = $t::ZERO;
            const ONE: Self = $t::ONE;
            const MIN: Self = $t::MIN;
            const MAX: Self = $t::MAX;
            const LEAST: Self = $t::NEG_INFINITY;
            const GREATEST: Self = $t::INFINITY;
            in_single! { $t (rhs: Self): div_euclid rem_euclid midpoint; }
        }
        impl Half for $t {
            #[inline(always)]
            fn ab_to_single(self) -> f32 { self.single() }
        }
        impl Float for $t {
            type Bits = u16;
            halves! { @constants $t
                EPSILON INFINITY MIN_POSITIVE NAN NEG_INFINITY
                E FRAC_1_PI FRAC_1_SQRT_2 FRAC_2_PI FRAC_2_SQRT_PI FRAC_PI_2 FRAC_PI_3 FRAC_PI_4 FRAC_PI_6 FRAC_PI_8
                LN_10 LN_2 LOG10_2 LOG10_E LOG2_10 LOG2_E PI SQRT_2
            }
            const TAU: Self = $t::from_bits($tau);
            #[inline]
            fn from_bits(bits: u16) -> Self { $t::from_bits(bits) }
            #[inline]
            fn total_cmp(&self, other: &Self) -> Ordering { $t::total_cmp(self, other) }
            own! { $t
                () -> bool: is_finite is_infinite is_nan is_normal is_sign_negative is_sign_positive;
                () -> u16: to_bits;
                () -> Self: signum;
                (other: Self) -> Self: copysign max min;
                (lo: Self, hi: Self) -> Self: clamp;
            }
            #[inline]
            fn abs(self) -> Self { $t::from_bits(self.to_bits() & 0x7fff) }
            #[inline]
            fn is_subnormal(self) -> bool { !self.is_normal() && self.is_finite() && self != $t::ZERO }
            #[inline]
            fn next_up(self) -> Self {
                let bits = self.to_bits();
                if self.is_nan() || self == $t::INFINITY {
                    return self;
                }
                $t::from_bits(if self == $t::ZERO { 1 } else if self > $t::ZERO { bits + 1 } else { bits - 1 })
            }
            #[inline]
            fn next_down(self) -> Self { -Float::next_up(-self) }
            #[inline]
            fn sin_cos(self) -> (Self, Self) {
                let (sin, cos) = self.single().sin_cos();
                ($t::of_single(sin), $t::of_single(cos))
            }
            in_single! { $t
                (): acos acosh asin asinh atan atanh cbrt ceil cos cosh exp exp2 exp_m1 floor fract ln ln_1p log10 log2
                    recip round round_ties_even sin sinh sqrt tan tanh to_degrees to_radians trunc;
                (other: Self): atan2 hypot log powf;
                (n: i32): powi;
                (a: Self, b: Self): mul_add;
            }
        }
    )* };
    (@from $t:ident $($of:ident)*) => { $(
        impl number::FromNumber<$of> for $t {
            #[inline(always)]
            fn from(x: $of) -> Self { x.ab_as() }
        }
    )* };
    (@constants $t:ident $($name:ident)*) => { $( const $name: Self = $t::$name; )* };
}
halves! { f16 F16 0x4648; bf16 Bf16 0x40c9; }

#[cfg(test)]
mod tests {
    use super::*;

    /// The nearest of the two neighbours of a number, of two equally near ones the even one.
    fn check<T: Half>(x: f64, got: T) {
        let exact = |value: T| f64::from(value.ab_to_single());
        let (below, above) = (got.next_down(), got.next_up());
        let distance = |value: T| (exact(value) - x).abs();
        let is_even = got.to_bits() & T::Bits::ONE == T::Bits::ZERO;
        for other in [below, above].into_iter().filter(|other| other.is_finite()) {
            let near = if is_even { distance(got) <= distance(other) } else { distance(got) < distance(other) };
            assert!(near, "{x:?} became {got:?}");
        }
    }

    fn all<T: Half>() {
        let mut state = 1u64;
        for _ in 0..200_000 {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            // A number half-way between two, or just beside that, and random ones.
            let exponent = (state >> 20) % 38 + 1023 - 25;
            let fraction = match state >> 61 {
                0 => (state >> 12) & 0x000f_ffff_ffff_ffff,
                1 => (state >> 30 & 0x3ff) << 42 | 1 << 41,
                2 => (state >> 30 & 0x3ff) << 42 | 1 << 41 | 1,
                3 => ((state >> 30 & 0x3ff) << 42 | 1 << 41) - 1,
                4 => (state >> 30 & 0x7f) << 45 | 1 << 44,
                5 => (state >> 30 & 0x7f) << 45 | 1 << 44 | 1,
                _ => ((state >> 30 & 0x7f) << 45 | 1 << 44) - 1,
            };
            let x = f64::from_bits(exponent << 52 | fraction);
            if x < 65504.0 {
                check(x, T::ab_from_double(x));
                check(-x, T::ab_from_double(-x));
            }
            let int = state >> 33 >> (state % 31);
            if int < 65504 || T::MAX > T::from(65504.0) {
                check(int as f64, T::ab_from_unsigned(int.into()));
                check(-(int as f64), T::ab_from_signed(-i128::from(int)));
            }
        }
    }

    #[test]
    fn conversions_round_once() {
        all::<f16>();
        all::<bf16>();
        // Half-way between two, and one more, which has no room in an `f64`.
        let tie = (1u128 << 100) + (1 << 92);
        assert_eq!(tie.cast_to::<bf16>().to_f32(), 2f32.powi(100));
        assert_eq!((tie + 1).cast_to::<bf16>().to_f32(), 2f32.powi(100) + 2f32.powi(93));
        assert_eq!(u128::MAX.cast_to::<bf16>(), bf16::INFINITY);
        assert_eq!(f64::MAX.cast::<bf16>(), bf16::INFINITY);
        assert_eq!((-1e-300f64).cast::<f16>().to_bits(), 0x8000);
        assert_eq!(65519.9f64.cast::<f16>(), f16::MAX);
        assert_eq!(65520u32.cast::<f16>(), f16::INFINITY);
        assert_eq!(f16::INFINITY.cast::<u8>(), 255);
        assert!(f64::NAN.cast::<bf16>().is_nan());
    }

    trait CastTo: Num {
        fn cast_to<U: Num>(self) -> U {
            self.cast()
        }
    }
    impl CastTo for u128 {}

    /// Generic host code takes them as any float.
    #[test]
    fn they_are_floats() {
        fn norm<T: Float>(values: &[T]) -> T {
            let mut sum = T::ZERO;
            for &x in values {
                sum += x * x;
            }
            (sum + T::from(0.25) * T::from(true) + T::from(0u8)).sqrt().max(T::EPSILON)
        }
        assert_eq!(norm(&[3.0f32, 4.0]), 25.25f32.sqrt());
        assert_eq!(norm(&[f16::from_f32(3.0), f16::from_f32(4.0)]), f16::from_f32(25.25f32.sqrt()));
        assert_eq!(norm(&[bf16::from_f32(3.0), bf16::from_f32(4.0)]), bf16::from_f32(25.25f32.sqrt()));
        assert_eq!(f16::TAU, f16::from_f32(std::f32::consts::TAU));
        assert_eq!(bf16::TAU, bf16::from_f32(std::f32::consts::TAU));
    }
}
