//! The functions of the stand-in that no driver has.
//!
//! The tests name functions and errors as CUDA does. On HIP, those that do and mean the same are
//! taken: [`StandIn::name`].

use std::cell::Cell;
use std::ffi::{CStr, CString, c_char, c_int};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

use anabranch::prelude::*;
use anabranch_tests::gpus::{gpu, on_hip};
use libloading::Library;

/// The stand-in, for one test at a time: counts, failures and the device itself are those of the
/// process.
pub(crate) struct StandIn {
    library: Library,
    reports_before: u64,
    /// Objects whose destruction was made to fail, by kind.
    left_before: Cell<[u64; KINDS.len()]>,
    _turn: MutexGuard<'static, ()>,
}

/// Of objects.
const KINDS: [&str; 7] = ["context", "stream", "event", "module", "memory pool", "device block", "host block"];

/// `None`: this test skips.
pub(crate) fn standin() -> Option<StandIn> {
    static TURN: Mutex<()> = Mutex::new(());
    // SAFETY: loading a driver, or the stand-in for one, has no other effects.
    let library = unsafe { Library::new("libcuda.so.1") };
    // SAFETY: the symbol is only looked up.
    let Some(library) = library.ok().filter(|library| unsafe { library.get::<fn()>(b"standin_calls\0") }.is_ok())
    else {
        println!("skipped: not on the stand-in for a driver");
        return None;
    };
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut standin = StandIn { library, reports_before: 0, left_before: Cell::default(), _turn: turn };
    standin.reports_before = standin.reports();
    standin.left_before = Cell::new(standin.left());
    standin.reset_calls();
    Some(standin)
}

/// Runs the body of test `name` in a process of its own, whose environment has these variables,
/// too.
pub(crate) fn in_child(name: &str, variables: &[(&str, &str)], body: impl FnOnce(&StandIn)) {
    const CHILD: &str = "ANABRANCH_TEST_CHILD";
    let Some(standin) = standin() else { return };
    if std::env::var_os(CHILD).is_some() {
        return body(&standin);
    }
    let test = Command::new(std::env::current_exe().unwrap())
        .args([name, "--exact", "--nocapture"])
        .env(CHILD, "1")
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let (out, err) = (String::from_utf8_lossy(&test.stdout), String::from_utf8_lossy(&test.stderr));
    // Without the harness's words, which are of the same test.
    out.lines().filter(|line| line.starts_with('|')).for_each(|line| println!("{line}"));
    assert!(test.status.success() && out.contains("1 passed"), "{out}\n{err}");
}

impl StandIn {
    /// The name of a function in the driver that the tests use, or of a function of HIP in CUDA's.
    /// Functions that only one of them has keep theirs.
    pub(crate) fn name(&self, function: &str) -> String {
        if !on_hip() {
            return function.to_owned();
        }
        let renamed: *const c_char = self.named("standin_renamed", function);
        if renamed.is_null() {
            return function.to_owned();
        }
        // SAFETY: a string that lives as long as the library.
        unsafe { CStr::from_ptr(renamed) }.to_str().unwrap().to_owned()
    }

    /// Whether the driver that the tests use has a function.
    pub(crate) fn has(&self, function: &str) -> bool {
        !on_hip() || self.name(function) != function
    }

    /// Whether memory is allocated in the order of streams. On HIP it never is.
    pub(crate) fn has_pools(&self) -> bool {
        !on_hip() && std::env::var_os("STANDIN_POOLS").is_none()
    }

    /// The name of an error in the driver that the tests use.
    pub(crate) fn error(&self, name: &str) -> String {
        let word = |word: &str| word[..1].to_owned() + &word[1..].to_lowercase();
        match name {
            _ if !on_hip() => format!("CUDA_ERROR_{name}"),
            "LAUNCH_FAILED" => "hipErrorLaunchFailure".to_owned(),
            _ => format!("hipError{}", name.split('_').map(word).collect::<String>()),
        }
    }

    fn named<R>(&self, function: &str, name: &str) -> R {
        let name = CString::new(name).unwrap();
        // SAFETY: the callers name functions that take a string and return an `R`.
        unsafe {
            let call = self.library.get::<unsafe extern "C" fn(*const c_char) -> R>(function.as_bytes()).unwrap();
            call(name.as_ptr())
        }
    }

    fn plain<R>(&self, function: &str) -> R {
        // SAFETY: the callers name functions that take nothing and return an `R`.
        unsafe { self.library.get::<unsafe extern "C" fn() -> R>(function.as_bytes()).unwrap()() }
    }

    /// Calls of a function since the last reset, of all functions for "".
    pub(crate) fn calls(&self, function: &str) -> u64 {
        self.named("standin_calls", &self.name(function))
    }

    /// The functions whose calls do not count: the question which context is current, and on HIP
    /// the change of the thread's mode around each query and wait.
    pub(crate) fn ignored() -> &'static [&'static str] {
        if on_hip() { &["cuCtxGetCurrent", "cuThreadExchangeStreamCaptureMode"] } else { &["cuCtxGetCurrent"] }
    }

    /// Calls of all other functions since the last reset.
    pub(crate) fn all_calls(&self) -> u64 {
        self.calls("") - Self::ignored().iter().map(|function| self.calls(function)).sum::<u64>()
    }

    pub(crate) fn reset_calls(&self) {
        self.plain("standin_reset_calls")
    }

    /// What the calls since the last reset have cost: `synchronization`, those that may wait for
    /// the device without being asked to, or `mapping`, those for which a pool needed more memory.
    pub(crate) fn costs(&self, what: &str) -> u64 {
        self.named("standin_costs", what)
    }

    /// The functions that were called since the last reset, and how often.
    pub(crate) fn called(&self) -> Vec<(String, u64)> {
        let mut text = vec![0u8; 1 << 16];
        // SAFETY: the function has this type, and writes at most so many bytes.
        let length = unsafe {
            let ledger =
                self.library.get::<unsafe extern "C" fn(*mut c_char, usize) -> usize>(b"standin_ledger\0").unwrap();
            ledger(text.as_mut_ptr().cast(), text.len())
        };
        let text = String::from_utf8(text[..length].to_vec()).unwrap();
        let (_, calls) = text.split_once("\"calls\":{").unwrap();
        let (calls, _) = calls.split_once('}').unwrap();
        let call = |entry: &str| {
            let (name, calls) = entry.split_once(':').unwrap();
            (self.name(name.trim_matches('"')), calls.parse().unwrap())
        };
        calls.split(',').map(call).collect()
    }

    /// Objects of a kind that are alive.
    pub(crate) fn live(&self, kind: &str) -> u64 {
        self.named("standin_live", kind)
    }

    /// What the stand-in has reported.
    pub(crate) fn reports(&self) -> u64 {
        self.plain("standin_misuses")
    }

    /// Lets the Nth call from now on fail, `FUNCTION:N:ERROR`; nothing for "".
    pub(crate) fn fail(&self, plan: &str) {
        let renamed = |failure: &str| match failure.split_once(':') {
            Some((function, error)) => format!("{}:{error}", self.name(function)),
            None => failure.to_owned(),
        };
        let plan = plan.split(',').map(renamed).collect::<Vec<_>>().join(",");
        assert_eq!(self.named::<c_int>("standin_fail", &plan), 0, "{plan}");
    }

    /// While it is held, the device does nothing.
    pub(crate) fn hold(&self, held: bool) {
        // SAFETY: the function has this type.
        unsafe { self.library.get::<unsafe extern "C" fn(c_int)>(b"standin_hold\0").unwrap()(held.into()) }
    }

    /// A device that nobody else holds.
    pub(crate) fn device(&self) -> Device {
        assert_eq!(self.live("context"), 0, "the test before has left its device open");
        gpu(0).unwrap()
    }

    /// HIP's devices are never closed, so that an error that sticks does so to the end of the
    /// process, but for this.
    fn reset_hip(&self) {
        if on_hip() {
            self.plain("standin_reset_hip")
        }
    }

    /// A function of the driver, as another library would call it.
    ///
    /// # Safety
    /// `F` is its type.
    pub(crate) unsafe fn function<F: Copy>(&self, name: &str) -> F {
        let name = if on_hip() { self.name(name.trim_end_matches("_v2")) } else { name.to_owned() };
        // SAFETY: the caller's promise.
        *unsafe { self.library.get::<F>(name.as_bytes()) }.unwrap()
    }

    /// What has been opened is closed, and nothing is left of it. At the end of a test, where its
    /// handles are gone.
    #[track_caller]
    pub(crate) fn nothing_is_left(&self) {
        for ((kind, left), before) in KINDS.iter().zip(self.left()).zip(self.left_before.get()) {
            assert_eq!(left, before, "of kind {kind}");
        }
        self.reset_hip();
    }

    /// The same where one call was made to fail that gives something back: that one object may be
    /// left. A context is given back once more, so that the next device gets a new one.
    #[track_caller]
    pub(crate) fn one_object_may_be_left(&self) {
        if self.live("context") > 0 {
            // SAFETY: the function has this type; the device has been opened, and its handles are
            // gone.
            unsafe {
                let release =
                    self.library.get::<unsafe extern "C" fn(c_int) -> c_int>(b"cuDevicePrimaryCtxRelease_v2\0");
                release.unwrap()(0);
            }
        }
        self.reset_hip();
        let left = self.left();
        let sum = |objects: [u64; KINDS.len()]| objects.iter().sum::<u64>();
        assert!(
            sum(left) <= sum(self.left_before.get()) + 1,
            "of {KINDS:?} there are {left:?}, not {:?}",
            self.left_before.get()
        );
        self.left_before.set(left);
    }

    fn left(&self) -> [u64; KINDS.len()] {
        KINDS.map(|kind| self.live(kind))
    }
}

impl Drop for StandIn {
    /// What the stand-in has reported is a failure of this test, not only of the whole run.
    fn drop(&mut self) {
        self.hold(false);
        self.fail("");
        if !std::thread::panicking() {
            assert_eq!(self.reports(), self.reports_before, "the stand-in has reported something, see standard error");
        }
    }
}
