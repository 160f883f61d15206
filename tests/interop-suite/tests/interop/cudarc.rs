//! Devices, streams and memory of cudarc.

use std::panic::{AssertUnwindSafe, catch_unwind};

use anabranch::cudarc::driver::{
    CudaContext, CudaSlice, CudaStream, CudaView, CudaViewMut, DevicePtr, DriverError, sys,
};
use anabranch::cudarc::{lend, lend_mut};
use anabranch_interop_suite::{affine, after, double};

use super::*;

type Streams = fn(&Arc<CudaContext>) -> Arc<CudaStream>;

/// The kinds of streams that a slice can be made with.
const HOMES: [(&str, Streams); 3] = [
    ("new", |context| context.new_stream().unwrap()),
    ("legacy", |context| context.default_stream()),
    ("per-thread", |context| context.per_thread_stream()),
];

fn address(slice: &CudaSlice<u32>) -> *const u32 {
    std::ptr::without_provenance(slice.device_ptr(slice.stream()).0 as usize)
}

fn read(home: &Arc<CudaStream>, slice: &CudaSlice<u32>) -> Vec<u32> {
    let values = home.clone_dtoh(slice).unwrap();
    home.synchronize().unwrap(); // copies to memory that is not page-locked need not be complete before
    values
}

/// The value after `steps` steps of `affine(2, 1)`.
fn stepped(x: u32, steps: u32) -> u32 {
    (0..steps).fold(x, |x, _| x.wrapping_mul(2).wrapping_add(1))
}

#[test]
fn the_device_is_that_of_the_context() {
    let Some((_one, device)) = gpu() else { return };
    let context = CudaContext::new(0).unwrap();
    let same = Device::from_cudarc(&context).unwrap();
    assert_eq!(device.to_string(), same.to_string());
    let (a, b) = (device.cudarc().unwrap(), same.cudarc().unwrap());
    assert!(Arc::ptr_eq(&a, &b) && a.cu_ctx() == context.cu_ctx());
    refused(Device::cpu().cudarc(), "a CUDA context of a CUDA device cannot be used with ");
}

/// The home writes, a launch on our stream changes, the home reads.
#[test]
fn lent_slices_are_ordered_with_their_home() {
    let Some((_one, device)) = gpu() else { return };
    for (name, make) in HOMES {
        let context = CudaContext::new(0).unwrap();
        let home = make(&context);
        let stream = device.new_stream().unwrap();
        let mut x = home.alloc_zeros::<u32>(N).unwrap();
        for round in 0..3 {
            home.memset_zeros(&mut x).unwrap();
            lend_mut(&device, &mut x, |x| affine(&stream, x, 2, 1, SLOW + round)).unwrap();
            let y = home.clone_dtod(&x).unwrap();
            all(&read(&home, &y), stepped(0, SLOW + round), name);
        }
    }
}

/// Two launches read on two streams; then the home writes, and then the slice is freed.
#[test]
fn the_home_waits_for_all_readers() {
    let Some((_one, device)) = gpu() else { return };
    for (_, make) in HOMES {
        let home = make(&CudaContext::new(0).unwrap());
        let streams = [device.new_stream().unwrap(), device.new_stream().unwrap()];
        let mut x = vec_of(&home, 21);
        let (mut a, mut b) = (device.zeros::<u32>(N).unwrap(), device.zeros::<u32>(N / 2).unwrap());
        lend(&device, &x, |x| {
            double(&streams[0], x, &mut a)?;
            lend(&device, &home.clone_dtod(&vec_of(&home, 1)).unwrap(), |_| {
                double(&streams[1], &x.slice(N / 2..N), &mut b)
            })
        })
        .unwrap();
        home.memset_zeros(&mut x).unwrap();
        drop(x);
        all(&a.to_vec().unwrap(), 42, "first");
        all(&b.to_vec().unwrap(), 42, "second");
    }
}

fn vec_of(home: &Arc<CudaStream>, value: u32) -> CudaSlice<u32> {
    home.clone_htod(vec![value; N].leak()).unwrap() // the copy may come late
}

#[test]
fn views_are_lent() {
    let Some((_one, device)) = gpu() else { return };
    let home = CudaContext::new(0).unwrap().new_stream().unwrap();
    let stream = device.new_stream().unwrap();
    let mut x = vec_of(&home, 1);
    {
        let (left, mut right) = x.split_at_mut(N / 2);
        lend(&device, &left, |left| lend_mut(&device, &mut right, |right| double(&stream, left, right))).unwrap();
    }
    let part = x.slice(N / 2..N);
    let mut y = device.zeros::<u32>(N / 2).unwrap();
    lend(&device, &part, |part| double(&stream, part, &mut y)).unwrap();
    assert_eq!((read(&home, &x)[N - 1], y.get(0).unwrap()), (2, 4));
}

/// Work that was queued before a panic, or before an error, is waited for all the same.
#[test]
fn the_home_waits_after_a_panic_and_after_an_error() {
    let Some((_one, device)) = gpu() else { return };
    for panics in [true, false] {
        let home = CudaContext::new(0).unwrap().new_stream().unwrap();
        let stream = device.new_stream().unwrap();
        let mut x = home.alloc_zeros::<u32>(N).unwrap();
        let ended = catch_unwind(AssertUnwindSafe(|| {
            lend_mut(&device, &mut x, |x| -> Result<(), Error> {
                affine(&stream, x, 2, 1, SLOW)?;
                assert!(!panics, "of the closure");
                Err(Error::GraphUnderWay)
            })
        }));
        assert_eq!(ended.is_err(), panics);
        let y = home.clone_dtod(&x).unwrap();
        drop(x);
        all(&read(&home, &y), stepped(0, SLOW), "after the end");
    }
}

#[test]
fn a_capture_refuses_lent_slices() {
    let Some((_one, device)) = gpu() else { return };
    let home = CudaContext::new(0).unwrap().new_stream().unwrap();
    let mut x = vec_of(&home, 1);
    let captured = lend_mut(&device, &mut x, |x| device.default_stream().capture(|stream| affine(stream, x, 2, 1, 1)));
    refused(captured, "lent memory cannot be captured into a graph");
    all(&read(&home, &x), 1, "unchanged");
}

/// The slice becomes a buffer, works on two streams, and goes back.
#[test]
fn a_slice_goes_in_and_comes_back() {
    let Some((_one, device)) = gpu() else { return };
    for (name, make) in &HOMES[..2] {
        let home = make(&CudaContext::new(0).unwrap());
        let stream = device.new_stream().unwrap();
        let mut slice = home.alloc_zeros::<u32>(N).unwrap();
        home.memset_zeros(&mut slice).unwrap();
        let start = address(&slice);
        let mut x = Buffer::from_cudarc(slice).unwrap();
        assert_eq!(x.as_ptr(), start);
        affine(&stream, &mut x, 2, 1, SLOW).unwrap();
        let slice = x.into_cudarc().unwrap();
        assert_eq!(address(&slice), start);
        all(&read(&home, &slice), stepped(0, SLOW), name);
    }
}

/// cudarc frees on the home, which has waited for the launches.
#[test]
fn an_adopted_slice_is_freed_after_the_work() {
    let Some((_one, device)) = gpu() else { return };
    let home = CudaContext::new(0).unwrap().new_stream().unwrap();
    let streams = [device.new_stream().unwrap(), device.new_stream().unwrap()];
    let mut x = Buffer::from_cudarc(vec_of(&home, 1)).unwrap();
    let graph = streams[0].capture(|stream| affine(stream, &mut x, 2, 1, SLOW)).unwrap();
    refused(
        x.into_cudarc().map_err(|refused| {
            let (error, x) = refused.into_parts();
            affine(&streams[1], &mut { x }, 2, 1, SLOW).unwrap();
            error
        }),
        "a graph uses the memory, too",
    );
    graph.launch(&streams[0]).unwrap();
    drop((home, streams));
    drop(graph);
    device.synchronize().unwrap();
}

/// Only what was taken over as a slice is given back as one.
#[test]
fn other_buffers_are_not_given_back() {
    let Some((_one, device)) = gpu() else { return };
    let home = CudaContext::new(0).unwrap().new_stream().unwrap();
    let refusal = "the memory was not taken over from there";
    refused(device.zeros::<u32>(N).unwrap().into_cudarc(), refusal);
    refused(Device::cpu().zeros::<u32>(N).unwrap().into_cudarc(), refusal);
    // An owner that happens to be a slice: nobody has said that it is the memory of the buffer.
    let (memory, owner) = (vec_of(&home, 1), vec_of(&home, 2));
    home.synchronize().unwrap();
    // SAFETY: the memory lives longer than the buffer.
    let x = unsafe { Buffer::from_raw(&device, address(&memory).cast_mut(), N, owner) }.unwrap();
    let (error, x) = x.into_cudarc().unwrap_err().into_parts();
    assert!(error.to_string().contains(refusal));
    all(&x.to_vec().unwrap(), 1, "the memory");
}

/// A launch writes, cudarc changes on its stream, a launch on another stream reads.
#[test]
fn buffers_are_lent_to_cudarc() {
    let Some((_one, device)) = gpu() else { return };
    for (name, make) in HOMES {
        let home = make(&CudaContext::new(0).unwrap());
        let (one, two) = (device.new_stream().unwrap(), device.new_stream().unwrap());
        let (mut x, mut y) = (device.zeros::<u32>(N).unwrap(), device.zeros::<u32>(N).unwrap());
        affine(&one, &mut x, 2, 1, SLOW).unwrap();
        let seen = reading(&x, &home, |x| Ok(home.clone_dtod(&x).unwrap())).unwrap();
        affine(&one, &mut x, 2, 1, 1).unwrap();
        writing(&mut x, &home, |mut x| Ok(home.memset_zeros(&mut x))).unwrap().unwrap();
        double(&two, &x, &mut y).unwrap();
        affine(&two, &mut x, 2, 1, 1).unwrap();
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            writing(&mut x, &home, |mut x| -> Result<(), Error> {
                home.memset_zeros(&mut x).unwrap();
                panic!("of the closure")
            })
        }));
        assert!(panicked.is_err());
        all(&read(&home, &seen), stepped(0, SLOW), name);
        all(&y.to_vec().unwrap(), 0, name);
        all(&x.to_vec().unwrap(), 0, name);
    }
}

fn reading<R>(
    x: &Buffer<u32>,
    home: &Arc<CudaStream>,
    work: impl FnOnce(CudaView<'_, u32>) -> Result<R, Error>,
) -> Result<R, Error> {
    // SAFETY: the tests use a view on its home only.
    unsafe { x.with_cudarc(home, work) }
}

fn writing<R>(
    x: &mut Buffer<u32>,
    home: &Arc<CudaStream>,
    work: impl FnOnce(CudaViewMut<'_, u32>) -> Result<R, Error>,
) -> Result<R, Error> {
    // SAFETY: as above.
    unsafe { x.with_cudarc_mut(home, work) }
}

/// The graph of another library would keep the addresses of our buffers, and not the buffers.
#[test]
fn nothing_of_ours_gets_into_a_graph_of_cudarc() {
    let Some((_one, device)) = gpu() else { return };
    let home = CudaContext::new(0).unwrap().new_stream().unwrap();
    let stream = device.stream_from_cudarc(&home).unwrap();
    let (mut x, theirs) = (device.zeros::<u32>(N).unwrap(), vec_of(&home, 1));
    let event = device.default_stream().record().unwrap();
    let text = "work on a stream that another library captures";
    home.begin_capture(sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED).unwrap();
    refused(affine(&stream, &mut x, 2, 1, 1), text);
    refused(x.fill_async(&stream, 7), text);
    refused(stream.record(), text);
    refused(stream.wait(&event), text);
    refused(reading(&x, &home, |_| Ok(())), text);
    refused(lend(&device, &theirs, |_| Ok(())), text);
    home.end_capture(sys::CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH).unwrap();
    affine(&stream, &mut x, 2, 1, 1).unwrap();
    all(&x.to_vec().unwrap(), 1, "afterwards");
    // The capture begins in the host part of a launch.
    let begin = || home.begin_capture(sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED).unwrap();
    refused(after(&stream, &mut x, &begin), text);
    home.end_capture(sys::CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH).unwrap();
    all(&x.to_vec().unwrap(), 1, "after a launch that was refused");
}

/// The device goes on if the home of what is lent cannot be made to wait.
#[test]
fn a_capture_that_begins_while_memory_is_lent() {
    let Some((_one, device)) = gpu() else { return };
    let home = CudaContext::new(0).unwrap().new_stream().unwrap();
    let (mut x, stream) = (vec_of(&home, 1), device.new_stream().unwrap());
    let lent = lend_mut(&device, &mut x, |x| {
        affine(&stream, x, 2, 1, SLOW)?;
        home.begin_capture(sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED).unwrap();
        Ok(())
    });
    assert!(lent.is_err());
    // cudarc keeps the errors of the capture, which is broken, and ends nothing before they are
    // asked for.
    let _ = home.context().check_err();
    let _ = home.end_capture(sys::CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH);
    let _ = home.context().check_err();
    // The host has waited for the launch.
    all(&read(&home, &x), stepped(1, SLOW), "what was lent");
    all(&device.filled::<u32>(N, 3).unwrap().to_vec().unwrap(), 3, "the device goes on");
}

/// Nor does a stream of ours that would have to wait for the captured one.
#[test]
fn no_stream_of_ours_waits_for_a_graph_of_cudarc() {
    let Some((_one, device)) = gpu() else { return };
    let home = CudaContext::new(0).unwrap().new_stream().unwrap();
    let (stream, other) = (device.stream_from_cudarc(&home).unwrap(), device.new_stream().unwrap());
    let (mut x, mut y) = (device.zeros::<u32>(N).unwrap(), device.zeros::<u32>(N).unwrap());
    affine(&stream, &mut x, 2, 1, 1).unwrap();
    affine(&stream, &mut y, 2, 1, 1).unwrap();
    let text = "work on a stream that another library captures";
    home.begin_capture(sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED).unwrap();
    refused(affine(&other, &mut x, 2, 1, 1), text);
    refused(x.to_vec(), text);
    home.end_capture(sys::CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH).unwrap();
    affine(&other, &mut x, 2, 1, 1).unwrap();
    all(&x.to_vec().unwrap(), 3, "on both streams");
    // The handle is dropped where no event can follow the work on its stream.
    home.begin_capture(sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED).unwrap();
    drop(stream);
    home.end_capture(sys::CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH).unwrap();
    let text = "a stream whose handle was dropped while another library captured it";
    refused(y.to_vec(), text);
    refused(affine(&other, &mut y, 2, 1, 1), text);
}

/// The slice is not given back, because nothing says when the work that uses it is complete. The
/// device goes on.
#[test]
fn a_slice_of_a_captured_stream_is_not_given_back() {
    let Some((_one, device)) = gpu() else { return };
    let home = CudaContext::new(0).unwrap().new_stream().unwrap();
    let stream = device.stream_from_cudarc(&home).unwrap();
    let mut x = Buffer::from_cudarc(vec_of(&home, 1)).unwrap();
    affine(&stream, &mut x, 2, 1, 1).unwrap();
    home.begin_capture(sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED).unwrap();
    drop(x);
    home.end_capture(sys::CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH).unwrap();
    all(&device.filled::<u32>(N, 3).unwrap().to_vec().unwrap(), 3, "afterwards");
}

#[test]
fn a_buffer_of_a_graph_is_not_lent_to_cudarc() {
    let Some((_one, device)) = gpu() else { return };
    let home = CudaContext::new(0).unwrap().new_stream().unwrap();
    let mut x = device.zeros::<u32>(N).unwrap();
    let graph = device.default_stream().capture(|stream| affine(stream, &mut x, 2, 1, 1)).unwrap();
    refused(reading(&x, &home, |_| Ok(())), "a graph uses the memory, too");
    drop(graph);
    reading(&x, &home, |_| Ok(())).unwrap();
    let captured = device.default_stream().capture(|_| reading(&x, &home, |_| Ok(())));
    refused(captured, "work on another stream than that of the capture cannot be captured");
}

/// The handle keeps the stream; buffers remember what was done on it.
#[test]
fn a_stream_lives_as_long_as_its_handle() {
    let Some((_one, device)) = gpu() else { return };
    let context = CudaContext::new(0).unwrap();
    let stream = device.stream_from_cudarc(&context.new_stream().unwrap()).unwrap();
    drop(context);
    let mut x = device.zeros::<u32>(N).unwrap();
    affine(&stream, &mut x, 2, 1, SLOW).unwrap();
    drop(stream);
    let other = device.new_stream().unwrap();
    affine(&other, &mut x, 2, 1, 1).unwrap();
    all(&x.to_vec().unwrap(), stepped(0, SLOW + 1), "on both streams");
    let per_thread = CudaContext::new(0).unwrap().per_thread_stream();
    refused(device.stream_from_cudarc(&per_thread), "the per-thread default stream is another stream on each thread");
    refused(Buffer::from_cudarc(vec_of(&per_thread, 1)), "the per-thread default stream");
    // SAFETY: the handle is refused.
    refused(unsafe { device.wrap_stream(per_thread.cu_stream().cast()) }, "the per-thread default stream");
    let back = device.new_stream().unwrap();
    // SAFETY: `back` lives longer.
    let theirs = unsafe { back.to_cudarc() }.unwrap();
    assert_eq!(theirs.cu_stream().cast(), back.as_raw());
}

/// Lets an error be kept in the closure of a loan.
fn kept(keep: impl Fn()) -> Result<(), Error> {
    keep();
    Ok(())
}

/// cudarc keeps errors for its next call. The calls here return them, and do not go on as if
/// nothing had happened.
#[test]
fn kept_errors_are_returned() {
    let Some((_one, device)) = gpu() else { return };
    let home = CudaContext::new(0).unwrap().new_stream().unwrap();
    let context = home.context();
    let keep =
        || context.record_err(Err::<(), _>(DriverError(sys::cudaError_enum::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES)));
    let text = "a call of cudarc failed on CUDA device 0";
    let mut x = vec_of(&home, 1);
    keep();
    refused(lend(&device, &x, |_| Ok(())), text);
    keep();
    refused(lend_mut(&device, &mut x, |_| Ok(())), text);
    refused(lend_mut(&device, &mut x, |_| kept(keep)), text);
    keep();
    let (error, x) = Buffer::from_cudarc(x).unwrap_err().into_parts();
    assert!(error.to_string().contains(text));
    let mut x = Buffer::from_cudarc(x).unwrap();
    keep();
    refused(reading(&x, &home, |_| Ok(())), text);
    refused(writing(&mut x, &home, |_| kept(keep)), text);
    keep();
    let (error, x) = x.into_cudarc().unwrap_err().into_parts();
    assert!(error.to_string().contains(text));
    all(&read(&home, &x.into_cudarc().unwrap()), 1, "after all");
}

#[test]
fn slices_of_other_devices_are_refused() {
    let Some((_one, device)) = gpu() else { return };
    let Some(other) = second() else { return };
    let home = CudaContext::new(1).unwrap().new_stream().unwrap();
    let mut x = vec_of(&home, 1);
    let text = "it does not belong to CUDA device 0";
    refused(lend(&device, &x, |_| Ok(())), text);
    refused(lend_mut(&device, &mut x, |_| Ok(())), text);
    refused(device.stream_from_cudarc(&home), text);
    refused(reading(&device.zeros::<u32>(3).unwrap(), &home, |_| Ok(())), text);
    assert_eq!(Buffer::from_cudarc(x).unwrap().device().to_string(), other.to_string());
}

/// Each thread has a stream, and half of the slice. The home of the thread that lends is another
/// one on theirs.
#[test]
fn threads_launch_on_lent_slices() {
    let Some((_one, device)) = gpu() else { return };
    for (name, make) in HOMES {
        let home = make(&CudaContext::new(0).unwrap());
        let mut x = home.alloc_zeros::<u32>(N).unwrap();
        home.memset_zeros(&mut x).unwrap();
        lend_mut(&device, &mut x, |x| {
            let (left, right) = x.split_at_mut(N / 2);
            std::thread::scope(|scope| {
                for mut half in [left, right] {
                    let stream = device.new_stream().unwrap();
                    scope.spawn(move || affine(&stream, &mut half, 2, 1, SLOW).unwrap());
                }
            });
            Ok(())
        })
        .unwrap();
        let y = home.clone_dtod(&x).unwrap();
        all(&read(&home, &y), stepped(0, SLOW), name);
    }
}

/// A forgotten stream and a forgotten buffer: the home waits, and nothing is freed too early.
#[test]
fn streams_and_buffers_can_be_forgotten() {
    let Some((_one, device)) = gpu() else { return };
    let home = CudaContext::new(0).unwrap().new_stream().unwrap();
    let stream = device.new_stream().unwrap();
    let mut x = vec_of(&home, 0);
    lend_mut(&device, &mut x, |x| {
        affine(&stream, x, 2, 1, SLOW)?;
        std::mem::forget(stream);
        Ok(())
    })
    .unwrap();
    all(&read(&home, &home.clone_dtod(&x).unwrap()), stepped(0, SLOW), "forgotten stream");
    std::mem::forget(Buffer::from_cudarc(x).unwrap());
}

/// Copies on streams of another device read what is lent, and write it.
#[test]
fn another_device_copies_what_is_lent() {
    let Some((_one, device)) = gpu() else { return };
    let Some(other) = second() else { return };
    let home = CudaContext::new(0).unwrap().new_stream().unwrap();
    let stream = other.new_stream().unwrap();
    let (mut x, mut y) = (home.alloc_zeros::<u32>(N).unwrap(), other.filled(N, 7u32).unwrap());
    home.memset_zeros(&mut x).unwrap();
    lend_mut(&device, &mut x, |x| {
        affine(&device.default_stream(), x, 2, 1, SLOW)?;
        y.copy_from_buffer_async(&stream, x)?;
        affine(&stream, &mut y, 1, 1, SLOW)?;
        x.copy_from_buffer_async(&stream, &y)
    })
    .unwrap();
    let z = home.clone_dtod(&x).unwrap();
    home.memset_zeros(&mut x).unwrap();
    all(&read(&home, &z), stepped(0, SLOW).wrapping_add(SLOW), "through the other device");
}
