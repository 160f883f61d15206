//! Every call of the driver and of NVRTC that a program makes fails in turn, with every kind of
//! error: a program with nested groups, a graph, buffers, pinned memory, copies, fills, events, a
//! foreign stream and a panic of device code, from opening the device to its end.
//!
//! Each time: no panic and no deadlock; an error that names the kernel and the call; nothing held,
//! and nothing left once the device is gone; after an error that passes the next launches on the
//! same device are right, and after one that sticks every call says that the device is lost. The
//! stand-in watches over order and memory.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use anabranch::prelude::*;
use anabranch_tests::gpus::{gpu, on_hip};
use anabranch_tests::kernels::order::{affine, affine_pair, append, inner_join};
use anabranch_tests::kernels::ranges::out_of_bounds;

use crate::hooks::{StandIn, standin};

const N: usize = 16;
/// So long that what is not waited for is still under way.
const SLOW: u32 = 2_000;
/// A run takes some milliseconds.
const DEADLINE: Duration = Duration::from_secs(60);

/// That pass, and that stick. The last is what becomes of a device that is gone.
const ERRORS: [(&str, bool); 5] = [
    ("OUT_OF_MEMORY", false),
    ("INVALID_VALUE", false),
    ("ILLEGAL_ADDRESS", true),
    ("LAUNCH_FAILED", true),
    ("CONTEXT_IS_DESTROYED", true),
];
const NVRTC_ERRORS: [(&str, bool); 3] = [("OUT_OF_MEMORY", false), ("INVALID_INPUT", false), ("INTERNAL_ERROR", false)];

/// What gives something back, in destructors: its failure is nobody's, though what comes behind it
/// tells of one that sticks. The object itself may be left.
const RELEASES: [&str; 11] = [
    "cuDevicePrimaryCtxRelease",
    "cuEventDestroy",
    "cuGraphDestroy",
    "cuGraphExecDestroy",
    "cuMemFree",
    "cuMemFreeAsync",
    "cuMemFreeHost",
    "cuMemPoolDestroy",
    "cuModuleUnload",
    "cuStreamDestroy",
    "nvrtcDestroyProgram",
];

/// What is tried once more where there is no memory, so that the program works on.
const TRIED_AGAIN: [&str; 8] = [
    "cuMemAlloc",
    "cuFuncGetAttribute",
    "cuFuncLoad",
    "cuGraphInstantiateWithFlags",
    "cuGraphLaunch",
    "cuLaunchKernel",
    "cuMemAllocFromPoolAsync",
    "cuModuleLoadData",
];

/// What a program holds while it runs, and where it stands.
#[derive(Default)]
struct Program<'a> {
    device: Option<Device>,
    streams: Vec<Stream>,
    buffers: Vec<Buffer<u32>>,
    pinned: Vec<PinnedBuffer<u32>>,
    events: Vec<Event>,
    /// The kernel that is being launched.
    launching: Cell<Option<&'static str>>,
    /// Device code has panicked, and nobody was told yet.
    panicked: bool,
    silent: Silent<'a>,
}

/// Which calls of the function that fails nobody can be told of: those of destructors.
#[derive(Default)]
struct Silent<'a> {
    /// How often it was called so far.
    calls: Option<&'a dyn Fn() -> u64>,
    ranges: RefCell<Vec<RangeInclusive<u64>>>,
    function: &'a str,
}

impl Silent<'_> {
    /// The last thing that was done is to destroy the stream of a capture and its events: which
    /// context is current is asked for that, too.
    fn capture_was_destroyed(&self) {
        if let (Some(calls), "cuCtxGetCurrent") = (self.calls, self.function) {
            self.ranges.borrow_mut().push(calls() - 1..=calls());
        }
    }

    /// Allocates pinned memory, before which it is asked what is out of use.
    fn ask<R>(&self, allocate: impl FnOnce() -> R) -> R {
        let mut result = None;
        let call = || result = Some(allocate());
        if self.function == "cuEventQuery" {
            self.call(call)
        } else {
            call()
        }
        result.expect("called")
    }

    /// Calls something that gives back and says nothing.
    fn call(&self, call: impl FnOnce()) {
        let calls = || self.calls.map_or(0, |calls| calls());
        let before = calls();
        call();
        self.ranges.borrow_mut().push(before + 1..=calls());
    }
}

impl Program<'_> {
    /// Gives what the buffers hold in the end.
    fn run(&mut self, open: fn() -> anabranch::Result<Device>) -> anabranch::Result<Vec<Vec<u32>>> {
        let device = self.device.insert(open()?).clone();
        let (at, silent) = (|kernel| self.launching.set(kernel), &self.silent);
        self.streams.extend([
            device.default_stream(),
            device.new_stream()?,
            device.new_stream_with_priority(Priority::High)?,
        ]);
        let [one, two, three] = &self.streams[..] else { unreachable!("three streams") };
        for k in 0..3u32 {
            self.buffers.push(if k == 0 { device.zeros(N)? } else { device.buffer_from(&[k; N])? });
        }
        let [x, y, z] = &mut self.buffers[..] else { unreachable!("three buffers") };
        at(Some("inner_join"));
        inner_join(one, x, y, z, SLOW)?;
        at(Some("affine"));
        affine(two, x, 3, 1, SLOW)?;
        at(Some("append"));
        append(three, z, x, 0)?;
        at(None);
        self.events.push(one.record()?);
        self.events.push(two.record()?);
        three.wait(&self.events[1])?;
        y.fill_async(one, 5)?;
        let graph = two.capture(|s| {
            at(Some("inner_join"));
            inner_join(s, x, y, z, SLOW)?;
            at(Some("affine_pair"));
            affine_pair(s, x, y, 3, 5, 0)?;
            at(None);
            y.fill_async(s, 9)
        })?;
        silent.capture_was_destroyed();
        graph.launch(three)?;
        graph.launch(one)?;
        let again = graph.launch(two);
        silent.call(|| drop(graph));
        again?;
        let clone = y.try_clone()?;
        let mut wide = device.zeros::<u64>(100)?;
        wide.fill_async(three, 1 << 40)?;
        let mut narrow = device.zeros::<u16>(N)?;
        narrow.fill_async(two, 7)?;
        silent.call(|| drop(narrow));
        let mut temporary = device.zeros::<u32>(N)?;
        at(Some("affine_pair"));
        affine_pair(two, &mut temporary, y, 2, 3, SLOW)?;
        at(None);
        silent.call(|| drop(temporary));
        // SAFETY: `three` outlives the handle.
        let foreign = if device.is_cpu() { three.clone() } else { unsafe { device.wrap_stream(three.as_raw()) }? };
        at(Some("affine"));
        affine(&foreign, z, 3, 2, SLOW)?;
        at(None);
        silent.call(|| drop(foreign));
        let mut nowhere = device.zeros::<u32>(N)?;
        at(Some("out_of_bounds"));
        out_of_bounds(one, &mut nowhere, &clone, 1)?;
        at(None);
        self.panicked = true;
        match one.synchronize() {
            Err(Error::KernelPanic { kernel: "out_of_bounds", .. }) => self.panicked = false,
            Err(error) => return Err(error),
            Ok(()) => panic!("device code has panicked, and nobody is told"),
        }
        self.events[0].elapsed_since(&self.events[1])?;
        self.events[1].synchronize()?;
        let _ = (self.events[0].is_complete()?, two.is_idle()?);
        silent.call(|| device.stream_pool().trim());
        at(Some("affine_pair"));
        affine_pair(one, x, y, 5, 7, 0)?;
        at(None);
        x.copy_from(&[2; N])?;
        z.copy_to(&mut [0; N])?;
        assert_eq!(wide.to_vec()?, [1 << 40; 100]);
        silent.call(|| drop((wide, nowhere)));
        self.buffers.push(clone);
        self.copies()?;
        self.buffers.iter().map(Buffer::to_vec).collect()
    }

    /// Through pinned memory, from stream to stream and from buffer to buffer; with parts, and
    /// memory that is dropped meanwhile.
    fn copies(&mut self) -> anabranch::Result<()> {
        let device = self.device.clone().expect("it has been opened");
        let [one, two, three] = &self.streams[..] else { unreachable!("three streams") };
        let [x, y, z, w] = &mut self.buffers[..] else { unreachable!("four buffers") };
        for _ in 0..2 {
            self.pinned.push(self.silent.ask(|| device.pinned(N))?);
        }
        let [from, to] = &mut self.pinned[..] else { unreachable!("two of them") };
        from.as_mut_slice()?.fill(6);
        self.launching.set(Some("affine"));
        affine(one, x, 3, 1, SLOW)?;
        self.launching.set(None);
        x.copy_to_async(one, to)?;
        x.copy_from_async(two, from)?;
        y.copy_from_async(three, to)?;
        y.slice(..N / 2).copy_to_async(three, &mut to.slice_mut(N / 2..))?;
        z.copy_from_buffer_async(two, x)?;
        z.slice_mut(1..3).fill_async(one, 8)?;
        let wanted = to.as_slice()?.to_vec();
        from.as_mut_slice()?.copy_from_slice(&wanted);
        w.slice_mut(2..N).copy_from_async(one, &from.slice(2..))?;
        // The first is dropped in use, and may be given back by the allocation of the second, which
        // says nothing of a failure there.
        let mut gone = self.silent.ask(|| device.pinned(N))?;
        w.copy_to_async(one, &mut gone)?;
        // Those that block.
        z.slice_mut(3..).copy_from_buffer(&x.slice(3..))?;
        z.slice_mut(1..2).fill(x.get(2)?)?;
        device.synchronize()?;
        assert!(device.memory()?.total > 0);
        self.silent.call(|| drop(gone));
        let mut again = None;
        self.silent.call(|| again = Some(device.pinned(N)));
        let mut again = again.expect("it was called")?;
        x.copy_to_async(three, &mut again)?;
        self.pinned.push(again);
        Ok(())
    }

    /// The device works: what is left of the program, and new objects.
    fn works_on(&mut self) {
        let device = self.device.get_or_insert_with(|| gpu(0).unwrap());
        if self.panicked {
            let told = device.default_stream().synchronize();
            assert!(
                matches!(told, Err(Error::KernelPanic { kernel: "out_of_bounds", .. })),
                "the panic is lost: {told:?}"
            );
        }
        let stats = device.stream_pool().stats();
        assert_eq!(stats.in_use, 0, "{stats:?}");
        self.streams.push(device.new_stream().unwrap());
        self.buffers.push(device.zeros(N).unwrap());
        for (k, buffer) in self.buffers.iter_mut().enumerate() {
            let stream = &self.streams[k % self.streams.len()];
            let graph = stream.capture(|s| buffer.fill_async(s, 1)).unwrap();
            graph.launch(stream).unwrap();
            affine(&self.streams[(k + 1) % self.streams.len()], buffer, 3, k as u32, SLOW).unwrap();
        }
        let [mut y, mut z] = std::array::from_fn(|_| device.buffer_from(&[1u32; N]).unwrap());
        inner_join(&self.streams[0], &mut self.buffers[0], &mut y, &mut z, SLOW).unwrap();
        // (3 + 1) 3 + 2 (1 · 5), and (1 · 7 + 1) 11 + that
        for (k, buffer) in self.buffers.iter().enumerate() {
            let wanted = if k == 0 { 22 } else { 3 + k as u32 };
            assert_eq!(buffer.to_vec().unwrap(), [wanted; N], "buffer {k}");
        }
        assert_eq!((y.to_vec().unwrap(), z.to_vec().unwrap()), (vec![5; N], vec![110; N]));
        self.pinned.push(device.pinned(N).unwrap());
        for (k, pinned) in self.pinned.iter_mut().enumerate() {
            let stream = &self.streams[k % self.streams.len()];
            pinned.as_mut_slice().unwrap().fill(k as u32);
            y.copy_from_async(stream, pinned).unwrap();
            pinned.as_mut_slice().unwrap().fill(9);
            affine(&self.streams[(k + 1) % self.streams.len()], &mut y, 3, 1, SLOW).unwrap();
            y.copy_to_async(stream, pinned).unwrap();
            assert_eq!(pinned.as_slice().unwrap(), [3 * k as u32 + 1; N], "pinned {k}");
        }
        self.streams.iter().for_each(|stream| stream.synchronize().unwrap());
    }

    /// Every call that can fail says so.
    fn is_lost(&mut self) {
        let Some(device) = &self.device else { return };
        let stream = device.default_stream();
        let mut lost = vec![
            device.new_stream().map(drop),
            device.zeros::<u32>(N).map(drop),
            device.buffer_from(&[1u32]).map(drop),
            inner_join::prepare(device),
            stream.synchronize(),
            device.synchronize(),
            device.memory().map(drop),
            stream.is_idle().map(drop),
            stream.record().map(drop),
        ];
        for buffer in &mut self.buffers {
            lost.extend([affine(&stream, buffer, 3, 1, 0), buffer.fill_async(&stream, 1), buffer.copy_from(&[1; N])]);
            lost.extend([
                buffer.to_vec().map(drop),
                buffer.try_clone().map(drop),
                buffer.get(0).map(drop),
                buffer.fill(1),
            ]);
        }
        for pinned in &mut self.pinned {
            lost.extend(
                self.buffers.iter_mut().flat_map(|buffer| {
                    [buffer.copy_from_async(&stream, pinned), buffer.copy_to_async(&stream, pinned)]
                }),
            );
            lost.extend([pinned.as_slice().map(drop), pinned.as_mut_slice().map(drop)]);
        }
        for event in &self.events {
            lost.extend([event.synchronize(), event.is_complete().map(drop), stream.wait(event)]);
        }
        for (number, result) in lost.into_iter().enumerate() {
            assert!(matches!(result, Err(Error::DeviceLost { .. })), "call {number}: {result:?}");
        }
    }
}

/// One run, in which a call fails. Whether it was reached.
fn run(standin: &StandIn, function: &str, number: u64, error: &str, sticks: bool, wanted: &[Vec<u32>]) -> bool {
    let release = RELEASES.contains(&function);
    let calls = || standin.calls(function);
    let reports = standin.reports();
    let mut program =
        Program { silent: Silent { calls: Some(&calls), function, ..Silent::default() }, ..Program::default() };
    standin.reset_calls();
    standin.fail(&format!("{function}:{number}:{error}"));
    let result = program.run(|| gpu(0));
    // Nobody counts the kernels that graphs run.
    let reached = if function == "kernel" { result.is_err() } else { calls() >= number };
    // Memory without the order of a stream: whether some that was dropped is out of use is asked
    // when more is needed, and if there is none, the device is waited for, and it is tried again.
    let no_pools = !standin.has_pools();
    let allocation = ["cuMemAlloc", "cuMemHostAlloc"].contains(&function);
    // The thread's mode is set around the question.
    let asks = ["cuEventQuery", "cuThreadExchangeStreamCaptureMode"].contains(&function);
    let mended = no_pools && (asks || (allocation && error == "OUT_OF_MEMORY"));
    let tried_again = error == "OUT_OF_MEMORY" && TRIED_AGAIN.contains(&function);
    // The thread's mode is set, and set back in a destructor.
    let set_back = function == "cuThreadExchangeStreamCaptureMode" && number.is_multiple_of(2);
    // On HIP, another stream is used instead of one that cannot be queried.
    let not_reused = on_hip() && ["cuStreamQuery", "cuThreadExchangeStreamCaptureMode"].contains(&function);
    let untold = release
        || not_reused
        || mended
        || tried_again
        || set_back
        || program.silent.ranges.borrow().iter().any(|calls| calls.contains(&number));
    let launching = program.launching.get();
    match result {
        Err(error) if tried_again => panic!("not tried again: {error}"),
        Ok(values) => {
            assert!(!reached || untold, "nobody is told");
            assert_eq!(values, wanted);
        }
        Err(error_told) => {
            let text = error_told.to_string();
            assert!(reached, "{text}");
            // Where the host has no memory, the driver's name for it says no more.
            let host_memory = function == "cuMemHostAlloc" && matches!(error_told, Error::OutOfHostMemory { .. });
            let of_compiler = function.starts_with("nvrtc");
            let tells = text.contains(&if of_compiler { error.to_owned() } else { standin.error(error) })
                || matches!(error_told, Error::OutOfMemory { .. } | Error::CompilerNotFound { .. })
                || host_memory;
            let names = text.contains(&standin.name(function)) || untold || function == "kernel" || host_memory;
            assert!(tells && names, "{text}");
            let lost = matches!(error_told, Error::DeviceLost { .. });
            assert!(
                launching.is_none_or(|kernel| lost || text.contains(&format!("`{kernel}`"))),
                "launching {launching:?}: {text}"
            );
        }
    }
    if reached && !sticks {
        standin.fail("");
        program.works_on();
    }
    if reached && sticks {
        program.is_lost();
    }
    // Where it was not reached, it may be in the end.
    drop(program);
    let reached = reached || function != "kernel" && calls() >= number;
    standin.fail("");
    assert_eq!(standin.reports(), reports, "the stand-in has reported something");
    if reached && release {
        standin.one_object_may_be_left()
    } else {
        standin.nothing_is_left()
    }
    reached
}

#[test]
fn every_call_fails_once() {
    let Some(standin) = standin() else { return };
    let wanted = Program::default().run(|| Ok(Device::cpu())).unwrap();
    standin.reset_calls();
    let mut program = Program::default();
    assert_eq!(program.run(|| gpu(0)).unwrap(), wanted, "without a failure");
    drop(program);
    standin.nothing_is_left();
    let launches = standin.calls("cuLaunchKernel") as u32;
    let functions: Vec<String> =
        standin.called().into_iter().map(|(name, _)| name).chain(["kernel".to_owned()]).collect();
    let (mut points, mut bad) = (BTreeMap::new(), Vec::new());
    for function in &functions {
        let errors = if function.starts_with("nvrtc") { &NVRTC_ERRORS[..] } else { &ERRORS[..] };
        for &(error, sticks) in errors {
            // HIP says so of a stream that is destroyed.
            let sticks = sticks && !(on_hip() && error == "CONTEXT_IS_DESTROYED");
            // HIP's function sets a number of the thread, and finds no lost device.
            let finds_nothing = on_hip() && function == "cuThreadExchangeStreamCaptureMode";
            if function == "kernel" && !sticks || finds_nothing && sticks {
                continue;
            }
            for number in 1..5000 {
                let plan = format!("{function}:{number}:{error}");
                let reached = within_the_deadline(&plan, || run(&standin, function, number, error, sticks, &wanted));
                bad.extend(reached.is_none().then_some(plan));
                if reached == Some(false) || bad.len() >= 30 {
                    break;
                }
                *points.entry(function).or_insert(0) += 1;
            }
        }
    }
    // Of the failure of every kernel somebody is told; the eight that are captured run three times.
    let that_stick = if on_hip() { 2 } else { 3 };
    assert_eq!(points[&"kernel".to_owned()], that_stick * (launches + 2 * 8), "{points:?}");
    println!("fault points: {} of {points:?}", points.values().sum::<u32>());
    assert!(bad.is_empty(), "{} of them: {bad:?}", bad.len());
}

/// A deadlock ends the process, and says with which failure it came; a panic gives nothing.
fn within_the_deadline<R>(plan: &str, run: impl FnOnce() -> R) -> Option<R> {
    let (done, wait) = mpsc::channel::<()>();
    let named = plan.to_owned();
    let watch = std::thread::spawn(move || {
        if wait.recv_timeout(DEADLINE) == Err(RecvTimeoutError::Timeout) {
            eprintln!("--fail {named}: not done after {DEADLINE:?}");
            std::process::abort();
        }
    });
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
    drop(done);
    watch.join().unwrap();
    if result.is_err() {
        println!("--fail {plan}");
    }
    result.ok()
}
