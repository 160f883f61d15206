use anabranch::half::{bf16, f16};
use anabranch::prelude::*;

use super::noise;
use crate::kernels::collectives as k;

/// What a lane of a group has after the rounds from 16 down to a distance: of two lanes that are
/// there, the result of both.
fn folded<T: Copy>(group: &[T], lane: usize, distance: usize, op: &dyn Fn(T, T) -> T) -> Option<T> {
    if distance == 32 {
        return group.get(lane).copied();
    }
    let (low, high) = (folded(group, lane, distance * 2, op), folded(group, lane + distance, distance * 2, op));
    match (low, high) {
        (Some(low), Some(high)) => Some(op(low, high)),
        (low, _) => low,
    }
}

/// The result of a block.
pub(super) fn fold<T: Copy>(values: &[T], op: &dyn Fn(T, T) -> T) -> T {
    let totals: Vec<T> = values.chunks(32).map(|group| folded(group, 0, 1, op).unwrap()).collect();
    folded(&totals, 0, 1, op).unwrap()
}

/// What a lane of a group has after the rounds below a distance.
fn scanned<T: Copy>(group: &[T], lane: usize, distance: usize, add: &dyn Fn(T, T) -> T) -> T {
    if distance == 1 {
        return group[lane];
    }
    let half = distance / 2;
    let own = scanned(group, lane, half, add);
    if lane < half { own } else { add(scanned(group, lane - half, half, add), own) }
}

/// The sum up to a thread.
pub(super) fn up_to<T: Copy>(values: &[T], thread: usize, add: &dyn Fn(T, T) -> T) -> T {
    let total = |group: &[T]| scanned(group, group.len() - 1, 32, add);
    let before = values[..thread / 32 * 32].chunks(32).map(total).reduce(add);
    let group = values[thread / 32 * 32..].chunks(32).next().unwrap();
    let own = scanned(group, thread % 32, 32, add);
    before.map_or(own, |before| add(before, own))
}

/// Compares the kernels of all numbers of threads with the definition.
macro_rules! check {
    ($device:expr, $stream:expr, $t:ty, $of:expr, $add:expr, $mul:expr, $min:expr, $max:expr, $nothing:expr, $bits:expr) => {
        check! {
            @each $device, $stream, $t, $of, $add, $mul, $min, $max, $nothing, $bits,
            folds_1 1, folds_7 7, folds_31 31, folds_32 32, folds_33 33, folds_100 100, folds_256 256, folds_1000 1000, folds_1024 1024
        }
    };
    // A stand-in compiles each instance for seconds.
    (few $device:expr, $stream:expr, $t:ty, $of:expr, $add:expr, $mul:expr, $min:expr, $max:expr, $nothing:expr, $bits:expr) => {
        check! {
            @each $device, $stream, $t, $of, $add, $mul, $min, $max, $nothing, $bits, folds_33 33, folds_256 256
        }
    };
    (@each $device:expr, $stream:expr, $t:ty, $of:expr, $add:expr, $mul:expr, $min:expr, $max:expr, $nothing:expr, $bits:expr, $($kernel:ident $threads:literal),*) => { $({
        let blocks = 3;
        let x: Vec<$t> = noise(blocks * $threads).map($of).collect();
        let (mut folds, mut scans) = ($device.filled(blocks * 5, x[0]).unwrap(), $device.filled(2 * x.len(), x[0]).unwrap());
        k::$kernel($stream, &$device.buffer_from(&x).unwrap(), &mut folds, &mut scans, blocks).unwrap();
        let (folds, scans) = (folds.to_vec().unwrap(), scans.to_vec().unwrap());
        let at = |what: &str, b: usize| format!("{what} of {} in block {b} of {} threads", stringify!($t), $threads);
        for (b, own) in x.chunks($threads).enumerate() {
            assert_eq!($bits(folds[b * 5]), $bits(fold(own, &$add)), "{}", at("sum", b));
            assert_eq!($bits(folds[b * 5 + 1]), $bits(fold(own, &$mul)), "{}", at("product", b));
            assert_eq!($bits(folds[b * 5 + 2]), $bits(own.iter().copied().reduce($min).unwrap()), "{}", at("min", b));
            assert_eq!($bits(folds[b * 5 + 3]), $bits(own.iter().copied().reduce($max).unwrap()), "{}", at("max", b));
            assert_eq!($bits(folds[b * 5 + 4]), $bits(own[(b * 5 + 3) % own.len()]), "{}", at("broadcast", b));
            for t in 0..$threads {
                let (before, sum) = (scans[(b * $threads + t) * 2], scans[(b * $threads + t) * 2 + 1]);
                assert_eq!($bits(sum), $bits(up_to(own, t, &$add)), "{} at {t}", at("scan", b));
                let want = if t == 0 { $nothing } else { up_to(own, t - 1, &$add) };
                assert_eq!($bits(before), $bits(want), "{} at {t}", at("exclusive scan", b));
            }
        }
    })* };
}

pub fn folds_of_integers(device: &Device, stream: &Stream) {
    macro_rules! ints {
        ($($t:ident)*) => { $(
            check!(
                few device, stream, $t, |v| (v ^ v << 37) as $t, |a: $t, b: $t| a.wrapping_add(b), |a: $t, b: $t| a.wrapping_mul(b),
                |a: $t, b: $t| a.min(b), |a: $t, b: $t| a.max(b), 0, |v: $t| v
            );
        )* };
    }
    ints! { i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize }
}

/// Numbers of both signs and of many sizes, so that each order of additions gives another sum; no
/// two products overflow.
pub(super) fn uneven(v: u64) -> f64 {
    let scale = [1e-3, 1.0, 7.5, 1e3][(v >> 40) as usize % 4];
    ((v % 2001) as f64 - 1000.25) * scale / 1000.0
}

pub fn folds_of_floats(device: &Device, stream: &Stream) {
    macro_rules! floats {
        ($($t:ident)*) => { $(
            check!(
                device, stream, $t, |v| uneven(v as u64) as $t, |a: $t, b: $t| a + b, |a: $t, b: $t| a * b, $t::min, $t::max, -0.0,
                |v: $t| (!v.is_nan()).then(|| v.to_bits())
            );
        )* };
    }
    floats! { f32 f64 }
}

pub fn folds_of_halves(device: &Device, stream: &Stream) {
    macro_rules! halves {
        ($($t:ident)*) => { $(
            check!(
                few device, stream, $t, |v| $t::from_f64(uneven(v as u64)), |a: $t, b: $t| a + b, |a: $t, b: $t| a * b, $t::min, $t::max,
                $t::from_f32(-0.0), |v: $t| (!v.is_nan()).then(|| v.to_bits())
            );
        )* };
    }
    halves! { f16 bf16 }
}

/// Sums and the like of one block of 33 threads.
fn of_33(device: &Device, stream: &Stream, x: &[f32]) -> Vec<f32> {
    let (mut folds, mut scans) = (device.zeros(5).unwrap(), device.zeros(66).unwrap());
    k::folds_33(stream, &device.buffer_from(x).unwrap(), &mut folds, &mut scans, 1).unwrap();
    folds.to_vec().unwrap()
}

pub fn special_floats(device: &Device, stream: &Stream) {
    let mut x = [-0.0f32; 33];
    // Nothing stands for threads that are not there.
    assert_eq!(of_33(device, stream, &x)[0].to_bits(), (-0.0f32).to_bits());
    x[32] = 0.0;
    assert_eq!(of_33(device, stream, &x)[0].to_bits(), 0.0f32.to_bits());
    let mut x: Vec<f32> = (0..33).map(|t| t as f32 - 5.0).collect();
    x[20] = f32::NAN;
    let [sum, product, min, max, _] = of_33(device, stream, &x)[..] else { unreachable!() };
    assert!(sum.is_nan() && product.is_nan());
    assert_eq!((min, max), (-5.0, 27.0));
    x[0] = f32::INFINITY;
    x[20] = f32::NEG_INFINITY;
    let [sum, _, min, max, _] = of_33(device, stream, &x)[..] else { unreachable!() };
    assert!(sum.is_nan());
    assert_eq!((min, max), (f32::NEG_INFINITY, f32::INFINITY));
    let [_, _, min, max, _] = of_33(device, stream, &[f32::NAN; 33])[..] else { unreachable!() };
    assert!(min.is_nan() && max.is_nan());
}

pub fn dot_products(device: &Device, stream: &Stream) {
    for (n, chunk) in [(1, 256), (1000, 256), (5000, 777), (100_000, 8192)] {
        // Integers, so that a fused multiply-add rounds nothing.
        let x: Vec<f32> = noise(n).map(|v| (v % 16) as f32).collect();
        let y: Vec<f32> = x.iter().rev().copied().collect();
        let mut parts = device.zeros(n.div_ceil(chunk)).unwrap();
        k::dot(stream, &device.buffer_from(&x).unwrap(), &device.buffer_from(&y).unwrap(), &mut parts, chunk).unwrap();
        let want: Vec<f32> =
            x.chunks(chunk).zip(y.chunks(chunk)).map(|(x, y)| x.iter().zip(y).map(|(x, y)| x * y).sum()).collect();
        assert_eq!(parts.to_vec().unwrap(), want, "{n}");
    }
}

pub fn decisions_of_all_threads(device: &Device, stream: &Stream) {
    let (blocks, limit) = (12, 9u32);
    let x: Vec<u32> = noise(blocks * 40).map(|v| v as u32 >> (v >> 60)).collect();
    let mut marks = device.filled(blocks * 3, 5u32).unwrap();
    let mut total = device.zeros(1).unwrap();
    k::decisions(stream, &device.buffer_from(&x).unwrap(), &mut marks, &mut total, limit).unwrap();
    let (mut want, mut count) = (Vec::new(), 0);
    for (b, own) in x.chunks(40).enumerate() {
        let (mut own, mut rounds) = (own.to_vec(), 0);
        while own.iter().any(|own| *own > limit) {
            own.iter_mut().filter(|own| **own > limit).for_each(|own| *own /= 2);
            rounds += 1;
        }
        rounds += if b % 2 == 0 && own.iter().any(|own| own % 2 == 1) { 1000 } else { 0 };
        rounds += if b % 3 == 0 || own.iter().all(|own| *own > 0) { 2000 } else { 0 };
        count += own.iter().filter(|own| **own == limit).count() as u32;
        let most = if b % 2 == 0 { *own.iter().max().unwrap() } else { 7 };
        want.extend([rounds, 1 + most, 5 + own.iter().filter(|own| **own > 3).count() as u32]);
    }
    assert_eq!(marks.to_vec().unwrap(), want);
    assert_eq!(total.to_vec().unwrap(), [count]);
}

pub fn rounds_of_collectives(device: &Device, stream: &Stream) {
    let x: Vec<u32> = noise(96 * 5).map(|v| v as u32).collect();
    let mut dx = device.buffer_from(&x).unwrap();
    k::rounds(stream, &mut dx, 6).unwrap();
    let rounds = |block: &[u32]| {
        let mut own = block.to_vec();
        let add = |a: u32, b: u32| a.wrapping_add(b);
        for round in 0..6 {
            let sum = own.iter().map(|own| own ^ round).reduce(add).unwrap();
            let least = own.iter().map(|own| own / (sum % 8 + 1)).min().unwrap();
            let of_one = add(own[sum as usize % 96], sum).wrapping_mul(own.iter().map(|own| own % 2).sum());
            own.iter_mut().for_each(|own| *own = add(own.wrapping_mul(3), sum ^ least ^ of_one));
        }
        own
    };
    assert_eq!(dx.to_vec().unwrap(), x.chunks(96).flat_map(rounds).collect::<Vec<_>>());
}

pub fn scans_of_phases(device: &Device, stream: &Stream) {
    fn scan(own: &[u32], inclusive: bool) -> Vec<u32> {
        let mut sum = 0u32;
        let up_to = own.iter().map(|own| (sum, sum = sum.wrapping_add(*own)).0);
        up_to.zip(own).map(|(before, own)| if inclusive { before.wrapping_add(*own) } else { before }).collect()
    }
    let x: Vec<u32> = noise(150 * 3).map(|v| v as u32).collect();
    let mut to = device.zeros(64 * 3).unwrap();
    let mut run = |x: &[u32]| {
        k::phases_and_scans(stream, &device.buffer_from(x).unwrap(), &mut to)
            .and_then(|()| stream.synchronize())
            .map(|()| to.to_vec().unwrap())
    };
    let mut want = Vec::new();
    for x in x.chunks(150) {
        let mut own = vec![1u32; 64];
        for end in [64, 150, 0, 128, 17] {
            let before = scan(&own, false);
            for i in 0..end {
                own[i % 64] = own[i % 64].wrapping_mul(3).wrapping_add(before[i % 64]).wrapping_add(x[i]);
            }
            let before = scan(&own, true);
            for i in 3..(end / 2).max(3) {
                own[(i - 3) % 64] = own[(i - 3) % 64].wrapping_add(before[(i - 3) % 64] ^ x[i]);
            }
            let up_to = scan(&own, false);
            own.iter_mut().zip(up_to).for_each(|(own, up_to)| *own ^= up_to);
        }
        want.extend(own);
    }
    assert_eq!(run(&x).unwrap(), want);
    let error = run(&x[..449]).expect_err("the last element is missing").to_string();
    assert!(error.contains("index out of bounds: the len is 449 but the index is 449"), "{error}");
    assert_eq!(run(&x).unwrap(), want);
}

pub fn parts_without_gaps(device: &Device, stream: &Stream) {
    let x: Vec<i32> = noise(200 * 7).map(|v| v as i32).collect();
    let (mut to, mut counts) = (device.filled(x.len(), -1).unwrap(), device.zeros(7).unwrap());
    k::compacted(stream, &device.buffer_from(&x).unwrap(), &mut to, &mut counts).unwrap();
    let (to, counts) = (to.to_vec().unwrap(), counts.to_vec().unwrap());
    for (b, block) in x.chunks(200).enumerate() {
        let want: Vec<i32> = block.iter().copied().filter(|own| own % 3 == 0).collect();
        assert_eq!(counts[b], want.len());
        assert_eq!(to[b * 200..][..want.len()], want);
        assert!(to[b * 200 + want.len()..(b + 1) * 200].iter().all(|left| *left == -1));
    }
}

pub fn types_are_inferred(device: &Device, stream: &Stream) {
    let mut to = device.zeros(8).unwrap();
    k::inferred(stream, &mut to, &device.buffer_from(&[1.5, 2.25]).unwrap()).unwrap();
    let bytes = f64::from(200u8.wrapping_mul(48));
    assert_eq!(to.to_vec().unwrap(), [48.0, 1.0 / 24.0, bytes, 1.5, 48.0, 1.0 / 24.0, bytes, 2.25]);
}

pub fn failed_checks_of_values(device: &Device, stream: &Stream) {
    let mut at = vec![3u32; 64 * 3];
    let table = device.buffer_from(&(0..10).collect::<Vec<u32>>()).unwrap();
    let mut sums = device.zeros(3).unwrap();
    let mut run = |at: &[u32], thread| {
        k::beyond(stream, &mut sums, &table, &device.buffer_from(at).unwrap(), thread)
            .and_then(|()| stream.synchronize())
            .map(|()| sums.to_vec().unwrap())
    };
    assert_eq!(run(&at, 63).unwrap(), [3; 3]);
    // The threads of this block that have not failed come to their end.
    at[64 + 37] = 10;
    let error = run(&at, 0).expect_err("an index is beyond").to_string();
    assert!(error.contains("index out of bounds: the len is 10 but the index is 10"), "{error}");
    at[64 + 37] = 0;
    let error = run(&at, 64).expect_err("no thread has the number").to_string();
    assert!(error.contains("index out of bounds: the len is 64 but the index is 64"), "{error}");
    assert_eq!(run(&at, 5).unwrap(), [3; 3]);
}

pub fn values_of_any_type(device: &Device, stream: &Stream) {
    let mut to = device.zeros(2).unwrap();
    k::broadcasts(stream, &mut to, 49).unwrap();
    assert_eq!(to.to_vec().unwrap(), [49.0 + 49.0 / 4.0 + 7.0 / 4.0; 2]);
}

/// The values of a block's threads fold by halves.
pub fn reductions_by_functions_of_the_user(device: &Device, stream: &Stream) {
    fn halved<T: Copy>(mut values: Vec<T>, op: &dyn Fn(T, T) -> T) -> T {
        while values.len() > 1 {
            let half = values.len().next_power_of_two() / 2;
            for at in 0..values.len() - half {
                values[at] = op(values[at], values[at + half]);
            }
            values.truncate(half);
        }
        values[0]
    }
    let blocks = 20;
    let x: Vec<u32> = noise(blocks * 48).map(|v| v as u32).collect();
    let (mut to, mut floats) = (device.zeros::<u32>(blocks * 4).unwrap(), device.zeros::<f32>(blocks).unwrap());
    k::reduced(stream, &device.buffer_from(&x).unwrap(), &mut to, &mut floats).unwrap();
    let (to, floats) = (to.to_vec().unwrap(), floats.to_vec().unwrap());
    for (b, own) in x.chunks(48).enumerate() {
        let mut sum = 0;
        for round in 0..3 {
            let bits = own.iter().fold(0, |bits, v| bits ^ (v >> round & 0xff));
            let odd = if bits % 2 == 1 { own.iter().map(|v| v % 7).max().unwrap() } else { 0 };
            sum += bits + odd;
        }
        assert_eq!(to[b * 4], sum, "block {b}");
        let values: Vec<f32> = own.iter().map(|v| *v as f32 / 3e9 + 0.5).collect();
        let product = halved(values, &|a, b| a * b);
        assert!((floats[b] / product - 1.0).abs() < 1e-5, "block {b}");
        let of = |t: usize| (x[(b * 64 + t) % x.len()] % 3, t != 5);
        let counted = |a: (u32, bool), b: (u32, bool)| match (a.1, b.1) {
            (true, true) => (a.0 + b.0, true),
            (true, false) => a,
            _ => b,
        };
        let (count, some) = halved((0..64).map(of).collect(), &counted);
        assert_eq!(to[b * 4 + 1..][..3], [count, some as u32, x[b]], "block {b}");
    }
}
