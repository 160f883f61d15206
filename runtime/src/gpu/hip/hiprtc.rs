//! HIPRTC, AMD's run-time compiler for HIP C++.

use std::ffi::{CStr, c_char};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use libloading::Library;

use super::library::loaded_files;
use crate::codegen::FailedCheck;
use crate::error::{Error, Result};
use crate::gpu::compiler::{Compiler, LocalMemory, Mode, Target};
use crate::gpu::debug_info::DebugInfo;
use crate::gpu::driver::Failure;
use crate::gpu::rtc::{Getter, Rtc, names, reason};
use crate::lock::Lock;
use crate::platform::Platform;

/// A loaded HIPRTC. It compiles one program at a time.
#[derive(Debug)]
pub(super) struct Hiprtc {
    /// That of the HIP runtime: HIPRTC's own is 9.0 in every release.
    version: (u32, u32),
    identity: String,
    path: PathBuf,
    /// The processors of AMD's code generator; none if it does not list them.
    processors: Vec<String>,
    functions: Rtc,
    code: Getter,
}

/// The target for an architecture as the device names it, with its features.
fn target(architecture: &str, mode: Mode) -> Target {
    let mut options = vec![format!("--offload-arch={architecture}"), "-std=c++17".to_owned(), "-w".to_owned()];
    // Without an option, clang contracts except where a pragma of the source forbids it. With
    // `-ffp-contract=fast` it would contract there, too.
    if !mode.contract {
        options.push("-ffp-contract=off".to_owned());
    }
    match mode.debug {
        DebugInfo::None => {}
        DebugInfo::Lines => options.push("-gline-tables-only".to_owned()),
        DebugInfo::Full => options.extend(["-g".to_owned(), "-O0".to_owned()]),
    }
    Target { architecture: architecture.to_owned(), portable: false, options }
}

impl Hiprtc {
    /// The HIPRTC of this process, which belongs to the HIP runtime of this version.
    pub(super) fn find(version: (u32, u32)) -> Result<&'static Self> {
        static FOUND: Lock<Option<&'static Hiprtc>> = Lock::new(None);
        // The lock also keeps two threads from loading the library twice.
        let mut found = FOUND.lock();
        if let Some(hiprtc) = *found {
            return Ok(hiprtc);
        }
        let mut searched = Vec::new();
        for path in candidates(version.0) {
            match Self::load(&path, version) {
                Ok(hiprtc) => {
                    let hiprtc: &'static Self = Box::leak(Box::new(hiprtc)); // once a process
                    *found = Some(hiprtc);
                    return Ok(hiprtc);
                }
                Err(why) => searched.push(format!("{}: {why}", path.display())),
            }
        }
        Err(Error::CompilerNotFound { platform: Platform::Hip, searched })
    }

    fn load(path: &Path, version: (u32, u32)) -> std::result::Result<Self, String> {
        // SAFETY: loading runs the initializers of a library that is HIPRTC according to its name,
        // as any HIP program does.
        let library = unsafe { Library::new(path) }.map_err(reason)?;
        // SAFETY: the types are those of hiprtc.h, which are NVRTC's, unchanged from ROCm 6.0 to
        // 7.0.
        let functions = unsafe { Rtc::new(library, names!("hiprtc"))? };
        // SAFETY: as above.
        let code = unsafe { functions.getter("hiprtcGetCodeSize\0", "hiprtcGetCode\0")? };
        let processors = processors(path);
        let identity = identity(version);
        Ok(Self { version, identity, path: path.to_owned(), processors, functions, code })
    }
}

impl Compiler for Hiprtc {
    fn identity(&self) -> &str {
        &self.identity
    }

    /// HIPRTC ends the process if it does not know the architecture, so it is not asked then.
    fn target(&self, architecture: &str, mode: Mode) -> Result<Target> {
        let processor = architecture.split(':').next().unwrap_or(architecture);
        if !self.processors.is_empty() && !self.processors.iter().any(|known| known == processor) {
            let (platform, compiler, path) = (Platform::Hip, self.version, self.path.clone());
            let reason = "it does not know this GPU; install a version of ROCm that supports it";
            let architecture = architecture.to_owned();
            return Err(Error::CompilerWrongArchitecture { platform, compiler, path, architecture, reason });
        }
        Ok(target(architecture, mode))
    }

    /// `s_endpgm` would end all threads of a wave.
    fn failed_checks(&self) -> &'static [FailedCheck] {
        &[FailedCheck::GoOn]
    }

    fn compile(&self, source: &str, kernel: &'static str, target: &Target) -> Result<(Vec<u8>, String)> {
        self.functions.compile(source, (kernel, "hip"), &target.options, self.code)
    }

    /// `stack frame size (160016) exceeds limit (131056) in function 'k'`
    fn too_much_local_memory(&self, log: &str) -> Option<LocalMemory> {
        let (_, line) = log.split_once("stack frame size (")?;
        let (bytes, line) = line.split_once(") exceeds limit (")?;
        let (most, line) = line.split_once(") in function '")?;
        let (function, _) = line.split_once('\'')?;
        Some(LocalMemory { function: function.to_owned(), bytes: bytes.parse().ok()?, most: most.parse().ok()? })
    }

    fn refused(&self, failure: Failure, _: (u32, u32), architecture: &str, _: &Target) -> Option<Error> {
        const NO_BINARY_FOR_GPU: u32 = 209;
        let (platform, compiler, path) = (Platform::Hip, self.version, self.path.clone());
        let reason = "the HIP runtime does not load its code; use the HIPRTC of the same ROCm";
        (failure.code == NO_BINARY_FOR_GPU).then(|| Error::CompilerWrongArchitecture {
            platform,
            compiler,
            path,
            architecture: architecture.to_owned(),
            reason,
        })
    }
}

/// The libraries to try, for the HIP runtime of a major version:
///
/// 1. `ANABRANCH_HIPRTC`, a file or a folder. If it is set, no other place is searched, so that the
///    choice is never ignored silently;
/// 2. the folder of the HIP runtime that is loaded;
/// 3. the loader's own path;
/// 4. `ROCM_PATH`, `HIP_PATH`, `/opt/rocm`.
fn candidates(major: u32) -> Vec<PathBuf> {
    let names = [format!("libhiprtc.so.{major}"), "libhiprtc.so".to_owned()];
    let within = |folder: &Path| names.each_ref().map(|name| folder.join(name));
    if let Some(chosen) = std::env::var_os("ANABRANCH_HIPRTC").filter(|path| !path.is_empty()) {
        let chosen = PathBuf::from(chosen);
        return if chosen.is_dir() { within(&chosen).to_vec() } else { vec![chosen] };
    }
    let beside = loaded_files("libamdhip64").into_iter().filter_map(|path| path.parent().map(Path::to_owned));
    let roots = ["ROCM_PATH", "HIP_PATH"].into_iter().filter_map(std::env::var_os).filter(|path| !path.is_empty());
    let roots = roots.map(PathBuf::from).chain([PathBuf::from("/opt/rocm")]).map(|root| root.join("lib"));
    let by_name = names.iter().map(PathBuf::from);
    let mut all: Vec<PathBuf> = beside.flat_map(|folder| within(&folder)).chain(by_name).collect();
    all.extend(roots.flat_map(|folder| within(&folder)));
    all
}

/// HIPRTC's version says nothing, and updates of it and of AMD's code generator keep their names.
/// So the files tell them apart, and the variables whose options HIPRTC adds to all programs.
fn identity(version: (u32, u32)) -> String {
    let mut identity = format!("HIPRTC {}.{}", version.0, version.1);
    for file in ["libhiprtc", "libamd_comgr"].into_iter().flat_map(loaded_files) {
        let data = std::fs::metadata(&file).ok();
        let time = data.as_ref().and_then(|data| data.modified().ok()?.duration_since(UNIX_EPOCH).ok());
        // Writing to a string does not fail.
        let _ = write!(identity, "; {} {:?} {time:?}", file.display(), data.map(|data| data.len()));
    }
    for name in ["HIPRTC_COMPILE_OPTIONS_APPEND", "HIPRTC_LINK_OPTIONS_APPEND"] {
        let _ = write!(identity, "; {:?}", std::env::var_os(name));
    }
    identity
}

/// The processors that AMD's code generator lists: `amdgcn-amd-amdhsa--gfx90a`. None if it is not
/// found. HIPRTC loads this library by its name when it first needs it. To load it here has its
/// file listed, too.
fn processors(hiprtc: &Path) -> Vec<String> {
    type Count = unsafe extern "C" fn(*mut usize) -> i32;
    type Name = unsafe extern "C" fn(usize, *mut *const c_char) -> i32;
    let names = ["libamd_comgr.so.3", "libamd_comgr.so.2"];
    let beside = hiprtc.parent().into_iter().flat_map(|folder| names.map(|name| folder.join(name)));
    let places = loaded_files("libamd_comgr").into_iter().chain(beside).chain(names.map(PathBuf::from));
    // SAFETY: loading runs the initializers of a library that HIPRTC loads, too.
    let loaded = places.into_iter().find_map(|place| unsafe { Library::new(place) }.ok());
    let Some(library) = loaded else { return Vec::new() };
    let library: &'static Library = Box::leak(Box::new(library)); // once a process, as HIPRTC
    // SAFETY: the types are those of amd_comgr.h.
    let found = unsafe {
        (library.get::<Count>(b"amd_comgr_get_isa_count\0"), library.get::<Name>(b"amd_comgr_get_isa_name\0"))
    };
    let (Ok(count), Ok(name)) = found else { return Vec::new() };
    let mut number = 0;
    // SAFETY: the function writes one size.
    if unsafe { count(&mut number) } != 0 {
        return Vec::new();
    }
    let processor = |index| {
        let mut text = std::ptr::null();
        // SAFETY: the function writes a pointer to a static string.
        let written = unsafe { name(index, &mut text) } == 0 && !text.is_null();
        // SAFETY: as above.
        let text = written.then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy())?;
        Some(text.rsplit("--").next()?.split(':').next()?.to_owned())
    };
    (0..number).filter_map(processor).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_name_the_architecture_with_its_features() {
        let plain = target("gfx90a:sramecc+:xnack-", Mode::with(DebugInfo::None));
        assert_eq!(plain.options, ["--offload-arch=gfx90a:sramecc+:xnack-", "-std=c++17", "-w"]);
        let exact = target("gfx1100", Mode { debug: DebugInfo::Lines, contract: false });
        assert_eq!(exact.options[3..], ["-ffp-contract=off", "-gline-tables-only"]);
    }

    #[test]
    fn the_places_are_those_of_the_major_version() {
        let places = candidates(6);
        let place = |name: &str| places.iter().position(|path| path == Path::new(name));
        assert!(place("libhiprtc.so.6") < place("/opt/rocm/lib/libhiprtc.so.6"), "{places:?}");
        assert!(place("libhiprtc.so.6").is_some() && place("libhiprtc.so.7").is_none(), "{places:?}");
    }
}
