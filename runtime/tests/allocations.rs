//! A launch allocates nothing once its kernel is loaded, and takes no lock again. Packing its parameters allocates nothing either, whatever a
//! loop uses of the host part.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use anabranch::prelude::*;
use anabranch::private::launch::{dim, packed};
use anabranch::private::locks_in;

/// The system's allocator, and how often each thread has asked it.
struct Counting;

thread_local!(static CALLS: Cell<u64> = const { Cell::new(0) });

// SAFETY: what this promises, the system's allocator keeps; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        CALLS.set(CALLS.get() + 1);
        // SAFETY: the caller's contract is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        // SAFETY: as above; `start` comes from `alloc`.
        unsafe { System.dealloc(start, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

fn allocations(run: impl FnOnce()) -> u64 {
    let before = CALLS.get();
    run();
    CALLS.get() - before
}

#[test]
fn captured_values_are_packed_without_an_allocation() {
    assert_eq!(allocations(|| drop(std::hint::black_box(Box::new(1)))), 1, "they are counted");
    let captured = (1.5f32, ((2u8, (3i128, true)), ([(4u16, 5u64); 6], ([[7.0f64; 2]; 3], ((), ())))));
    let large = ([9u64; 200], captured);
    let (dims, mut counts) = (dim(0u32, 9), [0; 2]);
    let calls = allocations(|| {
        counts[0] = packed(&dims, &captured, |params| params.as_pointers().len());
        counts[1] = packed(&dims, &large, |params| params.as_pointers().len());
    });
    assert_eq!((calls, counts), (0, [5, 6]));
}

#[kernel]
fn saxpy(y: &mut [f32], x: &[f32], a: f32) {
    for i in par(0..y.len()) {
        y[i] += a * x[i];
    }
}

#[kernel]
fn two_groups(y: &mut [f32], z: &mut [f32], x: &[f32]) {
    for i in par(0..y.len()) {
        y[i] += x[i];
    }
    stream_parallel! {
        'y: { for i in par(0..y.len()) { y[i] += x[i]; } }
        'z: { for i in par(0..z.len()) { z[i] -= x[i]; } }
    }
    for i in par(0..y.len()) {
        y[i] += z[i];
    }
}

#[test]
fn a_repeated_launch_allocates_nothing_and_takes_no_lock_again() {
    if Device::cuda_count().unwrap() == 0 {
        return println!("skipped: no CUDA device");
    }
    let device = Device::cuda(0).unwrap();
    let stream = device.default_stream();
    let filled = || [1.0f32, 2.0, 3.0].map(|value| device.buffer_from(&[value; 64]).unwrap());
    let (mut buffers, [x, mut y, mut z]) = (filled(), filled());
    let graph = stream.capture(|stream| two_groups(stream, &mut y, &mut z, &x)).unwrap();
    check(&stream, "saxpy", 1, || {
        let [x, y, _] = &mut buffers;
        saxpy(&stream, y, x, 2.0).unwrap();
    });
    // The streams and the event of a fork are taken and given back.
    check(&stream, "two groups", 2, || {
        let [x, y, z] = &mut buffers;
        two_groups(&stream, y, z, x).unwrap();
    });
    // Other work with the buffers of a graph is locked out during its launch.
    check(&stream, "a graph", 2, || graph.launch(&stream).unwrap());
}

/// A launch allocates nothing, and takes each lock so many times at most.
fn check(stream: &Stream, name: &str, most: usize, mut launch: impl FnMut()) {
    for _ in 0..3 {
        launch();
        stream.synchronize().unwrap();
    }
    assert_eq!(allocations(&mut launch), 0, "{name} allocates");
    stream.synchronize().unwrap();
    let locks = locks_in(&mut launch);
    assert!(!locks.is_empty(), "locks are counted");
    for (lock, _) in &locks {
        let places: Vec<_> = locks.iter().filter(|taken| taken.0 == *lock).map(|taken| taken.1).collect();
        assert!(places.len() <= most, "{name} takes a lock at {places:?}");
    }
}
