//! What a block of groups waits for, and who waits for it: every place where a block can stand, by
//! results that depend on the order.

use std::panic::{AssertUnwindSafe, catch_unwind};

use anabranch::prelude::*;

use super::slow;
use crate::kernels::order as k;

/// Elements: few enough that a GPU has room for everything at once.
const N: usize = 64;

/// Runs launches on `B` buffers, and their model on each element. Models are sums and products of
/// small numbers, so that 64 bits hold what wraps in 32.
#[track_caller]
fn check<const B: usize>(device: &Device, run: impl FnOnce([&mut Buffer<u32>; B]), model: impl Fn(&mut [u64; B])) {
    let start = |buffer: usize, element: usize| (10 * buffer + element) as u32;
    let values = |buffer: usize| (0..N).map(|element| start(buffer, element)).collect::<Vec<_>>();
    let mut buffers: [Buffer<u32>; B] = std::array::from_fn(|buffer| device.buffer_from(&values(buffer)).unwrap());
    run(buffers.each_mut());
    let got = buffers.map(|buffer| buffer.to_vec().unwrap());
    for element in 0..N {
        let mut expected: [u64; B] = std::array::from_fn(|buffer| start(buffer, element).into());
        model(&mut expected);
        assert_eq!(got.each_ref().map(|got| got[element]), expected.map(|value| value as u32), "element {element}");
    }
}

pub fn several_loops_a_group(device: &Device, stream: &Stream) {
    let run = |[x, y]: [&mut Buffer<u32>; 2]| k::loops_in_order(stream, x, y, slow(device)).unwrap();
    check(device, run, |[x, y]| {
        *x = (*x + 1) * 3 + 5;
        *x *= *x;
        (1..4).for_each(|k| *y = *y * 7 + k);
    });
}

pub fn before_between_and_after(device: &Device, stream: &Stream) {
    let run = |[x, y, z]: [&mut Buffer<u32>; 3]| k::before_between_after(stream, x, y, z, slow(device)).unwrap();
    check(device, run, |[x, y, z]| {
        *z += 1;
        (*x, *y) = (*x * 3 + *z, *y * 5 + *z);
        *z = *x * 2 + *y;
        (*x, *y) = (*x + *z, *y * *z);
        *z = *z * 11 + *x * *y;
    });
}

pub fn a_single_group(device: &Device, stream: &Stream) {
    let run = |[x]: [&mut Buffer<u32>; 1]| k::one_group(stream, x, slow(device)).unwrap();
    check(device, run, |[x]| *x = (*x + 1) * 3 + 1);
}

pub fn groups_that_launch_nothing(device: &Device, stream: &Stream) {
    for work in [false, true] {
        let run = |[x, y, z]: [&mut Buffer<u32>; 3]| k::idle_groups(stream, x, y, z, work, slow(device)).unwrap();
        check(device, run, |[_, y, z]| {
            *z += if work { 100 } else { 0 };
            *y = (*y + 1) * 2 + *z;
        });
    }
}

pub fn an_inner_join_comes_before_the_outer_one(device: &Device, stream: &Stream) {
    let run = |[x, y, z]: [&mut Buffer<u32>; 3]| k::inner_join(stream, x, y, z, slow(device)).unwrap();
    check(device, run, |[x, y, z]| {
        *y *= 5;
        *x = (*x + 1) * 3 + 2 * *y;
        *z = (*z * 7 + 1) * 11 + *x;
    });
}

/// At once, with and without groups, each launch with scalars of its own.
pub fn the_same_kernel_on_two_streams(device: &Device, stream: &Stream) {
    let other = device.new_stream().unwrap();
    let run = |[p, q, x, y, z, w]: [&mut Buffer<u32>; 6]| {
        k::affine_pair(stream, x, y, 3, 2, slow(device)).unwrap();
        k::affine_pair(&other, z, w, 5, 7, slow(device)).unwrap();
        k::affine(stream, p, 11, 1, 0).unwrap();
        k::affine(&other, q, 13, 4, 0).unwrap();
    };
    check(device, run, |[p, q, x, y, z, w]| {
        (*x, *y, *z, *w) = (*x * 3 + 2, *y * 2 + 3, *z * 5 + 7, *w * 7 + 5);
        (*p, *q) = (*p * 11 + 1, *q * 13 + 4);
    });
}

/// 32 launches behind a slow one: the host is through with all of them before the first of them
/// begins.
pub fn queued_launches_keep_their_arguments(device: &Device, stream: &Stream) {
    let run = |[slow_one, x, y]: [&mut Buffer<u32>; 3]| {
        k::affine(stream, slow_one, 1, 1, slow(device)).unwrap();
        for launch in 0..32u32 {
            k::affine_pair(stream, x, y, 2 * launch + 1, launch, 0).unwrap();
        }
    };
    check(device, run, |[slow_one, x, y]| {
        *slow_one += 1;
        for launch in 0..32u64 {
            (*x, *y) = ((*x * (2 * launch + 1) + launch) & 0xffff_ffff, (*y * launch + 2 * launch + 1) & 0xffff_ffff);
        }
    });
}

/// By a panic of the host part or by an error in the middle of a group.
fn left(way: &str, launch: impl FnOnce() -> anabranch::Result<()>) {
    match catch_unwind(AssertUnwindSafe(launch)) {
        Err(_) => assert_eq!(way, "panic"),
        Ok(Err(Error::ZeroStep { .. })) => assert_eq!(way, "step"),
        Ok(Err(error)) => panic!("{error}"),
        Ok(Ok(())) => assert_eq!(way, ""),
    }
}

/// What stands before the way out has run and is joined, on every device, and nothing behind it
/// has; the streams of the groups are given back.
pub fn ways_out_of_a_block(device: &Device, stream: &Stream) {
    for way in ["panic", "step", ""] {
        let whole = way.is_empty();
        let run = |[x, y]: [&mut Buffer<u32>; 2]| {
            left(way, || k::leave(stream, way, x, y, slow(device)));
            assert_eq!(device.stream_pool().stats().in_use, 0);
            k::affine(stream, y, 1, 2, 0).unwrap();
        };
        check(device, run, |[x, y]| {
            *x = (*x + 1) * 2;
            *y = (*y + 1) * if whole { 3 } else { 1 } + 2;
        });
        let run = |[x, y, z]: [&mut Buffer<u32>; 3]| left(way, || k::leave_inner(stream, way, x, y, z, slow(device)));
        check(device, run, |[x, y, z]| {
            (*x, *y, *z) = (*x * 10 + 1, *y * 10 + 2, *z * 10 + 3);
            if whole {
                (*x, *y, *z) = (*x * 10 + 6, *y * 10 + 5, *z * 10 + 4);
            }
        });
    }
}

/// In a destructor that runs because of a panic, a launch does what it does elsewhere.
pub fn a_launch_while_a_panic_unwinds(device: &Device, stream: &Stream) {
    struct Launches<F: FnMut()>(F);
    impl<F: FnMut()> Drop for Launches<F> {
        fn drop(&mut self) {
            (self.0)();
        }
    }
    let run = |[x, y]: [&mut Buffer<u32>; 2]| {
        let unwound = catch_unwind(AssertUnwindSafe(|| {
            let _launches = Launches(|| k::leave(stream, "", x, y, slow(device)).unwrap());
            panic!("as asked for");
        }));
        assert!(unwound.is_err());
    };
    check(device, run, |[x, y]| (*x, *y) = ((*x + 1) * 2, (*y + 1) * 3));
}
