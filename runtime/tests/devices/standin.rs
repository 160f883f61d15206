//! The stand-in for the driver, where the tests run on it.

use std::ffi::{CString, c_char, c_int};

use libloading::Library;

/// Its functions that no driver has.
pub(crate) struct StandIn(Library);

/// `None`: this test skips what it needs it for.
pub(crate) fn standin() -> Option<StandIn> {
    // SAFETY: loading a driver, or the stand-in for one, has no other effects.
    let library = unsafe { Library::new("libcuda.so.1") }.ok()?;
    // SAFETY: the symbol is only looked up.
    let is_standin = unsafe { library.get::<fn()>(b"standin_calls\0") }.is_ok();
    if !is_standin {
        println!("skipped: not on the stand-in for the CUDA driver");
    }
    is_standin.then_some(StandIn(library))
}

impl StandIn {
    /// Lets the Nth call from now on fail, `FUNCTION:N:ERROR`; nothing for "".
    pub(crate) fn fail(&self, plan: &str) {
        let plan = CString::new(plan).unwrap();
        // SAFETY: the function has this type.
        let planned = unsafe {
            self.0.get::<unsafe extern "C" fn(*const c_char) -> c_int>(b"standin_fail\0").unwrap()(plan.as_ptr())
        };
        assert_eq!(planned, 0, "{plan:?}");
    }

    /// The number of calls of a function so far.
    pub(crate) fn calls(&self, function: &str) -> u64 {
        let function = CString::new(function).unwrap();
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

    /// The context that is current on this thread.
    pub(crate) fn current_context(&self) -> usize {
        let mut context = 0;
        // SAFETY: as above.
        let got = unsafe {
            self.0.get::<unsafe extern "C" fn(*mut usize) -> c_int>(b"cuCtxGetCurrent\0").unwrap()(&mut context)
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
