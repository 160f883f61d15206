//! A run-time compiler of C++ with the interface of NVRTC, which HIPRTC has under other names.

#![allow(unsafe_code, reason = "a compiler with an interface of C")]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr;

use libloading::Library;

use crate::error::{Error, Result};

type RawProgram = *mut c_void;
type Size = unsafe extern "C" fn(RawProgram, *mut usize) -> c_int;
type Get = unsafe extern "C" fn(RawProgram, *mut c_char) -> c_int;

/// The functions' names, each with a zero byte at its end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Names {
    pub(super) create: &'static str,
    pub(super) compile: &'static str,
    pub(super) destroy: &'static str,
    pub(super) log_size: &'static str,
    pub(super) log: &'static str,
    pub(super) error_string: &'static str,
}

/// The names with a prefix, such as `nvrtc`.
macro_rules! names {
    ($prefix:literal) => {
        $crate::gpu::rtc::Names {
            create: concat!($prefix, "CreateProgram\0"),
            compile: concat!($prefix, "CompileProgram\0"),
            destroy: concat!($prefix, "DestroyProgram\0"),
            log_size: concat!($prefix, "GetProgramLogSize\0"),
            log: concat!($prefix, "GetProgramLog\0"),
            error_string: concat!($prefix, "GetErrorString\0"),
        }
    };
}
pub(super) use names;

/// Two functions of a program: one returns a size, the other writes as many bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Getter {
    names: [&'static str; 2],
    size: Size,
    get: Get,
}

/// A loaded compiler. Its functions may be called from any number of threads.
#[derive(Debug)]
pub(super) struct Rtc {
    names: Names,
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
    log: Getter,
    error_string: unsafe extern "C" fn(c_int) -> *const c_char,
    /// Keeps the functions loaded.
    library: Library,
}

impl Rtc {
    /// Finds the functions of a library.
    ///
    /// # Errors
    /// Why they cannot be found.
    ///
    /// # Safety
    /// The functions of these names have the types of NVRTC's.
    pub(super) unsafe fn new(library: Library, names: Names) -> std::result::Result<Self, String> {
        // SAFETY: the caller's promise. The functions are called only while the library is loaded,
        // because it is stored beside them.
        unsafe {
            Ok(Self {
                names,
                create: symbol(&library, names.create)?,
                compile: symbol(&library, names.compile)?,
                destroy: symbol(&library, names.destroy)?,
                log: getter(&library, names.log_size, names.log)?,
                error_string: symbol(&library, names.error_string)?,
                library,
            })
        }
    }

    /// Another function, whose name ends in a zero byte.
    ///
    /// # Errors
    /// The library does not have it.
    ///
    /// # Safety
    /// `T` is the type of the function, which is called only while this value exists.
    pub(super) unsafe fn symbol<T: Copy>(&self, name: &'static str) -> std::result::Result<T, String> {
        // SAFETY: the caller's promise.
        unsafe { symbol(&self.library, name) }
    }

    /// Two other functions of a program, whose names end in a zero byte.
    ///
    /// # Errors
    /// The library does not have them.
    ///
    /// # Safety
    /// They have the types of `nvrtcGetCUBINSize` and `nvrtcGetCUBIN`, and the result is used only
    /// with this value.
    pub(super) unsafe fn getter(&self, size: &'static str, get: &'static str) -> std::result::Result<Getter, String> {
        // SAFETY: the caller's promise.
        unsafe { getter(&self.library, size, get) }
    }

    /// Compiles a program. Returns what `image` gets of it, and the log.
    ///
    /// # Errors
    /// [`Error::Compile`] if the source does not compile; [`Error::Compiler`] if a call fails for
    /// another reason.
    pub(super) fn compile(
        &self,
        source: &str,
        (kernel, extension): (&'static str, &str),
        options: &[String],
        image: Getter,
    ) -> Result<(Vec<u8>, String)> {
        let options: Vec<CString> =
            options.iter().map(|option| CString::new(option.as_str()).unwrap_or_default()).collect();
        let options: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        let source = CString::new(source)
            .map_err(|_| Error::Compile { kernel, log: "the generated source has a zero byte in it".to_owned() })?;
        let name = CString::new(format!("{kernel}.{extension}")).unwrap_or_default();
        let failed = |call: &'static str, code: c_int| {
            // SAFETY: the function takes any number and returns a static string, or null.
            let text = unsafe {
                let text = (self.error_string)(code);
                if text.is_null() { c"unknown error" } else { CStr::from_ptr(text) }
            };
            let call = call.trim_end_matches('\0');
            Error::Compiler { call, text: text.to_string_lossy().into_owned(), kernel }
        };
        let mut program = ptr::null_mut();
        // SAFETY: both strings end in a zero byte and live to the end of this function; there are
        // no headers.
        let code = unsafe { (self.create)(&mut program, source.as_ptr(), name.as_ptr(), 0, ptr::null(), ptr::null()) };
        if code != 0 {
            return Err(failed(self.names.create, code));
        }
        let program = OwnedProgram { program, of: self };
        // SAFETY: the program is alive until `OwnedProgram` drops it, and the number of options is
        // right.
        let code = unsafe { (self.compile)(program.program, options.len() as c_int, options.as_ptr()) };
        let log = program
            .bytes(self.log)
            .map(|log| String::from_utf8_lossy(&log).trim_end_matches('\0').trim().to_owned())
            .map_err(|(call, code)| failed(call, code));
        match code {
            0 => {}
            6 => return Err(Error::Compile { kernel, log: log? }), // the error of a compilation
            code => return Err(failed(self.names.compile, code)),
        }
        let image = program.bytes(image).map_err(|(call, code)| failed(call, code))?;
        Ok((image, log?))
    }
}

/// # Safety
/// As for [`Rtc::symbol`].
unsafe fn symbol<T: Copy>(library: &Library, name: &'static str) -> std::result::Result<T, String> {
    // SAFETY: the caller's promise.
    unsafe { library.get::<T>(name.as_bytes()) }.map(|symbol| *symbol).map_err(reason)
}

/// # Safety
/// As for [`Rtc::getter`].
unsafe fn getter(library: &Library, size: &'static str, get: &'static str) -> std::result::Result<Getter, String> {
    // SAFETY: the caller's promise.
    unsafe { Ok(Getter { names: [size, get], size: symbol(library, size)?, get: symbol(library, get)? }) }
}

/// The loader's own message, if there is one: "… cannot open shared object file: …".
pub(super) fn reason(error: libloading::Error) -> String {
    std::error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string)
}

/// A program, destroyed when dropped.
struct OwnedProgram<'a> {
    program: RawProgram,
    of: &'a Rtc,
}

impl OwnedProgram<'_> {
    /// On failure, returns the name and the code of the failed function.
    fn bytes(&self, of: Getter) -> std::result::Result<Vec<u8>, (&'static str, c_int)> {
        let mut length = 0;
        // SAFETY: the program is alive until drop; the function writes one size.
        let code = unsafe { (of.size)(self.program, &mut length) };
        if code != 0 {
            return Err((of.names[0], code));
        }
        let mut bytes = vec![0u8; length];
        // SAFETY: the function writes as many bytes as `size` reported.
        let code = unsafe { (of.get)(self.program, bytes.as_mut_ptr().cast()) };
        if code == 0 { Ok(bytes) } else { Err((of.names[1], code)) }
    }
}

impl Drop for OwnedProgram<'_> {
    fn drop(&mut self) {
        // SAFETY: created by this compiler, and destroyed only here.
        unsafe { (self.of.destroy)(&mut self.program) };
    }
}
