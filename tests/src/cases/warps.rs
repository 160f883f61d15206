use anabranch::half::f16;
use anabranch::prelude::*;

use super::collectives::{fold, uneven, up_to};
use super::noise;
use crate::kernels::warps as k;

/// Compares a kernel with the definition.
macro_rules! check {
    ($device:expr, $stream:expr, $kernel:ident, $threads:expr, $t:ty, $of:expr, $add:expr, $mul:expr, $nothing:expr) => {{
        let x: Vec<$t> = noise(3 * $threads).map($of).collect();
        let mut to = $device.filled(6 * x.len(), x[0]).unwrap();
        k::$kernel($stream, &$device.buffer_from(&x).unwrap(), &mut to, 3).unwrap();
        for (at, results) in to.to_vec().unwrap().chunks(6).enumerate() {
            let (warp, lane) = (&x[at / 32 * 32..at / 32 * 32 + 32], at % 32);
            let want = [
                fold(warp, &$add),
                fold(warp, &$mul),
                warp.iter().copied().reduce(<$t>::min).unwrap(),
                warp.iter().copied().reduce(<$t>::max).unwrap(),
                up_to(warp, lane, &$add),
                if lane == 0 { $nothing } else { up_to(warp, lane - 1, &$add) },
            ];
            #[allow(clippy::eq_op, reason = "a NaN has no bits of its own")]
            let bits = |of: &[$t]| of.iter().map(|v| (v == v).then(|| v.to_ne_bytes())).collect::<Vec<_>>();
            assert_eq!(bits(results), bits(&want), "{} at {at} of {}", stringify!($t), $threads);
        }
    }};
}

pub fn folds_of_warps(device: &Device, stream: &Stream) {
    macro_rules! ints {
        ($($t:ident)*) => { $(
            check!(
                device, stream, folds_96, 96, $t, |v| (v ^ v << 37) as $t, |a: $t, b: $t| a.wrapping_add(b),
                |a: $t, b: $t| a.wrapping_mul(b), 0
            );
        )* };
    }
    ints! { u8 i16 u32 i64 u128 }
    let f32s = |v: u64| uneven(v) as f32;
    check!(device, stream, folds_32, 32, f32, f32s, |a: f32, b: f32| a + b, |a: f32, b: f32| a * b, -0.0);
    check!(device, stream, folds_1024, 1024, f32, f32s, |a: f32, b: f32| a + b, |a: f32, b: f32| a * b, -0.0);
    let f64s = |v: u64| uneven(v);
    check!(device, stream, folds_96, 96, f64, f64s, |a: f64, b: f64| a + b, |a: f64, b: f64| a * b, -0.0);
    let (halves, nothing) = (|v: u64| f16::from_f64(uneven(v)), f16::from_f32(-0.0));
    check!(device, stream, folds_96, 96, f16, halves, |a: f16, b: f16| a + b, |a: f16, b: f16| a * b, nothing);
}

pub fn votes_of_warps(device: &Device, stream: &Stream) {
    let mut x: Vec<u32> = noise(384).map(|v| v as u32 % 1000).collect();
    x[32..64].fill(901);
    x[64..96].fill(2);
    let (mut bits, mut found) = (device.zeros(x.len()).unwrap(), device.zeros(x.len()).unwrap());
    k::votes(stream, &device.buffer_from(&x).unwrap(), &mut bits, &mut found).unwrap();
    let (bits, found) = (bits.to_vec().unwrap(), found.to_vec().unwrap());
    for (at, warp) in x.chunks(32).enumerate().flat_map(|(w, warp)| (0..32).map(move |lane| (w * 32 + lane, warp))) {
        let odd = warp.iter().rev().fold(0, |bits, own| (bits << 1) | (own % 2));
        let count = warp.iter().filter(|own| **own % 3 == (at / 128) as u32 % 3).count() as u64;
        let (any, all) = (warp.iter().any(|own| *own > 900), warp.iter().all(|own| *own > 2));
        assert_eq!((bits[at], found[at]), (odd, count * 4 + any as u64 * 2 + all as u64), "{at}");
    }
}

pub fn values_of_other_threads(device: &Device, stream: &Stream) {
    fn check<T: Scalar>(device: &Device, stream: &Stream, of: impl Fn(u64) -> T) {
        let x: Vec<T> = noise(192).map(&of).collect();
        let from: Vec<i64> = noise(192).map(|v| (v >> 8) as i64 % 200 - 100).collect();
        let mut to = device.filled(x.len(), x[0]).unwrap();
        let (values, lanes) = (device.buffer_from(&x).unwrap(), device.buffer_from(&from).unwrap());
        k::shuffles(stream, &values, &lanes, &mut to).unwrap();
        let other = |at: usize, lane: i64| at / 32 * 32 + lane.rem_euclid(32) as usize;
        let want: Vec<T> = (0..192)
            .map(|at| match at % 64 % 3 {
                0 => x[at / 32 * 32],
                1 => x[other(at, from[at])],
                _ => {
                    let next = other(at, i64::from(from[at] as u8) + 1);
                    x[other(next, from[next])]
                }
            })
            .collect();
        assert_eq!(to.to_vec().unwrap(), want);
    }
    check(device, stream, |v| v % 3 == 0);
    check(device, stream, |v| v as u8);
    check(device, stream, |v| v as i16);
    check(device, stream, |v| v as f32);
    check(device, stream, |v| v.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    check(device, stream, |v| (v as i128).wrapping_mul(0x0123_4567_89AB_CDEF_0F1E_2D3C));
}

pub fn threads_with_equal_keys(device: &Device, stream: &Stream) {
    macro_rules! check {
        ($($kernel:ident $K:ty, $of:expr;)*) => { $({
            let of: fn(u64) -> $K = $of;
            let keys: Vec<$K> = noise(192).map(of).collect();
            let mut to = device.zeros(keys.len()).unwrap();
            k::$kernel(stream, &device.buffer_from(&keys).unwrap(), &mut to).unwrap();
            for (at, same) in to.to_vec().unwrap().into_iter().enumerate() {
                let warp = keys[at / 32 * 32..].iter().take(32).rev();
                let want = warp.fold(0u32, |bits, key| (bits << 1) | (*key == keys[at]) as u32);
                assert_eq!(same, want, "{} at {at}", stringify!($kernel));
            }
        })* };
    }
    check! {
        matches_bool bool, |v| v % 5 == 0;
        matches_i8 i8, |v| (v % 3) as i8 - 1;
        matches_u16 u16, |v| (v % 2 * 0x8001 + v % 3) as u16;
        matches_i32 i32, |v| -((v % 4) as i32) << 28;
        matches_u64 u64, |v| (v % 4) * 0x4000_0000_8000_0001;
    }
}

pub fn sorts_by_votes(device: &Device, stream: &Stream) {
    let mut x: Vec<u16> = noise(256).map(|v| v as u16).collect();
    let mut to = device.buffer_from(&x).unwrap();
    k::sorted(stream, &mut to).unwrap();
    x.chunks_mut(32).for_each(<[u16]>::sort);
    x.chunks_mut(64).for_each(<[u16]>::reverse);
    assert_eq!(to.to_vec().unwrap(), x);
}

pub fn a_warp_for_each_row(device: &Device, stream: &Stream) {
    let (rows, columns) = (50, 70);
    let lens: Vec<usize> = noise(rows).map(|v| v as usize % 90).collect();
    let starts: Vec<u32> = [0]
        .into_iter()
        .chain(lens.iter().scan(0, |sum, len| {
            *sum += *len as u32;
            Some(*sum)
        }))
        .collect();
    let count = starts[rows] as usize;
    let at: Vec<u32> = noise(count).map(|v| (v % columns as u64) as u32).collect();
    let values: Vec<f32> = noise(count).map(|v| uneven(v) as f32).collect();
    let x: Vec<f32> = (0..columns).map(|v| v as f32 * 0.25).collect();
    let mut y = device.zeros(rows).unwrap();
    let [starts_of, at_of] = [&starts, &at].map(|of| device.buffer_from(of).unwrap());
    let [values_of, x_of] = [&values, &x].map(|of| device.buffer_from(of).unwrap());
    k::rows(stream, &starts_of, &at_of, &values_of, &x_of, &mut y).unwrap();
    for (row, sum) in y.to_vec().unwrap().into_iter().enumerate() {
        let own = |lane: usize| {
            let elements = (starts[row] as usize..starts[row + 1] as usize).skip(lane).step_by(32);
            elements.fold(0.0, |sum, k| sum + values[k] * x[at[k] as usize])
        };
        let want: f32 = fold(&(0..32).map(own).collect::<Vec<f32>>(), &|a, b| a + b);
        assert!((sum - want).abs() <= want.abs() * 1e-5 + 1e-5, "row {row}: {sum} instead of {want}");
    }
}
