use anabranch::prelude::*;

use crate::kernels::arithmetic as k;

use super::noise;

macro_rules! integers {
    ($($kernel:ident: $t:ty),* $(,)?) => { $(
        pub fn $kernel(device: &Device, stream: &Stream) {
            let edges = [0, 1, 2, 3, 5, 7, 31, 100, <$t>::MAX, <$t>::MIN, <$t>::MAX - 1, <$t>::MIN + 1, <$t>::MAX / 2];
            let random: Vec<$t> = noise(50).map(|v| v as $t).collect();
            let values: Vec<$t> = edges.into_iter().chain(random).collect();
            let (a, b): (Vec<$t>, Vec<$t>) = values.iter().flat_map(|&x| values.iter().map(move |&y| (x, y))).unzip();
            let (da, db) = (device.buffer_from(&a).unwrap(), device.buffer_from(&b).unwrap());
            let mut out = device.zeros::<$t>(a.len() * 9).unwrap();
            let mut flags = device.zeros::<bool>(a.len() * 3).unwrap();
            k::$kernel(stream, &da, &db, &mut out, &mut flags).unwrap();
            let (out, flags) = (out.to_vec().unwrap(), flags.to_vec().unwrap());
            for (i, (&x, &y)) in a.iter().zip(&b).enumerate() {
                let shift = (y & 31) as u32;
                let expected = [
                    x.wrapping_add(y), x.wrapping_sub(y), x.wrapping_mul(y), x & y, x | y, x ^ y,
                    x.wrapping_shl(shift), x.wrapping_shr(shift), !x,
                ];
                assert_eq!(out[i * 9..][..9], expected, "{x} {y}");
                assert_eq!(flags[i * 3..][..3], [x < y, x == y || x > y && x != 3, (x > y) ^ (y >= 7)], "{x} {y}");
            }
        }
    )* };
}
integers! {
    operators_i8: i8, operators_i16: i16, operators_i32: i32, operators_i64: i64, operators_i128: i128, operators_isize: isize,
    operators_u8: u8, operators_u16: u16, operators_u32: u32, operators_u64: u64, operators_u128: u128, operators_usize: usize,
}

macro_rules! floats {
    ($($kernel:ident: $t:ident),* $(,)?) => { $(
        pub fn $kernel(device: &Device, stream: &Stream) {
            let values = [0.0, -0.0, 1.0, -2.5, 1e-40, 3.0e38, $t::INFINITY, $t::NEG_INFINITY, $t::NAN, $t::EPSILON, 7.25, -0.1];
            let (a, b): (Vec<$t>, Vec<$t>) = values.iter().flat_map(|&x| values.iter().map(move |&y| (x, y))).unzip();
            let (da, db) = (device.buffer_from(&a).unwrap(), device.buffer_from(&b).unwrap());
            let mut out = device.zeros::<$t>(a.len() * 12).unwrap();
            k::$kernel(stream, &da, &db, &mut out).unwrap();
            let out = out.to_vec().unwrap();
            // In the order of numbers, -0 is before 0. A NaN is not there.
            let ordered = |x: $t, y: $t| match (x.is_nan(), y.is_nan()) {
                (true, _) => [y, y],
                (_, true) => [x, x],
                _ if x.total_cmp(&y).is_le() => [x, y],
                _ => [y, x],
            };
            for (i, (&x, &y)) in a.iter().zip(&b).enumerate() {
                let [low, high] = ordered(x, y);
                let of_zeros = [ordered(x, -0.0)[0], ordered(x, 0.0)[1], 0.0, -0.0];
                let expected = [x + y, x - y, x * y, x / y, x % y, -x, low, high].into_iter().chain(of_zeros);
                for (got, want) in out[i * 12..].iter().zip(expected) {
                    assert!(got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan(), "{x} {y}: {got} {want}");
                }
            }
        }
    )* };
}
floats! { operators_f32: f32, operators_f64: f64 }

pub fn quotients(device: &Device, stream: &Stream) {
    let (a, b): (Vec<i32>, Vec<i32>) =
        [(7, 2), (-7, 2), (7, -2), (-7, -2), (i32::MIN, 1), (i32::MIN, 3), (0, 5)].into_iter().unzip();
    let (da, db) = (device.buffer_from(&a).unwrap(), device.buffer_from(&b).unwrap());
    let (mut q, mut r) = (device.zeros::<i32>(a.len()).unwrap(), device.zeros::<i32>(a.len()).unwrap());
    k::quotients(stream, &da, &db, &mut q, &mut r).unwrap();
    let quotients: Vec<i32> = a.iter().zip(&b).map(|(a, b)| a / b).collect();
    let remainders: Vec<i32> = a.iter().zip(&b).map(|(a, b)| a % b).collect();
    assert_eq!(q.to_vec().unwrap(), quotients);
    assert_eq!(r.to_vec().unwrap(), remainders);
}

pub fn compound(device: &Device, stream: &Stream) {
    let x: Vec<u8> = (0..=255).collect();
    let y: Vec<u8> = (0..=255).rev().collect();
    let mut dx = device.buffer_from(&x).unwrap();
    k::compound(stream, &mut dx, &device.buffer_from(&y).unwrap()).unwrap();
    let expected: Vec<u8> = x
        .iter()
        .zip(&y)
        .map(|(&x, &y)| {
            let t = y.wrapping_add(200).wrapping_mul(3).wrapping_sub(7) | 1;
            (x.wrapping_add(t.wrapping_shl(9)) ^ (y >> 2)) / 3
        })
        .collect();
    assert_eq!(dx.to_vec().unwrap(), expected);
}

pub fn casts(device: &Device, stream: &Stream) {
    let x =
        [0.0, -0.0, 1.9, -1.9, 255.5, 256.0, -300.0, 40000.0, 1e30, -1e30, f32::NAN, f32::INFINITY, f32::NEG_INFINITY];
    let dx = device.buffer_from(&x).unwrap();
    let mut bytes = device.zeros::<u8>(x.len()).unwrap();
    let mut signed = device.zeros::<i16>(x.len()).unwrap();
    let mut wide = device.zeros::<u64>(x.len()).unwrap();
    let mut back = device.zeros::<f64>(x.len()).unwrap();
    k::casts(stream, &dx, &mut bytes, &mut signed, &mut wide, &mut back).unwrap();
    assert_eq!(bytes.to_vec().unwrap(), x.map(|x| x as u8));
    assert_eq!(signed.to_vec().unwrap(), x.map(|x| x as i16));
    assert_eq!(wide.to_vec().unwrap(), x.map(|x| x as u64));
    let expected = x.map(|x| (x as u64 as u32 as i8) as f64 + (x > 0.0) as u8 as f64 + x as i16 as f32 as f64);
    assert_eq!(back.to_vec().unwrap(), expected);
}

pub fn inferred(device: &Device, stream: &Stream) {
    let (mut x, mut c) = (device.zeros::<f64>(2).unwrap(), device.zeros::<u8>(2).unwrap());
    k::inferred(stream, &mut x, &mut c, 10).unwrap();
    let mut sum = 0.0;
    for _ in 0..10 {
        sum += 0.1;
    }
    assert_eq!(x.to_vec().unwrap(), [sum, sum]);
    assert_eq!(c.to_vec().unwrap(), [4, 4], "250 + 10 wraps as u8");
}
