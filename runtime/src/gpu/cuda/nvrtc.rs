//! NVRTC, NVIDIA's run-time compiler for CUDA C++, loaded from wherever it is found.
//!
//! This does not use `cudarc`, which knows the library's name for only one version of CUDA. Any NVRTC from 12.0 on works here, and it may be
//! in a Python environment that the loader does not search. After it is found, it stays loaded.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::ptr;

use libloading::Library;

use super::search::{self, Candidate};
use crate::codegen::FailedCheck;
use crate::error::{Error, Result};
use crate::gpu::compiler::{Compiler, Mode, Target};
use crate::gpu::debug_info::DebugInfo;
use crate::gpu::driver::Failure;
use crate::lock::Lock;

/// The oldest supported NVRTC: the first that can list its architectures and that writes cubins for all of them.
const OLDEST: (u32, u32) = (12, 0);

type RawProgram = *mut c_void;

/// A loaded NVRTC. Its functions may be called from any number of threads.
#[derive(Debug)]
pub(crate) struct Nvrtc {
    version: (u32, u32),
    path: PathBuf,
    /// Supported architectures, 10 × major + minor, ascending.
    architectures: Vec<u32>,
    functions: Functions,
    /// Keeps the functions loaded.
    _library: Library,
}

#[derive(Debug, Clone, Copy)]
struct Functions {
    create: unsafe extern "C" fn(
        *mut RawProgram,
        *const c_char,
        *const c_char,
        c_int,
        *const *const c_char,
        *const *const c_char,
    ) -> c_int,
    compile: unsafe extern "C" fn(RawProgram, c_int, *const *const c_char) -> c_int,
    destroy: unsafe extern "C" fn(*mut RawProgram) -> c_int,
    log_size: unsafe extern "C" fn(RawProgram, *mut usize) -> c_int,
    log: unsafe extern "C" fn(RawProgram, *mut c_char) -> c_int,
    cubin_size: unsafe extern "C" fn(RawProgram, *mut usize) -> c_int,
    cubin: unsafe extern "C" fn(RawProgram, *mut c_char) -> c_int,
    ptx_size: unsafe extern "C" fn(RawProgram, *mut usize) -> c_int,
    ptx: unsafe extern "C" fn(RawProgram, *mut c_char) -> c_int,
    error_string: unsafe extern "C" fn(c_int) -> *const c_char,
}

/// The target for machine code for one architecture, or for portable code, which the driver compiles for a newer architecture.
pub(super) fn target(architecture: u32, portable: bool, mode: Mode) -> Target {
    let kind = if portable { "compute" } else { "sm" };
    let option = format!("--gpu-architecture={kind}_{architecture}");
    let mut options = vec![option, "--std=c++17".to_owned(), "--device-int128".to_owned()];
    if !mode.contract {
        options.push("--fmad=false".to_owned());
    }
    match mode.debug {
        DebugInfo::None => {}
        DebugInfo::Lines => options.push("--generate-line-info".to_owned()),
        DebugInfo::Full => options.push("--device-debug".to_owned()),
    }
    Target { architecture, portable, options }
}

impl Nvrtc {
    /// The NVRTC of this process: the first that works with the driver. `driver` is the driver's version of CUDA, if there is a driver.
    pub(crate) fn find(driver: Option<(u32, u32)>) -> Result<&'static Self> {
        static FOUND: Lock<Vec<&'static Nvrtc>> = Lock::new(Vec::new());
        // The lock also keeps two threads from loading the library twice.
        let mut found = FOUND.lock();
        let chosen = std::env::var_os("ANABRANCH_NVRTC").filter(|path| !path.is_empty());
        // A driver runs code of its own major version and of older ones. A library that the user names is always tried.
        let fits = |nvrtc: &Nvrtc| chosen.is_some() || driver.is_none_or(|driver| nvrtc.version.0 <= driver.0);
        if let Some(nvrtc) = found.iter().find(|nvrtc| fits(nvrtc)) {
            return Ok(nvrtc);
        }
        let mut searched = Vec::new();
        let mut too_new = None;
        for candidate in search::candidates(chosen.as_deref().map(Path::new), &mut searched) {
            match Self::load(&candidate) {
                Ok(nvrtc) if fits(&nvrtc) => {
                    let nvrtc: &'static Self = Box::leak(Box::new(nvrtc)); // once a process
                    found.push(nvrtc);
                    return Ok(nvrtc);
                }
                Ok(nvrtc) => {
                    searched.push(format!(
                        "{}: version {}.{} is newer than the driver",
                        candidate.name(),
                        nvrtc.version.0,
                        nvrtc.version.1
                    ));
                    too_new.get_or_insert((nvrtc.version, nvrtc.path));
                }
                Err(why) => searched.push(format!("{}: {why}", candidate.name())),
            }
        }
        match (too_new, driver) {
            (Some((nvrtc, path)), Some(driver)) => Err(Error::NvrtcTooNew { nvrtc, path, driver }),
            _ => Err(Error::NvrtcNotFound { searched }),
        }
    }

    fn load(candidate: &Candidate) -> std::result::Result<Self, String> {
        let text = |error: libloading::Error| {
            // The loader's own message, if there is one: "… cannot open shared object file: …".
            std::error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string)
        };
        if let Candidate::File(path) = candidate
            && let Some(builtins) = search::builtins(path)
        {
            preload(&builtins);
        }
        // SAFETY: loading runs the initializers of a library that is NVRTC according to its name, as any CUDA program does.
        let library = unsafe { Library::new(candidate.as_os_str()) }.map_err(text)?;
        // SAFETY: the types are those of nvrtc.h, unchanged from 12.0 to 13.x. The functions are called only while the library is loaded,
        // because it is stored beside them.
        let (functions, version, architecture_count, architecture_list) = unsafe {
            macro_rules! symbol {
                ($name:literal) => {
                    *library.get(concat!($name, "\0").as_bytes()).map_err(text)?
                };
            }
            let functions = Functions {
                create: symbol!("nvrtcCreateProgram"),
                compile: symbol!("nvrtcCompileProgram"),
                destroy: symbol!("nvrtcDestroyProgram"),
                log_size: symbol!("nvrtcGetProgramLogSize"),
                log: symbol!("nvrtcGetProgramLog"),
                cubin_size: symbol!("nvrtcGetCUBINSize"),
                cubin: symbol!("nvrtcGetCUBIN"),
                ptx_size: symbol!("nvrtcGetPTXSize"),
                ptx: symbol!("nvrtcGetPTX"),
                error_string: symbol!("nvrtcGetErrorString"),
            };
            let version: unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int = symbol!("nvrtcVersion");
            let count: unsafe extern "C" fn(*mut c_int) -> c_int = symbol!("nvrtcGetNumSupportedArchs");
            let list: unsafe extern "C" fn(*mut c_int) -> c_int = symbol!("nvrtcGetSupportedArchs");
            (functions, version, count, list)
        };
        let (mut major, mut minor, mut count) = (0, 0, 0);
        // SAFETY: the functions write one int each.
        let result = unsafe { version(&mut major, &mut minor).max(architecture_count(&mut count)) };
        let version = (major.unsigned_abs(), minor.unsigned_abs());
        if result != 0 || version < OLDEST {
            return Err(format!("version {major}.{minor} is older than {}.{}", OLDEST.0, OLDEST.1));
        }
        let mut architectures: Vec<c_int> = vec![0; usize::try_from(count).unwrap_or(0)];
        // SAFETY: the function writes as many ints as the reported count.
        unsafe { architecture_list(architectures.as_mut_ptr()) };
        let mut architectures: Vec<u32> = architectures.into_iter().map(c_int::unsigned_abs).collect();
        architectures.sort_unstable();
        let path = PathBuf::from(candidate.as_os_str());
        Ok(Self { version, path, architectures, functions, _library: library })
    }

    /// Supported architectures, 90 for `sm_90`, ascending.
    pub(super) fn architectures(&self) -> &[u32] {
        &self.architectures
    }
}

impl Compiler for Nvrtc {
    fn version(&self) -> (u32, u32) {
        self.version
    }

    fn path(&self) -> &Path {
        &self.path
    }

    fn target(&self, capability: (u32, u32), mode: Mode) -> Result<Target> {
        choose(&self.architectures, 10 * capability.0 + capability.1, mode).ok_or_else(|| {
            Error::NvrtcWrongArchitecture {
                nvrtc: self.version,
                path: self.path.clone(),
                capability,
                supported: self.architectures.first().copied().unwrap_or(0),
            }
        })
    }

    fn failed_check(&self) -> FailedCheck {
        FailedCheck::Exit
    }

    fn refused(&self, failure: Failure, driver: (u32, u32), capability: (u32, u32), target: &Target) -> Option<Error> {
        const INVALID_IMAGE: u32 = 200;
        const NO_BINARY_FOR_GPU: u32 = 209;
        const INVALID_PTX: u32 = 218;
        const UNSUPPORTED_PTX_VERSION: u32 = 222;
        let (nvrtc, path) = (self.version, self.path.clone());
        match failure.code {
            INVALID_IMAGE | NO_BINARY_FOR_GPU | INVALID_PTX | UNSUPPORTED_PTX_VERSION if nvrtc > driver => {
                Some(Error::NvrtcTooNew { nvrtc, path, driver })
            }
            NO_BINARY_FOR_GPU | UNSUPPORTED_PTX_VERSION => {
                Some(Error::NvrtcWrongArchitecture { nvrtc, path, capability, supported: target.architecture })
            }
            _ => None,
        }
    }

    fn compile(&self, source: &str, kernel: &'static str, target: &Target) -> Result<(Vec<u8>, String)> {
        let options: Vec<CString> =
            target.options.iter().map(|option| CString::new(option.as_str()).unwrap_or_default()).collect();
        let options: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        let source = CString::new(source)
            .map_err(|_| Error::Compile { kernel, log: "the generated source has a zero byte in it".to_owned() })?;
        let name = CString::new(format!("{kernel}.cu")).unwrap_or_default();
        let functions = &self.functions;
        let failed = |call: &'static str, code: c_int| {
            // SAFETY: the function takes any number and returns a static string.
            let text = unsafe { CStr::from_ptr((functions.error_string)(code)) };
            Error::Nvrtc { call, text: text.to_string_lossy().into_owned(), kernel }
        };
        let mut program = ptr::null_mut();
        // SAFETY: both strings end in a zero byte and live to the end of this function; there are no headers.
        let code =
            unsafe { (functions.create)(&mut program, source.as_ptr(), name.as_ptr(), 0, ptr::null(), ptr::null()) };
        if code != 0 {
            return Err(failed("nvrtcCreateProgram", code));
        }
        let program = OwnedProgram { program, functions };
        // SAFETY: the program is alive until `OwnedProgram` drops it, and the number of options is right.
        let code = unsafe { (functions.compile)(program.program, options.len() as c_int, options.as_ptr()) };
        let log = program
            .bytes(("nvrtcGetProgramLogSize", functions.log_size), ("nvrtcGetProgramLog", functions.log))
            .map(|log| clean_log(&String::from_utf8_lossy(&log)))
            .map_err(|(call, code)| failed(call, code));
        match code {
            0 => {}
            6 => return Err(Error::Compile { kernel, log: log? }), // NVRTC_ERROR_COMPILATION
            code => return Err(failed("nvrtcCompileProgram", code)),
        }
        let image = if target.portable {
            program.bytes(("nvrtcGetPTXSize", functions.ptx_size), ("nvrtcGetPTX", functions.ptx))
        } else {
            program.bytes(("nvrtcGetCUBINSize", functions.cubin_size), ("nvrtcGetCUBIN", functions.cubin))
        };
        let image = image.map_err(|(call, code)| failed(call, code))?;
        Ok((image, log?))
    }
}

/// Machine code if NVRTC supports the device's architecture; otherwise PTX for the newest architecture that the device is compatible with;
/// `None` for a device older than all of them.
fn choose(architectures: &[u32], device: u32, mode: Mode) -> Option<Target> {
    match architectures.iter().copied().filter(|&architecture| architecture <= device).max()? {
        exact if exact == device => Some(target(exact, false, mode)),
        older => Some(target(older, true, mode)),
    }
}

/// The log without its terminating zero, and without the notice that NVRTC 12.8 and 12.9 print for each program for an old device.
fn clean_log(log: &str) -> String {
    let notice = |line: &&str| !(line.contains("Architectures prior to") && line.contains("deprecated"));
    log.trim_end_matches('\0').lines().filter(notice).collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// A program, destroyed when dropped.
struct OwnedProgram<'a> {
    program: RawProgram,
    functions: &'a Functions,
}

impl OwnedProgram<'_> {
    /// Gets a result from two functions with their names: one returns the size, the other copies the bytes. On failure, returns the name and the
    /// code of the failed function.
    fn bytes(
        &self,
        size: (&'static str, unsafe extern "C" fn(RawProgram, *mut usize) -> c_int),
        get: (&'static str, unsafe extern "C" fn(RawProgram, *mut c_char) -> c_int),
    ) -> std::result::Result<Vec<u8>, (&'static str, c_int)> {
        let mut length = 0;
        // SAFETY: the program is alive until drop; the function writes one size.
        let code = unsafe { size.1(self.program, &mut length) };
        if code != 0 {
            return Err((size.0, code));
        }
        let mut bytes = vec![0u8; length];
        // SAFETY: the function writes as many bytes as `size` reported.
        let code = unsafe { get.1(self.program, bytes.as_mut_ptr().cast()) };
        if code == 0 { Ok(bytes) } else { Err((get.0, code)) }
    }
}

impl Drop for OwnedProgram<'_> {
    fn drop(&mut self) {
        // SAFETY: created by this NVRTC, and destroyed only here.
        unsafe { (self.functions.destroy)(&mut self.program) };
    }
}

/// Loads the library that NVRTC opens only by name, so that the loader finds it already loaded.
fn preload(path: &Path) {
    #[cfg(unix)]
    {
        use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
        // SAFETY: the library contains data for NVRTC, and its initializers have no effect. If loading fails, NVRTC reports it when it compiles.
        if let Ok(library) = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_GLOBAL) } {
            std::mem::forget(library); // stays for the life of the process, like NVRTC
        }
    }
    #[cfg(not(unix))]
    {
        // SAFETY: as above.
        if let Ok(library) = unsafe { Library::new(path) } {
            std::mem::forget(library);
        }
    }
}

#[cfg(test)]
mod tests;
