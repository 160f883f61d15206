//! The stand-in for the driver, where the tests run on it.

use std::ffi::{CStr, CString, c_char, c_int};

use libloading::Library;

use crate::gpus::on_hip;

/// Its functions that no driver has. Functions of the driver are named as in CUDA; on HIP, the one
/// that does the same is meant.
pub(crate) struct StandIn(Library);

/// `None`: this test skips what it needs it for.
pub(crate) fn standin() -> Option<StandIn> {
    // SAFETY: loading a driver, or the stand-in for one, has no other effects.
    let library = unsafe { Library::new("libcuda.so.1") }.ok()?;
    // SAFETY: the symbol is only looked up.
    let is_standin = unsafe { library.get::<fn()>(b"standin_calls\0") }.is_ok();
    if !is_standin {
        println!("skipped: not on the stand-in for a driver");
    }
    is_standin.then_some(StandIn(library))
}

impl StandIn {
    /// The function's name in the driver that the tests use. One that HIP does not have is never
    /// called.
    fn name(&self, function: &str) -> CString {
        let function = CString::new(function).unwrap();
        if !on_hip() {
            return function;
        }
        type Renamed = unsafe extern "C" fn(*const c_char) -> *const c_char;
        // SAFETY: the function has this type, and returns a string that lives as long as the
        // library, or null.
        unsafe {
            let name = self.0.get::<Renamed>(b"standin_renamed\0").unwrap()(function.as_ptr());
            if name.is_null() { function } else { CStr::from_ptr(name).to_owned() }
        }
    }

    /// Lets the Nth call from now on fail, `FUNCTION:N:ERROR`; nothing for "".
    pub(crate) fn fail(&self, plan: &str) {
        let (function, failure) = plan.split_once(':').unwrap_or_default();
        let plan = match plan {
            "" => CString::default(),
            _ => CString::new(format!("{}:{failure}", self.name(function).to_str().unwrap())).unwrap(),
        };
        // SAFETY: the function has this type.
        let planned = unsafe {
            self.0.get::<unsafe extern "C" fn(*const c_char) -> c_int>(b"standin_fail\0").unwrap()(plan.as_ptr())
        };
        assert_eq!(planned, 0, "{plan:?}");
    }

    /// The number of calls of a function so far.
    pub(crate) fn calls(&self, function: &str) -> u64 {
        let function = self.name(function);
        // SAFETY: as above.
        unsafe {
            self.0.get::<unsafe extern "C" fn(*const c_char) -> u64>(b"standin_calls\0").unwrap()(function.as_ptr())
        }
    }

    /// What calls have cost so far: `staging`, copies for which the driver goes through the host.
    pub(crate) fn costs(&self, what: &str) -> u64 {
        let what = CString::new(what).unwrap();
        // SAFETY: as above.
        unsafe { self.0.get::<unsafe extern "C" fn(*const c_char) -> u64>(b"standin_costs\0").unwrap()(what.as_ptr()) }
    }

    /// What it has reported so far.
    pub(crate) fn reports(&self) -> u64 {
        // SAFETY: as above.
        unsafe { self.0.get::<unsafe extern "C" fn() -> u64>(b"standin_misuses\0").unwrap()() }
    }

    /// Objects of a kind that are alive.
    pub(crate) fn live(&self, kind: &str) -> u64 {
        let kind = CString::new(kind).unwrap();
        // SAFETY: as above.
        unsafe { self.0.get::<unsafe extern "C" fn(*const c_char) -> u64>(b"standin_live\0").unwrap()(kind.as_ptr()) }
    }

    /// The context that is current on this thread, or HIP's device.
    pub(crate) fn current_context(&self) -> usize {
        let mut context = 0;
        let name = self.name("cuCtxGetCurrent");
        // SAFETY: as above.
        let got = unsafe {
            self.0.get::<unsafe extern "C" fn(*mut usize) -> c_int>(name.as_bytes_with_nul()).unwrap()(&mut context)
        };
        assert_eq!(got, 0);
        context
    }

    /// While it is held, the devices do nothing.
    pub(crate) fn hold(&self, held: bool) {
        // SAFETY: the function has this type.
        unsafe { self.0.get::<unsafe extern "C" fn(c_int)>(b"standin_hold\0").unwrap()(held.into()) }
    }
}
