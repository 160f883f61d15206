//! Bugs that others had before us (Quadrants, cudarc, c10), each by its name. Two more need a view
//! behind the library: streams created with the blocking flag, and pool streams aliased silently,
//! in the suite of the GPU.

use anabranch::prelude::*;

use super::slow;
use crate::kernels::order as k;

const N: usize = 64;

/// On a new thread no context is current: whatever is called there first has to make it so. Also
/// the destructors.
pub fn a_thread_that_has_never_called_the_driver(device: &Device, stream: &Stream) {
    let (mut x, mut y) = (device.buffer_from(&[1u32; N]).unwrap(), device.buffer_from(&[2u32; N]).unwrap());
    let event = stream.record().unwrap();
    let (going, leaving) = (device.zeros::<u32>(N).unwrap(), device.new_stream().unwrap());
    /// On a thread of its own.
    fn first<T: Send>(call: impl FnOnce() -> T + Send) -> T {
        std::thread::scope(|scope| scope.spawn(call).join().unwrap())
    }
    first(|| k::affine(stream, &mut x, 3, 1, 0)).unwrap();
    first(|| k::affine_pair(stream, &mut x, &mut y, 2, 5, 0)).unwrap();
    first(|| k::affine::prepare(device)).unwrap();
    first(|| stream.wait(&event)).unwrap();
    assert!(first(|| event.is_complete().is_ok() && stream.is_idle().is_ok()));
    first(|| event.synchronize()).unwrap();
    first(|| stream.synchronize()).unwrap();
    let later = first(|| stream.record()).unwrap();
    first(|| later.elapsed_since(&event)).unwrap();
    assert_eq!(first(|| x.to_vec()).unwrap(), [13; N]);
    first(|| y.fill_async(stream, 9)).unwrap();
    assert_eq!(first(|| y.try_clone()).unwrap().to_vec().unwrap(), [9; N]);
    first(|| y.copy_from(&[7; N])).unwrap();
    let other = first(|| device.new_stream()).unwrap();
    assert_eq!(first(|| device.zeros::<u32>(N)).unwrap().to_vec().unwrap(), [0; N]);
    first(|| drop((going, event)));
    first(|| drop((leaving, other, later)));
    first(|| device.stream_pool().trim());
    assert_eq!(y.to_vec().unwrap(), [7; N]);
}

/// The streams of the groups start behind what the user's stream has queued, by a launch before or
/// by another library.
pub fn the_users_stream_hands_over_to_the_groups(device: &Device, stream: &Stream) {
    let (mut x, mut y) = (device.buffer_from(&[1u32; N]).unwrap(), device.buffer_from(&[2u32; N]).unwrap());
    k::affine(stream, &mut x, 3, 1, slow(device)).unwrap();
    y.fill_async(stream, 5).unwrap();
    k::affine_pair(stream, &mut x, &mut y, 2, 1, 0).unwrap();
    assert_eq!((x.to_vec().unwrap(), y.to_vec().unwrap()), (vec![9; N], vec![7; N]));
}

/// By the host, by the launch behind, by an event.
pub fn a_result_is_read_behind_the_join(device: &Device, stream: &Stream) {
    let (mut x, mut y) = (device.buffer_from(&[1u32; N]).unwrap(), device.buffer_from(&[2u32; N]).unwrap());
    let mut z = device.zeros::<u32>(N).unwrap();
    k::affine_pair(stream, &mut x, &mut y, 3, 1, slow(device)).unwrap();
    assert_eq!((x.to_vec().unwrap(), y.to_vec().unwrap()), (vec![4; N], vec![5; N]));
    k::affine_pair(stream, &mut x, &mut y, 3, 1, slow(device)).unwrap();
    k::append(stream, &mut z, &x, 0).unwrap();
    k::append(&device.new_stream().unwrap(), &mut z, &y, 0).unwrap();
    assert_eq!(z.to_vec().unwrap(), [138; N]);
    k::affine_pair(stream, &mut x, &mut y, 3, 1, slow(device)).unwrap();
    stream.record().unwrap().synchronize().unwrap();
    assert!(stream.is_idle().unwrap());
    assert_eq!((x.to_vec().unwrap(), y.to_vec().unwrap()), (vec![40; N], vec![11; N]));
}

/// Groups of the second and third block read what other groups of the block before wrote: merged,
/// they race.
pub fn adjacent_blocks_stay_two(device: &Device, stream: &Stream) {
    let mut buffers: [Buffer<u32>; 4] = std::array::from_fn(|k| device.buffer_from(&[k as u32 + 1; N]).unwrap());
    let [x, y, p, q] = &mut buffers;
    k::back_to_back(stream, x, y, p, q, slow(device)).unwrap();
    // x, y = 2, 7; p, q = 37, 42; x, y = 52, 86.
    assert_eq!(buffers.map(|buffer| buffer.to_vec().unwrap()), [52, 86, 37, 42].map(|value| vec![value; N]));
}

/// The second launch of a kernel on another stream does not write into what the first has not read
/// yet.
pub fn argument_memory_of_a_launch_is_its_own(device: &Device, stream: &Stream) {
    let other = device.new_stream().unwrap();
    let mut buffers: [Buffer<u32>; 4] = std::array::from_fn(|_| device.buffer_from(&[1u32; N]).unwrap());
    let [late, x, y, z] = &mut buffers;
    k::affine(stream, late, 1, 0, slow(device)).unwrap();
    k::affine(stream, x, 2, 3, 0).unwrap(); // queued behind the one before
    k::affine(&other, y, 5, 7, 0).unwrap(); // runs at once
    k::affine(stream, z, 11, 13, 0).unwrap();
    assert_eq!(buffers.map(|buffer| buffer.to_vec().unwrap()), [1, 5, 12, 24].map(|value| vec![value; N]));
}

/// The first wait does not use an event up.
pub fn the_second_wait_for_an_event_gates_too(device: &Device, stream: &Stream) {
    let (other, third) = (device.new_stream().unwrap(), device.new_stream().unwrap());
    let mut x = device.buffer_from(&[1u32; N]).unwrap();
    k::affine(stream, &mut x, 2, 1, slow(device)).unwrap();
    let event = stream.record().unwrap();
    for waiter in [&other, &third, &other] {
        waiter.wait(&event).unwrap();
    }
    for waiter in [&third, &other] {
        let behind = waiter.record().unwrap();
        behind.synchronize().unwrap();
        assert!(event.is_complete().unwrap());
        assert!(event.elapsed_since(&behind).unwrap().is_zero());
    }
    // The hand-over of a buffer to two streams is two waits as well.
    k::affine(stream, &mut x, 2, 1, slow(device)).unwrap();
    let (mut y, mut z) = (device.zeros::<u32>(N).unwrap(), device.zeros::<u32>(N).unwrap());
    k::append(&other, &mut y, &x, 0).unwrap();
    k::append(&third, &mut z, &x, 0).unwrap();
    assert_eq!((y.to_vec().unwrap(), z.to_vec().unwrap()), (vec![7; N], vec![7; N]));
}

/// A launch that fails in the middle of its groups, many times: more streams than the pool may have
/// would be gone.
pub fn streams_come_back_after_errors(device: &Device, stream: &Stream) {
    let (mut x, mut y) = (device.buffer_from(&[1u32; N]).unwrap(), device.buffer_from(&[2u32; N]).unwrap());
    for _ in 0..50 {
        let error = k::leave(stream, "step", &mut x, &mut y, 0).unwrap_err();
        assert!(matches!(error, Error::ZeroStep { .. }), "{error}");
        stream.synchronize().unwrap();
    }
    let stats = device.stream_pool().stats();
    assert!(stats.in_use == 0 && stats.created <= stats.acquired, "{stats:?}");
    x.copy_from(&[1; N]).unwrap();
    y.copy_from(&[1; N]).unwrap();
    k::leave(stream, "", &mut x, &mut y, 0).unwrap();
    assert_eq!((x.to_vec().unwrap(), y.to_vec().unwrap()), (vec![4; N], vec![6; N]));
}
