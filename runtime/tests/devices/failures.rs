//! Panics of device code whose results another device has copied, and driver calls that fail.

use std::sync::Barrier;
use std::thread;

use anabranch::prelude::*;

use crate::kernels::{affine, gather, shout};
use crate::pairs;
use crate::standin::{self, StandIn};

/// Queues a copy to `x` of what a loop that panics leaves.
fn copy_what_fails(x: &mut Buffer<u32>, from: &Device, stream: &Stream) {
    let (values, indexes) = (from.filled(64, 1u32).unwrap(), from.filled(64, 64u32).unwrap());
    let mut y = from.filled(64, 0u32).unwrap();
    gather(&from.default_stream(), &mut y, &values, &indexes).unwrap();
    x.copy_from_buffer_async(stream, &y).unwrap_or_else(is_the_panic);
}

/// A copy that blocks may report it at once.
fn is_the_panic(error: Error) {
    assert!(matches!(error, Error::KernelPanic { kernel: "gather", .. }), "{error}");
}

#[test]
fn a_panic_follows_the_data() {
    let (_turn, pairs) = pairs();
    for [a, b] in pairs {
        let s = a.new_stream().unwrap();
        let mut x = a.filled(64, 0u32).unwrap();
        let (values, indexes) = (b.filled(64, 1u32).unwrap(), b.filled(64, 64u32).unwrap());
        let mut y = b.filled(64, 0u32).unwrap();
        gather(&b.default_stream(), &mut y, &values, &indexes).unwrap();
        let copied = x.copy_from_buffer_async(&s, &y);
        let waited = s.synchronize();
        // Once to this thread: by the copy if that has blocked, or else by the wait.
        match (&copied, &waited) {
            (Ok(()), Err(Error::KernelPanic { kernel: "gather", .. }))
            | (Err(Error::KernelPanic { kernel: "gather", .. }), Ok(())) => {}
            other => panic!("{a:?} {b:?}: {other:?}"),
        }
        assert!(b.synchronize().is_ok() && x.to_vec().is_ok() && y.to_vec().is_ok(), "{a:?} {b:?}");
    }
}

/// A thread that has launched on the target alone must not read what is wrong, whoever has got the
/// panic on the source.
#[test]
fn a_panic_gets_to_the_threads_of_the_target() {
    let (_turn, pairs) = pairs();
    for [a, b] in pairs {
        let s = a.new_stream().unwrap();
        let mut x = a.filled(64, 0u32).unwrap();
        copy_what_fails(&mut x, &b, &s);
        let _ = b.synchronize();
        let read = thread::scope(|scope| scope.spawn(|| x.to_vec()).join().unwrap());
        assert!(matches!(read, Err(Error::KernelPanic { .. })), "{a:?} {b:?}: {read:?}");
        assert!(x.to_vec().is_ok());
    }
}

/// The thread that has queued the copy has launched on both devices, so that it gets a panic of the
/// source from either, whoever has taken it first.
#[test]
fn a_panic_gets_to_the_thread_that_copies() {
    let (_turn, pairs) = pairs();
    for [a, b] in pairs {
        for wait_for_source in [false, true] {
            let (s, t) = (a.new_stream().unwrap(), b.new_stream().unwrap());
            let mut x = a.filled(64, 0u32).unwrap();
            let (values, indexes) = (b.filled(64, 1u32).unwrap(), b.filled(64, 64u32).unwrap());
            let mut y = b.filled(64, 0u32).unwrap();
            gather(&t, &mut y, &values, &indexes).unwrap();
            let (copied, taken) = (Barrier::new(2), Barrier::new(2));
            let got = thread::scope(|scope| {
                let copying = scope.spawn(|| {
                    let copy = x.copy_from_buffer_async(if wait_for_source { &t } else { &s }, &y);
                    copied.wait();
                    taken.wait();
                    copy.and_then(|()| if wait_for_source { t.synchronize() } else { s.synchronize() })
                });
                copied.wait();
                let _ = if wait_for_source { b.synchronize() } else { a.synchronize() };
                taken.wait();
                copying.join().unwrap()
            });
            assert!(matches!(got, Err(Error::KernelPanic { .. })), "{a:?} {b:?} {wait_for_source}: {got:?}");
            let _ = (a.synchronize(), b.synchronize());
        }
    }
}

#[test]
fn lines_are_printed_by_their_own_device() {
    let (_turn, pairs) = pairs();
    let standin = standin::standin();
    for [a, b] in pairs {
        let s = a.new_stream().unwrap();
        let (mut x, mut y) = (a.filled(8, 0u32).unwrap(), b.filled(8, 41u32).unwrap());
        a.synchronize().unwrap();
        let context = || standin.as_ref().filter(|_| !a.is_cpu()).map(StandIn::current_context);
        let before = context();
        shout(&b.default_stream(), &mut y).unwrap();
        x.copy_from_buffer_async(&s, &y).unwrap();
        s.synchronize().unwrap(); // takes the line
        assert_eq!(context(), before, "{a:?} {b:?}: the context is that of the stream again");
        affine(&s, &mut x, 2, 0, 0).unwrap();
        assert_eq!(x.to_vec().unwrap(), [84; 8], "{a:?} {b:?}");
    }
}

/// Each call of a copy fails once. The copy has been made, or gives an error; nothing is freed too
/// early, and the next copy is right.
#[test]
fn every_call_of_a_copy_fails_once() {
    const LEN: usize = (2 << 20) / 4 + 5; // three chunks
    const FUNCTIONS: [&str; 8] = [
        "cuMemcpyPeerAsync",
        "cuMemcpyDtoHAsync",
        "cuMemcpyHtoDAsync",
        "cuEventRecord",
        "cuStreamWaitEvent",
        "cuMemHostAlloc",
        "cuCtxSetCurrent",
        "cuMemPoolSetAccess",
    ];
    let (_turn, pairs) = pairs();
    let Some(standin) = standin::standin() else { return };
    let before = standin.reports();
    for [a, b] in pairs.into_iter().filter(|[a, b]| !(a.is_cpu() && b.is_cpu())) {
        for (function, of_target) in FUNCTIONS.iter().flat_map(|function| [(function, false), (function, true)]) {
            for number in 1.. {
                let stream = if of_target { a.new_stream() } else { b.new_stream() }.unwrap();
                let (mut x, y) = (a.zeros::<u32>(LEN).unwrap(), b.filled(LEN, 5u32).unwrap());
                let called = standin.calls(function);
                standin.fail(&format!("{function}:{number}:UNKNOWN"));
                let copied = x.copy_from_buffer_async(&stream, &y);
                let called = standin.calls(function) - called;
                standin.fail("");
                if let Err(error) = &copied {
                    assert!(matches!(error, Error::Driver { operation: Some(_), .. }), "{error}");
                }
                drop(a.pinned_of_other(&b));
                x.copy_from_buffer_async(&stream, &y).unwrap();
                assert!(x.to_vec().unwrap() == vec![5; LEN], "{a:?} {b:?} {function} {number}");
                if called < number {
                    break; // it has not failed
                }
            }
        }
    }
    assert_eq!(standin.reports(), before);
}

/// Frees what waits to be freed: an allocation of pinned memory does.
trait Pinned {
    fn pinned_of_other(&self, other: &Device) -> [PinnedBuffer<u8>; 2];
}

impl Pinned for Device {
    fn pinned_of_other(&self, other: &Device) -> [PinnedBuffer<u8>; 2] {
        [self.pinned(1).unwrap(), other.pinned(1).unwrap()]
    }
}
