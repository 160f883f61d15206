//! The compiler for generated sources, for tests that have no device.

use super::nvrtc::{Nvrtc, target};
use crate::error::Result;
use crate::gpu::compiler::Compiler;

/// Compiles CUDA C++ to a cubin for one architecture (90 for `sm_90`): the image, and the compiler's log, which is empty
/// where it has nothing to say.
///
/// # Errors
/// NVRTC is not found, or the source does not compile.
pub fn nvrtc_compile(source: &str, architecture: u32) -> Result<(Vec<u8>, String)> {
    Nvrtc::find(None)?.compile(source, "source", &target(architecture, false))
}

/// Compiles CUDA C++ to PTX for one architecture (90 for `compute_90`).
///
/// # Errors
/// NVRTC is not found, or the source does not compile.
pub fn nvrtc_ptx(source: &str, architecture: u32) -> Result<String> {
    let (ptx, _) = Nvrtc::find(None)?.compile(source, "source", &target(architecture, true))?;
    Ok(String::from_utf8_lossy(&ptx).into_owned())
}

/// Where NVRTC was found, and its major and minor version.
///
/// # Errors
/// It is not found; the error says where it was sought and how to get it.
pub fn nvrtc_found() -> Result<(std::path::PathBuf, (u32, u32))> {
    Nvrtc::find(None).map(|nvrtc| (nvrtc.path().to_owned(), nvrtc.version()))
}

/// Those of some architectures (90 for `sm_90`) that NVRTC knows.
///
/// # Errors
/// NVRTC is not found.
pub fn nvrtc_knows(architectures: &[u32]) -> Result<Vec<u32>> {
    let nvrtc = Nvrtc::find(None)?;
    Ok(architectures.iter().copied().filter(|architecture| nvrtc.architectures().contains(architecture)).collect())
}
