//! The error type.

mod foreign;
mod overlap;

use std::path::PathBuf;
use std::sync::Arc;

use crate::platform::Platform;

pub use foreign::{ForeignError, Refused};
pub use overlap::{Overlap, Parallel};

/// A result whose error is [`enum@Error`] by default.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A call on a buffer, and that buffer: `` `copy_from` of a buffer of 10 `f32` ``. Errors of
/// copies, fills and allocations begin with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// The function: `copy_from`.
    pub call: &'static str,
    /// What it was called on, or would have created: `` a buffer of 10 `f32` ``, or which elements
    /// of a buffer.
    pub of: String,
}

impl std::fmt::Display for Operation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}` of {}", self.call, self.of)
    }
}

/// The error of a call.
///
/// After an error, the device, its streams and its buffers remain usable. The only exception is
/// [`DeviceLost`](Error::DeviceLost).
///
/// `Debug` prints the same text as `Display`, because a `main` that returns an error prints it with
/// `Debug`.
#[derive(Clone, thiserror::Error)]
#[doc(alias("cudaError_t", "cudaGetLastError", "CUresult"))]
#[non_exhaustive]
pub enum Error {
    /// Device code panicked: a bad index, a division by zero, a failed check. The contents of the
    /// buffers that the failed loops write are unspecified.
    ///
    /// The next call that waits for the device returns the first panic since the last report, on
    /// any stream and in any kernel. Panics between that panic and its report are lost.
    ///
    /// Another thread may have caused a panic that is lost. So the next waiting call of each other
    /// thread that launched work on the device before the report returns the reported panic, too. A
    /// thread also gets the error if it reads data that such a thread wrote, and that thread has
    /// not got the error yet. Each thread gets it once.
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
        /// The message, with the wording of Rust's own panics, and with its values.
        message: String,
    },

    /// A kernel was launched on a stream of one device with a buffer of another device.
    #[error(
        "kernel `{kernel}` was launched on a stream of {stream}, but its argument `{argument}` is on {buffer}; \
         create the buffer with the stream's device, or copy it there with `copy_from_buffer`"
    )]
    WrongDevice {
        /// The kernel's name.
        kernel: &'static str,
        /// The parameter.
        argument: &'static str,
        /// The device of the buffer.
        buffer: String,
        /// The device of the stream.
        stream: String,
    },

    /// Two objects of different devices were used together.
    #[error("{}{what} of {found} cannot be used with {expected}; create both with the same device", during(operation.as_deref()))]
    OtherDevice {
        /// The object on the wrong device.
        what: &'static str,
        /// Its device.
        found: String,
        /// The device of the object it was used with.
        expected: String,
        /// The copy or fill, if it was one.
        operation: Option<Box<Operation>>,
    },

    /// An access that every iteration of a loop makes would be out of bounds in one of them. The
    /// loop has not run. Earlier loops of the launch may have run.
    #[error(
        "`{access}`{} in kernel `{kernel}` would use index {index}{}, but `{buffer}` has {len} elements{} ({file}:{line}:{column}); \
         the loop `{header}` was not started",
        in_function(call.as_deref()),
        dim.map_or(String::new(), |dim| format!(" of dimension {dim}")),
        if dim.is_some() { " there" } else { "" }
    )]
    OutOfBounds {
        /// The kernel's name.
        kernel: &'static str,
        /// The loop's head.
        header: &'static str,
        /// The access as written in the source.
        access: &'static str,
        /// If a device function makes the access: the call in the loop that leads to it,
        /// `laplace(…)` on line 12.
        call: Option<Box<(&'static str, u32)>>,
        /// The slice.
        buffer: &'static str,
        /// The index that is furthest out of bounds. For a range of elements, this is its end.
        index: i64,
        /// Of a grid: the dimension in which it is.
        dim: Option<u8>,
        /// Number of elements of the slice; of a grid, in that dimension.
        len: usize,
        /// Source file.
        file: &'static str,
        /// Line, from 1.
        line: u32,
        /// Column, from 1.
        column: u32,
    },

    /// With the host values of this launch, two iterations of a loop may write the same element, or
    /// one may read an element that another one writes: they do, or nothing shows that they do not.
    /// The loop has not run. Earlier loops of the launch may have run.
    ///
    /// In a loop over blocks, these are two blocks, or two iterations of one phase; `of` says
    /// which, and names two of them if it can. The line is that of the access. End the phase, or
    /// the loop, and begin another: what is written in the first one may be read in the second one.
    #[error(
        "with these sizes, {} in kernel `{kernel}` may access the same element of `{buffer}`{}: {} ({file}:{line}); {}; \
         if they never do, write `unsafe {{ … }}` around the access",
        of.subject(header),
        of.such_as(),
        of.which(first, second),
        of.ways_out(first, second)
    )]
    Overlap {
        /// The kernel's name.
        kernel: &'static str,
        /// The loop's head.
        header: &'static str,
        /// The slice, or the array that threads share.
        buffer: &'static str,
        /// The access of one iteration.
        first: &'static str,
        /// The access of the other one.
        second: &'static str,
        /// What overlaps.
        of: Box<Overlap>,
        /// Source file.
        file: &'static str,
        /// Line of the second access, from 1.
        line: u32,
    },

    /// The error of a kernel that the host part of another kernel has called. [`Error::innermost`]
    /// is the error itself.
    #[error("{error}; called by kernel `{by}` ({file}:{line})")]
    Called {
        /// The error in the called kernel.
        error: Box<Error>,
        /// The kernel whose host part has the call.
        by: &'static str,
        /// Source file of the call.
        file: &'static str,
        /// Line of the call, from 1.
        line: u32,
    },

    /// The body of a [library kernel](crate::library) has returned an error. What the kernel writes
    /// is unspecified. Later work of the launch has not been started. The other groups have
    /// finished.
    #[error("kernel `{kernel}`: {source}")]
    Library {
        /// The kernel's name.
        kernel: &'static str,
        /// What the body has returned. `source.downcast_ref::<E>()` is the error itself.
        source: Arc<dyn std::error::Error + Send + Sync>,
    },

    /// The body of a [library kernel](crate::library) has used its stream for something other than
    /// handing it to a library.
    #[error(
        "{what} is not possible on the stream of a library kernel, which is for the library alone; do it before or after the kernel, \
         or write a kernel that calls this one"
    )]
    LentStream {
        /// What the call would do.
        what: &'static str,
    },

    /// A `par` loop has a step of 0. Earlier loops of the launch may have run.
    #[error("the step of `{header}` in kernel `{kernel}` is 0 ({file}:{line}); a step must be at least 1")]
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

    /// A `par` loop, a reduction or a scan has more than 2^48 iterations, which would take days. It
    /// has not run. Earlier loops of the launch may have run. The usual reason is an end that has
    /// wrapped: `x.len() - 1` of an empty `x` is 2^64 - 1 in a release build.
    #[error(
        "`{header}` in kernel `{kernel}` would have more than 2^48 iterations: {} `{range}` is {values} ({file}:{line}); {}",
        if *mistake == TooMany::Product { "its longest range" } else { "its range" }, mistake.what_to_do()
    )]
    TooManyIterations {
        /// The kernel's name.
        kernel: &'static str,
        /// The loop's head, or the statement.
        header: &'static str,
        /// The longest range, as written, without its step.
        range: &'static str,
        /// Its values in this launch: `0..18446744073709551615`.
        values: String,
        /// What may be wrong.
        mistake: TooMany,
        /// Source file.
        file: &'static str,
        /// Line, from 1.
        line: u32,
    },

    /// The program does not say what a loop does: what `#[kernel]` has written about it cannot be
    /// read. That is a bug of anabranch, or the hidden items of a kernel were written by hand. The
    /// loop has not run.
    #[error(
        "it is unknown what `{header}` in kernel `{kernel}` does ({file}:{line}), because the data that `#[kernel]` has written about it \
         cannot be read; rebuild the program with one version of anabranch"
    )]
    Unreadable {
        /// The kernel's name.
        kernel: &'static str,
        /// The loop's head.
        header: &'static str,
        /// Source file.
        file: &'static str,
        /// Line, from 1.
        line: u32,
    },

    /// The source and the destination of a copy differ in length.
    #[error("{operation}: the other side has {other} elements, but {len} are needed")]
    LengthMismatch {
        /// The copy.
        operation: Box<Operation>,
        /// Number of elements of the buffer, or of its part.
        len: usize,
        /// Number of elements of the other side: a host slice, pinned memory, or the source buffer.
        other: usize,
    },

    /// [`get`](crate::Buffer::get) asked for an element that does not exist.
    #[error("{operation}: index {} is out of bounds{}", place(index), inside(shape))]
    NoSuchElement {
        /// The call.
        operation: Box<Operation>,
        /// The index, one number for each dimension.
        index: Vec<usize>,
        /// The number of indexes of each dimension.
        shape: Vec<usize>,
    },

    /// An environment variable has an invalid value.
    #[error("the environment variable {name} is `{value}`; expected {expected}")]
    Setting {
        /// The variable.
        name: &'static str,
        /// Its value.
        value: String,
        /// The allowed values.
        expected: &'static str,
    },

    /// The GPU does not exist.
    #[error("there is no {platform} device {ordinal}: {}", devices(*platform, *count))]
    NoSuchDevice {
        /// The platform of the device.
        platform: Platform,
        /// The requested device number.
        ordinal: usize,
        /// Number of devices.
        count: usize,
    },

    /// The driver is too old for this crate: that of CUDA, or the HIP runtime.
    #[error(
        "the driver supports {platform} {}.{}, but {}.{} is needed; {}", .found.0, .found.1, .needed.0, .needed.1, platform.update()
    )]
    DriverTooOld {
        /// The platform.
        platform: Platform,
        /// The version of the platform that the driver supports.
        found: (u32, u32),
        /// The oldest supported version.
        needed: (u32, u32),
    },

    /// The library that compiles kernels was not found: NVRTC for CUDA, HIPRTC for HIP.
    #[error(
        "there is a {platform} device, but {}, which compiles kernels for it, was not found; {}; searched: {}",
        platform.compiler(), platform.install(), searched.join("; ")
    )]
    CompilerNotFound {
        /// The platform.
        platform: Platform,
        /// The places that were searched, each with the reason why it was rejected.
        searched: Vec<String>,
    },

    /// The compiler of kernels generates code that the driver is too old for.
    #[error(
        "{} {}.{} ({}) is newer than the driver, which supports {platform} {}.{}; {}, or install the {} of {platform} {} and set \
         ANABRANCH_{} to its path",
        platform.compiler(), .compiler.0, .compiler.1, path.display(), .driver.0, .driver.1, platform.update(), platform.compiler(), .driver.0,
        platform.compiler()
    )]
    CompilerTooNew {
        /// The platform.
        platform: Platform,
        /// The version of the compiler.
        compiler: (u32, u32),
        /// The path of the library.
        path: PathBuf,
        /// The version of the platform that the driver supports.
        driver: (u32, u32),
    },

    /// The compiler of kernels does not support the device's architecture.
    #[error("{} {}.{} ({}) cannot compile for this GPU, {architecture}: {reason}", platform.compiler(), .compiler.0, .compiler.1, path.display())]
    CompilerWrongArchitecture {
        /// The platform.
        platform: Platform,
        /// The version of the compiler.
        compiler: (u32, u32),
        /// The path of the library.
        path: PathBuf,
        /// The device's architecture: `sm_90`, `gfx90a:sramecc+:xnack-`.
        architecture: String,
        /// Why not, and what to do.
        reason: &'static str,
    },

    /// A call to the compiler of kernels failed for a reason other than the source.
    #[error("{call} failed for kernel `{kernel}`: {text}")]
    Compiler {
        /// The function.
        call: &'static str,
        /// The compiler's message.
        text: String,
        /// The kernel.
        kernel: &'static str,
    },

    /// The generated source did not compile without errors and warnings. This is a bug in this
    /// crate.
    #[error(
        "the C++ of kernel `{kernel}` does not compile; this is a bug in anabranch, please report it with the kernel and this log:\n{log}"
    )]
    Compile {
        /// The kernel.
        kernel: &'static str,
        /// The compiler's log.
        log: String,
    },

    /// The closure of [`Stream::capture`](crate::Stream::capture) made a call that a graph cannot
    /// contain. The call had no effect, and the capture can continue.
    #[error("{what} cannot be captured into a graph; {instead}")]
    NotCapturable {
        /// What the call would do.
        what: &'static str,
        /// What to do instead.
        instead: &'static str,
    },

    /// A graph capture in progress writes this buffer, and a launch outside of that capture, a copy
    /// or a graph used it. The buffer does not contain the results of the captured launches yet.
    /// The call had no effect.
    #[error(
        "{}this buffer is written by a graph capture in progress, so its contents are not available yet; \
         use it before or after the capture", during(operation.as_deref())
    )]
    BufferCaptured {
        /// The copy or fill that used the buffer, if it was one.
        operation: Option<Box<Operation>>,
    },

    /// A launch in the closure of [`Stream::capture`](crate::Stream::capture) failed, and the
    /// closure did not return its error. No graph was created, because it would lack that launch.
    #[error("a launch in this capture failed, so no graph was created; return the error from the closure")]
    CaptureFailed,

    /// The closure of [`Stream::capture`](crate::Stream::capture) launched nothing on the stream
    /// that it was given, so the graph would do nothing.
    #[error(
        "the capture's closure launched nothing on the stream that it was given, so no graph was created; launch on that stream"
    )]
    NothingCaptured,

    /// The launch of a graph must wait for another launch or copy in progress, or the other way
    /// round, and this thread cannot wait.
    ///
    /// Graphs of a GPU are launched one at a time, and not during a launch or copy that uses a
    /// buffer of some graph. On the CPU device this holds for graphs, launches and copies that use
    /// the same elements, unless both only read them. A thread cannot wait if it is in the host
    /// part of that launch, or in a launch, copy or graph of another device that uses a buffer of
    /// some graph there. On the CPU device, a worker thread of `rayon` cannot wait either, because
    /// the other launch may wait for a task of this thread. The call had no effect.
    #[error(
        "cannot launch: a graph launch in progress uses the same memory, and waiting for it on this thread could deadlock; \
         launch graphs outside of host parts, and give graphs in tasks of rayon buffers of their own"
    )]
    GraphUnderWay,

    /// The device is already traced by [`Device::trace`](crate::Device::trace). The closure has not
    /// run.
    #[error("{device} is already traced; traces of one device cannot overlap, so trace the outer closure only")]
    TraceUnderWay {
        /// The device.
        device: String,
    },

    /// A trace cannot be written to a file.
    #[error("cannot write the trace to {}: {source}", path.display())]
    TraceFile {
        /// The file.
        path: PathBuf,
        /// Why it cannot be written.
        source: Arc<std::io::Error>,
    },

    /// A capture used memory that is [lent](crate::Device::lend) for the time of a closure. The
    /// graph would outlive the closure. The capture fails.
    #[error("{}lent memory cannot be captured into a graph, which would outlive it; capture with a buffer", during(operation.as_deref()))]
    LentMemory {
        /// The copy or fill that used the memory, if it was one.
        operation: Option<Box<Operation>>,
    },

    /// Memory or a stream of another library cannot be used, or cannot be given back.
    #[error("{operation}: {reason}")]
    Foreign {
        /// The call, and what it was called with.
        operation: Box<Operation>,
        /// What is wrong, and what to do.
        reason: ForeignError,
    },

    /// A `par` loop takes more parameters than a launch can pass.
    #[error(
        "the loop `{header}` of kernel `{kernel}` uses more buffers and host values than a launch can pass (4096 bytes); split it into several loops"
    )]
    TooManyParameters {
        /// The kernel.
        kernel: &'static str,
        /// The loop's head.
        header: &'static str,
    },

    /// The variables of a loop need more local memory than a GPU thread can have, or more of the
    /// stack than the CPU device has for a thread.
    #[error(
        "the variables of the loop `{header}` in kernel `{kernel}` need {bytes} bytes per thread ({file}:{line}), but a thread can \
         have only {most}{}; keep them in a buffer, with a part for each iteration", which_array(largest.as_deref())
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
        /// The maximum number of bytes for each thread.
        most: usize,
        /// The type of the largest array that the loop uses.
        largest: Option<String>,
    },

    /// The device has no memory left. Before this error, the runtime waits for the device (except
    /// during a capture), returns all unused memory to the driver, and tries again.
    #[error(
        "{}{call} failed: {platform} device {device} has {free} of {total} bytes free, but {requested} were requested; drop buffers or use smaller ones",
        during(operation.as_deref())
    )]
    OutOfMemory {
        /// The platform of the device.
        platform: Platform,
        /// The device's number.
        device: usize,
        /// The function.
        call: &'static str,
        /// Number of bytes requested.
        requested: usize,
        /// Number of free bytes.
        free: usize,
        /// Number of bytes of device memory.
        total: usize,
        /// The allocation, if it was one of a buffer.
        operation: Option<Box<Operation>>,
    },

    /// The host has no memory left.
    #[error("{}{}", during(operation.as_deref()), cannot_allocate(*requested))]
    OutOfHostMemory {
        /// Number of bytes requested; `usize::MAX` if there are more than an address can count.
        requested: usize,
        /// The allocation, if it was one of a buffer.
        operation: Option<Box<Operation>>,
    },

    /// A call to the driver of a GPU failed.
    #[error("{}{call} failed on {platform} device {device}{}: {text} ({name}, {code})", during(operation.as_deref()), in_kernel(*kernel))]
    Driver {
        /// The platform of the device.
        platform: Platform,
        /// The device's number.
        device: usize,
        /// The function.
        call: &'static str,
        /// The driver's name of the error.
        name: String,
        /// Its number.
        code: u32,
        /// The driver's words for it.
        text: String,
        /// The kernel that was being launched.
        kernel: Option<&'static str>,
        /// The copy, fill or allocation that failed, if it was one.
        operation: Option<Box<Operation>>,
    },

    /// An earlier failure has made the device unusable for this process.
    #[error("{platform} device {device} was lost when {call} failed: {text} ({name}, {code}); restart the process")]
    DeviceLost {
        /// The platform of the device.
        platform: Platform,
        /// The device's number.
        device: usize,
        /// The function that failed first.
        call: &'static str,
        /// The driver's name of the error.
        name: String,
        /// Its number.
        code: u32,
        /// The driver's words for it.
        text: String,
    },
}

impl Error {
    /// Returns the error without the kernels that have [called](Error::Called) each other, for a
    /// `match`.
    pub fn innermost(&self) -> &Error {
        match self {
            Error::Called { error, .. } => error.innermost(),
            other => other,
        }
    }

    /// For work on a stream that another library captures at the moment: its graph would outlive
    /// the buffers.
    pub(crate) const CAPTURED_ELSEWHERE: Self = Self::NotCapturable {
        what: "work on a stream that another library captures",
        instead: "end that capture first, or capture with `Stream::capture`",
    };

    /// For a buffer whose last work is on a stream that has no handle any more, and that was
    /// captured when the handle was dropped: no event follows it.
    pub(crate) const DROPPED_IN_A_CAPTURE: Self = Self::NotCapturable {
        what: "a stream whose handle was dropped while another library captured it",
        instead: "drop the handle before or after that capture; the buffers of its work cannot be used again",
    };

    /// Adds the kernel whose launch has failed to the error of a driver call.
    #[cold]
    pub(crate) fn in_kernel(mut self, name: &'static str) -> Self {
        if let Error::Driver { kernel, .. } = &mut self {
            *kernel = Some(name);
        }
        self
    }

    /// Adds the operation that has failed, where the error does not name one yet.
    #[cold]
    pub(crate) fn in_operation(mut self, call: &'static str, of: impl FnOnce() -> String) -> Self {
        match &mut self {
            Error::OtherDevice { operation, .. }
            | Error::BufferCaptured { operation }
            | Error::LentMemory { operation }
            | Error::OutOfMemory { operation, .. }
            | Error::OutOfHostMemory { operation, .. }
            | Error::Driver { operation, .. } => {
                operation.get_or_insert_with(|| Box::new(Operation { call, of: of() }));
            }
            _ => {}
        }
        self
    }
}

/// Why a loop may have [too many iterations](Error::TooManyIterations).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TooMany {
    /// The end of the range is near the greatest number of its type: it may have wrapped.
    Wrapped,
    /// An end of the range is wrong in another way.
    Ends,
    /// No range is too long, but their product is.
    Product,
}

impl TooMany {
    fn what_to_do(self) -> &'static str {
        match self {
            TooMany::Wrapped => {
                "has its end wrapped? if a subtraction can go below 0, return before the loop, or write `n.saturating_sub(1)`"
            }
            TooMany::Ends => "see that both ends are right",
            TooMany::Product => "the number of iterations is the product of all ranges; see that their ends are right",
        }
    }
}

impl std::fmt::Debug for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

fn devices(platform: Platform, count: usize) -> String {
    match count {
        0 => platform.missing().to_owned(),
        1 => "this machine has one, number 0".to_owned(),
        n => format!("this machine has {n}, numbers 0 to {}", n - 1),
    }
}

/// Which call makes an access, where a device function does.
fn in_function(call: Option<&(&str, u32)>) -> String {
    call.map_or(String::new(), |(call, line)| format!(", called by `{call}` on line {line},"))
}

fn during(operation: Option<&Operation>) -> String {
    operation.map(|operation| format!("{operation}: ")).unwrap_or_default()
}

fn cannot_allocate(requested: usize) -> String {
    match requested {
        usize::MAX => "it has more bytes than an address can count".to_owned(),
        requested => format!("the host cannot allocate {requested} bytes"),
    }
}

fn place(index: &[usize]) -> String {
    if let [one] = index { one.to_string() } else { format!("{index:?}") }
}

fn inside(shape: &[usize]) -> String {
    if let [_] = shape { String::new() } else { format!(" of the shape {shape:?}") }
}

fn in_kernel(kernel: Option<&str>) -> String {
    kernel.map(|name| format!(" in kernel `{name}`")).unwrap_or_default()
}

fn which_array(array: Option<&str>) -> String {
    array.map(|ty| format!(" (the largest array is a `{ty}`)")).unwrap_or_default()
}
