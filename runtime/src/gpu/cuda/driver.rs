//! The CUDA driver.

use std::ffi::{CStr, c_int, c_uint, c_void};
use std::ptr;

use cudarc::driver::sys;

use super::library::{DriverFunction, library, text_of};
use super::nvrtc::Nvrtc;
use crate::error::Error;
use crate::gpu::compiler::Compiler;
use crate::gpu::driver::{
    Driver, Failure, FailureKind, RawContext, RawDevice, RawEvent, RawFunction, RawGraph, RawGraphExec, RawHost,
    RawModule, RawPool, RawStream, Result, Unrestricted, Word, ready,
};
use crate::gpu::wait::Wait;
use crate::platform::Platform;

/// The CUDA driver of this process.
#[derive(Debug)]
pub(crate) struct Cuda;

/// Loads nothing before its first call.
pub(crate) static CUDA: Cuda = Cuda;

/// The oldest driver that has every entry point used here: CUDA 12.0, driver 525.
const OLDEST: (u32, u32) = (12, 0);

/// `CU_STREAM_NON_BLOCKING`: no implicit ordering against the legacy default stream.
const STREAM_NON_BLOCKING: c_uint = 1;
/// `CU_EVENT_DISABLE_TIMING`: cheaper to record.
const EVENT_DISABLE_TIMING: c_uint = 2;
/// `CU_MEMHOSTALLOC_PORTABLE`: page-locked for every context. Not write-combined, which is slow to
/// read.
const HOST_PORTABLE: c_uint = 1;
/// `CU_MEMHOSTALLOC_DEVICEMAP`.
const HOST_MAPPED: c_uint = 2;

/// Number of hardware queues of a process, unless `CUDA_DEVICE_MAX_CONNECTIONS` is set.
const QUEUES: usize = 8;

const ERROR_INVALID_VALUE: u32 = 1;
const ERROR_OUT_OF_MEMORY: u32 = 2;
const ERROR_STUB_LIBRARY: u32 = 34;
const ERROR_NO_DEVICE: u32 = 100;
const ERROR_PEER_ACCESS_ALREADY_ENABLED: u32 = 704;
/// The driver has no such function.
const ERROR_SYMBOL_NOT_FOUND: u32 = 302;

/// `CUmemPoolProps` of all versions of CUDA. Fields that newer versions have put in place of
/// reserved bytes are 0.
#[repr(C)]
struct PoolProperties {
    allocation: c_uint,
    handle: c_uint,
    location: c_uint,
    device: c_int,
    security: *mut c_void,
    reserved: [u8; 64],
}

/// `CUmemAccessDesc` of all versions of CUDA.
#[repr(C)]
struct AccessDescription {
    location: c_uint,
    device: c_int,
    flags: c_uint,
}

/// A failed call, by what its code means.
pub(crate) fn failure(call: &'static str, code: u32) -> Failure {
    let kind = match code {
        ERROR_OUT_OF_MEMORY => FailureKind::OutOfMemory,
        // According to the documentation of `CUresult`, the process must be terminated or the
        // context destroyed after: contained exception (226), illegal address, launch timeout,
        // device assert, the hardware exceptions from the stack error to the failed launch (714 to
        // 719), tensor memory leak, MPS client terminated, external device. Three others leave the
        // device unreliable: ECC error, NVLink error, context destroyed. 720, a cooperative launch
        // that is too large, is not fatal: it is only rejected.
        214 | 220 | 226 | 700 | 702 | 709 | 710 | 714..=719 | 721 | 810 | 911 => FailureKind::Fatal,
        _ => FailureKind::Other,
    };
    // Invalid context, context destroyed, invalid handle.
    let elsewhere = matches!(code, 201 | 709 | 400);
    Failure { call, code, kind, elsewhere }
}

fn check(call: &'static str, result: c_int) -> Result<()> {
    if result == 0 { Ok(()) } else { Err(failure(call, result.unsigned_abs())) }
}

/// Calls a driver function and turns its result into a [`Failure`] with the documented name.
macro_rules! call {
    ($name:literal, $function:ident($($argument:expr),* $(,)?)) => {{
        static SYMBOL: DriverFunction = DriverFunction::new(concat!(stringify!($function), "\0"));
        let declared: unsafe fn($(call!(@any $argument)),*) -> sys::CUresult = sys::$function;
        // SAFETY: the name of the symbol is that of the declaration.
        match unsafe { SYMBOL.find_like(declared) } {
            // SAFETY: out-pointers point to live locals or to the caller's exclusively borrowed
            // memory with the length passed beside it; handles are live by the rule of
            // `gpu::driver`. The call checks the rest.
            Some(function) => check($name, unsafe { function($($argument),*) }),
            None => Err(failure($name, ERROR_SYMBOL_NOT_FOUND)),
        }
    }};
    (@any $argument:expr) => { _ };
}

fn attribute(device: RawDevice, attribute: sys::CUdevice_attribute) -> Result<i32> {
    let mut value = 0;
    call!("cuDeviceGetAttribute", cuDeviceGetAttribute(&mut value, attribute, device.0)).map(|()| value)
}

/// Sets the capture mode of the calling thread and returns the previous one.
fn exchange(mut mode: c_uint) -> Result<c_uint> {
    call!("cuThreadExchangeStreamCaptureMode", cuThreadExchangeStreamCaptureMode((&raw mut mode).cast())).map(|()| mode)
}

/// What the driver tells of a function. It loads it.
fn attribute_of_function(function: RawFunction, attribute: sys::CUfunction_attribute) -> Result<usize> {
    let mut value: c_int = 0;
    call!("cuFuncGetAttribute", cuFuncGetAttribute(&mut value, attribute, function.0.cast()))
        .map(|()| usize::try_from(value).unwrap_or(0))
}

impl Driver for Cuda {
    fn platform(&self) -> Platform {
        Platform::Cuda
    }

    fn device_count(&self) -> Result<usize> {
        if library().is_none() {
            return Ok(0);
        }
        let mut count = 0;
        match call!("cuInit", cuInit(0)) {
            Ok(()) => {
                call!("cuDeviceGetCount", cuDeviceGetCount(&mut count)).map(|()| usize::try_from(count).unwrap_or(0))
            }
            // The stub is a toolkit's placeholder on machines without a driver.
            Err(Failure { code: ERROR_NO_DEVICE | ERROR_STUB_LIBRARY, .. }) => Ok(0),
            Err(failure) => Err(failure),
        }
    }

    fn version(&self) -> Result<((u32, u32), (u32, u32))> {
        let mut version = 0;
        call!("cuDriverGetVersion", cuDriverGetVersion(&mut version))?;
        let version = c_int::unsigned_abs(version); // 1000 × major + 10 × minor
        Ok(((version / 1000, version % 1000 / 10), OLDEST))
    }

    fn compiler(&self, version: (u32, u32)) -> std::result::Result<&'static dyn Compiler, Error> {
        Nvrtc::find(Some(version)).map(|nvrtc| nvrtc as &dyn Compiler)
    }

    fn device(&self, ordinal: usize) -> Result<RawDevice> {
        let mut device = 0;
        let ordinal = c_int::try_from(ordinal).unwrap_or(c_int::MAX);
        call!("cuDeviceGet", cuDeviceGet(&mut device, ordinal)).map(|()| RawDevice(device))
    }

    fn device_name(&self, device: RawDevice) -> Result<String> {
        let mut name = [0u8; 256];
        call!("cuDeviceGetName", cuDeviceGetName(name.as_mut_ptr().cast(), 255, device.0))?;
        Ok(CStr::from_bytes_until_nul(&name).map(|name| name.to_string_lossy().into_owned()).unwrap_or_default())
    }

    fn architecture(&self, device: RawDevice) -> Result<String> {
        let major = attribute(device, sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
        let minor = attribute(device, sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
        Ok(format!("sm_{major}{minor}"))
    }

    /// From the variable that the driver reads. Values that the driver ignores are ignored here.
    fn hardware_queues(&self) -> usize {
        let value = std::env::var("CUDA_DEVICE_MAX_CONNECTIONS").ok();
        value.and_then(|text| text.trim().parse().ok()).filter(|number| (1..=32).contains(number)).unwrap_or(QUEUES)
    }

    /// The primary context.
    fn retain_context(&self, device: RawDevice) -> Result<RawContext> {
        let mut context = ptr::null_mut();
        call!("cuDevicePrimaryCtxRetain", cuDevicePrimaryCtxRetain(&mut context, device.0))?;
        Ok(RawContext(context.cast()))
    }

    fn release_context(&self, device: RawDevice) -> Result<()> {
        call!("cuDevicePrimaryCtxRelease", cuDevicePrimaryCtxRelease_v2(device.0))
    }

    fn bound_context(&self) -> Result<RawContext> {
        let mut context = ptr::null_mut();
        call!("cuCtxGetCurrent", cuCtxGetCurrent(&mut context)).map(|()| RawContext(context.cast()))
    }

    fn bind_context(&self, context: RawContext) -> Result<()> {
        call!("cuCtxSetCurrent", cuCtxSetCurrent(context.0.cast()))
    }

    fn synchronize_device(&self, _: Wait) -> Result<()> {
        call!("cuCtxSynchronize", cuCtxSynchronize())
    }

    fn describe(&self, failure: Failure) -> (String, String) {
        let name = text_of(failure.code, c"cuGetErrorName", "unknown error");
        (name, text_of(failure.code, c"cuGetErrorString", "the driver does not know this error"))
    }

    fn priority_range(&self) -> Result<(i32, i32)> {
        let (mut least, mut greatest) = (0, 0);
        call!("cuCtxGetStreamPriorityRange", cuCtxGetStreamPriorityRange(&mut least, &mut greatest))?;
        Ok((least, greatest))
    }

    fn create_stream(&self, priority: i32) -> Result<RawStream> {
        let mut stream = ptr::null_mut();
        call!("cuStreamCreateWithPriority", cuStreamCreateWithPriority(&mut stream, STREAM_NON_BLOCKING, priority))?;
        Ok(RawStream(stream.cast()))
    }

    fn destroy_stream(&self, stream: RawStream) -> Result<()> {
        call!("cuStreamDestroy", cuStreamDestroy_v2(stream.0.cast()))
    }

    fn events_need_their_streams(&self) -> bool {
        false
    }

    fn records_once_in_a_capture(&self) -> bool {
        false
    }

    fn stream_priority(&self, stream: RawStream) -> Result<i32> {
        let mut priority = 0;
        call!("cuStreamGetPriority", cuStreamGetPriority(stream.0.cast(), &mut priority)).map(|()| priority)
    }

    fn synchronize_stream(&self, stream: RawStream, _: Wait) -> Result<()> {
        call!("cuStreamSynchronize", cuStreamSynchronize(stream.0.cast()))
    }

    fn stream_is_idle(&self, stream: RawStream) -> Result<bool> {
        ready(call!("cuStreamQuery", cuStreamQuery(stream.0.cast())))
    }

    fn wait_event(&self, stream: RawStream, event: RawEvent, _: Wait) -> Result<()> {
        call!("cuStreamWaitEvent", cuStreamWaitEvent(stream.0.cast(), event.0.cast(), 0))
    }

    fn create_event(&self, timing: bool) -> Result<RawEvent> {
        let mut event = ptr::null_mut();
        let flags = if timing { 0 } else { EVENT_DISABLE_TIMING };
        call!("cuEventCreate", cuEventCreate(&mut event, flags)).map(|()| RawEvent(event.cast()))
    }

    fn destroy_event(&self, event: RawEvent) -> Result<()> {
        call!("cuEventDestroy", cuEventDestroy_v2(event.0.cast()))
    }

    fn record_event(&self, event: RawEvent, stream: RawStream) -> Result<()> {
        call!("cuEventRecord", cuEventRecord(event.0.cast(), stream.0.cast()))
    }

    fn synchronize_event(&self, event: RawEvent, _: Wait) -> Result<()> {
        call!("cuEventSynchronize", cuEventSynchronize(event.0.cast()))
    }

    /// CUDA counts this among the calls that a capture in the global mode forbids to all threads.
    fn event_is_complete(&self, event: RawEvent) -> Result<bool> {
        let _unrestricted = Unrestricted::begin(&CUDA)?;
        ready(call!("cuEventQuery", cuEventQuery(event.0.cast())))
    }

    fn elapsed(&self, start: RawEvent, end: RawEvent) -> Result<f32> {
        type Elapsed = unsafe fn(*mut f32, sys::CUevent, sys::CUevent) -> sys::CUresult;
        // `cudarc` declares this function only for some versions of CUDA; every driver has it.
        static ELAPSED: DriverFunction = DriverFunction::new("cuEventElapsedTime\0");
        let call = "cuEventElapsedTime";
        let mut milliseconds = 0.0;
        // SAFETY: the type is that of CUDA's documentation.
        let elapsed = unsafe { ELAPSED.find::<Elapsed>() }.ok_or(failure(call, ERROR_SYMBOL_NOT_FOUND))?;
        // SAFETY: the out-pointer is to a live local; the handles are live by the rule of
        // `gpu::driver`.
        check(call, unsafe { elapsed(&mut milliseconds, start.0.cast(), end.0.cast()) })?;
        Ok(milliseconds)
    }

    fn create_pool(&self, device: RawDevice) -> Result<Option<RawPool>> {
        if attribute(device, sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED)? == 0 {
            return Ok(None);
        }
        let properties = PoolProperties {
            allocation: sys::CUmemAllocationType_enum::CU_MEM_ALLOCATION_TYPE_PINNED as c_uint,
            handle: 0, // CU_MEM_HANDLE_TYPE_NONE
            location: sys::CUmemLocationType_enum::CU_MEM_LOCATION_TYPE_DEVICE as c_uint,
            device: device.0,
            security: ptr::null_mut(),
            reserved: [0; 64],
        };
        const { assert!(size_of::<PoolProperties>() == size_of::<sys::CUmemPoolProps>()) };
        let mut pool = ptr::null_mut();
        call!("cuMemPoolCreate", cuMemPoolCreate(&mut pool, (&raw const properties).cast()))?;
        // By default, a pool returns all free memory at each synchronization.
        let mut threshold = u64::MAX;
        let attribute = sys::CUmemPool_attribute_enum::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
        let kept = call!("cuMemPoolSetAttribute", cuMemPoolSetAttribute(pool, attribute, (&raw mut threshold).cast()));
        let pool = RawPool(pool.cast());
        kept.map(|()| Some(pool)).inspect_err(|_| {
            let _ = self.destroy_pool(pool); // the first failure is the one to report
        })
    }

    fn trim_pool(&self, pool: RawPool) -> Result<()> {
        call!("cuMemPoolTrimTo", cuMemPoolTrimTo(pool.0.cast(), 0))
    }

    fn destroy_pool(&self, pool: RawPool) -> Result<()> {
        call!("cuMemPoolDestroy", cuMemPoolDestroy(pool.0.cast()))
    }

    fn allocate_async(&self, bytes: usize, pool: RawPool, stream: RawStream) -> Result<u64> {
        let mut address = 0;
        let (pool, stream) = (pool.0.cast(), stream.0.cast());
        call!("cuMemAllocFromPoolAsync", cuMemAllocFromPoolAsync(&mut address, bytes, pool, stream)).map(|()| address)
    }

    fn free_async(&self, address: u64, stream: RawStream) -> Result<()> {
        call!("cuMemFreeAsync", cuMemFreeAsync(address, stream.0.cast()))
    }

    fn allocate(&self, bytes: usize) -> Result<u64> {
        let mut address = 0;
        call!("cuMemAlloc", cuMemAlloc_v2(&mut address, bytes)).map(|()| address)
    }

    fn free(&self, address: u64) -> Result<()> {
        call!("cuMemFree", cuMemFree_v2(address))
    }

    fn device_of(&self, address: u64) -> Result<Option<usize>> {
        /// `CU_MEMORYTYPE_DEVICE`.
        const DEVICE: c_uint = 2;
        let (mut kind, mut ordinal): (c_uint, c_int) = (0, 0);
        let attribute = sys::CUpointer_attribute_enum::CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
        match call!("cuPointerGetAttribute", cuPointerGetAttribute((&raw mut kind).cast(), attribute, address)) {
            Ok(()) if kind == DEVICE => {}
            Ok(()) | Err(Failure { code: ERROR_INVALID_VALUE, .. }) => return Ok(None),
            Err(failure) => return Err(failure),
        }
        let attribute = sys::CUpointer_attribute_enum::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL;
        call!("cuPointerGetAttribute", cuPointerGetAttribute((&raw mut ordinal).cast(), attribute, address))?;
        Ok(usize::try_from(ordinal).ok())
    }

    fn memory_info(&self) -> Result<(usize, usize)> {
        let (mut free, mut total) = (0, 0);
        call!("cuMemGetInfo", cuMemGetInfo_v2(&mut free, &mut total)).map(|()| (free, total))
    }

    fn allocate_host(&self, bytes: usize, mapped: bool) -> Result<(RawHost, u64)> {
        let mut host = ptr::null_mut();
        let flags = if mapped { HOST_PORTABLE | HOST_MAPPED } else { HOST_PORTABLE };
        call!("cuMemHostAlloc", cuMemHostAlloc(&mut host, bytes, flags))?;
        let no_memory = || failure("cuMemHostAlloc", ERROR_OUT_OF_MEMORY);
        let memory = ptr::NonNull::new(host.cast()).map(RawHost).ok_or_else(no_memory)?;
        let mut address = 0;
        if mapped {
            let got = call!("cuMemHostGetDevicePointer", cuMemHostGetDevicePointer_v2(&mut address, host, 0));
            got.inspect_err(|_| {
                let _ = self.free_host(memory); // the first failure is the one to report
            })?;
        }
        Ok((memory, address))
    }

    fn free_host(&self, memory: RawHost) -> Result<()> {
        call!("cuMemFreeHost", cuMemFreeHost(memory.0.as_ptr().cast()))
    }

    unsafe fn copy_to_device(&self, address: u64, from: *const c_void, bytes: usize, stream: RawStream) -> Result<()> {
        call!("cuMemcpyHtoDAsync", cuMemcpyHtoDAsync_v2(address, from, bytes, stream.0.cast()))
    }

    unsafe fn copy_to_host(&self, to: *mut c_void, address: u64, bytes: usize, stream: RawStream) -> Result<()> {
        call!("cuMemcpyDtoHAsync", cuMemcpyDtoHAsync_v2(to, address, bytes, stream.0.cast()))
    }

    fn copy(&self, to: u64, from: u64, bytes: usize, stream: RawStream) -> Result<()> {
        call!("cuMemcpyDtoDAsync", cuMemcpyDtoDAsync_v2(to, from, bytes, stream.0.cast()))
    }

    fn can_access_peer(&self, device: RawDevice, other: RawDevice) -> Result<bool> {
        let mut can = 0;
        call!("cuDeviceCanAccessPeer", cuDeviceCanAccessPeer(&mut can, device.0, other.0)).map(|()| can != 0)
    }

    fn enable_peer_access(&self, other: RawContext) -> Result<()> {
        match call!("cuCtxEnablePeerAccess", cuCtxEnablePeerAccess(other.0.cast(), 0)) {
            Err(Failure { code: ERROR_PEER_ACCESS_ALREADY_ENABLED, .. }) => Ok(()),
            result => result,
        }
    }

    fn share_pool(&self, pool: RawPool, device: RawDevice) -> Result<()> {
        let description = AccessDescription {
            location: sys::CUmemLocationType_enum::CU_MEM_LOCATION_TYPE_DEVICE as c_uint,
            device: device.0,
            flags: sys::CUmemAccess_flags_enum::CU_MEM_ACCESS_FLAGS_PROT_READWRITE as c_uint,
        };
        const { assert!(size_of::<AccessDescription>() == size_of::<sys::CUmemAccessDesc>()) };
        call!("cuMemPoolSetAccess", cuMemPoolSetAccess(pool.0.cast(), (&raw const description).cast(), 1))
    }

    fn copy_between(
        &self,
        to: u64,
        to_context: RawContext,
        from: u64,
        from_context: RawContext,
        bytes: usize,
        stream: RawStream,
    ) -> Result<()> {
        let (to_context, from_context) = (to_context.0.cast(), from_context.0.cast());
        call!("cuMemcpyPeerAsync", cuMemcpyPeerAsync(to, to_context, from, from_context, bytes, stream.0.cast()))
    }

    fn set(&self, address: u64, value: Word, count: usize, stream: RawStream) -> Result<()> {
        let stream = stream.0.cast();
        match value {
            Word::Bytes1(value) => call!("cuMemsetD8Async", cuMemsetD8Async(address, value, count, stream)),
            Word::Bytes2(value) => call!("cuMemsetD16Async", cuMemsetD16Async(address, value, count, stream)),
            Word::Bytes4(value) => call!("cuMemsetD32Async", cuMemsetD32Async(address, value, count, stream)),
        }
    }

    fn set_column(&self, address: u64, pitch: usize, value: u32, count: usize, stream: RawStream) -> Result<()> {
        call!("cuMemsetD2D32Async", cuMemsetD2D32Async(address, pitch, value, 1, count, stream.0.cast()))
    }

    /// A cubin, or PTX that ends in a zero byte.
    unsafe fn load_module(&self, image: &[u8]) -> Result<RawModule> {
        let mut module = ptr::null_mut();
        call!("cuModuleLoadData", cuModuleLoadData(&mut module, image.as_ptr().cast()))?;
        Ok(RawModule(module.cast()))
    }

    fn unload_module(&self, module: RawModule) -> Result<()> {
        call!("cuModuleUnload", cuModuleUnload(module.0.cast()))
    }

    fn function(&self, module: RawModule, name: &CStr) -> Result<RawFunction> {
        let mut function = ptr::null_mut();
        call!("cuModuleGetFunction", cuModuleGetFunction(&mut function, module.0.cast(), name.as_ptr()))?;
        Ok(RawFunction(function.cast()))
    }

    fn load_function(&self, function: RawFunction) -> Result<usize> {
        type Load = unsafe fn(sys::CUfunction) -> sys::CUresult;
        static LOAD: DriverFunction = DriverFunction::new("cuFuncLoad\0");
        // SAFETY: the type is that of CUDA's documentation.
        if let Some(load) = unsafe { LOAD.find::<Load>() } {
            // SAFETY: the handle is live by the rule of `gpu::driver`.
            check("cuFuncLoad", unsafe { load(function.0.cast()) })?;
        }
        // Before CUDA 12.4 that function is missing; there, querying an attribute of a function
        // makes the driver load it.
        attribute_of_function(function, sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)
    }

    fn registers(&self, function: RawFunction) -> Result<usize> {
        attribute_of_function(function, sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_NUM_REGS)
    }

    unsafe fn launch(
        &self,
        function: RawFunction,
        grid: [u32; 3],
        block: [u32; 3],
        stream: RawStream,
        parameters: &mut [*mut c_void],
    ) -> Result<()> {
        let ([gx, gy, gz], [bx, by, bz]) = (grid, block);
        let (function, stream, parameters) = (function.0.cast(), stream.0.cast(), parameters.as_mut_ptr());
        call!(
            "cuLaunchKernel",
            cuLaunchKernel(function, gx, gy, gz, bx, by, bz, 0, stream, parameters, ptr::null_mut())
        )
    }

    fn begin_capture(&self, stream: RawStream) -> Result<()> {
        let mode = sys::CUstreamCaptureMode_enum::CU_STREAM_CAPTURE_MODE_RELAXED;
        call!("cuStreamBeginCapture", cuStreamBeginCapture_v2(stream.0.cast(), mode))
    }

    fn is_capturing(&self, stream: RawStream) -> Result<bool> {
        // An integer instead of the enum, because a newer driver may have more values.
        let mut status: c_uint = 0;
        call!("cuStreamIsCapturing", cuStreamIsCapturing(stream.0.cast(), (&raw mut status).cast()))
            .map(|()| status != sys::CUstreamCaptureStatus_enum::CU_STREAM_CAPTURE_STATUS_NONE as c_uint)
    }

    fn end_capture(&self, stream: RawStream) -> Result<RawGraph> {
        let mut graph = ptr::null_mut();
        call!("cuStreamEndCapture", cuStreamEndCapture(stream.0.cast(), &mut graph)).map(|()| RawGraph(graph.cast()))
    }

    fn instantiate_graph(&self, graph: RawGraph) -> Result<RawGraphExec> {
        let mut exec = ptr::null_mut();
        call!("cuGraphInstantiateWithFlags", cuGraphInstantiateWithFlags(&mut exec, graph.0.cast(), 0))
            .map(|()| RawGraphExec(exec.cast()))
    }

    fn destroy_graph(&self, graph: RawGraph) -> Result<()> {
        call!("cuGraphDestroy", cuGraphDestroy(graph.0.cast()))
    }

    fn launch_graph(&self, exec: RawGraphExec, stream: RawStream) -> Result<()> {
        call!("cuGraphLaunch", cuGraphLaunch(exec.0.cast(), stream.0.cast()))
    }

    fn destroy_graph_exec(&self, exec: RawGraphExec) -> Result<()> {
        call!("cuGraphExecDestroy", cuGraphExecDestroy(exec.0.cast()))
    }

    fn relax_captures(&self) -> Result<u32> {
        exchange(sys::CUstreamCaptureMode_enum::CU_STREAM_CAPTURE_MODE_RELAXED as c_uint)
    }

    fn restore_captures(&self, mode: u32) -> Result<()> {
        exchange(mode).map(drop)
    }
}
