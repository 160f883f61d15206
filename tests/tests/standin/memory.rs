//! Where device memory comes from, and what happens where there is none left.

use std::ffi::c_int;

use anabranch::prelude::*;
use anabranch_tests::kernels::order::{affine, affine_pair};

use crate::hooks::{StandIn, in_child, standin};

const N: usize = 16;
/// So long that it is under way when the next calls are made.
const SLOW: u32 = 2_000_000;
/// As many `u32` as fill a MiB.
const MIB: usize = 1 << 18;

/// What is freed stays with the device, also where somebody synchronizes in between: later buffers
/// need no more memory.
#[test]
fn memory_that_was_freed_is_used_again() {
    let Some(standin) = standin() else { return };
    let device = standin.device();
    let stream = device.default_stream();
    for round in 0..5 {
        let mut x = device.zeros::<u32>(MIB).unwrap();
        x.fill_async(&stream, round).unwrap();
        drop(x);
        stream.synchronize().unwrap();
        if round > 0 {
            assert_eq!(standin.costs("mapping"), 0, "round {round}");
        }
        standin.reset_calls();
    }
    drop((stream, device));
    standin.nothing_is_left();
}

/// On a device of 16 MiB.
fn with_little_memory(name: &str, body: impl FnOnce(&StandIn)) {
    in_child(name, &[("STANDIN_MEMORY", "16")], body);
}

/// A buffer that was dropped behind work under way is of no use to a new one, which waits for it.
#[test]
fn memory_behind_work_under_way_is_waited_for() {
    let name = "memory::memory_behind_work_under_way_is_waited_for";
    // In a random order the work may be complete at any call.
    in_child(name, &[("STANDIN_MEMORY", "16"), ("STANDIN_CHAOS", "")], |standin| {
        let device = standin.device();
        let stream = device.default_stream();
        let mut x = device.zeros::<u32>(10 * MIB).unwrap();
        let mut slow = device.zeros::<u32>(N).unwrap();
        affine(&stream, &mut slow, 3, 1, SLOW).unwrap();
        x.fill_async(&stream, 1).unwrap();
        drop(x);
        assert!(!stream.is_idle().unwrap(), "the work has ended too early");
        let new = device.zeros::<u32>(10 * MIB).unwrap();
        let trims = u64::from(standin.has_pools());
        assert_eq!((new.to_vec().unwrap()[10 * MIB - 1], standin.calls("cuMemPoolTrimTo")), (0, trims));
        drop((new, slow, stream, device));
        standin.nothing_is_left();
    });
}

/// What the pool keeps in small pieces is given back for a large one; where that does not suffice,
/// the error is the driver's, after two tries, and the device works on.
#[test]
fn memory_in_pieces_is_given_back() {
    with_little_memory("memory::memory_in_pieces_is_given_back", |standin| {
        let device = standin.device();
        let stream = device.default_stream();
        drop([4, 4, 4].map(|size| device.zeros::<u32>(size * MIB).unwrap()));
        let large = device.zeros::<u32>(12 * MIB).unwrap();
        standin.reset_calls();
        let error = device.zeros::<u32>(5 * MIB).unwrap_err();
        let (free, total) = (4 << 20, 16 << 20);
        assert!(
            matches!(error, Error::OutOfMemory { requested: 5_242_880, free: f, total: t, .. } if (f, t) == (free, total)),
            "{error}"
        );
        let allocation = if standin.has_pools() { "cuMemAllocFromPoolAsync" } else { "cuMemAlloc" };
        assert_eq!(standin.calls(allocation), 2);
        let mut small = device.zeros::<u32>(MIB).unwrap();
        affine(&stream, &mut small, 3, 1, 0).unwrap();
        assert_eq!(small.to_vec().unwrap()[MIB - 1], 1);
        drop((large, small, stream, device));
        standin.nothing_is_left();
    });
}

/// During a capture the device cannot be waited for. What is free is given back, and the capture
/// goes on.
#[test]
fn memory_runs_out_during_a_capture() {
    with_little_memory("memory::memory_runs_out_during_a_capture", |standin| {
        let device = standin.device();
        let stream = device.default_stream();
        let [mut x, mut y] = std::array::from_fn(|_| device.zeros::<u32>(N).unwrap());
        drop([4, 4, 4].map(|size| device.zeros::<u32>(size * MIB).unwrap()));
        // SAFETY: the function has this type. Behind it what was dropped is free, and in pieces
        // still.
        unsafe { standin.function::<unsafe extern "C" fn() -> c_int>("cuCtxSynchronize")() };
        let graph = stream.capture(|s| {
            affine_pair(s, &mut x, &mut y, 3, 1, 0)?;
            device.zeros::<u32>(12 * MIB).map(drop)?;
            let error = device.zeros::<u32>(20 * MIB).unwrap_err();
            assert!(matches!(error, Error::OutOfMemory { .. }), "{error}");
            affine_pair(s, &mut x, &mut y, 3, 1, 0)
        });
        graph.unwrap().launch(&stream).unwrap();
        assert_eq!(x.to_vec().unwrap(), [4; N]);
        drop((x, y, stream, device));
        standin.nothing_is_left();
    });
}

/// The driver's own needs of memory are met in the same way: of a module, a function, a launch, a
/// graph. Where there is none at the second try either, that is told.
#[test]
fn what_the_driver_itself_needs_is_given_back() {
    let Some(standin) = standin() else { return };
    let functions = [
        "cuMemAlloc",
        "cuMemAllocFromPoolAsync",
        "cuModuleLoadData",
        "cuFuncLoad",
        "cuFuncGetAttribute",
        "cuLaunchKernel",
        "cuGraphInstantiateWithFlags",
        "cuGraphLaunch",
    ];
    for function in functions.into_iter().filter(|function| standin.has(function)) {
        for tries in 1..=2 {
            let device = standin.device();
            let stream = device.default_stream();
            standin.fail(&format!(
                "{function}:1:OUT_OF_MEMORY{}",
                [",", &format!(",{function}:2:OUT_OF_MEMORY")][tries - 1]
            ));
            let run = || {
                let mut x = device.zeros::<u32>(N)?;
                affine(&stream, &mut x, 3, 1, 0)?;
                stream.capture(|s| affine(s, &mut x, 3, 1, 0))?.launch(&stream)?;
                x.to_vec()
            };
            let result = run();
            standin.fail("");
            match result {
                Ok(values) => assert_eq!((tries, values), (1, vec![4; N]), "{function}"),
                Err(error) => {
                    assert!(tries == 2 && error.to_string().contains(&standin.name(function)), "{function}: {error}")
                }
            }
            assert_eq!(run().unwrap(), [4; N], "{function}");
            drop((stream, device));
            standin.nothing_is_left();
        }
    }
}
