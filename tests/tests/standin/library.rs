//! Library kernels: the calls that they cost, the captures that they launch in, and bodies that
//! break their promise.

use std::process::Command;
use std::sync::{Arc, Mutex};

use anabranch::library::Output;
use anabranch::prelude::*;
use anabranch_tests::kernels::called::affine;
use anabranch_tests::kernels::library::{Told, bodies, body, copy, everywhere, pair, vendor};

use crate::hooks::standin;

const N: usize = 32;

/// What the library calls, and nothing else: a handle of the lent stream costs no call when it
/// goes.
#[test]
fn a_library_kernel_costs_what_the_library_does() {
    let Some(standin) = standin() else { return };
    let device = standin.device();
    let stream = device.default_stream();
    let (mut x, mut y) = (device.zeros::<u32>(N).unwrap(), device.zeros::<u32>(N).unwrap());
    let mut run = |groups: bool, expected: &[(&str, u64)]| {
        for _ in 0..2 {
            standin.reset_calls();
            if groups {
                pair(&stream, &mut x, &mut y).unwrap()
            } else {
                copy(&stream, &x, &mut y).unwrap()
            }
            stream.synchronize().unwrap();
        }
        for &(function, calls) in expected {
            assert_eq!(standin.calls(function), calls, "{function}");
        }
        let sum: u64 = expected.iter().map(|(_, calls)| calls).sum();
        assert_eq!(standin.all_calls() - standin.calls("cuStreamQuery"), sum, "{:?}", standin.called());
    };
    run(false, &[("cuMemcpyDtoDAsync", 1), ("cuStreamSynchronize", 1)]);
    run(
        true,
        &[
            ("cuMemcpyDtoDAsync", 2),
            ("cuLaunchKernel", 1),
            ("cuEventRecord", 3),
            ("cuStreamWaitEvent", 4),
            ("cuStreamSynchronize", 1),
        ],
    );
    // A kernel that is prepared with those that it calls compiles nothing later.
    everywhere::prepare(&device).unwrap();
    let mut z = device.zeros::<u32>(N).unwrap();
    standin.reset_calls();
    everywhere(&stream, &mut x, &mut y, &mut z, 3).unwrap();
    assert_eq!((standin.calls("cuModuleLoadData"), standin.costs("synchronization")), (0, 0));
    drop((stream, x, y, z, device));
    standin.nothing_is_left();
}

/// Launches a kernel with another buffer on a stream that it was given as a value.
#[kernel(library)]
fn launches(_: &Stream, x: &mut [u32], on: Stream, other: Arc<Mutex<Buffer<u32>>>) -> anabranch::Result<()> {
    assert_eq!(x.len(), N);
    affine(&on, &mut *other.lock().unwrap(), 2, 1)
}

/// The thread that is in a body has the captured stream already.
#[test]
fn a_body_launches_on_the_captured_stream() {
    let Some(standin) = standin() else { return };
    let device = standin.device();
    let stream = device.default_stream();
    let mut x = device.zeros::<u32>(N).unwrap();
    let other = Arc::new(Mutex::new(device.zeros::<u32>(N).unwrap()));
    let graph = stream.capture(|s| launches(s, &mut x, s.clone(), Arc::clone(&other))).unwrap();
    assert_eq!(graph.stats().sub_kernels, 1);
    for launches in 1..4 {
        graph.launch(&stream).unwrap();
        assert_eq!(other.lock().unwrap().to_vec().unwrap(), [(1 << launches) - 1; N]);
    }
    drop(graph);
    // The lent stream itself is neither launched on nor waited for.
    let told = Told::default();
    let waits = |stream: &Stream, _: &mut Output<'_, u32>, told: &Told| {
        told.lock().unwrap().push(stream.synchronize().unwrap_err().to_string());
        told.lock().unwrap().push(affine_of(stream).to_string());
    };
    let graph = stream.capture(|s| {
        affine(s, &mut x, 1, 1)?;
        body(s, &mut x, told.clone(), waits)
    });
    assert_eq!(graph.unwrap().stats().nodes, 2);
    let told = std::mem::take(&mut *told.lock().unwrap());
    assert!(told[0].starts_with("a synchronization cannot be captured into a graph"), "{told:?}");
    assert!(told[1].starts_with("a launch, a copy or a fill is not possible on the stream of a library"), "{told:?}");
    drop((stream, x, other, device));
    standin.nothing_is_left();
}

fn affine_of(stream: &Stream) -> Error {
    let mut buffer = stream.device().zeros::<u32>(1).unwrap();
    affine(stream, &mut buffer, 1, 1).unwrap_err()
}

/// A body that works on another stream than the one it got: nothing orders it.
#[test]
fn a_body_that_works_on_another_stream_is_reported() {
    const CHILD: &str = "ANABRANCH_TEST_WRONG_BODY";
    let Some(standin) = standin() else { return };
    if std::env::var_os(CHILD).is_some() {
        let device = standin.device();
        let wrong = |_: &Stream, x: &mut Output<'_, u32>, _: &Told| {
            let half = x.len() / 2;
            // SAFETY: none: this is what a body must not do. The null stream is another one.
            unsafe {
                let to = x.as_mut_ptr().add(half);
                vendor::copy(std::ptr::null_mut(), to.cast(), x.as_mut_ptr().cast(), 4 * half);
            }
        };
        let (mut x, mut y) = (device.zeros::<u32>(N).unwrap(), device.zeros::<u32>(N).unwrap());
        bodies(&device.default_stream(), &mut x, &mut y, &Told::default(), wrong).unwrap();
        let _ = x.to_vec();
        return;
    }
    let name = "library::a_body_that_works_on_another_stream_is_reported";
    let test = Command::new(std::env::current_exe().unwrap()).args([name, "--exact"]).env(CHILD, "1").output().unwrap();
    let err = String::from_utf8_lossy(&test.stderr);
    assert!(!test.status.success());
    assert!(err.contains("standin: ") && err.contains("nothing orders the two"), "{err}");
}
