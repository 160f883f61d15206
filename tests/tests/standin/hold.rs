//! The device stands still: what returns nevertheless has not waited for it. The stand-in ends the
//! run where a call waits.

use std::ffi::{c_int, c_uint, c_void};
use std::ptr;

use anabranch::Stream;
use anabranch_tests::gpus::on_hip;
use anabranch_tests::kernels::barriers::tiles_in_turn;
use anabranch_tests::kernels::order::{affine, affine_pair, append, fan_out};

use crate::hooks::{StandIn, in_child, standin};

const N: usize = 32;

/// Launches with and without groups, hand-overs between streams, events, fills, and handles that
/// go.
#[test]
fn launches_and_destructors_return_before_the_work_is_done() {
    let Some(standin) = standin() else { return };
    let device = standin.device();
    let [one, two] = std::array::from_fn(|_| device.new_stream().unwrap());
    let [mut x, mut y, mut gone] = std::array::from_fn(|k| device.buffer_from(&[k as u32; N]).unwrap());
    affine_pair::prepare(&device).unwrap();
    append::prepare(&device).unwrap();
    standin.hold(true);
    affine_pair(&one, &mut x, &mut y, 3, 1, 0).unwrap();
    append(&two, &mut gone, &x, 0).unwrap();
    append(&two, &mut y, &gone, 0).unwrap();
    let event = two.record().unwrap();
    one.wait(&event).unwrap();
    x.fill_async(&one, 5).unwrap();
    assert!(!event.is_complete().unwrap() && !one.is_idle().unwrap() && !two.is_idle().unwrap());
    drop((gone, event, one, two));
    device.stream_pool().trim();
    standin.hold(false);
    // x = 1, gone = 20 + 1, y = (1 + 3) 10 + 21.
    assert_eq!((x.to_vec().unwrap(), y.to_vec().unwrap()), (vec![5; N], vec![61; N]));
    drop((x, y, device));
    standin.nothing_is_left();
}

/// Forks of one stream come one after the other, so they need no more streams than one of them.
/// While the cap is not reached, no stream has groups of two that are under way. Beyond it they
/// share, and that is counted.
#[test]
fn pool_streams_are_shared_at_the_cap_only() {
    let Some(standin) = standin() else { return };
    let device = standin.device();
    let parents: [Stream; 5] = std::array::from_fn(|_| device.new_stream().unwrap());
    let (mut source, mut out) = (device.zeros::<u32>(N).unwrap(), device.zeros::<u32>(8 * N).unwrap());
    fan_out::prepare(&device).unwrap();
    let streams = standin.live("stream");
    standin.hold(true);
    for (parent, launch) in parents.iter().zip(1..=4) {
        for _ in 0..2 {
            fan_out(parent, &mut source, &mut out, [0; 8]).unwrap();
            let stats = device.stream_pool().stats();
            assert_eq!((stats.created, stats.shared, stats.in_use), (8 * launch, 0, 0));
            assert_eq!(standin.live("stream"), streams + 8 * launch);
        }
    }
    fan_out(&parents[4], &mut source, &mut out, [0; 8]).unwrap();
    let stats = device.stream_pool().stats();
    assert_eq!((stats.created, stats.shared, stats.acquired), (32, 8, 72));
    standin.hold(false);
    assert_eq!(source.to_vec().unwrap(), [(0..9).fold(0u32, |x, _| 3 * x + 1); N]);
}

/// Groups beyond the hardware queues are counted: by default none of eight on CUDA and four on HIP,
/// and with two queues six of them.
#[test]
fn groups_beyond_the_hardware_queues_are_counted() {
    let launch = |standin: &StandIn| {
        let device = standin.device();
        let (mut source, mut out) = (device.zeros::<u32>(N).unwrap(), device.zeros::<u32>(8 * N).unwrap());
        for _ in 0..2 {
            fan_out(&device.default_stream(), &mut source, &mut out, [0; 8]).unwrap();
        }
        device.stream_pool().stats().beyond_queues
    };
    let name = "hold::groups_beyond_the_hardware_queues_are_counted";
    let (variable, default) = if on_hip() { ("GPU_MAX_HW_QUEUES", 4) } else { ("CUDA_DEVICE_MAX_CONNECTIONS", 8) };
    for queues in ["8", "2", "many"] {
        in_child(name, &[(variable, queues)], |standin| {
            let queues = std::env::var(variable).unwrap().parse().unwrap_or(default);
            assert_eq!(launch(standin), 2 * (8 - queues));
        });
    }
}

/// Events behind the work of another library, which go on when its stream is gone. On HIP they are
/// recorded on another stream, and that is one for all of them.
#[test]
fn events_of_a_wrapped_stream_need_no_more_streams() {
    type Create = unsafe extern "C" fn(*mut *mut c_void, c_uint) -> c_int;
    type Use = unsafe extern "C" fn(*mut c_void) -> c_int;
    let Some(standin) = standin() else { return };
    let device = standin.device();
    let mut x = device.buffer_from(&[1u32; N]).unwrap();
    affine::prepare(&device).unwrap();
    // SAFETY: the functions have these types.
    let (create, synchronize, destroy) = unsafe {
        (
            standin.function::<Create>("cuStreamCreate"),
            standin.function::<Use>("cuStreamSynchronize"),
            standin.function::<Use>("cuStreamDestroy_v2"),
        )
    };
    let mut theirs = ptr::null_mut();
    // SAFETY: the function writes a handle to a live local.
    assert_eq!(unsafe { create(&mut theirs, 1) }, 0);
    // SAFETY: the stream is destroyed below, when its handle is gone.
    let stream = unsafe { device.wrap_stream(theirs) }.unwrap();
    let streams = standin.live("stream");
    standin.hold(true);
    affine(&stream, &mut x, 3, 1, 0).unwrap();
    let events = [0; 20].map(|_| stream.record().unwrap());
    drop(stream);
    assert!(standin.live("stream") <= streams + 1);
    assert!(events.iter().all(|event| !event.is_complete().unwrap()));
    standin.hold(false);
    // SAFETY: the stream is alive, and nobody uses it afterwards.
    assert_eq!(unsafe { (synchronize(theirs), destroy(theirs)) }, (0, 0));
    events.iter().for_each(|event| event.synchronize().unwrap());
    assert_eq!(x.to_vec().unwrap(), [4; N]);
    drop((events, x, device));
    standin.nothing_is_left();
}

/// More threads along x than a grid of HIP can have. They would run for too long here, so the
/// device is lost before they do.
#[test]
fn very_many_blocks_are_two_launches() {
    let Some(standin) = standin() else { return };
    let device = standin.device();
    let (stream, mut out) = (device.default_stream(), device.zeros::<u32>(64).unwrap());
    tiles_in_turn::prepare(&device).unwrap();
    standin.hold(true);
    standin.fail("kernel:1:LAUNCH_FAILED");
    standin.reset_calls();
    tiles_in_turn(&stream, &mut out, 1 << 26, 1).unwrap();
    assert_eq!(standin.calls("cuLaunchKernel"), 2);
    standin.hold(false);
    stream.synchronize().unwrap_err();
    drop((stream, out, device));
    standin.nothing_is_left();
}

/// 32 launches are queued behind one that has not begun; each has its own arguments.
#[test]
fn queued_launches_keep_their_arguments() {
    let Some(standin) = standin() else { return };
    let device = standin.device();
    let [one, two] = std::array::from_fn(|_| device.new_stream().unwrap());
    let [mut x, mut y] = std::array::from_fn(|_| device.buffer_from(&[1u32; N]).unwrap());
    affine::prepare(&device).unwrap();
    standin.hold(true);
    for launch in 0..32 {
        affine(&one, &mut x, 2 * launch + 1, launch, 0).unwrap();
        affine(&two, &mut y, 3, launch, 0).unwrap();
    }
    standin.hold(false);
    let wanted = |a: fn(u32) -> u32| (0..32).fold(1u32, |x, launch| x.wrapping_mul(a(launch)).wrapping_add(launch));
    assert_eq!(x.to_vec().unwrap(), [wanted(|launch| 2 * launch + 1); N]);
    assert_eq!(y.to_vec().unwrap(), [wanted(|_| 3); N]);
}

/// Copies and fills are queued, and what they use is read or dropped; nothing waits for what it
/// need not.
#[test]
fn copies_return_before_they_are_done() {
    let Some(standin) = standin() else { return };
    let device = standin.device();
    let [one, two] = std::array::from_fn(|_| device.new_stream().unwrap());
    let [mut x, mut y] = std::array::from_fn(|k| device.buffer_from(&[k as u32; N]).unwrap());
    let [mut from, mut to, mut gone] = std::array::from_fn(|_| device.pinned::<u32>(N).unwrap());
    from.as_mut_slice().unwrap().fill(5);
    affine::prepare(&device).unwrap();
    standin.hold(true);
    x.copy_from_async(&one, &from).unwrap();
    affine(&one, &mut x, 3, 1, 0).unwrap();
    y.copy_from_buffer_async(&two, &x).unwrap();
    y.slice_mut(..N / 2).fill_async(&one, 2).unwrap();
    y.slice(N / 2 - 1..N / 2 + 1).copy_to_async(&two, &mut to.slice_mut(..2)).unwrap();
    // Copies from it are under way, and copies to the other part.
    assert_eq!(from.as_slice().unwrap(), [5; N]);
    to.slice_mut(2..).as_mut_slice().unwrap().fill(4);
    assert_eq!(to.slice(2..3).as_slice().unwrap(), [4]);
    x.copy_to_async(&two, &mut gone).unwrap();
    y.copy_from_async(&one, &gone).unwrap();
    drop(gone);
    // What is dropped meanwhile is not given back, and new memory is no obstacle.
    let blocks = standin.live("host block");
    let mut new = device.pinned::<u32>(N).unwrap();
    new.as_mut_slice().unwrap().fill(1);
    assert_eq!(standin.live("host block"), blocks + 1);
    standin.hold(false);
    assert_eq!(to.as_slice().unwrap()[..3], [2, 16, 4]);
    assert_eq!((x.to_vec().unwrap(), y.to_vec().unwrap()), (vec![16; N], vec![16; N]));
    drop(device.pinned::<u32>(N).unwrap());
    assert_eq!(standin.live("host block"), blocks + 1, "one went, and one came");
    drop((from, to, new, x, y, one, two, device));
    standin.nothing_is_left();
}

/// Who touches what was copied waits for the copy, and for nothing behind it.
#[test]
fn touching_waits_for_its_copy_alone() {
    let Some(standin) = standin() else { return };
    let device = standin.device();
    let [one, two] = std::array::from_fn(|_| device.new_stream().unwrap());
    let (mut x, y) = (device.buffer_from(&[3u32; N]).unwrap(), device.buffer_from(&[4u32; N]).unwrap());
    let mut host = device.pinned::<u32>(N).unwrap();
    affine::prepare(&device).unwrap();
    x.copy_to_async(&one, &mut host).unwrap();
    one.synchronize().unwrap();
    standin.hold(true);
    affine(&one, &mut x, 3, 1, 0).unwrap();
    assert_eq!(host.as_slice().unwrap(), [3; N]);
    host.as_mut_slice().unwrap().fill(7);
    standin.hold(false);
    // A touch of a part keeps the books of the rest.
    x.slice(..1).copy_to_async(&one, &mut host.slice_mut(..1)).unwrap();
    y.slice(1..2).copy_to_async(&two, &mut host.slice_mut(1..2)).unwrap();
    standin.reset_calls();
    assert_eq!(host.slice(1..2).as_slice().unwrap(), [4]);
    assert_eq!(standin.calls("cuEventSynchronize"), 1);
    assert_eq!(host.as_slice().unwrap()[..3], [10, 4, 7]);
    assert_eq!(standin.calls("cuEventSynchronize"), 2);
}
