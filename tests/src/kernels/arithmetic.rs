//! Operators of every primitive type.

use anabranch::prelude::*;

macro_rules! integers {
    ($($name:ident: $t:ty),* $(,)?) => {
        $(
            /// The operators of one integer type, ten results an element:
            /// `+ - * & | ^ << >> -(neg or !) !`, and three comparisons.
            #[kernel]
            pub fn $name(a: &[$t], b: &[$t], out: &mut [$t], flags: &mut [bool]) {
                for i in par(0..a.len()) {
                    let x = a[i];
                    let y = b[i];
                    out[i * 9] = x + y;
                    out[i * 9 + 1] = x - y;
                    out[i * 9 + 2] = x * y;
                    out[i * 9 + 3] = x & y;
                    out[i * 9 + 4] = x | y;
                    out[i * 9 + 5] = x ^ y;
                    out[i * 9 + 6] = x << (y & 31);
                    out[i * 9 + 7] = x >> (y & 31);
                    out[i * 9 + 8] = !x;
                    flags[i * 3] = x < y;
                    flags[i * 3 + 1] = x == y || !(x <= y) && x != 3;
                    flags[i * 3 + 2] = (x > y) ^ (y >= 7);
                }
            }
        )*
        const INTEGERS: &[crate::kernels::Source] = &[$(source!(stringify!($name), $name)),*];
    };
}
integers! {
    operators_i8: i8, operators_i16: i16, operators_i32: i32, operators_i64: i64, operators_i128: i128, operators_isize: isize,
    operators_u8: u8, operators_u16: u16, operators_u32: u32, operators_u64: u64, operators_u128: u128, operators_usize: usize,
}

macro_rules! floats {
    ($($name:ident: $t:ty),* $(,)?) => {
        $(
            /// The operators of one float type, and the smaller and the greater number, also of
            /// constants: twelve results an element.
            #[kernel]
            pub fn $name(a: &[$t], b: &[$t], out: &mut [$t]) {
                for i in par(0..a.len()) {
                    out[i * 12] = a[i] + b[i];
                    out[i * 12 + 1] = a[i] - b[i];
                    out[i * 12 + 2] = a[i] * b[i];
                    out[i * 12 + 3] = a[i] / b[i];
                    out[i * 12 + 4] = a[i] % b[i];
                    out[i * 12 + 5] = -a[i];
                    out[i * 12 + 6] = a[i].min(b[i]);
                    out[i * 12 + 7] = a[i].max(b[i]);
                    out[i * 12 + 8] = a[i].min(-0.0);
                    out[i * 12 + 9] = a[i].max(0.0);
                    let zero: $t = -0.0;
                    out[i * 12 + 10] = zero.max(0.0);
                    out[i * 12 + 11] = <$t>::min(0.0, zero);
                }
            }
        )*
        const FLOATS: &[crate::kernels::Source] = &[$(source!(stringify!($name), $name)),*];
    };
}
floats! { operators_f32: f32, operators_f64: f64 }

/// Division and remainder, which can fail.
#[kernel]
pub fn quotients(a: &[i32], b: &[i32], quotient: &mut [i32], remainder: &mut [i32]) {
    for i in par(0..a.len()) {
        quotient[i] = a[i] / b[i];
        remainder[i] = a[i] % b[i];
    }
}

/// Compound assignments, on elements and on variables, of a type that C++ would promote.
#[kernel]
pub fn compound(x: &mut [u8], y: &[u8]) {
    for i in par(0..x.len()) {
        let mut t = y[i];
        t += 200;
        t *= 3;
        t -= 7;
        t |= 1;
        t <<= 9;
        x[i] += t;
        x[i] ^= y[i] >> 2;
        x[i] /= 3;
    }
}

/// `as` between every kind of number.
#[kernel]
pub fn casts(x: &[f32], bytes: &mut [u8], signed: &mut [i16], wide: &mut [u64], back: &mut [f64]) {
    for i in par(0..x.len()) {
        bytes[i] = x[i] as u8;
        signed[i] = x[i] as i16;
        wide[i] = x[i] as u64;
        let narrow = wide[i] as u32 as i8;
        back[i] = narrow as f64 + (x[i] > 0.0) as u8 as f64 + signed[i] as f32 as f64;
    }
}

/// Literals take their type from their use, as in Rust.
#[kernel]
pub fn inferred(x: &mut [f64], k: &mut [u8], n: u32) {
    for i in par(0..x.len()) {
        let mut sum = 0.0;
        let mut count = 250;
        for j in 0..n {
            sum += 0.1;
            count += 1;
            if j == 0xFF_u32 {
                sum = 1e300;
            }
        }
        x[i] = sum;
        k[i] = count;
    }
}

crate::kernels::sources! { quotients, compound, casts, inferred }

/// The kernels that are written once for many types.
pub fn typed() -> Vec<crate::kernels::Source> {
    [INTEGERS, FLOATS].concat()
}
