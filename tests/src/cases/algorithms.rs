//! The kernels of `anabranch::algorithms` against plain Rust.

use std::cmp::Ordering;
use std::panic::{AssertUnwindSafe, catch_unwind};

use anabranch::algorithms::*;
use anabranch::half::{bf16, f16};
use anabranch::prelude::*;

use super::noise;
use crate::kernels::algorithms as k;

/// Lengths around those of groups of threads, blocks and tiles. A stand-in is slow.
fn lens(device: &Device) -> &'static [usize] {
    if device.is_cpu() {
        &[0, 1, 2, 31, 32, 33, 255, 256, 257, 1000, 1919, 1920, 1921, 2048, 2049, 100_000]
    } else {
        &[0, 1, 2, 33, 257, 1921, 4100]
    }
}

pub fn kept_elements(device: &Device, stream: &Stream) {
    for &n in lens(device) {
        for kept_of_16 in [0, 5, 16] {
            let x: Vec<i64> = noise(n).map(|v| v as i64).collect();
            let keep: Vec<bool> = x.iter().map(|v| v & 15 < kept_of_16).collect();
            let mut want: Vec<i64> = x.iter().copied().filter(|v| v & 15 < kept_of_16).collect();
            let (from, marks) = (device.buffer_from(&x).unwrap(), device.buffer_from(&keep).unwrap());
            // There is room for what is kept and no more, and for the number something behind it.
            let (mut to, mut kept) = (device.zeros(want.len()).unwrap(), device.filled(2, 99u32).unwrap());
            let mut scratch = device.filled(compact_scratch(n), 5u32).unwrap();
            compact_with_scratch(stream, &from, &marks, &mut to, &mut kept, &mut scratch).unwrap();
            assert_eq!(kept.to_vec().unwrap(), [want.len() as u32, 99], "{n}");
            assert_eq!(to.to_vec().unwrap(), want, "{n}");
            // The rest of a longer slice stays.
            let mut to = device.filled(n + 3, -7i64).unwrap();
            compact(stream, &from, &marks, &mut to, &mut kept).unwrap();
            want.resize(n + 3, -7);
            assert_eq!(to.to_vec().unwrap(), want, "{n}");
        }
    }
}

pub fn a_kept_element_without_room(device: &Device, stream: &Stream) {
    let (from, marks) = (device.zeros::<u32>(100).unwrap(), device.filled(100, true).unwrap());
    let (mut to, mut kept) = (device.zeros(99).unwrap(), device.zeros(1).unwrap());
    let told = compact(stream, &from, &marks, &mut to, &mut kept).and_then(|()| stream.synchronize());
    let error = told.expect_err("an element has no room").to_string();
    assert!(error.contains("index out of bounds: the len is 99 but the index is 99"), "{error}");
}

pub fn first_of_each_run(device: &Device, stream: &Stream) {
    for &n in lens(device) {
        let x: Vec<f32> = noise(n).map(|v| [1.0, -0.0, 0.0, f32::NAN][(v >> 40) as usize % 4]).collect();
        let mut want = x.clone();
        want.dedup();
        let (mut to, mut kept) = (device.zeros(n).unwrap(), device.zeros(1).unwrap());
        unique(stream, &device.buffer_from(&x).unwrap(), &mut to, &mut kept).unwrap();
        assert_eq!(kept.to_vec().unwrap(), [want.len() as u32], "{n}");
        let bits = |x: &[f32]| x.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&to.to_vec().unwrap()[..want.len()]), bits(&want), "{n}");
    }
}

/// Counts with any number of bins, also of numbers that have none.
fn counted<T: Int + DeviceCopy>(device: &Device, stream: &Stream, of: impl Fn(u64) -> T) {
    for &n in lens(device) {
        let x: Vec<T> = noise(n).map(&of).collect();
        for width in [0, 1, 100, 256, 257, 3000] {
            let mut bins = device.filled(width, 5u32).unwrap();
            let mut scratch = device.filled(histogram_scratch(n, width), 3u32).unwrap();
            histogram_with_scratch(stream, &device.buffer_from(&x).unwrap(), &mut bins, &mut scratch).unwrap();
            let mut want = vec![0; width];
            // A negative number is a great one here.
            for bin in x.iter().map(|x| x.cast::<u128>()).filter(|bin| *bin < width as u128) {
                want[bin as usize] += 1;
            }
            assert_eq!(bins.to_vec().unwrap(), want, "{n} in {width}");
        }
    }
}

pub fn histograms(device: &Device, stream: &Stream) {
    counted(device, stream, |v| (v >> 20) as u8);
    counted(device, stream, |v| (v >> 20) as i8);
    counted(device, stream, |v| (v >> 20) as i32 >> 20);
    // Numbers whose lower half is a bin.
    counted(device, stream, |v| (u128::from(v) << (64 * (v % 2))) | u128::from(v >> 50));
}

/// A thread counts in bytes, which all have the same bin here.
pub fn a_histogram_of_one_number(device: &Device, stream: &Stream) {
    let n = if device.is_cpu() { 1_000_000 } else { 40_000 };
    let mut bins = device.zeros(256).unwrap();
    histogram(stream, &device.filled(n, 200u8).unwrap(), &mut bins).unwrap();
    let mut want = [0; 256];
    want[200] = n as u32;
    assert_eq!(bins.to_vec().unwrap(), want);
}

/// Sorts keys with an order of their own, and values by them.
fn sorted<K: Key + PartialEq + std::fmt::Debug>(
    device: &Device,
    stream: &Stream,
    of: impl Fn(u64) -> K,
    special: &[K],
    cmp: impl Fn(&K, &K) -> Ordering,
    bits: impl Fn(&K) -> u128,
) {
    let all = |keys: &[K]| keys.iter().map(&bits).collect::<Vec<_>>();
    for &n in lens(device) {
        let mut scratch = device.filled(sort_scratch(n), 9u32).unwrap();
        for order in [Order::Ascending, Order::Descending] {
            let cmp = |a: &K, b: &K| if order == Order::Ascending { cmp(a, b) } else { cmp(b, a) };
            // Many are equal, and some are extreme.
            let key = |v: u64| if v >> 60 == 0 { special[v as usize % special.len()] } else { of(v >> (v >> 58)) };
            let x: Vec<K> = noise(n).map(key).collect();
            let mut want = x.clone();
            want.sort_by(&cmp);
            let (mut keys, mut spare) = (device.buffer_from(&x).unwrap(), device.filled(n, special[0]).unwrap());
            match order {
                Order::Ascending => sort(stream, &mut keys, order).unwrap(),
                Order::Descending => sort_with_scratch(stream, &mut keys, order, &mut spare, &mut scratch).unwrap(),
            }
            assert_eq!(all(&keys.to_vec().unwrap()), all(&want), "{n} keys, {order:?}");
            // A stand-in compiles each instance for seconds.
            if !device.is_cpu() && size_of::<K>() != 4 {
                continue;
            }

            let mut values: Vec<u32> = (0..n as u32).collect();
            let (mut keys, mut on_values) = (device.buffer_from(&x).unwrap(), device.buffer_from(&values).unwrap());
            let mut spare_values = device.zeros(n).unwrap();
            let spare = (&mut spare, &mut spare_values);
            match order {
                Order::Ascending => sort_by_key(stream, &mut keys, &mut on_values, order).unwrap(),
                Order::Descending => {
                    let (keys, values) = (&mut keys, &mut on_values);
                    sort_by_key_with_scratch(stream, keys, values, order, spare.0, spare.1, &mut scratch).unwrap();
                }
            }
            values.sort_by(|a, b| cmp(&x[*a as usize], &x[*b as usize]));
            assert_eq!(all(&keys.to_vec().unwrap()), all(&want), "{n} pairs, {order:?}");
            assert_eq!(on_values.to_vec().unwrap(), values, "{n} values, {order:?}");
        }
    }
}

macro_rules! ints {
    ($($case:ident $t:ident)*) => { $(
        pub fn $case(device: &Device, stream: &Stream) {
            let special = [$t::MIN, $t::MAX, 0, 1, $t::MAX - 1, $t::MAX / 2, !0];
            sorted(device, stream, |v| (v ^ v << 29) as $t, &special, $t::cmp, |v| *v as u128);
        }
    )* };
}
ints! {
    keys_i8 i8 keys_i16 i16 keys_i32 i32 keys_i64 i64 keys_i128 i128 keys_isize isize
    keys_u8 u8 keys_u16 u16 keys_u32 u32 keys_u64 u64 keys_u128 u128 keys_usize usize
}

macro_rules! floats {
    ($($case:ident $t:ident $bits:ident)*) => { $(
        pub fn $case(device: &Device, stream: &Stream) {
            let of = $t::from_bits;
            let (infinite, quiet) = ($t::INFINITY.to_bits(), $t::NAN.to_bits());
            let sign = 1 << ($bits::BITS - 1);
            let special = [
                of(0), of(sign), of(1), of(sign | 1), of(infinite), of(infinite | sign), of(quiet), of(quiet | sign), of(quiet | 1), of($bits::MAX),
                of(infinite - 1), of((infinite - 1) | sign),
            ];
            sorted(device, stream, |v| of((v ^ v << 29) as $bits), &special, $t::total_cmp, |v| u128::from(v.to_bits()));
        }
    )* };
}
floats! { keys_f32 f32 u32 keys_f64 f64 u64 keys_f16 f16 u16 keys_bf16 bf16 u16 }

pub fn in_groups_and_graphs(device: &Device, stream: &Stream) {
    let n = 3000;
    let [x, y] = [0, 1].map(|from| noise(n + from).skip(from).map(|v| v as u32).collect::<Vec<_>>());
    let buffers = || [&x, &y].map(|x| device.buffer_from(x).unwrap());
    let [mut to, mut spare] = [n; 2].map(|n| device.zeros::<u32>(n).unwrap());
    let mut counts = device.zeros(sort_scratch(n)).unwrap();
    let want = |mut up: Vec<u32>, mut down: Vec<u32>| {
        up.sort_unstable();
        down.sort_unstable_by(|a, b| b.cmp(a));
        up.iter().zip(down).map(|(up, down)| up.wrapping_mul(3).wrapping_add(down)).collect::<Vec<_>>()
    };
    let [mut up, mut down] = buffers();
    k::sorted_in_groups(stream, &mut up, &mut down, &mut to, &mut spare, &mut counts).unwrap();
    assert_eq!(to.to_vec().unwrap(), want(x.clone(), y.clone()));

    let [mut up, mut down] = buffers();
    let graph = stream.capture(|s| k::sorted_in_groups(s, &mut up, &mut down, &mut to, &mut spare, &mut counts));
    let graph = graph.unwrap();
    let x: Vec<u32> = x.iter().map(|x| x.rotate_left(9)).collect();
    up.copy_from(&x).unwrap();
    graph.launch(stream).unwrap();
    assert_eq!(to.to_vec().unwrap(), want(x, y));
}

pub fn scratch_that_is_too_short(device: &Device, stream: &Stream) {
    let says = |run: &mut dyn FnMut(), what: &str| {
        let panic = catch_unwind(AssertUnwindSafe(run)).expect_err("it does not fit");
        let message = panic.downcast_ref::<String>().expect("it has a message");
        assert!(message.contains(what), "{message}");
    };
    let n = 5000;
    let [mut keys, mut spare] = [n; 2].map(|n| device.zeros::<u32>(n).unwrap());
    let need = sort_scratch(n);
    let mut scratch = device.zeros(need - 1).unwrap();
    let short =
        format!("`scratch` has {} elements, but 5000 keys need `sort_scratch(5000)`, which is {need}", need - 1);
    says(&mut || sort_with_scratch(stream, &mut keys, Order::Ascending, &mut spare, &mut scratch).unwrap(), &short);
    let mut few = device.zeros::<u32>(n - 1).unwrap();
    let mut scratch = device.zeros(need).unwrap();
    says(
        &mut || sort_with_scratch(stream, &mut keys, Order::Ascending, &mut few, &mut scratch).unwrap(),
        "`sort_with_scratch`: `keys` has 5000 elements, but `spare` has 4999",
    );
    let (mut bins, mut short) = (device.zeros(10).unwrap(), device.zeros(histogram_scratch(n, 10) - 1).unwrap());
    says(
        &mut || histogram_with_scratch(stream, &keys, &mut bins, &mut short).unwrap(),
        "`scratch` has 9 elements, but 5000 elements in 10 bins need `histogram_scratch(5000, 10)`, which is 10",
    );
    let (marks, mut kept) = (device.zeros::<bool>(n).unwrap(), device.zeros(1).unwrap());
    let mut short = device.zeros(compact_scratch(n) - 1).unwrap();
    says(
        &mut || compact_with_scratch(stream, &keys, &marks, &mut spare, &mut kept, &mut short).unwrap(),
        "`scratch` has 2 elements, but 5000 elements need `compact_scratch(5000)`, which is 3",
    );
    let (a, mut b) = (device.grid_zeros::<f32, 2>([3, 4]).unwrap(), device.grid_zeros([3, 4]).unwrap());
    says(&mut || transpose(stream, &a, &mut b).unwrap(), "the shape [4, 3], but `to` has [3, 4]");
    says(&mut || matmul(stream, &a, &a, &mut b).unwrap(), "`matmul`: `a` has 4 columns, but `b` has 3 rows");
    let (square, sum) = (device.grid_zeros::<f32, 2>([4, 4]).unwrap(), closure!(|sum: f32, _: usize, _: usize| sum));
    let mut c = device.grid_zeros([4, 3]).unwrap();
    let shape = "`matmul_with`: the product has the shape [3, 4], but `c` has [4, 3]";
    says(&mut || matmul_with(stream, &a, &square, &mut c, sum).unwrap(), shape);
    let [two, three] = [2, 3].map(|batch| device.grid_zeros::<f32, 3>([batch, 4, 4]).unwrap());
    let mut c = device.grid_zeros([3, 4, 4]).unwrap();
    let matrices = "`matmul_batched`: `c` has 3 matrices, but `b` has 2";
    says(&mut || matmul_batched(stream, &three, &two, &mut c).unwrap(), matrices);
}
