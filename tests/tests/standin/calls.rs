//! Which calls of the driver a launch makes, exactly: one too few is a wait that is missing, one
//! too many costs time.

use std::panic::Location;

use anabranch::prelude::*;
use anabranch::private::locks_in;
use anabranch_tests::gpus::on_hip;
use anabranch_tests::kernels::groups::{many_groups, ping_pong};
use anabranch_tests::kernels::order::{
    affine, affine_pair, append, back_to_back, before_between_after, diamond, exchange, fan_in, fan_out, idle_groups,
    inner_join, loops_in_order, one_group,
};
use anabranch_tests::kernels::ranges::out_of_bounds;
use anabranch_tests::kernels::slices::{Planes, blended};

use crate::heap;
use crate::hooks::{StandIn, in_child, standin};

const N: usize = 32;

/// Runs twice, and counts the calls of the second time: `(function, how often)`, all others never
/// but those that do not count.
#[track_caller]
fn check(standin: &StandIn, mut run: impl FnMut(), expected: &[(&str, u64)]) {
    run();
    standin.reset_calls();
    run();
    for &(function, calls) in expected {
        assert_eq!(standin.calls(function), calls, "{function}");
    }
    let sum: u64 = expected.iter().map(|(_, calls)| calls).sum();
    assert_eq!(standin.all_calls(), sum, "other calls than {expected:?}");
}

/// One fork; for each group a wait, its loops, a record; a wait for each group.
#[test]
fn groups_are_forked_and_joined_by_events_alone() {
    let Some(standin) = standin() else { return };
    let device = standin.device();
    let stream = device.default_stream();
    let [mut x, mut y, mut p, mut q] = std::array::from_fn(|_| device.zeros::<u32>(6 * N).unwrap());
    let mut many = || {
        many_groups(&stream, &mut x, N).unwrap();
        stream.synchronize().unwrap();
    };
    check(
        &standin,
        &mut many,
        &[("cuEventRecord", 7), ("cuStreamWaitEvent", 12), ("cuLaunchKernel", 6), ("cuStreamSynchronize", 1)],
    );
    let alone = || {
        one_group(&stream, &mut y, 0).unwrap();
        stream.synchronize().unwrap();
    };
    check(
        &standin,
        alone,
        &[("cuEventRecord", 2), ("cuStreamWaitEvent", 2), ("cuLaunchKernel", 3), ("cuStreamSynchronize", 1)],
    );
    // Three blocks stay three.
    let adjacent = || {
        back_to_back(&stream, &mut x, &mut y, &mut p, &mut q, 0).unwrap();
        stream.synchronize().unwrap();
    };
    check(
        &standin,
        adjacent,
        &[("cuEventRecord", 9), ("cuStreamWaitEvent", 12), ("cuLaunchKernel", 6), ("cuStreamSynchronize", 1)],
    );
}

/// A panic is reported when our own streams are at rest; what other libraries have queued, which
/// may never end, is not waited for. Before and behind it, waiting is one call.
#[test]
fn a_report_waits_for_our_own_streams_alone() {
    let Some(standin) = standin() else { return };
    let device = standin.device();
    let streams: [Stream; 3] = std::array::from_fn(|_| device.new_stream().unwrap());
    let (mut x, nothing) = (device.zeros::<u32>(N).unwrap(), device.zeros::<u32>(0).unwrap());
    for _ in 0..2 {
        out_of_bounds(&streams[0], &mut x, &nothing, 0).unwrap();
        standin.reset_calls();
        assert!(matches!(
            streams[1].synchronize().and_then(|()| streams[0].synchronize()),
            Err(Error::KernelPanic { .. })
        ));
        assert_eq!(standin.calls("cuCtxSynchronize"), 0);
        // Besides those two calls, for each of ours; and for the copy that makes the record ready
        // again.
        assert!(standin.calls("cuStreamSynchronize") > standin.live("stream"));
        standin.reset_calls();
        streams[0].synchronize().unwrap();
        assert_eq!(standin.all_calls(), 1);
    }
    drop((streams, x, nothing, device));
    standin.nothing_is_left();
}

/// Work on one stream costs no wait; of a change of streams each use costs one, and the second
/// reader of one launch none.
#[test]
fn only_a_change_of_streams_costs_a_wait() {
    let Some(standin) = standin() else { return };
    let device = standin.device();
    let [one, two] = std::array::from_fn(|_| device.new_stream().unwrap());
    let [mut x, mut y, mut z] = std::array::from_fn(|_| device.zeros::<u32>(N).unwrap());
    let same = || {
        affine(&one, &mut x, 3, 1, 0).unwrap();
        append(&one, &mut y, &x, 0).unwrap();
        y.fill_async(&one, 1).unwrap();
    };
    check(&standin, same, &[("cuLaunchKernel", 2), ("cuMemsetD32Async", 1)]);
    let there_and_back = || {
        affine(&one, &mut x, 3, 1, 0).unwrap();
        affine(&two, &mut x, 3, 1, 0).unwrap();
    };
    check(&standin, there_and_back, &[("cuEventRecord", 2), ("cuStreamWaitEvent", 2), ("cuLaunchKernel", 2)]);
    let two_arguments = || {
        affine_pair(&one, &mut x, &mut y, 3, 1, 0).unwrap();
        append(&two, &mut x, &y, 0).unwrap();
        append(&two, &mut z, &y, 0).unwrap();
        two.synchronize().unwrap(); // so that the streams of the groups are at rest
    };
    // Of the groups 3 and 4; the two arguments there and here are a change each, the last launch
    // none.
    check(
        &standin,
        two_arguments,
        &[("cuEventRecord", 5), ("cuStreamWaitEvent", 6), ("cuLaunchKernel", 4), ("cuStreamSynchronize", 1)],
    );
    let (mut lo, mut hi) = x.split_at_mut(N / 2);
    let halves = || {
        affine(&one, &mut lo, 3, 1, 0).unwrap();
        affine(&two, &mut hi, 3, 1, 0).unwrap();
    };
    check(&standin, halves, &[("cuLaunchKernel", 2)]);
    drop((one, two, x, y, z, device));
    standin.nothing_is_left();
}

/// A copy from or to pinned memory is one call and one event behind it, a copy between buffers and
/// a fill one call; touching waits for events that are not known to be complete, and an order
/// between streams costs what it costs a launch. Nothing is made but one allocation a copy, of the
/// host's.
#[test]
fn copies_in_steady_state() {
    let Some(standin) = standin() else { return };
    let device = standin.device();
    let [one, two] = std::array::from_fn(|_| device.new_stream().unwrap());
    let [mut x, mut y] = std::array::from_fn(|_| device.zeros::<u32>(N).unwrap());
    let [mut from, mut to] = std::array::from_fn(|_| device.pinned::<u32>(N).unwrap());
    let there_and_back = || {
        from.as_mut_slice().unwrap()[0] += 1;
        x.copy_from_async(&one, &from).unwrap();
        affine(&one, &mut x, 3, 1, 0).unwrap();
        x.copy_to_async(&one, &mut to).unwrap();
        assert_eq!(to.as_slice().unwrap()[0], 3 * from.as_slice().unwrap()[0] + 1);
        assert_eq!(to.as_slice().unwrap().len(), N);
    };
    check(
        &standin,
        there_and_back,
        &[
            ("cuMemcpyHtoDAsync", 1),
            ("cuMemcpyDtoHAsync", 1),
            ("cuLaunchKernel", 1),
            ("cuEventRecord", 2),
            ("cuEventSynchronize", 2),
        ],
    );
    let between = || {
        y.copy_from_buffer_async(&one, &x).unwrap();
        y.slice_mut(..N / 2).fill_async(&one, 1).unwrap();
    };
    check(&standin, between, &[("cuMemcpyDtoDAsync", 1), ("cuMemsetD32Async", 1)]);
    // Of the pinned memory one wait, on the event behind the copy; of the buffers none.
    let handed_over = || {
        x.copy_to_async(&one, &mut to).unwrap();
        y.copy_from_async(&two, &to).unwrap();
        x.fill_async(&one, 1).unwrap();
        two.synchronize().unwrap();
        y.to_vec().unwrap();
        to.as_mut_slice().unwrap();
    };
    check(
        &standin,
        handed_over,
        &[
            ("cuMemcpyHtoDAsync", 1),
            ("cuMemcpyDtoHAsync", 2),
            ("cuMemsetD32Async", 1),
            ("cuEventRecord", 3),
            ("cuStreamWaitEvent", 2),
            ("cuEventSynchronize", 2),
            ("cuStreamSynchronize", 2),
            ("cuStreamQuery", 1), // whether the stream that `to_vec` copies on is at rest
        ],
    );
    x.copy_from_async(&one, &from).unwrap();
    let allocations = heap::allocations();
    for _ in 0..10 {
        x.copy_from_async(&one, &from).unwrap();
    }
    assert_eq!(heap::allocations() - allocations, 10);
    drop((one, two, x, y, from, to, device));
    standin.nothing_is_left();
}

/// Events of the user come from a pool; a priority range, a thread or a wait cost nothing on top.
#[test]
fn events_are_used_again() {
    let Some(standin) = standin() else { return };
    let device = standin.device();
    let [one, two] = std::array::from_fn(|_| device.new_stream().unwrap());
    let run = || {
        for _ in 0..10 {
            let event = one.record().unwrap();
            two.wait(&event).unwrap();
            two.wait(&event).unwrap();
        }
    };
    check(&standin, run, &[("cuEventRecord", 10), ("cuStreamWaitEvent", 20)]);
    assert_eq!(standin.live("event"), 1);
}

/// A launch in steady state: with blocks of so many groups and so many loops in all, what it calls
/// is exactly the fork and the done events, a wait for each, and the loops; at most one query a
/// group, and the question which context is current, once.
struct Shape<'a> {
    name: &'a str,
    blocks: &'a [u64],
    loops: u64,
    launch: &'a mut dyn FnMut(&Stream) -> anabranch::Result<()>,
}

fn check_shape(standin: &StandIn, stream: &Stream, Shape { name, blocks, loops, launch }: Shape<'_>) {
    // Once to load the kernel, and once on a device that stands still: then there are as many
    // streams as it can ever use at a time.
    for held in [false, true] {
        standin.hold(held);
        launch(stream).unwrap();
        standin.hold(false);
        stream.synchronize().unwrap();
    }
    standin.reset_calls();
    let allocations = heap::allocations();
    launch(stream).unwrap();
    let allocations = heap::allocations() - allocations;
    let called = standin.called();
    stream.synchronize().unwrap();
    let locks = locks_in(|| launch(stream).unwrap());
    stream.synchronize().unwrap();
    let groups: u64 = blocks.iter().sum();
    let wanted =
        [("cuEventRecord", blocks.len() as u64 + groups), ("cuStreamWaitEvent", 2 * groups), ("cuLaunchKernel", loops)];
    let calls = |function| called.iter().find(|(name, _)| name == function).map_or(0, |(_, calls)| *calls);
    let queries = calls("cuStreamQuery");
    let [records, waits, launches] = wanted.map(|(function, _)| calls(function));
    let shape = format!("{blocks:?}");
    println!(
        "| {name:<22} | {shape:<11} | {loops:>5} | {records:>7} | {waits:>5} | {launches:>8} | {queries:>7} | {:>5} | {allocations:>6} |",
        locks.len()
    );
    for (function, count) in wanted {
        assert_eq!(calls(function), count, "{name}: {function}");
    }
    assert!(queries <= groups, "{name}: {queries} queries");
    let known = [&wanted.map(|(function, _)| function)[..], &["cuStreamQuery"], StandIn::ignored()].concat();
    let other: Vec<_> = called.iter().filter(|(name, _)| !known.contains(&&name[..])).collect();
    assert!(other.is_empty(), "{name}: {other:?}");
    assert_eq!(allocations, 0, "{name}: allocations");
    // Each fork takes streams and an event from their pools, and gives them back.
    no_lock_more_than(1.max(2 * blocks.len()), name, &locks);
}

/// The locks of a launch, which a debug build lists.
fn no_lock_more_than(most: usize, name: &str, locks: &[(usize, &'static Location<'static>)]) {
    assert!(!locks.is_empty() || !cfg!(debug_assertions), "{name}: locks are listed");
    for (lock, _) in locks {
        let places: Vec<_> = locks.iter().filter(|taken| taken.0 == *lock).map(|taken| taken.1).collect();
        assert!(places.len() <= most, "{name}: a lock is taken at {places:?}");
    }
}

fn check_shapes(standin: &StandIn) {
    println!(
        "| kernel                 | groups      | loops | records | waits | launches | queries | locks | allocs |"
    );
    println!(
        "|------------------------|-------------|-------|---------|-------|----------|---------|-------|--------|"
    );
    let device = standin.device();
    let stream = device.default_stream();
    let [mut x, mut y, mut z, mut w] = std::array::from_fn(|_| device.zeros::<u32>(6 * N).unwrap());
    let mut parts = device.zeros::<u32>(8 * 6 * N).unwrap();
    let check = |name, blocks, loops, launch: &mut dyn FnMut(&Stream) -> anabranch::Result<()>| {
        check_shape(standin, &stream, Shape { name, blocks, loops, launch });
    };
    check("affine", &[], 1, &mut |s| affine(s, &mut x, 3, 1, 0));
    check("one_group", &[1], 3, &mut |s| one_group(s, &mut x, 0));
    check("affine_pair", &[2], 2, &mut |s| affine_pair(s, &mut x, &mut y, 3, 1, 0));
    check("fan_out", &[8], 9, &mut |s| fan_out(s, &mut x, &mut parts, [0; 8]));
    check("many_groups", &[6], 6, &mut |s| many_groups(s, &mut x, N));
    check("fan_in", &[5], 6, &mut |s| fan_in(s, &mut parts, &mut x, [0; 8]));
    check("loops_in_order", &[2], 10, &mut |s| loops_in_order(s, &mut x, &mut y, 0));
    check("back_to_back", &[2, 2, 2], 6, &mut |s| back_to_back(s, &mut x, &mut y, &mut z, &mut w, 0));
    check("before_between_after", &[2, 2], 7, &mut |s| before_between_after(s, &mut x, &mut y, &mut z, 0));
    check("inner_join (nested)", &[2, 2], 6, &mut |s| inner_join(s, &mut x, &mut y, &mut z, 0));
    check("ping_pong (host loop)", &[2, 2, 2], 9, &mut |s| ping_pong(s, &mut x, &mut y, 3));
    let graph = stream.capture(|s| back_to_back(s, &mut x, &mut y, &mut z, &mut w, 0)).unwrap();
    graph.launch(&stream).unwrap();
    let before = heap::allocations();
    graph.launch(&stream).unwrap();
    assert_eq!(heap::allocations(), before, "a graph allocates");
    // Other work with its buffers is locked out meanwhile.
    no_lock_more_than(2, "a graph", &locks_in(|| graph.launch(&stream).unwrap()));
    let mut red = device.zeros::<f32>(N).unwrap();
    let mut green = device.zeros::<f32>(N).unwrap();
    let mask = device.zeros::<u8>(N).unwrap();
    check("blended (struct)", &[2], 4, &mut |s| {
        let planes = Planes { red: (&mut red).into(), green: (&mut green).into(), mask: (&mask).into(), by: 1.0 };
        blended(s, planes, N)
    });
    check("idle_groups", &[3, 2], 3, &mut |s| idle_groups(s, &mut x, &mut y, &mut z, true, 0));
    check("diamond", &[4, 4], 12, &mut |s| diamond(s, &mut x, &mut parts, [0; 8]));
    check("exchange", &[6, 6], 12, &mut |s| exchange(s, &mut x, &mut y, [0; 8]));
    drop((graph, x, y, z, w, parts, red, green, mask, stream, device));
    standin.nothing_is_left();
}

/// Of B blocks with G groups in all and L loops: B + G records, 2 G waits, L launches.
#[test]
fn every_shape_of_fork_and_join() {
    let Some(standin) = standin() else { return };
    check_shapes(&standin);
}

/// A replay in steady state is one call of the driver, of whatever shape; a change of streams one
/// hand-over more.
#[test]
fn a_replay_is_one_call() {
    let Some(standin) = standin() else { return };
    let device = standin.device();
    let [one, two] = std::array::from_fn(|_| device.new_stream().unwrap());
    let [mut x, mut y, mut z, mut w] = std::array::from_fn(|_| device.zeros::<u32>(6 * N).unwrap());
    let graph = one
        .capture(|s| {
            inner_join(s, &mut x, &mut y, &mut z, 0)?;
            many_groups(s, &mut x, N)?;
            back_to_back(s, &mut x, &mut y, &mut z, &mut w, 0)?;
            y.fill_async(s, 1)
        })
        .unwrap();
    assert_eq!(graph.stats().sub_kernels, 18);
    let mut allocations = 0;
    let replay = || {
        let before = heap::allocations();
        graph.launch(&one).unwrap();
        allocations = heap::allocations() - before;
    };
    check(&standin, replay, &[("cuGraphLaunch", 1)]);
    assert_eq!(allocations, 0);
    let there_and_back = || {
        graph.launch(&one).unwrap();
        graph.launch(&two).unwrap();
    };
    check(&standin, there_and_back, &[("cuGraphLaunch", 2), ("cuEventRecord", 2), ("cuStreamWaitEvent", 2)]);
    // A kernel before and behind it on the same stream costs nothing more.
    let between = || {
        affine(&one, &mut x, 3, 1, 0).unwrap();
        graph.launch(&one).unwrap();
        affine(&one, &mut x, 3, 1, 0).unwrap();
    };
    check(&standin, between, &[("cuGraphLaunch", 1), ("cuLaunchKernel", 2)]);
    drop((graph, one, two, x, y, z, w, device));
    standin.nothing_is_left();
}

/// What the driver has captured is what the graph says of itself.
#[test]
fn a_capture_gives_everything_back() {
    let Some(standin) = standin() else { return };
    let device = standin.device();
    let stream = device.default_stream();
    let [mut x, mut y, mut z] = std::array::from_fn(|_| device.zeros::<u32>(6 * N).unwrap());
    // Groups of one place share their streams: two of the outer block, two of the inner one, and
    // that of the capture. HIP's exist as long as the device, and the next capture has them.
    let streams = if on_hip() { [0, 0] } else { [5, 5] };
    drop(stream.capture(|s| inner_join(s, &mut x, &mut y, &mut z, 0)).unwrap());
    for shares in [false, true] {
        let before = [standin.live("stream"), standin.live("graph")];
        let graph = stream.capture(|s| {
            for _ in 0..20 {
                inner_join(s, &mut x, &mut y, &mut z, 0)?;
            }
            if shares { Ok(()) } else { Err(Error::CaptureFailed) }
        });
        assert_eq!(graph.is_ok(), shares);
        assert_eq!([standin.live("stream"), standin.live("graph")], before);
        assert_eq!(standin.live("executable graph"), u64::from(shares));
        standin.reset_calls();
        drop(stream.capture(|s| (0..20).try_for_each(|_| inner_join(s, &mut x, &mut y, &mut z, 0))).unwrap());
        assert_eq!([standin.calls("cuStreamCreateWithPriority"), standin.calls("cuStreamDestroy")], streams);
    }
    drop((x, y, z, stream, device));
    standin.nothing_is_left();
}

/// That groups share streams costs nothing.
#[test]
fn every_shape_of_fork_and_join_with_fewer_streams_than_groups() {
    in_child(
        "calls::every_shape_of_fork_and_join_with_fewer_streams_than_groups",
        &[("ANABRANCH_MAX_STREAMS", "2")],
        check_shapes,
    );
}
