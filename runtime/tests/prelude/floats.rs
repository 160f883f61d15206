//! Operators and methods of floats.

use super::ints::bytes;
use super::table::{Table, casts, methods};
use super::values::Value;
use anabranch::private::op as twin;

/// Rust promises no precision for these; on one machine both languages end up in one C library, of
/// which versions differ.
pub(super) const TRANSCENDENTAL_ULP: u128 = 2;

/// Inverse hyperbolic functions, which Rust computes by formulas of its own and C by better ones:
/// better formulas in Rust.
pub(super) trait Inverse {
    fn asinh_well(self) -> Self;
    fn acosh_well(self) -> Self;
    fn atanh_well(self) -> Self;
}

impl Inverse for f64 {
    fn asinh_well(self) -> f64 {
        let x = self.abs();
        let r = if x > 1e9 { x.ln() + core::f64::consts::LN_2 } else { (x + x * x / (1.0 + x.hypot(1.0))).ln_1p() };
        r.copysign(self)
    }
    fn acosh_well(self) -> f64 {
        let d = self - 1.0;
        if d < 0.0 {
            return f64::NAN;
        }
        if self > 1e9 { self.ln() + core::f64::consts::LN_2 } else { (d + (d * (d + 2.0)).sqrt()).ln_1p() }
    }
    fn atanh_well(self) -> f64 {
        let x = self.abs();
        (0.5 * (2.0 * x / (1.0 - x)).ln_1p()).copysign(self)
    }
}

impl Inverse for f32 {
    fn asinh_well(self) -> f32 {
        f64::from(self).asinh_well() as f32
    }
    fn acosh_well(self) -> f32 {
        f64::from(self).acosh_well() as f32
    }
    fn atanh_well(self) -> f32 {
        f64::from(self).atanh_well() as f32
    }
}

/// `total_cmp`, of NaNs with both signs and different bits, too. Its result is an enum, so the row
/// has a type with the same tag.
macro_rules! total_order {
    ($t:ident $T:ident) => {
        let name = $T::NAME;
        let code = format!(
            "struct O {{ i32 ab_tag; }}; put(out, (u32)(ab::total_cmp<O>(arg<{name}>(in, 0), arg<{name}>(in, 1)).ab_tag + 1));"
        );
        let mut cases = Table::two_cases::<$T, $T>();
        let nans: Vec<u128> = (0..4).flat_map(|bits| [$T::NAN, -$T::NAN].map(|nan| nan.wide() | bits)).collect();
        let mut all: Vec<u128> = <$T as Value>::edges().into_iter().map(Value::wide).collect();
        all.extend(&nans);
        cases.extend(nans.iter().flat_map(|&nan| all.iter().flat_map(move |&other| [[nan, other, 0], [other, nan, 0]])));
        $t.push(name, code, cases, |x| Ok(($T::from_wide(x[0]).total_cmp(&$T::from_wide(x[1])) as i8 + 1) as u32));
    };
}
pub(super) use total_order;

macro_rules! rows {
    ($t:ident $($T:ident $U:ident;)*) => { $(
        $t.two("add", |a: $T, b: $T| a + b);
        $t.two("sub", |a: $T, b: $T| a - b);
        $t.two("mul", |a: $T, b: $T| a * b);
        $t.one("neg", |a: $T| -a);
        $t.two("div", |a: $T, b: $T| Ok(a / b));
        $t.operator("rem", |a: $T, b: $T| a % b);
        $t.operator("rem", |a: $T, b: $T| Ok(a % b));
        casts!($t $T => i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64);

        // std leaves open which of two zeros comes
        let min = |a: $T, b: $T| if a == b && b.is_sign_negative() { b } else if a == b { a } else { a.min(b) };
        let max = |a: $T, b: $T| if a == b && a.is_sign_negative() { b } else if a == b { a } else { a.max(b) };
        $t.two_both("min", min, twin::min);
        $t.two_both("max", max, twin::max);
        let clamp = |x: $T, lo: $T, hi: $T| if lo <= hi { Ok(x.clamp(lo, hi)) } else { Err((1, 0)) };
        $t.three_both("clamp", clamp, twin::clamp);
        $t.one_both("abs", |a: $T| a.abs(), twin::abs);
        $t.two_both("rem_euclid", |a: $T, b: $T| Ok(a.rem_euclid(b)), twin::rem_euclid);
        $t.two_both("div_euclid", |a: $T, b: $T| Ok(a.div_euclid(b)), twin::div_euclid);
        methods!($t one $T: sqrt floor ceil round round_ties_even trunc fract recip signum next_up next_down to_degrees to_radians
            to_bits is_nan is_finite is_infinite is_normal is_subnormal is_sign_negative is_sign_positive);
        methods!($t two $T, $T: copysign midpoint);
        methods!($t two $T, i32: powi);
        total_order!($t $T);
        $t.three("mul_add", |a: $T, b: $T, c: $T| a.mul_add(b, c));
        $t.one(concat!("from_bits<", stringify!($T), ">"), |a: $U| $T::from_bits(a));
        bytes!($t $T $U: to_be_bytes from_be_bytes to_le_bytes from_le_bytes to_ne_bytes from_ne_bytes);
        for (name, rust) in [
            ("exp", $T::exp as fn($T) -> $T), ("exp2", $T::exp2), ("exp_m1", $T::exp_m1), ("ln", $T::ln), ("ln_1p", $T::ln_1p),
            ("log2", $T::log2), ("log10", $T::log10), ("sin", $T::sin), ("cos", $T::cos), ("tan", $T::tan), ("asin", $T::asin),
            ("acos", $T::acos), ("atan", $T::atan), ("sinh", $T::sinh), ("cosh", $T::cosh), ("tanh", $T::tanh), ("cbrt", $T::cbrt),
        ] {
            $t.one(name, rust);
            $t.within(TRANSCENDENTAL_ULP);
        }
        for (name, rust) in [
            ("asinh", Inverse::asinh_well as fn($T) -> $T), ("acosh", Inverse::acosh_well), ("atanh", Inverse::atanh_well),
        ] {
            $t.one(name, rust);
            $t.within(2 * TRANSCENDENTAL_ULP);
        }
        for (name, rust) in [("powf", $T::powf as fn($T, $T) -> $T), ("atan2", $T::atan2), ("hypot", $T::hypot)] {
            $t.two(name, rust);
            $t.within(TRANSCENDENTAL_ULP);
        }
        $t.two("plus", |a: $T, b: $T| a + b);
        $t.two("times", |a: $T, b: $T| a * b);
        $t.two("log", $T::log);
        $t.within(2 * TRANSCENDENTAL_ULP);
        for (part, rust) in [("m0", $T::sin as fn($T) -> $T), ("m1", $T::cos)] {
            let code = format!("put(out, ab::sin_cos(arg<{}>(in, 0)).{part});", stringify!($T));
            $t.push($T::NAME, code, Table::one_cases::<$T>(), move |x| rust($T::from_wide(x[0])));
            $t.within(TRANSCENDENTAL_ULP);
        }
    )* };
}

pub(crate) fn floats(t: &mut Table) {
    rows!(t f32 u32; f64 u64;);
    t.one("from<f64>", |a: f32| f64::from(a));
}
