//! Calls of the driver that fail: what was begun is joined and given back, and the device works on,
//! or says that it is lost.

use anabranch::prelude::*;
use anabranch_tests::gpus::on_hip;
use anabranch_tests::kernels::order::{affine, affine_pair, back_to_back, inner_join};

use crate::hooks::standin;

const N: usize = 16;
/// So long that what is not waited for is still under way.
const SLOW: u32 = 20_000;

/// Every call of a launch with nested and adjacent groups fails once. Behind it no stream is held,
/// no work is left without an order (the stand-in would report that), and the next launch is right.
#[test]
fn a_launch_that_fails_gives_everything_back() {
    let Some(standin) = standin() else { return };
    let functions = [
        "cuEventRecord",
        "cuStreamWaitEvent",
        "cuLaunchKernel",
        "cuStreamQuery",
        "cuStreamCreateWithPriority",
        "cuEventCreate",
        "cuCtxGetCurrent",
    ];
    let mut failed = [0; 7];
    for (function, failed) in functions.into_iter().zip(&mut failed) {
        for number in 1.. {
            let device = standin.device();
            let (stream, other) = (device.default_stream(), device.new_stream().unwrap());
            let [mut x, mut y, mut p, mut q] = std::array::from_fn(|_| device.zeros::<u32>(N).unwrap());
            affine::prepare(&device).unwrap();
            inner_join::prepare(&device).unwrap();
            back_to_back::prepare(&device).unwrap();
            affine(&other, &mut x, 3, 1, SLOW).unwrap();
            if !matches!(function, "cuStreamCreateWithPriority" | "cuEventCreate") {
                // So that the pools are warm, also with streams of another parent, of which a fork
                // asks whether they are idle.
                back_to_back(&stream, &mut x, &mut y, &mut p, &mut q, SLOW).unwrap();
                let [mut v, mut w] = std::array::from_fn(|_| device.zeros::<u32>(N).unwrap());
                affine_pair(&other, &mut v, &mut w, 3, 1, SLOW).unwrap();
            }
            // Not one that a second try may mend.
            standin.fail(&format!("{function}:{number}:INVALID_VALUE"));
            standin.reset_calls();
            let mut run = || {
                inner_join(&stream, &mut x, &mut y, &mut p, SLOW)?;
                back_to_back(&stream, &mut x, &mut y, &mut p, &mut q, SLOW)
            };
            let result = run();
            let reached = standin.calls(function) >= number;
            standin.fail("");
            assert_eq!(device.stream_pool().stats().in_use, 0, "{function}:{number}");
            match result {
                Err(error) => {
                    assert!(reached, "{error}");
                    let text = error.to_string();
                    assert!(
                        text.contains(&standin.name(function)) && text.contains(&standin.error("INVALID_VALUE")),
                        "{function}:{number}: {text}"
                    );
                    *failed += 1;
                }
                Ok(()) => assert!(!reached, "{function}:{number} is not told"),
            }
            // Ordered behind whatever has been launched.
            x.fill_async(&stream, 1).unwrap();
            y.fill_async(&other, 2).unwrap();
            affine_pair(&stream, &mut x, &mut y, 3, 2, 0).unwrap();
            assert_eq!((x.to_vec().unwrap(), y.to_vec().unwrap()), (vec![5; N], vec![7; N]), "{function}:{number}");
            drop((p, q, x, y, stream, other, device));
            standin.nothing_is_left();
            if !reached {
                break;
            }
        }
    }
    // For each of the 2 + 3 blocks of two groups a fork and two done events, and four waits; 6 + 6
    // loops.
    assert_eq!(failed[..3], [15, 20, 12], "{failed:?}");
    assert!(failed[3..].iter().all(|&failed| failed > 0), "{failed:?}");
}

/// A copy or a clear that the host cannot wait for by its stream: nothing that comes behind
/// overtakes it, and nothing is copied to or from the host once the call is over. Where the device
/// cannot be waited for either, it is lost.
#[test]
fn what_cannot_be_waited_for_is_not_overtaken() {
    let Some(standin) = standin() else { return };
    let synchronize = standin.name("cuStreamSynchronize");
    type Step = fn(&Device, &mut Buffer<u32>, &mut [u32]) -> anabranch::Result<()>;
    let steps: [(&str, Step); 4] = [
        ("write", |_, x, host| x.copy_from(host)),
        ("read", |_, x, host| x.copy_to(host)),
        ("copy", |_, x, _| x.try_clone().map(drop)),
        ("clear", |device, _, _| device.zeros::<u32>(N).map(drop)),
    ];
    for (name, step) in steps {
        // The stream is asked twice, then the whole device.
        for (also, lost) in [
            ("", false),
            (",cuStreamSynchronize:2:INVALID_VALUE", false),
            (",cuStreamSynchronize:2:INVALID_VALUE,cuCtxSynchronize:1:INVALID_VALUE", true),
        ] {
            let device = standin.device();
            let (one, two) = (device.new_stream().unwrap(), device.new_stream().unwrap());
            let mut x = device.buffer_from(&[1u32; N]).unwrap();
            affine(&one, &mut x, 3, 1, 100 * SLOW).unwrap();
            standin.fail(&format!("cuStreamSynchronize:1:INVALID_VALUE{also}"));
            let mut host = [7; N];
            let error = step(&device, &mut x, &mut host).unwrap_err().to_string();
            assert!(error.contains(&synchronize) && error.contains(&standin.error("INVALID_VALUE")), "{name}: {error}");
            standin.fail("");
            let copied = host;
            let result = affine(&two, &mut x, 2, 1, 0);
            if lost {
                assert!(
                    matches!(result, Err(Error::DeviceLost { call, .. }) if call == synchronize),
                    "{name}: {result:?}"
                );
            } else {
                let after = if name == "write" { 7 } else { 4 };
                assert_eq!(x.to_vec().unwrap(), [2 * after + 1; N], "{name}");
                assert_eq!(host, copied, "{name}: the copy has come to an end");
            }
            drop((x, one, two, device));
            standin.nothing_is_left();
        }
    }
}

/// A copy that is queued, and whose event cannot be recorded: the host waits for it. Where that
/// fails too, the device is lost, and nobody touches what the copy uses.
#[test]
fn a_copy_that_cannot_be_recorded_is_waited_for() {
    let Some(standin) = standin() else { return };
    for to_host in [false, true] {
        for lost in [false, true] {
            let device = standin.device();
            let stream = device.default_stream();
            let mut x = device.buffer_from(&[1u32; N]).unwrap();
            let mut host = device.pinned::<u32>(N).unwrap();
            host.as_mut_slice().unwrap().fill(7);
            affine(&stream, &mut x, 3, 1, 100 * SLOW).unwrap();
            // The stream is asked twice, then the whole device.
            let unheard = ",cuStreamSynchronize:1:INVALID_VALUE,cuStreamSynchronize:2:INVALID_VALUE,cuCtxSynchronize:1:INVALID_VALUE";
            standin.fail(&format!("cuEventRecord:1:OUT_OF_MEMORY{}", if lost { unheard } else { "" }));
            let result = if to_host { x.copy_to_async(&stream, &mut host) } else { x.copy_from_async(&stream, &host) };
            let error = result.unwrap_err().to_string();
            let names = [standin.name("cuEventRecord"), standin.error("OUT_OF_MEMORY")];
            assert!(names.iter().all(|name| error.contains(name)), "{error}");
            standin.fail("");
            if lost {
                for result in [host.as_slice().map(drop), host.as_mut_slice().map(drop)] {
                    assert!(matches!(result, Err(Error::DeviceLost { .. })), "{result:?}");
                }
            } else {
                let after = if to_host { 4 } else { 7 };
                assert_eq!(host.as_slice().unwrap(), [after; N]);
                host.as_mut_slice().unwrap().fill(9);
                assert_eq!(x.to_vec().unwrap(), [after; N]);
            }
            drop((x, host, stream, device));
            standin.nothing_is_left();
        }
    }
}

/// The host cannot wait for a copy: it gets no reference to what the copy uses, and the next try
/// works.
#[test]
fn what_cannot_be_waited_for_is_not_touched() {
    let Some(standin) = standin() else { return };
    let device = standin.device();
    let stream = device.default_stream();
    let (mut x, mut host) = (device.buffer_from(&[1u32; N]).unwrap(), device.pinned::<u32>(N).unwrap());
    affine(&stream, &mut x, 3, 1, SLOW).unwrap();
    x.copy_to_async(&stream, &mut host).unwrap();
    standin.fail("cuEventSynchronize:1:INVALID_VALUE");
    let synchronize = standin.name("cuEventSynchronize");
    assert!(matches!(host.as_slice(), Err(Error::Driver { call, .. }) if call == synchronize));
    standin.fail("");
    assert_eq!(host.as_mut_slice().unwrap(), [4; N]);
    drop((x, host, stream, device));
    standin.nothing_is_left();
}

/// Page-locked memory that is not there: what has been dropped is given back first.
#[test]
fn memory_of_the_host_that_is_not_there() {
    let Some(standin) = standin() else { return };
    let device = standin.device();
    let stream = device.default_stream();
    let (mut x, mut host) = (device.buffer_from(&[1u32; N]).unwrap(), device.pinned::<u32>(N).unwrap());
    affine(&stream, &mut x, 3, 1, SLOW).unwrap();
    let blocks = standin.live("host block");
    x.copy_to_async(&stream, &mut host).unwrap();
    drop(host);
    standin.fail("cuEventQuery:1:INVALID_VALUE,cuMemHostAlloc:1:OUT_OF_MEMORY");
    let host = device.pinned::<u32>(N).unwrap();
    assert_eq!((standin.live("host block"), host.as_slice().unwrap()), (blocks, &[0; N][..]));
    standin.fail("cuMemHostAlloc:1:OUT_OF_MEMORY");
    let error = device.pinned::<u32>(N).unwrap_err();
    assert!(matches!(error, Error::OutOfHostMemory { requested: 64, operation: Some(_) }), "{error}");
    standin.fail("cuMemHostAlloc:1:INVALID_VALUE");
    let error = device.pinned::<u32>(N).unwrap_err();
    assert!(matches!(error, Error::Driver { call, .. } if call == standin.name("cuMemHostAlloc")), "{error}");
    drop((x, host, stream, device));
    standin.nothing_is_left();
}

/// The handle of somebody else's stream goes and cannot leave an event there: its work is waited
/// for all the same.
#[test]
fn a_foreign_stream_that_goes_unmarked_is_waited_for() {
    let Some(standin) = standin() else { return };
    let device = standin.device();
    let (owner, other) = (device.new_stream().unwrap(), device.new_stream().unwrap());
    for function in ["cuEventRecord", "cuCtxGetCurrent"] {
        let mut x = device.buffer_from(&[1u32; N]).unwrap();
        // SAFETY: the owner lives on.
        let foreign = unsafe { device.wrap_stream(owner.as_raw()) }.unwrap();
        affine(&foreign, &mut x, 3, 1, SLOW).unwrap();
        standin.fail(&format!("{function}:1:OUT_OF_MEMORY"));
        drop(foreign);
        standin.fail("");
        affine(&other, &mut x, 2, 1, 0).unwrap();
        assert_eq!(x.to_vec().unwrap(), [9; N], "{function}");
    }
    drop((owner, other, device));
    standin.nothing_is_left();
}

/// Of errors whose documentation says that the process must be started again, the device is lost;
/// of others it works on, whatever number a newer driver gives them.
#[test]
fn errors_that_stick_and_errors_that_pass() {
    let Some(standin) = standin() else { return };
    let (stick, pass): (&[u32], &[u32]) = match on_hip() {
        // Of those that pass, the last are no results of any driver that there is.
        false => (
            &[214, 220, 226, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 721, 810, 911],
            &[1, 701, 720, 801, 999, 4_242, 2_000_000_000],
        ),
        true => (&[214, 700, 702, 710, 719, 1053], &[1, 701, 709, 720, 801, 911, 999, 4_242, 2_000_000_000]),
    };
    let launch = standin.name("cuLaunchKernel");
    for (&code, sticks) in stick.iter().map(|code| (code, true)).chain(pass.iter().map(|code| (code, false))) {
        let device = standin.device();
        let stream = device.default_stream();
        let mut x = device.buffer_from(&[1u32; N]).unwrap();
        affine::prepare(&device).unwrap();
        standin.fail(&format!("cuLaunchKernel:1:{code}"));
        let error = affine(&stream, &mut x, 3, 1, 0).unwrap_err();
        standin.fail("");
        assert!(
            matches!(error, Error::Driver { call, code: told, .. } if (call, told) == (launch.as_str(), code)),
            "{error}"
        );
        // HIP has a text for what it does not know.
        let unknown = code > 999 && !on_hip();
        assert_eq!(error.to_string().contains("the driver does not know this error"), unknown, "{error}");
        let after = affine(&stream, &mut x, 3, 1, 0);
        match sticks {
            true => {
                assert!(matches!(after, Err(Error::DeviceLost { code: told, .. }) if told == code), "{code}: {after:?}")
            }
            false => assert_eq!(x.to_vec().unwrap(), [4; N], "{code}: {after:?}"),
        }
        drop((x, stream, device));
        standin.nothing_is_left();
    }
}

/// An error that sticks: the first call that sees it names it, all later ones say that the device
/// is lost, in every object that is left, and none of them crashes. A device that is opened anew
/// works.
#[test]
fn handles_of_a_lost_device_say_so() {
    let Some(standin) = standin() else { return };
    let device = standin.device();
    let [stream, other] = std::array::from_fn(|_| device.new_stream().unwrap());
    let [mut x, mut y] = std::array::from_fn(|k| device.buffer_from(&[k as u32; N]).unwrap());
    affine_pair(&stream, &mut x, &mut y, 3, 1, 0).unwrap();
    let event = stream.record().unwrap();
    let mut pinned = device.pinned::<u32>(N).unwrap();
    stream.synchronize().unwrap();
    standin.fail("kernel:1:ILLEGAL_ADDRESS");
    affine(&stream, &mut x, 3, 1, 0).unwrap();
    let error = stream.synchronize().unwrap_err();
    let synchronize = standin.name("cuStreamSynchronize");
    assert!(matches!(error, Error::Driver { call, code: 700, .. } if call == synchronize), "{error}");

    let mut host = [0; N];
    let lost = [
        stream.synchronize(),
        other.synchronize(),
        stream.is_idle().map(drop),
        stream.record().map(drop),
        other.wait(&event),
        event.synchronize(),
        event.is_complete().map(drop),
        event.elapsed_since(&event).map(drop),
        device.new_stream().map(drop),
        device.new_stream_with_priority(Priority::High).map(drop),
        device.zeros::<u32>(N).map(drop),
        device.buffer_from(&[1u32]).map(drop),
        affine(&other, &mut x, 3, 1, 0),
        affine_pair(&stream, &mut x, &mut y, 3, 1, 0),
        affine::prepare(&device),
        x.to_vec().map(drop),
        x.copy_to(&mut host),
        x.copy_from(&host),
        x.fill_async(&stream, 1),
        y.try_clone().map(drop),
        x.copy_from_async(&stream, &pinned),
        x.copy_to_async(&other, &mut pinned),
        x.copy_from_buffer_async(&other, &y),
        pinned.as_slice().map(drop),
        pinned.as_mut_slice().map(drop),
        device.pinned::<u32>(N).map(drop),
    ];
    for (number, result) in lost.into_iter().enumerate() {
        let error = result.expect_err("the device is lost");
        let first = matches!(error, Error::DeviceLost { call, code: 700, .. } if call == synchronize);
        assert!(first && error.to_string().contains(&standin.error("ILLEGAL_ADDRESS")), "{number}: {error}");
    }
    device.stream_pool().trim();
    assert_eq!(device.stream_pool().stats().idle, 0);
    drop((event, x, y, pinned, other, stream, device));
    standin.nothing_is_left();

    let device = standin.device();
    let mut x = device.buffer_from(&[1u32; N]).unwrap();
    affine(&device.default_stream(), &mut x, 3, 1, 0).unwrap();
    assert_eq!(x.to_vec().unwrap(), [4; N]);
}

/// A large copy, of which one call fails: an error, or the driver's own copy where only page-locked
/// memory is missing. The next one is right, and no copy that is still in progress touches what the
/// caller has again.
#[test]
fn a_chunk_that_fails() {
    let Some(standin) = standin() else { return };
    let ours: Vec<u32> = (0..3 << 20).collect();
    let theirs: Vec<u32> = ours.iter().map(|value| !value).collect();
    let calls = ["cuMemHostAlloc", "cuMemcpyDtoHAsync", "cuMemcpyHtoDAsync", "cuEventRecord", "cuEventSynchronize"];
    for call in calls {
        for number in [1, 3] {
            let device = standin.device();
            let mut x = device.zeros::<u32>(ours.len()).unwrap();
            let error = if call == "cuMemHostAlloc" { "OUT_OF_MEMORY" } else { "INVALID_VALUE" };
            standin.fail(&format!("{call}:{number}:{error}"));
            let (written, read) = (x.copy_from(&ours), x.to_vec());
            standin.fail("");
            let failed = [written.is_err(), read.is_err()].into_iter().filter(|failed| *failed).count();
            assert_eq!(failed, usize::from(call != "cuMemHostAlloc"), "{call} {number}: {written:?}");
            if let (Ok(()), Ok(read)) = (&written, &read) {
                assert!(*read == ours, "{call} {number}");
            }
            x.copy_from(&theirs).unwrap();
            assert!(x.to_vec().unwrap() == theirs, "{call} {number}");
            drop((x, device));
            standin.nothing_is_left();
        }
    }
}
