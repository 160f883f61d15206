//! GPUs: everything that is the same for every driver. It is written against [`Driver`](driver::Driver) and
//! [`Compiler`](compiler::Compiler); `cuda` implements both.
//!
//! | file | what it knows |
//! |---|---|
//! | `driver`, `compiler` | what a GPU's libraries have to do |
//! | `cuda` | the CUDA driver and NVRTC |
//! | `context` | the context of a device, which one is bound to a thread, when a device is lost |
//! | `wait` | the orders that the files below make, by name |
//! | `event`, `stream`, `pool` | events and streams, and the pools that they come from |
//! | `memory`, `deferred` | device memory: how its uses are ordered, and how it is freed |
//! | `reserve` | the pool that device memory comes from, and what happens when it is empty |
//! | `pinned`, `copies` | page-locked host memory, and the copies in progress from and to it |
//! | `module`, `cache`, `fault` | loaded kernels, what was compiled before, and the panics of device code |
//! | `geometry`, `launch` | grids and blocks; launches, forks and joins |
//! | `graph` | captures, and the graphs that come of them |
//!
//! Nothing here is loaded before the first call, so that a machine without a GPU runs the rest of the crate. Every object
//! holds what it needs to live, down to the context; the order in which a user drops handles does not matter.

mod cache;
mod compiler;
mod context;
mod copies;
pub(crate) mod cuda;
mod deferred;
mod driver;
mod event;
mod fault;
mod geometry;
mod graph;
mod launch;
mod memory;
mod module;
mod pinned;
pub(crate) mod pool;
mod reserve;
mod stream;
mod wait;

use std::ffi::c_void;
use std::sync::{Arc, Mutex, OnceLock};

pub(crate) use event::GpuEvent;
pub(crate) use graph::{CapturedGraph, GpuCapture, GpuGraph};
pub(crate) use launch::{GpuFork, GpuRun, GroupStream};
pub(crate) use memory::{GpuMemory, Ordered};
pub(crate) use pinned::GpuPinned;
pub(crate) use stream::GpuStream;
pub use stream::Priority;

use crate::codegen::FailedCheck;
use crate::error::{Error, Result};
use crate::order::graph_lock::GraphLock;
use crate::order::reports::Reports;
use compiler::Compiler;
use context::Context;
use deferred::DeferredFree;
use driver::{Driver, RawStream};
use event::EventPool;
use fault::Faults;
use module::Kernels;
use pool::{PoolStats, StreamPool};
use reserve::Reserve;
use stream::{Lanes, OwnStreams, Service, StreamCore};

/// Streams that groups of one priority share at most, unless `ANABRANCH_MAX_STREAMS` says otherwise.
const MOST_LANES: usize = 32;
/// Streams for copies that the host waits for: as many copies of different threads overlap.
const MOST_SERVICE: usize = 8;

/// Hardware queues of a process, unless `CUDA_DEVICE_MAX_CONNECTIONS` says otherwise.
const QUEUES: usize = 8;

/// One GPU, opened.
#[derive(Debug)]
pub(crate) struct Gpu {
    context: Arc<Context>,
    name: String,
    capability: (u32, u32),
    driver_version: (u32, u32),
    /// Least and greatest stream priority.
    priorities: (i32, i32),
    /// `None`: the device has no stream-ordered allocation.
    reserve: Option<Reserve>,
    compiler: &'static dyn Compiler,
    failed_check: FailedCheck,
    events: Arc<EventPool>,
    timed_events: Arc<EventPool>,
    /// Streams of the groups, by level.
    lanes: [StreamPool<RawStream>; 3],
    service: StreamPool<Arc<StreamCore>>,
    streams: OwnStreams,
    kernels: Kernels,
    /// Made with the first kernel.
    faults: OnceLock<Arc<Faults>>,
    /// Held by the thread that reports a panic of device code.
    reporting: Mutex<()>,
    /// The panics that were reported.
    pub(crate) reports: Arc<Reports>,
    /// Memory that could not be freed in the order of a stream.
    deferred: Mutex<Vec<DeferredFree>>,
    /// Captures under way.
    capturing: Mutex<usize>,
    /// Keeps graphs apart from what else uses its memory.
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
            return Err(Error::NoSuchDevice { ordinal, count });
        }
        let error = |failure| context::failed(driver, ordinal, failure);
        let (driver_version, oldest) = driver.version().map_err(error)?;
        if driver_version < oldest {
            return Err(Error::DriverTooOld { found: driver_version, needed: oldest });
        }
        let (most, queues) = (most_lanes()?, hardware_queues());
        let device = driver.device(ordinal).map_err(error)?;
        let name = driver.device_name(device).map_err(error)?;
        let capability = driver.capability(device).map_err(error)?;
        let stream_ordered = driver.has_memory_pools(device).map_err(error)?;
        let compiler = driver.compiler(driver_version)?;
        compiler.target(capability)?;
        let failed_check = failed_check(compiler)?;
        let context = Context::retain(driver, ordinal, device)?;
        context.bind()?;
        let priorities = driver.priority_range().map_err(error)?;
        let reserve = stream_ordered.then(|| Reserve::new(&context, device)).transpose()?;
        Ok(Arc::new(Self {
            events: EventPool::new(Arc::clone(&context), false),
            timed_events: EventPool::new(Arc::clone(&context), true),
            context,
            name,
            capability,
            driver_version,
            priorities,
            reserve,
            compiler,
            failed_check,
            lanes: std::array::from_fn(|_| StreamPool::new(most, queues)),
            service: StreamPool::new(MOST_SERVICE, queues),
            streams: OwnStreams::default(),
            kernels: Kernels::default(),
            faults: OnceLock::new(),
            reporting: Mutex::new(()),
            reports: Arc::default(),
            deferred: Mutex::default(),
            capturing: Mutex::default(),
            graph_lock: GraphLock::default(),
        }))
    }

    /// Its driver.
    pub(crate) fn driver(&self) -> &'static dyn Driver {
        self.context.driver()
    }

    /// What the driver's devices are called: `CUDA`.
    pub(crate) fn driver_name(&self) -> &'static str {
        self.driver().name()
    }

    /// As the driver calls it: `NVIDIA H200`.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Number of the device, from 0.
    pub(crate) fn ordinal(&self) -> usize {
        self.context.ordinal()
    }

    /// Compute capability, major and minor.
    pub(crate) fn capability(&self) -> (u32, u32) {
        self.capability
    }

    /// A new stream, unordered against all others.
    pub(crate) fn create_stream(self: &Arc<Self>, level: Priority) -> Result<GpuStream> {
        GpuStream::create(self, level)
    }

    /// A stream that somebody else made in the device's primary context, and destroys after every handle of it is gone.
    ///
    /// # Safety
    /// `raw` is such a `CUstream`.
    pub(crate) unsafe fn wrap_stream(self: &Arc<Self>, raw: *mut c_void) -> Result<GpuStream> {
        GpuStream::wrap(self, RawStream(raw))
    }

    /// Uninitialized memory.
    pub(crate) fn allocate(self: &Arc<Self>, bytes: usize) -> Result<GpuMemory> {
        GpuMemory::allocate(self, bytes)
    }

    /// Zeros in page-locked host memory.
    pub(crate) fn pinned(self: &Arc<Self>, bytes: usize) -> Result<GpuPinned> {
        GpuPinned::zeroed(self, bytes)
    }

    /// The numbers of the groups' streams, of all priorities together.
    pub(crate) fn pool_stats(&self) -> PoolStats {
        self.lanes.iter().fold(PoolStats::default(), |sum, pool| sum.plus(pool.stats()))
    }

    /// Destroys the streams that no group holds.
    pub(crate) fn pool_trim(&self) {
        self.context.bind_to_destroy();
        for pool in &self.lanes {
            pool.trim(&Lanes { context: &self.context, priority: 0 });
        }
    }

    fn lanes(&self, level: Priority) -> &StreamPool<RawStream> {
        match level {
            Priority::Low => &self.lanes[0],
            Priority::Normal => &self.lanes[1],
            Priority::High => &self.lanes[2],
        }
    }
}

impl Drop for Gpu {
    /// The device goes: waits for all of its work (of the whole primary context), then destroys everything.
    fn drop(&mut self) {
        self.context.bind_to_destroy();
        self.free_all_deferred();
        self.pool_trim();
        self.service.trim(&Service(self));
    }
}

/// Queues of the device that the process's streams share, from the variable that the driver reads; values that the driver ignores are
/// ignored here.
fn hardware_queues() -> usize {
    let value = std::env::var("CUDA_DEVICE_MAX_CONNECTIONS").ok();
    value.and_then(|text| text.trim().parse().ok()).filter(|number| (1..=32).contains(number)).unwrap_or(QUEUES)
}

/// The compiler's choice, unless the environment has another one.
fn failed_check(compiler: &dyn Compiler) -> Result<FailedCheck> {
    const NAME: &str = "ANABRANCH_FAILED_CHECK";
    let Some(value) = std::env::var_os(NAME) else { return Ok(compiler.failed_check()) };
    match value.to_str() {
        Some("exit") => Ok(FailedCheck::Exit),
        Some("go-on") => Ok(FailedCheck::GoOn),
        _ => Err(Error::Setting {
            name: NAME,
            value: value.to_string_lossy().into_owned(),
            expected: "`exit` or `go-on`",
        }),
    }
}

fn most_lanes() -> Result<usize> {
    const NAME: &str = "ANABRANCH_MAX_STREAMS";
    let Some(value) = std::env::var_os(NAME) else { return Ok(MOST_LANES) };
    let number = value.to_str().and_then(|text| text.trim().parse().ok()).filter(|number| (1..=4096).contains(number));
    number.ok_or_else(|| Error::Setting {
        name: NAME,
        value: value.to_string_lossy().into_owned(),
        expected: "a number from 1 to 4096",
    })
}
