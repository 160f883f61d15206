//! The driver's library and its functions, whose result is an integer.
//!
//! `cudarc` declares the functions, and rustc checks each call against its declaration. But the
//! library and the functions do not come from `cudarc`, for two reasons. First, `cudarc` declares
//! that they return an enum with the results of one version of CUDA. A newer driver has other
//! results, and an enum with one of these values would be undefined behaviour. Second, the
//! application chooses whether `cudarc` links or loads the library, and which version of CUDA it
//! declares, because other crates in the same program may need a specific choice.

use std::ffi::{CStr, c_char, c_int};
use std::ptr;
use std::sync::OnceLock;

use cudarc::driver::sys;
use libloading::Library;

/// The type of a function as `cudarc` declares it.
pub(super) trait Declared {
    /// The type of the driver's function.
    type Real;
}

macro_rules! declared {
    ($($($parameter:ident)*;)*) => { $(
        impl<$($parameter),*> Declared for unsafe fn($($parameter),*) -> sys::CUresult {
            type Real = unsafe extern "C" fn($($parameter),*) -> c_int;
        }
    )* };
}
declared! { ; A; A B; A B C; A B C D; A B C D E; A B C D E F; A B C D E F G H I J K; }

const NAMES: &[&str] = if cfg!(windows) { &["nvcuda.dll"] } else { &["libcuda.so.1", "libcuda.so"] };

/// The library, if there is one on this machine. It stays loaded for the life of the process.
pub(super) fn library() -> Option<&'static Library> {
    static LIBRARY: OnceLock<Option<Library>> = OnceLock::new();
    // SAFETY: the initializers of the driver's library are the ones that any CUDA program runs.
    let load = || NAMES.iter().find_map(|name| unsafe { Library::new(*name) }.ok());
    LIBRARY.get_or_init(load).as_ref()
}

/// A function that is looked up by its name at its first call.
pub(super) struct DriverFunction {
    /// Ends in a zero byte.
    name: &'static str,
    found: OnceLock<Option<unsafe extern "C" fn()>>,
}

impl DriverFunction {
    pub(super) const fn new(name: &'static str) -> Self {
        Self { name, found: OnceLock::new() }
    }

    /// The function; `None` if the driver is too old to have it.
    ///
    /// # Safety
    /// `F` is the type that CUDA's documentation gives the function of this name.
    pub(super) unsafe fn find<F: Declared>(&self) -> Option<F::Real> {
        let found = self.found.get_or_init(|| {
            // SAFETY: only its address is taken here.
            unsafe { library()?.get(self.name.as_bytes()) }.ok().map(|symbol| *symbol)
        });
        // SAFETY: `F::Real` is a function pointer, too, as each `Declared` implementation states.
        // The caller promises that its type is right. A `CUresult` of C is an int.
        found.map(|function| unsafe { std::mem::transmute_copy(&function) })
    }

    /// [`find`](Self::find) for a function that `cudarc` declares.
    ///
    /// # Safety
    /// `declared` is the declaration of the function of this name.
    pub(super) unsafe fn find_like<F: Declared>(&self, _declared: F) -> Option<F::Real> {
        // SAFETY: the caller's promise; `cudarc`'s declarations are generated from cuda.h.
        unsafe { self.find::<F>() }
    }
}

/// The driver's text for a result, from `cuGetErrorName` or `cuGetErrorString`.
pub(super) fn text_of(code: u32, function: &CStr, otherwise: &str) -> String {
    type Lookup = unsafe extern "C" fn(u32, *mut *const c_char) -> c_int;
    let mut text: *const c_char = ptr::null();
    // SAFETY: both functions have this type, because the enum of C is an int. They write a pointer
    // to a static string, or null.
    unsafe {
        if let Some(Ok(lookup)) = library().map(|library| library.get::<Lookup>(function.to_bytes_with_nul())) {
            lookup(code, &mut text);
        }
        if text.is_null() { otherwise.to_owned() } else { CStr::from_ptr(text).to_string_lossy().into_owned() }
    }
}
