//! The driver's library and its functions as they really are: their result is an int.
//!
//! `cudarc` declares the functions, and rustc checks each call against its declaration. The library and the functions do not come from
//! `cudarc`, for two reasons. It declares that they return an enum of the results that one version of CUDA has; a newer driver has others,
//! and an enum that holds one of those would be undefined behaviour. And whether it links the library or loads it, and which version of
//! CUDA it declares, is for the application to choose: other crates in the same program ask for one or the other.

use std::ffi::{CStr, c_char, c_int};
use std::ptr;
use std::sync::OnceLock;

use cudarc::driver::sys;
use libloading::Library;

/// The type of a function as `cudarc` declares it.
pub(super) trait Declared {
    /// As the driver has it.
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

/// A function by its name, looked up at its first call.
pub(super) struct Symbol {
    /// Ends in a zero byte.
    name: &'static str,
    found: OnceLock<Option<unsafe extern "C" fn()>>,
}

impl Symbol {
    pub(super) const fn new(name: &'static str) -> Self {
        Self { name, found: OnceLock::new() }
    }

    /// The function; none where the driver is too old to have it.
    ///
    /// # Safety
    /// `F` is the type that CUDA's documentation gives the function of this name.
    pub(super) unsafe fn find<F: Declared>(&self) -> Option<F::Real> {
        let found = self.found.get_or_init(|| {
            // SAFETY: only its address is taken here.
            unsafe { library()?.get(self.name.as_bytes()) }.ok().map(|symbol| *symbol)
        });
        // SAFETY: `F::Real` is a pointer to a function too, as every `Declared` says; that it is of the right type is the caller's
        // promise. A `CUresult` of C is an int.
        found.map(|function| unsafe { std::mem::transmute_copy(&function) })
    }

    /// The same for a function that `cudarc` declares.
    ///
    /// # Safety
    /// `declared` is the declaration of the function of this name.
    pub(super) unsafe fn find_like<F: Declared>(&self, _declared: F) -> Option<F::Real> {
        // SAFETY: the caller's promise; `cudarc`'s declarations are generated from cuda.h.
        unsafe { self.find::<F>() }
    }
}

/// What the driver says of a result: by `cuGetErrorName` or `cuGetErrorString`.
pub(super) fn text_of(code: u32, function: &CStr, otherwise: &str) -> String {
    type Lookup = unsafe extern "C" fn(u32, *mut *const c_char) -> c_int;
    let mut text: *const c_char = ptr::null();
    // SAFETY: both functions have this type, where the enum of C is an int. They write a pointer to a static string or null.
    unsafe {
        if let Some(Ok(lookup)) = library().map(|library| library.get::<Lookup>(function.to_bytes_with_nul())) {
            lookup(code, &mut text);
        }
        if text.is_null() { otherwise.to_owned() } else { CStr::from_ptr(text).to_string_lossy().into_owned() }
    }
}
