//! Why something foreign is refused.

use std::fmt;

use super::{Error, Operation};

/// Why memory or a stream of another library cannot be used, or cannot be given back.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ForeignError {
    /// There are elements, but the pointer is null.
    #[error("the pointer is null")]
    Null,

    /// The pointer is not aligned for the element type.
    #[error("the address {address:#x} is not a multiple of {align}, the alignment of `{element}`")]
    Misaligned {
        /// The pointer.
        address: usize,
        /// The alignment in bytes.
        align: usize,
        /// The element type.
        element: &'static str,
    },

    /// The elements have more bytes than an address can count.
    #[error("there cannot be so many elements: together they have more than {} bytes", isize::MAX)]
    TooLong,

    /// The memory is not that of the GPU that shall use it.
    #[error("the address {address:#x} is {}; pass memory of {expected}, or copy the elements with `Device::buffer_from`", whose(*found))]
    NotOfDevice {
        /// The pointer.
        address: usize,
        /// The number of the device whose memory this is; `None` if the driver does not know it as
        /// memory of a device.
        found: Option<usize>,
        /// The device that shall use it.
        expected: String,
    },

    /// The context is not the primary one of its device.
    #[error("it is not the primary context of its device; use a context of `CudaContext::new`")]
    NotPrimary,

    /// The slice or the stream belongs to another device.
    #[error("it does not belong to {expected}; use a slice or stream of the same device")]
    OfOtherDevice {
        /// The device that it was used with.
        expected: String,
    },

    /// The tensor is on another device.
    #[error(
        "it is on {found}, not on {expected}; pass the device that it is on, or move the tensor with its own library"
    )]
    #[cfg(feature = "dlpack")]
    OnOtherDevice {
        /// Where the tensor is.
        found: String,
        /// The device that was passed.
        expected: String,
    },

    /// The buffer was not created from what it shall be turned into.
    #[error("the memory was not taken over from there, so it cannot be given back; lend it, or copy the elements")]
    NotAdopted,

    /// A graph, or a capture in progress, uses the memory, too.
    #[error("a graph uses the memory, too; drop the graph first, or copy the elements with `try_clone`")]
    InGraph,

    /// The elements of a tensor have another type.
    #[error("its elements are of another type: DLPack's type {code} with {bits} bits in {lanes} lanes")]
    OtherElement {
        /// The number of the type in DLPack's `DLDataTypeCode`: 0 for integers, 1 for unsigned
        /// integers, 2 for floats.
        code: u32,
        /// Number of bits.
        bits: u32,
        /// Number of lanes: 1 for numbers.
        lanes: u32,
    },

    /// A tensor has another number of dimensions.
    #[error("it has {found} dimensions, and not {expected}")]
    OtherRank {
        /// That of the tensor.
        found: usize,
        /// That of the buffer.
        expected: usize,
    },

    /// A tensor must not be written, but a buffer may be.
    #[error("it is read-only; pass a copy")]
    ReadOnly,

    /// The elements of a tensor do not lie next to each other in row-major order.
    #[error("its elements do not lie next to each other in row-major order; pass a contiguous copy")]
    NotRowMajor,

    /// The description of a tensor contradicts itself.
    #[error("the tensor is not valid: {reason}")]
    InvalidTensor {
        /// What dlpark says.
        reason: String,
    },

    /// cudarc could not create the events of a slice.
    #[error("cudarc could not create an event; the driver may have no memory left")]
    NoEvents,

    /// The stream is the per-thread default stream, which is another stream on each thread.
    #[error("the per-thread default stream is another stream on each thread; pass a stream that was created")]
    PerThreadStream,

    /// Host memory was lent to a GPU, which cannot use it in place.
    #[error(
        "{device} cannot use host memory in place; copy it with `Device::buffer_from`, and back with `Buffer::copy_to`"
    )]
    HostMemory {
        /// The GPU.
        device: String,
    },
}

fn whose(device: Option<usize>) -> String {
    device.map_or_else(|| "not in the memory of a GPU".to_owned(), |n| format!("in the memory of device {n}"))
}

impl Error {
    /// The error of a call that something foreign was passed to.
    #[cold]
    pub(crate) fn foreign(call: &'static str, of: String, reason: ForeignError) -> Self {
        Self::Foreign { operation: Box::new(Operation { call, of }), reason }
    }
}

/// The error of a call that takes a value over, with the value that it has not taken.
///
/// `?` turns it into an [`enum@Error`] and drops the value.
pub struct Refused<V> {
    parts: Box<(Error, V)>,
}

impl<V> Refused<V> {
    pub(crate) fn new(error: Error, value: V) -> Self {
        Self { parts: Box::new((error, value)) }
    }

    /// Returns the reason.
    pub fn error(&self) -> &Error {
        &self.parts.0
    }

    /// Returns the value that was not taken.
    pub fn into_value(self) -> V {
        self.parts.1
    }

    /// Returns both.
    pub fn into_parts(self) -> (Error, V) {
        *self.parts
    }
}

impl<V> From<Refused<V>> for Error {
    fn from(refused: Refused<V>) -> Self {
        refused.parts.0
    }
}

impl<V> fmt::Display for Refused<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error().fmt(f)
    }
}

impl<V> fmt::Debug for Refused<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl<V> std::error::Error for Refused<V> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        std::error::Error::source(self.error())
    }
}
