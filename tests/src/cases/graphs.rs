//! Graphs: what is captured does the same as what is launched, as often as it is replayed, in the
//! order that its buffers ask for.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Barrier, Mutex};

use anabranch::{GraphStats, prelude::*};

use super::slow;
use crate::kernels::graphs::{added_late as k_late, launches_within, quotients, rounds};
use crate::kernels::groups::step;
use crate::kernels::order as k;

const N: usize = 64;

fn three(device: &Device) -> [Buffer<u32>; 3] {
    [1u32, 2, 3].map(|seed| device.buffer_from(&(0..N as u32).map(|i| i * seed + seed).collect::<Vec<_>>()).unwrap())
}

fn contents(buffers: &[Buffer<u32>]) -> Vec<Vec<u32>> {
    buffers.iter().map(|buffer| buffer.to_vec().unwrap()).collect()
}

/// Every shape of a host part, launched three times, and captured once and replayed three times.
pub fn replays_are_launches(device: &Device, stream: &Stream) {
    type Shape = fn(&Stream, &mut [Buffer<u32>; 3], u32) -> anabranch::Result<()>;
    let shapes: [(Shape, usize, usize); 7] = [
        (|s, [x, y, _], delay| k::loops_in_order(s, x, y, delay), 10, 8),
        (|s, [x, y, z], delay| k::before_between_after(s, x, y, z, delay), 7, 8),
        (|s, [x, y, z], delay| k::inner_join(s, x, y, z, delay), 0, 0),
        (|s, [x, y, z], delay| k::idle_groups(s, x, y, z, true, delay), 3, 2),
        (|s, [x, _, _], delay| k::one_group(s, x, delay), 3, 2),
        (
            |s, [x, y, z], delay| {
                k::affine_pair(s, x, y, 3, 5, delay)?;
                k::append(s, z, x, 0)?;
                y.fill_async(s, 7)?;
                k::append(s, y, z, delay)
            },
            5,
            4,
        ),
        (
            |s, buffers, delay| {
                let [x, y, z] = buffers;
                (0..4).try_for_each(|_| k::affine_pair(s, x, y, 3, 5, delay))?;
                let (mut lo, mut hi) = z.split_at_mut(N / 2);
                k::affine_pair(s, &mut lo, &mut hi, 2, 3, 0)
            },
            10,
            16,
        ),
    ];
    for (number, (shape, nodes, edges)) in shapes.into_iter().enumerate() {
        let (mut launched, mut replayed) = (three(device), three(device));
        for _ in 0..3 {
            shape(stream, &mut launched, slow(device) / 10).unwrap();
        }
        let before = contents(&replayed);
        let graph = stream.capture(|s| shape(s, &mut replayed, slow(device) / 10)).unwrap();
        assert_eq!(contents(&replayed), before, "shape {number}: capturing runs nothing");
        for _ in 0..3 {
            graph.launch(stream).unwrap();
        }
        assert_eq!(contents(&replayed), contents(&launched), "shape {number}");
        let stats = graph.stats();
        if nodes > 0 {
            assert_eq!((stats.nodes, stats.edges), (nodes, edges), "shape {number}: {}", graph.dot());
        }
    }
}

pub fn a_picture_of_step(device: &Device, stream: &Stream) {
    let [mut pos, mut vel, mut heat] = [1.0f32, 2.0, 3.0].map(|x| device.buffer_from(&[x; N]).unwrap());
    let graph = stream.capture(|s| step(s, &mut pos, &mut vel, &mut heat, 0.5)).unwrap();
    let GraphStats { nodes, edges, sub_kernels, .. } = graph.stats();
    assert_eq!((nodes, edges, sub_kernels), (4, 3, 4));
    let dot = graph.dot();
    assert!(dot.starts_with("digraph {\n") && dot.ends_with("}\n"), "{dot}");
    assert!(dot.contains(r#"n0 [label="step\nfor i in par(0..n)\nin group 'motion, line "#), "{dot}");
    for edge in ["n1 -> n2", "n0 -> n3", "n2 -> n3"] {
        assert!(dot.contains(edge), "{edge}: {dot}");
    }
    assert_eq!(format!("{graph:?}"), format!("Graph(4 nodes, 3 edges, on {device})"));
}

/// On other streams, between replays and behind them: launches, copies, fills, reads.
pub fn replays_are_ordered_by_their_buffers(device: &Device, stream: &Stream) {
    let [one, two] = [device.new_stream().unwrap(), device.new_stream().unwrap()];
    let delay = slow(device) / 10;
    let [mut x, mut y, _] = three(device);
    let graph = stream
        .capture(|s| {
            k::affine(s, &mut x, 3, 1, delay)?;
            k::append(s, &mut y, &x, delay)
        })
        .unwrap();
    let mut expected: Vec<(u32, u32)> = (0..N as u32).map(|i| (i + 1, 2 * i + 2)).collect();
    let replay = |(x, y): &mut (u32, u32)| {
        *x = x.wrapping_mul(3).wrapping_add(1);
        *y = y.wrapping_mul(10).wrapping_add(*x);
    };
    for round in 0..3 {
        graph.launch(&one).unwrap();
        graph.launch(&two).unwrap();
        k::affine(stream, &mut x, 2, round, delay).unwrap();
        graph.launch(&one).unwrap();
        k::append(&two, &mut y, &x, 0).unwrap();
        expected.iter_mut().for_each(|pair| {
            replay(pair);
            replay(pair);
            pair.0 = pair.0.wrapping_mul(2).wrapping_add(round);
            replay(pair);
            pair.1 = pair.1.wrapping_mul(10).wrapping_add(pair.0);
        });
        let copy = y.try_clone().unwrap();
        assert_eq!(copy.to_vec().unwrap(), expected.iter().map(|pair| pair.1).collect::<Vec<_>>());
    }
    graph.launch(&one).unwrap();
    x.copy_from(&[5; N]).unwrap();
    graph.launch(&two).unwrap();
    y.fill_async(&one, 1).unwrap();
    graph.launch(stream).unwrap();
    assert_eq!(contents(&[x, y]), [vec![(5 * 3 + 1) * 3 + 1; N], vec![10 + (5 * 3 + 1) * 3 + 1; N]]);
}

/// Buffers that the program has dropped, and some that only the closure has seen; then the graph
/// goes in the middle of its last launch, behind the handles of the device.
pub fn a_graph_owns_what_it_touches(device: &Device, _: &Stream) {
    let stream = device.new_stream().unwrap();
    let delay = slow(device) / 10;
    let mut out = device.zeros::<u32>(N).unwrap();
    let [mut x, _, _] = three(device);
    let graph = stream
        .capture(|s| {
            let mut temporary = device.buffer_from(&[10u32; N])?;
            k::append(s, &mut temporary, &x, delay)?;
            k::affine(s, &mut x, 3, 1, delay)?;
            k::append(s, &mut out, &temporary, 0)
        })
        .unwrap();
    drop(x);
    // As much memory again, which must not be that of the graph.
    let others: Vec<Buffer<u32>> = (0..4).map(|_| device.buffer_from(&[7u32; N]).unwrap()).collect();
    graph.launch(&stream).unwrap();
    graph.launch(&stream).unwrap();
    // The temporary is 100 + (i + 1), then ten times that and 3 (i + 1) + 1.
    let expected = |i: u32| {
        let first = 100 + i + 1;
        10 * first + (10 * first + 3 * (i + 1) + 1)
    };
    assert_eq!(out.to_vec().unwrap(), (0..N as u32).map(expected).collect::<Vec<_>>());
    graph.launch(&stream).unwrap();
    drop(stream);
    drop(graph);
    assert_eq!(contents(&others), vec![vec![7; N]; 4]);
    assert_ne!(out.to_vec().unwrap()[0], expected(0));
}

pub fn host_values_are_those_of_the_capture(device: &Device, stream: &Stream) {
    let mut x = device.zeros::<u32>(N).unwrap();
    let mut count = device.zeros::<u32>(3).unwrap();
    let mut add = 5;
    let graph = stream.capture(|s| rounds(s, &mut x, &count, add)).unwrap();
    add += 100;
    count = device.zeros(add as usize).unwrap();
    graph.launch(stream).unwrap();
    assert_eq!(graph.stats().sub_kernels, 3);
    assert_eq!(x.to_vec().unwrap(), [(5 * 3 + 6) * 3 + 7; N]);
    drop(count);
}

/// Each says what, and leaves the stream as it was; the closure's error is the one that the capture
/// gives.
pub fn what_cannot_be_captured_says_so(device: &Device, stream: &Stream) {
    let [mut x, mut y, _] = three(device);
    let event = stream.record().unwrap();
    let graph = stream.capture(|s| k::affine(s, &mut x, 1, 1, 0)).unwrap();
    let refused = |result: anabranch::Result<()>, what: &str| match result {
        Err(Error::NotCapturable { what: said, .. }) => assert_eq!(said, what),
        other => panic!("{what}: {other:?}"),
    };
    let captured = stream
        .capture(|s| {
            k::affine(s, &mut x, 1, 1, 0)?;
            refused(s.record().map(drop), "recording an event");
            refused(s.wait(&event), "waiting for an event");
            refused(s.synchronize(), "a synchronization");
            refused(s.is_idle().map(drop), "asking whether a stream is idle");
            refused(s.capture(|_| Ok(())).map(drop), "a capture");
            refused(graph.launch(s), "the launch of a graph");
            let captured = |result| assert!(matches!(result, Err(Error::BufferCaptured { .. })), "{result:?}");
            captured(x.to_vec().map(drop));
            captured(x.copy_from(&[1; N]));
            captured(x.try_clone().map(drop));
            captured(x.get(3).map(drop));
            captured(x.fill(3));
            captured(y.copy_from_buffer(&x));
            let text = x.slice(2..5).to_vec().unwrap_err().to_string();
            assert!(text.starts_with("`to_vec` of elements 2..5 of a buffer of 64 `u32`: this buffer is "), "{text}");
            y.fill(2)?; // the capture does not write it
            // Other threads are not in the closure.
            std::thread::scope(|scope| {
                let other = scope.spawn(|| {
                    captured(x.fill_async(stream, 1));
                    captured(k::affine(stream, &mut x, 1, 1, 0));
                    captured(graph.launch(stream));
                    // What the capture does not write is the program's.
                    k::affine(stream, &mut y, 1, 1, 0)
                });
                other.join().unwrap()
            })?;
            y.to_vec().map(drop)
        })
        .unwrap();
    assert_eq!(captured.stats().nodes, 1);
    captured.launch(stream).unwrap();
    graph.launch(stream).unwrap();
    assert_eq!((x.to_vec().unwrap()[0], y.to_vec().unwrap()[0]), (3, 3));

    let own = stream.capture(|s| {
        k::affine(s, &mut x, 1, 1, 0)?;
        Err(Error::ZeroStep { kernel: "own", header: "", file: "", line: 1 })
    });
    assert!(matches!(own, Err(Error::ZeroStep { kernel: "own", .. })), "{own:?}");
    // A launch that fails, of whose error the closure says nothing.
    let failed = stream.capture(|s| {
        assert!(matches!(k::leave(s, "step", &mut x, &mut y, 0), Err(Error::ZeroStep { .. })));
        Ok(())
    });
    assert!(matches!(failed, Err(Error::CaptureFailed)), "{failed:?}");
    let panic = catch_unwind(AssertUnwindSafe(|| stream.capture(|s| k::leave(s, "panic", &mut x, &mut y, 0))));
    assert!(panic.is_err());
    assert_eq!((x.to_vec().unwrap()[0], y.to_vec().unwrap()[0]), (3, 3), "a capture that fails has run nothing");
    x.fill_async(stream, 1).unwrap();
    captured.launch(stream).unwrap();
    assert_eq!(x.to_vec().unwrap(), [2; N]);
    assert_eq!(device.stream_pool().stats().in_use, 0);
    let elsewhere = graph.launch(&Device::cpu().default_stream());
    assert!(matches!(elsewhere, Err(Error::OtherDevice { what: "a graph", .. })), "{elsewhere:?}");
}

/// In the closure, on this thread, on a stream of this device that is not captured: nothing is
/// done, neither now nor by a graph.
pub fn work_beside_a_capture_is_refused(device: &Device, stream: &Stream) {
    let [mut x, mut y, mut w] = three(device);
    let mut host = device.pinned::<u32>(N).unwrap();
    let graph = stream.capture(|s| k::affine(s, &mut x, 1, 1, 0)).unwrap();
    let kept = RefCell::new(stream.clone());
    drop(stream.capture(|s| {
        *kept.borrow_mut() = s.clone();
        k::affine(s, &mut x, 1, 1, 0)
    }));
    let kept = kept.into_inner();
    let new = device.new_stream().unwrap();
    for other in [stream, &new, &kept] {
        type Way<'a> = &'a mut dyn FnMut() -> anabranch::Result<()>;
        let ways: [Way; 5] = [
            &mut || k::affine(other, &mut x, 1, 1, 0),
            &mut || w.fill_async(other, 1),
            &mut || graph.launch(other),
            &mut || y.copy_from_async(other, &host),
            &mut || k::affine(other, &mut device.zeros::<u32>(0)?, 1, 1, 0),
        ];
        for (number, way) in ways.into_iter().enumerate() {
            // The launcher's error is that of the capture.
            let told = stream.capture(|_| way()).map(drop);
            let Err(error @ Error::NotCapturable { .. }) = &told else { panic!("way {number}: {told:?}") };
            let text = "work on another stream than that of the capture cannot be captured into a graph; \
                        use the stream that the closure is given, or do this before the capture";
            assert_eq!(error.to_string(), text);
        }
        let copied = stream.capture(|_| y.copy_from_buffer_async(other, &x));
        assert!(matches!(copied, Err(Error::NotCapturable { .. })), "{copied:?}");
        let copied = stream.capture(|_| y.copy_to_async(other, &mut host));
        assert!(matches!(copied, Err(Error::NotCapturable { .. })), "{copied:?}");
    }
    // Passed over, it leaves a graph without it; alone, none.
    let passed_over = stream.capture(|s| {
        assert!(k::affine(stream, &mut y, 1, 100, 0).is_err());
        k::affine(s, &mut y, 1, 1, 0)
    });
    passed_over.unwrap().launch(stream).unwrap();
    let nothing = stream.capture(|_| {
        assert!(k::affine(stream, &mut y, 1, 100, 0).is_err());
        Ok(())
    });
    assert!(matches!(nothing, Err(Error::NothingCaptured)), "{nothing:?}");
    // A capture in the closure of another one has a stream of its own, and so has another device.
    let elsewhere = Device::cpu();
    let mut z = elsewhere.zeros::<u32>(N).unwrap();
    let mut inner = None;
    let outer = stream.capture(|s| {
        inner = Some(new.capture(|t| k::affine(t, &mut x, 3, 0, 0))?);
        assert!(k::affine(&new, &mut y, 1, 100, 0).is_err(), "the outer closure goes on");
        k::affine(&elsewhere.default_stream(), &mut z, 1, 1, 0)?;
        k::affine(s, &mut y, 1, 1, 0)
    });
    outer.unwrap().launch(stream).unwrap();
    inner.unwrap().launch(stream).unwrap();
    k::affine(stream, &mut x, 1, 1, 0).unwrap();
    assert_eq!((x.to_vec().unwrap()[0], y.to_vec().unwrap()[0], z.to_vec().unwrap()[0]), (4, 4, 1));
    // By panic too.
    let panic = catch_unwind(AssertUnwindSafe(|| stream.capture(|_| panic!("as asked for"))));
    assert!(panic.is_err());
    k::affine(stream, &mut x, 1, 1, 0).unwrap();
    assert_eq!(x.to_vec().unwrap()[0], 5);
}

pub fn a_stream_that_outlives_its_capture_is_like_others(device: &Device, stream: &Stream) {
    let mut x = device.zeros::<u32>(N).unwrap();
    let mut kept = None;
    let graph = stream
        .capture(|s| {
            kept = Some(s.clone());
            k::affine(s, &mut x, 1, 1, 0)
        })
        .unwrap();
    let kept = kept.unwrap();
    k::affine(&kept, &mut x, 1, 10, slow(device)).unwrap();
    graph.launch(stream).unwrap();
    kept.record().unwrap().synchronize().unwrap();
    graph.launch(&kept).unwrap();
    assert_eq!(x.to_vec().unwrap(), [12; N]);
}

pub fn panics_of_replays_are_told(device: &Device, stream: &Stream) {
    let [mut x, _, _] = three(device);
    let mut by = device.buffer_from(&[1u32; N]).unwrap();
    let graph = stream.capture(|s| quotients(s, &mut x, &by)).unwrap();
    graph.launch(stream).unwrap();
    stream.synchronize().unwrap();
    for _ in 0..2 {
        by.fill_async(stream, 0).unwrap();
        graph.launch(stream).unwrap();
        let told = stream.synchronize();
        assert!(
            matches!(&told, Err(Error::KernelPanic { kernel: "quotients", message, .. }) if message == "attempt to divide by zero")
        );
        by.fill_async(stream, 5).unwrap();
        graph.launch(stream).unwrap();
        assert_eq!(x.to_vec().unwrap(), [20; N]);
    }
}

/// Graphs of one buffer and launches on it, from many threads at once: none gets lost.
pub fn graphs_of_many_threads(device: &Device, stream: &Stream) {
    const TIMES: u32 = 20;
    let x = Arc::new(Mutex::new(device.zeros::<u32>(N).unwrap()));
    let one = stream.capture(|s| k::affine(s, &mut x.lock().unwrap(), 1, 1, 0)).unwrap();
    let many = stream.capture(|s| (0..5).try_for_each(|_| k::affine(s, &mut x.lock().unwrap(), 1, 20, 100))).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..6 {
            let (own, x, one, many) = (device.new_stream().unwrap(), &x, &one, &many);
            scope.spawn(move || {
                for _ in 0..TIMES {
                    match thread % 3 {
                        0 => one.launch(&own).unwrap(),
                        1 => many.launch(&own).unwrap(),
                        _ => k::affine(&own, &mut x.lock().unwrap(), 1, 1000, 0).unwrap(),
                    }
                    if thread == 2 {
                        x.lock().unwrap().to_vec().unwrap();
                    }
                }
            });
        }
    });
    assert_eq!(x.lock().unwrap().to_vec().unwrap(), [2 * TIMES * (1 + 100 + 1000); N]);
}

/// Captured from two threads at once, and each from two threads.
pub fn captures_of_many_threads(device: &Device, stream: &Stream) {
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for _ in 0..10 {
                    let [mut x, mut y, _] = three(device);
                    let graph = stream
                        .capture(|s| {
                            std::thread::scope(|scope| {
                                let other = scope.spawn(|| k::one_group(s, &mut y, 0));
                                k::one_group(s, &mut x, 0)?;
                                other.join().unwrap()
                            })
                        })
                        .unwrap();
                    graph.launch(stream).unwrap();
                    assert_eq!((x.to_vec().unwrap()[0], y.to_vec().unwrap()[0]), (7, 10));
                }
            });
        }
    });
}

/// While one thread replays a graph, others go on with what it does not touch; also in tasks of
/// `rayon`, which must not wait.
pub fn graphs_leave_other_buffers_alone(device: &Device, stream: &Stream) {
    let mut x = device.zeros::<u32>(N).unwrap();
    let graph = stream.capture(|s| k::affine(s, &mut x, 1, 1, slow(device) / 100)).unwrap();
    std::thread::scope(|scope| {
        let replays = scope.spawn(|| (0..20).try_for_each(|_| graph.launch(stream)));
        let own = device.new_stream().unwrap();
        let mut y = device.zeros::<u32>(N).unwrap();
        rayon::scope(|tasks| {
            tasks.spawn(|_| {
                for round in 0..20 {
                    k::affine(&own, &mut y, 1, 1, 0).unwrap();
                    assert_eq!(y.to_vec().unwrap(), [round + 1; N]);
                }
            });
        });
        replays.join().unwrap().unwrap();
    });
    assert_eq!(x.to_vec().unwrap(), [20; N]);
}

/// A launch has begun, and has queued nothing yet, when another thread captures and launches a
/// graph that works on the columns between its own.
pub fn a_graph_beside_a_launch_on_other_columns(device: &Device, stream: &Stream) {
    let (begun, goes_on, alone) = (Barrier::new(2), Barrier::new(2), Barrier::new(1));
    let mut grid = device.grid_zeros::<u32, 2>([4, 2 * N]).unwrap();
    let (mut left, mut right) = grid.split_dim_at_mut(1, N);
    let other = device.new_stream().unwrap();
    std::thread::scope(|scope| {
        let launch = scope.spawn(|| k_late(stream, &mut left, 1, slow(device), [&begun, &goes_on]));
        begun.wait();
        let graph = other.capture(|s| k_late(s, &mut right, 2, 0, [&alone, &alone]));
        let launched = graph.as_ref().map(|graph| graph.launch(&other));
        goes_on.wait();
        launch.join().unwrap().unwrap();
        launched.unwrap().unwrap();
    });
    let row = [[1; N], [2; N]].concat();
    assert_eq!(grid.rows(1..).to_vec().unwrap(), row.repeat(3));
    assert_eq!(grid.to_vec().unwrap(), row.repeat(4));
}

/// A thread launches on the stream of the capture until it is told to stop: each launch is in the
/// graph, or runs, or is refused.
pub fn launches_at_the_end_of_a_capture(device: &Device, stream: &Stream) {
    for _ in 0..10 {
        let x = device.zeros::<u32>(N).unwrap();
        let (sender, receiver) = std::sync::mpsc::channel();
        let (mut x, ran, graph) = std::thread::scope(|scope| {
            let (kept, stream_sent) = std::sync::mpsc::channel::<Stream>();
            let launches = scope.spawn(move || {
                let (stream, mut x) = (stream_sent.recv().unwrap(), x);
                let mut ran = 0;
                while receiver.try_recv().is_err() {
                    k::affine_pair(&stream, &mut x.slice_mut(..1), &mut device.zeros::<u32>(1).unwrap(), 1, 1, 0)
                        .unwrap();
                    ran += 1;
                }
                stream.synchronize().unwrap();
                (x, ran)
            });
            let graph = stream.capture(|s| {
                kept.send(s.clone()).unwrap();
                std::thread::sleep(std::time::Duration::from_millis(2));
                device.zeros::<u32>(1)?.fill_async(s, 0)
            });
            std::thread::sleep(std::time::Duration::from_millis(2));
            sender.send(()).unwrap();
            let (x, ran) = launches.join().unwrap();
            (x, ran, graph.unwrap())
        });
        let captured = graph.stats().sub_kernels as u32 / 2;
        assert_eq!(x.to_vec().unwrap()[0], ran - captured, "{captured} of {ran} were captured");
        graph.launch(stream).unwrap();
        assert_eq!(x.to_vec().unwrap()[0], ran);
        x.fill_async(stream, 0).unwrap();
    }
}

/// With a buffer of a graph it would have to wait for the launch that it stands in; with others it
/// may.
pub fn a_graph_in_a_host_part(device: &Device, stream: &Stream) {
    let [mut x, mut y, _] = three(device);
    let graph = stream.capture(|s| k::affine(s, &mut y, 1, 1, 0)).unwrap();
    let said = RefCell::new(Vec::new());
    launches_within(stream, &mut x, &graph, stream, &said).unwrap();
    assert!(matches!(said.borrow()[..], [Ok(())]), "{said:?}");
    launches_within(stream, &mut y, &graph, stream, &said).unwrap();
    assert!(matches!(said.borrow()[..], [Ok(()), Err(Error::GraphUnderWay)]), "{said:?}");
    assert_eq!((x.to_vec().unwrap()[0], y.to_vec().unwrap()[0]), (4, 8));
}

/// Launches of no iterations and fills of no elements are launches; a closure that launches nothing
/// is a mistake.
pub fn an_empty_graph_does_nothing(device: &Device, stream: &Stream) {
    let mut x = device.zeros::<u32>(0).unwrap();
    let graph = stream
        .capture(|s| {
            k::affine(s, &mut x, 1, 1, 0)?;
            x.fill_async(s, 1)
        })
        .unwrap();
    assert_eq!(graph.stats(), GraphStats::default());
    graph.launch(stream).unwrap();
    stream.synchronize().unwrap();
    assert_eq!(x.to_vec().unwrap(), [0; 0]);
    let mut y = device.zeros::<u32>(N).unwrap();
    let nothing = stream.capture(|_| Ok(()));
    assert!(matches!(nothing, Err(Error::NothingCaptured)), "{nothing:?}");
    let graph = stream.capture(|s| k::affine(s, &mut y.slice_mut(3..3), 1, 1, 0)).unwrap();
    y.fill_async(stream, 5).unwrap();
    graph.launch(stream).unwrap();
    assert_eq!(y.to_vec().unwrap(), [5; N]);
}

/// On the device, of whole buffers and of parts; pinned memory has to stay outside.
pub fn copies_are_captured(device: &Device, stream: &Stream) {
    let delay = slow(device) / 10;
    let [mut x, mut y, _] = three(device);
    let mut host = device.pinned::<u32>(N).unwrap();
    let (mut columns, numbers) = (device.grid_zeros([2, 4]).unwrap(), device.from_fn(9, |i| i as u32).unwrap());
    let graph = stream
        .capture(|s| {
            k::affine(s, &mut x, 3, 1, delay)?;
            y.copy_from_buffer_async(s, &x)?;
            y.slice_mut(N / 2..).copy_from_buffer_async(s, &x.slice(..N / 2))?;
            let (mut lo, hi) = x.split_at_mut(4);
            lo.copy_from_buffer_async(s, &hi.as_slice().split_at(4).0)?;
            y.slice_mut(1..3).fill_async(s, 7)?;
            // Columns of grids: as many nodes as there are rows.
            columns.part_mut((.., 2..)).copy_from_buffer_async(s, &numbers.slice(3..7))?;
            for result in [y.copy_to_async(s, &mut host), y.copy_from_async(s, &host)] {
                assert!(matches!(result, Err(Error::NotCapturable { .. })), "{result:?}");
            }
            Ok(())
        })
        .unwrap();
    assert_eq!((graph.stats().nodes, graph.stats().edges, graph.stats().sub_kernels), (7, 6, 1));
    let mut expected_x: Vec<u32> = (1..=N as u32).collect();
    for _ in 0..2 {
        host.as_mut_slice().unwrap().copy_from_slice(&expected_x);
        x.copy_from_async(stream, &host).unwrap();
        graph.launch(stream).unwrap();
        y.copy_to_async(stream, &mut host).unwrap();
        expected_x.iter_mut().for_each(|x| *x = *x * 3 + 1);
        let mut expected_y = [&expected_x[..N / 2], &expected_x[..N / 2]].concat();
        expected_y[1..3].fill(7);
        assert_eq!(host.as_slice().unwrap(), expected_y);
        expected_x.copy_within(4..8, 0);
        assert_eq!(x.to_vec().unwrap(), expected_x);
        assert_eq!(columns.to_vec().unwrap(), [0, 0, 3, 4, 0, 0, 5, 6]);
        columns.fill(0).unwrap();
    }
}

/// Elements of every size, which drivers fill in several ways.
pub fn fills_are_captured(device: &Device, stream: &Stream) {
    fn check<T: Scalar + PartialEq + std::fmt::Debug>(device: &Device, stream: &Stream, value: T) {
        let mut x = device.zeros::<T>(1000).unwrap();
        let graph = stream.capture(|s| x.fill_async(s, value)).unwrap();
        assert_eq!(graph.stats().nodes, 1);
        assert_ne!(x.to_vec().unwrap(), vec![value; 1000]);
        graph.launch(stream).unwrap();
        assert_eq!(x.to_vec().unwrap(), vec![value; 1000]);
    }
    check(device, stream, 3u8);
    check(device, stream, 300u16);
    check(device, stream, 1.5f32);
    check(device, stream, -2i64);
    check(device, stream, 1i128 << 100);
}
