//! Phases in which something is not what it looks like: they are refused, or have the barriers and
//! first values that they need.

use anabranch::prelude::*;

use crate::kernels::phases as k;

#[track_caller]
fn overlaps(result: anabranch::Result<()>) {
    assert!(matches!(result, Err(Error::Overlap { .. })), "{result:?}");
}

pub fn numbers_that_have_changed(device: &Device, stream: &Stream) {
    let [mut y, mut z] = [(); 2].map(|()| device.filled(1024, 1u32).unwrap());
    overlaps(k::stale_end(stream, &mut y));
    overlaps(k::stale_end_of_rounds(stream, &mut y));
    overlaps(k::stale_by_the_next_range(stream, &mut y));
    overlaps(k::stale_dividend(stream, &mut y, &mut z, 250));
    assert_eq!(y.to_vec().unwrap(), [1; 1024]);
}

pub fn indexes_of_the_block(device: &Device, stream: &Stream) {
    let mut g = device.grid_zeros([4, 4]).unwrap();
    overlaps(k::index_of_the_block(stream, &mut g));
    overlaps(k::read_by_an_index_of_the_block(stream, &mut g));
    assert_eq!(g.to_vec().unwrap(), [0; 16]);
}

pub fn rounds_that_some_threads_skip(device: &Device, stream: &Stream) {
    let mut out = device.zeros(256).unwrap();
    k::skipped_rounds(stream, &mut out).unwrap();
    let read = |at: usize| {
        let place = at % 128 / 32 * 16 + at % 32;
        if place < 64 { (100 * (place / 16) + place % 16) as u32 } else { 7 }
    };
    assert_eq!(out.to_vec().unwrap(), (0..256).map(read).collect::<Vec<_>>());
}

pub fn sums_and_differences_that_wrap(device: &Device, stream: &Stream) {
    let mut out = device.zeros(128).unwrap();
    k::backwards(stream, &mut out, usize::MAX).unwrap();
    assert_eq!(out.to_vec().unwrap(), (0..128).map(|at| 63 - at % 64).collect::<Vec<u32>>());
    let mut out = device.zeros(640).unwrap();
    k::unwritten(stream, &mut out, 600).unwrap();
    assert_eq!(out.to_vec().unwrap(), (0..640).map(|at| if at < 64 { 9 } else { 5 }).collect::<Vec<u32>>());
}

pub fn names_that_mean_something_else(device: &Device, stream: &Stream) {
    let mut out = device.zeros(128).unwrap();
    k::hidden_limit(stream, &mut out).unwrap();
    assert_eq!(out.to_vec().unwrap(), (0..128).map(|at| at % 8 + 1).collect::<Vec<u32>>());
    let mut out = device.zeros(128).unwrap();
    k::two_types_of_one_name(stream, &mut out, 256).unwrap();
    assert_eq!(out.to_vec().unwrap(), [9; 128]);
}

pub fn numbers_of_types_that_are_not_written(device: &Device, stream: &Stream) {
    for kernel in [k::no_rounds, k::two_types_of_one_number] {
        let mut out = device.zeros(128).unwrap();
        kernel(stream, &mut out).unwrap();
        assert_eq!(out.to_vec().unwrap(), [9; 128]);
    }
}

pub fn starts_of_ranges_before_barriers(device: &Device, stream: &Stream) {
    let mut out = device.zeros(640).unwrap();
    k::start_before_a_barrier(stream, &mut out).unwrap();
    assert_eq!(out.to_vec().unwrap(), [(1..32).sum::<usize>() + 64; 640]);
}

pub fn ranges_beyond_32_bits(_: &Device, stream: &Stream) {
    for first in [0u64, 1 << 31, (1 << 32) - 3, 1 << 40] {
        let printed = super::prints::printed(stream, || k::far(stream, first).unwrap());
        let lines: Vec<&str> = printed.iter().map(|(_, line)| line.trim_end()).collect();
        assert_eq!(lines, [(first..first + 40).sum::<u64>().to_string()], "from {first}");
    }
}
