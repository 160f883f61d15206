//! Launches on the CPU device: ways out of host code, what may be an argument, and the life of what
//! is made.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, RwLock};

use anabranch::prelude::*;
use anabranch::{Result, SliceArg, SliceMutArg, StreamPool};

#[kernel]
fn add(x: &mut [u32], by: u32) {
    for i in par(0..x.len()) {
        x[i] += by;
    }
}

#[kernel]
fn copy(to: &mut [u32], from: &[u32]) {
    for i in par(0..to.len()) {
        to[i] = from[i];
    }
}

fn refuse(leave: &str, at: &str) {
    assert!(leave != at, "the host part gives up");
}

/// Groups that the host part may leave by a panic, and a way out behind them.
#[kernel]
fn leave(x: &mut [u32], y: &mut [u32], way: &str) {
    stream_parallel! {
        'x: {
            for i in par(0..x.len()) { x[i] += 1; }
            refuse(way, "panic in x");
            for i in par(0..x.len()) { x[i] += 10; }
        }
        'y: {
            for i in par(0..y.len()) { y[i] += 1; }
            refuse(way, "panic in y");
        }
    }
    if way == "return after" {
        return;
    }
    for i in par(0..y.len()) {
        y[i] += 100;
    }
}

#[kernel]
fn fail_twice(x: &mut [u32]) {
    stream_parallel! {
        'first: {
            // Known only when it runs.
            for i in par(0..1) { if x[i] == 0 { x[i + 1000] = 1; } }
        }
    }
    for i in par(0..1) {
        if x[i] == 0 {
            x[i + 2000] = 1;
        }
    }
}

#[device]
fn bytes_of(word: u32) -> [u8; 4] {
    word.to_be_bytes()
}

/// The compiler knows how many bytes there are, but no macro does.
#[kernel]
fn unpack(words: &[u32], bytes: &mut [u8], stride: usize) {
    for i in par(0..words.len()) {
        let all = bytes_of(words[i]);
        for (k, byte) in all.iter().enumerate() {
            bytes[stride * i + k] = *byte;
        }
    }
}

/// The same with a constant stride, and with a part of a mutable array.
#[kernel]
fn unpack_by_four(words: &[u32], bytes: &mut [u8]) {
    for i in par(0..words.len()) {
        let mut all = bytes_of(words[i]);
        all[0] = 9;
        let part = &all[..];
        for k in 0..part.len() {
            bytes[4 * i + k] = part[k];
        }
    }
}

/// The same in a function.
#[device]
fn put<const N: usize>(from: [u8; N], to: &mut [u8], first: usize) {
    for (k, byte) in from.iter().enumerate() {
        to[first + k] = *byte;
    }
}

#[kernel]
fn put_all<const N: usize>(bytes: &mut [u8]) {
    for i in par(0..bytes.len() / 4) {
        put([i as u8; N], &mut bytes[4 * i..4 * i + 4], 0);
    }
}

fn cpu() -> (Device, Stream) {
    let device = Device::cpu();
    let stream = device.default_stream();
    (device, stream)
}

#[test]
fn a_return_skips_only_what_comes_after_it() -> Result<()> {
    let (device, stream) = cpu();
    for (way, x_expected, y_expected) in [("", 11, 101), ("return after", 11, 1)] {
        let (mut x, mut y) = (device.zeros::<u32>(5)?, device.zeros::<u32>(5)?);
        leave(&stream, &mut x, &mut y, way)?;
        assert_eq!((x.to_vec()?, y.to_vec()?), (vec![x_expected; 5], vec![y_expected; 5]), "{way}");
    }
    Ok(())
}

#[test]
fn what_was_launched_before_a_panic_of_the_host_part_runs() -> Result<()> {
    let (device, stream) = cpu();
    for (way, x_expected, y_expected) in [("panic in x", 1, 0), ("panic in y", 11, 1)] {
        let (mut x, mut y) = (device.zeros::<u32>(5)?, device.zeros::<u32>(5)?);
        let result = catch_unwind(AssertUnwindSafe(|| leave(&stream, &mut x, &mut y, way)));
        assert!(result.is_err(), "{way}");
        assert_eq!((x.to_vec()?, y.to_vec()?), (vec![x_expected; 5], vec![y_expected; 5]), "{way}");
        leave(&stream, &mut x, &mut y, "")?;
        let (x_expected, y_expected) = (x_expected + 11, y_expected + 101);
        assert_eq!((x.to_vec()?, y.to_vec()?), (vec![x_expected; 5], vec![y_expected; 5]), "the device works on");
    }
    Ok(())
}

#[test]
fn a_destructor_can_launch_during_a_panic() -> Result<()> {
    struct AtTheEnd<'a>(&'a Stream, &'a mut Buffer<u32>, &'a mut Buffer<u32>);
    impl Drop for AtTheEnd<'_> {
        fn drop(&mut self) {
            leave(self.0, self.1, self.2, "").expect("the CPU device launches");
        }
    }
    let (device, stream) = cpu();
    let (mut x, mut y) = (device.zeros::<u32>(3)?, device.zeros::<u32>(3)?);
    let result = catch_unwind(AssertUnwindSafe(|| {
        let _guard = AtTheEnd(&stream, &mut x, &mut y);
        panic!("something else");
    }));
    assert!(result.is_err());
    assert_eq!((x.to_vec()?, y.to_vec()?), (vec![11; 3], vec![101; 3]));
    Ok(())
}

#[test]
fn the_first_panic_is_reported_once() -> Result<()> {
    let (device, stream) = cpu();
    let mut x = device.zeros::<u32>(4)?;
    for _ in 0..2 {
        fail_twice(&stream, &mut x)?;
        let error = stream.synchronize().unwrap_err().to_string();
        assert!(error.ends_with("index out of bounds: the len is 4 but the index is 1000"), "{error}");
        stream.record()?.synchronize()?;
        assert_eq!(x.to_vec()?, [0; 4]);
    }
    Ok(())
}

#[test]
fn arguments_are_buffers_parts_and_whatever_wraps_them() -> Result<()> {
    fn check(stream: &Stream, mut to: impl SliceMutArg<Elem = u32>, from: impl SliceArg<Elem = u32>) -> Result<()> {
        copy(stream, &mut to, &from)
    }
    let (device, stream) = cpu();
    let from = device.buffer_from(&[7u32; 8])?;
    let mut to = device.zeros::<u32>(8)?;
    let seven = |buffer: &Buffer<u32>, what: &str| {
        assert_eq!(buffer.to_vec().expect("nothing failed"), [7; 8], "{what}");
    };

    check(&stream, &mut to, &from)?;
    seven(&to, "references");
    let mut boxed = Box::new(device.zeros::<u32>(8)?);
    check(&stream, &mut boxed, Box::new(&from))?;
    seven(&boxed, "boxes");
    let shared = Arc::new(from.try_clone()?);
    check(&stream, to.slice_mut(2..6), Arc::clone(&shared))?;
    seven(&to, "an `Arc`");
    let (mutex, lock) = (Mutex::new(device.zeros::<u32>(8)?), RwLock::new(from.try_clone()?));
    check(&stream, mutex.lock().unwrap(), lock.read().unwrap())?;
    seven(&mutex.lock().unwrap(), "guards");
    let written = RwLock::new(device.zeros::<u32>(8)?);
    check(&stream, written.write().unwrap(), mutex.lock().unwrap())?;
    seven(&written.read().unwrap(), "write guards");
    let mut halves = device.zeros::<u32>(8)?;
    let (mut left, mut right) = halves.split_at_mut(3);
    check(&stream, left.reborrow(), from.slice(..3))?;
    check(&stream, right.split_at_mut(5).0, from.slice(3..).split_at(5).0)?;
    check(&stream, &mut left, right.as_slice().split_at(3).0)?;
    seven(&halves, "parts");
    Ok(())
}

/// The launch decides by the length in the type of an array.
#[test]
fn arrays_of_iterations_are_as_long_as_their_types_say() -> Result<()> {
    let (device, stream) = cpu();
    let words = device.buffer_from(&[0x0102_0304u32, 0x0506_0708])?;
    let mut bytes = device.zeros::<u8>(9)?;
    unpack(&stream, &words, &mut bytes, 4)?;
    assert_eq!(bytes.to_vec()?, [1, 2, 3, 4, 5, 6, 7, 8, 0]);
    unpack(&stream, &words, &mut bytes, 5)?;
    assert_eq!(bytes.to_vec()?, [1, 2, 3, 4, 5, 5, 6, 7, 8]);
    let error = unpack(&stream, &words, &mut bytes, 3).unwrap_err().to_string();
    assert!(error.contains("iterations 0 and 1: `bytes[stride * i + k]` would be element 3 in both"), "{error}");
    put_all::<3>(&stream, &mut bytes)?;
    assert_eq!(bytes.to_vec()?, [0, 0, 0, 4, 1, 1, 1, 7, 8]);
    unpack_by_four(&stream, &words, &mut bytes)?;
    assert_eq!(bytes.to_vec()?, [9, 2, 3, 4, 9, 6, 7, 8, 8]);
    let error = put_all::<5>(&stream, &mut bytes).unwrap_err().to_string();
    assert!(error.contains("`to[first + k]`, called by `put(…)`") && error.contains("would use index 4"), "{error}");
    Ok(())
}

#[test]
fn buffers_of_no_elements_work() -> Result<()> {
    let (device, stream) = cpu();
    let mut empty = device.buffer_from::<u32>(&[])?;
    add(&stream, &mut empty, 1)?;
    empty.fill_async(&stream, 3)?;
    let (mut a, mut b) = empty.split_at_mut(0);
    leave(&stream, &mut a, &mut b, "")?;
    assert!(empty.is_empty() && empty.try_clone()?.to_vec()?.is_empty() && empty.slice(..).is_empty());
    Ok(())
}

#[test]
fn memory_is_aligned_to_cache_lines() -> Result<()> {
    let device = Device::cpu();
    for len in [1, 3, 64, 1000] {
        assert_eq!(device.zeros::<u8>(len)?.as_ptr().addr() % 64, 0, "{len} bytes");
    }
    Ok(())
}

#[test]
fn too_much_memory_is_an_error() {
    let device = Device::cpu();
    for len in [usize::MAX, usize::MAX / 8, isize::MAX as usize / 8] {
        let error = device.zeros::<f64>(len).unwrap_err();
        assert!(matches!(error, Error::OutOfHostMemory { .. }), "{len}: {error}");
    }
}

#[test]
fn lengths_must_be_equal() -> Result<()> {
    let (device, _) = cpu();
    let mut buffer = device.zeros::<f32>(3)?;
    let expected = |call| format!("`{call}` of a buffer of 3 `f32`: the other side has 2 elements, but 3 are needed");
    assert_eq!(buffer.copy_from(&[1.0; 2]).unwrap_err().to_string(), expected("copy_from"));
    assert_eq!(buffer.copy_to(&mut [1.0; 2]).unwrap_err().to_string(), expected("copy_to"));
    Ok(())
}

#[test]
fn everything_outlives_the_device_handle() -> Result<()> {
    let (device, stream) = cpu();
    let mut buffer = device.buffer_from(&[1u32, 2])?;
    drop(device);
    let other = stream.clone();
    drop(stream);
    add(&other, &mut buffer, 1)?;
    drop(other);
    assert_eq!(buffer.to_vec()?, [2, 3]);
    Ok(())
}

#[test]
fn handles_cross_threads() {
    fn check<T: Send + Sync>() {}
    check::<Device>();
    check::<Stream>();
    check::<Event>();
    check::<StreamPool>();
    check::<Plan>();
    check::<Error>();
    check::<Buffer<f32>>();
    check::<Slice<'_, f32>>();
    check::<SliceMut<'_, f32>>();
}

/// The macros write no such data.
#[test]
fn facts_that_cannot_be_read_refuse_the_launch() {
    use anabranch::private::data::{Cost, Instance, Judge, Kernel, Loop, Number, PlanNode};
    use anabranch::private::launch::{Call, Ctx, Ty, dim};
    static LOOPS: [Loop; 1] = [Loop {
        name: "k_0",
        header: "for i in par(0..n)",
        group: None,
        line: 7,
        column: 1,
        block: 256,
        blocks: None,
        dims: 1,
        ranges: &[],
        captures: &[],
        sites: &[],
        code: &[],
        differs: false,
        begins: false,
        cost: Cost::new(1, false),
        lanes: Err("of a test"),
        judge: Judge::new(b"no facts"),
    }];
    static KERNEL: Kernel = Kernel {
        number: Number::new(),
        name: "k",
        module: "m",
        file: "k.rs",
        line: 1,
        loops: &LOOPS,
        fused: &[],
        plan: &[PlanNode::Loop(0)],
    };
    let stream = Device::cpu().default_stream();
    let instance = Instance { kernel: &KERNEL, id: std::any::TypeId::of::<Kernel>, describe: |_| {} };
    let result =
        Call::Run { stream: &stream, instance, uses: &[], values: () }.enter(|ctx, (ty, ()): (Ty<_, _>, ()), ()| {
            Ctx::par(ctx, ty, 0, dim(0u32, 9), (), |_, ()| -> () { unreachable!() })
        });
    let error = result.expect_err("nothing says what the loop does").to_string();
    assert!(error.starts_with("it is unknown what `for i in par(0..n)` in kernel `k` does (k.rs:7)"), "{error}");
    assert_eq!(format!("{:#}", anabranch::private::plan(instance)).lines().count(), 2, "a plan without accesses");
}
