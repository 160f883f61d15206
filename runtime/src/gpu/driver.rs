//! What a GPU's driver has to do: the interface that everything in this folder is written against.
//!
//! [`Driver`] keeps no state and orders nothing. Handles are plain numbers to Rust. Every function that takes one is safe to call under the
//! rule that holds for this folder: a handle comes from the driver, is owned by exactly one value (`StreamCore`, `EventPool`, `Loaded`,
//! `Reserve`, `Context`, or the user for a wrapped stream), and is destroyed by that owner last. Device addresses are checked by the GPU,
//! not by the host, so a wrong one is a device error and never undefined behaviour of this process.

use std::ffi::{CStr, c_void};
use std::fmt::Debug;
use std::ptr;

use super::compiler::Compiler;
use super::wait::Wait;
use crate::error::Error;

/// A driver call that did not succeed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Failure {
    /// The function, as in the driver's documentation without a version suffix.
    pub(crate) call: &'static str,
    /// The number that it has returned.
    pub(crate) code: u32,
    pub(crate) kind: FailureKind,
}

/// What a failure means for what comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FailureKind {
    /// There is no memory left, of the device or of the host.
    OutOfMemory,
    /// The device cannot be used any more: every later call fails too, or could do harm.
    Fatal,
    /// The call did nothing.
    Other,
}

impl Failure {
    pub(crate) fn is_out_of_memory(self) -> bool {
        self.kind == FailureKind::OutOfMemory
    }

    pub(crate) fn is_fatal(self) -> bool {
        self.kind == FailureKind::Fatal
    }
}

pub(crate) type Result<T> = std::result::Result<T, Failure>;

/// Handles: numbers that the driver gives.
macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident)*) => { $(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) struct $name(pub(super) *mut c_void);

        // SAFETY: a driver's objects may be used from any thread in which their context is current; the handles are opaque and
        // nothing in this process dereferences them. `Context::bind` makes the context current.
        unsafe impl Send for $name {}
        // SAFETY: as above; the driver synchronizes concurrent calls on one object itself. It does not do so for launches of one graph:
        // `Graph::launch` has the device to itself.
        unsafe impl Sync for $name {}
    )* };
}
handles! {
    /// A device as the driver binds it to a thread; retained by [`Context`](super::context::Context).
    RawContext
    /// A stream; whoever created it destroys it.
    RawStream
    /// An event; owned by an event pool.
    RawEvent
    /// A loaded module; owned by a loaded kernel.
    RawModule
    /// A function of a module; lives as long as the module.
    RawFunction
    /// A graph as it was captured; lives until it is instantiated.
    RawGraph
    /// A graph that can be launched; owned by a `GpuGraph`.
    RawGraphExec
    /// A pool of device memory; owned by a [`Reserve`](super::reserve::Reserve).
    RawPool
}

/// Page-locked host memory; owned by a [`GpuPinned`](super::pinned::GpuPinned), and after it by the memory that the device frees later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RawHost(pub(super) ptr::NonNull<u8>);

// SAFETY: a pointer; whoever reads or writes the memory says why that is allowed.
unsafe impl Send for RawHost {}
// SAFETY: as above.
unsafe impl Sync for RawHost {}

impl RawHost {
    /// Its first byte.
    pub(super) fn start(self) -> *mut u8 {
        self.0.as_ptr()
    }
}

/// A device before it is bound: the driver's number for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RawDevice(pub(super) i32);

/// A driver. Its functions work on the device that is bound to the calling thread, unless they say otherwise.
///
/// `why` tells what a wait is for. Drivers need not look at it.
pub(crate) trait Driver: Debug + Send + Sync {
    /// What its devices are called: `CUDA device 0`.
    fn name(&self) -> &'static str;

    // Devices.

    /// Number of devices; 0 on a machine without a driver. Must be called before everything that follows.
    fn device_count(&self) -> Result<usize>;
    /// The driver's version and the oldest one that has every function used here: major and minor.
    fn version(&self) -> Result<((u32, u32), (u32, u32))>;
    /// The compiler for its devices, whose images a driver of this version loads.
    fn compiler(&self, version: (u32, u32)) -> std::result::Result<&'static dyn Compiler, Error>;
    /// The device of a number below the count.
    fn device(&self, ordinal: usize) -> Result<RawDevice>;
    /// As its vendor calls it: `NVIDIA H200`.
    fn device_name(&self, device: RawDevice) -> Result<String>;
    /// What the compiler has to know of it: for CUDA the compute capability, major and minor.
    fn capability(&self, device: RawDevice) -> Result<(u32, u32)>;
    /// Whether memory can be allocated in the order of a stream.
    fn has_memory_pools(&self, device: RawDevice) -> Result<bool>;
    /// The context of the device that all libraries of the process share.
    fn retain_context(&self, device: RawDevice) -> Result<RawContext>;
    fn release_context(&self, device: RawDevice) -> Result<()>;
    /// The context that is bound to this thread.
    fn bound_context(&self) -> Result<RawContext>;
    /// Binds a context to this thread.
    fn bind_context(&self, context: RawContext) -> Result<()>;
    /// Blocks until all work of the device is complete.
    fn synchronize_device(&self, why: Wait) -> Result<()>;
    /// The name of a failure and the driver's sentence about it.
    fn describe(&self, failure: Failure) -> (String, String);

    // Streams and events.

    /// The numerically smallest value is the greatest priority: `(least, greatest)`.
    fn priority_range(&self) -> Result<(i32, i32)>;
    /// A stream without implicit order against others.
    fn create_stream(&self, priority: i32) -> Result<RawStream>;
    /// Returns at once; work in flight goes on.
    fn destroy_stream(&self, stream: RawStream) -> Result<()>;
    fn stream_priority(&self, stream: RawStream) -> Result<i32>;
    /// Blocks until the stream's work so far is complete.
    fn synchronize_stream(&self, stream: RawStream, why: Wait) -> Result<()>;
    /// Whether all of the stream's work is complete.
    fn stream_is_idle(&self, stream: RawStream) -> Result<bool>;
    /// All work queued on `stream` from now on starts after what `event` last recorded.
    fn wait_event(&self, stream: RawStream, event: RawEvent, why: Wait) -> Result<()>;
    /// One whose time can be asked for, or a cheaper one.
    fn create_event(&self, timing: bool) -> Result<RawEvent>;
    fn destroy_event(&self, event: RawEvent) -> Result<()>;
    fn record_event(&self, event: RawEvent, stream: RawStream) -> Result<()>;
    /// Blocks until what the event last recorded is complete.
    fn synchronize_event(&self, event: RawEvent, why: Wait) -> Result<()>;
    /// Whether what the event last recorded is complete.
    fn event_is_complete(&self, event: RawEvent) -> Result<bool>;
    /// Milliseconds from one complete event to another, to about half a microsecond.
    fn elapsed(&self, start: RawEvent, end: RawEvent) -> Result<f32>;

    /// [`synchronize_stream`](Self::synchronize_stream) where something depends on it: that host memory is given back, or that an order
    /// holds which nothing else makes.
    ///
    /// If the stream cannot be waited for, it is tried again, and then the host waits for the whole device, which is the last resort
    /// because it breaks captures. If that fails too, the failure makes the device a lost one: then there is no later use that could come
    /// too early, and in an unusable context nothing runs any more.
    fn settle(&self, stream: RawStream, why: Wait) -> Result<()> {
        self.synchronize_stream(stream, why).map_err(|failure| {
            let settled = self.synchronize_stream(stream, why).or_else(|_| self.synchronize_device(why));
            let kind = if settled.is_err() { FailureKind::Fatal } else { failure.kind };
            Failure { kind, ..failure }
        })
    }

    // Memory.

    /// An empty pool of memory on one device, which keeps what is freed until it is [trimmed](Self::trim_pool).
    fn create_pool(&self, device: RawDevice) -> Result<RawPool>;
    /// Gives back all memory that the host knows to be free.
    fn trim_pool(&self, pool: RawPool) -> Result<()>;
    /// What is in progress with its memory goes on.
    fn destroy_pool(&self, pool: RawPool) -> Result<()>;
    /// Memory in the order of a stream.
    fn allocate_async(&self, bytes: usize, pool: RawPool, stream: RawStream) -> Result<u64>;
    fn free_async(&self, address: u64, stream: RawStream) -> Result<()>;
    fn allocate(&self, bytes: usize) -> Result<u64>;
    /// May block until the device is idle.
    fn free(&self, address: u64) -> Result<()>;
    /// Free and total bytes of the device.
    fn memory_info(&self) -> Result<(usize, usize)>;
    /// Page-locked host memory, and its address for the device if that is to write it. Uninitialized.
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
    /// Until the copy is complete, the `bytes` at `to` stay allocated, and nobody else reads or writes them.
    unsafe fn copy_to_host(&self, to: *mut c_void, address: u64, bytes: usize, stream: RawStream) -> Result<()>;
    /// Queues a copy on the device.
    fn copy(&self, to: u64, from: u64, bytes: usize, stream: RawStream) -> Result<()>;
    /// Queues the writes of one value of 1, 2 or 4 bytes in `count` places.
    fn set(&self, address: u64, value: Word, count: usize, stream: RawStream) -> Result<()>;
    /// Sets one 32-bit word in each of `count` rows that are `pitch` bytes apart.
    fn set_column(&self, address: u64, pitch: usize, value: u32, count: usize, stream: RawStream) -> Result<()>;

    /// Copies to the device and waits until the copy, and all work before it on `stream`, is complete.
    fn write_blocking(&self, address: u64, bytes: &[u8], stream: RawStream) -> Result<()> {
        // SAFETY: `bytes` are borrowed until the copy has come to an end, or the device has.
        unsafe { self.copy_to_device(address, bytes.as_ptr().cast(), bytes.len(), stream)? };
        self.settle(stream, Wait::Write)
    }
    /// Copies from the device and waits until the copy, and all work before it on `stream`, is complete.
    fn read_blocking(&self, bytes: &mut [u8], address: u64, stream: RawStream) -> Result<()> {
        // SAFETY: as above, uniquely.
        unsafe { self.copy_to_host(bytes.as_mut_ptr().cast(), address, bytes.len(), stream)? };
        self.settle(stream, Wait::Read)
    }

    // Kernels.

    /// Loads what the compiler has made.
    fn load_module(&self, image: &[u8]) -> Result<RawModule>;
    fn unload_module(&self, module: RawModule) -> Result<()>;
    fn function(&self, module: RawModule, name: &CStr) -> Result<RawFunction>;
    /// Completes the loading of a function, which the driver may have put off to its first use, and gives the bytes of local memory that
    /// each of its threads needs.
    fn load_function(&self, function: RawFunction) -> Result<usize>;
    /// Queues a grid of blocks.
    ///
    /// # Safety
    /// `parameters` holds one pointer for each parameter of `function`, in order, to a readable value of its size.
    unsafe fn launch(
        &self,
        function: RawFunction,
        grid: [u32; 3],
        block: [u32; 3],
        stream: RawStream,
        parameters: &mut [*mut c_void],
    ) -> Result<()>;

    // Graphs.

    /// From now on what is queued on the stream, and on streams that wait for its events, is captured. Other calls of any thread go on as
    /// before.
    fn begin_capture(&self, stream: RawStream) -> Result<()>;
    fn is_capturing(&self, stream: RawStream) -> Result<bool>;
    fn end_capture(&self, stream: RawStream) -> Result<RawGraph>;
    fn instantiate_graph(&self, graph: RawGraph) -> Result<RawGraphExec>;
    fn destroy_graph(&self, graph: RawGraph) -> Result<()>;
    fn launch_graph(&self, exec: RawGraphExec, stream: RawStream) -> Result<()>;
    /// A launch in flight goes on.
    fn destroy_graph_exec(&self, exec: RawGraphExec) -> Result<()>;
    /// Lets the calling thread do what could wait for the device, whatever other threads capture; gives the mode before.
    fn relax_captures(&self) -> Result<u32>;
    /// Sets a mode that [`relax_captures`](Self::relax_captures) has given.
    fn restore_captures(&self, mode: u32) -> Result<()>;
}

/// A value of [`Driver::set`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Word {
    Bytes1(u8),
    Bytes2(u16),
    Bytes4(u32),
}

/// The calling thread may do what could wait for the device, whatever other threads capture. Ends when dropped.
#[must_use]
pub(super) struct Unrestricted {
    driver: &'static dyn Driver,
    mode: u32,
    _stays_on_its_thread: std::marker::PhantomData<*const ()>,
}

impl Unrestricted {
    /// By default, a capture that another library has begun in the global mode forbids such calls to all threads, and is broken by one. A
    /// thread in the relaxed mode is exempt: it says that its calls have nothing to do with what is captured.
    pub(super) fn begin(driver: &'static dyn Driver) -> Result<Self> {
        Ok(Self { driver, mode: driver.relax_captures()?, _stays_on_its_thread: std::marker::PhantomData })
    }
}

impl Drop for Unrestricted {
    fn drop(&mut self) {
        let _ = self.driver.restore_captures(self.mode); // the mode is one that the driver has given
    }
}
