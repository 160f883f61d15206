//! Traces of a program that is known, on the CPU device, and on the first GPU if there is one
//! (`tests/standin/run` provides one).

mod files;
#[path = "../gpus/mod.rs"]
mod gpus;
mod plans;
mod program;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anabranch::Result;
use anabranch::prelude::*;
use anabranch::trace::{Direction, Span, SpanKind, Trace};

/// Times of events are rounded.
const ROUNDING: Duration = Duration::from_micros(2);
const N: usize = 3000;

#[kernel]
fn smooth(x: &mut [f32], from: &[f32]) {
    for i in par(0..x.len()) {
        x[i] = 0.5 * x[i] + 0.5 * from[i];
    }
}

/// Two groups, one of them with a call, and a loop after them.
#[kernel]
fn step(pos: &mut [f32], vel: &mut [f32], heat: &mut [f32]) {
    stream_parallel! {
        'motion: {
            for i in par(0..pos.len()) { pos[i] += vel[i]; }
        }
        'heat: {
            for i in par(0..heat.len()) { heat[i] *= 0.5; }
            stream_parallel! {
                { smooth(&mut heat, &vel); }
            }
        }
    }
    for i in par(0..vel.len()) {
        vel[i] -= heat[i];
    }
    for i in par(0..heat.len() - vel.len()) {
        vel[i] += 1.0;
    }
}

#[kernel(library)]
fn twice(stream: &Stream, x: &mut [f32]) -> Result<()> {
    let _ = stream;
    if let Some(x) = x.as_mut_slice() {
        x.iter_mut().for_each(|x| *x *= 2.0);
    }
    Ok(())
}

#[kernel]
fn with_library(x: &mut [f32], y: &mut [f32]) {
    stream_parallel! {
        'library: { twice(&mut x); }
        'own: { for i in par(0..y.len()) { y[i] += 1.0; } }
    }
    twice(&mut y);
}

struct Buffers {
    pos: Buffer<f32>,
    vel: Buffer<f32>,
    heat: Buffer<f32>,
}

impl Buffers {
    fn new(device: &Device) -> Result<Self> {
        let values = vec![1.0f32; N];
        Ok(Self {
            pos: device.buffer_from(&values)?,
            vel: device.buffer_from(&values)?,
            heat: device.buffer_from(&values)?,
        })
    }

    fn step(&mut self, stream: &Stream) -> Result<()> {
        step(stream, &mut self.pos, &mut self.vel, &mut self.heat)
    }
}

/// One test at a time: the traces of a device exclude each other.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a test on each device.
fn on_devices(test: impl Fn(&Device)) {
    let _alone = alone();
    test(&Device::cpu());
    match gpus::gpu_count().unwrap() {
        0 => println!("skipped on a GPU: there is none"),
        _ => test(&gpus::gpu(0).unwrap()),
    }
}

/// The work of a trace: names and groups, sorted.
fn work(trace: &Trace) -> Vec<(&str, Option<&str>)> {
    let all = trace.spans().iter().filter(|span| span.is_work());
    let mut all: Vec<_> = all.map(|span| (span.name.as_str(), span.group.as_deref())).collect();
    all.sort_unstable();
    all
}

/// What holds for every trace.
fn check(trace: &Trace) {
    assert_eq!((trace.untimed(), trace.skipped()), (0, 0));
    let spans = trace.spans();
    for pair in spans.windows(2) {
        assert!((pair[0].track, pair[0].start) <= (pair[1].track, pair[1].start), "sorted: {pair:?}");
    }
    for (number, span) in spans.iter().enumerate() {
        assert!(span.track < trace.tracks().len());
        if let Some(outer) = span.inside {
            assert!(outer < number && spans[outer].track == span.track);
            assert!(
                spans[outer].start <= span.start && span.end() <= spans[outer].end(),
                "{:?} in {span:?}",
                spans[outer]
            );
        }
        let next = spans[number + 1..].iter().find(|next| next.track == span.track && next.inside == span.inside);
        assert!(next.is_none_or(|next| span.end() <= next.start), "overlap: {span:?} and {next:?}");
    }
    for wait in trace.waits() {
        let (from, to) = (&spans[wait.from], &spans[wait.to]);
        assert!(from.start <= to.start + ROUNDING || wait.why == "join", "{wait:?}");
        if wait.why == "fork" || wait.why == "join" {
            let (fork, group) = if wait.why == "fork" { (from, to) } else { (to, from) };
            assert!(matches!(fork.kind, SpanKind::Parallel { .. }), "{fork:?}");
            assert!(fork.start <= group.start + ROUNDING && group.end() <= fork.end() + ROUNDING, "{fork:?} {group:?}");
        }
    }
    files::check(trace);
}

fn trace<R>(device: &Device, work: impl FnOnce() -> Result<R>) -> (R, Trace) {
    let (result, trace) = device.trace(work).unwrap();
    check(&trace);
    (result.unwrap(), trace)
}

#[test]
fn every_launch_appears_with_its_group() {
    on_devices(|device| {
        let (mut buffers, stream) = (Buffers::new(device).unwrap(), device.default_stream());
        let (_, trace) = trace(device, || {
            buffers.step(&stream)?;
            buffers.step(&stream)
        });
        let once = [
            ("smooth.par#1", Some("group 1")),
            ("step.par#1", Some("motion")),
            ("step.par#2", Some("heat")),
            ("step.par#3", None),
        ];
        let expected: Vec<_> = once.into_iter().flat_map(|entry| [entry, entry]).collect();
        assert_eq!(work(&trace), expected, "{trace}");
        let of = |wanted: &str| trace.waits().iter().filter(|wait| wait.why == wanted).count();
        assert_eq!((of("fork"), of("join")), (6, 6));
        // The loops of a group are on its own track, in the group's span, and those of a call in
        // the call's.
        let span = |name: &str| trace.spans().iter().find(|span| span.name == name && span.is_work()).unwrap();
        let outer = |span: &Span| span.inside.map(|outer| trace.spans()[outer].name.clone());
        assert_ne!(span("step.par#1").track, span("step.par#3").track);
        assert_eq!(outer(span("step.par#1")).as_deref(), Some("motion"));
        assert_eq!(outer(span("smooth.par#1")).as_deref(), Some("smooth"));
        assert_eq!(outer(span("step.par#3")).as_deref(), Some("step"));
        let SpanKind::Loop { iterations, header, line, file, .. } = &span("step.par#1").kind else { panic!() };
        assert_eq!((*iterations, *header), (N as u64, "for i in par(0..pos.len())"));
        assert!(file.ends_with("main.rs") && *line > 10);
        let table = trace.to_string();
        assert!(table.lines().any(|line| line.starts_with("step.par#1 ") && line.contains("     2  ")), "{table}");
    });
}

#[test]
fn copies_and_fills_have_bytes() {
    on_devices(|device| {
        let stream = device.new_stream().unwrap();
        let (_, trace) = trace(device, || {
            let x = device.buffer_from(&[1.0f32; 100])?;
            let mut y = device.buffer_from(&[2.0f32; 100])?;
            let mut pinned = device.pinned::<f32>(50)?;
            y.fill_async(&stream, 3.0)?;
            y.copy_from_buffer_async(&stream, &x)?;
            y.slice(0..50).copy_to_async(&stream, &mut pinned)?;
            y.to_vec()
        });
        let mut copies = [0usize; 4];
        for span in trace.spans() {
            match span.kind {
                SpanKind::Transfer { direction, bytes } => copies[direction as usize] += bytes,
                SpanKind::Fill { bytes } => copies[3] += bytes,
                _ => panic!("{span:?}"),
            }
        }
        let of = |direction: Direction| copies[direction as usize];
        assert_eq!(
            (of(Direction::ToDevice), of(Direction::ToHost), of(Direction::OnDevice)),
            (800, 600, 400),
            "{trace}"
        );
        assert_eq!(copies[3], 400);
    });
}

#[test]
fn a_graph_is_a_span() {
    on_devices(|device| {
        let (mut buffers, stream) = (Buffers::new(device).unwrap(), device.default_stream());
        let (graph, captured) = trace(device, || stream.capture(|stream| buffers.step(stream)));
        assert_eq!(work(&captured), [], "a capture runs nothing");
        let (_, trace) = trace(device, || graph.launch(&stream).and_then(|()| graph.launch(&stream)));
        let graphs: Vec<_> = trace.spans().iter().filter(|span| span.kind == SpanKind::Graph { nodes: 4 }).collect();
        assert_eq!(graphs.len(), 2, "{trace}");
        let heat = work(&trace).iter().filter(|work| **work == ("step.par#2", Some("heat"))).count();
        assert_eq!(heat, if device.is_cpu() { 2 } else { 0 }, "the CPU runs the nodes one by one");
    });
}

#[test]
fn library_kernels_are_spans() {
    on_devices(|device| {
        let (mut buffers, stream) = (Buffers::new(device).unwrap(), device.default_stream());
        let (_, trace) = trace(device, || with_library(&stream, &mut buffers.pos, &mut buffers.vel));
        let expected = [("twice", None), ("twice", Some("library")), ("with_library.par#1", Some("own"))];
        assert_eq!(work(&trace), expected, "{trace}");
    });
}

#[test]
fn waits_between_streams_are_arrows() {
    on_devices(|device| {
        let mut buffers = Buffers::new(device).unwrap();
        let (one, two, three) = (device.default_stream(), device.new_stream().unwrap(), device.new_stream().unwrap());
        let (_, trace) = trace(device, || {
            smooth(&one, &mut buffers.pos, &buffers.vel)?;
            smooth(&two, &mut buffers.heat, &buffers.pos)?;
            let event = one.record()?;
            three.wait(&event)?;
            buffers.vel.fill_async(&three, 1.0)
        });
        let whys: Vec<&str> = trace.waits().iter().map(|wait| wait.why).collect();
        match device.is_cpu() {
            true => assert!(whys.is_empty()),
            false => {
                for wanted in ["read after write", "event", "write after read"] {
                    assert!(whys.contains(&wanted), "{wanted} in {whys:?}");
                }
            }
        }
    });
}

#[test]
fn threads_have_their_own_spans() {
    on_devices(|device| {
        let (_, trace) = trace(device, || {
            std::thread::scope(|scope| {
                let threads: Vec<_> = (0..4)
                    .map(|number| {
                        // Two share a stream.
                        let stream = if number < 2 { device.default_stream() } else { device.new_stream().unwrap() };
                        scope.spawn(move || {
                            let mut buffers = Buffers::new(device)?;
                            (0..20).try_for_each(|_| buffers.step(&stream))
                        })
                    })
                    .collect();
                threads.into_iter().try_for_each(|thread| thread.join().unwrap())
            })
        });
        let count = |name: &str| trace.spans().iter().filter(|span| span.name == name && span.is_work()).count();
        assert_eq!((count("step.par#1"), count("smooth.par#1"), count("step.par#3")), (80, 80, 80), "{trace}");
    });
}

#[test]
fn wrong_uses_are_errors() {
    on_devices(|device| {
        let (mut buffers, stream) = (Buffers::new(device).unwrap(), device.default_stream());
        let (inner, _) = device.trace(|| device.trace(|| ()).unwrap_err()).unwrap();
        assert!(inner.to_string().contains("is already traced"), "{inner}");
        let captured = stream.capture(|_| device.trace(|| ()).map(drop)).unwrap_err();
        assert!(captured.to_string().contains("trace the launch of the graph"), "{captured}");
        let (_, trace) = device.trace(|| ()).unwrap();
        let unwritable = trace.write_svg("/no/such/folder/trace.svg").unwrap_err();
        assert!(
            unwritable.to_string().starts_with("cannot write the trace to /no/such/folder/trace.svg: "),
            "{unwritable}"
        );
        // A panic ends the trace.
        let panicked = catch_unwind(AssertUnwindSafe(|| device.trace(|| -> () { panic!("of the test") })));
        assert!(panicked.is_err());
        let (_, after) = device.trace(|| buffers.step(&stream)).unwrap();
        assert_eq!(work(&after).len(), 4);
        // A failed launch leaves what ran, and no trace of the rest.
        let (failed, trace) = device.trace(|| smooth(&stream, &mut buffers.pos, &buffers.vel.slice(0..10))).unwrap();
        assert!(failed.is_err());
        assert_eq!(work(&trace), []);
    });
}

#[test]
fn two_devices_have_two_traces() {
    let _alone = alone();
    let (one, two) = (Device::cpu(), Device::cpu());
    let (mut of_one, mut of_two) = (Buffers::new(&one).unwrap(), Buffers::new(&two).unwrap());
    let (inner, outer) = trace(&one, || {
        let (_, inner) = trace(&two, || of_two.step(&two.default_stream()));
        of_one.step(&one.default_stream())?;
        Ok(inner)
    });
    assert_eq!((work(&inner).len(), work(&outer).len()), (4, 4));
}
