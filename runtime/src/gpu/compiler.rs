//! What a GPU's compiler has to do.

use std::fmt::Debug;
use std::path::Path;

use super::driver::Failure;
use crate::codegen::FailedCheck;
use crate::error::{Error, Result};

/// A compiler of C++ for a GPU, loaded at run time. Its functions may be called from any number of threads.
pub(crate) trait Compiler: Debug + Send + Sync {
    /// Major and minor.
    fn version(&self) -> (u32, u32);
    /// The library's file, or its name where the loader found it.
    fn path(&self) -> &Path;
    /// What to compile for, for a device of this [capability](super::driver::Driver::capability).
    ///
    /// # Errors
    /// The compiler does not know such devices.
    fn target(&self, capability: (u32, u32)) -> Result<Target>;
    /// What a check that fails does to its thread, by default.
    fn failed_check(&self) -> FailedCheck;
    /// Compiles a program to an image that the driver loads, and gives what the compiler had to say about it.
    ///
    /// # Errors
    /// The source does not compile, or the compiler fails.
    fn compile(&self, source: &str, kernel: &'static str, target: &Target) -> Result<(Vec<u8>, String)>;
    /// Why a driver of this version refuses to load an image that this compiler has made, if that has to do with the two.
    fn refused(&self, failure: Failure, driver: (u32, u32), capability: (u32, u32), target: &Target) -> Option<Error>;
}

/// What to compile for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    /// The architecture, as a number of the compiler: 90 for `sm_90`.
    pub(crate) architecture: u32,
    /// Portable code, which the driver compiles for a newer architecture than the compiler knows.
    pub(crate) portable: bool,
    /// The compiler's options; they tell targets apart in the cache.
    pub(crate) options: Vec<String>,
}
