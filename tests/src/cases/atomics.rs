//! Atomics: what each operation does, and that nothing is lost between iterations and groups.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicI32, AtomicI64, AtomicIsize, AtomicU32, AtomicU64, AtomicUsize};

use anabranch::prelude::*;

use crate::kernels::{atomics as k, block_atomics as of_blocks};

/// Each operation on pairs of edges, against std's atomics: what it says and what it leaves, bit
/// for bit. On atomics of a buffer, and on those that the threads of a block share.
pub fn operations_are_those_of_std(device: &Device, stream: &Stream) {
    macro_rules! check {
        ($kernel:ident $atomic:ident $t:ident $edges:expr, $bits:expr, [$($number:literal $op:ident),*]) => {{
            let edges: &[$t] = &$edges;
            let (mut first, mut a, mut b) = (Vec::new(), Vec::new(), Vec::new());
            for x in edges {
                for y in edges {
                    first.push(*x);
                    a.push(*y);
                    b.push(edges[(first.len() * 7) % edges.len()]);
                }
            }
            for (op, of_blocks) in (0..=8u32 $(.max($number))*).flat_map(|op| [(op, false), (op, true)]) {
                let mut cells = device.buffer_from(&first).unwrap();
                let (a_there, b_there) = (device.buffer_from(&a).unwrap(), device.buffer_from(&b).unwrap());
                let mut out = device.zeros::<$t>(first.len()).unwrap();
                match of_blocks {
                    false => k::$kernel(stream, &mut cells, &a_there, &b_there, &mut out, op).unwrap(),
                    true => of_blocks::$kernel(stream, &mut cells, &a_there, &b_there, &mut out, op).unwrap(),
                }
                let (cells, out) = (cells.to_vec().unwrap(), out.to_vec().unwrap());
                for (at, (&x, (&a, &b))) in first.iter().zip(a.iter().zip(&b)).enumerate() {
                    let cell = $atomic::new(x);
                    let says = match op {
                        0 => cell.load(Relaxed),
                        1 => {
                            cell.store(a, Relaxed);
                            a
                        }
                        2 => cell.swap(a, Relaxed),
                        3 => cell.fetch_add(a, Relaxed),
                        4 => cell.fetch_sub(a, Relaxed),
                        5 => cell.fetch_max(a, Relaxed),
                        6 => cell.fetch_min(a, Relaxed),
                        7 => cell.compare_exchange(a, b, Relaxed, Relaxed).map_or_else(|old| old, |_| b),
                        8 => {
                            cell.store(b, Relaxed);
                            b
                        }
                        $($number => cell.$op(a, Relaxed),)*
                        _ => unreachable!(),
                    };
                    let (left, bits) = (cell.into_inner(), $bits);
                    assert_eq!(
                        (bits(out[at]), bits(cells[at])),
                        (bits(says), bits(left)),
                        "{} {op} of {x}, {a}, {b}: it says {} and leaves {}, not {says} and {left} (of blocks: {of_blocks})",
                        stringify!($kernel), out[at], cells[at],
                    );
                }
            }
        }};
    }
    macro_rules! ints {
        ($($kernel:ident $atomic:ident $t:ident;)*) => { $(
            check!($kernel $atomic $t [0, 1, 2, 77, $t::MAX, $t::MAX - 1, $t::MIN, $t::MIN + 1, $t::MAX / 3], |x: $t| x,
                [9 fetch_and, 10 fetch_or, 11 fetch_xor, 12 fetch_nand]);
        )* };
    }
    ints! {
        operations_u32 AtomicU32 u32;
        operations_i32 AtomicI32 i32;
        operations_u64 AtomicU64 u64;
        operations_i64 AtomicI64 i64;
        operations_usize AtomicUsize usize;
        operations_isize AtomicIsize isize;
    }
    // Which of two zeros is the greater one, and which NaN a sum is, IEEE 754 leaves open;
    // subnormal `f32` are zeros on a GPU.
    let quiet = |x: f32| if x.is_nan() { f32::NAN.to_bits() } else { (x + 0.0).to_bits() };
    check!(operations_f32 AtomicF32 f32 [0.0, 1.5, -2.25, 3e38, -1e-30, f32::INFINITY, f32::NAN], quiet, []);
    let quiet = |x: f64| if x.is_nan() { f64::NAN.to_bits() } else { (x + 0.0).to_bits() };
    check!(operations_f64 AtomicF64 f64 [0.0, 1.5, -2.25, 1e308, -1e-300, f64::NEG_INFINITY, f64::NAN], quiet, []);
}

fn keys(n: usize) -> Vec<u32> {
    (0..n as u32).map(|i| i.wrapping_mul(2_654_435_761) >> 7).collect()
}

/// A histogram of many values in few bins, counted twice into one buffer.
pub fn nothing_is_lost(device: &Device, stream: &Stream) {
    for (n, bins) in [(0, 1), (1, 1), (100_000, 1), (100_000, 3), (50_000, 256)] {
        let keys = keys(n);
        let (keys_there, mut hist) = (device.buffer_from(&keys).unwrap(), device.zeros::<u32>(bins).unwrap());
        k::histogram(stream, &keys_there, &mut hist).unwrap();
        k::histogram(stream, &keys_there, &mut hist).unwrap();
        let mut expected = vec![0; bins];
        keys.iter().for_each(|key| expected[*key as usize % bins] += 2);
        assert_eq!(hist.to_vec().unwrap(), expected, "{n} values in {bins} bins");
    }
}

pub fn least_and_greatest(device: &Device, stream: &Stream) {
    let values: Vec<i32> = keys(40_000).into_iter().map(|key| (key as i32 - (1 << 24)) * 60).collect();
    let there = device.buffer_from(&values).unwrap();
    let (mut sum, mut negative) = (device.zeros::<i64>(1).unwrap(), device.zeros::<usize>(1).unwrap());
    let (mut least, mut greatest) =
        (device.buffer_from(&[i32::MAX]).unwrap(), device.buffer_from(&[i32::MIN]).unwrap());
    k::summary(stream, &there, &mut sum, &mut least, &mut greatest, &mut negative).unwrap();
    assert_eq!(sum.to_vec().unwrap(), [values.iter().map(|v| i64::from(*v)).sum::<i64>()]);
    assert_eq!(least.to_vec().unwrap(), [*values.iter().min().unwrap()]);
    assert_eq!(greatest.to_vec().unwrap(), [*values.iter().max().unwrap()]);
    assert_eq!(negative.to_vec().unwrap(), [values.iter().filter(|v| **v < 0).count()]);
}

/// Quarters, few enough that no sum is rounded, in whatever order they come.
pub fn sums_of_floats(device: &Device, stream: &Stream) {
    let values: Vec<f32> = (0..20_000).map(|i| (i % 64) as f32 * 0.25).collect();
    let there = device.buffer_from(&values).unwrap();
    let (mut single, mut double) = (device.zeros::<f32>(3).unwrap(), device.buffer_from(&[1.0f64; 2]).unwrap());
    k::float_sums(stream, &there, &mut single, &mut double).unwrap();
    let (mut singles, mut doubles) = ([0.0f32; 3], [1.0f64; 2]);
    values.iter().enumerate().for_each(|(i, v)| singles[i % 3] += v);
    values.iter().enumerate().for_each(|(i, v)| doubles[i % 2] -= f64::from(*v));
    assert_eq!(single.to_vec().unwrap(), singles);
    assert_eq!(double.to_vec().unwrap(), doubles);
}

pub fn groups_share_atomics(device: &Device, stream: &Stream) {
    const BINS: usize = 7;
    for n in [1, 1000, 30_000] {
        let (mut hist, mut halves) = (device.zeros::<u32>(BINS).unwrap(), device.zeros::<u32>(4).unwrap());
        k::groups_share(stream, n, &mut hist, &mut halves).unwrap();
        let (mut expected, mut parts) = ([700u32; BINS], [0u32; 4]);
        for i in 0..n {
            expected[i % BINS] += 3;
            expected[(i + 1) % BINS] += 3;
            parts[i % 2] += 1;
            parts[2 + i % 2] += 1;
            parts[0] += 1;
        }
        assert_eq!((hist.to_vec().unwrap(), halves.to_vec().unwrap()), (expected.to_vec(), parts.to_vec()), "{n}");
    }
}

pub fn device_functions_get_atomics(device: &Device, stream: &Stream) {
    const N: usize = 10_000;
    let (mut hist, mut out) = (device.zeros::<u32>(6).unwrap(), device.zeros::<u32>(N).unwrap());
    k::through_functions(stream, &mut hist, &mut out).unwrap();
    let mut expected = [0; 6];
    for i in 0..N {
        expected[i % 5] += 1;
        if i % 7 < 3 {
            expected[i % 7] += 1;
        }
        expected[5] += 1;
        if i % 4 < 2 {
            expected[1 + i % 4] += 1;
        }
        expected[4] += 2;
    }
    assert_eq!(hist.to_vec().unwrap(), expected);
    // What was there before is less than what all iterations bring, for most of them.
    let before_all: u32 = out.to_vec().unwrap().iter().sum();
    assert!(before_all > 0 && before_all <= N as u32, "{before_all}");
}

pub fn one_of_many_wins(device: &Device, stream: &Stream) {
    let wants: Vec<u32> = keys(50_000).into_iter().map(|key| key % 40).collect();
    let there = device.buffer_from(&wants).unwrap();
    let (mut claimed, mut winners) = (device.zeros::<u32>(64).unwrap(), device.zeros::<u32>(1).unwrap());
    k::claims(stream, &there, &mut claimed, &mut winners).unwrap();
    let claimed = claimed.to_vec().unwrap();
    for (at, winner) in claimed.iter().enumerate() {
        let wanted = wants.contains(&(at as u32));
        assert_eq!(*winner != 0, wanted, "element {at}");
        assert!(!wanted || wants[*winner as usize - 1] as usize == at, "element {at} went to {winner}");
    }
    assert_eq!(winners.to_vec().unwrap(), [claimed.iter().filter(|winner| **winner != 0).count() as u32]);
}

pub fn an_operation_of_ones_own(device: &Device, stream: &Stream) {
    let mut product = device.buffer_from(&[1u64]).unwrap();
    k::product(stream, &mut product, 3000).unwrap();
    let expected = (0..3000u64).fold(1u64, |product, i| product.wrapping_mul(2 * i + 1));
    assert_eq!(product.to_vec().unwrap(), [expected]);
}

pub fn in_the_order_of_rust(device: &Device, stream: &Stream) {
    let (mut cells, mut out) = (device.buffer_from(&[9u32; 5]).unwrap(), device.zeros::<u32>(5).unwrap());
    k::from_left_to_right(stream, &mut cells, &mut out).unwrap();
    // 5 is stored, and 7 added to it: 5; the 12 becomes 13 and is replaced by the 12 from before:
    // 13; 12 is there.
    assert_eq!(out.to_vec().unwrap(), [5 * 100 + 13 * 10 + 12; 5]);
    assert_eq!(cells.to_vec().unwrap(), [12; 5]);
}

pub fn a_bad_index_is_reported(device: &Device, stream: &Stream) {
    let (mut hist, at) = (device.zeros::<u32>(4).unwrap(), device.buffer_from(&[0, 3, 4]).unwrap());
    k::beyond(stream, &mut hist, &at).unwrap();
    match stream.synchronize() {
        Err(Error::KernelPanic { kernel: "beyond", message, .. }) => {
            assert_eq!(message, "index out of bounds: the len is 4 but the index is 4");
        }
        other => panic!("{other:?}"),
    }
    k::histogram(stream, &at, &mut hist).unwrap();
    stream.synchronize().unwrap();
}

pub fn indexes_that_change_when_they_are_read(device: &Device, stream: &Stream) {
    let (mut c, mut x) = (device.zeros::<u32>(8).unwrap(), device.zeros::<u32>(4).unwrap());
    for round in 0..4 {
        k::indexes(stream, &mut c, &mut x).unwrap();
        let mut expected = [0; 8];
        // 0, 1005, 2005, and 3005 of 3000: in the fourth round at 5.
        expected[0] = 1000 * (round + 1) + 5;
        expected[5] = if round == 3 { 5 } else { 0 };
        expected[1] = round + 1;
        let written: Vec<u32> = (0..4).map(|at| if at <= round { 7 } else { 0 }).collect();
        assert_eq!((c.to_vec().unwrap(), x.to_vec().unwrap()), (expected.to_vec(), written), "round {round}");
    }
    let numbers: Vec<u32> = (0..50).map(|at| 1 + at).collect();
    let (there, mut out) = (device.buffer_from(&numbers).unwrap(), device.zeros::<u32>(2000).unwrap());
    k::drawn(stream, &there, &mut out).unwrap();
    let drawn = |i: u32| i.wrapping_mul(1_664_525).wrapping_add(1_013_904_223) as usize % 3000;
    let expected: Vec<u32> = (0..2000).map(|i| numbers.get(drawn(i)).copied().unwrap_or(0)).collect();
    assert!(expected.iter().any(|value| *value != 0));
    assert_eq!(out.to_vec().unwrap(), expected);
}

/// A part of a buffer: what lies behind it stays as it was.
pub fn names_of_one_spelling(device: &Device, stream: &Stream) {
    let (mut c, mut x) = (device.zeros::<u32>(4000).unwrap(), device.zeros::<u32>(4000).unwrap());
    k::of_two_spellings(stream, &mut c.slice_mut(0..16), &mut x.slice_mut(0..16), 3000).unwrap();
    let expected: Vec<u32> = (0..4000).map(|at| if at < 16 { at % 4 } else { 0 }).collect();
    assert_eq!((c.to_vec().unwrap(), x.to_vec().unwrap()), (expected.clone(), expected));
}

/// A part of a buffer as atomics, and then the same memory as plain numbers.
pub fn parts_of_buffers_are_atomics(device: &Device, stream: &Stream) {
    let keys = device.buffer_from(&keys(1000)).unwrap();
    let mut all = device.buffer_from(&[1u32; 10]).unwrap();
    k::histogram(stream, &keys, &mut all.slice_mut(3..5)).unwrap();
    crate::kernels::order::affine(stream, &mut all, 2, 0, 0).unwrap();
    let all = all.to_vec().unwrap();
    assert_eq!(all[3] + all[4], 2 * 1002);
    assert!(all.iter().enumerate().all(|(at, value)| *value == 2 || at == 3 || at == 4), "{all:?}");
}

pub fn stores_in_fields_without_a_size(device: &Device, stream: &Stream) {
    let (mut cells, mut y) = (device.zeros::<u32>(2).unwrap(), device.zeros::<u32>(3).unwrap());
    k::stored(stream, &mut cells, &mut y).unwrap();
    assert_eq!((cells.to_vec().unwrap(), y.to_vec().unwrap()), (vec![7, 0], vec![1; 3]));
}
