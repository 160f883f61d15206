//! The interface of a GPU compiler.

use std::fmt::Debug;

use super::debug_info::DebugInfo;
use super::driver::Failure;
use crate::codegen::FailedCheck;
use crate::error::{Error, Result};

/// A compiler of C++ for a GPU, loaded at run time. Its functions may be called from any number of
/// threads.
pub(crate) trait Compiler: Debug + Send + Sync {
    /// What distinguishes it from all compilers that generate other code from the same source, as
    /// far as it can be known.
    fn identity(&self) -> &str;
    /// The target for a device of this [architecture](super::driver::Driver::architecture).
    ///
    /// # Errors
    /// The compiler does not support the device.
    fn target(&self, architecture: &str, mode: Mode) -> Result<Target>;
    /// What a failed check can do to its thread; first what it does by default.
    fn failed_checks(&self) -> &'static [FailedCheck];
    /// Compiles a program to an image that the driver can load. Also returns the compiler's log.
    ///
    /// # Errors
    /// The source does not compile, or the compiler fails.
    fn compile(&self, source: &str, kernel: &'static str, target: &Target) -> Result<(Vec<u8>, String)>;
    /// The bytes of local memory of a thread that the variables of a function need, and how many a
    /// thread can have, where the log of a failed compilation says that they are too many.
    fn too_much_local_memory(&self, log: &str) -> Option<LocalMemory>;
    /// The reason why a driver of this version does not load an image of this compiler, if their
    /// versions are the reason.
    fn refused(&self, failure: Failure, driver: (u32, u32), architecture: &str, target: &Target) -> Option<Error>;
}

/// How kernels are compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mode {
    pub(crate) debug: DebugInfo,
    /// Whether `a * b + c` may become one fused operation, which rounds once.
    pub(crate) contract: bool,
}

impl Mode {
    /// Contracted, with this information for debuggers.
    pub(crate) fn with(debug: DebugInfo) -> Self {
        Self { debug, contract: true }
    }
}

/// The local memory of a function that no thread can have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LocalMemory {
    pub(crate) function: String,
    pub(crate) bytes: usize,
    pub(crate) most: usize,
}

/// A compilation target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    /// The compiler's name of the architecture: `sm_90`.
    pub(crate) architecture: String,
    /// Portable code, which the driver compiles for an architecture newer than those that the
    /// compiler supports.
    pub(crate) portable: bool,
    /// The compiler's options; they distinguish targets in the cache.
    pub(crate) options: Vec<String>,
}
