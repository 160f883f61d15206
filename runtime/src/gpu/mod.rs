//! The GPU backend: everything that is the same for all drivers. It uses the traits
//! [`Driver`](driver::Driver) and [`Compiler`](compiler::Compiler); `cuda` and `hip` implement
//! both.
//!
//! | file | contents |
//! |---|---|
//! | `driver`, `compiler` | the traits that a GPU's libraries implement |
//! | `rtc` | what NVRTC and HIPRTC have in common |
//! | `cuda` | the CUDA driver and NVRTC |
//! | `hip` | AMD's HIP runtime and HIPRTC |
//! | `context` | the context of a device, which one is bound to a thread, when a device is lost |
//! | `wait` | the names of all waits in this folder, and the streams that a launch has waited for |
//! | `bulk` | copies from and to ordinary memory, for which the host waits |
//! | `event`, `stream`, `pool` | events and streams, and the pools that they come from |
//! | `memory`, `deferred` | device memory: how its uses are ordered, and how it is freed |
//! | `foreign` | memory of other libraries: whose it is, and waiting before its owner goes |
//! | `reserve` | the pool that device memory comes from, and what happens when no memory is left |
//! | `pinned`, `copies` | page-locked host memory, and the copies in progress from and to it |
//! | `peers`, `staging` | copies between devices, and the host memory that they go through where devices cannot reach each other |
//! | `kernels`, `module`, `cache`, `fault` | loaded kernels, the cache of compiled kernels, and the panics of device code |
//! | `print` | what device code prints |
//! | `settings`, `debug_info` | what the environment can set; what machine code says about the source |
//! | `geometry`, `launch`, `fork` | grids and blocks; launches; forks and joins |
//! | `graph` | captures and graphs |
//! | `trace` | the times of traced work |
//!
//! No library is loaded before the first call, so the rest of the crate works on a machine without
//! a GPU. Each object keeps alive what it needs, down to the context, so a user can drop handles in
//! any order.

#![allow(unsafe_code, reason = "it passes on the contract of a foreign stream")]

mod bulk;
mod cache;
mod compiler;
mod context;
mod copies;
pub(crate) mod cuda;
pub(crate) mod debug_info;
mod deferred;
mod driver;
mod event;
mod fault;
mod foreign;
mod fork;
mod geometry;
mod graph;
pub(crate) mod hip;
mod kernels;
mod launch;
mod memory;
mod module;
mod peers;
mod pinned;
pub(crate) mod pool;
mod print;
mod reserve;
mod rtc;
mod settings;
mod staging;
mod stream;
mod trace;
mod wait;

use std::ffi::c_void;
use std::sync::{Arc, OnceLock, Weak};

pub(crate) use event::{GpuEvent, StreamHandle};
#[cfg(feature = "cudarc")]
pub(crate) use foreign::{Home, Past};
pub(crate) use fork::GpuFork;
pub(crate) use graph::{CapturedGraph, GpuCapture, GpuGraph};
pub(crate) use launch::{GpuRun, Lending};
pub(crate) use memory::GpuMemory;
pub(crate) use pinned::GpuPinned;
pub(crate) use stream::GpuStream;
pub use stream::Priority;
pub(crate) use wait::Ordered;
#[cfg(feature = "cudarc")]
pub(crate) use wait::Wait;

use crate::codegen::Dialect;
use crate::error::{Error, Result};
use crate::lock::Lock;
use crate::order::graph_lock::GraphLock;
use crate::order::reports::Reports;
use crate::owner::Owner;
use crate::platform::Platform;
use crate::trace::Timed;
use compiler::{Compiler, Mode};
use context::Context;
use deferred::DeferredFree;
use driver::{Driver, RawStream};
use event::EventPool;
use fault::Faults;
use kernels::Kernels;
use peers::Peers;
use pool::{PoolStats, StreamPool};
use print::Ring;
use reserve::Reserve;
use staging::Staging;
use stream::{Lane, Lanes, OwnStreams, Service, StreamCore};
use trace::Timer;
#[cfg(not(feature = "cudarc"))]
use wait::Wait;

/// The maximum number of streams for copies that the host waits for. As many copies of different
/// threads can overlap.
const MOST_SERVICE: usize = 8;

/// The driver of a platform.
pub(crate) fn driver_of(platform: Platform) -> &'static dyn Driver {
    match platform {
        Platform::Cuda => &cuda::CUDA,
        Platform::Hip => &hip::HIP,
    }
}

/// One GPU, opened.
#[derive(Debug)]
pub(crate) struct Gpu {
    context: Arc<Context>,
    name: String,
    architecture: String,
    driver_version: (u32, u32),
    /// Least and greatest stream priority.
    priorities: (i32, i32),
    /// `None` if the device has no stream-ordered allocation.
    reserve: Option<Reserve>,
    compiler: &'static dyn Compiler,
    dialect: Dialect,
    mode: Mode,
    events: Arc<EventPool>,
    timed_events: Arc<EventPool>,
    /// The times of traced work.
    timer: Timer,
    /// Streams of the groups, by priority.
    lanes: [StreamPool<Lane>; 3],
    service: StreamPool<Arc<StreamCore>>,
    streams: OwnStreams,
    kernels: Kernels,
    /// Created with the first kernel.
    faults: OnceLock<Arc<Faults>>,
    /// Created with the first kernel that prints.
    ring: OnceLock<Ring>,
    /// The size of the ring in bytes.
    print_buffer: usize,
    /// Held by the thread that takes a panic of device code, and by one that creates what kernels
    /// record to. No code of the user runs meanwhile.
    reporting: Lock<()>,
    /// The panics that were reported.
    pub(crate) reports: Arc<Reports>,
    /// Memory that could not be freed in the order of a stream.
    deferred: Lock<Vec<DeferredFree>>,
    /// The devices that can reach this one's memory, and the other way round.
    peers: Peers,
    /// Host memory for copies between devices.
    staging: Staging,
    /// Number of captures in progress.
    capturing: Lock<usize>,
    /// Separates launches of graphs from other work with the same memory.
    pub(crate) graph_lock: GraphLock,
}

impl Gpu {
    /// Number of a driver's devices; 0 on a machine without it.
    pub(crate) fn count(driver: &'static dyn Driver) -> Result<usize> {
        driver.device_count().map_err(|failure| context::failed(driver, 0, failure))
    }

    /// Opens a device, and finds the compiler for it.
    pub(crate) fn open(driver: &'static dyn Driver, ordinal: usize) -> Result<Arc<Self>> {
        let count = Self::count(driver)?;
        if ordinal >= count {
            return Err(Error::NoSuchDevice { platform: driver.platform(), ordinal, count });
        }
        let error = |failure| context::failed(driver, ordinal, failure);
        let (driver_version, oldest) = driver.version().map_err(error)?;
        if driver_version < oldest {
            return Err(Error::DriverTooOld { platform: driver.platform(), found: driver_version, needed: oldest });
        }
        let (most, queues) = (settings::most_lanes()?, driver.hardware_queues());
        let device = driver.device(ordinal).map_err(error)?;
        let name = driver.device_name(device).map_err(error)?;
        let architecture = driver.architecture(device).map_err(error)?;
        let compiler = driver.compiler(driver_version)?;
        let mode = settings::mode()?;
        compiler.target(&architecture, mode)?;
        let dialect = Dialect { platform: driver.platform(), failed: settings::failed_check(compiler)? };
        let print_buffer = print::buffer_size()?;
        let context = Context::retain(driver, ordinal, device)?;
        context.bind()?;
        let priorities = driver.priority_range().map_err(error)?;
        let reserve = Reserve::new(&context, device)?;
        let gpu = Arc::new(Self {
            events: EventPool::new(Arc::clone(&context), false),
            timed_events: EventPool::new(Arc::clone(&context), true),
            timer: Timer::default(),
            context,
            name,
            architecture,
            driver_version,
            priorities,
            reserve,
            compiler,
            dialect,
            mode,
            lanes: std::array::from_fn(|_| StreamPool::new(most, queues)),
            service: StreamPool::new(MOST_SERVICE, queues),
            streams: OwnStreams::default(),
            kernels: Kernels::default(),
            faults: OnceLock::new(),
            ring: OnceLock::new(),
            print_buffer,
            reporting: Lock::new(()),
            reports: Arc::default(),
            deferred: Lock::default(),
            peers: Peers::default(),
            staging: Staging::default(),
            capturing: Lock::default(),
            graph_lock: GraphLock::default(),
        });
        let timed: Weak<dyn Timed> = Arc::<Self>::downgrade(&gpu);
        crate::trace::opened(gpu.trace(), format!("{} device {ordinal} ({})", driver.platform(), gpu.name), timed);
        Ok(gpu)
    }

    /// The driver of the device.
    pub(crate) fn driver(&self) -> &'static dyn Driver {
        self.context.driver()
    }

    /// The platform of the device.
    pub(crate) fn platform(&self) -> Platform {
        self.driver().platform()
    }

    /// The driver's name for the device: `NVIDIA H200`.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Free and total bytes.
    pub(crate) fn memory_info(&self) -> Result<(usize, usize)> {
        self.context.bind()?;
        self.driver().memory_info().map_err(|failure| self.context.error(failure))
    }

    /// Blocks until all work of the device is complete, then reports a panic of device code. `None`
    /// if a capture is in progress.
    pub(crate) fn synchronize_all(&self) -> Result<Option<()>> {
        self.context.bind()?;
        let Some(waited) = self.synchronize(Wait::SynchronizeDevice) else { return Ok(None) };
        waited.map_err(|failure| self.context.error(failure))?;
        self.take_panic(None).map(Some)
    }

    /// Number of the device, from 0.
    pub(crate) fn ordinal(&self) -> usize {
        self.context.ordinal()
    }

    /// The device's architecture: `sm_90`.
    pub(crate) fn architecture(&self) -> &str {
        &self.architecture
    }

    /// Creates a stream without an order relative to other streams.
    pub(crate) fn create_stream(self: &Arc<Self>, level: Priority) -> Result<GpuStream> {
        GpuStream::create(self, level)
    }

    /// Wraps a stream of another library.
    ///
    /// # Safety
    /// `raw` is a stream of the device (for CUDA: of its primary context), and the same one on all
    /// threads. It is destroyed after all handles of it are gone, and after `keeper`.
    pub(crate) unsafe fn wrap_stream(self: &Arc<Self>, raw: *mut c_void, keeper: Option<Owner>) -> Result<GpuStream> {
        GpuStream::wrap(self, RawStream(raw), keeper)
    }

    /// Uninitialized memory.
    pub(crate) fn allocate(self: &Arc<Self>, bytes: usize) -> Result<GpuMemory> {
        GpuMemory::allocate(self, bytes)
    }

    /// Zeroed page-locked host memory.
    pub(crate) fn pinned(self: &Arc<Self>, bytes: usize) -> Result<GpuPinned> {
        GpuPinned::zeroed(self, bytes)
    }

    /// [`Context::enter`].
    pub(crate) fn enter(&self) -> Result<()> {
        self.context.enter()
    }

    /// The counters of the groups' streams, of all priorities together.
    pub(crate) fn pool_stats(&self) -> PoolStats {
        self.lanes.iter().fold(PoolStats::default(), |sum, pool| sum.plus(pool.stats()))
    }

    /// Destroys the streams that no group holds.
    pub(crate) fn pool_trim(&self) {
        self.context.bind_to_destroy();
        for pool in &self.lanes {
            pool.trim(&Lanes { context: &self.context, priority: 0, captured: false });
        }
    }

    fn lanes(&self, level: Priority) -> &StreamPool<Lane> {
        match level {
            Priority::Low => &self.lanes[0],
            Priority::Normal => &self.lanes[1],
            Priority::High => &self.lanes[2],
        }
    }
}

impl Drop for Gpu {
    /// Waits for all work of the device (of the whole primary context), then destroys everything.
    fn drop(&mut self) {
        self.context.bind_to_destroy();
        self.discard_staging();
        self.free_all_deferred();
        self.read_all(None);
        self.stop_clock();
        self.last_report();
        self.pool_trim(); // makes the context current again
        self.service.trim(&Service(self));
    }
}
