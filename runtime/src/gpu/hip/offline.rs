//! HIPRTC for generated sources, for tests without a device.

use super::hiprtc::Hiprtc;
use crate::error::Result;
use crate::gpu::compiler::{Compiler, Mode};
use crate::gpu::debug_info::DebugInfo;

/// Compiles HIP C++ for one architecture, such as `gfx90a`. Returns the image and the compiler's
/// log. Some versions of HIPRTC end the process if they cannot compile something.
///
/// # Errors
/// HIPRTC is not found, does not know the architecture, or the source does not compile.
pub fn hiprtc_compile(source: &str, architecture: &str) -> Result<(Vec<u8>, String)> {
    // The oldest version that the runtime accepts.
    let hiprtc = Hiprtc::find((6, 0))?;
    hiprtc.compile(source, "source", &hiprtc.target(architecture, Mode::with(DebugInfo::None))?)
}
