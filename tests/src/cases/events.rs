//! Streams and events by themselves: what an event says of the work before it, and who waits for
//! it.

use std::time::Duration;

use anabranch::prelude::*;

use super::slow;
use crate::kernels::order::{affine, affine_pair};

const N: usize = 64;

/// A launch that takes its time, on memory of its own, and the event behind it.
fn busy(device: &Device, stream: &Stream) -> Event {
    affine(stream, &mut device.zeros::<u32>(N).unwrap(), 3, 1, slow(device)).unwrap();
    stream.record().unwrap()
}

/// What is queued on `stream` from now on comes after `event`, which nobody has waited for.
#[track_caller]
fn is_behind(stream: &Stream, event: &Event) {
    let now = stream.record().unwrap();
    now.synchronize().unwrap();
    assert!(event.is_complete().unwrap(), "the stream has not waited for the event");
    assert!(event.elapsed_since(&now).unwrap() == Duration::ZERO, "the event is later than what waits for it");
}

/// With nothing queued, and before what is queued is done; in every order.
pub fn handles_come_and_go(device: &Device, stream: &Stream) {
    for round in 0..8 {
        let own = device.new_stream().unwrap();
        let early = own.record().unwrap();
        let late = if round % 2 == 0 { busy(device, &own) } else { own.record().unwrap() };
        stream.wait(&late).unwrap();
        let again = (own.clone(), late.clone());
        match round / 2 {
            0 => drop((own, early, late)),
            1 => drop((late, early, own)),
            2 => drop((early, own, late)),
            _ => drop((late, own, early)),
        }
        assert!(again.0.record().unwrap().elapsed_since(&again.1).is_ok(), "a clone is as good");
        is_behind(stream, &again.1);
    }
    stream.synchronize().unwrap();
}

/// For all of its streams, and for none in a capture.
pub fn the_host_waits_for_the_device(device: &Device, stream: &Stream) {
    let other = device.new_stream().unwrap();
    let ends = [busy(device, stream), busy(device, &other), busy(device, &device.default_stream())];
    device.synchronize().unwrap();
    assert!(ends.iter().all(|end| end.is_complete().unwrap()), "the device works on");
    let mut x = device.zeros::<u32>(N).unwrap();
    let graph = stream.capture(|s| {
        let told = device.synchronize();
        let Err(Error::NotCapturable { what, .. }) = told else { panic!("{told:?}") };
        assert_eq!(what, "a synchronization of the device");
        affine(s, &mut x, 3, 1, 0)
    });
    graph.unwrap().launch(stream).unwrap();
    device.synchronize().unwrap();
    assert!(stream.is_idle().unwrap());
}

pub fn two_streams_and_the_default_one(device: &Device, stream: &Stream) {
    let default = device.default_stream();
    let streams = [default.clone(), device.new_stream().unwrap(), device.new_stream().unwrap(), stream.clone()];
    let mut buffers: Vec<_> = (0..4u32).map(|k| device.buffer_from(&[k; N]).unwrap()).collect();
    for (stream, x) in streams.iter().zip(&mut buffers) {
        affine(stream, x, 10, 1, slow(device)).unwrap();
        assert_eq!(stream.device().to_string(), device.to_string());
    }
    for (stream, (k, x)) in streams.iter().zip(buffers.iter().enumerate()) {
        stream.synchronize().unwrap();
        assert!(stream.is_idle().unwrap());
        assert_eq!(x.to_vec().unwrap(), [10 * k as u32 + 1; N]);
    }
    assert_eq!(default.as_raw(), device.default_stream().as_raw(), "always the same");
    let distinct = streams[..3].iter().map(Stream::as_raw).collect::<std::collections::HashSet<_>>().len();
    assert_eq!(distinct, if device.is_cpu() { 1 } else { 3 });
}

/// In both directions, also behind a second wait.
pub fn streams_wait_for_streams(device: &Device, stream: &Stream) {
    let (first, second) = (device.new_stream().unwrap(), device.new_stream().unwrap());
    for (waiter, earlier) in [(&second, &first), (stream, &first), (&first, stream), (stream, stream)] {
        let event = busy(device, earlier);
        waiter.wait(&event).unwrap();
        waiter.wait(&event).unwrap();
        is_behind(waiter, &event);
    }
    // Through a third one that does nothing else.
    let event = busy(device, &first);
    stream.wait(&event).unwrap();
    second.wait(&stream.record().unwrap()).unwrap();
    is_behind(&second, &event);
}

/// For it, and for nothing behind it.
pub fn the_host_waits_for_an_event(device: &Device, stream: &Stream) {
    let first = busy(device, stream);
    let behind = busy(device, stream);
    first.synchronize().unwrap();
    first.synchronize().unwrap();
    assert!(first.is_complete().unwrap());
    behind.synchronize().unwrap();
    assert!(behind.is_complete().unwrap() && stream.is_idle().unwrap());
}

/// Several streams wait for one event, and one of them again after the event is complete.
pub fn an_event_gates_everyone_who_waits(device: &Device, stream: &Stream) {
    let waiters = [device.new_stream().unwrap(), device.new_stream().unwrap(), device.new_stream().unwrap()];
    let event = busy(device, stream);
    waiters.iter().for_each(|waiter| waiter.wait(&event).unwrap());
    waiters.iter().rev().for_each(|waiter| is_behind(waiter, &event));
    waiters[0].wait(&event).unwrap();
    is_behind(&waiters[0], &event);
}

pub fn of_two_events_of_a_stream_the_last_counts(device: &Device, stream: &Stream) {
    let other = device.new_stream().unwrap();
    let first = busy(device, stream);
    let second = busy(device, stream);
    other.wait(&first).unwrap();
    other.wait(&second).unwrap();
    is_behind(&other, &second);
    assert!(first.is_complete().unwrap() && first.elapsed_since(&second).unwrap() == Duration::ZERO);
}

/// An event that is given back is recorded again for somebody else; who has waited for it waits for
/// what it was.
pub fn a_wait_outlives_its_event(device: &Device, stream: &Stream) {
    let [waiter, other, third] = std::array::from_fn(|_| device.new_stream().unwrap());
    for _ in 0..3 {
        let marker = busy(device, stream);
        waiter.wait(&stream.record().unwrap()).unwrap();
        let recorded_anew = third.record().unwrap();
        other.wait(&recorded_anew).unwrap();
        is_behind(&waiter, &marker);
        is_behind(&other, &recorded_anew);
    }
}

/// Never below zero, longer where more lies between, and of a stream's own clock.
pub fn times(device: &Device, stream: &Stream) {
    let start = stream.record().unwrap();
    let middle = busy(device, stream);
    let end = busy(device, stream);
    let time = |from: &Event, to: &Event| to.elapsed_since(from).unwrap();
    assert_eq!((time(&start, &start), time(&end, &start)), (Duration::ZERO, Duration::ZERO));
    assert!(time(&start, &end) >= time(&start, &middle) && time(&start, &end) >= time(&middle, &end));
    assert!(device.is_cpu() || time(&start, &middle) > Duration::ZERO);
    assert!(time(&start, &end) < Duration::from_secs(60));
}

/// Groups included, whose streams have the priority of the stream they are launched on.
pub fn priorities(device: &Device, stream: &Stream) {
    let levels = [Priority::Low, Priority::Normal, Priority::High];
    let streams = levels.map(|level| device.new_stream_with_priority(level).unwrap());
    let (mut x, mut y) = (device.zeros::<u32>(N).unwrap(), device.zeros::<u32>(N).unwrap());
    for stream in streams.iter().chain([stream]) {
        affine_pair(stream, &mut x, &mut y, 3, 2, slow(device) / 10).unwrap();
    }
    let after = |a, b| (0..4).fold(0u32, |x, _| x * a + b);
    assert_eq!((x.to_vec().unwrap(), y.to_vec().unwrap()), (vec![after(3, 2); N], vec![after(2, 3); N]));
}

/// Every object works on when the handle of the device is gone, and goes in any order.
pub fn handles_outlive_the_one_of_the_device(device: &Device, _: &Stream) {
    for order in 0..3 {
        let handle = device.clone();
        let (stream, mut x) = (handle.new_stream().unwrap(), handle.buffer_from(&[1u32; N]).unwrap());
        let (pool, other) = (handle.stream_pool(), handle.new_stream().unwrap());
        drop(handle);
        affine(&stream, &mut x, 2, 1, slow(device)).unwrap();
        let event = stream.record().unwrap();
        other.wait(&event).unwrap();
        pool.trim();
        match order {
            0 => drop((stream, event, other)),
            1 => drop((other, event, stream)),
            _ => drop((event, other, stream)),
        }
        assert_eq!(x.to_vec().unwrap(), [3; N]);
    }
}
