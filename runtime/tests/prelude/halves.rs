//! `f16` and `bf16`: operators and methods against those of the crate `half`, and where it has none
//! against those of `f32`, rounded once.

use super::floats::{Inverse, TRANSCENDENTAL_ULP, total_order};
use super::ints::bytes;
use super::table::{Table, methods};
use super::values::{Random, Value};
use anabranch::private::op as twin;
use anabranch::{Float, Num};
use half::{bf16, f16};

macro_rules! values {
    ($($T:ident $name:literal;)*) => { $(
        impl Value for $T {
            const NAME: &'static str = $name;
            fn from_wide(bits: u128) -> Self {
                Self::from_bits(bits as u16)
            }
            fn wide(self) -> u128 {
                u128::from(self.to_bits())
            }
            /// Also the neighbours of numbers that an operation may round to.
            fn edges() -> Vec<Self> {
                let positive = [0.0, 1.0, 1.5, 2.5, 0.3, 45.6, 255.0, 256.0, 65504.0, 3e38, 6e-5, 1e-7, 1e-39, f32::INFINITY];
                let near = |bits: u16| [bits.saturating_sub(1), bits, bits + 1].map(Self::from_bits);
                let mut all: Vec<_> = positive.iter().flat_map(|&x| near(Self::from_f32(x).to_bits())).collect();
                all.retain(|x| !x.is_nan());
                all.push(Self::NAN);
                all.iter().flat_map(|&x| [x, -x]).collect()
            }
            fn random(random: &mut Random) -> Self {
                let x = Self::from_bits(random.next() as u16);
                if x.is_nan() { Self::NAN } else { x }
            }
            fn distance(self, other: Self) -> u128 {
                if self.is_nan() || other.is_nan() {
                    return if self.is_nan() && other.is_nan() { 0 } else { u128::MAX };
                }
                let line = |x: Self| {
                    let bits = i32::from(x.to_bits());
                    if bits >= 0x8000 { 0x7fff - bits } else { bits }
                };
                line(self).abs_diff(line(other)).into()
            }
        }
    )* };
}
values! { f16 "ab::f16"; bf16 "ab::bf16"; }

/// Conversions by `cast`.
macro_rules! casts {
    ($t:ident $F:ty => $($T:ident)*) => { $( $t.one(&format!("as<{}>", $T::NAME), |x: $F| Num::cast::<$T>(x)); )* };
}

macro_rules! rows {
    ($t:ident $($T:ident)*) => { $(
        $t.two("add", |a: $T, b: $T| a + b);
        $t.two("sub", |a: $T, b: $T| a - b);
        $t.two("mul", |a: $T, b: $T| a * b);
        $t.two("div", |a: $T, b: $T| Ok(a / b));
        for (symbol, rust) in [
            ("+", (|a, b| a + b) as fn($T, $T) -> $T), ("-", |a, b| a - b), ("*", |a, b| a * b), ("/", |a, b| a / b),
        ] {
            let name = $T::NAME;
            let cases = Table::two_cases::<$T, $T>();
            let code = format!("{name} x = arg<{name}>(in, 0); x {symbol}= arg<{name}>(in, 1); put(out, x);");
            $t.push(name, code, cases.clone(), move |x| rust($T::from_wide(x[0]), $T::from_wide(x[1])));
            let code = format!("put(out, arg<{name}>(in, 0) {symbol} arg<{name}>(in, 1));");
            $t.push(name, code, cases, move |x| rust($T::from_wide(x[0]), $T::from_wide(x[1])));
        }
        for (symbol, rust) in [
            ("==", (|a, b| a == b) as fn($T, $T) -> bool), ("!=", |a, b| a != b), ("<", |a, b| a < b), ("<=", |a, b| a <= b),
            (">", |a, b| a > b), (">=", |a, b| a >= b),
        ] {
            let name = $T::NAME;
            let code = format!("put(out, arg<{name}>(in, 0) {symbol} arg<{name}>(in, 1));");
            $t.push(name, code, Table::two_cases::<$T, $T>(), move |x| rust($T::from_wide(x[0]), $T::from_wide(x[1])));
        }
        $t.one("neg", |a: $T| -a);
        $t.operator("rem", |a: $T, b: $T| a % b);
        $t.operator("rem", |a: $T, b: $T| Ok(a % b));
        casts!($t $T => i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64 f16 bf16);
        $t.one("to_f32", |a: $T| a.to_f32());
        $t.one("to_f64", |a: $T| f64::from(a));
        $t.one(&format!("from_f32<{}>", $T::NAME), |a: f32| $T::from_f32(a));
        $t.one(&format!("from_f64<{}>", $T::NAME), |a: f64| a.cast::<$T>());
        $t.one(&format!("from<{}>", $T::NAME), |a: i8| <$T as From<i8>>::from(a));

        // of two zeros, as of f32
        let min = |a: $T, b: $T| if a == b && b.is_sign_negative() { b } else if a == b { a } else { a.min(b) };
        let max = |a: $T, b: $T| if a == b && a.is_sign_negative() { b } else if a == b { a } else { a.max(b) };
        $t.two_both("min", min, twin::min);
        $t.two_both("max", max, twin::max);
        let clamp = |x: $T, lo: $T, hi: $T| if lo <= hi { Ok(x.clamp(lo, hi)) } else { Err((1, 0)) };
        $t.three_both("clamp", clamp, twin::clamp);
        $t.one_both("abs", |a: $T| Float::abs(a), twin::abs);
        $t.two_both("rem_euclid", |a: $T, b: $T| Ok($T::from_f32(a.to_f32().rem_euclid(b.to_f32()))), twin::rem_euclid);
        $t.two_both("div_euclid", |a: $T, b: $T| Ok($T::from_f32(a.to_f32().div_euclid(b.to_f32()))), twin::div_euclid);
        methods!($t one $T: sqrt floor ceil round round_ties_even trunc fract recip signum next_up next_down to_degrees
            to_radians to_bits is_nan is_finite is_infinite is_normal is_subnormal is_sign_negative is_sign_positive);
        methods!($t two $T, $T: copysign midpoint);
        methods!($t two $T, i32: powi);
        total_order!($t $T);
        $t.three("mul_add", |a: $T, b: $T, c: $T| a.mul_add(b, c));
        $t.one(&format!("from_bits<{}>", $T::NAME), |a: u16| $T::from_bits(a));
        bytes!($t $T u16: to_be_bytes from_be_bytes to_le_bytes from_le_bytes to_ne_bytes from_ne_bytes);
        for (name, rust) in [
            ("exp", Float::exp as fn($T) -> $T), ("exp2", Float::exp2), ("exp_m1", Float::exp_m1), ("ln", Float::ln),
            ("ln_1p", Float::ln_1p), ("log2", Float::log2), ("log10", Float::log10), ("sin", Float::sin), ("cos", Float::cos),
            ("tan", Float::tan), ("asin", Float::asin), ("acos", Float::acos), ("atan", Float::atan), ("sinh", Float::sinh),
            ("cosh", Float::cosh), ("tanh", Float::tanh), ("cbrt", Float::cbrt), ("asinh", |x| $T::from_f32(x.to_f32().asinh_well())),
            ("acosh", |x| $T::from_f32(x.to_f32().acosh_well())), ("atanh", |x| $T::from_f32(x.to_f32().atanh_well())),
        ] {
            $t.one(name, rust);
            $t.within(TRANSCENDENTAL_ULP);
        }
        for (name, rust) in [("powf", Float::powf as fn($T, $T) -> $T), ("atan2", Float::atan2), ("hypot", Float::hypot), ("log", Float::log)] {
            $t.two(name, rust);
            $t.within(TRANSCENDENTAL_ULP);
        }
        for (part, rust) in [("m0", Float::sin as fn($T) -> $T), ("m1", Float::cos)] {
            let code = format!("put(out, ab::sin_cos(arg<{}>(in, 0)).{part});", $T::NAME);
            $t.push($T::NAME, code, Table::one_cases::<$T>(), move |x| rust($T::from_wide(x[0])));
            $t.within(TRANSCENDENTAL_ULP);
        }
    )* };
}

macro_rules! from {
    ($t:ident $($F:ident)*) => { $( casts!($t $F => f16 bf16); )* };
}

pub(crate) fn halves(t: &mut Table) {
    rows!(t f16 bf16);
    from!(t i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64);
}
