//! The runtime library and its functions, whose result is an integer.
//!
//! There is no crate that declares them and works without ROCm: `cubecl-hip-sys` links, and only
//! where it finds ROCm when it is built. These declarations are those of ROCm 6.0 to 7.0, in which
//! they are the same. A function that the library lacks is an error of its call.

use std::collections::BTreeSet;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use libloading::Library;

use crate::gpu::driver::{Failure, FailureKind, Result};
use crate::gpu::rtc::reason;

/// The library, newest first. The name without a number exists only where ROCm's headers are
/// installed.
const NAMES: &[&str] = if cfg!(windows) {
    &["amdhip64_7.dll", "amdhip64_6.dll"]
} else {
    &["libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so", "/opt/rocm/lib/libamdhip64.so"]
};

/// The library, if there is one on this machine that can be loaded. It stays loaded for the life of
/// the process.
pub(super) fn library() -> Option<&'static Library> {
    loaded().as_ref().ok()
}

/// Why a library that is present cannot be loaded: it is damaged, or needs a library that is
/// missing.
pub(super) fn broken() -> Option<&'static str> {
    loaded().as_ref().err()?.as_deref()
}

/// The library that the program has already loaded, because its handles and memory are unknown to
/// any other; or else the first one that can be loaded. `Err`: what is wrong with the first one
/// that is there.
fn loaded() -> &'static std::result::Result<Library, Option<String>> {
    static LIBRARY: OnceLock<std::result::Result<Library, Option<String>>> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let mut broken = None;
        let loaded = loaded_files("libamdhip64").into_iter().map(|path| path.to_string_lossy().into_owned());
        for name in loaded.chain(NAMES.iter().map(ToString::to_string)) {
            // SAFETY: the initializers of the library are the ones that any HIP program runs.
            match unsafe { Library::new(&name) } {
                Ok(library) => return Ok(library),
                Err(error) => {
                    let reason = reason(error);
                    if !is_missing(&reason, &name) {
                        broken.get_or_insert(reason);
                    }
                }
            }
        }
        Err(broken)
    })
}

/// Whether a loader's message says that it found no library of this name. If a library that this
/// one needs is missing, the message is another one. Messages may be translated, so a message
/// counts as this one unless it names damage.
fn is_missing(reason: &str, name: &str) -> bool {
    const DAMAGED: [&str; 5] = ["needed by", "invalid ELF", "file too short", "Permission denied", "undefined symbol"];
    !cfg!(target_os = "linux") || reason.contains(name) && !DAMAGED.iter().any(|words| reason.contains(words))
}

/// The files of loaded libraries whose name begins so, as far as the system lists them.
pub(super) fn loaded_files(name: &str) -> Vec<PathBuf> {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let paths = maps.lines().filter_map(|line| Some(Path::new(&line[line.find('/')?..])));
    let named = |path: &&Path| path.file_name().is_some_and(|file| file.to_string_lossy().starts_with(name));
    let files: BTreeSet<PathBuf> = paths.filter(named).map(Path::to_owned).collect();
    files.into_iter().collect()
}

pub(super) const OUT_OF_MEMORY: u32 = 2;
pub(super) const SYMBOL_NOT_FOUND: u32 = 302;
/// `hipErrorNotSupported`.
pub(super) const NOT_SUPPORTED: u32 = 801;
/// `hipErrorSharedObjectInitFailed`.
pub(super) const NOT_LOADED: u32 = 303;

/// A failed call, by what its code means.
pub(super) fn failure(call: &'static str, code: u32) -> Failure {
    let kind = match code {
        // hipErrorOutOfMemory, hipErrorRuntimeMemory.
        OUT_OF_MEMORY | 1052 => FailureKind::OutOfMemory,
        // ECC error, illegal address, launch timeout, assert, failed launch, other error of the
        // runtime. A destroyed context (709) is not among them: HIP returns it for a stream that is
        // no more.
        214 | 700 | 702 | 710 | 719 | 1053 => FailureKind::Fatal,
        _ => FailureKind::Other,
    };
    // Invalid context, invalid handle.
    Failure { call, code, kind, elsewhere: matches!(code, 201 | 400) }
}

fn check(call: &'static str, result: c_int) -> Result<()> {
    if result == 0 { Ok(()) } else { Err(failure(call, result.unsigned_abs())) }
}

/// Defines a function that finds the library's function of its name at its first call.
macro_rules! function {
    ([$($keyword:tt)?] $name:ident($($argument:ident: $ty:ty),* $(,)?)) => {
        #[allow(non_snake_case, clippy::too_many_arguments, clippy::missing_safety_doc)]
        #[inline]
        pub(super) $($keyword)? fn $name($($argument: $ty),*) -> Result<()> {
            type Function = unsafe extern "C" fn($($ty),*) -> c_int;
            static FOUND: OnceLock<Option<Function>> = OnceLock::new();
            let find = || {
                // SAFETY: the type is that of hip_runtime_api.h. An enum of C is an int, and a
                // reference is a pointer.
                unsafe { library()?.get::<Function>(concat!(stringify!($name), "\0").as_bytes()) }.ok().map(|symbol| *symbol)
            };
            match FOUND.get_or_init(find) {
                // SAFETY: handles are live by the rule of `gpu::driver`, and what is written is
                // borrowed exclusively. Where a pointer is to memory of the host, the function is
                // `unsafe`, and the caller promises what HIP's documentation wants. The call checks
                // the rest.
                Some(function) => check(stringify!($name), unsafe { function($($argument),*) }),
                None => Err(failure(stringify!($name), SYMBOL_NOT_FOUND)),
            }
        }
    };
}

macro_rules! functions {
    (safe { $($name:ident $arguments:tt;)* } unsafe { $($other:ident $more:tt;)* }) => {
        $(function! { [] $name $arguments })*
        $(function! { [unsafe] $other $more })*
    };
}

type Handle = *mut c_void;

/// `hipDeviceProp_tR0600`, of which only the name of the architecture is of interest.
#[repr(C, align(8))]
pub(super) struct Properties {
    before: [u8; 1160],
    /// `gcnArchName`, which ends in a zero byte.
    pub(super) architecture: [u8; 256],
    /// The structure has 1472 bytes in ROCm 6 and 7. The rest is room for later versions.
    after: [u8; 2680],
}

impl Properties {
    pub(super) const EMPTY: Self = Self { before: [0; 1160], architecture: [0; 256], after: [0; 2680] };
}

functions! {
    safe {
        hipInit(flags: c_uint);
        hipGetDeviceCount(count: &mut c_int);
        hipDriverGetVersion(version: &mut c_int);
        hipDeviceGet(device: &mut c_int, ordinal: c_int);
        hipDeviceGetName(name: &mut [u8; 256], length: c_int, device: c_int);
        hipGetDevicePropertiesR0600(properties: &mut Properties, device: c_int);
        hipSetDevice(device: c_int);
        hipGetDevice(device: &mut c_int);
        hipDeviceSynchronize();
        hipDeviceGetStreamPriorityRange(least: &mut c_int, greatest: &mut c_int);
        hipStreamCreateWithPriority(stream: &mut Handle, flags: c_uint, priority: c_int);
        hipStreamDestroy(stream: Handle);
        hipStreamGetPriority(stream: Handle, priority: &mut c_int);
        hipStreamSynchronize(stream: Handle);
        hipStreamQuery(stream: Handle);
        hipStreamWaitEvent(stream: Handle, event: Handle, flags: c_uint);
        hipStreamBeginCapture(stream: Handle, mode: c_int);
        hipStreamIsCapturing(stream: Handle, status: &mut c_int);
        hipStreamEndCapture(stream: Handle, graph: &mut Handle);
        hipThreadExchangeStreamCaptureMode(mode: &mut c_int);
        hipEventCreateWithFlags(event: &mut Handle, flags: c_uint);
        hipEventDestroy(event: Handle);
        hipEventRecord(event: Handle, stream: Handle);
        hipEventSynchronize(event: Handle);
        hipEventQuery(event: Handle);
        hipEventElapsedTime(milliseconds: &mut f32, start: Handle, end: Handle);
        hipMalloc(address: &mut u64, bytes: usize);
        hipFree(address: u64);
        hipMemGetInfo(free: &mut usize, total: &mut usize);
        hipPointerGetAttribute(value: &mut c_int, attribute: c_int, address: u64);
        hipHostMalloc(memory: &mut Handle, bytes: usize, flags: c_uint);
        hipHostFree(memory: Handle);
        hipHostGetDevicePointer(address: &mut u64, memory: Handle, flags: c_uint);
        hipMemcpyDtoDAsync(to: u64, from: u64, bytes: usize, stream: Handle);
        hipMemcpyPeerAsync(to: u64, to_device: c_int, from: u64, from_device: c_int, bytes: usize, stream: Handle);
        hipDeviceCanAccessPeer(can: &mut c_int, device: c_int, other: c_int);
        hipDeviceEnablePeerAccess(other: c_int, flags: c_uint);
        hipMemsetD8Async(to: u64, value: u8, count: usize, stream: Handle);
        hipMemsetD16Async(to: u64, value: u16, count: usize, stream: Handle);
        hipMemsetD32Async(to: u64, value: c_int, count: usize, stream: Handle);
        hipMemset2DAsync(to: u64, pitch: usize, value: c_int, width: usize, height: usize, stream: Handle);
        hipModuleUnload(module: Handle);
        hipFuncGetAttribute(value: &mut c_int, attribute: c_int, function: Handle);
        hipGraphInstantiateWithFlags(exec: &mut Handle, graph: Handle, flags: u64);
        hipGraphDestroy(graph: Handle);
        hipGraphLaunch(exec: Handle, stream: Handle);
        hipGraphExecDestroy(exec: Handle);
    }
    unsafe {
        hipMemcpyHtoDAsync(to: u64, from: *const c_void, bytes: usize, stream: Handle);
        hipMemcpyDtoHAsync(to: *mut c_void, from: u64, bytes: usize, stream: Handle);
        hipModuleLoadData(module: &mut Handle, image: *const c_void);
        hipModuleGetFunction(function: &mut Handle, module: Handle, name: *const c_char);
        hipModuleLaunchKernel(
            function: Handle, gx: c_uint, gy: c_uint, gz: c_uint, bx: c_uint, by: c_uint, bz: c_uint, shared: c_uint, stream: Handle,
            parameters: *mut Handle, extra: *mut Handle,
        );
    }
}

/// The library's text for a result, from `hipGetErrorName` or `hipGetErrorString`.
pub(super) fn text_of(code: u32, function: &CStr, otherwise: &str) -> String {
    type Lookup = unsafe extern "C" fn(u32) -> *const c_char;
    // SAFETY: both functions have this type, because the enum of C is an int. They return a static
    // string, or null.
    unsafe {
        let text = library()
            .and_then(|library| library.get::<Lookup>(function.to_bytes_with_nul()).ok())
            .map(|lookup| lookup(code));
        match text {
            Some(text) if !text.is_null() => CStr::from_ptr(text).to_string_lossy().into_owned(),
            _ => otherwise.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_missing;

    /// The messages are those of glibc and musl.
    #[test]
    #[cfg(target_os = "linux")]
    fn a_damaged_library_is_not_missing() {
        const NAME: &str = "libamdhip64.so.7";
        for missing in [
            "libamdhip64.so.7: cannot open shared object file: No such file or directory",
            "Error loading shared library libamdhip64.so.7: No such file or directory",
            "libamdhip64.so.7: Kann die Shared-Object-Datei nicht öffnen: Datei oder Verzeichnis nicht gefunden",
        ] {
            assert!(is_missing(missing, NAME), "{missing}");
        }
        for broken in [
            "/opt/rocm/lib/libamdhip64.so.7: invalid ELF header",
            "libamdhip64.so.7: cannot open shared object file: Permission denied",
            "librocprofiler-register.so.0: cannot open shared object file: No such file or directory",
            "Error loading shared library libnuma.so.1: No such file or directory (needed by /usr/lib/libamdhip64.so.7)",
        ] {
            assert!(!is_missing(broken, NAME), "{broken}");
        }
    }
}
