//! The streams that groups run on.

use anabranch::prelude::*;
use anabranch_tests::gpus;
use anabranch_tests::kernels::groups::{many_groups, nested, ping_pong};
use anabranch_tests::kernels::order::fan_out;

use crate::{gpu, in_child};

#[test]
fn a_steady_state_creates_no_stream() {
    let Some(gpu) = gpu() else { return };
    let (device, stream) = (gpu.device(), gpu.device().default_stream());
    let mut x = device.zeros::<u32>(60).unwrap();
    let mut run = || {
        many_groups(&stream, &mut x, 10).unwrap();
        stream.synchronize().unwrap();
    };
    run();
    let before = device.stream_pool().stats();
    (0..100).for_each(|_| run());
    let after = device.stream_pool().stats();
    assert_eq!((after.created, after.idle, after.shared), (before.created, before.idle, before.shared));
    assert_eq!((after.acquired, after.in_use), (before.acquired + 600, 0));
}

/// Nothing waits for the device, so groups of many launches are under way at a time.
#[test]
fn a_queue_of_forks_takes_few_streams() {
    in_child("pool::a_queue_of_forks_takes_few_streams", &[], || {
        let device = gpus::gpu(0).unwrap();
        let mut x = device.zeros::<u32>(60).unwrap();
        (0..500).for_each(|_| many_groups(&device.default_stream(), &mut x, 10).unwrap());
        let stats = device.stream_pool().stats();
        assert_eq!((stats.created, stats.acquired, stats.shared), (6, 3000, 0), "{stats:?}");
        let expected: Vec<u32> = (0..60).map(|i| 500 * (i / 10 + 1)).collect();
        assert_eq!(x.to_vec().unwrap(), expected);
    });
}

#[test]
fn the_pool_grows_to_its_cap_and_not_beyond() {
    in_child("pool::the_pool_grows_to_its_cap_and_not_beyond", &[], || {
        let device = gpus::gpu(0).unwrap();
        let streams: Vec<Stream> = (0..40).map(|_| device.new_stream().unwrap()).collect();
        let work = || (device.zeros::<u32>(16).unwrap(), device.zeros::<u32>(8 * 16).unwrap());
        let mut buffers: Vec<_> = streams.iter().map(|_| work()).collect();
        for (stream, (source, out)) in streams.iter().zip(&mut buffers) {
            fan_out(stream, source, out, [10_000; 8]).unwrap();
        }
        let stats = device.stream_pool().stats();
        assert!((9..=32).contains(&stats.created) && stats.acquired == 320, "{stats:?}");
        buffers.iter().for_each(|(_, out)| assert_eq!(out.to_vec().unwrap()[16 * 7], 9));
    });
}

/// c10's pool gives a stream to two users and says nothing. Here that happens at the cap only, and
/// is counted.
#[test]
fn groups_below_the_cap_have_streams_of_their_own() {
    in_child("pool::groups_below_the_cap_have_streams_of_their_own", &[("ANABRANCH_MAX_STREAMS", "8")], || {
        let device = gpus::gpu(0).unwrap();
        let (stream, delays) = (device.default_stream(), [10_000; 8]);
        let (mut source, mut out) = (device.zeros::<u32>(16).unwrap(), device.zeros::<u32>(8 * 16).unwrap());
        fan_out(&stream, &mut source, &mut out, delays).unwrap();
        let stats = device.stream_pool().stats();
        assert_eq!((stats.created, stats.high_water, stats.acquired, stats.shared), (8, 8, 8, 0), "{stats:?}");
        stream.synchronize().unwrap();
        let (mut source, mut out) = (device.zeros::<u32>(16).unwrap(), device.zeros::<u32>(8 * 16).unwrap());
        fan_out(&stream, &mut source, &mut out, delays).unwrap();
        let stats = device.stream_pool().stats();
        assert_eq!((stats.created, stats.shared, out.to_vec().unwrap()[16 * 7]), (8, 0, 9), "{stats:?}");
    });
}

#[test]
fn trim_gives_idle_streams_back_and_groups_work_on() {
    let Some(gpu) = gpu() else { return };
    let (device, stream) = (gpu.device(), gpu.device().default_stream());
    let (mut a, mut b) = (device.zeros::<u32>(9).unwrap(), device.zeros::<u32>(9).unwrap());
    ping_pong(&stream, &mut a, &mut b, 1).unwrap();
    stream.synchronize().unwrap();
    assert!(device.stream_pool().stats().idle >= 2);
    device.stream_pool().trim();
    assert_eq!(device.stream_pool().stats().idle, 0);
    let created = device.stream_pool().stats().created;
    ping_pong(&stream, &mut a, &mut b, 1).unwrap();
    assert_eq!((a.to_vec().unwrap(), device.stream_pool().stats().created), (vec![2; 9], created + 2));
}

#[test]
fn more_groups_than_streams() {
    in_child("pool::more_groups_than_streams", &[("ANABRANCH_MAX_STREAMS", "2")], || {
        let device = gpus::gpu(0).unwrap();
        let stream = device.default_stream();
        let mut x = device.zeros::<u32>(60).unwrap();
        for _ in 0..50 {
            many_groups(&stream, &mut x, 10).unwrap();
        }
        let expected: Vec<u32> = (0..60).map(|i| 50 * (i / 10 + 1)).collect();
        assert_eq!(x.to_vec().unwrap(), expected);
        let stats = device.stream_pool().stats();
        // Six groups hold streams at a time, so four of them share in every launch.
        assert!(stats.created == 2 && stats.high_water == 2 && stats.shared >= 200, "{stats:?}");
        assert_eq!((stats.acquired, stats.in_use, stats.idle), (300, 0, 2));
        // A group that forks itself, when all streams are held.
        let (mut x, mut y) = (device.zeros::<f32>(10).unwrap(), device.zeros::<f32>(5).unwrap());
        nested(&stream, &mut x, &mut y, 6).unwrap();
        assert_eq!(x.to_vec().unwrap()[..7], [10.75, 10.625, 10.625, 100.625, 100.625, 100.625, 1000.625]);
    });
}

#[test]
fn a_wrong_cap_is_told() {
    in_child("pool::a_wrong_cap_is_told", &[("ANABRANCH_MAX_STREAMS", "none")], || {
        let error = gpus::gpu(0).unwrap_err().to_string();
        assert!(error.contains("ANABRANCH_MAX_STREAMS") && error.contains("none"), "{error}");
    });
}
