use anabranch::prelude::*;

use crate::kernels::numeric as k;

use super::noise;

macro_rules! exact {
    ($($kernel:ident: $t:ident, $bits:ty),* $(,)?) => { $(
        pub fn $kernel(device: &Device, stream: &Stream) {
            let edges = [0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 1e-40, 8388608.5, 3.0e38, $t::INFINITY, $t::NEG_INFINITY, $t::NAN, -7.25];
            let a: Vec<$t> = edges.iter().copied().chain(noise(500).map(|v| v as i64 as $t * 1e-17)).collect();
            let b: Vec<$t> = a.iter().rev().copied().collect();
            let (da, db) = (device.buffer_from(&a).unwrap(), device.buffer_from(&b).unwrap());
            let mut out = device.zeros::<$t>(a.len() * 16).unwrap();
            let mut bits = device.zeros::<$bits>(a.len()).unwrap();
            let mut flags = device.zeros::<bool>(a.len() * 5).unwrap();
            k::$kernel(stream, &da, &db, &mut out, &mut bits, &mut flags).unwrap();
            let (out, bits, flags) = (out.to_vec().unwrap(), bits.to_vec().unwrap(), flags.to_vec().unwrap());
            for (i, (&x, &y)) in a.iter().zip(&b).enumerate() {
                let expected = [
                    x.abs(), x.abs().sqrt(), x.floor(), x.ceil(), x.round(), x.trunc(), x.fract(), x.signum(), x.copysign(y),
                    x.min(y), x.max(y), x.clamp(-1.0, 2.0), x.mul_add(y, 1.0), x.recip(), x.round_ties_even(), y,
                ];
                for (at, (got, want)) in out[i * 16..].iter().zip(expected).enumerate() {
                    let same = got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan() || *got == 0.0 && want == 0.0;
                    assert!(same, "method {at} of {x}, {y}: {got}, not {want}");
                }
                assert_eq!(bits[i], x.to_bits());
                let expected =
                    [x.is_nan(), x.is_finite(), x.is_infinite(), x.is_sign_negative(), x.is_sign_positive()];
                assert_eq!(flags[i * 5..][..5], expected, "{x}");
            }
        }
    )* };
}
exact! { exact_f32: f32, u32, exact_f64: f64, u64 }

/// The stand-in for the driver never fuses: only a GPU can fail this.
pub fn of_products(device: &Device, stream: &Stream) {
    let edges = [0.0, -0.0, 1.5, f32::INFINITY, f32::NAN, 3.0e38, 0.1, 7.0];
    let some = |seed: usize| noise(500 + seed).skip(seed).map(|v| v as i64 as f32 * 1e-18);
    let a: Vec<f32> = edges.iter().copied().chain(some(0)).chain((1..200).map(|i| i as f32)).collect();
    let b: Vec<f32> = edges.iter().rev().copied().chain(some(7)).chain((1..200).map(|i| 1.0 / i as f32)).collect();
    let (mut out, mut wide) = (device.zeros(a.len() * 12).unwrap(), device.zeros(a.len() * 12).unwrap());
    k::of_products(stream, &device.buffer_from(&a).unwrap(), &device.buffer_from(&b).unwrap(), &mut out, &mut wide)
        .unwrap();
    let (out, wide) = (out.to_vec().unwrap(), wide.to_vec().unwrap());
    for (i, (&a, &b)) in a.iter().zip(&b).enumerate() {
        let (x, y) = (a * b, a as f64 * b.sqrt() as f64);
        let tenth = a as f64 * 0.1;
        let flag = |flag: bool| f32::from(u8::from(flag));
        let expected = [
            flag(x.is_finite()),
            flag(x.is_infinite()),
            x.fract(),
            x.next_up(),
            x.next_down(),
            x.midpoint(x),
            x.round(),
            x.signum(),
            x.rem_euclid(0.75),
            x.div_euclid(0.75),
            x.clamp(-3.0, 3.0),
            flag(x.is_nan()),
        ];
        let expected_wide = [
            f64::from(flag(y.is_finite())),
            f64::from(flag(y.is_infinite())),
            y.fract(),
            y.next_up(),
            y.next_down(),
            tenth.midpoint(b as f64 * 0.3),
            y.round(),
            y.signum(),
            tenth.rem_euclid(0.75),
            tenth.div_euclid(0.75),
            y.clamp(-3.0, 3.0),
            f64::from(flag(y.is_nan())),
        ];
        for (at, (got, want)) in out[i * 12..].iter().zip(expected).enumerate() {
            assert!(*got == want || got.is_nan() && want.is_nan(), "method {at} of {a} * {b}: {got}, not {want}");
        }
        for (at, (got, want)) in wide[i * 12..].iter().zip(expected_wide).enumerate() {
            assert!(*got == want || got.is_nan() && want.is_nan(), "wide method {at} of {a}, {b}: {got}, not {want}");
        }
    }
}

pub fn transcendental(device: &Device, stream: &Stream) {
    let a: Vec<f32> = (-40..40).map(|i| i as f32 * 0.21).collect();
    let mut out = device.zeros::<f32>(a.len() * 20).unwrap();
    k::transcendental(stream, &device.buffer_from(&a).unwrap(), &mut out).unwrap();
    let out = out.to_vec().unwrap();
    for (i, &x) in a.iter().enumerate() {
        let expected = [
            x.sin(),
            x.cos(),
            x.tan(),
            (x * 0.1).asin(),
            (x * 0.1).acos(),
            x.atan(),
            x.atan2(0.7),
            x.sinh(),
            x.cosh(),
            x.tanh(),
            x.exp(),
            x.exp2(),
            x.exp_m1(),
            (x.abs() + 0.5).ln(),
            x.abs().ln_1p(),
            (x.abs() + 0.5).log2() + (x.abs() + 0.5).log10(),
            x.cbrt(),
            x.hypot(2.0),
            x.abs().powf(1.5) + x.powi(3),
            x.to_degrees().to_radians(),
        ];
        // On the CPU the very same functions: equal. CUDA states at most 4 units in the last place
        // for these, a host's library is 1 off at most, and its compiler contracts the sums; a sum
        // of opposite signs keeps its terms' error.
        for (at, (&got, want)) in out[i * 20..].iter().zip(expected).enumerate() {
            let magnitude = if at == 18 { x.abs().powf(1.5) + x.abs().powi(3) } else { want.abs() };
            let off = if device.is_cpu() { 0.0 } else { 6.0 * f32::EPSILON * magnitude };
            assert!((got - want).abs() <= off || got == want, "method {at} of {x}: {got}, not {want}");
        }
    }
}

macro_rules! integers {
    ($($kernel:ident: $t:ty),* $(,)?) => { $(
        pub fn $kernel(device: &Device, stream: &Stream) {
            let edges = [1, 2, 3, 5, 7, 89, 90, 91, 100, 0, <$t>::MAX, <$t>::MIN, <$t>::MAX - 1, <$t>::MIN + 1];
            let a: Vec<$t> = edges.into_iter().chain(noise(300).map(|v| v as $t)).collect();
            let b: Vec<$t> = a.iter().rev().copied().collect();
            let mut out = device.zeros::<$t>(a.len() * 16).unwrap();
            let mut counts = device.zeros::<u32>(a.len() * 5).unwrap();
            k::$kernel(stream, &device.buffer_from(&a).unwrap(), &device.buffer_from(&b).unwrap(), &mut out, &mut counts).unwrap();
            let (out, counts) = (out.to_vec().unwrap(), counts.to_vec().unwrap());
            for (i, (&x, &y)) in a.iter().zip(&b).enumerate() {
                let expected: [$t; 16] = [
                    x.wrapping_pow(3), x.min(y), x.max(y), x.clamp(3, 90), x.wrapping_add(y), x.wrapping_sub(y), x.wrapping_mul(y),
                    x.saturating_add(y), x.saturating_sub(y), x.saturating_mul(y), x.rotate_left(3), x.rotate_right(1),
                    x.swap_bytes(), x.reverse_bits(), x.rem_euclid(7), x.div_euclid(7),
                ];
                assert_eq!(out[i * 16..][..16], expected, "{x} {y}");
                let expected = [x.count_ones(), x.count_zeros(), x.leading_zeros(), x.trailing_zeros(), x.abs_diff(y) as u32];
                assert_eq!(counts[i * 5..][..5], expected, "{x} {y}");
            }
        }
    )* };
}
integers! {
    methods_i8: i8, methods_i16: i16, methods_i32: i32, methods_i64: i64, methods_i128: i128, methods_isize: isize,
    methods_u8: u8, methods_u16: u16, methods_u32: u32, methods_u64: u64, methods_u128: u128, methods_usize: usize,
}

pub fn signed_and_unsigned(device: &Device, stream: &Stream) {
    let s: Vec<i16> = [0, 1, -1, i16::MIN, i16::MAX, 300, -300].to_vec();
    let u: Vec<u16> = [0, 1, 2, u16::MAX, 1024, 300, 7].to_vec();
    let (mut a, mut b) = (device.zeros::<i16>(s.len()).unwrap(), device.zeros::<u16>(s.len()).unwrap());
    let mut flags = device.zeros::<bool>(s.len()).unwrap();
    let (ds, du) = (device.buffer_from(&s).unwrap(), device.buffer_from(&u).unwrap());
    k::signed_and_unsigned(stream, &ds, &du, &mut a, &mut b, &mut flags).unwrap();
    for i in 0..s.len() {
        let (s, u) = (s[i], u[i]);
        let expected = s.wrapping_abs() ^ s.signum() ^ s.wrapping_neg() ^ s.wrapping_shl(17) ^ s.wrapping_div(3);
        assert_eq!(a.to_vec().unwrap()[i], expected, "{s}");
        let expected = s.unsigned_abs() ^ u.div_ceil(3) ^ u.wrapping_shr(19) ^ u.wrapping_rem(5);
        assert_eq!(b.to_vec().unwrap()[i], expected, "{s} {u}");
        assert_eq!(flags.to_vec().unwrap()[i], u.is_power_of_two() || s > 0, "{s} {u}");
    }
}

pub fn conversions(device: &Device, stream: &Stream) {
    let x: Vec<u8> = (0..=255).collect();
    let (mut out, mut wide) = (device.zeros::<f64>(256).unwrap(), device.zeros::<i64>(256).unwrap());
    k::conversions(stream, &device.buffer_from(&x).unwrap(), &mut out, &mut wide).unwrap();
    let expected: Vec<f64> = x.iter().map(|&x| f64::from(x) * 2.0 + f64::from(u8::from(x > 7))).collect();
    assert_eq!(out.to_vec().unwrap(), expected);
    assert_eq!(wide.to_vec().unwrap(), x.iter().map(|&x| i64::from(x) - 300).collect::<Vec<_>>());
}
