//! Phases whose threads run in lock step on the CPU, where `ANABRANCH_LANES` says so. They compute
//! what they compute one by one, bit by bit.

use std::fmt::Debug;

use anabranch::prelude::*;

use super::noise;
use crate::kernels::phases_in_lanes as k;

/// What a kernel makes of its first argument on a device, and on the CPU one thread after the
/// other.
macro_rules! twice {
    ($device:ident, $stream:ident, $name:ident($($of:tt)*)) => {
        twice!($device, $stream, Ok(()), $name($($of)*))
    };
    ($device:ident, $stream:ident, $plan:expr, $name:ident($out:expr; $($slice:expr),*; $($number:expr),*)) => {{
        let plans = [k::$name::plan(), k::one_by_one::$name::plan()];
        let in_lanes = plans.map(|plan| plan.lanes().collect::<Vec<_>>());
        assert_eq!(in_lanes, [[$plan], [Err("of `lanes = false`")]], "{:#}", k::$name::plan());
        let mut got = $device.buffer_from(&$out).unwrap();
        k::$name($stream, &mut got, $(&$device.buffer_from(&$slice).unwrap(),)* $($number),*).unwrap();
        let cpu = Device::cpu();
        let mut want = cpu.buffer_from(&$out).unwrap();
        let stream = cpu.default_stream();
        k::one_by_one::$name(&stream, &mut want, $(&cpu.buffer_from(&$slice).unwrap(),)* $($number),*).unwrap();
        [got.to_vec().unwrap(), want.to_vec().unwrap()]
    }};
}

/// Floats of a GPU are close to those of the CPU.
#[track_caller]
fn same<T: Debug>(device: &Device, [got, want]: [Vec<T>; 2]) {
    if device.is_cpu() {
        assert_eq!(format!("{got:?}"), format!("{want:?}"), "{} elements", got.len());
    }
}

fn floats(len: usize) -> Vec<f32> {
    noise(len).map(|x| (x % 1000) as f32 / 1000.0).collect()
}

pub fn tiles_of_all_pairs(device: &Device, stream: &Stream) {
    for len in [0, 1, 63, 64, 65, 200, 1000] {
        let (x, y) = (floats(len), floats(2 * len).split_off(len));
        same(device, twice!(device, stream, tiles(vec![-1.0f32; len]; x, y; len)));
    }
}

pub fn products_of_tiles(device: &Device, stream: &Stream) {
    for n in [0, 20, 60] {
        let numbers =
            |from: usize| floats(2 * n * n)[from..from + n * n].iter().map(|x| f64::from(*x)).collect::<Vec<_>>();
        same(device, twice!(device, stream, product(vec![0.0f64; n * n]; numbers(0), numbers(n * n); n)));
    }
}

pub fn phases_that_are_left(device: &Device, stream: &Stream) {
    for len in [0, 100, 1700] {
        let x: Vec<i32> = noise(len).map(|x| (x % 4000) as i32 - 2000).collect();
        for rounds in [0, 1, 40] {
            let [got, want] = twice!(device, stream, left(vec![0i32; len]; x; rounds));
            assert_eq!(got, want, "{len} {rounds}");
        }
    }
}

pub fn rings_of_user_types(device: &Device, stream: &Stream) {
    // An index that goes round is not checked.
    let source = k::rings::cuda_source();
    assert!(source.contains("ring.e[(u32)(") && !source.contains("ring.at("), "{source}");
    for len in [0, 48, 480] {
        let points = vec![k::Point { x: 0.0, y: 0.0, seen: [7, 7] }; len];
        for rounds in [0, 1, 30] {
            same(device, twice!(device, stream, rings(points; floats(len); rounds)));
        }
    }
}

pub fn values_that_nobody_asks_for(device: &Device, stream: &Stream) {
    let (len, first) = (320, k::Scale { by: 0.75, fails: false });
    for (fails, skip) in [(false, false), (false, true), (true, true)] {
        let second = k::Scale { fails, ..first };
        same(device, twice!(device, stream, skipped(vec![-1.0f32; len]; floats(len); first, second, skip, 40)));
    }
    let error = "an inner loop does what cannot be done for several iterations at a time";
    same(device, twice!(device, stream, Err(error), no_part(vec![-1.0f32; len]; floats(len); 40)));
    same(device, twice!(device, stream, Err(error), no_part_in_a_chain(vec![-1.0f32; len]; floats(len); 40)));
}

pub fn scans_of_long_loops(device: &Device, stream: &Stream) {
    for rounds in [0, 1, 50] {
        let [got, want] = twice!(device, stream, scanned(vec![0u32; 640]; floats(640); rounds));
        assert_eq!(got, want);
    }
}
