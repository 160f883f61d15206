//! What can go wrong, and what to do about it.

use std::path::PathBuf;

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a call failed.
///
/// Nothing here poisons anything, except [`DeviceLost`](Error::DeviceLost): after any other error the device, its streams
/// and its buffers work on.
///
/// `Debug` prints the same sentence as `Display`, because that is what a `main` that returns the error shows.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Device code panicked: a bad index, a division by zero, a failed check. The next call that waits for the device tells of
    /// the first panic since the last report, on whichever stream and in whichever kernel; those behind it are not told. The
    /// contents of the buffers that the failed loops write are unspecified.
    ///
    /// Since those behind it may be another thread's, each thread that had launched something on the device by then is told of it too, by its next
    /// call that waits, and so is a thread that reads what such a thread has written and was not told of. A thread is told once.
    #[error("kernel `{kernel}` panicked at {file}:{line}:{column}: {message}")]
    KernelPanic {
        /// The kernel's name.
        kernel: &'static str,
        /// Source file.
        file: &'static str,
        /// Line, from 1.
        line: u32,
        /// Column, from 1.
        column: u32,
        /// In the words of Rust's own panics.
        message: String,
    },

    /// A kernel was launched on a stream of one device with a buffer of another.
    #[error(
        "kernel `{kernel}` was launched on a stream of {stream}, but its argument `{argument}` is on {buffer}; \
         make the buffer with the stream's device"
    )]
    WrongDevice {
        /// The kernel's name.
        kernel: &'static str,
        /// The parameter.
        argument: &'static str,
        /// Where the buffer is.
        buffer: String,
        /// Where the stream is.
        stream: String,
    },

    /// Two objects of different devices were used together.
    #[error("{what} of {found} cannot be used with {expected}; make both with the same device")]
    OtherDevice {
        /// What is on the wrong device.
        what: &'static str,
        /// Its device.
        found: String,
        /// The device of the object it was used with.
        expected: String,
    },

    /// An access that every iteration of a loop makes would be out of bounds in one. Nothing of this loop has run; earlier
    /// loops of the launch may have.
    #[error(
        "`{access}` in kernel `{kernel}` comes to index {index}, but `{buffer}` has {len} elements ({file}:{line}:{column}); \
         the loop `{header}` was not started"
    )]
    OutOfBounds {
        /// The kernel's name.
        kernel: &'static str,
        /// The loop's head.
        header: &'static str,
        /// The access as it is written.
        access: &'static str,
        /// The slice.
        buffer: &'static str,
        /// The index that is furthest out; of a range of elements, its end.
        index: i64,
        /// Number of elements.
        len: usize,
        /// Source file.
        file: &'static str,
        /// Line, from 1.
        line: u32,
        /// Column, from 1.
        column: u32,
    },

    /// With the host values of this launch, iterations of a loop may write the same element, or one may read what another one
    /// writes: they do, or it cannot be proven that they do not. Nothing of this loop has run; earlier loops of the launch may have.
    #[error(
        "with these sizes, iterations of `{header}` in kernel `{kernel}` may access the same element of `{buffer}`: it cannot be proven \
         that {} ({file}:{line}); make sure that each stride is not 0 and not smaller than the range inside it, or, if you know that \
         no two iterations overlap, write `unsafe {{ … }}` around the access",
        disjoint(first, second)
    )]
    Overlap {
        /// The kernel's name.
        kernel: &'static str,
        /// The loop's head.
        header: &'static str,
        /// The slice.
        buffer: &'static str,
        /// An access.
        first: &'static str,
        /// Another one, or the same in another iteration.
        second: &'static str,
        /// Source file.
        file: &'static str,
        /// Line of the second, from 1.
        line: u32,
    },

    /// `.step_by(0)` in a `par` loop. Earlier loops of the launch may have run.
    #[error("the step of `{header}` in kernel `{kernel}` is 0 ({file}:{line}); a step is at least 1")]
    ZeroStep {
        /// The kernel's name.
        kernel: &'static str,
        /// The loop's head.
        header: &'static str,
        /// Source file.
        file: &'static str,
        /// Line, from 1.
        line: u32,
    },

    /// The two sides of a copy differ in length.
    #[error("the buffer has {buffer} elements, but what it is copied from or to has {host}; they must be equal")]
    LengthMismatch {
        /// Elements of the buffer.
        buffer: usize,
        /// Elements of the other side: of a host slice, of pinned memory, or of the buffer that is copied from.
        host: usize,
    },

    /// A setting of the environment cannot be understood.
    #[error("the environment variable {name} is `{value}`; expected {expected}")]
    Setting {
        /// The variable.
        name: &'static str,
        /// What it holds.
        value: String,
        /// What it may hold.
        expected: &'static str,
    },

    /// There is no such CUDA device.
    #[error("there is no CUDA device {ordinal}: {}", devices(*count))]
    NoSuchDevice {
        /// The number asked for.
        ordinal: usize,
        /// Number of devices.
        count: usize,
    },

    /// The CUDA driver is older than this crate can work with.
    #[error("the CUDA driver supports CUDA {}.{}, but {}.{} is needed; update the NVIDIA driver", .found.0, .found.1, .needed.0, .needed.1)]
    DriverTooOld {
        /// Version of CUDA that the driver supports.
        found: (u32, u32),
        /// The oldest that works.
        needed: (u32, u32),
    },

    /// NVRTC, the compiler for kernels, is not on this machine.
    #[error(
        "there is a CUDA device but no NVRTC, which compiles kernels for it; \
         install it with `pip install nvidia-cuda-nvrtc` (CUDA 13) or `pip install nvidia-cuda-nvrtc-cu12` (CUDA 12) or with the \
         CUDA toolkit, or name the library in ANABRANCH_NVRTC; searched: {}", searched.join("; ")
    )]
    NvrtcNotFound {
        /// Each place, with what was wrong there.
        searched: Vec<String>,
    },

    /// NVRTC makes code that the driver is too old for.
    #[error(
        "NVRTC {}.{} ({}) is newer than the driver, which supports CUDA {}.{}; update the driver, \
         or install an NVRTC of CUDA {} and name it in ANABRANCH_NVRTC", .nvrtc.0, .nvrtc.1, path.display(), .driver.0, .driver.1, .driver.0
    )]
    NvrtcTooNew {
        /// NVRTC's version.
        nvrtc: (u32, u32),
        /// Where it is.
        path: PathBuf,
        /// The version of CUDA that the driver supports.
        driver: (u32, u32),
    },

    /// NVRTC does not know the device's architecture.
    #[error(
        "NVRTC {}.{} ({}) cannot compile for this GPU of compute capability {}.{}: {}",
        .nvrtc.0, .nvrtc.1, path.display(), .capability.0, .capability.1, age(*capability, *supported)
    )]
    NvrtcWrongArchitecture {
        /// NVRTC's version.
        nvrtc: (u32, u32),
        /// Where it is.
        path: PathBuf,
        /// The device's compute capability.
        capability: (u32, u32),
        /// The nearest architecture that NVRTC knows, as 10 × major + minor.
        supported: u32,
    },

    /// A call of NVRTC failed, not because of the source.
    #[error("{call} failed for kernel `{kernel}`: {text}")]
    Nvrtc {
        /// The function.
        call: &'static str,
        /// What it says.
        text: String,
        /// The kernel.
        kernel: &'static str,
    },

    /// The generated source did not compile cleanly: a bug of this crate.
    #[error(
        "the CUDA source of kernel `{kernel}` does not compile; this is a bug of anabranch, please report it with the kernel and this log:\n{log}"
    )]
    Compile {
        /// The kernel.
        kernel: &'static str,
        /// The compiler's words.
        log: String,
    },

    /// Something was asked for within [`Stream::capture`](crate::Stream::capture) that a graph cannot hold. Nothing has been done, and
    /// the capture may go on.
    #[error("{what} cannot be captured into a graph; {instead}")]
    NotCapturable {
        /// What was asked for.
        what: &'static str,
        /// What to do.
        instead: &'static str,
    },

    /// A buffer was used that a capture under way writes: not by a launch of that capture, but by another one, by a copy, or by a graph. The
    /// program would not find there what it believes to have written. Nothing has been done.
    #[error(
        "this buffer is written by a graph capture in progress, so its contents are not available yet; \
         use it before or after the capture"
    )]
    BufferCaptured,

    /// A launch within [`Stream::capture`](crate::Stream::capture) failed, and the closure has not returned its error. There is no
    /// graph, since it would lack that launch.
    #[error("a launch in this capture has failed, so there is no graph; return its error from the closure")]
    CaptureFailed,

    /// The closure of [`Stream::capture`](crate::Stream::capture) has launched nothing on the stream that it was given, so that the graph
    /// would do nothing.
    #[error(
        "the capture's closure launched nothing on the stream that it was given, so there is no graph; launch on that stream"
    )]
    NothingCaptured,

    /// A graph and a launch or copy with a buffer of some graph (or two graphs) have to come one after the other, but this thread cannot wait:
    /// it is in the host part of that launch, or it is a worker of `rayon` and the device is the CPU, so that the other may stand on
    /// its own stack. Nothing has been done.
    #[error(
        "cannot launch: a graph launch on this device is in progress, and waiting for it on this thread would deadlock; \
         launch graphs outside of host parts, and on the CPU device outside of rayon's tasks"
    )]
    GraphUnderWay,

    /// A kernel takes more parameters than a launch can carry.
    #[error(
        "the loop `{header}` of kernel `{kernel}` uses more buffers and host values than a launch can carry (4096 bytes); split it into several loops"
    )]
    TooManyParameters {
        /// The kernel.
        kernel: &'static str,
        /// The loop's head.
        header: &'static str,
    },

    /// The variables of a loop take more memory than a thread of a GPU can have.
    #[error(
        "the variables of the loop `{header}` in kernel `{kernel}` take {bytes} bytes a thread ({file}:{line}), and a thread of a GPU can \
         have {most}{}; keep them in a buffer, with a part for each iteration", which_array(largest.as_deref())
    )]
    TooMuchLocalMemory {
        /// The kernel.
        kernel: &'static str,
        /// The loop's head.
        header: &'static str,
        /// Source file.
        file: &'static str,
        /// Line of the loop, from 1.
        line: u32,
        /// Bytes of local memory that the compiled loop needs for each thread.
        bytes: usize,
        /// Bytes that a thread can have.
        most: usize,
        /// The type of the largest array that the loop computes with.
        largest: Option<String>,
    },

    /// The device has no memory left, also after its work has ended (except during a capture) and everything that was free was given back.
    #[error(
        "{call} failed: CUDA device {device} has {free} of {total} bytes free, but {requested} were asked for; drop buffers or use smaller ones"
    )]
    OutOfMemory {
        /// The device's number.
        device: usize,
        /// The function.
        call: &'static str,
        /// Bytes asked for.
        requested: usize,
        /// Bytes free.
        free: usize,
        /// Bytes in all.
        total: usize,
    },

    /// The host has no memory left.
    #[error("the host cannot allocate {requested} bytes")]
    OutOfHostMemory {
        /// Bytes asked for.
        requested: usize,
    },

    /// A call of the CUDA driver failed.
    #[error("{call} failed on CUDA device {device}{}: {text} ({name}, {code})", in_kernel(*kernel))]
    Driver {
        /// The device's number.
        device: usize,
        /// The function.
        call: &'static str,
        /// CUDA's name of the error.
        name: String,
        /// Its number.
        code: u32,
        /// CUDA's words for it.
        text: String,
        /// The kernel that was being launched.
        kernel: Option<&'static str>,
    },

    /// An earlier failure has made the device unusable for this process.
    #[error("CUDA device {device} is lost since {call} failed: {text} ({name}, {code}); restart the process")]
    DeviceLost {
        /// The device's number.
        device: usize,
        /// The function that failed first.
        call: &'static str,
        /// CUDA's name of the error.
        name: String,
        /// Its number.
        code: u32,
        /// CUDA's words for it.
        text: String,
    },
}

impl std::fmt::Debug for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

fn devices(count: usize) -> String {
    match count {
        0 => "this machine has no usable CUDA driver or no CUDA device".to_owned(),
        1 => "this machine has one, number 0".to_owned(),
        n => format!("this machine has {n}, numbers 0 to {}", n - 1),
    }
}

fn disjoint(first: &str, second: &str) -> String {
    if first == second {
        format!("the index in `{first}` differs between iterations")
    } else {
        format!("`{first}` and `{second}` do not overlap")
    }
}

fn age((major, minor): (u32, u32), supported: u32) -> &'static str {
    if 10 * major + minor < supported {
        "the GPU is too old for it; install an older NVRTC, such as 12.9 (`pip install nvidia-cuda-nvrtc-cu12`)"
    } else {
        "the GPU is too new for it; install a newer NVRTC (`pip install nvidia-cuda-nvrtc`)"
    }
}

fn in_kernel(kernel: Option<&str>) -> String {
    kernel.map(|name| format!(" in kernel `{name}`")).unwrap_or_default()
}

fn which_array(array: Option<&str>) -> String {
    array.map(|ty| format!(" (the largest array is a `{ty}`)")).unwrap_or_default()
}
