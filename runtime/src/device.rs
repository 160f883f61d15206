//! Devices: the CPU, or a CUDA GPU.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::backend::Backend;
use crate::error::{Error, Result};
use crate::gpu::pool::PoolStats;

/// Where kernels run and buffers live: the CPU, or one CUDA GPU.
///
/// A cheap handle: clones are the same device, and everything made from it keeps it alive. When the last one goes, the
/// device is synchronized and what it owns is destroyed.
#[derive(Clone)]
pub struct Device {
    backend: Arc<Backend>,
}

impl Device {
    /// The device that `ANABRANCH_DEVICE` names (`cpu`, `cuda`, `cuda:N`); without that, the first CUDA device, or the
    /// CPU of a machine that has none.
    ///
    /// # Errors
    /// The variable holds something else, or names a device that is not there. Where there is a CUDA device that cannot
    /// be used (its driver is too old, NVRTC is missing), that is an error too, which says how to mend it: falling back
    /// to the CPU would hide it.
    pub fn auto() -> Result<Self> {
        const NAME: &str = "ANABRANCH_DEVICE";
        match std::env::var_os(NAME).filter(|value| !value.is_empty()) {
            Some(value) => {
                let value = value.to_string_lossy().into_owned();
                Self::named(&value).unwrap_or_else(|| {
                    Err(Error::Setting {
                        name: NAME,
                        value,
                        expected: "`cpu`, `cuda` or `cuda:N` with the number of a device",
                    })
                })
            }
            None if Self::cuda_count()? > 0 => Self::cuda(0),
            None => Ok(Self::cpu()),
        }
    }

    /// `None`: no such kind of device.
    fn named(name: &str) -> Option<Result<Self>> {
        match name.split_once(':') {
            None if name == "cpu" => Some(Ok(Self::cpu())),
            None if name == "cuda" => Some(Self::cuda(0)),
            Some(("cuda", number)) => Some(Self::cuda(number.parse().ok()?)),
            _ => None,
        }
    }

    /// The CPU. Each call makes a device of its own; clones share one.
    pub fn cpu() -> Self {
        Self { backend: Arc::new(Backend::cpu()) }
    }

    /// The CUDA device of this number, from 0. While any handle of it lives, every call gives the same device.
    ///
    /// # Errors
    /// There is no such device, its driver is older than CUDA 12.0, NVRTC is not found, or the driver fails.
    pub fn cuda(ordinal: usize) -> Result<Self> {
        static OPEN: Mutex<Vec<(usize, Weak<Backend>)>> = Mutex::new(Vec::new());
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(backend) = open.iter().find(|(n, _)| *n == ordinal).and_then(|(_, device)| device.upgrade()) {
            return Ok(Self { backend });
        }
        let backend = Arc::new(Backend::cuda(ordinal)?);
        open.retain(|(_, device)| device.strong_count() > 0);
        open.push((ordinal, Arc::downgrade(&backend)));
        Ok(Self { backend })
    }

    /// Number of CUDA devices; 0 on a machine without a CUDA driver.
    ///
    /// # Errors
    /// There is a driver, but it does not start.
    pub fn cuda_count() -> Result<usize> {
        Backend::cuda_count()
    }

    /// Whether this is the CPU.
    pub fn is_cpu(&self) -> bool {
        self.backend.is_cpu()
    }

    /// The streams that the groups of `stream_parallel!` run on.
    pub fn stream_pool(&self) -> StreamPool {
        StreamPool { device: self.clone() }
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

/// The streams of a device that the groups of `stream_parallel!` run on. They are made when they are first needed and
/// kept, so that a launch in steady state makes none. At most 32 a priority, or `ANABRANCH_MAX_STREAMS`.
///
/// Streams reach the device through hardware queues, of which a process has 8, and streams that share one may wait for each other. Where
/// more than 8 groups are to overlap, set `CUDA_DEVICE_MAX_CONNECTIONS` (up to 32) before the program starts;
/// [`PoolStats::beyond_queues`] counts how often that would matter.
#[derive(Debug, Clone)]
pub struct StreamPool {
    device: Device,
}

impl StreamPool {
    /// Destroys the streams that no group holds.
    pub fn trim(&self) {
        self.device.backend().trim_pool();
    }

    /// What the pool has done so far. The CPU has no streams: all zeros.
    pub fn stats(&self) -> PoolStats {
        self.device.backend().pool_stats()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_have_names() {
        assert!(Device::named("cpu").unwrap().unwrap().is_cpu());
        for wrong in ["gpu", "cuda:", "cuda:x", "cuda:-1", "CPU", "cpu:0"] {
            assert!(Device::named(wrong).is_none(), "{wrong}");
        }
        assert!(matches!(Device::named("cuda:4000"), Some(Err(_))));
    }
}
