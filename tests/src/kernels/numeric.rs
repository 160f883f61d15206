//! Methods of the numeric types.

use anabranch::prelude::*;

macro_rules! float_methods {
    ($($name:ident: $t:ty, $bits:ty),* $(,)?) => { $(
        /// Methods of one float type that IEEE rounds exactly: equal on every device. 16 results an
        /// element.
        #[kernel]
        pub fn $name(a: &[$t], b: &[$t], out: &mut [$t], bits: &mut [$bits], flags: &mut [bool]) {
            for i in par(0..a.len()) {
                let x = a[i];
                let y = b[i];
                out[i * 16] = x.abs();
                out[i * 16 + 1] = x.abs().sqrt();
                out[i * 16 + 2] = x.floor();
                out[i * 16 + 3] = x.ceil();
                out[i * 16 + 4] = x.round();
                out[i * 16 + 5] = x.trunc();
                out[i * 16 + 6] = x.fract();
                out[i * 16 + 7] = x.signum();
                out[i * 16 + 8] = x.copysign(y);
                out[i * 16 + 9] = x.min(y);
                out[i * 16 + 10] = x.max(y);
                out[i * 16 + 11] = x.clamp(-1.0, 2.0);
                out[i * 16 + 12] = x.mul_add(y, 1.0);
                out[i * 16 + 13] = x.recip();
                out[i * 16 + 14] = x.round_ties_even();
                out[i * 16 + 15] = <$t>::from_bits(y.to_bits());
                bits[i] = x.to_bits();
                flags[i * 5] = x.is_nan();
                flags[i * 5 + 1] = x.is_finite();
                flags[i * 5 + 2] = x.is_infinite();
                flags[i * 5 + 3] = x.is_sign_negative();
                flags[i * 5 + 4] = x.is_sign_positive();
            }
        }
    )* };
}
/// Methods of products and quotients, which a GPU may fuse with a sum that comes after them. They
/// must not be fused with what is in a method. 12 results an element.
#[kernel]
pub fn of_products(a: &[f32], b: &[f32], out: &mut [f32], wide: &mut [f64]) {
    for i in par(0..a.len()) {
        let (x, y) = (a[i] * b[i], a[i] as f64 * b[i].sqrt() as f64);
        out[i * 12] = x.is_finite() as u32 as f32;
        out[i * 12 + 1] = x.is_infinite() as u32 as f32;
        out[i * 12 + 2] = (a[i] * b[i]).fract();
        out[i * 12 + 3] = (a[i] * b[i]).next_up();
        out[i * 12 + 4] = (a[i] * b[i]).next_down();
        out[i * 12 + 5] = (a[i] * b[i]).midpoint(x);
        out[i * 12 + 6] = (a[i] * b[i]).round();
        out[i * 12 + 7] = (a[i] * b[i]).signum();
        out[i * 12 + 8] = (a[i] * b[i]).rem_euclid(0.75);
        out[i * 12 + 9] = (a[i] * b[i]).div_euclid(0.75);
        out[i * 12 + 10] = (a[i] * b[i]).clamp(-3.0, 3.0);
        out[i * 12 + 11] = x.is_nan() as u32 as f32;
        wide[i * 12] = y.is_finite() as u32 as f64;
        wide[i * 12 + 1] = y.is_infinite() as u32 as f64;
        wide[i * 12 + 2] = (a[i] as f64 * b[i].sqrt() as f64).fract();
        wide[i * 12 + 3] = (a[i] as f64 * b[i].sqrt() as f64).next_up();
        wide[i * 12 + 4] = (a[i] as f64 * b[i].sqrt() as f64).next_down();
        wide[i * 12 + 5] = (a[i] as f64 * 0.1).midpoint(b[i] as f64 * 0.3);
        wide[i * 12 + 6] = y.round();
        wide[i * 12 + 7] = y.signum();
        wide[i * 12 + 8] = (a[i] as f64 * 0.1).rem_euclid(0.75);
        wide[i * 12 + 9] = (a[i] as f64 * 0.1).div_euclid(0.75);
        wide[i * 12 + 10] = y.clamp(-3.0, 3.0);
        wide[i * 12 + 11] = y.is_nan() as u32 as f64;
    }
}

float_methods! { exact_f32: f32, u32, exact_f64: f64, u64 }

/// Methods whose last bits may differ between devices. 20 results an element.
#[kernel]
pub fn transcendental(a: &[f32], out: &mut [f32]) {
    for i in par(0..a.len()) {
        let x = a[i];
        out[i * 20] = x.sin();
        out[i * 20 + 1] = x.cos();
        out[i * 20 + 2] = x.tan();
        out[i * 20 + 3] = (x * 0.1).asin();
        out[i * 20 + 4] = (x * 0.1).acos();
        out[i * 20 + 5] = x.atan();
        out[i * 20 + 6] = x.atan2(0.7);
        out[i * 20 + 7] = x.sinh();
        out[i * 20 + 8] = x.cosh();
        out[i * 20 + 9] = x.tanh();
        out[i * 20 + 10] = x.exp();
        out[i * 20 + 11] = x.exp2();
        out[i * 20 + 12] = x.exp_m1();
        out[i * 20 + 13] = (x.abs() + 0.5).ln();
        out[i * 20 + 14] = x.abs().ln_1p();
        out[i * 20 + 15] = (x.abs() + 0.5).log2() + (x.abs() + 0.5).log10();
        out[i * 20 + 16] = x.cbrt();
        out[i * 20 + 17] = x.hypot(2.0);
        out[i * 20 + 18] = x.abs().powf(1.5) + x.powi(3);
        out[i * 20 + 19] = x.to_degrees().to_radians();
    }
}

macro_rules! integer_methods {
    ($($name:ident: $t:ty),* $(,)?) => {
        $(
            /// Methods of one integer type, 16 values and 9 counts an element. Divisors must not be
            /// 0.
            #[kernel]
            pub fn $name(a: &[$t], b: &[$t], out: &mut [$t], counts: &mut [u32]) {
                for i in par(0..a.len()) {
                    let x = a[i];
                    let y = b[i];
                    out[i * 16] = x.pow(3);
                    out[i * 16 + 1] = x.min(y);
                    out[i * 16 + 2] = x.max(y);
                    out[i * 16 + 3] = x.clamp(3, 90);
                    out[i * 16 + 4] = x.wrapping_add(y);
                    out[i * 16 + 5] = x.wrapping_sub(y);
                    out[i * 16 + 6] = x.wrapping_mul(y);
                    out[i * 16 + 7] = x.saturating_add(y);
                    out[i * 16 + 8] = x.saturating_sub(y);
                    out[i * 16 + 9] = x.saturating_mul(y);
                    out[i * 16 + 10] = x.rotate_left(3);
                    out[i * 16 + 11] = x.rotate_right(1);
                    out[i * 16 + 12] = x.swap_bytes();
                    out[i * 16 + 13] = x.reverse_bits();
                    out[i * 16 + 14] = x.rem_euclid(7);
                    out[i * 16 + 15] = x.div_euclid(7);
                    counts[i * 5] = x.count_ones();
                    counts[i * 5 + 1] = x.count_zeros();
                    counts[i * 5 + 2] = x.leading_zeros();
                    counts[i * 5 + 3] = x.trailing_zeros();
                    counts[i * 5 + 4] = x.abs_diff(y) as u32;
                }
            }
        )*
        const INTEGERS: &[crate::kernels::Source] = &[$(source!(stringify!($name), $name)),*];
    };
}
integer_methods! {
    methods_i8: i8, methods_i16: i16, methods_i32: i32, methods_i64: i64, methods_i128: i128, methods_isize: isize,
    methods_u8: u8, methods_u16: u16, methods_u32: u32, methods_u64: u64, methods_u128: u128, methods_usize: usize,
}

/// Methods that only signed or only unsigned types have.
#[kernel]
pub fn signed_and_unsigned(s: &[i16], u: &[u16], a: &mut [i16], b: &mut [u16], flags: &mut [bool]) {
    for i in par(0..s.len()) {
        a[i] = s[i].abs() ^ s[i].signum() ^ s[i].wrapping_neg() ^ s[i].wrapping_shl(17) ^ s[i].wrapping_div(3);
        b[i] = s[i].unsigned_abs() ^ u[i].div_ceil(3) ^ u[i].wrapping_shr(19) ^ u[i].wrapping_rem(5);
        flags[i] = u[i].is_power_of_two() || s[i].is_positive() && !s[i].is_negative();
    }
}

/// `From` between numbers, without loss.
#[kernel]
pub fn conversions(x: &[u8], out: &mut [f64], wide: &mut [i64]) {
    for i in par(0..x.len()) {
        out[i] = f64::from(x[i]) + f64::from(f32::from(u16::from(x[i]))) + f64::from(u32::from(x[i] > 7));
        wide[i] = i64::from(x[i]) - 300;
    }
}

crate::kernels::sources! { of_products, exact_f32, exact_f64, transcendental, signed_and_unsigned, conversions }

/// The kernels that are written once for many types.
pub fn typed() -> Vec<crate::kernels::Source> {
    INTEGERS.to_vec()
}
