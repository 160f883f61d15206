//! The driver of the GPUs that tests use, as other libraries call it.

use std::ffi::CString;
use std::sync::OnceLock;

use libloading::Library;

use crate::gpus::on_hip;

/// Panics without a driver.
pub fn driver() -> &'static Library {
    static DRIVER: OnceLock<Library> = OnceLock::new();
    let names: &[&str] = if on_hip() { &["libamdhip64.so.7", "libamdhip64.so.6"] } else { &["libcuda.so.1"] };
    // SAFETY: loading a driver, or the stand-in for one, has no other effects.
    DRIVER.get_or_init(|| names.iter().find_map(|name| unsafe { Library::new(*name) }.ok()).expect("a driver"))
}

/// A function that CUDA and HIP have, by its names there.
///
/// # Safety
/// Both have the type `F`.
pub unsafe fn function<F: Copy>(cuda: &str, hip: &str) -> F {
    let name = CString::new(if on_hip() { hip } else { cuda }).unwrap();
    // SAFETY: the caller's promise.
    *unsafe { driver().get::<F>(name.as_bytes_with_nul()) }.unwrap()
}
