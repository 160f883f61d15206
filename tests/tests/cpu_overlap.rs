//! Groups run at the same time on the CPU. A test binary of its own, so that no other test takes the cores.

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
    let (mut one, mut both) = (Duration::MAX, Duration::MAX);
    // Other programs can take a core from the two groups, but nothing makes two loops in series quicker than twice one.
    for _ in 0..20 {
        one = one.min(best(|| k::spin(&stream, &mut a, &mut nothing, steps).unwrap()));
        both = both.min(best(|| k::spin(&stream, &mut a, &mut b, steps).unwrap()));
        if both < one.mul_f64(1.7) {
            return;
        }
    }
    panic!("two groups took {both:?}, one {one:?}");
}
