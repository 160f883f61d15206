//! Groups run at the same time on the CPU. A test binary of its own, so that no other test takes
//! the cores.

use std::time::{Duration, Instant};

use anabranch::prelude::*;
use anabranch_tests::kernels::groups as k;

/// Best of five, so that a busy machine does not decide.
fn best(mut run: impl FnMut()) -> Duration {
    (0..5)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed()
        })
        .min()
        .unwrap()
}

#[test]
fn two_groups_with_long_sequential_loops_overlap() {
    if std::thread::available_parallelism().map_or(1, usize::from) < 2 {
        println!("skipped: one CPU core cannot run two groups at the same time");
        return;
    }
    let device = Device::cpu();
    let stream = device.default_stream();
    let mut a = device.buffer_from(&[1u32]).unwrap();
    let mut b = device.buffer_from(&[2u32]).unwrap();
    let mut nothing = device.zeros::<u32>(0).unwrap();
    // About 50 ms a loop.
    let mut steps = 1_000_000;
    while best(|| k::spin(&stream, &mut a, &mut nothing, steps).unwrap()) < Duration::from_millis(50) {
        steps *= 2;
    }
    let (mut c, mut none) = (device.buffer_from(&[1u32]).unwrap(), device.zeros::<u32>(0).unwrap());
    let other = device.default_stream();
    let mut free = 0;
    for _ in 0..20 {
        let one = best(|| k::spin(&stream, &mut a, &mut nothing, steps).unwrap());
        // Whether this machine has two cores to spare right now: the same work on two threads of
        // our own.
        let threads = best(|| {
            std::thread::scope(|scope| {
                scope.spawn(|| k::spin(&other, &mut c, &mut none, steps).unwrap());
                k::spin(&stream, &mut a, &mut nothing, steps).unwrap();
            });
        });
        let groups = best(|| k::spin(&stream, &mut a, &mut b, steps).unwrap());
        if groups < one.mul_f64(1.7) {
            return;
        }
        println!("one loop {one:?}, two threads {threads:?}, two groups {groups:?}");
        free += u32::from(threads < one.mul_f64(1.4));
        assert!(free < 5, "two threads overlap here, two groups never did");
    }
    println!("skipped: other programs take the cores");
}
