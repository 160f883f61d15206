//! Many launches and copies leave memory, streams and events as they were.

use std::time::Instant;

use anabranch_tests::kernels::order::{affine, affine_pair, append, inner_join};

use crate::heap;
use crate::hooks::standin;

const N: usize = 16;

/// Launches with and without groups, replays, hand-overs between streams, buffers, streams, events
/// and graphs that come and go. As many as `ANABRANCH_LAUNCHES` says.
#[test]
fn launches_leave_everything_flat() {
    let Some(standin) = standin() else { return };
    let launches = std::env::var("ANABRANCH_LAUNCHES").map_or(20_000, |launches| launches.parse().unwrap());
    let device = standin.device();
    let streams: [_; 3] = std::array::from_fn(|_| device.new_stream().unwrap());
    let [mut x, mut y, mut z] = std::array::from_fn(|_| device.zeros::<u32>(N).unwrap());
    let mut captured = device.zeros::<u32>(N).unwrap();
    let graph = streams[0].capture(|s| affine_pair(s, &mut captured, &mut z, 3, 1, 0)).unwrap();
    let mut host = device.pinned::<u32>(N).unwrap();
    let mut one_round = |round: usize| {
        graph.launch(&streams[round % 3]).unwrap();
        let [one, two, three] = std::array::from_fn(|k| &streams[(round + k) % 3]);
        affine_pair(one, &mut x, &mut y, 3, 1, 0).unwrap();
        affine(two, &mut x, 5, 1, 0).unwrap();
        append(three, &mut y, &x, 0).unwrap();
        inner_join(one, &mut x, &mut y, &mut z, 0).unwrap();
        append(two, &mut z, &x, 0).unwrap();
        if round.is_multiple_of(8) {
            three.wait(&two.record().unwrap()).unwrap();
            let mut temporary = device.zeros::<u32>(N).unwrap();
            affine(&device.new_stream().unwrap(), &mut temporary, 3, 1, 0).unwrap();
            y.fill_async(three, 1).unwrap();
            drop(two.capture(|s| affine_pair(s, &mut x, &mut y, 3, 1, 0)).unwrap());
            let mut dropped = device.pinned::<u32>(N).unwrap();
            x.copy_to_async(two, &mut dropped).unwrap();
            x.copy_from_async(three, &dropped).unwrap();
            y.copy_from_async(one, &host).unwrap();
            z.copy_to_async(two, &mut host).unwrap();
        }
        if round % 64 == 63 {
            streams.iter().for_each(|stream| stream.synchronize().unwrap());
        }
    };
    let kinds = ["stream", "event", "module", "device block", "host block", "graph", "executable graph"];
    let rounds = launches / 5;
    let mut marks = Vec::new();
    let start = Instant::now();
    for round in 0..rounds {
        one_round(round);
        // The first quarter makes what is made once.
        if round == rounds / 4 || round + 1 == rounds {
            streams.iter().for_each(|stream| stream.synchronize().unwrap());
            marks.push((heap::bytes(), kinds.map(|kind| standin.live(kind)), device.stream_pool().stats().created));
        }
    }
    let [before, after] = marks.try_into().unwrap();
    println!(
        "{launches} launches in {:?}: bytes, {kinds:?} and pooled streams were {before:?} and are {after:?}",
        start.elapsed()
    );
    for (kind, (before, after)) in kinds.iter().zip(before.1.iter().zip(after.1)) {
        assert!(after <= before + 8, "{kind}: {before} have become {after}");
    }
    assert!(after.0 < before.0 + (16 << 10), "{} bytes have become {}", before.0, after.0);
    drop((x, y, z, captured, graph, host, streams, device));
    standin.nothing_is_left();
}
