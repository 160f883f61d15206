//! The compiler for generated sources, for tests without a device.

use super::nvrtc::{Nvrtc, target};
use crate::error::Result;
use crate::gpu::compiler::{Compiler, Mode};
use crate::gpu::debug_info::DebugInfo;

/// Compiles CUDA C++ to a cubin for one architecture (90 for `sm_90`). Returns the image and the
/// compiler's log, which is empty if there are no messages.
///
/// # Errors
/// NVRTC is not found, or the source does not compile.
pub fn nvrtc_compile(source: &str, architecture: u32) -> Result<(Vec<u8>, String)> {
    Nvrtc::find(None)?.compile(source, "source", &target(architecture, false, Mode::with(DebugInfo::None)))
}

/// The same with the lines of the source.
///
/// # Errors
/// NVRTC is not found, or the source does not compile.
pub fn nvrtc_compile_with_lines(source: &str, architecture: u32) -> Result<(Vec<u8>, String)> {
    Nvrtc::find(None)?.compile(source, "source", &target(architecture, false, Mode::with(DebugInfo::Lines)))
}

/// The same with all that a debugger needs, and without optimization.
///
/// # Errors
/// NVRTC is not found, or the source does not compile.
pub fn nvrtc_compile_for_debuggers(source: &str, architecture: u32) -> Result<(Vec<u8>, String)> {
    Nvrtc::find(None)?.compile(source, "source", &target(architecture, false, Mode::with(DebugInfo::Full)))
}

/// Compiles CUDA C++ to PTX for one architecture (90 for `compute_90`).
///
/// # Errors
/// NVRTC is not found, or the source does not compile.
pub fn nvrtc_ptx(source: &str, architecture: u32) -> Result<String> {
    let (ptx, _) =
        Nvrtc::find(None)?.compile(source, "source", &target(architecture, true, Mode::with(DebugInfo::None)))?;
    Ok(String::from_utf8_lossy(&ptx).into_owned())
}

/// The path of NVRTC, and its major and minor version.
///
/// # Errors
/// NVRTC is not found. The error lists the places that were searched, and says how to install it.
pub fn nvrtc_found() -> Result<(std::path::PathBuf, (u32, u32))> {
    Nvrtc::find(None).map(|nvrtc| (nvrtc.path().to_owned(), nvrtc.version()))
}

/// Returns those of `architectures` (90 for `sm_90`) that NVRTC supports.
///
/// # Errors
/// NVRTC is not found.
pub fn nvrtc_knows(architectures: &[u32]) -> Result<Vec<u32>> {
    let nvrtc = Nvrtc::find(None)?;
    Ok(architectures.iter().copied().filter(|architecture| nvrtc.architectures().contains(architecture)).collect())
}
