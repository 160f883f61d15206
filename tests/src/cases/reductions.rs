use anabranch::half::f16;
use anabranch::prelude::*;

use super::collectives::{fold, up_to};
use super::noise;
use crate::kernels::reductions as k;

fn words(n: usize) -> impl Iterator<Item = u32> {
    noise(n).map(|v| (v >> 32) as u32)
}

/// The parts of a range, and their length, as the documentation says.
fn parts(count: usize) -> (usize, usize) {
    let chunk = count.div_ceil(count.div_ceil(8192).clamp(1, 1024)).next_multiple_of(256).max(256);
    (count.div_ceil(chunk).max(1), chunk)
}

/// What one block makes of the values of a part: thread `t` has every 256th value from the `t`th
/// on.
fn of_block<T: Copy>(values: &[T], first: T, op: &dyn Fn(T, T) -> T) -> T {
    let own: Vec<T> = (0..256).map(|t| values.iter().skip(t).step_by(256).fold(first, |sum, v| op(sum, *v))).collect();
    fold(&own, op)
}

/// The definition of a reduction.
fn reduced<T: Copy>(values: &[T], first: T, op: &dyn Fn(T, T) -> T) -> T {
    let (parts, chunk) = parts(values.len());
    if parts == 1 {
        return of_block(values, first, op);
    }
    let sums: Vec<T> = values.chunks(chunk).map(|part| of_block(part, first, op)).collect();
    of_block(&sums, first, op)
}

/// The definition of a scan: for each index, the sums of the values before it and up to it.
fn scanned<T: Copy>(values: &[T], zero: T, add: &dyn Fn(T, T) -> T) -> (Vec<T>, Vec<T>) {
    let (parts, chunk) = parts(values.len());
    let mut sums: Vec<T> = values.chunks(chunk).map(|part| of_block(part, zero, add)).collect();
    sums.resize(1024, zero);
    let (mut before, mut sums_up_to) = (Vec::new(), Vec::new());
    for (b, part) in values.chunks(chunk).enumerate() {
        let carry = match (parts, b) {
            (1, _) | (_, 0) => zero,
            _ => up_to(&sums, b - 1, add),
        };
        // A round hands on what its last thread has: for the two scans, not the same sum of the
        // same values.
        let (mut carry_before, mut carry_up_to) = (carry, carry);
        for own in part.chunks(256) {
            let before_of = |t: usize| if t == 0 { zero } else { up_to(own, t - 1, add) };
            for t in 0..own.len() {
                before.push(add(carry_before, before_of(t)));
                sums_up_to.push(add(carry_up_to, up_to(own, t, add)));
            }
            let last = own.len() - 1;
            carry_before = add(carry_before, add(before_of(last), own[last]));
            carry_up_to = add(carry_up_to, up_to(own, last, add));
        }
    }
    (before, sums_up_to)
}

/// Sizes around those of warps, blocks and parts.
const SIZES: [usize; 11] = [0, 1, 31, 32, 33, 255, 257, 1000, 8192, 8193, 40_000];

macro_rules! check_numbers {
    ($device:expr, $stream:expr, $t:ty, $of:expr, $add:expr, $mul:expr, $min:expr, $max:expr, $least:expr, $greatest:expr, $one:expr) => {
        for n in SIZES {
            let values: Vec<$t> = words(n + 2).map($of).collect();
            let x = $device.buffer_from(&values).unwrap();
            let mut out = $device.zeros::<$t>(4).unwrap();
            let (zero, one): ($t, $t) = (Default::default(), $one);
            k::numbers($stream, &x, &mut out, 1, n + 1).unwrap();
            let part = &values[1..n + 1];
            let expected = [
                reduced(part, zero, &$add),
                reduced(part, one, &$mul),
                reduced(part, $greatest, &$min),
                reduced(part, $least, &$max),
            ];
            // A NaN is any NaN.
            let nan = |v: $t| v.partial_cmp(&v).is_none();
            let bits = |list: &[$t]| list.iter().map(|&v| (!nan(v)).then(|| v.to_ne_bytes())).collect::<Vec<_>>();
            assert_eq!(bits(&out.to_vec().unwrap()), bits(&expected), "{n} of {}", stringify!($t));
            let (mut before, mut rest) = ($device.zeros::<$t>(n).unwrap(), $device.zeros::<$t>(n).unwrap());
            k::prefix($stream, &x.slice(1..n + 1), &mut before, &mut rest).unwrap();
            let (expected_before, expected_rest) = scanned(part, zero, &$add);
            let equal = |got: Vec<$t>, expected: Vec<$t>| {
                got.len() == expected.len() && got.iter().zip(&expected).all(|(a, b)| a == b || a != a && b != b)
            };
            assert!(equal(before.to_vec().unwrap(), expected_before), "{n} of {}", stringify!($t));
            assert!(equal(rest.to_vec().unwrap(), expected_rest), "{n} of {}", stringify!($t));
        }
    };
}

pub fn sums_and_extremes_of_integers(device: &Device, stream: &Stream) {
    macro_rules! ints {
        ($($t:ident)*) => { $(
            check_numbers!(
                device, stream, $t, |v| v as $t, $t::wrapping_add, $t::wrapping_mul, std::cmp::min, std::cmp::max, $t::MIN, $t::MAX, 1
            );
        )* };
    }
    ints! { i8 i32 u64 u128 }
}

/// The sums have the same bits on every device: those of the definition.
pub fn sums_and_extremes_of_floats(device: &Device, stream: &Stream) {
    let of = |v: u32| (v % 2001) as f32 / 7.0 - 140.0;
    check_numbers!(
        device,
        stream,
        f32,
        of,
        |a: f32, b: f32| a + b,
        |a: f32, b: f32| a * b,
        f32::min,
        f32::max,
        f32::NEG_INFINITY,
        f32::INFINITY,
        1.0
    );
    check_numbers!(
        device,
        stream,
        f64,
        |v| f64::from(of(v)),
        |a: f64, b: f64| a + b,
        |a: f64, b: f64| a * b,
        f64::min,
        f64::max,
        f64::NEG_INFINITY,
        f64::INFINITY,
        1.0
    );
    let half = |v: u32| f16::from_f32((v % 7) as f32 / 4.0);
    check_numbers!(
        device,
        stream,
        f16,
        half,
        |a: f16, b: f16| a + b,
        |a: f16, b: f16| a * b,
        |a: f16, b: f16| f16::from_f32(a.to_f32().min(b.to_f32())),
        |a: f16, b: f16| f16::from_f32(a.to_f32().max(b.to_f32())),
        f16::NEG_INFINITY,
        f16::INFINITY,
        f16::ONE
    );
}

pub fn counts_and_conditions(device: &Device, stream: &Stream) {
    for (n, changed) in [(0, None), (1, None), (300, None), (9000, Some((8999, 101))), (20_000, Some((7, -100)))] {
        let mut values: Vec<i32> = words(n).map(|v| (v % 199) as i32 - 99).collect();
        if let Some((at, value)) = changed {
            values[at] = value;
        }
        let x = device.buffer_from(&values).unwrap();
        let (mut many, mut whether) = (device.zeros(1).unwrap(), device.zeros::<bool>(2).unwrap());
        k::conditions(stream, &x, &mut many, &mut whether).unwrap();
        assert_eq!(many.to_vec().unwrap(), [values.iter().filter(|v| **v > 0).count()]);
        let expected = [values.iter().any(|v| *v > 100), values.iter().all(|v| *v > -100)];
        assert_eq!(whether.to_vec().unwrap(), expected, "{n}");
    }
}

pub fn ranges_in_each_other(device: &Device, stream: &Stream) {
    for [h, w] in [[3, 5], [150, 90], [4, 0]] {
        let [a, b] = [1, 2].map(|seed| words(h * w).map(|v| (v / seed % 1000) as f32).collect::<Vec<f32>>());
        let (ga, gb) = (device.grid_from(&a, [h, w]).unwrap(), device.grid_from(&b, [h, w]).unwrap());
        let mut worst = device.grid_zeros::<f32, 2>([2, 3]).unwrap();
        let mut volume = device.zeros::<u64>(4).unwrap();
        k::changes(stream, &ga, &gb, &mut worst, 3, &mut volume, 3).unwrap();
        let of = |sweep: usize| {
            a[sweep * w..].iter().zip(&b[sweep * w..]).fold(f32::NEG_INFINITY, |m, (a, b)| m.max((a - b).abs()))
        };
        assert_eq!(worst.to_vec().unwrap(), [0.0, 0.0, 0.0, of(0), of(1), of(2)]);
        let sum = (1..h).flat_map(|z| (0..w).flat_map(move |y| (2..8).map(move |x| ((z * 100 + y) * 100 + x) as u64)));
        assert_eq!(volume.to_vec().unwrap(), [0, 0, 0, sum.sum()]);
    }
    let values: Vec<u32> = words(37 * 300).map(|v| v % 50).collect();
    let g = device.grid_from(&values, [37, 300]).unwrap();
    let mut sums = device.zeros::<u32>(37 * 300).unwrap();
    k::rows(stream, &g, &mut sums).unwrap();
    let expected: Vec<u32> = values
        .iter()
        .scan(0, |sum, v| {
            *sum += v;
            Some(*sum)
        })
        .collect();
    assert_eq!(sums.to_vec().unwrap(), expected);
}

pub fn results_are_read_beside_others(device: &Device, stream: &Stream) {
    for n in [10, 20_000] {
        let values: Vec<f32> = words(n).map(|v| (v % 5) as f32).collect();
        let x = device.buffer_from(&values).unwrap();
        let mut stats = device.zeros::<f32>(2).unwrap();
        k::deviations(stream, &x, &mut stats).unwrap();
        let add = |a: f32, b: f32| a + b;
        let sum = reduced(&values, 0.0, &add);
        let squares: Vec<f32> = values.iter().map(|v| (v - sum) * (v - sum)).collect();
        let got = stats.to_vec().unwrap();
        assert_eq!(got[0], sum);
        // The products may be contracted with the sums.
        assert!((got[1] / reduced(&squares, 0.0, &add) - 1.0).abs() < 1e-5);
    }
}

/// The first place of the smallest and of the greatest value.
pub fn where_the_extremes_are(device: &Device, stream: &Stream) {
    for n in SIZES {
        let mut values: Vec<f32> = words(n).map(|v| (v % 89) as f32 - 30.0).collect();
        values.iter_mut().step_by(7).for_each(|v| *v = f32::NAN);
        if n == 1000 {
            // The infinities are values like others, and the numbers are elsewhere.
            values.iter_mut().for_each(|v| *v = if *v > 40.0 { f32::NEG_INFINITY } else { f32::NAN });
        }
        let low = n / 3;
        let x = device.buffer_from(&values).unwrap();
        let mut at = device.zeros(4).unwrap();
        k::places(stream, &x, &mut at, low, 20.0).unwrap();
        let numbers = || values.iter().copied().enumerate().skip(low).filter(|(_, v)| !v.is_nan());
        let first = |best: Option<f32>| numbers().find(|(_, v)| Some(*v) == best).map_or(usize::MAX, |(i, _)| i);
        let above = values.iter().position(|v| *v > 20.0).unwrap_or(if n == 0 { usize::MAX } else { 0 });
        let bytes = (0..n).step_by(3).map(|i| (values[i] as i8, i)).min();
        let expected = [
            first(numbers().map(|(_, v)| v).reduce(f32::min)),
            first(numbers().map(|(_, v)| v).reduce(f32::max)),
            above,
            bytes.map_or(usize::MAX, |(_, i)| i),
        ];
        assert_eq!(at.to_vec().unwrap(), expected, "{n}");
    }
    for ([h, w], step) in [([3, 5], 1), ([90, 150], 4), ([4, 0], 2), ([1, 1], 3)] {
        let values: Vec<u16> = words(h * w).map(|v| (v % 7000) as u16).collect();
        let g = device.grid_from(&values, [h, w]).unwrap();
        let (mut at, mut deep) = (device.zeros(2).unwrap(), device.zeros(1).unwrap());
        k::peaks(stream, &g, &mut at, &mut deep, step).unwrap();
        let all = |top: usize, by: usize, left: usize| {
            (top..h).step_by(by).flat_map(move |y| (left..w).map(move |x| [y, x])).collect::<Vec<_>>()
        };
        let greatest = all(0, 1, 0).into_iter().rev().max_by_key(|[y, x]| values[y * w + x]);
        let smallest = all(1, step, 2).into_iter().min_by_key(|[y, x]| values[y * w + x]);
        assert_eq!(at.to_vec().unwrap(), [greatest, smallest].map(|at| at.unwrap_or([usize::MAX; 2])));
        let bits = all(0, 1, 0).into_iter().flat_map(|[y, x]| (0..4).map(move |bit| [y, x, bit]));
        let set = bits.rev().max_by_key(|[y, x, bit]| values[y * w + x] >> bit & 1);
        assert_eq!(deep.to_vec().unwrap(), [set.unwrap_or([usize::MAX; 3])]);
    }
}

pub fn steps_and_ends(device: &Device, stream: &Stream) {
    for (n, step) in [(6, 1), (9, 2), (300, 3), (30_000, 2), (30_000, 50_000)] {
        let values: Vec<u32> = words(n).collect();
        let x = device.buffer_from(&values).unwrap();
        let mut total = device.zeros::<u32>(n + 2).unwrap();
        k::steps(stream, &x, &mut total, n - 1, step).unwrap();
        let mut expected = vec![0u32; n + 2];
        let add = |to: &mut u32, value: u32| *to = to.wrapping_add(value);
        (0..n).step_by(step).for_each(|i| add(&mut expected[0], values[i]));
        (5..n).for_each(|i| (1..7).step_by(step).for_each(|k| add(&mut expected[1], values[i].wrapping_mul(k))));
        let mut sum = 0;
        (1..n).step_by(step).for_each(|i| {
            add(&mut sum, values[i]);
            expected[2 + i] = sum;
        });
        assert!(total.to_vec().unwrap() == expected, "{n} by {step}");
    }
    let (x, mut total) = (device.zeros::<u32>(5).unwrap(), device.zeros::<u32>(9).unwrap());
    let error = k::steps(stream, &x, &mut total, 4, 0).unwrap_err().to_string();
    assert!(error.contains("step") && error.contains("`total[0] = par((0..=last).step_by(step))"), "{error}");
}

pub fn ranges_the_index_and_then_the_closure(device: &Device, stream: &Stream) {
    for n in [10, 20_000] {
        let values: Vec<u64> = (0..n).collect();
        let x = device.buffer_from(&values).unwrap();
        let mut total = device.zeros::<u64>(3).unwrap();
        k::ordered(stream, &x, &mut total, values.len()).unwrap();
        assert_eq!(total.to_vec().unwrap(), [0, 1, 2].map(|at| 12 * (at..n).sum::<u64>()));
    }
}

pub fn values_of_users(device: &Device, stream: &Stream) {
    for n in [0, 1, 300, 30_000] {
        let values: Vec<f32> = words(n).map(|v| (v % 997) as f32).collect();
        let x = device.buffer_from(&values).unwrap();
        let mut out = device.zeros::<k::Extent>(1).unwrap();
        k::extent(stream, &x, &mut out).unwrap();
        let high = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let at = values.iter().position(|v| *v == high).map_or(u64::MAX, |at| at as u64);
        let low = values.iter().copied().fold(f32::INFINITY, f32::min);
        assert_eq!(out.to_vec().unwrap(), [k::Extent { low, high, at }]);
    }
}

pub fn what_is_kept_moves_together(device: &Device, stream: &Stream) {
    for n in [0, 5, 400, 25_000] {
        let values: Vec<u32> = words(n).map(|v| v % 100).collect();
        let x = device.buffer_from(&values).unwrap();
        let (mut out, mut many) = (device.zeros::<u32>(n).unwrap(), device.zeros::<u32>(1).unwrap());
        k::kept(stream, &x, 60, &mut out, &mut many).unwrap();
        let expected: Vec<u32> = values.into_iter().filter(|v| *v > 60).collect();
        assert_eq!(many.to_vec().unwrap(), [expected.len() as u32]);
        assert_eq!(out.to_vec().unwrap()[..expected.len()], expected);
    }
}

pub fn what_surrounds_a_reduction_does_not_matter(device: &Device, stream: &Stream) {
    for n in [9, 9000] {
        let values: Vec<usize> = (0..n).map(|i| i % 10).collect();
        let x = device.buffer_from(&values).unwrap();
        let (mut total, mut scan) = (device.zeros::<usize>(1).unwrap(), device.zeros::<usize>(n).unwrap());
        k::surrounded(stream, &x, &mut total, &mut scan).unwrap();
        assert_eq!(total.to_vec().unwrap(), [values.iter().sum::<usize>() + 17 * n]);
        let before = |sum: &mut usize, value: &usize| Some(std::mem::replace(sum, *sum + value + 1));
        assert_eq!(scan.to_vec().unwrap(), values.iter().scan(0, before).collect::<Vec<_>>());
    }
}

/// Groups that run at the same time have memory of their own; a graph keeps it, and its replays are
/// in order.
pub fn reductions_of_groups_and_graphs(device: &Device, stream: &Stream) {
    let n = 20_000;
    let [a, b] = [3, 5].map(|seed| words(n).map(|v| (v / seed % 64) as f32).collect::<Vec<f32>>());
    let (mut x, y) = (device.buffer_from(&a).unwrap(), device.buffer_from(&b).unwrap());
    let mut sums = device.zeros::<f32>(4).unwrap();
    let (mut scans, mut rest) = (device.zeros::<f32>(n).unwrap(), device.zeros::<f32>(n).unwrap());
    let add = |a: f32, b: f32| a + b;
    let expected = |a: &[f32]| {
        let sums = [reduced(a, 0.0, &add), reduced(&a[1..], 0.0, &add)];
        (sums, scanned(a, 0.0, &add))
    };
    let high = [0, 1].map(|round| b[round..].iter().copied().fold(f32::NEG_INFINITY, f32::max));
    for _ in 0..3 {
        k::groups(stream, &x, &y, &mut sums, &mut scans, &mut rest, 2).unwrap();
    }
    let (low, (before, up_to)) = expected(&a);
    assert_eq!(sums.to_vec().unwrap(), [low, high].concat());
    assert_eq!((scans.to_vec().unwrap(), rest.to_vec().unwrap()), (before, up_to));

    let graph = stream.capture(|stream| k::groups(stream, &x, &y, &mut sums, &mut scans, &mut rest, 2)).unwrap();
    let other: Vec<f32> = a.iter().map(|v| v + 1.0).collect();
    x.copy_from(&other).unwrap();
    let second = device.new_stream().unwrap();
    for _ in 0..2 {
        graph.launch(stream).unwrap();
        graph.launch(&second).unwrap();
    }
    let (low, (before, up_to)) = expected(&other);
    assert_eq!(sums.to_vec().unwrap(), [low, high].concat());
    assert_eq!((scans.to_vec().unwrap(), rest.to_vec().unwrap()), (before, up_to));
}

pub fn reductions_say_what_is_wrong(device: &Device, stream: &Stream) {
    let x = device.buffer_from(&[1.0f32; 9000]).unwrap();
    let mut total = device.zeros::<f32>(2).unwrap();
    let error = k::dot(stream, &x, &x, &mut total, 2).unwrap_err().to_string();
    assert!(error.contains("`total[at]` in kernel `dot` would use index 2, but `total` has 2 elements"), "{error}");
    let short = x.slice(0..10);
    let error = k::dot(stream, &x, &short, &mut total, 1).and_then(|()| stream.synchronize()).unwrap_err().to_string();
    assert!(error.contains("index out of bounds: the len is 10"), "{error}");
    k::dot(stream, &x, &x, &mut total, 1).unwrap();
    assert_eq!(total.to_vec().unwrap(), [0.0, 9000.0]);
    for n in [10, 9000] {
        let mut values = vec![1u32; n];
        values[n - 1] = 7;
        let x = device.buffer_from(&values).unwrap();
        let mut total = device.zeros::<u32>(1).unwrap();
        let error = k::checked(stream, &x, &mut total, 7).and_then(|()| stream.synchronize()).unwrap_err().to_string();
        assert!(error.contains("7 is too much"), "{error}");
        k::checked(stream, &x, &mut total, 8).unwrap();
        assert_eq!(total.to_vec().unwrap(), [n as u32 + 6]);
    }
}

pub fn names_of_indexes_end_with_the_closure(device: &Device, stream: &Stream) {
    let x: Vec<u64> = (0..1000).collect();
    let mut total = device.zeros(1).unwrap();
    k::shadowed(stream, &device.buffer_from(&x).unwrap(), &mut total, 97).unwrap();
    assert_eq!(total.get(0).unwrap(), x.iter().sum::<u64>() % 97);
}

/// However many iterations there are: blocks and rounds make no difference.
pub fn iterations_of_scans_are_apart(device: &Device, stream: &Stream) {
    for n in [100, 257, 4000, 20_000] {
        let mut x = device.filled(n, 1u32).unwrap();
        k::placed(stream, &mut x).unwrap();
        let counted: Vec<u32> = (0..n as u32).collect();
        assert_eq!(x.to_vec().unwrap(), counted, "{n} in place");
        let from = device.filled(n, 1u32).unwrap();
        let mut y = device.zeros(n).unwrap();
        k::folded(stream, &from, &mut y, 1).unwrap();
        let refused = |result: anabranch::Result<()>, what: &str| match result {
            Err(Error::Overlap { .. }) => {}
            other => panic!("{what} of {n}: {other:?}"),
        };
        if n > 256 {
            refused(k::shifted(stream, &mut x, 1), "shifted");
            refused(k::shifted(stream, &mut x, 256), "shifted by a round");
        }
        refused(k::folded(stream, &from, &mut y, 0), "folded");
        assert_eq!(x.to_vec().unwrap(), counted, "{n}, after launches that were refused");
    }
}

/// Whether each byte is `0` or `1`, as it must be of a `bool`.
fn are_marks<T>(values: &[T]) -> bool {
    // SAFETY: the types of the callers are bytes.
    let bytes = unsafe { std::slice::from_raw_parts(values.as_ptr().cast::<u8>(), values.len()) };
    std::hint::black_box(bytes).iter().all(|byte| *byte <= 1)
}

/// A thread that fails leaves values unwritten. What others read then must be values.
pub fn what_a_failed_thread_leaves_is_a_value(device: &Device, stream: &Stream) {
    use k::Mark;
    // Only what is no number costs anything.
    let ends = |source: String| source.contains("#define AB_ENDS");
    assert!(ends(k::exchanged::cuda_source()) && ends(k::marks::cuda_source()));
    assert!(!ends(k::dot::cuda_source()) && !ends(k::extent::cuda_source()));
    assert!(!ends(crate::kernels::block_atomics::histogram::cuda_source()));
    for round in 0..3 {
        // What the pool gives out again.
        drop(device.filled(1 << 16, u32::MAX).unwrap());
        for bad in [0, 255, 8192, 9000] {
            let x = device.filled(16_384, Mark::Off).unwrap();
            let mut out = device.filled(1, Mark::On).unwrap();
            let told = k::marks(stream, &x, &mut out, bad).and_then(|()| stream.synchronize());
            assert!(told.is_err(), "round {round}: iteration {bad} fails");
            assert!(are_marks(&out.to_vec().unwrap()), "round {round}: iteration {bad}");
        }
        for bad in [0, 5, 58, 63, 64 + 5, 64 + 40] {
            let x = device.filled(128, Mark::On).unwrap();
            let (mut out, mut flags) = (device.filled(128, Mark::Off).unwrap(), device.filled(130, true).unwrap());
            let told = k::exchanged(stream, &x, &mut out, &mut flags, bad).and_then(|()| stream.synchronize());
            assert!(told.is_err(), "round {round}: thread {bad} fails");
            let (out, flags) = (out.to_vec().unwrap(), flags.to_vec().unwrap());
            assert!(are_marks(&out) && are_marks(&flags), "round {round}: thread {bad}");
            if !device.is_cpu() {
                let whole = if bad < 64 { 64..128 } else { 0..64 };
                assert_eq!(out[whole], [Mark::On; 64], "round {round}: the other block");
            }
        }
    }
}

pub fn results_are_combined_with_what_is_there(device: &Device, stream: &Stream) {
    for n in [0, 3, 20_000, 100_000] {
        let x: Vec<u64> = (0..n).map(|i| i * i % 1009 + 1).collect();
        let mut all = [7u64, 3, 11, 1 << 63, 5];
        let mut total = device.buffer_from(&all).unwrap();
        let mut scaled = device.buffer_from(&[1.0f32, 2.0]).unwrap();
        k::added(stream, &device.buffer_from(&x).unwrap(), &mut total, &mut scaled, x.len()).unwrap();
        all[0] += x.iter().sum::<u64>();
        all[1] = x.iter().take(5).fold(all[1], |product, x| product.wrapping_mul(x + all[0]));
        all[3] |= x.iter().fold(0, |bits, x| bits | 1 << (x % 64));
        all[4] ^= x[..x.len() / 2 * 2].iter().copied().max().unwrap_or(0);
        assert_eq!(total.to_vec().unwrap(), all, "{n}");
        assert_eq!(scaled.get(1).unwrap(), if n == 0 { -0.0 } else { 4.0 });
    }
}
