//! Which calls of the driver a launch makes, exactly: one too few is a wait that is missing, one too many costs time.

use anabranch_tests::kernels::groups::many_groups;
use anabranch_tests::kernels::order::{affine, affine_pair, append, back_to_back, one_group};

use crate::hooks::{StandIn, standin};

const N: usize = 32;

/// Runs twice, and counts the calls of the second time: `(function, how often)`, all others never. `cuStreamQuery`, by
/// which the pool finds streams at rest, and the question which context is current are left out.
#[track_caller]
fn check(standin: &StandIn, mut run: impl FnMut(), expected: &[(&str, u64)]) {
    run();
    standin.reset_calls();
    run();
    for &(function, calls) in expected {
        assert_eq!(standin.calls(function), calls, "{function}");
    }
    let ignored = standin.calls("cuStreamQuery") + standin.calls("cuCtxGetCurrent");
    let sum: u64 = expected.iter().map(|(_, calls)| calls).sum();
    assert_eq!(standin.calls("") - ignored, sum, "other calls than {expected:?}");
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

/// Work on one stream costs no wait; of a change of streams each use costs one, and the second reader of one launch none.
#[test]
fn only_a_change_of_streams_costs_a_wait() {
    let Some(standin) = standin() else { return };
    let device = standin.device();
    let [one, two] = std::array::from_fn(|_| device.new_stream().unwrap());
    let [mut x, mut y, mut z] = std::array::from_fn(|_| device.zeros::<u32>(N).unwrap());
    let same = || {
        affine(&one, &mut x, 3, 1, 0).unwrap();
        append(&one, &mut y, &x, 0).unwrap();
        y.fill(&one, 1).unwrap();
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
    // Of the groups 3 and 4; the two arguments there and here are a change each, the last launch none.
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
