//! Streams of other libraries, and the streams of this one as others see them.

use std::ffi::{c_int, c_uint, c_void};
use std::ptr;

use anabranch::prelude::*;
use anabranch_tests::driver::function;
use anabranch_tests::gpus::on_hip;
use anabranch_tests::kernels::order::{affine, affine_pair};

use crate::gpu;

const N: usize = 64;
const SLOW: u32 = 500_000;
const NON_BLOCKING: c_uint = 1;

type OfStream = unsafe extern "C" fn(*mut c_void) -> c_int;

/// The driver as another library would call it. The context of the device must be current.
struct Driver;

impl Driver {
    fn create(&self) -> *mut c_void {
        let mut stream = ptr::null_mut();
        type Create = unsafe extern "C" fn(*mut *mut c_void, c_uint) -> c_int;
        // SAFETY: both functions have this type, and write a handle to a live local.
        let result =
            unsafe { function::<Create>("cuStreamCreate", "hipStreamCreateWithFlags")(&mut stream, NON_BLOCKING) };
        assert_eq!(result, 0);
        stream
    }

    fn flags(&self, stream: *mut c_void) -> c_uint {
        let mut flags = 99;
        type GetFlags = unsafe extern "C" fn(*mut c_void, *mut c_uint) -> c_int;
        // SAFETY: as above; the stream is alive.
        let result = unsafe { function::<GetFlags>("cuStreamGetFlags", "hipStreamGetFlags")(stream, &mut flags) };
        assert_eq!(result, 0);
        flags
    }

    fn synchronize(&self, stream: *mut c_void) {
        // SAFETY: as above.
        let result = unsafe { function::<OfStream>("cuStreamSynchronize", "hipStreamSynchronize")(stream) };
        assert_eq!(result, 0);
    }

    fn destroy(&self, stream: *mut c_void) {
        if on_hip() {
            self.synchronize(stream); // HIP's function waits, which the stand-in reports
        }
        // SAFETY: as above; the callers do not use the stream again.
        let result = unsafe { function::<OfStream>("cuStreamDestroy_v2", "hipStreamDestroy")(stream) };
        assert_eq!(result, 0);
    }
}

/// Not when its handle goes, nor when the last buffer goes that was used on it. Until then it is a
/// stream like others.
#[test]
fn a_wrapped_stream_is_not_destroyed() {
    let Some(gpu) = gpu() else { return };
    let (device, driver) = (gpu.device(), Driver);
    let mut x = device.buffer_from(&[1u32; N]).unwrap();
    let mut y = device.buffer_from(&[2u32; N]).unwrap();
    let raw = driver.create();
    // SAFETY: the stream was made in the current context, and is destroyed below, behind its
    // handles.
    let [one, two] = std::array::from_fn(|_| unsafe { device.wrap_stream(raw) }.unwrap());
    assert_eq!((one.as_raw(), two.as_raw()), (raw, raw));
    affine(&one, &mut x, 3, 1, SLOW).unwrap();
    affine_pair(&two, &mut x, &mut y, 2, 5, SLOW).unwrap();
    drop((one, two));
    assert_eq!((x.to_vec().unwrap(), y.to_vec().unwrap()), (vec![13; N], vec![12; N]));
    drop((x, y));
    device.stream_pool().trim();
    driver.synchronize(raw);
    driver.destroy(raw);
}

/// Its owner may destroy it as soon as the handle is gone: whoever uses the buffers next still
/// waits for its work.
#[test]
fn work_on_a_stream_that_its_owner_has_destroyed_is_waited_for() {
    let Some(gpu) = gpu() else { return };
    let (device, driver) = (gpu.device(), Driver);
    let (mut x, mut y) = (device.buffer_from(&[1u32; N]).unwrap(), device.buffer_from(&[2u32; N]).unwrap());
    let gone = device.zeros::<u32>(N).unwrap();
    let raw = driver.create();
    // SAFETY: as above.
    let stream = unsafe { device.wrap_stream(raw) }.unwrap();
    affine_pair(&stream, &mut x, &mut y, 3, 1, SLOW).unwrap();
    let mut used = gone;
    affine(&stream, &mut used, 3, 1, SLOW).unwrap();
    let event = stream.record().unwrap();
    drop(stream);
    driver.destroy(raw);
    drop(used);
    event.synchronize().unwrap();
    assert!(event.is_complete().unwrap());
    // Of a stream of ours as well.
    let own = device.new_stream().unwrap();
    let event = own.record().unwrap();
    own.synchronize().unwrap();
    drop(own);
    assert!(event.is_complete().unwrap());
    affine(&device.new_stream().unwrap(), &mut x, 2, 1, 0).unwrap();
    assert_eq!((x.to_vec().unwrap(), y.to_vec().unwrap()), (vec![9; N], vec![5; N]));
}

/// Streams created without the flag wait for the legacy default stream, and it for them: they never
/// overlap with the work of a library that uses it.
#[test]
fn no_stream_waits_for_the_legacy_default_stream() {
    let Some(gpu) = gpu() else { return };
    let (device, driver) = (gpu.device(), Driver);
    let own = device.new_stream().unwrap();
    let urgent = device.new_stream_with_priority(Priority::High).unwrap();
    for stream in [&device.default_stream(), &own, &urgent] {
        assert_eq!(driver.flags(stream.as_raw()), NON_BLOCKING);
    }
    // The streams of groups are seen by what they do: they finish while the legacy stream is busy.
    // SAFETY: null is the legacy default stream of the current context, which lives as long as
    // that.
    let legacy = unsafe { device.wrap_stream(ptr::null_mut()) }.unwrap();
    let (mut x, mut y, mut z) =
        (device.zeros::<u32>(N).unwrap(), device.zeros::<u32>(N).unwrap(), device.zeros::<u32>(1).unwrap());
    let mut overlaps = |steps| {
        device.stream_pool().trim(); // new streams each time: under the stand-in's chaos some are slow for long
        affine(&legacy, &mut z, 3, 1, steps).unwrap();
        let busy = legacy.record().unwrap();
        affine_pair(&own, &mut x, &mut y, 3, 1, 0).unwrap();
        own.synchronize().unwrap();
        let overlaps = !busy.is_complete().unwrap();
        busy.synchronize().unwrap();
        overlaps
    };
    // Many times and longer and longer, since a busy machine may be late with the second launch.
    assert!((0..120).any(|round| overlaps(1_000_000 << (round % 6))), "groups wait for the legacy default stream");
}
