//! Host threads that share a device.

use std::sync::Barrier;

use anabranch::prelude::*;
use anabranch_tests::gpus;
use anabranch_tests::kernels::groups::{many_groups, slow_copy};
use anabranch_tests::kernels::ranges::out_of_bounds;

use crate::{gpu, in_child};

/// The first launch of a kernel ever, from eight threads at once: it is compiled once, and each of
/// them gets it. A thread that has never called the driver has no context bound.
#[test]
fn a_first_launch_from_eight_threads() {
    in_child("threads::a_first_launch_from_eight_threads", &[("ANABRANCH_CACHE_DIR", "")], || {
        let device = gpus::gpu(0).unwrap();
        let barrier = Barrier::new(8);
        std::thread::scope(|scope| {
            for t in 0..8 {
                let (device, barrier) = (device.clone(), &barrier);
                scope.spawn(move || {
                    barrier.wait();
                    let stream = device.new_stream().unwrap();
                    let mut x = device.buffer_from(&[t; 60]).unwrap();
                    many_groups(&stream, &mut x, 10).unwrap();
                    let expected: Vec<u32> = (0..60).map(|i| t + i / 10 + 1).collect();
                    assert_eq!(x.to_vec().unwrap(), expected);
                });
            }
        });
    });
}

/// One buffer read by all threads on streams of their own, then written by one.
#[test]
fn many_readers_before_a_writer() {
    let Some(gpu) = gpu() else { return };
    let device = gpu.device();
    let mut source = device.buffer_from(&[1u32; 64]).unwrap();
    let copies: Vec<Buffer<u32>> = std::thread::scope(|scope| {
        let read = || {
            let stream = device.new_stream().unwrap();
            let mut copy = device.zeros::<u32>(64).unwrap();
            for _ in 0..20 {
                slow_copy(&stream, &mut copy, &source, 20_000).unwrap();
            }
            copy
        };
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(read)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    source.fill_async(&device.default_stream(), 9).unwrap();
    copies.iter().for_each(|copy| assert_eq!(copy.to_vec().unwrap(), [1; 64]));
    assert_eq!(source.to_vec().unwrap(), [9; 64]);
}

/// A panic of device code is told to one of the threads that wait, once.
#[test]
fn one_thread_is_told_of_a_panic() {
    let Some(gpu) = gpu() else { return };
    let device = gpu.device();
    let nothing = device.zeros::<u32>(0).unwrap();
    let mut x = device.zeros::<u32>(1000).unwrap();
    for _ in 0..20 {
        out_of_bounds(&device.default_stream(), &mut x, &nothing, 0).unwrap();
        let told = std::thread::scope(|scope| {
            let wait = || device.default_stream().synchronize();
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(wait)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).filter(Result::is_err).count()
        });
        assert_eq!(told, 1);
    }
}
