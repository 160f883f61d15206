//! The interface of a GPU driver, which everything in this folder uses.
//!
//! [`Driver`] keeps no state and orders nothing. To Rust, handles are plain numbers. Functions that
//! take a handle are safe to call because of a rule for this folder: a handle comes from the
//! driver, exactly one value owns it (`StreamCore`, `StreamPool`, `EventPool`, `Loaded`, `Reserve`,
//! `Context`, or the user for a wrapped stream), and that owner destroys it last. The GPU checks
//! device addresses, not the host, so a wrong address is a device error and never undefined
//! behaviour of this process.

#![allow(unsafe_code, reason = "handles of a driver, and the contracts of its functions")]

use std::ffi::{CStr, c_void};
use std::fmt::Debug;
use std::ptr;

use super::compiler::Compiler;
use super::wait::Wait;
use crate::error::Error;
use crate::platform::Platform;

/// A failed driver call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Failure {
    /// The function, as in the driver's documentation without a version suffix.
    pub(crate) call: &'static str,
    /// The result code.
    pub(crate) code: u32,
    pub(crate) kind: FailureKind,
    /// Whether a call on an object of one context fails so while another context is current. Then
    /// it had no effect.
    pub(crate) elsewhere: bool,
}

/// The effect of a failure on later calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FailureKind {
    /// The device or the host has no memory left.
    OutOfMemory,
    /// The device is unusable: later calls fail too, or could do harm.
    Fatal,
    /// The call had no effect.
    Other,
}

impl Failure {
    pub(crate) fn is_out_of_memory(self) -> bool {
        self.kind == FailureKind::OutOfMemory
    }

    /// The same, where a failure leaves the device unusable.
    pub(crate) fn fatal(self) -> Self {
        Self { kind: FailureKind::Fatal, ..self }
    }

    pub(crate) fn is_fatal(self) -> bool {
        self.kind == FailureKind::Fatal
    }
}

pub(crate) type Result<T> = std::result::Result<T, Failure>;

/// The result of a query of a stream or an event. The drivers of both vendors return 600 where work
/// is still queued.
pub(super) fn ready(query: Result<()>) -> Result<bool> {
    match query {
        Ok(()) => Ok(true),
        Err(Failure { code: 600, .. }) => Ok(false),
        Err(failure) => Err(failure),
    }
}

/// Defines handles: numbers that the driver returns.
macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident)*) => { $(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) struct $name(pub(super) *mut c_void);

        // SAFETY: a driver's objects may be used from any thread in which their context is current.
        // `Context::bind` makes it current. The handles are opaque; nothing in this process
        // dereferences them.
        unsafe impl Send for $name {}
        // SAFETY: as above; the driver itself synchronizes concurrent calls on one object, except
        // launches of one graph. `Graph::launch` holds the graph lock of the device exclusively.
        unsafe impl Sync for $name {}
    )* };
}
handles! {
    /// A device as the driver binds it to a thread; retained by
    /// [`Context`](super::context::Context).
    RawContext
    /// A stream; its creator destroys it.
    RawStream
    /// An event; owned by an event pool.
    RawEvent
    /// A loaded module; owned by a loaded kernel.
    RawModule
    /// A function of a module; lives as long as the module.
    RawFunction
    /// A captured graph; lives until it is instantiated.
    RawGraph
    /// A graph that can be launched; owned by a `GpuGraph`.
    RawGraphExec
    /// A pool of device memory; owned by a [`Reserve`](super::reserve::Reserve).
    RawPool
}

/// Page-locked host memory; owned by a [`GpuPinned`](super::pinned::GpuPinned), and after that by
/// the memory that the device frees later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RawHost(pub(super) ptr::NonNull<u8>);

// SAFETY: a pointer; each place that reads or writes the memory states why this is allowed.
unsafe impl Send for RawHost {}
// SAFETY: as above.
unsafe impl Sync for RawHost {}

impl RawHost {
    /// The address of its first byte.
    pub(super) fn start(self) -> *mut u8 {
        self.0.as_ptr()
    }
}

/// A device before it is bound: the driver's number for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RawDevice(pub(super) i32);

/// A driver. Its functions use the device that is bound to the calling thread, unless their
/// documentation says otherwise.
///
/// `why` is the reason for a wait. A driver can ignore it.
pub(crate) trait Driver: Debug + Send + Sync {
    /// The platform of its devices.
    fn platform(&self) -> Platform;

    // Devices.

    /// Number of devices; 0 on a machine without a driver. Must be called before all other
    /// functions below.
    fn device_count(&self) -> Result<usize>;
    /// The driver's version, and the oldest version with all functions used here: major and minor.
    fn version(&self) -> Result<((u32, u32), (u32, u32))>;
    /// The compiler for its devices. A driver of this version can load the compiler's images.
    fn compiler(&self, version: (u32, u32)) -> std::result::Result<&'static dyn Compiler, Error>;
    /// The device with this number, which is below the count.
    fn device(&self, ordinal: usize) -> Result<RawDevice>;
    /// The vendor's name for the device: `NVIDIA H200`.
    fn device_name(&self, device: RawDevice) -> Result<String>;
    /// The architecture of the device, as its compiler names it: `sm_90`, `gfx90a:sramecc+:xnack-`.
    fn architecture(&self, device: RawDevice) -> Result<String>;
    /// The number of hardware queues of a device, which the process's streams share.
    fn hardware_queues(&self) -> usize;
    /// The context of the device that all libraries of the process share.
    fn retain_context(&self, device: RawDevice) -> Result<RawContext>;
    fn release_context(&self, device: RawDevice) -> Result<()>;
    /// The context that is bound to this thread.
    fn bound_context(&self) -> Result<RawContext>;
    /// Binds a context to this thread.
    fn bind_context(&self, context: RawContext) -> Result<()>;
    /// Blocks until all work of the device is complete.
    fn synchronize_device(&self, why: Wait) -> Result<()>;
    /// The driver's name and description of a failure.
    fn describe(&self, failure: Failure) -> (String, String);

    // Streams and events.

    /// The priorities `(least, greatest)`. The numerically smallest value is the greatest priority.
    fn priority_range(&self) -> Result<(i32, i32)>;
    /// Creates a stream without an implicit order relative to others.
    fn create_stream(&self, priority: i32) -> Result<RawStream>;
    /// Work in flight continues, unless
    /// [`events_need_their_streams`](Self::events_need_their_streams).
    fn destroy_stream(&self, stream: RawStream) -> Result<()>;
    /// Whether the destruction of a stream waits for its work, and an event may only be used as
    /// long as the stream exists on which it was recorded.
    fn events_need_their_streams(&self) -> bool;
    /// Whether an event may only be recorded once in a capture.
    fn records_once_in_a_capture(&self) -> bool;
    fn stream_priority(&self, stream: RawStream) -> Result<i32>;
    /// Blocks until the stream's work so far is complete.
    fn synchronize_stream(&self, stream: RawStream, why: Wait) -> Result<()>;
    /// Whether all of the stream's work is complete.
    fn stream_is_idle(&self, stream: RawStream) -> Result<bool>;
    /// Makes all work queued on `stream` from now on start after the work that `event` last
    /// recorded.
    fn wait_event(&self, stream: RawStream, event: RawEvent, why: Wait) -> Result<()>;
    /// Creates an event with a time, or a cheaper one without.
    fn create_event(&self, timing: bool) -> Result<RawEvent>;
    fn destroy_event(&self, event: RawEvent) -> Result<()>;
    fn record_event(&self, event: RawEvent, stream: RawStream) -> Result<()>;
    /// Blocks until the work that the event last recorded is complete.
    fn synchronize_event(&self, event: RawEvent, why: Wait) -> Result<()>;
    /// Whether the work that the event last recorded is complete.
    fn event_is_complete(&self, event: RawEvent) -> Result<bool>;
    /// Milliseconds from one complete event to another, to about half a microsecond.
    fn elapsed(&self, start: RawEvent, end: RawEvent) -> Result<f32>;

    /// [`synchronize_stream`](Self::synchronize_stream) for callers that depend on its success:
    /// they free host memory, or need an order that nothing else establishes.
    ///
    /// If waiting for the stream fails, this tries again, and then waits for the whole device. That
    /// is the last resort, because it breaks captures. If it fails, too, the device is lost: then
    /// no later use can come too early, and no work runs in the unusable context.
    fn settle(&self, stream: RawStream, why: Wait) -> Result<()> {
        self.synchronize_stream(stream, why).map_err(|failure| {
            let settled = self.synchronize_stream(stream, why).or_else(|_| self.synchronize_device(why));
            let kind = if settled.is_err() { FailureKind::Fatal } else { failure.kind };
            Failure { kind, ..failure }
        })
    }

    // Memory.

    /// Creates an empty pool of memory on one device. It keeps freed memory until it is
    /// [trimmed](Self::trim_pool). `None` if memory cannot be allocated in the order of a stream.
    fn create_pool(&self, device: RawDevice) -> Result<Option<RawPool>>;
    /// Returns all memory that the host knows to be free.
    fn trim_pool(&self, pool: RawPool) -> Result<()>;
    /// Work in progress with its memory continues.
    fn destroy_pool(&self, pool: RawPool) -> Result<()>;
    /// Allocates memory in the order of a stream.
    fn allocate_async(&self, bytes: usize, pool: RawPool, stream: RawStream) -> Result<u64>;
    fn free_async(&self, address: u64, stream: RawStream) -> Result<()>;
    fn allocate(&self, bytes: usize) -> Result<u64>;
    /// May block until the device is idle.
    fn free(&self, address: u64) -> Result<()>;
    /// The number of the device in whose memory an address is; `None` if it is not in the memory of
    /// a device.
    fn device_of(&self, address: u64) -> Result<Option<usize>>;
    /// Free and total bytes of the device.
    fn memory_info(&self) -> Result<(usize, usize)>;
    /// Allocates uninitialized page-locked host memory. If it is mapped, also returns its address
    /// on the device.
    fn allocate_host(&self, bytes: usize, mapped: bool) -> Result<(RawHost, u64)>;
    /// May block until the device is idle.
    fn free_host(&self, memory: RawHost) -> Result<()>;
    /// Queues a copy to the device.
    ///
    /// # Safety
    /// Until the copy is complete, the `bytes` at `from` stay allocated and are not written.
    unsafe fn copy_to_device(&self, address: u64, from: *const c_void, bytes: usize, stream: RawStream) -> Result<()>;
    /// Queues a copy from the device.
    ///
    /// # Safety
    /// Until the copy is complete, the `bytes` at `to` stay allocated, and no other code reads or
    /// writes them.
    unsafe fn copy_to_host(&self, to: *mut c_void, address: u64, bytes: usize, stream: RawStream) -> Result<()>;
    /// Queues a copy on the device.
    fn copy(&self, to: u64, from: u64, bytes: usize, stream: RawStream) -> Result<()>;
    /// Whether work of a device can use the memory of another one.
    fn can_access_peer(&self, device: RawDevice, other: RawDevice) -> Result<bool>;
    /// Lets work of the bound device use memory of another one that does not come from a pool. Also
    /// succeeds a second time.
    fn enable_peer_access(&self, other: RawContext) -> Result<()>;
    /// Lets work of a device use the memory of another device's pool.
    fn share_pool(&self, pool: RawPool, device: RawDevice) -> Result<()>;
    /// Queues a copy from one device to another. The stream is of one of them.
    fn copy_between(
        &self,
        to: u64,
        to_context: RawContext,
        from: u64,
        from_context: RawContext,
        bytes: usize,
        stream: RawStream,
    ) -> Result<()>;
    /// Queues the writes of one value of 1, 2 or 4 bytes in `count` places.
    fn set(&self, address: u64, value: Word, count: usize, stream: RawStream) -> Result<()>;
    /// Sets one 32-bit word in each of `count` rows that are `pitch` bytes apart.
    fn set_column(&self, address: u64, pitch: usize, value: u32, count: usize, stream: RawStream) -> Result<()>;

    // Kernels.

    /// Loads an image.
    ///
    /// # Safety
    /// The compiler has made the image. It stays allocated and unchanged until the module is
    /// unloaded.
    unsafe fn load_module(&self, image: &[u8]) -> Result<RawModule>;
    fn unload_module(&self, module: RawModule) -> Result<()>;
    fn function(&self, module: RawModule, name: &CStr) -> Result<RawFunction>;
    /// Completes the loading of a function, which the driver may have deferred to its first use.
    /// Returns the bytes of local memory that each of its threads needs.
    fn load_function(&self, function: RawFunction) -> Result<usize>;
    /// The number of registers of each thread of a loaded function.
    fn registers(&self, function: RawFunction) -> Result<usize>;
    /// Queues a grid of blocks.
    ///
    /// # Safety
    /// `parameters` holds one pointer for each parameter of `function`, in order, to a readable
    /// value of its size.
    unsafe fn launch(
        &self,
        function: RawFunction,
        grid: [u32; 3],
        block: [u32; 3],
        stream: RawStream,
        parameters: &mut [*mut c_void],
    ) -> Result<()>;

    // Graphs.

    /// From now on, work that is queued on the stream, and on streams that wait for its events, is
    /// captured. Other calls of any thread are not affected.
    fn begin_capture(&self, stream: RawStream) -> Result<()>;
    fn is_capturing(&self, stream: RawStream) -> Result<bool>;
    fn end_capture(&self, stream: RawStream) -> Result<RawGraph>;
    fn instantiate_graph(&self, graph: RawGraph) -> Result<RawGraphExec>;
    fn destroy_graph(&self, graph: RawGraph) -> Result<()>;
    fn launch_graph(&self, exec: RawGraphExec, stream: RawStream) -> Result<()>;
    /// A launch in flight continues.
    fn destroy_graph_exec(&self, exec: RawGraphExec) -> Result<()>;
    /// Allows the calling thread to make calls that may wait for the device, whatever other threads
    /// capture. Returns the previous mode.
    fn relax_captures(&self) -> Result<u32>;
    /// Restores a mode that [`relax_captures`](Self::relax_captures) returned.
    fn restore_captures(&self, mode: u32) -> Result<()>;
}

/// A value of [`Driver::set`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Word {
    Bytes1(u8),
    Bytes2(u16),
    Bytes4(u32),
}

/// As long as this exists, the calling thread may make calls that may wait for the device, whatever
/// other threads capture.
#[must_use]
pub(super) struct Unrestricted {
    driver: &'static dyn Driver,
    mode: u32,
    _stays_on_its_thread: std::marker::PhantomData<*const ()>,
}

impl Unrestricted {
    /// By default, a capture that another library has begun in the global mode forbids these calls
    /// to all threads, and a call breaks the capture. A thread in the relaxed mode is exempt: it
    /// declares that its calls are unrelated to the captured work.
    pub(super) fn begin(driver: &'static dyn Driver) -> Result<Self> {
        Ok(Self { driver, mode: driver.relax_captures()?, _stays_on_its_thread: std::marker::PhantomData })
    }
}

impl Drop for Unrestricted {
    fn drop(&mut self) {
        let _ = self.driver.restore_captures(self.mode); // the mode comes from the driver
    }
}
