//! The platforms of GPUs.

use std::fmt;

/// The libraries of a vendor that run kernels on its GPUs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Platform {
    /// NVIDIA's driver, and NVRTC, which compiles kernels.
    Cuda,
    /// AMD's HIP runtime, a part of ROCm, and HIPRTC, which compiles kernels.
    Hip,
}

impl Platform {
    /// What a machine lacks that has no device of this platform.
    pub(crate) fn missing(self) -> &'static str {
        match self {
            Platform::Cuda => "this machine has no usable CUDA driver or no CUDA device",
            Platform::Hip => {
                "this machine has no usable HIP runtime (`libamdhip64.so` of ROCm 6 or 7) or no AMD GPU that it supports"
            }
        }
    }

    /// What to do where the driver is too old.
    pub(crate) fn update(self) -> &'static str {
        match self {
            Platform::Cuda => "update the NVIDIA driver",
            Platform::Hip => "update ROCm",
        }
    }

    /// The compiler of kernels.
    pub(crate) fn compiler(self) -> &'static str {
        match self {
            Platform::Cuda => "NVRTC",
            Platform::Hip => "HIPRTC",
        }
    }

    /// What to do where there is no compiler.
    pub(crate) fn install(self) -> &'static str {
        match self {
            Platform::Cuda => {
                "install it with `pip install nvidia-cuda-nvrtc` (CUDA 13), `pip install nvidia-cuda-nvrtc-cu12` (CUDA 12) or the \
                 CUDA toolkit, or set ANABRANCH_NVRTC to the path of the library"
            }
            Platform::Hip => {
                "install the package of ROCm that has `libhiprtc.so` (`hip-runtime-amd`, or `libhiprtc` of the distribution), or set \
                 ANABRANCH_HIPRTC to the path of the library"
            }
        }
    }
}

/// As in `CUDA device 0`.
impl fmt::Display for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Platform::Cuda => "CUDA",
            Platform::Hip => "HIP",
        })
    }
}
