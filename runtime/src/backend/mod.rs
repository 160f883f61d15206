//! The common types of the backends, the [CPU](crate::cpu) and a [GPU](crate::gpu).
//!
//! All code above this folder uses these types and does not depend on the backend.
//!
//! | file | contents |
//! |---|---|
//! | `stream` | streams and events |
//! | `memory` | device memory, pinned host memory, and the parts of them that work uses |
//! | `graph` | captures and graphs |
//! | `launch` | the work of a stream: launches with their loops and groups, copies and fills |
//! | `closure` | the capture closures that a thread is in |
//! | `across` | copies from one device to another |
//! | `failing` | the first error of a launch |

#![allow(unsafe_code, reason = "it passes on the contracts of launches, copies and foreign handles")]

mod across;
mod closure;
mod failing;
mod graph;
mod launch;
mod memory;
mod stream;

pub(crate) use crate::cpu::stack::Stack;
pub(crate) use crate::cpu::work::{Measured, Op, ParLoop};
pub(crate) use closure::{Closure, check_outside};
pub(crate) use failing::{Failing, FirstError, NestedCall};
pub(crate) use graph::{Capture, Captured, Graph};
pub(crate) use launch::{Command, Fork, Place, Turn};
pub(crate) use memory::Use;
pub(crate) use memory::{Memory, Pinned};
pub(crate) use stream::{Event, Stream};

use std::ffi::c_void;
use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;

use crate::cpu::Cpu;
use crate::cpu::host_memory;
use crate::cpu::memory::CpuMemory;
use crate::error::{Error, Result};
use crate::gpu::pool::PoolStats;
use crate::gpu::{self, Gpu, GpuMemory, GpuStream, Priority};
use crate::model::description::Instance;
use crate::owner::{Origin, Owner};
use crate::platform::Platform;
use crate::trace::Recorder;

/// A device.
#[derive(Debug)]
pub(crate) enum Backend {
    /// Native code on `rayon`.
    Cpu(Arc<Cpu>),
    /// A GPU and its default stream.
    Gpu { gpu: Arc<Gpu>, default_stream: Arc<GpuStream> },
}

impl Backend {
    pub(crate) fn cpu() -> Self {
        Backend::Cpu(Arc::default())
    }

    pub(crate) fn gpu(platform: Platform, ordinal: usize) -> Result<Self> {
        let gpu = Gpu::open(gpu::driver_of(platform), ordinal)?;
        let default_stream = Arc::new(gpu.create_stream(Priority::Normal)?);
        Ok(Backend::Gpu { gpu, default_stream })
    }

    pub(crate) fn gpu_count(platform: Platform) -> Result<usize> {
        Gpu::count(gpu::driver_of(platform))
    }

    pub(crate) fn is_cpu(&self) -> bool {
        matches!(self, Backend::Cpu(_))
    }

    pub(crate) fn default_stream(&self) -> Stream {
        match self {
            Backend::Cpu(cpu) => Stream::Cpu(Arc::clone(cpu)),
            Backend::Gpu { default_stream, .. } => Stream::Gpu(Arc::clone(default_stream)),
        }
    }

    /// The CPU ignores priorities.
    pub(crate) fn create_stream(&self, priority: Priority) -> Result<Stream> {
        match self {
            Backend::Cpu(cpu) => Ok(Stream::Cpu(Arc::clone(cpu))),
            Backend::Gpu { gpu, .. } => Ok(Stream::Gpu(Arc::new(gpu.create_stream(priority)?))),
        }
    }

    /// # Safety
    /// As for [`Device::wrap_stream`](crate::Device::wrap_stream), or `keeper` keeps the stream.
    pub(crate) unsafe fn wrap_stream(&self, raw: *mut c_void, keeper: Option<Owner>) -> Result<Stream> {
        match self {
            Backend::Cpu(_) => Err(Error::OtherDevice {
                what: "a stream",
                found: "a GPU".to_owned(),
                expected: self.to_string(),
                operation: None,
            }),
            // SAFETY: the caller's promise.
            Backend::Gpu { gpu, .. } => unsafe { Ok(Stream::Gpu(Arc::new(gpu.wrap_stream(raw, keeper)?))) },
        }
    }

    /// The memory is zeroed on the CPU and uninitialized on a GPU.
    pub(crate) fn allocate(&self, bytes: usize) -> Result<Memory> {
        Ok(match self {
            Backend::Cpu(cpu) => Memory::Cpu(Arc::new(CpuMemory::zeroed(cpu, bytes)?)),
            Backend::Gpu { gpu, .. } => Memory::Gpu(Arc::new(gpu.allocate(bytes)?)),
        })
    }

    /// Foreign memory.
    ///
    /// # Safety
    /// On the CPU as for [`CpuMemory::foreign`]; on a GPU there are so many bytes of the device's
    /// memory at `start`, and all work of others with them is complete.
    pub(crate) unsafe fn foreign(&self, start: NonNull<u8>, bytes: usize, align: usize, origin: Origin) -> Memory {
        match self {
            // SAFETY: the caller's promise.
            Backend::Cpu(cpu) => Memory::Cpu(Arc::new(unsafe { CpuMemory::foreign(cpu, start, bytes, align, origin) })),
            Backend::Gpu { gpu, .. } => {
                Memory::Gpu(Arc::new(GpuMemory::foreign(gpu, start.addr().get(), bytes, origin)))
            }
        }
    }

    /// Whether a GPU cannot use an address as its memory: `Some` with the number of the device
    /// whose memory it is, if it is one's. All addresses are taken for those of the CPU device.
    pub(crate) fn device_of(&self, address: usize) -> Result<Option<Option<usize>>> {
        match self {
            Backend::Cpu(_) => Ok(None),
            Backend::Gpu { gpu, .. } => {
                gpu.device_of(address).map(|found| (found != Some(gpu.ordinal())).then_some(found))
            }
        }
    }

    /// Zeroed host memory that streams can copy from and to.
    pub(crate) fn pinned(&self, bytes: usize) -> Result<Pinned> {
        Ok(match self {
            Backend::Cpu(cpu) => Pinned::Cpu(CpuMemory::zeroed(cpu, bytes)?),
            Backend::Gpu { gpu, .. } => Pinned::Gpu(gpu.pinned(bytes)?),
        })
    }

    /// Compiles and loads a kernel. On the CPU there is nothing to do.
    pub(crate) fn prepare(&self, instance: Instance) -> Result<()> {
        match self {
            Backend::Cpu(_) => Ok(()),
            Backend::Gpu { gpu, .. } => gpu.prepare(instance),
        }
    }

    /// Blocks until all work of the device is complete, then reports a panic of device code.
    pub(crate) fn synchronize(&self) -> Result<()> {
        let captured = || Error::NotCapturable {
            what: "a synchronization of the device",
            instead: "synchronize it before or after the capture; on a GPU also those of other threads count",
        };
        check_outside(self).map_err(|_| captured())?;
        match self {
            Backend::Cpu(cpu) => cpu.take_panic(None),
            Backend::Gpu { gpu, .. } => gpu.synchronize_all()?.ok_or_else(captured),
        }
    }

    /// What is recorded while the device is traced.
    pub(crate) fn trace(&self) -> &Recorder {
        match self {
            Backend::Cpu(cpu) => &cpu.trace,
            Backend::Gpu { gpu, .. } => gpu.trace(),
        }
    }

    /// Makes times of traced work comparable with those of the host.
    pub(crate) fn start_clock(&self) -> Result<()> {
        match self {
            Backend::Cpu(_) => Ok(()),
            Backend::Gpu { gpu, .. } => gpu.synchronize_clock(),
        }
    }

    /// Blocks until all traced work is complete, and reads its times.
    pub(crate) fn read_times(&self) {
        if let Backend::Gpu { gpu, .. } = self {
            gpu.read_all(None);
        }
    }

    /// Releases what traces need of the device.
    pub(crate) fn stop_clock(&self) {
        if let Backend::Gpu { gpu, .. } = self {
            gpu.stop_clock();
        }
    }

    pub(crate) fn name(&self) -> &str {
        match self {
            Backend::Cpu(_) => "CPU",
            Backend::Gpu { gpu, .. } => gpu.name(),
        }
    }

    /// Free and total bytes.
    pub(crate) fn memory_info(&self) -> Result<(usize, usize)> {
        match self {
            Backend::Cpu(_) => Ok(host_memory::info()),
            Backend::Gpu { gpu, .. } => gpu.memory_info(),
        }
    }

    /// The registers and the bytes of local memory of a thread of each loop; nothing on the CPU.
    pub(crate) fn thread_resources(&self, instance: Instance) -> Result<Vec<[usize; 2]>> {
        match self {
            Backend::Cpu(_) => Ok(Vec::new()),
            Backend::Gpu { gpu, .. } => gpu.thread_resources(instance),
        }
    }

    /// Destroys the streams that no group holds.
    pub(crate) fn trim_pool(&self) {
        if let Backend::Gpu { gpu, .. } = self {
            gpu.pool_trim();
        }
    }

    pub(crate) fn pool_stats(&self) -> PoolStats {
        match self {
            Backend::Cpu(_) => PoolStats::default(),
            Backend::Gpu { gpu, .. } => gpu.pool_stats(),
        }
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Backend::Cpu(cpu) => cpu.fmt(f),
            Backend::Gpu { gpu, .. } => {
                write!(f, "{} device {} ({}, {})", gpu.platform(), gpu.ordinal(), gpu.name(), gpu.architecture())
            }
        }
    }
}
