//! Devices: the CPU, or a GPU.

mod trace;

use std::fmt;
use std::sync::{Arc, Weak};

use crate::backend::Backend;
use crate::error::Result;
use crate::gpu::pool::PoolStats;
use crate::lock::Lock;
use crate::platform::Platform;
use crate::settings::setting;

/// A device that runs kernels and holds buffers: the CPU, or one GPU.
///
/// This is a cheap handle. Clones refer to the same device, and everything created from a device
/// keeps it alive. When the last handle is dropped, the device is synchronized and its resources
/// are destroyed.
#[derive(Clone)]
#[doc(alias("CUdevice", "CUcontext", "cudaSetDevice", "CudaContext"))]
pub struct Device {
    backend: Arc<Backend>,
}

impl Device {
    /// Selects the device that `ANABRANCH_DEVICE` names (`cpu`, `cuda`, `cuda:N`, `hip`, `hip:N`).
    /// If the variable is not set, selects the first CUDA device, or else the first AMD GPU, or
    /// else the CPU.
    ///
    /// # Errors
    /// The variable holds something else, or names a device that does not exist. If a GPU is
    /// present but unusable (its driver is too old, the compiler of kernels is missing), this is
    /// also an error, which says how to fix it; it never falls back to another device silently.
    pub fn auto() -> Result<Self> {
        const EXPECTED: &str = "`cpu`, `cuda` or `hip`, or `cuda:N` or `hip:N` with the number of a device";
        if let Some(device) = setting("ANABRANCH_DEVICE", EXPECTED, Self::named)? {
            return device;
        }
        for platform in [Platform::Cuda, Platform::Hip] {
            if Backend::gpu_count(platform)? > 0 {
                return Self::open(platform, 0);
            }
        }
        Ok(Self::cpu())
    }

    /// `None` if the name is none of the supported forms.
    fn named(name: &str) -> Option<Result<Self>> {
        match name.split_once(':') {
            None if name == "cpu" => Some(Ok(Self::cpu())),
            None if name == "cuda" => Some(Self::cuda(0)),
            None if name == "hip" => Some(Self::hip(0)),
            Some(("cuda", number)) => Some(Self::cuda(number.parse().ok()?)),
            Some(("hip", number)) => Some(Self::hip(number.parse().ok()?)),
            _ => None,
        }
    }

    /// Creates a CPU device. Each call creates a separate device; clones share one.
    pub fn cpu() -> Self {
        Self { backend: Arc::new(Backend::cpu()) }
    }

    /// Opens the CUDA device with this number, counted from 0. As long as a handle of that device
    /// exists, each call returns the same device.
    ///
    /// # Errors
    /// The device does not exist, its driver is older than CUDA 12.0, NVRTC is not found, or the
    /// driver fails.
    pub fn cuda(ordinal: usize) -> Result<Self> {
        Self::open(Platform::Cuda, ordinal)
    }

    /// Opens the AMD GPU with this number, counted from 0 as HIP counts them. As long as a handle
    /// of that device exists, each call returns the same device.
    ///
    /// # Errors
    /// The device does not exist, its HIP runtime is older than ROCm 6.0, HIPRTC is not found or
    /// cannot compile for the GPU, or the runtime fails.
    pub fn hip(ordinal: usize) -> Result<Self> {
        Self::open(Platform::Hip, ordinal)
    }

    fn open(platform: Platform, ordinal: usize) -> Result<Self> {
        static OPEN: Lock<Vec<(Platform, usize, Weak<Backend>)>> = Lock::new(Vec::new());
        let mut open = OPEN.lock();
        if let Some(backend) =
            open.iter().find(|(of, n, _)| (*of, *n) == (platform, ordinal)).and_then(|(.., device)| device.upgrade())
        {
            return Ok(Self { backend });
        }
        let backend = Arc::new(Backend::gpu(platform, ordinal)?);
        open.retain(|(.., device)| device.strong_count() > 0);
        open.push((platform, ordinal, Arc::downgrade(&backend)));
        Ok(Self { backend })
    }

    /// Returns the number of CUDA devices; 0 on a machine without a CUDA driver.
    ///
    /// # Errors
    /// A driver is installed, but it fails to start.
    #[doc(alias("cudaGetDeviceCount", "cuDeviceGetCount"))]
    pub fn cuda_count() -> Result<usize> {
        Backend::gpu_count(Platform::Cuda)
    }

    /// Returns the number of AMD GPUs; 0 on a machine without HIP.
    ///
    /// # Errors
    /// The HIP runtime is installed, but it fails to start.
    #[doc(alias("hipGetDeviceCount"))]
    pub fn hip_count() -> Result<usize> {
        Backend::gpu_count(Platform::Hip)
    }

    /// Blocks until all work that has been queued on the device is complete: on all streams, also
    /// on those of other threads and libraries.
    ///
    /// # Errors
    /// [`Error::KernelPanic`](crate::Error::KernelPanic) if device code has panicked since the last
    /// report; [`Error::NotCapturable`](crate::Error::NotCapturable) in the closure of a capture,
    /// and on a GPU as long as another thread captures, because the driver would break that
    /// capture; or the device is lost.
    #[doc(alias("cudaDeviceSynchronize", "cuCtxSynchronize"))]
    pub fn synchronize(&self) -> Result<()> {
        self.backend.synchronize()
    }

    /// Returns the name that the vendor has given to the device: `NVIDIA H200`. That of a CPU
    /// device is `CPU`.
    ///
    /// `Display` prints the number and the architecture of a GPU, too, and the number of threads of
    /// a CPU device, with its own number if the process has made several.
    #[doc(alias("cudaGetDeviceProperties", "cuDeviceGetName"))]
    pub fn name(&self) -> &str {
        self.backend.name()
    }

    /// Returns how much memory the device has, and how much of it is free.
    ///
    /// Memory that the runtime keeps for its next buffers is not free: it belongs to this process.
    /// On the CPU device this is the memory of the machine, as Linux reports it (`MemTotal` and
    /// `MemAvailable`); a limit of the process is not considered. On other systems, both numbers
    /// are `usize::MAX`, because the runtime does not know them.
    ///
    /// ```
    /// # use anabranch::prelude::*;
    /// # fn main() -> anabranch::Result<()> {
    /// let device = Device::auto()?;
    /// let memory = device.memory()?;
    /// println!("{}: {} of {} MiB are free", device.name(), memory.free >> 20, memory.total >> 20);
    /// # assert!(!device.name().is_empty() && memory.free <= memory.total);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The driver fails, or the device is lost.
    #[doc(alias("cudaMemGetInfo", "cuMemGetInfo"))]
    pub fn memory(&self) -> Result<MemoryInfo> {
        let (free, total) = self.backend.memory_info()?;
        Ok(MemoryInfo { free, total })
    }

    /// Returns `true` if this is a CPU device.
    pub fn is_cpu(&self) -> bool {
        self.backend.is_cpu()
    }

    /// Returns the pool of streams on which the groups of `stream_parallel!` run.
    pub fn stream_pool(&self) -> StreamPool {
        StreamPool { device: self.clone() }
    }

    /// Returns the platform of a GPU; `None` for a CPU device.
    pub fn platform(&self) -> Option<Platform> {
        match self.backend() {
            Backend::Gpu { gpu, .. } => Some(gpu.platform()),
            Backend::Cpu(_) => None,
        }
    }

    /// The GPU, if it is a CUDA device.
    #[cfg(feature = "cudarc")]
    pub(crate) fn cuda_gpu(&self) -> Option<&Arc<crate::gpu::Gpu>> {
        match self.backend() {
            Backend::Gpu { gpu, .. } if gpu.platform() == Platform::Cuda => Some(gpu),
            Backend::Gpu { .. } | Backend::Cpu(_) => None,
        }
    }

    pub(crate) fn backend(&self) -> &Backend {
        &self.backend
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.backend.fmt(f)
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Device({self})")
    }
}

/// The memory of a device, from [`Device::memory`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryInfo {
    /// Number of bytes that are not allocated.
    pub free: usize,
    /// Number of bytes of the device.
    pub total: usize,
}

/// The pool of streams on which the groups of `stream_parallel!` run.
///
/// Streams are created when they are first needed and then kept, so that a launch in steady state
/// creates none. The pool holds at most 32 streams for each priority, or `ANABRANCH_MAX_STREAMS`.
///
/// Streams reach the device through hardware queues. A process has 8 of them, and streams that
/// share a queue may wait for each other. If more than 8 groups should overlap, set
/// `CUDA_DEVICE_MAX_CONNECTIONS` (up to 32) before the program starts. [`PoolStats::beyond_queues`]
/// counts how often more queues would have been used.
#[derive(Debug, Clone)]
pub struct StreamPool {
    device: Device,
}

impl StreamPool {
    /// Destroys the streams that no group currently holds. Those of an AMD GPU are kept for other
    /// uses until the device is closed.
    pub fn trim(&self) {
        self.device.backend().trim_pool();
    }

    /// Returns counters of what the pool has done so far. They are all zero on the CPU, which has
    /// no streams.
    pub fn stats(&self) -> PoolStats {
        self.device.backend().pool_stats()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[test]
    fn devices_have_names() {
        assert!(Device::named("cpu").unwrap().unwrap().is_cpu());
        for wrong in ["gpu", "cuda:", "cuda:x", "cuda:-1", "hip:", "HIP", "hip:0:1", "CPU", "cpu:0"] {
            assert!(Device::named(wrong).is_none(), "{wrong}");
        }
        assert!(matches!(Device::named("cuda:4000"), Some(Err(Error::NoSuchDevice { platform: Platform::Cuda, .. }))));
        assert!(matches!(Device::named("hip:4000"), Some(Err(Error::NoSuchDevice { platform: Platform::Hip, .. }))));
    }
}
