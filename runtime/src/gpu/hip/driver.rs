//! AMD's HIP runtime.

use std::ffi::{CStr, c_int, c_uint, c_void};
use std::ptr;

use super::hiprtc::Hiprtc;
use super::library::*;
use crate::error::Error;
use crate::gpu::compiler::Compiler;
use crate::gpu::driver::{
    Driver, Failure, RawContext, RawDevice, RawEvent, RawFunction, RawGraph, RawGraphExec, RawHost, RawModule, RawPool,
    RawStream, Result, Unrestricted, Word, ready,
};
use crate::gpu::wait::Wait;
use crate::platform::Platform;

/// The HIP runtime of this process.
#[derive(Debug)]
pub(crate) struct Hip;

/// Loads nothing before its first call.
pub(crate) static HIP: Hip = Hip;

/// The oldest with every function used here, in particular `hipGetDevicePropertiesR0600`.
const OLDEST: (u32, u32) = (6, 0);

/// Number of hardware queues of a process, unless `GPU_MAX_HW_QUEUES` is set.
const QUEUES: usize = 4;

const STREAM_NON_BLOCKING: c_uint = 1;
const EVENT_DISABLE_TIMING: c_uint = 2;
const HOST_PORTABLE: c_uint = 1;
const HOST_MAPPED: c_uint = 2;
/// Fine-grained: what a kernel and the host write there is visible to the other while the kernel
/// runs.
const HOST_COHERENT: c_uint = 0x4000_0000;
const CAPTURE_RELAXED: c_int = 2;

const ERROR_INVALID_VALUE: u32 = 1;
const ERROR_NO_DEVICE: u32 = 100;
const ERROR_PEER_ACCESS_ALREADY_ENABLED: u32 = 704;

/// A device as a context: its number, and 1, because a null pointer is no context.
fn context(device: c_int) -> RawContext {
    RawContext(ptr::without_provenance_mut(device.unsigned_abs() as usize + 1))
}

fn device_of(context: RawContext) -> c_int {
    context.0.addr() as c_int - 1
}

/// No call that needs a pool of memory is made, because [there is none](Driver::create_pool).
fn no_pools<T>() -> Result<T> {
    Err(failure("hipMemPoolCreate", NOT_SUPPORTED))
}

fn exchange(mut mode: c_int) -> Result<c_int> {
    hipThreadExchangeStreamCaptureMode(&mut mode).map(|()| mode)
}

/// For a query of a stream and a wait of the host, which HIP counts among the calls that may wait
/// for the device.
fn unrestricted() -> Result<Unrestricted> {
    Unrestricted::begin(&HIP)
}

fn attribute_of(function: RawFunction, attribute: c_int) -> Result<usize> {
    let mut value = 0;
    hipFuncGetAttribute(&mut value, attribute, function.0).map(|()| usize::try_from(value).unwrap_or(0))
}

impl Driver for Hip {
    fn platform(&self) -> Platform {
        Platform::Hip
    }

    fn device_count(&self) -> Result<usize> {
        if library().is_none() {
            return if broken().is_some() { Err(failure("dlopen", NOT_LOADED)) } else { Ok(0) };
        }
        let mut count = 0;
        match hipInit(0).and_then(|()| hipGetDeviceCount(&mut count)) {
            Ok(()) => Ok(usize::try_from(count).unwrap_or(0)),
            Err(Failure { code: ERROR_NO_DEVICE, .. }) => Ok(0),
            Err(failure) => Err(failure),
        }
    }

    fn version(&self) -> Result<((u32, u32), (u32, u32))> {
        let mut version = 0;
        hipDriverGetVersion(&mut version)?;
        let version = version.unsigned_abs(); // 10^7 × major + 10^5 × minor + patch
        Ok(((version / 10_000_000, version / 100_000 % 100), OLDEST))
    }

    fn compiler(&self, version: (u32, u32)) -> std::result::Result<&'static dyn Compiler, Error> {
        Hiprtc::find(version).map(|found| found as &dyn Compiler)
    }

    fn device(&self, ordinal: usize) -> Result<RawDevice> {
        let mut device = 0;
        hipDeviceGet(&mut device, c_int::try_from(ordinal).unwrap_or(c_int::MAX)).map(|()| RawDevice(device))
    }

    fn device_name(&self, device: RawDevice) -> Result<String> {
        let mut name = [0u8; 256];
        hipDeviceGetName(&mut name, 255, device.0)?;
        Ok(CStr::from_bytes_until_nul(&name).map(|name| name.to_string_lossy().into_owned()).unwrap_or_default())
    }

    /// With its features, `gfx90a:sramecc+:xnack-`, as HIPRTC wants it.
    fn architecture(&self, device: RawDevice) -> Result<String> {
        let mut properties = Properties::EMPTY;
        hipGetDevicePropertiesR0600(&mut properties, device.0)?;
        let name = CStr::from_bytes_until_nul(&properties.architecture);
        Ok(name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default())
    }

    /// From the variable that the runtime reads.
    fn hardware_queues(&self) -> usize {
        let value = std::env::var("GPU_MAX_HW_QUEUES").ok();
        value.and_then(|text| text.trim().parse().ok()).filter(|number| *number > 0).unwrap_or(QUEUES)
    }

    /// HIP has no contexts to retain.
    fn retain_context(&self, device: RawDevice) -> Result<RawContext> {
        Ok(context(device.0))
    }

    fn release_context(&self, _: RawDevice) -> Result<()> {
        Ok(())
    }

    fn bound_context(&self) -> Result<RawContext> {
        let mut device = 0;
        hipGetDevice(&mut device).map(|()| context(device))
    }

    fn bind_context(&self, context: RawContext) -> Result<()> {
        hipSetDevice(device_of(context))
    }

    fn synchronize_device(&self, _: Wait) -> Result<()> {
        hipDeviceSynchronize()
    }

    fn describe(&self, failure: Failure) -> (String, String) {
        if let Some(reason) = broken() {
            let advice = "install the HIP runtime of ROCm 6 or 7 again, or select another device with ANABRANCH_DEVICE";
            return ("hipErrorSharedObjectInitFailed".to_owned(), format!("{reason}; {advice}"));
        }
        let name = text_of(failure.code, c"hipGetErrorName", "unknown error");
        (name, text_of(failure.code, c"hipGetErrorString", "the driver does not know this error"))
    }

    fn priority_range(&self) -> Result<(i32, i32)> {
        let (mut least, mut greatest) = (0, 0);
        hipDeviceGetStreamPriorityRange(&mut least, &mut greatest)?;
        Ok((least, greatest))
    }

    fn create_stream(&self, priority: i32) -> Result<RawStream> {
        let mut stream = ptr::null_mut();
        hipStreamCreateWithPriority(&mut stream, STREAM_NON_BLOCKING, priority).map(|()| RawStream(stream))
    }

    fn destroy_stream(&self, stream: RawStream) -> Result<()> {
        hipStreamDestroy(stream.0)
    }

    /// `hipEventQuery` and `hipEventSynchronize` read the state of the stream, without a check that
    /// it exists.
    fn events_need_their_streams(&self) -> bool {
        true
    }

    /// Recorded a second time before anything else is captured on its stream, an event keeps what
    /// it recorded first.
    fn records_once_in_a_capture(&self) -> bool {
        true
    }

    fn stream_priority(&self, stream: RawStream) -> Result<i32> {
        let mut priority = 0;
        hipStreamGetPriority(stream.0, &mut priority).map(|()| priority)
    }

    fn synchronize_stream(&self, stream: RawStream, _: Wait) -> Result<()> {
        let _unrestricted = unrestricted()?;
        hipStreamSynchronize(stream.0)
    }

    fn stream_is_idle(&self, stream: RawStream) -> Result<bool> {
        let _unrestricted = unrestricted()?;
        ready(hipStreamQuery(stream.0))
    }

    fn wait_event(&self, stream: RawStream, event: RawEvent, _: Wait) -> Result<()> {
        hipStreamWaitEvent(stream.0, event.0, 0)
    }

    fn create_event(&self, timing: bool) -> Result<RawEvent> {
        let mut event = ptr::null_mut();
        let flags = if timing { 0 } else { EVENT_DISABLE_TIMING };
        hipEventCreateWithFlags(&mut event, flags).map(|()| RawEvent(event))
    }

    fn destroy_event(&self, event: RawEvent) -> Result<()> {
        hipEventDestroy(event.0)
    }

    fn record_event(&self, event: RawEvent, stream: RawStream) -> Result<()> {
        hipEventRecord(event.0, stream.0)
    }

    fn synchronize_event(&self, event: RawEvent, _: Wait) -> Result<()> {
        let _unrestricted = unrestricted()?;
        hipEventSynchronize(event.0)
    }

    /// Newer versions of HIP restrict it like [`synchronize_event`](Driver::synchronize_event).
    fn event_is_complete(&self, event: RawEvent) -> Result<bool> {
        let _unrestricted = unrestricted()?;
        ready(hipEventQuery(event.0))
    }

    fn elapsed(&self, start: RawEvent, end: RawEvent) -> Result<f32> {
        let mut milliseconds = 0.0;
        hipEventElapsedTime(&mut milliseconds, start.0, end.0).map(|()| milliseconds)
    }

    /// HIP has pools. But in ROCm 6 and 7, a pool gives memory that was freed on one stream to the
    /// stream on which it was allocated, without a wait for the work of the first one
    /// (`MemoryTimestamp` in the source of AMD's runtime). Buffers are allocated on service
    /// streams, so the kernel that used the memory before could overwrite a new buffer.
    fn create_pool(&self, _: RawDevice) -> Result<Option<RawPool>> {
        Ok(None)
    }

    fn trim_pool(&self, _: RawPool) -> Result<()> {
        no_pools()
    }

    fn destroy_pool(&self, _: RawPool) -> Result<()> {
        no_pools()
    }

    fn allocate_async(&self, _: usize, _: RawPool, _: RawStream) -> Result<u64> {
        no_pools()
    }

    fn free_async(&self, _: u64, _: RawStream) -> Result<()> {
        no_pools()
    }

    fn allocate(&self, bytes: usize) -> Result<u64> {
        let mut address = 0;
        hipMalloc(&mut address, bytes).map(|()| address)
    }

    fn free(&self, address: u64) -> Result<()> {
        hipFree(address)
    }

    fn device_of(&self, address: u64) -> Result<Option<usize>> {
        const MEMORY_TYPE: c_int = 2;
        const DEVICE_ORDINAL: c_int = 9;
        const DEVICE: c_int = 2; // hipMemoryTypeDevice
        let (mut kind, mut ordinal): (c_int, c_int) = (0, 0);
        match hipPointerGetAttribute(&mut kind, MEMORY_TYPE, address) {
            Ok(()) if kind == DEVICE => {}
            Ok(()) | Err(Failure { code: ERROR_INVALID_VALUE, .. }) => return Ok(None),
            Err(failure) => return Err(failure),
        }
        hipPointerGetAttribute(&mut ordinal, DEVICE_ORDINAL, address)?;
        Ok(usize::try_from(ordinal).ok())
    }

    fn memory_info(&self) -> Result<(usize, usize)> {
        let (mut free, mut total) = (0, 0);
        hipMemGetInfo(&mut free, &mut total).map(|()| (free, total))
    }

    fn allocate_host(&self, bytes: usize, mapped: bool) -> Result<(RawHost, u64)> {
        let mut host = ptr::null_mut();
        let flags = if mapped { HOST_PORTABLE | HOST_MAPPED | HOST_COHERENT } else { HOST_PORTABLE };
        hipHostMalloc(&mut host, bytes, flags)?;
        let no_memory = || failure("hipHostMalloc", OUT_OF_MEMORY);
        let memory = ptr::NonNull::new(host.cast()).map(RawHost).ok_or_else(no_memory)?;
        let mut address = 0;
        if mapped {
            hipHostGetDevicePointer(&mut address, host, 0).inspect_err(|_| {
                let _ = self.free_host(memory); // the first failure is the one to report
            })?;
        }
        Ok((memory, address))
    }

    fn free_host(&self, memory: RawHost) -> Result<()> {
        hipHostFree(memory.0.as_ptr().cast())
    }

    unsafe fn copy_to_device(&self, address: u64, from: *const c_void, bytes: usize, stream: RawStream) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { hipMemcpyHtoDAsync(address, from, bytes, stream.0) }
    }

    unsafe fn copy_to_host(&self, to: *mut c_void, address: u64, bytes: usize, stream: RawStream) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { hipMemcpyDtoHAsync(to, address, bytes, stream.0) }
    }

    fn copy(&self, to: u64, from: u64, bytes: usize, stream: RawStream) -> Result<()> {
        hipMemcpyDtoDAsync(to, from, bytes, stream.0)
    }

    fn can_access_peer(&self, device: RawDevice, other: RawDevice) -> Result<bool> {
        let mut can = 0;
        hipDeviceCanAccessPeer(&mut can, device.0, other.0).map(|()| can != 0)
    }

    fn enable_peer_access(&self, other: RawContext) -> Result<()> {
        match hipDeviceEnablePeerAccess(device_of(other), 0) {
            Err(Failure { code: ERROR_PEER_ACCESS_ALREADY_ENABLED, .. }) => Ok(()),
            result => result,
        }
    }

    fn share_pool(&self, _: RawPool, _: RawDevice) -> Result<()> {
        no_pools()
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
        hipMemcpyPeerAsync(to, device_of(to_context), from, device_of(from_context), bytes, stream.0)
    }

    fn set(&self, address: u64, value: Word, count: usize, stream: RawStream) -> Result<()> {
        match value {
            Word::Bytes1(value) => hipMemsetD8Async(address, value, count, stream.0),
            Word::Bytes2(value) => hipMemsetD16Async(address, value, count, stream.0),
            Word::Bytes4(value) => hipMemsetD32Async(address, value as c_int, count, stream.0),
        }
    }

    /// HIP sets no words in rows, only bytes.
    fn set_column(&self, address: u64, pitch: usize, value: u32, count: usize, stream: RawStream) -> Result<()> {
        (0u64..)
            .zip(value.to_ne_bytes())
            .try_for_each(|(at, byte)| hipMemset2DAsync(address + at, pitch, byte.into(), 1, count, stream.0))
    }

    /// A code object of HIPRTC. HIP makes no copy of it.
    unsafe fn load_module(&self, image: &[u8]) -> Result<RawModule> {
        let mut module = ptr::null_mut();
        // SAFETY: the caller's promise.
        unsafe { hipModuleLoadData(&mut module, image.as_ptr().cast()) }.map(|()| RawModule(module))
    }

    fn unload_module(&self, module: RawModule) -> Result<()> {
        hipModuleUnload(module.0)
    }

    fn function(&self, module: RawModule, name: &CStr) -> Result<RawFunction> {
        let mut function = ptr::null_mut();
        // SAFETY: the name ends in a zero byte.
        unsafe { hipModuleGetFunction(&mut function, module.0, name.as_ptr()) }.map(|()| RawFunction(function))
    }

    fn load_function(&self, function: RawFunction) -> Result<usize> {
        attribute_of(function, 3) // HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES
    }

    fn registers(&self, function: RawFunction) -> Result<usize> {
        attribute_of(function, 4) // HIP_FUNC_ATTRIBUTE_NUM_REGS: vector registers
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
        // SAFETY: the caller's promise.
        unsafe {
            hipModuleLaunchKernel(
                function.0,
                gx,
                gy,
                gz,
                bx,
                by,
                bz,
                0,
                stream.0,
                parameters.as_mut_ptr(),
                ptr::null_mut(),
            )
        }
    }

    fn begin_capture(&self, stream: RawStream) -> Result<()> {
        hipStreamBeginCapture(stream.0, CAPTURE_RELAXED)
    }

    fn is_capturing(&self, stream: RawStream) -> Result<bool> {
        let mut status = 0;
        hipStreamIsCapturing(stream.0, &mut status).map(|()| status != 0)
    }

    fn end_capture(&self, stream: RawStream) -> Result<RawGraph> {
        let mut graph = ptr::null_mut();
        hipStreamEndCapture(stream.0, &mut graph).map(|()| RawGraph(graph))
    }

    fn instantiate_graph(&self, graph: RawGraph) -> Result<RawGraphExec> {
        let mut exec = ptr::null_mut();
        hipGraphInstantiateWithFlags(&mut exec, graph.0, 0).map(|()| RawGraphExec(exec))
    }

    fn destroy_graph(&self, graph: RawGraph) -> Result<()> {
        hipGraphDestroy(graph.0)
    }

    fn launch_graph(&self, exec: RawGraphExec, stream: RawStream) -> Result<()> {
        hipGraphLaunch(exec.0, stream.0)
    }

    fn destroy_graph_exec(&self, exec: RawGraphExec) -> Result<()> {
        hipGraphExecDestroy(exec.0)
    }

    fn relax_captures(&self) -> Result<u32> {
        exchange(CAPTURE_RELAXED).map(c_int::unsigned_abs)
    }

    fn restore_captures(&self, mode: u32) -> Result<()> {
        exchange(mode as c_int).map(drop)
    }
}
