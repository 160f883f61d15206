//! `f16` and `bf16` of the crate `half`. [`plain`] has the same functions without `#[kernel]`, as
//! ordinary Rust.

use anabranch::half::{bf16, f16};
use anabranch::prelude::*;

/// A struct with both, which Rust may reorder.
#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mixed {
    /// One byte.
    pub flag: u8,
    /// One of them.
    pub weight: f16,
    /// The other, in an array.
    pub parts: [bf16; 3],
    /// A word.
    pub count: u32,
}

/// A constant.
pub const THIRD: f16 = f16::from_f32_const(1.0 / 3.0);

/// A table.
pub const TABLE: [bf16; 3] = [bf16::ONE, bf16::from_f32_const(0.1), bf16::NEG_INFINITY];

/// An alias.
pub type Half = f16;

/// A function of any float.
#[device]
pub fn smooth<T: Float>(x: T, low: T, high: T) -> T {
    let t = ((x - low) / (high - low)).max(T::ZERO).min(T::from(1.0));
    t * t * (T::from(3u8) - T::from(2.0) * t)
}

/// Takes one of them apart.
#[device]
pub fn sign_and_rest(x: &mut f16) -> (bool, f16) {
    let negative = x.is_sign_negative();
    if negative {
        *x = -*x;
    }
    (negative, *x)
}

/// The larger of two, if both are numbers.
#[device]
pub fn larger(a: bf16, b: bf16) -> Option<bf16> {
    if a.is_nan() || b.is_nan() { None } else { Some(if a > b { a } else { b }) }
}

macro_rules! exhaustive {
    ($($name:ident $binary:ident: $t:ident;)*) => { $(
        /// Everything that has one operand, of any number: 24 results an element, and 6 flags.
        #[kernel]
        pub fn $name(x: &[$t], out: &mut [$t], single: &mut [f32], ints: &mut [i64], flags: &mut [bool]) {
            for i in par(0..x.len()) {
                let v = x[i];
                single[i * 3] = v.to_f32();
                single[i * 3 + 1] = v.cast();
                single[i * 3 + 2] = f32::from(v) + v.to_f64() as f32;
                ints[i * 2] = v.cast();
                ints[i * 2 + 1] = v.cast::<u8>() as i64 + v.to_bits() as i64;
                out[i * 24] = $t::from_f32(v.to_f32());
                out[i * 24 + 1] = -v;
                out[i * 24 + 2] = v.abs();
                out[i * 24 + 3] = v.sqrt();
                out[i * 24 + 4] = v.floor();
                out[i * 24 + 5] = v.ceil();
                out[i * 24 + 6] = v.round();
                out[i * 24 + 7] = v.round_ties_even();
                out[i * 24 + 8] = v.trunc();
                out[i * 24 + 9] = v.fract();
                out[i * 24 + 10] = v.recip();
                out[i * 24 + 11] = v.signum();
                out[i * 24 + 12] = v.next_up();
                out[i * 24 + 13] = v.next_down();
                out[i * 24 + 14] = v.to_degrees();
                out[i * 24 + 15] = $t::from_bits(v.to_bits() ^ 0x8001);
                out[i * 24 + 16] = (v.to_f32() * 1.0001).cast();
                out[i * 24 + 17] = $t::from_f64(v.to_f64() * 1.0001);
                out[i * 24 + 18] = v.cast::<f16>().cast::<bf16>().cast();
                out[i * 24 + 19] = v.powi(3);
                out[i * 24 + 20] = v.to_bits().cast();
                out[i * 24 + 21] = $t::MAX.min(v);
                out[i * 24 + 22] = v.midpoint($t::ONE);
                out[i * 24 + 23] = $t::from(-3i8) * v.mul_add(v, $t::EPSILON);
                flags[i * 6] = v.is_nan();
                flags[i * 6 + 1] = v.is_finite();
                flags[i * 6 + 2] = v.is_infinite();
                flags[i * 6 + 3] = v.is_normal();
                flags[i * 6 + 4] = v.is_subnormal();
                flags[i * 6 + 5] = v == v;
            }
        }

        /// Everything that has two operands: 16 results an element, and 6 flags.
        #[kernel]
        pub fn $binary(x: &[$t], y: &[$t], out: &mut [$t], flags: &mut [bool]) {
            for i in par(0..x.len()) {
                let (a, b) = (x[i], y[i]);
                out[i * 16] = a + b;
                out[i * 16 + 1] = a - b;
                out[i * 16 + 2] = a * b;
                out[i * 16 + 3] = a / b;
                out[i * 16 + 4] = a % b;
                out[i * 16 + 5] = a.min(b);
                out[i * 16 + 6] = a.max(b);
                out[i * 16 + 7] = a.copysign(b);
                out[i * 16 + 8] = a.rem_euclid(b);
                out[i * 16 + 9] = a.div_euclid(b);
                out[i * 16 + 10] = a * b + a;
                let mut c = a;
                c += b;
                out[i * 16 + 11] = c;
                c -= a;
                c *= b;
                out[i * 16 + 12] = c;
                c /= a;
                out[i * 16 + 13] = c;
                c %= b;
                out[i * 16 + 14] = c;
                out[i * 16 + 15] = $t::max(a, b).midpoint(b);
                flags[i * 6] = a == b;
                flags[i * 6 + 1] = a != b;
                flags[i * 6 + 2] = a < b;
                flags[i * 6 + 3] = a <= b;
                flags[i * 6 + 4] = a > b;
                flags[i * 6 + 5] = (a, b) >= (b, a);
            }
        }
    )* };
}
exhaustive! { unary_f16 binary_f16: f16; unary_bf16 binary_bf16: bf16; }

/// A kernel of any float.
#[kernel]
pub fn generic<T: Float>(x: &mut [T], scale: T) {
    for i in par(0..x.len()) {
        let mut v = smooth(x[i], T::from(-1.0), scale) + T::PI.cast::<f32>().cast();
        v /= T::from(i % 7 == 0) + T::ONE;
        x[i] = -v.sqrt();
    }
}

macro_rules! both {
    ($($(#[$attr:meta])* fn $name:ident($($arg:tt)*) $body:block)*) => {
        $(
            $(#[$attr])*
            #[kernel]
            pub fn $name($($arg)*) $body
        )*

        /// The same as ordinary Rust.
        #[allow(missing_docs, clippy::needless_range_loop, clippy::ptr_arg, reason = "they read as the kernels do")]
        pub mod plain {
            use super::*;
            use crate::kernels::patterns::par::par;
            $(
                pub fn $name($($arg)*) $body
            )*
        }
    };
}
both! {
    /// Structs, arrays, tuples, parameters, host values, constants, references and options of them.
    fn places(x: &mut [Mixed], y: &mut [[f16; 2]], scale: f16, offset: bf16) {
        let host = scale * f16::from_f32(2.0);
        let pair = (offset, [host; 2]);
        for i in par(0..x.len()) {
            x[i].weight += THIRD * host;
            x[i].parts[i % 3] = x[i].parts[i % 2] * TABLE[i % 3] + pair.0;
            let Mixed { weight, parts: [first, ..], .. } = x[i];
            let mut local = weight - scale;
            let (negative, rest) = sign_and_rest(&mut local);
            let sum = match larger(first, offset) {
                Some(larger) if larger > bf16::ZERO => larger,
                Some(_) => bf16::NEG_ONE,
                None => pair.0,
            };
            x[i].parts[2] = sum;
            y[i] = [if negative { rest } else { Half::max(local, f16::EPSILON) }, pair.1[1]];
            y[i][0] /= smooth(f16::from_f32(0.5), f16::ZERO, host);
            x[i] = Mixed { count: x[i].count + y[i][0].to_f32() as u32, ..x[i] };
        }
    }
}

/// Grids of them.
#[kernel]
pub fn grids(x: &mut Grid<f16, 2>, y: &Grid<bf16, 2>) {
    let [rows, columns] = y.shape();
    for (r, c) in par((0..rows, 0..columns)) {
        x[[r, c]] += y[[r, c]].cast();
    }
}

/// A text of them.
#[kernel]
pub fn prints(x: &[f16], y: &[bf16]) {
    for i in par(0..x.len()) {
        println!("{} {:?} {:.3}", x[i], (y[i], 1u8), x[i]);
    }
}

/// Fails where bounds are wrong.
#[kernel]
pub fn clamps(x: &mut [f16], low: f16, high: f16) {
    for i in par(0..x.len()) {
        x[i] = x[i].clamp(low, high);
    }
}

super::sources!(unary_f16, binary_f16, unary_bf16, binary_bf16, places, grids, prints, clamps);

/// The instances of the generic kernel.
pub fn typed() -> Vec<super::Source> {
    vec![source!("generic_f16", generic, f16), source!("generic_bf16", generic, bf16)]
}
