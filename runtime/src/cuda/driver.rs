//! The CUDA driver calls this crate makes, as plain functions over handle types.
//!
//! All of them go through `cudarc`'s loader, which opens `libcuda` at the first call and panics if there is none:
//! [`present`] is asked before anything else. Nothing here keeps state or orders anything.
//!
//! Handles are plain numbers to Rust. Every function that takes one is safe to call under the rule that holds for
//! this folder: a handle is made here, owned by exactly one value (`StreamCore`, `EventPool`, `Loaded`, `Context`, or
//! the user for a wrapped stream), and destroyed by that owner last. Device addresses are checked by the GPU, not by
//! the host, so a wrong one is a device error and never undefined behaviour of this process.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ptr;
use std::sync::OnceLock;

use cudarc::driver::sys;

use super::wait::Wait;

/// `CU_STREAM_NON_BLOCKING`: no implicit ordering against the legacy default stream.
const STREAM_NON_BLOCKING: c_uint = 1;
/// `CU_EVENT_DISABLE_TIMING`: cheaper to record.
const EVENT_DISABLE_TIMING: c_uint = 2;
/// `CU_MEMHOSTALLOC_PORTABLE`: page-locked for every context. Not write-combined, which is slow to read.
const HOST_PORTABLE: c_uint = 1;
/// `CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP`.
const HOST_MAPPED: c_uint = 3;

pub(super) const ERROR_OUT_OF_MEMORY: u32 = 2;
pub(super) const ERROR_STUB_LIBRARY: u32 = 34;
pub(super) const ERROR_NO_DEVICE: u32 = 100;
pub(super) const ERROR_INVALID_PTX: u32 = 218;
pub(super) const ERROR_INVALID_IMAGE: u32 = 200;
pub(super) const ERROR_NO_BINARY_FOR_GPU: u32 = 209;
pub(super) const ERROR_UNSUPPORTED_PTX_VERSION: u32 = 222;
pub(super) const ERROR_NOT_READY: u32 = 600;

/// A driver call that did not succeed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Failure {
    /// The function, as in the CUDA documentation without a version suffix.
    pub(super) call: &'static str,
    /// The number of the `CUresult`.
    pub(super) code: u32,
    /// Work is under way that nobody can wait for: what comes next could not be ordered behind it. See [`settle`].
    pub(super) unsettled: bool,
}

impl Failure {
    /// A call that returned this error.
    pub(super) fn new(call: &'static str, code: u32) -> Self {
        Self { call, code, unsettled: false }
    }

    /// The error leaves the context unusable: every later call in it fails too, or could do harm.
    pub(super) fn is_sticky(self) -> bool {
        // ECC error, NVLink error, illegal address, launch timeout, context destroyed, device assert, and the family of
        // hardware exceptions from the stack error to the failed launch.
        self.unsettled || matches!(self.code, 214 | 220 | 700 | 702 | 709 | 710 | 714..=719)
    }

    /// `CUDA_ERROR_…` and the driver's sentence about it.
    pub(super) fn describe(self) -> (String, String) {
        type Lookup = unsafe extern "C" fn(u32, *mut *const c_char) -> u32;
        let text = |symbol: &'static [u8], otherwise: &str| {
            let mut text: *const c_char = ptr::null();
            // SAFETY: a failure exists only where the driver was called, so the library is there. The functions are
            // looked up again because `cudarc` declares their argument as an enum, which must not hold the numbers of a
            // newer driver; the C type is an int of the same size. They return a pointer to a static string or null.
            unsafe {
                if let Ok(lookup) = sys::culib().get::<Lookup>(symbol) {
                    lookup(self.code, &mut text);
                }
                if text.is_null() { otherwise.to_owned() } else { CStr::from_ptr(text).to_string_lossy().into_owned() }
            }
        };
        (text(b"cuGetErrorName\0", "unknown error"), text(b"cuGetErrorString\0", "the driver does not know this error"))
    }
}

type Result<T> = std::result::Result<T, Failure>;

/// A stream; whoever created it destroys it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RawStream(pub(super) sys::CUstream);
/// An event; owned by an event pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RawEvent(sys::CUevent);
/// A loaded module; owned by a loaded kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RawModule(sys::CUmodule);
/// A function of a module; lives as long as the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RawFunction(sys::CUfunction);
/// A graph as it was captured; lives until it is instantiated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RawGraph(sys::CUgraph);
/// A graph that can be launched; owned by a `CudaGraph`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RawGraphExec(sys::CUgraphExec);
/// Page-locked host memory; owned by a [`super::pinned::CudaPinned`], and after it by the device's garbage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RawHost(ptr::NonNull<u8>);
/// A primary context; retained by [`super::context::Context`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RawContext(sys::CUcontext);

// SAFETY: the driver's objects may be used from any thread in which their context is current; the handles are opaque and
// nothing in this process dereferences them. `Context::bind` makes the context current.
unsafe impl Send for RawStream {}
// SAFETY: as above; the driver synchronizes concurrent calls on one object itself.
unsafe impl Sync for RawStream {}
// SAFETY: as for streams.
unsafe impl Send for RawEvent {}
// SAFETY: as for streams.
unsafe impl Sync for RawEvent {}
// SAFETY: as for streams.
unsafe impl Send for RawModule {}
// SAFETY: as for streams.
unsafe impl Sync for RawModule {}
// SAFETY: as for streams.
unsafe impl Send for RawFunction {}
// SAFETY: as for streams.
unsafe impl Sync for RawFunction {}
// SAFETY: as for streams; whoever reads or writes the memory itself says why he may.
unsafe impl Send for RawHost {}
// SAFETY: as above.
unsafe impl Sync for RawHost {}
// SAFETY: as for streams.
unsafe impl Send for RawGraphExec {}
// SAFETY: the driver does not synchronize concurrent launches of one graph: `Graph::launch` has the device to itself.
unsafe impl Sync for RawGraphExec {}
// SAFETY: as for streams.
unsafe impl Send for RawContext {}
// SAFETY: as for streams.
unsafe impl Sync for RawContext {}

impl RawStream {
    /// A stream from its number, as other libraries hand it over.
    pub(super) fn from_ptr(raw: *mut c_void) -> Self {
        Self(raw.cast())
    }

    /// The number for other libraries.
    pub(crate) fn as_ptr(self) -> *mut c_void {
        self.0.cast()
    }
}

impl RawHost {
    /// Its first byte.
    pub(super) fn start(self) -> *mut u8 {
        self.0.as_ptr()
    }
}

/// Calls a driver function and turns its result into a [`Failure`] with the documented name.
macro_rules! call {
    ($name:literal, $function:ident($($argument:expr),* $(,)?)) => {{
        // SAFETY: out-pointers point to live locals or to the caller's exclusively borrowed memory with the length
        // passed beside it; handles are live by the rule at the top of this file. The call checks the rest.
        let result = unsafe { sys::$function($($argument),*) } as u32;
        if result == 0 { Ok(()) } else { Err(Failure::new($name, result)) }
    }};
}

/// Whether there is a driver library on this machine. The answer is kept for the life of the process.
pub(super) fn present() -> bool {
    static PRESENT: OnceLock<bool> = OnceLock::new();
    // SAFETY: loads the driver library and closes it again; its initializers are the ones any CUDA program runs.
    *PRESENT.get_or_init(|| unsafe { sys::is_culib_present() })
}

/// Must be called before everything that follows; calling it again costs nothing.
pub(super) fn init() -> Result<()> {
    call!("cuInit", cuInit(0))
}

/// The newest CUDA version the driver supports, as 1000 × major + 10 × minor.
pub(super) fn driver_version() -> Result<i32> {
    let mut version = 0;
    call!("cuDriverGetVersion", cuDriverGetVersion(&mut version)).map(|()| version)
}

pub(super) fn device_count() -> Result<usize> {
    let mut count = 0;
    call!("cuDeviceGetCount", cuDeviceGetCount(&mut count)).map(|()| usize::try_from(count).unwrap_or(0))
}

pub(super) fn device(ordinal: usize) -> Result<c_int> {
    let mut device = 0;
    let ordinal = c_int::try_from(ordinal).unwrap_or(c_int::MAX);
    call!("cuDeviceGet", cuDeviceGet(&mut device, ordinal)).map(|()| device)
}

pub(super) fn device_name(device: c_int) -> Result<String> {
    let mut name = [0u8; 256];
    call!("cuDeviceGetName", cuDeviceGetName(name.as_mut_ptr().cast(), 255, device))?;
    Ok(CStr::from_bytes_until_nul(&name).map(|name| name.to_string_lossy().into_owned()).unwrap_or_default())
}

fn attribute(device: c_int, attribute: sys::CUdevice_attribute) -> Result<i32> {
    let mut value = 0;
    call!("cuDeviceGetAttribute", cuDeviceGetAttribute(&mut value, attribute, device)).map(|()| value)
}

/// Compute capability, major and minor.
pub(super) fn capability(device: c_int) -> Result<(u32, u32)> {
    let major = attribute(device, sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
    let minor = attribute(device, sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
    Ok((major.unsigned_abs(), minor.unsigned_abs()))
}

/// Whether the device has stream-ordered allocation.
pub(super) fn has_memory_pools(device: c_int) -> Result<bool> {
    attribute(device, sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED).map(|value| value != 0)
}

pub(super) fn retain_primary_context(device: c_int) -> Result<RawContext> {
    let mut context = ptr::null_mut();
    call!("cuDevicePrimaryCtxRetain", cuDevicePrimaryCtxRetain(&mut context, device)).map(|()| RawContext(context))
}

pub(super) fn release_primary_context(device: c_int) -> Result<()> {
    call!("cuDevicePrimaryCtxRelease", cuDevicePrimaryCtxRelease_v2(device))
}

pub(super) fn current_context() -> Result<RawContext> {
    let mut context = ptr::null_mut();
    call!("cuCtxGetCurrent", cuCtxGetCurrent(&mut context)).map(|()| RawContext(context))
}

pub(super) fn set_current_context(context: RawContext) -> Result<()> {
    call!("cuCtxSetCurrent", cuCtxSetCurrent(context.0))
}

/// Blocks until all work of the current context is complete.
pub(super) fn synchronize_context(why: Wait) -> Result<()> {
    if why.is_left_out() {
        return Ok(());
    }
    call!("cuCtxSynchronize", cuCtxSynchronize())
}

/// The numerically smallest value is the greatest priority: `(least, greatest)`.
pub(super) fn priority_range() -> Result<(i32, i32)> {
    let (mut least, mut greatest) = (0, 0);
    call!("cuCtxGetStreamPriorityRange", cuCtxGetStreamPriorityRange(&mut least, &mut greatest))?;
    Ok((least, greatest))
}

/// A non-blocking stream in the current context.
pub(super) fn create_stream(priority: i32) -> Result<RawStream> {
    let mut stream = ptr::null_mut();
    call!("cuStreamCreateWithPriority", cuStreamCreateWithPriority(&mut stream, STREAM_NON_BLOCKING, priority))?;
    Ok(RawStream(stream))
}

/// Returns at once; work in flight goes on.
pub(super) fn destroy_stream(stream: RawStream) -> Result<()> {
    call!("cuStreamDestroy", cuStreamDestroy_v2(stream.0))
}

pub(super) fn stream_priority(stream: RawStream) -> Result<i32> {
    let mut priority = 0;
    call!("cuStreamGetPriority", cuStreamGetPriority(stream.0, &mut priority)).map(|()| priority)
}

/// Blocks until the stream's work so far is complete.
pub(super) fn synchronize_stream(stream: RawStream, why: Wait) -> Result<()> {
    if why.is_left_out() {
        return Ok(());
    }
    call!("cuStreamSynchronize", cuStreamSynchronize(stream.0))
}

/// The same where something depends on it: that host memory is given back, or that an order holds which nothing else makes.
///
/// If the stream cannot be waited for, it is tried again, and then the host waits for the whole device, which is the last resort because it
/// breaks captures. If that fails too, the failure makes the device a lost one: then there is no later use that could come too early, and
/// of an unusable context nothing runs any more.
pub(super) fn settle(stream: RawStream, why: Wait) -> Result<()> {
    synchronize_stream(stream, why).map_err(|failure| {
        let settled = synchronize_stream(stream, why).or_else(|_| synchronize_context(why));
        Failure { unsettled: settled.is_err(), ..failure }
    })
}

/// Whether all of the stream's work is complete.
pub(super) fn stream_is_idle(stream: RawStream) -> Result<bool> {
    ready(call!("cuStreamQuery", cuStreamQuery(stream.0)))
}

fn ready(result: Result<()>) -> Result<bool> {
    match result {
        Ok(()) => Ok(true),
        Err(Failure { code: ERROR_NOT_READY, .. }) => Ok(false),
        Err(failure) => Err(failure),
    }
}

/// All work queued on `stream` from now on starts after what `event` last recorded.
pub(super) fn wait_event(stream: RawStream, event: RawEvent, why: Wait) -> Result<()> {
    if why.is_left_out() {
        return Ok(());
    }
    call!("cuStreamWaitEvent", cuStreamWaitEvent(stream.0, event.0, 0))
}

pub(super) fn create_event(timing: bool) -> Result<RawEvent> {
    let mut event = ptr::null_mut();
    let flags = if timing { 0 } else { EVENT_DISABLE_TIMING };
    call!("cuEventCreate", cuEventCreate(&mut event, flags)).map(|()| RawEvent(event))
}

pub(super) fn destroy_event(event: RawEvent) -> Result<()> {
    call!("cuEventDestroy", cuEventDestroy_v2(event.0))
}

pub(super) fn record_event(event: RawEvent, stream: RawStream) -> Result<()> {
    call!("cuEventRecord", cuEventRecord(event.0, stream.0))
}

/// Blocks until what the event last recorded is complete.
pub(super) fn synchronize_event(event: RawEvent, why: Wait) -> Result<()> {
    if why.is_left_out() {
        return Ok(());
    }
    call!("cuEventSynchronize", cuEventSynchronize(event.0))
}

/// Whether what the event last recorded is complete.
pub(super) fn event_is_complete(event: RawEvent) -> Result<bool> {
    ready(call!("cuEventQuery", cuEventQuery(event.0)))
}

/// Milliseconds from one complete event to another, to about half a microsecond.
pub(super) fn elapsed(start: RawEvent, end: RawEvent) -> Result<f32> {
    let mut milliseconds = 0.0;
    call!("cuEventElapsedTime", cuEventElapsedTime(&mut milliseconds, start.0, end.0)).map(|()| milliseconds)
}

/// Memory in the order of a stream.
pub(super) fn allocate_async(bytes: usize, stream: RawStream) -> Result<u64> {
    let mut address = 0;
    call!("cuMemAllocAsync", cuMemAllocAsync(&mut address, bytes, stream.0)).map(|()| address)
}

pub(super) fn free_async(address: u64, stream: RawStream) -> Result<()> {
    call!("cuMemFreeAsync", cuMemFreeAsync(address, stream.0))
}

pub(super) fn allocate(bytes: usize) -> Result<u64> {
    let mut address = 0;
    call!("cuMemAlloc", cuMemAlloc_v2(&mut address, bytes)).map(|()| address)
}

/// May block until the device is idle.
pub(super) fn free(address: u64) -> Result<()> {
    call!("cuMemFree", cuMemFree_v2(address))
}

/// Free and total bytes of the current device.
pub(super) fn memory_info() -> Result<(usize, usize)> {
    let (mut free, mut total) = (0, 0);
    call!("cuMemGetInfo", cuMemGetInfo_v2(&mut free, &mut total)).map(|()| (free, total))
}

/// Page-locked host memory that the device can write: the pointer for the host, and the one for the device.
pub(super) fn allocate_mapped(bytes: usize) -> Result<(*mut c_void, u64)> {
    let mut host = ptr::null_mut();
    call!("cuMemHostAlloc", cuMemHostAlloc(&mut host, bytes, HOST_MAPPED))?;
    let mut address = 0;
    match call!("cuMemHostGetDevicePointer", cuMemHostGetDevicePointer_v2(&mut address, host, 0)) {
        Ok(()) => Ok((host, address)),
        Err(failure) => {
            let _ = free_mapped(host); // the first failure is the one to report
            Err(failure)
        }
    }
}

pub(super) fn free_mapped(host: *mut c_void) -> Result<()> {
    call!("cuMemFreeHost", cuMemFreeHost(host))
}

/// Page-locked host memory for copies, uninitialized.
pub(super) fn allocate_host(bytes: usize) -> Result<RawHost> {
    let mut host = ptr::null_mut();
    call!("cuMemHostAlloc", cuMemHostAlloc(&mut host, bytes, HOST_PORTABLE))?;
    ptr::NonNull::new(host.cast()).map(RawHost).ok_or(Failure::new("cuMemHostAlloc", ERROR_OUT_OF_MEMORY))
}

/// May block until the device is idle.
pub(super) fn free_host(memory: RawHost) -> Result<()> {
    call!("cuMemFreeHost", cuMemFreeHost(memory.0.as_ptr().cast()))
}

/// Copies to the device and waits until the copy, and all work before it on `stream`, is complete.
pub(super) fn write_blocking(address: u64, bytes: &[u8], stream: RawStream) -> Result<()> {
    // The driver may still read `bytes` after the first call; they are borrowed until the copy has come to an end.
    call!("cuMemcpyHtoDAsync", cuMemcpyHtoDAsync_v2(address, bytes.as_ptr().cast(), bytes.len(), stream.0))?;
    settle(stream, Wait::Write)
}

/// Copies from the device and waits until the copy, and all work before it on `stream`, is complete.
pub(super) fn read_blocking(bytes: &mut [u8], address: u64, stream: RawStream) -> Result<()> {
    call!("cuMemcpyDtoHAsync", cuMemcpyDtoHAsync_v2(bytes.as_mut_ptr().cast(), address, bytes.len(), stream.0))?;
    settle(stream, Wait::Read)
}

/// Queues a copy to the device.
///
/// # Safety
/// Until the copy is complete, the `bytes` at `from` stay allocated and are not written.
pub(super) unsafe fn copy_to_device(address: u64, from: *const c_void, bytes: usize, stream: RawStream) -> Result<()> {
    call!("cuMemcpyHtoDAsync", cuMemcpyHtoDAsync_v2(address, from, bytes, stream.0))
}

/// Queues a copy from the device.
///
/// # Safety
/// Until the copy is complete, the `bytes` at `to` stay allocated, and nobody else reads or writes them.
pub(super) unsafe fn copy_to_host(to: *mut c_void, address: u64, bytes: usize, stream: RawStream) -> Result<()> {
    call!("cuMemcpyDtoHAsync", cuMemcpyDtoHAsync_v2(to, address, bytes, stream.0))
}

pub(super) fn copy_async(to: u64, from: u64, bytes: usize, stream: RawStream) -> Result<()> {
    call!("cuMemcpyDtoDAsync", cuMemcpyDtoDAsync_v2(to, from, bytes, stream.0))
}

pub(super) fn set_8(address: u64, value: u8, count: usize, stream: RawStream) -> Result<()> {
    call!("cuMemsetD8Async", cuMemsetD8Async(address, value, count, stream.0))
}

pub(super) fn set_16(address: u64, value: u16, count: usize, stream: RawStream) -> Result<()> {
    call!("cuMemsetD16Async", cuMemsetD16Async(address, value, count, stream.0))
}

pub(super) fn set_32(address: u64, value: u32, count: usize, stream: RawStream) -> Result<()> {
    call!("cuMemsetD32Async", cuMemsetD32Async(address, value, count, stream.0))
}

/// Sets one 32-bit word in each of `count` rows that lie `pitch` bytes apart.
pub(super) fn set_column_32(address: u64, pitch: usize, value: u32, count: usize, stream: RawStream) -> Result<()> {
    call!("cuMemsetD2D32Async", cuMemsetD2D32Async(address, pitch, value, 1, count, stream.0))
}

/// From now on what is queued on the stream, and on streams that wait for its events, is captured. Other calls of any thread go on as
/// before.
pub(super) fn begin_capture(stream: RawStream) -> Result<()> {
    let mode = sys::CUstreamCaptureMode_enum::CU_STREAM_CAPTURE_MODE_RELAXED;
    call!("cuStreamBeginCapture", cuStreamBeginCapture_v2(stream.0, mode))
}

pub(super) fn is_capturing(stream: RawStream) -> Result<bool> {
    let mut status = sys::CUstreamCaptureStatus_enum::CU_STREAM_CAPTURE_STATUS_NONE;
    call!("cuStreamIsCapturing", cuStreamIsCapturing(stream.0, &mut status))
        .map(|()| status != sys::CUstreamCaptureStatus_enum::CU_STREAM_CAPTURE_STATUS_NONE)
}

pub(super) fn end_capture(stream: RawStream) -> Result<RawGraph> {
    let mut graph = ptr::null_mut();
    call!("cuStreamEndCapture", cuStreamEndCapture(stream.0, &mut graph)).map(|()| RawGraph(graph))
}

pub(super) fn instantiate_graph(graph: RawGraph) -> Result<RawGraphExec> {
    let mut exec = ptr::null_mut();
    call!("cuGraphInstantiateWithFlags", cuGraphInstantiateWithFlags(&mut exec, graph.0, 0))
        .map(|()| RawGraphExec(exec))
}

pub(super) fn destroy_graph(graph: RawGraph) -> Result<()> {
    call!("cuGraphDestroy", cuGraphDestroy(graph.0))
}

pub(super) fn launch_graph(exec: RawGraphExec, stream: RawStream) -> Result<()> {
    call!("cuGraphLaunch", cuGraphLaunch(exec.0, stream.0))
}

pub(super) fn destroy_graph_exec(exec: RawGraphExec) -> Result<()> {
    call!("cuGraphExecDestroy", cuGraphExecDestroy(exec.0))
}

/// Loads a cubin, or PTX that ends in a zero byte.
pub(super) fn load_module(image: &[u8]) -> Result<RawModule> {
    let mut module = ptr::null_mut();
    call!("cuModuleLoadData", cuModuleLoadData(&mut module, image.as_ptr().cast())).map(|()| RawModule(module))
}

pub(super) fn unload_module(module: RawModule) -> Result<()> {
    call!("cuModuleUnload", cuModuleUnload(module.0))
}

pub(super) fn function(module: RawModule, name: &CStr) -> Result<RawFunction> {
    let mut function = ptr::null_mut();
    call!("cuModuleGetFunction", cuModuleGetFunction(&mut function, module.0, name.as_ptr()))?;
    Ok(RawFunction(function))
}

/// Queues a grid of blocks.
///
/// # Safety
/// `parameters` holds one pointer for each parameter of `function`, in order, to a readable value of its size.
pub(super) unsafe fn launch(
    function: RawFunction,
    grid: [u32; 3],
    block: [u32; 3],
    stream: RawStream,
    parameters: &mut [*mut c_void],
) -> Result<()> {
    call!(
        "cuLaunchKernel",
        cuLaunchKernel(
            function.0,
            grid[0],
            grid[1],
            grid[2],
            block[0],
            block[1],
            block[2],
            0,
            stream.0,
            parameters.as_mut_ptr(),
            ptr::null_mut(),
        )
    )
}
