//! Devices: the CPU, or a CUDA GPU.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::buffer::Buffer;
use crate::cpu::Cpu;
use crate::error::{Error, Result};
use crate::gpu::pool::PoolStats;
use crate::gpu::{Cuda, CudaStream, Level};
use crate::stream::{Kind, Stream};
use crate::value::scalar::Scalar;

/// Where kernels run and buffers live: the CPU, or one CUDA GPU.
///
/// A cheap handle: clones are the same device, and everything made from it keeps it alive. When the last one goes, the
/// device is synchronized and what it owns is destroyed.
#[derive(Clone)]
pub struct Device {
    inner: Arc<Backend>,
}

/// The two kinds of device.
#[derive(Debug)]
pub(crate) enum Backend {
    /// Native code on `rayon`.
    Cpu(Arc<Cpu>),
    /// A GPU, and the stream that [`Device::default_stream`] hands out.
    Cuda { cuda: Arc<Cuda>, default_stream: Arc<CudaStream> },
}

/// How urgent the work of a stream is against that of other streams.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Priority {
    /// After all others. Many GPUs have no level below the normal one.
    Low,
    /// As streams are by default.
    #[default]
    Normal,
    /// Before all others.
    High,
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
        Self { inner: Arc::new(Backend::Cpu(Arc::default())) }
    }

    /// The CUDA device of this number, from 0. While any handle of it lives, every call gives the same device.
    ///
    /// # Errors
    /// There is no such device, its driver is older than CUDA 12.0, NVRTC is not found, or the driver fails.
    pub fn cuda(ordinal: usize) -> Result<Self> {
        static OPEN: Mutex<Vec<(usize, Weak<Backend>)>> = Mutex::new(Vec::new());
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(inner) = open.iter().find(|(n, _)| *n == ordinal).and_then(|(_, device)| device.upgrade()) {
            return Ok(Self { inner });
        }
        let cuda = Cuda::open(ordinal)?;
        let default_stream = Arc::new(cuda.create_stream(Level::Normal)?);
        let inner = Arc::new(Backend::Cuda { cuda, default_stream });
        open.retain(|(_, device)| device.strong_count() > 0);
        open.push((ordinal, Arc::downgrade(&inner)));
        Ok(Self { inner })
    }

    /// Number of CUDA devices; 0 on a machine without a CUDA driver.
    ///
    /// # Errors
    /// There is a driver, but it does not start.
    pub fn cuda_count() -> Result<usize> {
        Cuda::count()
    }

    /// Whether this is the CPU.
    pub fn is_cpu(&self) -> bool {
        matches!(*self.inner, Backend::Cpu(_))
    }

    /// A buffer with a copy of `values`.
    ///
    /// # Errors
    /// The device has no memory left, or is lost.
    pub fn buffer_from<T: Scalar>(&self, values: &[T]) -> Result<Buffer<T>> {
        Buffer::from_host(self, values)
    }

    /// A buffer of `len` zeros (`false` for `bool`).
    ///
    /// # Errors
    /// The device has no memory left, or is lost.
    pub fn zeros<T: Scalar>(&self, len: usize) -> Result<Buffer<T>> {
        Buffer::zeroed(self, len)
    }

    /// The stream that every call of this function gives. It is a stream like others: work on it is not ordered against
    /// work on other streams, except through events and through the buffers they share.
    pub fn default_stream(&self) -> Stream {
        let kind = match &*self.inner {
            Backend::Cpu(cpu) => Kind::Cpu(Arc::clone(cpu)),
            Backend::Cuda { default_stream, .. } => Kind::Cuda(Arc::clone(default_stream)),
        };
        Stream { device: self.clone(), kind, capture: None }
    }

    /// A new stream.
    ///
    /// # Errors
    /// The driver cannot make one.
    pub fn new_stream(&self) -> Result<Stream> {
        self.new_stream_with_priority(Priority::Normal)
    }

    /// A new stream whose work, groups included, is scheduled with this priority. On the CPU priorities mean nothing.
    ///
    /// # Errors
    /// The driver cannot make one.
    pub fn new_stream_with_priority(&self, priority: Priority) -> Result<Stream> {
        let kind = match &*self.inner {
            Backend::Cpu(cpu) => Kind::Cpu(Arc::clone(cpu)),
            Backend::Cuda { cuda, .. } => {
                let level = match priority {
                    Priority::Low => Level::Low,
                    Priority::Normal => Level::Normal,
                    Priority::High => Level::High,
                };
                Kind::Cuda(Arc::new(cuda.create_stream(level)?))
            }
        };
        Ok(Stream { device: self.clone(), kind, capture: None })
    }

    /// A stream of another library as a stream of this device; it is not destroyed here.
    ///
    /// # Errors
    /// This is the CPU, or the driver refuses the handle.
    ///
    /// # Safety
    /// `raw` is a `CUstream` of the primary context of this device, and outlives every handle made here.
    pub unsafe fn wrap_stream(&self, raw: *mut std::ffi::c_void) -> Result<Stream> {
        match &*self.inner {
            Backend::Cpu(_) => Err(Error::OtherDevice {
                what: "a CUDA stream",
                found: "a CUDA device".to_owned(),
                expected: self.to_string(),
            }),
            Backend::Cuda { cuda, .. } => {
                // SAFETY: the caller's promise.
                let stream = unsafe { cuda.wrap_stream(raw)? };
                Ok(Stream { device: self.clone(), kind: Kind::Cuda(Arc::new(stream)), capture: None })
            }
        }
    }

    /// The streams that the groups of `stream_parallel!` run on.
    pub fn stream_pool(&self) -> StreamPool {
        StreamPool { device: self.clone() }
    }

    pub(crate) fn backend(&self) -> &Backend {
        &self.inner
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.inner {
            Backend::Cpu(_) => write!(f, "the CPU ({} threads)", rayon::current_num_threads()),
            Backend::Cuda { cuda, .. } => {
                let (major, minor) = cuda.capability();
                write!(f, "CUDA device {} ({}, sm_{major}{minor})", cuda.ordinal(), cuda.name())
            }
        }
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
        match self.device.backend() {
            Backend::Cpu(_) => {}
            Backend::Cuda { cuda, .. } => cuda.pool_trim(),
        }
    }

    /// What the pool has done so far. The CPU has no streams: all zeros.
    pub fn stats(&self) -> PoolStats {
        match self.device.backend() {
            Backend::Cpu(_) => PoolStats::default(),
            Backend::Cuda { cuda, .. } => cuda.pool_stats(),
        }
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
