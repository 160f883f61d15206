//! Work on several streams is ordered by the buffers it shares, and by nothing else but events.

use std::time::Duration;

use anabranch::prelude::*;

use super::slow;
use crate::kernels::groups::{self, ping_pong, slow_copy};
use crate::kernels::order::{affine, append};

/// Elements: few enough that a GPU has room for a second launch beside.
const N: usize = 64;

fn filled(device: &Device, value: u32) -> Buffer<u32> {
    device.buffer_from(&[value; N]).unwrap()
}

pub fn streams_events_and_buffers(device: &Device, stream: &Stream) {
    let other = device.new_stream_with_priority(Priority::High).unwrap();
    let start = stream.record().unwrap();
    let mut a = device.buffer_from(&[1u32, 2, 3]).unwrap();
    let mut b = a.try_clone().unwrap();
    ping_pong(&other, &mut a, &mut b, 1).unwrap();
    let end = other.record().unwrap();
    stream.wait(&end).unwrap();
    end.synchronize().unwrap();
    stream.synchronize().unwrap();
    assert!(end.is_complete().unwrap() && stream.is_idle().unwrap());
    assert!(end.elapsed_since(&start).unwrap() < Duration::from_secs(10));
    a.fill_async(stream, 9).unwrap();
    b.copy_from(&[4, 5, 6]).unwrap();
    let mut host = [0; 3];
    b.copy_to(&mut host).unwrap();
    assert_eq!((a.to_vec().unwrap(), host, a.len(), a.shape()), (vec![9; 3], [4, 5, 6], 3, [3]));
    assert!(b.copy_from(&[1, 2]).unwrap_err().to_string().contains('2'));
}

pub fn a_read_waits_for_the_write_before(device: &Device, stream: &Stream) {
    let other = device.new_stream().unwrap();
    let (ones, mut a, mut b) = (filled(device, 1), filled(device, 0), filled(device, 0));
    slow_copy(stream, &mut a, &ones, slow(device)).unwrap();
    slow_copy(&other, &mut b, &a, 0).unwrap();
    other.synchronize().unwrap();
    assert_eq!(b.to_vec().unwrap(), [1; N]);
    // The host is a reader too.
    slow_copy(&other, &mut b, &filled(device, 7), slow(device)).unwrap();
    assert_eq!(b.to_vec().unwrap(), [7; N]);
    // And so is a second kernel with groups, whose pooled streams are none of the two.
    slow_copy(stream, &mut a, &filled(device, 5), slow(device)).unwrap();
    ping_pong(&other, &mut b, &mut a, 1).unwrap();
    assert_eq!((a.to_vec().unwrap(), b.to_vec().unwrap()), (vec![5; N], vec![13; N]));
}

pub fn a_write_waits_for_the_read_before(device: &Device, stream: &Stream) {
    let other = device.new_stream().unwrap();
    let (mut a, mut b) = (filled(device, 1), filled(device, 0));
    slow_copy(stream, &mut b, &a, slow(device)).unwrap();
    a.fill_async(&other, 9).unwrap();
    assert_eq!((b.to_vec().unwrap(), a.to_vec().unwrap()), (vec![1; N], vec![9; N]));
    slow_copy(stream, &mut b, &a, slow(device)).unwrap();
    slow_copy(&other, &mut a, &filled(device, 3), 0).unwrap();
    assert_eq!((b.to_vec().unwrap(), a.to_vec().unwrap()), (vec![9; N], vec![3; N]));
    // The host as the writer.
    slow_copy(stream, &mut b, &a, slow(device)).unwrap();
    a.copy_from(&[8; N]).unwrap();
    assert_eq!((b.to_vec().unwrap(), a.to_vec().unwrap()), (vec![3; N], vec![8; N]));
}

pub fn a_write_waits_for_the_write_before(device: &Device, stream: &Stream) {
    let other = device.new_stream().unwrap();
    let (ones, mut a) = (filled(device, 1), filled(device, 0));
    slow_copy(stream, &mut a, &ones, slow(device)).unwrap();
    a.fill_async(&other, 7).unwrap();
    assert_eq!(a.to_vec().unwrap(), [7; N]);
    slow_copy(&other, &mut a, &ones, slow(device)).unwrap();
    slow_copy(stream, &mut a, &filled(device, 4), 0).unwrap();
    assert_eq!(a.to_vec().unwrap(), [4; N]);
    slow_copy(stream, &mut a, &ones, slow(device)).unwrap();
    a.copy_from(&[6; N]).unwrap();
    assert_eq!(a.to_vec().unwrap(), [6; N]);
}

/// Both readers count, whichever is slower, and so does a reader of a part.
pub fn two_readers_before_a_writer(device: &Device, stream: &Stream) {
    let (other, third) = (device.new_stream().unwrap(), device.new_stream().unwrap());
    for slower in 0..2 {
        let delay = |reader| if reader == slower { slow(device) } else { 0 };
        let (mut a, mut b, mut c) = (filled(device, 1), filled(device, 0), filled(device, 0));
        slow_copy(stream, &mut b, &a, delay(0)).unwrap();
        slow_copy(&other, &mut c.slice_mut(..N / 2), &a.slice(N / 2..), delay(1)).unwrap();
        slow_copy(&third, &mut a, &filled(device, 9), 0).unwrap();
        assert_eq!((b.to_vec().unwrap(), a.to_vec().unwrap()), (vec![1; N], vec![9; N]));
        assert_eq!(c.to_vec().unwrap(), [[1; N / 2], [0; N / 2]].concat());
    }
}

/// A part is ordered behind uses of the same elements through other parts, and behind uses of the
/// whole.
pub fn parts_wait_for_their_own_part(device: &Device, stream: &Stream) {
    let (other, third) = (device.new_stream().unwrap(), device.new_stream().unwrap());
    let (mut whole, mut copy) = (filled(device, 1), filled(device, 0));
    affine(stream, &mut whole, 1, 1, slow(device)).unwrap();
    affine(&other, &mut whole.slice_mut(10..20), 3, 0, slow(device)).unwrap();
    append(&third, &mut copy.slice_mut(..10), &whole.slice(15..25), slow(device)).unwrap();
    affine(stream, &mut whole.slice_mut(18..40), 5, 0, 0).unwrap();
    let expected = [[2; 10].as_slice(), &[6; 8], &[30; 2], &[10; 20], &[2; 24]].concat();
    assert_eq!(
        (copy.to_vec().unwrap(), whole.to_vec().unwrap()),
        ([[6; 5].as_slice(), &[2; 5], &[0; N - 10]].concat(), expected)
    );
}

/// Two streams write the halves of one buffer, a third stream reads the whole.
pub fn halves_of_a_split(device: &Device, stream: &Stream) {
    let (other, third) = (device.new_stream().unwrap(), device.new_stream().unwrap());
    let (ones, twos) = (filled(device, 1), filled(device, 2));
    let mut whole = device.zeros::<u32>(2 * N).unwrap();
    let mut copy = device.zeros::<u32>(2 * N).unwrap();
    for _ in 0..3 {
        let (mut lo, mut hi) = whole.split_at_mut(N);
        slow_copy(stream, &mut lo, &ones, slow(device)).unwrap();
        slow_copy(&other, &mut hi, &twos, slow(device)).unwrap();
        slow_copy(&third, &mut copy.slice_mut(..N), &whole.slice(..N), 0).unwrap();
        slow_copy(&third, &mut copy.slice_mut(N..), &whole.slice(N..), 0).unwrap();
        assert_eq!(copy.to_vec().unwrap(), [[1; N], [2; N]].concat());
        whole.fill_async(&third, 0).unwrap();
        copy.fill_async(stream, 0).unwrap();
    }
}

/// Memory that is given back while launches use it is not given to anyone before they are done.
pub fn buffers_dropped_while_in_use(device: &Device, stream: &Stream) {
    let other = device.new_stream().unwrap();
    let mut b = filled(device, 0);
    for value in 1..10 {
        let (mut a, start) = (filled(device, 0), filled(device, value));
        slow_copy(stream, &mut a, &start, slow(device)).unwrap();
        slow_copy(&other, &mut b, &a, slow(device)).unwrap();
        drop((a, start));
        let mut others: Vec<_> = (0..20).map(|_| device.zeros::<u32>(N).unwrap()).collect();
        others.iter_mut().for_each(|other| other.fill_async(stream, 77).unwrap());
        assert_eq!(b.to_vec().unwrap(), [value; N]);
        others.iter().for_each(|other| assert_eq!(other.to_vec().unwrap(), [77; N]));
    }
    // A stream that goes before its work is done.
    let short = device.new_stream().unwrap();
    slow_copy(&short, &mut b, &filled(device, 3), slow(device)).unwrap();
    drop(short);
    assert_eq!(b.to_vec().unwrap(), [3; N]);
}

/// Without a buffer in common, an event is what orders two streams.
pub fn events_order_streams(device: &Device, stream: &Stream) {
    let other = device.new_stream().unwrap();
    let (mut a, mut b) = (device.buffer_from(&[1u32]).unwrap(), device.zeros::<u32>(0).unwrap());
    let start = stream.record().unwrap();
    groups::spin_serial(stream, &mut a, &mut b, slow(device)).unwrap();
    let end = stream.record().unwrap();
    other.wait(&end).unwrap();
    let behind = other.record().unwrap();
    behind.synchronize().unwrap();
    assert!(end.is_complete().unwrap(), "the stream has waited for the event");
    assert!(behind.elapsed_since(&start).unwrap() >= end.elapsed_since(&start).unwrap());
    stream.synchronize().unwrap();
    assert!(stream.is_idle().unwrap() && other.is_idle().unwrap());
}

pub fn prepared_kernels(device: &Device, stream: &Stream) {
    ping_pong::prepare(device).unwrap();
    ping_pong::prepare(device).unwrap();
    let (mut a, mut b) = (filled(device, 1), filled(device, 1));
    ping_pong(stream, &mut a, &mut b, 1).unwrap();
    assert_eq!(a.to_vec().unwrap(), [3; N]);
}
