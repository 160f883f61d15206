//! What comes after what across devices.

use std::thread;

use crate::kernels::{add, affine};
use crate::{counted, pairs};

const SLOW: u32 = 300;

/// Each step must wait for the one before, and is on another device or stream.
#[test]
fn launches_and_copies_of_one_buffer() {
    let (_turn, pairs) = pairs();
    for [a, b] in pairs {
        for of_target in [false, true] {
            let (s, t) = (a.new_stream().unwrap(), b.new_stream().unwrap());
            let copies = if of_target { &s } else { &t };
            let (mut x, mut y) = (a.filled(64, 1u32).unwrap(), b.filled(64, 2u32).unwrap());
            affine(&t, &mut y, 3, 0, SLOW).unwrap(); // y = 6
            x.copy_from_buffer_async(copies, &y).unwrap(); // after the write of the source
            affine(&t, &mut y, 0, 50, SLOW).unwrap(); // after the read of the source
            affine(&s, &mut x, 1, 1, SLOW).unwrap(); // after the write of the target: x = 7
            x.slice_mut(..32).copy_from_buffer_async(copies, &y.slice(32..)).unwrap(); // after both
            assert_eq!(y.to_vec().unwrap(), [50; 64]);
            assert_eq!(x.to_vec().unwrap(), [[50; 32], [7; 32]].concat(), "{a:?} {b:?}");
        }
    }
}

/// The events alone order the two devices: each has a buffer of its own.
#[test]
fn streams_wait_for_events_of_other_devices() {
    let (_turn, pairs) = pairs();
    for [a, b] in pairs {
        let (s, t) = (a.new_stream().unwrap(), b.new_stream().unwrap());
        let (mut x, mut y) = (a.filled(64, 1u32).unwrap(), b.filled(64, 2u32).unwrap());
        affine(&t, &mut y, 3, 0, SLOW).unwrap();
        let done = t.record().unwrap();
        s.wait(&done).unwrap();
        affine(&s, &mut x, 3, 1, 0).unwrap();
        s.synchronize().unwrap();
        assert!(done.is_complete().unwrap(), "{a:?} {b:?}");
        assert_eq!((x.get(0).unwrap(), y.get(0).unwrap()), (4, 6));
    }
}

/// Copies in both directions at once, from several threads.
#[test]
fn circles_do_not_deadlock() {
    let (_turn, pairs) = pairs();
    for [a, b] in pairs {
        let (x, y) = (a.buffer_from(&counted(500, 0)).unwrap(), b.buffer_from(&counted(500, 7)).unwrap());
        thread::scope(|scope| {
            for number in 0..4u32 {
                let (here, there, from) = if number % 2 == 0 { (&a, &b, &y) } else { (&b, &a, &x) };
                scope.spawn(move || {
                    let stream = if number < 2 { here.new_stream() } else { there.new_stream() }.unwrap();
                    let mut own = here.zeros::<u32>(500).unwrap();
                    for _ in 0..25 {
                        own.copy_from_buffer_async(&stream, from).unwrap();
                        own.fill_async(&here.default_stream(), 1).unwrap();
                        own.copy_from_buffer(from).unwrap();
                    }
                    assert_eq!(own.to_vec().unwrap(), from.to_vec().unwrap());
                });
            }
        });
    }
}

/// Memory goes while another device copies from it and to it.
#[test]
fn buffers_dropped_while_they_are_copied() {
    let (_turn, pairs) = pairs();
    for [a, b] in pairs {
        let (s, t) = (a.new_stream().unwrap(), b.new_stream().unwrap());
        let mut sum = a.filled(300, 0u32).unwrap();
        for round in 0..6u32 {
            let mut y = b.filled(300, 1u32).unwrap();
            let mut x = a.filled(300, 0u32).unwrap();
            affine(&t, &mut y, 1, round, SLOW).unwrap();
            x.copy_from_buffer_async(if round % 2 == 0 { &s } else { &t }, &y).unwrap();
            drop(y);
            add(&s, &mut sum, &x).unwrap();
        }
        assert_eq!(sum.to_vec().unwrap(), [1 + 2 + 3 + 4 + 5 + 6; 300], "{a:?} {b:?}");
    }
}

/// The last that is known of a stream is a use of a buffer of another device. When that is
/// forgotten, the stream is destroyed in its own context, and the work of the other device goes on
/// in its.
#[test]
fn a_stream_that_goes_with_its_last_use() {
    let (_turn, pairs) = pairs();
    for [a, b] in pairs {
        let t = b.new_stream().unwrap();
        let mut y = b.filled(64, 2u32).unwrap();
        for round in 0..3 {
            let mut x = a.filled(64, 0u32).unwrap();
            x.copy_from_buffer_async(&a.new_stream().unwrap(), &y).unwrap();
            drop(x);
            y.fill_async(&t, round).unwrap();
        }
        assert_eq!(y.to_vec().unwrap(), [2; 64], "{a:?} {b:?}");
    }
}
