//! The CUDA driver calls this crate makes, as plain functions over handle types.
//!
//! All of them are of the library that `cudarc` loads at the first call; it panics if there is none, so
//! [`present`] is asked before anything else. Nothing here keeps state or orders anything.
//!
//! Handles are plain numbers to Rust. Every function that takes one is safe to call under the rule that holds for
//! this folder: a handle is made here, owned by exactly one value (`StreamCore`, `EventPool`, `Loaded`, `Reserve`, `Context`, or
//! the user for a wrapped stream), and destroyed by that owner last. Device addresses are checked by the GPU, not by
//! the host, so a wrong one is a device error and never undefined behaviour of this process.

/// Calls a driver function and turns its result into a [`Failure`] with the documented name.
macro_rules! call {
    ($name:literal, $function:ident($($argument:expr),* $(,)?)) => {{
        use crate::gpu::driver::{Failure, library::Symbol};
        static SYMBOL: Symbol = Symbol::new(concat!(stringify!($function), "\0"));
        let declared: unsafe fn($(call!(@any $argument)),*) -> sys::CUresult = sys::$function;
        // SAFETY: the name of the symbol is that of the declaration.
        match unsafe { SYMBOL.find_like(declared) } {
            // SAFETY: out-pointers point to live locals or to the caller's exclusively borrowed memory with the length
            // passed beside it; handles are live by the rule of `driver`. The call checks the rest.
            Some(function) => Failure::check($name, unsafe { function($($argument),*) }),
            None => Err(Failure::new($name, crate::gpu::driver::ERROR_SYMBOL_NOT_FOUND)),
        }
    }};
    (@any $argument:expr) => { _ };
}

mod graphs;
mod library;
mod memory;
mod modules;
mod pools;
mod streams;

pub(super) use graphs::*;
pub(super) use memory::*;
pub(super) use modules::*;
pub(super) use pools::*;
pub(super) use streams::*;

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
/// The driver has no such function.
const ERROR_SYMBOL_NOT_FOUND: u32 = 302;

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

    /// What a call has returned.
    fn check(call: &'static str, result: c_int) -> Result<()> {
        if result == 0 { Ok(()) } else { Err(Self::new(call, result.unsigned_abs())) }
    }

    /// The error leaves the context unusable: every later call in it fails too, or could do harm.
    pub(super) fn is_sticky(self) -> bool {
        // Those of which the documentation of `CUresult` says that the process must be terminated, or the context destroyed: contained
        // exception (226), illegal address, launch timeout, device assert, the hardware exceptions from the stack error to the failed
        // launch (714 to 719), tensor memory leak, MPS client terminated, external device. And three that leave nothing to rely upon: ECC
        // error, NVLink error, context destroyed. Not 720, a cooperative launch that is too large: it is refused, and that is all.
        self.unsettled || matches!(self.code, 214 | 220 | 226 | 700 | 702 | 709 | 710 | 714..=719 | 721 | 810 | 911)
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
/// A graph that can be launched; owned by a `GpuGraph`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RawGraphExec(sys::CUgraphExec);
/// Page-locked host memory; owned by a [`super::pinned::GpuPinned`], and after it by the device's garbage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RawHost(ptr::NonNull<u8>);
/// A pool of device memory; owned by a [`super::reserve::Reserve`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RawPool(sys::CUmemoryPool);
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
unsafe impl Send for RawPool {}
// SAFETY: as for streams.
unsafe impl Sync for RawPool {}
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
