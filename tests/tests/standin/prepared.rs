//! What the first use of a kernel needs is done when the kernel is prepared, or else where it harms
//! nobody.

use std::ffi::{c_int, c_void};
use std::ptr;

use anabranch::prelude::*;
use anabranch_tests::gpus::on_hip;
use anabranch_tests::kernels::order::{affine, affine_pair, append, back_to_back, inner_join};

use crate::hooks::standin;

const N: usize = 32;

/// The first launch, fork, hand-over and capture of a kernel that was prepared make no call that
/// may wait for the device: they work while it stands still, and the stand-in counts none that a
/// real driver might wait in.
#[test]
fn a_prepared_kernel_waits_for_nothing() {
    let Some(standin) = standin() else { return };
    let device = standin.device();
    let [one, two] = std::array::from_fn(|_| device.new_stream().unwrap());
    let [mut x, mut y, mut z, mut w] = std::array::from_fn(|_| device.zeros::<u32>(N).unwrap());
    for prepare in [affine::prepare, append::prepare, inner_join::prepare, back_to_back::prepare, affine_pair::prepare]
    {
        prepare(&device).unwrap();
    }
    standin.reset_calls();
    standin.hold(true);
    affine(&one, &mut x, 3, 1, 0).unwrap();
    inner_join(&one, &mut x, &mut y, &mut z, 0).unwrap();
    append(&two, &mut y, &x, 0).unwrap();
    let graph = two.capture(|s| {
        back_to_back(s, &mut x, &mut y, &mut z, &mut w, 0)?;
        affine_pair(s, &mut x, &mut y, 3, 1, 0)
    });
    let graph = graph.unwrap();
    graph.launch(&one).unwrap();
    let (waits, called) = (standin.costs("synchronization"), standin.called());
    standin.hold(false);
    assert_eq!(waits, 0, "{called:?}");
    one.synchronize().unwrap();
    // The count is no idle one.
    fresh(&one, &mut x).unwrap();
    assert!(standin.costs("synchronization") > 0);
    drop((graph, x, y, z, w, one, two, device));
    standin.nothing_is_left();
}

/// Called by nobody else.
#[kernel]
fn called_alone<const BY: u32>(x: &mut [u32]) {
    for i in par(0..x.len()) {
        x[i] += BY;
    }
}

/// Has no loop of its own. Calls kernels of another crate, which call others, and each instance of
/// one of this file.
#[kernel]
fn calls(x: &mut [u32], y: &mut [u32]) {
    stream_parallel! {
        'one: { anabranch_tests::kernels::called::pair(&mut x, &mut y); }
    }
    called_alone::<3>(&mut x[1..]);
    called_alone::<4>(&mut y);
}

/// The same for the kernels that it calls: all of their programs are loaded.
#[test]
fn what_a_prepared_kernel_calls_is_prepared() {
    let Some(standin) = standin() else { return };
    let device = standin.device();
    let stream = device.new_stream().unwrap();
    let [mut x, mut y] = std::array::from_fn(|_| device.zeros::<u32>(N).unwrap());
    calls::prepare(&device).unwrap();
    standin.reset_calls();
    standin.hold(true);
    calls(&stream, &mut x, &mut y).unwrap();
    let graph = stream.capture(|s| calls(s, &mut x, &mut y)).unwrap();
    let (waits, called) = (standin.costs("synchronization"), standin.called());
    standin.hold(false);
    assert_eq!(waits, 0, "{called:?}");
    graph.launch(&stream).unwrap();
    assert_eq!(graph.stats().sub_kernels, 6);
    // The first element of `x` is left alone by the last call.
    assert_eq!(x.to_vec().unwrap()[..2], [16, 28]);
    drop((graph, x, y, stream, device));
    standin.nothing_is_left();
}

/// Launched by nobody else, so that its first launch is that of a test.
#[kernel]
fn fresh(x: &mut [u32]) {
    for i in par(0..x.len()) {
        x[i] += 1;
    }
}

/// A kernel whose first launch is captured: its functions are loaded with its module, not by
/// launches that are recorded. All its programs.
#[kernel]
fn fresh_with_checks(x: &mut [u32], at: &[u32]) {
    for i in par(0..x.len()) {
        x[i] += 1;
    }
    for i in par(0..x.len()) {
        x[i] += at[at[i] as usize];
    }
}

/// Only the test below launches these. In the first one, no check can fail; in the second one, a
/// division can.
#[kernel]
fn fresh_without_checks(x: &mut [u32], by: u32) {
    for i in par(0..x.len()) {
        x[i] += by;
    }
}
#[kernel]
fn fresh_with_a_division(x: &mut [u32], by: u32) {
    for i in par(0..x.len()) {
        x[i] /= by;
    }
}

/// On AMD GPUs a thread goes on after a failed check. So a loop in which a check can fail needs the
/// program with all checks, even if the launch has proved its accesses. A loop in which nothing can
/// fail never needs it.
#[test]
fn only_a_loop_that_can_fail_needs_all_checks() {
    let Some(standin) = standin() else { return };
    let device = standin.device();
    let stream = device.default_stream();
    let mut x = device.buffer_from(&[30u32; N]).unwrap();
    let mut loaded = |launch: fn(&Stream, &mut Buffer<u32>, u32) -> anabranch::Result<()>| {
        standin.reset_calls();
        launch(&stream, &mut x, 2).unwrap();
        standin.calls("cuModuleLoadData")
    };
    assert_eq!(loaded(fresh_without_checks), 1);
    assert_eq!(loaded(fresh_with_a_division), if on_hip() { 2 } else { 1 });
    assert_eq!(x.to_vec().unwrap(), [16; N]);
    drop((x, stream, device));
    standin.nothing_is_left();
}

#[test]
fn a_kernel_that_is_not_loaded_is_captured() {
    let Some(standin) = standin() else { return };
    let device = standin.device();
    let stream = device.default_stream();
    let mut x = device.zeros::<u32>(N).unwrap();
    let at = device.buffer_from(&[3u32; N]).unwrap();
    let graph = stream.capture(|s| {
        fresh(s, &mut x)?;
        fresh_with_checks(s, &mut x, &at)
    });
    graph.unwrap().launch(&stream).unwrap();
    assert_eq!(x.to_vec().unwrap(), [5; N]);
    drop((x, at, stream, device));
    standin.nothing_is_left();
}

/// Another library captures in the mode that forbids everybody what may wait for the device: a
/// kernel is loaded all the same, and a large copy and a pinned buffer get their memory. The
/// capture stays whole, and the thread is in the state that it was in.
#[test]
fn a_kernel_is_loaded_while_another_library_captures() {
    const GLOBAL: c_int = 0;
    type Stream = *mut c_void;
    let Some(standin) = standin() else { return };
    let device = standin.device();
    let stream = device.default_stream();
    let mut x = device.zeros::<u32>(N).unwrap();
    let values: Vec<u32> = (0..3 << 20).collect();
    let mut large = device.zeros::<u32>(values.len()).unwrap();
    let theirs = device.new_stream().unwrap();
    // SAFETY: the functions have these types.
    let (begin, end, destroy, exchange) = unsafe {
        (
            standin.function::<unsafe extern "C" fn(Stream, c_int) -> c_int>("cuStreamBeginCapture_v2"),
            standin.function::<unsafe extern "C" fn(Stream, *mut Stream) -> c_int>("cuStreamEndCapture"),
            standin.function::<unsafe extern "C" fn(Stream) -> c_int>("cuGraphDestroy"),
            standin.function::<unsafe extern "C" fn(*mut c_int) -> c_int>("cuThreadExchangeStreamCaptureMode"),
        )
    };
    // SAFETY: the stream is alive, and nobody else uses it.
    assert_eq!(unsafe { begin(theirs.as_raw(), GLOBAL) }, 0);
    fresh(&stream, &mut x).unwrap();
    large.copy_from(&values).unwrap();
    assert!(large.to_vec().unwrap() == values);
    let pinned = device.pinned::<u32>(N).unwrap();
    assert!(stream.record().unwrap().is_complete().is_ok());
    let (mut graph, mut mode) = (ptr::null_mut(), GLOBAL);
    // SAFETY: as above; the out-pointers point to live locals, and the graph is destroyed once.
    unsafe {
        assert_eq!(end(theirs.as_raw(), &mut graph), 0, "the capture is broken");
        assert_eq!(destroy(graph), 0);
        assert_eq!((exchange(&mut mode), mode), (0, GLOBAL));
    }
    assert_eq!(x.to_vec().unwrap(), [1; N]);
    drop((x, large, pinned, theirs, stream, device));
    standin.nothing_is_left();
}

/// The events of a capture are not those of launches that go on meanwhile, which the stand-in would
/// report; and they go with it.
#[test]
fn a_capture_has_events_of_its_own() {
    let Some(standin) = standin() else { return };
    let device = standin.device();
    let [stream, other] = std::array::from_fn(|_| device.new_stream().unwrap());
    let [mut x, mut y, mut z, mut p, mut q] = std::array::from_fn(|_| device.zeros::<u32>(N).unwrap());
    affine_pair(&other, &mut p, &mut q, 3, 1, 0).unwrap();
    other.synchronize().unwrap();
    let events = standin.live("event");
    let graph = stream.capture(|s| {
        for _ in 0..3 {
            inner_join(s, &mut x, &mut y, &mut z, 0)?;
            std::thread::scope(|scope| {
                scope.spawn(|| affine_pair(&other, &mut p, &mut q, 3, 1, 0).unwrap());
            });
        }
        Ok(())
    });
    assert_eq!(standin.live("event"), events);
    graph.unwrap().launch(&stream).unwrap();
    assert_eq!(p.to_vec().unwrap(), [40; N]);
    drop((x, y, z, p, q, stream, other, device));
    standin.nothing_is_left();
}

/// Each thread has a table of its own.
#[kernel]
fn tables<const SIZE: usize>(x: &mut [u32], seed: u32) {
    for k in par(0..x.len()) {
        x[k] = k as u32;
    }
    for i in par(0..x.len()) {
        let mut table = [0u32; SIZE];
        let mut at = seed;
        for _ in 0..100 {
            at = at.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            table[at as usize % SIZE] += x[i];
        }
        x[i] = table[at as usize % SIZE];
    }
}

/// More local memory than a thread of any GPU has: refused before anything is launched, with the
/// loop and the array.
#[test]
fn variables_beyond_what_a_thread_can_have() {
    let Some(standin) = standin() else { return };
    let device = standin.device();
    let stream = device.default_stream();
    let mut x = device.zeros::<u32>(N).unwrap();
    // HIP's is a limit of its compiler, for waves of 64.
    let limit = if on_hip() { 131_056 } else { 524_288 };
    if on_hip() { tables::<30_000>(&stream, &mut x, 7) } else { tables::<100_000>(&stream, &mut x, 7) }.unwrap();
    standin.reset_calls();
    for _ in 0..2 {
        let error = tables::<200_000>(&stream, &mut x, 7).unwrap_err();
        let Error::TooMuchLocalMemory { kernel: "tables", bytes: 800_000.., most, line, .. } = error else {
            panic!("{error}");
        };
        assert_eq!(most, limit);
        let text = error.to_string();
        let wanted = ["for i in par(0..x.len())", &format!("prepared.rs:{line}"), "`[u32; 200000]`", "a buffer"];
        assert!(wanted.iter().all(|part| text.contains(part)), "{text}");
    }
    assert_eq!(standin.calls("cuLaunchKernel"), 0);
    fresh(&stream, &mut x).unwrap();
    stream.synchronize().unwrap();
    drop((x, stream, device));
    standin.nothing_is_left();
}
