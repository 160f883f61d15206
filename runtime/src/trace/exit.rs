//! A function that runs when the process ends by `exit` or by the end of `main`.

use std::ffi::c_int;

/// Lets `function` run then. Functions that were given later run earlier. It must not panic.
pub(super) fn at_exit(function: extern "C" fn()) {
    unsafe extern "C" {
        fn atexit(function: extern "C" fn()) -> c_int;
    }
    // SAFETY: `atexit` is a function of the C standard library, which std links on all platforms that have threads and files. It only stores
    // the pointer, which is valid as long as the program.
    let _ = unsafe { atexit(function) }; // a failure means that there is no memory
}
