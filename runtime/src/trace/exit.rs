//! A function that runs when the process ends by `exit` or by the end of `main`.

#![allow(unsafe_code, reason = "`atexit`")]

/// Lets `function` run then. Functions that were given later run earlier. It must not panic. On
/// other platforms this does nothing.
pub(super) fn at_exit(function: extern "C" fn()) {
    #[cfg(any(unix, windows))]
    {
        unsafe extern "C" {
            fn atexit(function: extern "C" fn()) -> std::ffi::c_int;
        }
        // SAFETY: `atexit` is a function of the C standard library, which std links on these
        // platforms. It only stores the pointer, which is valid as long as the program.
        let _ = unsafe { atexit(function) }; // it fails only without memory; then there is no trace
    }
    #[cfg(not(any(unix, windows)))]
    let _ = function;
}
