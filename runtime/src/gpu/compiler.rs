//! The interface of a GPU compiler.

use std::fmt::Debug;
use std::path::Path;

use super::debug_info::DebugInfo;
use super::driver::Failure;
use crate::codegen::FailedCheck;
use crate::error::{Error, Result};

/// A compiler of C++ for a GPU, loaded at run time. Its functions may be called from any number of threads.
pub(crate) trait Compiler: Debug + Send + Sync {
    /// Major and minor.
    fn version(&self) -> (u32, u32);
    /// The library's file, or its name if the loader found it.
    fn path(&self) -> &Path;
    /// The target for a device of this [capability](super::driver::Driver::capability).
    ///
    /// # Errors
    /// The compiler does not support the device.
    fn target(&self, capability: (u32, u32), mode: Mode) -> Result<Target>;
    /// What a failed check does to its thread, by default.
    fn failed_check(&self) -> FailedCheck;
    /// Compiles a program to an image that the driver can load. Also returns the compiler's log.
    ///
    /// # Errors
    /// The source does not compile, or the compiler fails.
    fn compile(&self, source: &str, kernel: &'static str, target: &Target) -> Result<(Vec<u8>, String)>;
    /// The reason why a driver of this version does not load an image of this compiler, if their versions are the reason.
    fn refused(&self, failure: Failure, driver: (u32, u32), capability: (u32, u32), target: &Target) -> Option<Error>;
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

/// A compilation target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    /// The compiler's number of the architecture: 90 for `sm_90`.
    pub(crate) architecture: u32,
    /// Portable code, which the driver compiles for an architecture newer than those that the compiler supports.
    pub(crate) portable: bool,
    /// The compiler's options; they distinguish targets in the cache.
    pub(crate) options: Vec<String>,
}
