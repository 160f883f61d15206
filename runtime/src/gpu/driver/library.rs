//! Functions of the driver's library as they really are: their result is an int.
//!
//! `cudarc` declares that they return an enum of the results that one version of CUDA has. A newer driver has others, and an
//! enum that holds one of those would be undefined behaviour. So the types of the arguments come from `cudarc`'s declarations,
//! where rustc checks each call against them, and the functions themselves from its library.

use std::ffi::c_int;
use std::sync::OnceLock;

use cudarc::driver::sys;

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
            // SAFETY: only its address is taken here. The library stays loaded for the life of the process.
            unsafe { sys::culib().get(self.name.as_bytes()) }.ok().map(|symbol| *symbol)
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
