//! What may run at the same time does.

use std::time::{Duration, Instant};

use anabranch::prelude::*;
use anabranch_tests::kernels::groups::{spin, spin_serial};

use crate::gpu;

/// The steps of Quadrants' acceptance case.
const STEPS: u32 = 5_000_000;

/// Best of five, after a first run that compiles.
fn best(stream: &Stream, mut run: impl FnMut()) -> Duration {
    let mut time = || {
        stream.synchronize().unwrap();
        let start = Instant::now();
        run();
        stream.synchronize().unwrap();
        start.elapsed()
    };
    time();
    (0..5).map(|_| time()).min().unwrap()
}

fn check(serial: Duration, overlapped: Duration) {
    let times = serial.as_secs_f64() / overlapped.as_secs_f64();
    println!("one after the other {serial:?}, at the same time {overlapped:?}: {times:.2} times as fast");
    assert!(times > 1.5, "one after the other {serial:?}, at the same time {overlapped:?}");
}

#[test]
fn two_groups_with_long_sequential_loops() {
    let Some(gpu) = gpu() else { return };
    let (device, stream) = (gpu.device(), gpu.device().default_stream());
    let (mut a, mut b) = (device.buffer_from(&[1u32]).unwrap(), device.buffer_from(&[2u32]).unwrap());
    let serial = best(&stream, || spin_serial(&stream, &mut a, &mut b, STEPS).unwrap());
    let overlapped = best(&stream, || spin(&stream, &mut a, &mut b, STEPS).unwrap());
    check(serial, overlapped);
}

/// The halves of one buffer are as independent as two buffers.
#[test]
fn halves_of_a_buffer_on_two_streams() {
    let Some(gpu) = gpu() else { return };
    let (device, stream) = (gpu.device(), gpu.device().default_stream());
    let other = device.new_stream().unwrap();
    let mut x = device.buffer_from(&[1u32, 2]).unwrap();
    let mut nothing = device.zeros::<u32>(0).unwrap();
    let mut run = |second: &Stream| {
        let (mut lo, mut hi) = x.split_at_mut(1);
        spin_serial(&stream, &mut lo, &mut nothing, STEPS).unwrap();
        spin_serial(second, &mut hi, &mut nothing, STEPS).unwrap();
        second.synchronize().unwrap();
    };
    let serial = best(&stream, || run(&stream));
    let overlapped = best(&stream, || run(&other));
    check(serial, overlapped);
}

/// A launch returns before the device is done, and events time what the device does.
#[test]
fn events_time_the_device() {
    let Some(gpu) = gpu() else { return };
    let (device, stream) = (gpu.device(), gpu.device().default_stream());
    let (mut a, mut b) = (device.buffer_from(&[1u32]).unwrap(), device.zeros::<u32>(0).unwrap());
    spin_serial(&stream, &mut a, &mut b, 1).unwrap();
    stream.synchronize().unwrap();
    let mut time = |steps| {
        let start = stream.record().unwrap();
        spin_serial(&stream, &mut a, &mut b, steps).unwrap();
        stream.record().unwrap().elapsed_since(&start).unwrap()
    };
    let (short, long) = (time(STEPS / 10), time(STEPS));
    println!("{} steps take {short:?}, {STEPS} take {long:?}", STEPS / 10);
    assert!(long > 4 * short && long < 25 * short, "{short:?} {long:?}");
}

/// A copy to the host goes on while a kernel runs, if its host memory is pinned.
#[test]
fn copies_and_kernels() {
    const LEN: usize = 16 << 20;
    let Some(gpu) = gpu() else { return };
    let (device, stream) = (gpu.device(), gpu.device().default_stream());
    let other = device.new_stream().unwrap();
    let (mut a, mut b) = (device.buffer_from(&[1u32]).unwrap(), device.zeros::<u32>(0).unwrap());
    let (big, mut host) = (device.zeros::<u32>(LEN).unwrap(), device.pinned::<u32>(LEN).unwrap());
    // A kernel that takes about as long as the copies.
    let kernel = best(&stream, || spin_serial(&stream, &mut a, &mut b, STEPS).unwrap());
    let copy = best(&stream, || big.copy_to_async(&stream, &mut host).unwrap());
    let copies = (kernel.as_secs_f64() / copy.as_secs_f64()).ceil() as u32;
    let mut run = |copying: &Stream| {
        spin_serial(&stream, &mut a, &mut b, STEPS).unwrap();
        (0..copies).for_each(|_| big.copy_to_async(copying, &mut host).unwrap());
        copying.synchronize().unwrap();
    };
    let serial = best(&stream, || run(&stream));
    let overlapped = best(&stream, || run(&other));
    check(serial, overlapped);
}
