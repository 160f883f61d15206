//! Code of the user that the runtime calls: it waits, launches, captures, drops and panics, on its
//! thread and on others.
//!
//! A `Display` runs on a GPU while a thread waits, and on the CPU inside of a loop.

use std::cell::{Cell, RefCell};
use std::panic::panic_any;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use anabranch::prelude::*;
use anabranch::private::output::capture;

use crate::devices;
use crate::kernels::{HOOK, affine, boom, say};

const N: usize = 6;

/// Aborts the tests if `run` does not return.
pub(crate) fn in_time<R>(run: impl FnOnce() -> R) -> R {
    let (done, wait) = mpsc::channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            if wait.recv_timeout(Duration::from_secs(300)) == Err(RecvTimeoutError::Timeout) {
                eprintln!("code of the user and the runtime wait for each other");
                std::process::abort();
            }
        });
        let result = run();
        drop(done);
        result
    })
}

thread_local! {
    /// How many panics of device code this thread has got.
    pub(crate) static REPORTS: Cell<u64> = const { Cell::new(0) };
}

/// What a wait returns: a report, whoever has caused it, or a value.
pub(crate) fn waited<T>(result: anabranch::Result<T>) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(Error::KernelPanic { .. }) => {
            REPORTS.set(REPORTS.get() + 1);
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn read(x: &Buffer<u32>) -> Vec<u32> {
    (0..9).find_map(|_| waited(x.to_vec())).expect("a report comes once")
}

/// Launches and reads, and checks the result. In the closure of a capture it only reads.
pub(crate) fn works(device: &Device) {
    let mut y = device.buffer_from(&[1u32; N]).unwrap();
    match affine(&device.default_stream(), &mut y, 3, 1, 0) {
        Ok(()) => assert_eq!(read(&y), [4; N]),
        Err(Error::NotCapturable { .. }) => assert_eq!(read(&y), [1; N]),
        Err(error) => panic!("{error}"),
    }
}

/// Whatever happens to it uses the device.
#[derive(Debug)]
pub(crate) struct Busy(pub(crate) Device, pub(crate) Arc<AtomicUsize>);

impl Clone for Busy {
    fn clone(&self) -> Self {
        works(&self.0);
        Self(self.0.clone(), Arc::clone(&self.1))
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        works(&self.0);
        self.1.fetch_add(1, Relaxed);
    }
}

/// A buffer in memory of another one, which its owner keeps.
pub(crate) fn adopted<O: Send + 'static>(device: &Device, owner: O) -> Buffer<u32> {
    let mut memory = device.zeros::<u32>(N).unwrap();
    let start = memory.as_mut_ptr();
    // SAFETY: the owner keeps the memory, which nobody else uses.
    unsafe { Buffer::from_raw(device, start, N, (owner, memory)).unwrap() }
}

/// What the code finds.
struct Here<'a> {
    device: &'a Device,
    /// What the loop has written. On the CPU it is borrowed as long as the loop runs.
    z: &'a RefCell<Buffer<u32>>,
    /// Whether the loop has failed.
    failed: bool,
}

impl Here<'_> {
    fn is_reported(&self, result: &anabranch::Result<Vec<u32>>) {
        match result {
            Ok(found) => assert!(!self.failed && found == &[2; N], "{found:?} is of a failed loop"),
            Err(Error::KernelPanic { message, .. }) if self.failed => {
                assert!(["its message is still being formatted", "boom at 3"].contains(&message.as_str()), "{message}");
            }
            Err(other) => panic!("{other}"),
        }
    }
}

/// What a `Display` does, and its name.
type Code = (&'static str, fn(&Here<'_>));

const CODE: [Code; 9] = [
    ("reads", |here| {
        if let Ok(z) = here.z.try_borrow() {
            here.is_reported(&z.to_vec());
        }
    }),
    ("synchronizes", |here| {
        let waited = here.device.synchronize();
        assert_eq!(waited.is_err(), here.failed && !here.device.is_cpu());
        here.device.synchronize().unwrap();
    }),
    ("reads on another thread", |here| {
        if let Ok(z) = here.z.try_borrow() {
            let z = &*z;
            here.is_reported(&thread::scope(|scope| scope.spawn(move || z.to_vec()).join().unwrap()));
        }
    }),
    ("launches", |here| works(here.device)),
    ("launches on another thread", |here| thread::scope(|scope| scope.spawn(|| works(here.device)).join().unwrap())),
    ("launches on workers", |here| _ = rayon::join(|| works(here.device), || works(here.device))),
    ("captures", |here| {
        let (stream, mut y) = (here.device.default_stream(), here.device.zeros::<u32>(N).unwrap());
        let graph = stream.capture(|s| {
            assert!(stream.capture(|_| Ok(())).is_err());
            affine(s, &mut y, 3, 1, 0)
        });
        graph.unwrap().launch(&stream).unwrap();
        assert_eq!(read(&y), [1; N]);
    }),
    ("fails", |here| {
        let [mut x, mut y] = [(); 2].map(|()| here.device.zeros::<u32>(N).unwrap());
        boom(&here.device.default_stream(), &mut x, &mut y).unwrap();
        assert!(matches!(y.to_vec(), Err(Error::KernelPanic { .. })));
        works(here.device);
    }),
    ("drops what waits", |here| {
        let gone = Arc::new(AtomicUsize::new(0));
        drop(adopted(here.device, Busy(here.device.clone(), Arc::clone(&gone))));
        assert_eq!(gone.load(Relaxed), 1);
    }),
];

/// In the message of a failed check, in a line, and in a line of a loop that fails.
#[test]
fn a_display_uses_the_device() {
    let (_turn, devices) = devices();
    let run = |device: &Device, (name, code): Code, line: bool, fails: bool| {
        let stream = device.default_stream();
        let mut x = device.buffer_from(&[5u32; N]).unwrap();
        let z = Rc::new(RefCell::new(device.filled(N, 2u32).unwrap()));
        let (theirs, of) = (Rc::clone(&z), device.clone());
        HOOK.set(Some(Box::new(move || code(&Here { device: &of, z: &theirs, failed: fails }))));
        let mut result = Ok(Vec::new());
        let lines = capture(|| {
            match line {
                true => say(&stream, &mut x, &mut *z.borrow_mut(), if fails { 3 } else { N }).unwrap(),
                false => boom(&stream, &mut x, &mut *z.borrow_mut()).unwrap(),
            }
            result = x.to_vec();
        });
        let place = format!("{device}: {name}, in a line: {line}, of a loop that fails: {fails}");
        assert!(HOOK.take().is_none(), "{place}");
        assert_eq!(lines.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>(), ["5\n"][..line.into()], "{place}");
        match result {
            Ok(values) => assert!(!fails && values == [6; N], "{place}"),
            Err(Error::KernelPanic { message, .. }) if fails => assert_eq!(message, "boom at 3", "{place}"),
            Err(error) => panic!("{place}: {error}"),
        }
        // Each failure is told once.
        x.to_vec().unwrap();
        works(device);
    };
    in_time(|| {
        for device in &devices {
            for code in CODE {
                run(device, code, false, true);
                run(device, code, true, false);
                run(device, code, true, true);
            }
        }
    });
}

/// Its destructor launches and then panics.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        works(&Device::cpu());
        panic_any("a destructor");
    }
}

#[test]
fn a_display_panics() {
    let (_turn, devices) = devices();
    for device in &devices {
        let stream = device.default_stream();
        let [mut x, mut z] = [(); 2].map(|()| device.zeros::<u32>(N).unwrap());
        for line in [false, true] {
            HOOK.set(Some(Box::new(|| panic_any(Bomb))));
            let lines = capture(|| {
                let launched = if line { say(&stream, &mut x, &mut z, N) } else { boom(&stream, &mut x, &mut z) };
                launched.unwrap();
                let error = x.to_vec().unwrap_err();
                assert!(matches!(&error, Error::KernelPanic { message, .. } if message.is_empty()), "{error}");
                x.to_vec().unwrap();
            });
            assert_eq!(lines, [], "{device}");
        }
        works(device);
    }
}

#[kernel(library)]
fn body(_: &Stream, x: &mut [u32], value: Busy, fails: bool) -> Result<(), String> {
    works(&value.0);
    if fails { Err(format!("{} elements", x.len())) } else { Ok(()) }
}

/// A value whose destructor panics.
#[derive(Clone)]
struct Sulks(Arc<AtomicUsize>);

impl Drop for Sulks {
    fn drop(&mut self) {
        self.0.fetch_add(1, Relaxed);
        if !thread::panicking() {
            panic_any("a value");
        }
    }
}

#[kernel(library)]
fn forgets(_: &Stream, x: &mut [u32], value: Sulks) {
    assert_eq!(x.len(), N);
    std::mem::forget(value);
}

#[kernel]
fn groups(x: &mut [u32], y: &mut [u32], value: Busy, fails: bool) {
    stream_parallel! {
        { body(&mut x, value.clone(), fails); }
        { body(&mut y, value.clone(), fails); }
    }
}

#[kernel]
fn forgetful(x: &mut [u32], y: &mut [u32], value: Sulks) {
    stream_parallel! {
        { forgets(&mut x, value.clone()); forgets(&mut x, value.clone()); }
        { forgets(&mut y, value.clone()); }
    }
    std::mem::forget(value);
}

/// Values that use the device where they are cloned and dropped, or panic there.
#[test]
fn values_of_library_kernels_use_the_device() {
    let (_turn, devices) = devices();
    in_time(|| {
        for device in &devices {
            let stream = device.default_stream();
            let (dropped, sulked) = <(Arc<AtomicUsize>, Arc<AtomicUsize>)>::default();
            let [mut x, mut y] = [(); 2].map(|()| device.zeros::<u32>(N).unwrap());
            let busy = || Busy(device.clone(), Arc::clone(&dropped));
            for fails in [false, true] {
                let launched = groups(&stream, &mut x, &mut y, busy(), fails);
                assert_eq!(launched.is_err(), fails, "{device}: {launched:?}");
                let graph = stream.capture(|s| body(s, &mut x, busy(), fails));
                let launched = graph.and_then(|graph| graph.launch(&stream));
                assert_eq!(launched.is_err(), fails, "{device}: {launched:?}");
            }
            assert!(dropped.load(Relaxed) >= 8, "{dropped:?}");
            // A job of the CPU keeps its value until the groups are joined, where the panic of a
            // destructor ends.
            forgetful(&stream, &mut x, &mut y, Sulks(Arc::clone(&sulked))).unwrap();
            assert_eq!(sulked.load(Relaxed), if device.is_cpu() { 3 } else { 0 });
            works(device);
        }
    });
}
