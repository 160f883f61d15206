//! NVRTC, NVIDIA's run-time compiler for CUDA C++, loaded from wherever it is found.
//!
//! This does not use `cudarc`, which knows the library's name for only one version of CUDA. Any
//! NVRTC from 12.0 on works here, and it may be in a Python environment that the loader does not
//! search. After it is found, it stays loaded.

use std::ffi::c_int;
use std::path::{Path, PathBuf};

use libloading::Library;

use super::search::{self, Candidate};
use crate::codegen::FailedCheck;
use crate::error::{Error, Result};
use crate::gpu::compiler::{Compiler, LocalMemory, Mode, Target};
use crate::gpu::debug_info::DebugInfo;
use crate::gpu::driver::Failure;
use crate::gpu::rtc::{Getter, Rtc, names, reason};
use crate::lock::Lock;
use crate::platform::Platform;

/// The oldest supported NVRTC: the first that can list its architectures and that writes cubins for
/// all of them.
const OLDEST: (u32, u32) = (12, 0);

/// A loaded NVRTC. Its functions may be called from any number of threads.
#[derive(Debug)]
pub(crate) struct Nvrtc {
    version: (u32, u32),
    identity: String,
    path: PathBuf,
    /// Supported architectures, 10 × major + minor, ascending.
    architectures: Vec<u32>,
    functions: Rtc,
    cubin: Getter,
    ptx: Getter,
}

/// The target for machine code for one architecture, or for portable code, which the driver
/// compiles for a newer architecture.
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
    Target { architecture: format!("sm_{architecture}"), portable, options }
}

impl Nvrtc {
    /// The NVRTC of this process: the first that works with the driver. `driver` is the driver's
    /// version of CUDA, if there is a driver.
    pub(crate) fn find(driver: Option<(u32, u32)>) -> Result<&'static Self> {
        static FOUND: Lock<Vec<&'static Nvrtc>> = Lock::new(Vec::new());
        // The lock also keeps two threads from loading the library twice.
        let mut found = FOUND.lock();
        let chosen = std::env::var_os("ANABRANCH_NVRTC").filter(|path| !path.is_empty());
        // A driver runs code of its own major version and of older ones. A library that the user
        // names is always tried.
        let fits = |nvrtc: &Nvrtc| chosen.is_some() || driver.is_none_or(|driver| nvrtc.version.0 <= driver.0);
        if let Some(nvrtc) = found.iter().find(|nvrtc| fits(nvrtc)) {
            return Ok(nvrtc);
        }
        let mut searched = Vec::new();
        let mut newer = None;
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
                    newer.get_or_insert((nvrtc.version, nvrtc.path));
                }
                Err(why) => searched.push(format!("{}: {why}", candidate.name())),
            }
        }
        match (newer, driver) {
            (Some((nvrtc, path)), Some(driver)) => Err(too_new(nvrtc, path, driver)),
            _ => Err(Error::CompilerNotFound { platform: Platform::Cuda, searched }),
        }
    }

    fn load(candidate: &Candidate) -> std::result::Result<Self, String> {
        if let Candidate::File(path) = candidate
            && let Some(builtins) = search::builtins(path)
        {
            preload(&builtins);
        }
        // SAFETY: loading runs the initializers of a library that is NVRTC according to its name,
        // as any CUDA program does.
        let library = unsafe { Library::new(candidate.as_os_str()) }.map_err(reason)?;
        type Version = unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int;
        type Write = unsafe extern "C" fn(*mut c_int) -> c_int;
        // SAFETY: the types are those of nvrtc.h, unchanged from 12.0 to 13.x. The functions are
        // called only while the library is loaded, because it is stored beside them.
        let (functions, cubin, ptx, version, architecture_count, architecture_list) = unsafe {
            let functions = Rtc::new(library, names!("nvrtc"))?;
            let cubin = functions.getter("nvrtcGetCUBINSize\0", "nvrtcGetCUBIN\0")?;
            let ptx = functions.getter("nvrtcGetPTXSize\0", "nvrtcGetPTX\0")?;
            let version: Version = functions.symbol("nvrtcVersion\0")?;
            let count: Write = functions.symbol("nvrtcGetNumSupportedArchs\0")?;
            let list: Write = functions.symbol("nvrtcGetSupportedArchs\0")?;
            (functions, cubin, ptx, version, count, list)
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
        let identity = format!("NVRTC {major}.{minor}");
        Ok(Self { version, identity, path, architectures, functions, cubin, ptx })
    }

    /// Major and minor.
    pub(super) fn version(&self) -> (u32, u32) {
        self.version
    }

    /// The library's file, or its name if the loader found it.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    fn wrong_architecture(&self, architecture: &str, supported: u32) -> Error {
        let reason = match number(architecture) < supported {
            true => {
                "the GPU is too old for it; install an older NVRTC, such as 12.9 (`pip install nvidia-cuda-nvrtc-cu12`)"
            }
            false => "the GPU is too new for it; install a newer NVRTC (`pip install nvidia-cuda-nvrtc`)",
        };
        let (compiler, path, architecture) = (self.version, self.path.clone(), architecture.to_owned());
        Error::CompilerWrongArchitecture { platform: Platform::Cuda, compiler, path, architecture, reason }
    }

    /// Supported architectures, 90 for `sm_90`, ascending.
    pub(super) fn architectures(&self) -> &[u32] {
        &self.architectures
    }
}

impl Compiler for Nvrtc {
    fn identity(&self) -> &str {
        &self.identity
    }

    fn target(&self, architecture: &str, mode: Mode) -> Result<Target> {
        let oldest = self.architectures.first().copied().unwrap_or(0);
        choose(&self.architectures, number(architecture), mode)
            .ok_or_else(|| self.wrong_architecture(architecture, oldest))
    }

    fn failed_checks(&self) -> &'static [FailedCheck] {
        &[FailedCheck::Exit, FailedCheck::GoOn]
    }

    /// NVRTC compiles it, and the driver says how many bytes there are.
    fn too_much_local_memory(&self, _: &str) -> Option<LocalMemory> {
        None
    }

    fn refused(&self, failure: Failure, driver: (u32, u32), architecture: &str, target: &Target) -> Option<Error> {
        const INVALID_IMAGE: u32 = 200;
        const NO_BINARY_FOR_GPU: u32 = 209;
        const INVALID_PTX: u32 = 218;
        const UNSUPPORTED_PTX_VERSION: u32 = 222;
        match failure.code {
            INVALID_IMAGE | NO_BINARY_FOR_GPU | INVALID_PTX | UNSUPPORTED_PTX_VERSION if self.version > driver => {
                Some(too_new(self.version, self.path.clone(), driver))
            }
            NO_BINARY_FOR_GPU | UNSUPPORTED_PTX_VERSION => {
                Some(self.wrong_architecture(architecture, number(&target.architecture)))
            }
            _ => None,
        }
    }

    fn compile(&self, source: &str, kernel: &'static str, target: &Target) -> Result<(Vec<u8>, String)> {
        let image = if target.portable { self.ptx } else { self.cubin };
        let compiled = self.functions.compile(source, (kernel, "cu"), &target.options, image);
        match compiled {
            Ok((image, log)) => Ok((image, clean_log(&log))),
            Err(Error::Compile { kernel, log }) => Err(Error::Compile { kernel, log: clean_log(&log) }),
            Err(error) => Err(error),
        }
    }
}

/// The number in the name of an architecture: 90 for `sm_90`.
fn number(architecture: &str) -> u32 {
    architecture.trim_start_matches("sm_").parse().unwrap_or(0)
}

fn too_new(compiler: (u32, u32), path: PathBuf, driver: (u32, u32)) -> Error {
    Error::CompilerTooNew { platform: Platform::Cuda, compiler, path, driver }
}

/// Machine code if NVRTC supports the device's architecture; otherwise PTX for the newest
/// architecture that the device is compatible with; `None` for a device older than all of them.
fn choose(architectures: &[u32], device: u32, mode: Mode) -> Option<Target> {
    match architectures.iter().copied().filter(|&architecture| architecture <= device).max()? {
        exact if exact == device => Some(target(exact, false, mode)),
        older => Some(target(older, true, mode)),
    }
}

/// The log without the notice that NVRTC 12.8 and 12.9 print for each program for an old device.
fn clean_log(log: &str) -> String {
    let notice = |line: &&str| !(line.contains("Architectures prior to") && line.contains("deprecated"));
    log.lines().filter(notice).collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// Loads the library that NVRTC opens only by name, so that the loader finds it already loaded.
fn preload(path: &Path) {
    #[cfg(unix)]
    {
        use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
        // SAFETY: the library contains data for NVRTC, and its initializers have no effect. If
        // loading fails, NVRTC reports it when it compiles.
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
