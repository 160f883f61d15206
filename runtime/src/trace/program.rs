//! `ANABRANCH_TRACE`: the trace of a whole program.
//!
//! The recorders of all devices are kept until the process ends. `atexit` writes the file, because
//! devices may be in statics, which are not dropped. Nothing there waits without a limit: neither
//! for a device that hangs nor for a lock of a thread that does.

use std::fs::{self, OpenOptions};
use std::io;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::{Duration, Instant};

use super::recorder::{Log, Recorder};
use super::{Trace, build, exit, failed};
use crate::error::Error;
use crate::lock::Lock;

const NAME: &str = "ANABRANCH_TRACE";
/// How long the end of a program waits for work in progress.
const PATIENCE: Duration = Duration::from_secs(2);
/// The file is written at most this often before the end.
const SELDOM: Duration = Duration::from_secs(1);

/// A device whose times are read later.
pub(crate) trait Timed: Send + Sync {
    /// Reads the times of what was queued. Waits for work in progress until a point in time.
    fn read_times(&self, until: Instant);
}

struct Program {
    path: PathBuf,
    recorders: Lock<Vec<Arc<Recorder>>>,
    devices: Lock<Vec<Weak<dyn Timed>>>,
    /// Number of devices that exist.
    open: AtomicUsize,
    written: Lock<Option<Instant>>,
}

/// The trace of the program, if there is one.
fn program() -> Option<&'static Program> {
    static PROGRAM: OnceLock<Option<Program>> = OnceLock::new();
    let begin = || {
        let path = path(std::env::var_os(NAME).filter(|value| !value.is_empty())?.into());
        // The user learns of a wrong path now, not after hours.
        if let Err(error) = writable(&path) {
            say(&failed(&path, error), "the program is not traced");
            return None;
        }
        exit::at_exit(at_exit);
        let (recorders, devices, written) = (Lock::default(), Lock::default(), Lock::default());
        Some(Program { path, recorders, devices, open: AtomicUsize::new(0), written })
    };
    PROGRAM.get_or_init(begin).as_ref()
}

/// The path with the number of the process, independent of later changes of the folder.
fn path(given: PathBuf) -> PathBuf {
    let named = match given.to_str() {
        Some(text) if text.contains("%p") => text.replace("%p", &std::process::id().to_string()).into(),
        _ => given,
    };
    std::path::absolute(&named).unwrap_or(named)
}

fn writable(path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        // Opening a pipe waits for a reader, and each version of the trace replaces the one before.
        Ok(metadata) if !metadata.is_file() => Err(io::Error::other("not a regular file")),
        _ => OpenOptions::new().create(true).append(true).open(path).map(drop),
    }
}

fn say(error: &Error, effect: &str) {
    let text = format!("anabranch: {NAME}: {error}; {effect}\n");
    let _ = io::Write::write_all(&mut io::stderr(), text.as_bytes()); // there is no other place to say it
}

/// The recorder of a new CPU device.
pub(crate) fn recorder_of_cpu() -> Arc<Recorder> {
    let recorder = recorder(true);
    recorder.name("CPU".to_owned());
    recorder
}

/// The recorder of a new GPU. It gets its name when the device is [open](opened).
pub(crate) fn recorder_of_gpu() -> Arc<Recorder> {
    recorder(false)
}

fn recorder(is_cpu: bool) -> Arc<Recorder> {
    let program = program();
    let recorder = Arc::new(Recorder::new(is_cpu, program.is_some()));
    if let Some(program) = program {
        program.open.fetch_add(1, Ordering::Relaxed);
        program.recorders.lock().push(Arc::clone(&recorder));
    }
    recorder
}

/// A GPU was opened.
pub(crate) fn opened(recorder: &Recorder, name: String, device: Weak<dyn Timed>) {
    recorder.name(name);
    if let Some(program) = program() {
        program.devices.lock().push(device);
        // Once more, so that it runs before the driver's own function, which was registered since.
        exit::at_exit(at_exit);
    }
}

/// A device is gone, and its times have been read. To be called once for each recorder.
pub(crate) fn closed() {
    if let Some(program) = program()
        && program.open.fetch_sub(1, Ordering::Relaxed) == 1
    {
        let mut written = program.written.lock();
        if written.is_none_or(|last| last.elapsed() >= SELDOM) {
            let _ = catch_unwind(|| program.write(Instant::now() + PATIENCE)); // a panic here is a bug, but not one to end the program for
            *written = Some(Instant::now());
        }
    }
}

extern "C" fn at_exit() {
    static DONE: AtomicBool = AtomicBool::new(false);
    if !DONE.swap(true, Ordering::Relaxed) {
        let _ = catch_unwind(|| program().map(|program| program.end())); // as above
    }
}

impl Program {
    /// Writes the trace when the process ends. Other threads may still run.
    fn end(&self) {
        let until = Instant::now() + PATIENCE;
        let devices = self.devices.try_lock().map(|devices| devices.clone()).unwrap_or_default();
        for device in devices.iter().filter_map(Weak::upgrade) {
            device.read_times(until);
            // If its last handle has gone in the meantime, dropping it here could wait without a
            // limit.
            std::mem::forget(device);
        }
        self.write(until);
    }

    fn write(&self, until: Instant) {
        let Some(recorders) = self.recorders.try_lock().map(|recorders| recorders.clone()) else { return };
        let logs: Vec<Log> = recorders.iter().filter_map(|recorder| recorder.snapshot(until)).collect();
        let trace: Trace = build::trace(&logs, 0);
        let is_svg = self.path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("svg"));
        let text = if is_svg { trace.to_svg() } else { trace.to_perfetto() };
        if let Err(error) = fs::write(&self.path, text) {
            say(&failed(&self.path, error), "the trace is lost");
        }
    }
}
