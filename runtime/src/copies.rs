//! Copies and fills that a stream does: in the order of the stream, behind whatever uses the same elements, and without the host.

use std::sync::Arc;

use crate::buffer::{Buffer, Storage};
use crate::error::{Error, Result};
use crate::hazard::Access;
use crate::pinned::{Block, PinnedArg, PinnedMutArg, PinnedSlice};
use crate::private::ctx::Use;
use crate::scalar::{Scalar, as_bytes};
use crate::slice::{Slice, SliceArg, SliceMut};
use crate::stream::{Kind, Stream};

impl<T: Scalar, const D: usize> Buffer<T, D> {
    /// Copies from pinned memory, as work of a stream: behind every launch that uses the buffer, on any stream. Returns at once; the
    /// pinned memory can be overwritten when it is [lent out](crate::PinnedBuffer::as_mut_slice) again. On the CPU the copy is done when this
    /// returns.
    ///
    /// # Errors
    /// The lengths differ, the three are not of one device, or the driver fails.
    pub fn copy_from_async(&mut self, stream: &Stream, from: &impl PinnedArg<Elem = T>) -> Result<()> {
        self.all_mut().copy_from_async(stream, from)
    }

    /// Copies to pinned memory, as work of a stream: behind every launch that writes the buffer, on any stream. Returns at once;
    /// [`PinnedBuffer::as_slice`](crate::PinnedBuffer::as_slice) waits for the copy, and tells of a panic of device code. On the CPU the
    /// copy is done when this returns.
    ///
    /// # Errors
    /// The lengths differ, the three are not of one device, or the driver fails.
    pub fn copy_to_async(&self, stream: &Stream, to: &mut impl PinnedMutArg<Elem = T>) -> Result<()> {
        self.all().copy_to_async(stream, to)
    }

    /// Copies from another buffer of the device or a part of one, as work of a stream: behind every launch that uses this one or
    /// writes the other one, on any stream. Returns at once. On the CPU the copy is done when this returns.
    ///
    /// # Errors
    /// The lengths differ, the three are not of one device, or the driver fails.
    pub fn copy_from_buffer(&mut self, stream: &Stream, from: &impl SliceArg<Elem = T>) -> Result<()> {
        self.all_mut().copy_from_buffer(stream, from)
    }

    /// Sets every element, as work of a stream.
    ///
    /// # Errors
    /// The stream is of another device, or the driver fails.
    pub fn fill(&mut self, stream: &Stream, value: T) -> Result<()> {
        self.all_mut().fill(stream, value)
    }
}

impl<T: Scalar> Slice<'_, T> {
    /// [`Buffer::copy_to_async`] for this part.
    ///
    /// # Errors
    /// As there.
    pub fn copy_to_async(&self, stream: &Stream, to: &mut impl PinnedMutArg<Elem = T>) -> Result<()> {
        let Use { storage, bytes, .. } = self.usage("");
        let to = to.part_mut();
        let to = to.shared();
        match places(storage, self.len(), &to, stream)? {
            // SAFETY: both are as long; `to` is borrowed uniquely, and `&self` keeps writers of this part away.
            Places::Cpu => unsafe { std::ptr::copy_nonoverlapping(self.as_ptr(), to.start(), to.len()) },
            // SAFETY: `to` is borrowed uniquely; whoever uses it later, by `as_slice` or `as_mut_slice`, touches it.
            Places::Cuda(memory, pinned, stream) => unsafe {
                pinned.copy(to.bytes(), Access::Write, memory, bytes.start, stream)?;
            },
        }
        Ok(())
    }
}

impl<T: Scalar> SliceMut<'_, T> {
    /// [`Buffer::copy_from_async`] for this part.
    ///
    /// # Errors
    /// As there.
    pub fn copy_from_async(&mut self, stream: &Stream, from: &impl PinnedArg<Elem = T>) -> Result<()> {
        let Use { storage, bytes, .. } = self.usage("");
        let from = from.part();
        match places(storage, self.len(), &from, stream)? {
            // SAFETY: both are as long; `&mut self` keeps all others away from this part, and `from` is borrowed.
            Places::Cpu => unsafe { std::ptr::copy_nonoverlapping(from.start(), self.as_ptr(), from.len()) },
            // SAFETY: `from` is borrowed; whoever writes it later, by `as_mut_slice`, touches it.
            Places::Cuda(memory, pinned, stream) => unsafe {
                pinned.copy(from.bytes(), Access::Read, memory, bytes.start, stream)?;
            },
        }
        Ok(())
    }

    /// [`Buffer::copy_from_buffer`] for this part; also from another part of the same buffer.
    ///
    /// # Errors
    /// As there.
    pub fn copy_from_buffer(&mut self, stream: &Stream, from: &impl SliceArg<Elem = T>) -> Result<()> {
        let from = from.view();
        check_len(self.len(), from.len())?;
        let (to_use, from_use) = (self.usage(""), from.usage(""));
        check_buffer(to_use.storage, stream)?;
        check_buffer(from_use.storage, stream)?;
        match (to_use.storage, from_use.storage, &stream.kind) {
            (Storage::Cuda(to), Storage::Cuda(from), Kind::Cuda(stream)) => {
                to.copy_from_async(to_use.bytes, from, from_use.bytes.start, stream)
            }
            _ => {
                // SAFETY: both are as long, and on the CPU; `&mut self` keeps all others away from this part, and `from` is borrowed.
                unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), self.as_ptr(), from.len()) };
                Ok(())
            }
        }
    }

    /// Sets every element of this part, as work of a stream.
    ///
    /// # Errors
    /// The stream is of another device, or the driver fails.
    pub fn fill(&mut self, stream: &Stream, value: T) -> Result<()> {
        let Use { storage, bytes, .. } = self.usage("");
        check_buffer(storage, stream)?;
        match (storage, &stream.kind) {
            (Storage::Cuda(memory), Kind::Cuda(stream)) => {
                memory.fill(bytes.start, bytes.len(), as_bytes(&[value]), stream)
            }
            _ => {
                // SAFETY: the memory is on the CPU and holds `len` scalars; `&mut self` keeps all others away.
                unsafe { std::slice::from_raw_parts_mut(self.as_ptr(), self.len()) }.fill(value);
                Ok(())
            }
        }
    }
}

/// Where a copy from or to pinned memory goes on.
enum Places<'a> {
    Cpu,
    Cuda(&'a crate::cuda::CudaMemory, &'a crate::cuda::CudaPinned, &'a crate::cuda::CudaStream),
}

/// Checks the lengths and the devices of a copy between `len` elements of a buffer and pinned memory.
fn places<'a, T: Scalar>(
    storage: &'a Storage,
    len: usize,
    pinned: &PinnedSlice<'a, T>,
    stream: &'a Stream,
) -> Result<Places<'a>> {
    check_len(len, pinned.len())?;
    check_buffer(storage, stream)?;
    match (storage, pinned.block(), &stream.kind) {
        (Storage::Cpu(_), Block::Cpu(pinned), Kind::Cpu(cpu)) if Arc::ptr_eq(pinned.cpu(), cpu) => Ok(Places::Cpu),
        (Storage::Cuda(memory), Block::Cuda(pinned), Kind::Cuda(stream))
            if Arc::ptr_eq(pinned.cuda(), stream.cuda()) =>
        {
            Ok(Places::Cuda(memory, pinned, stream))
        }
        (_, block, _) => Err(other_device("pinned memory", block.device_name(), stream)),
    }
}

fn check_buffer(storage: &Storage, stream: &Stream) -> Result<()> {
    match (storage, &stream.kind) {
        (Storage::Cpu(memory), Kind::Cpu(cpu)) if Arc::ptr_eq(memory.cpu(), cpu) => Ok(()),
        (Storage::Cuda(memory), Kind::Cuda(stream)) if Arc::ptr_eq(memory.cuda(), stream.cuda()) => Ok(()),
        _ => Err(other_device("a buffer", storage.device_name(), stream)),
    }
}

fn check_len(buffer: usize, other: usize) -> Result<()> {
    if buffer == other { Ok(()) } else { Err(Error::LengthMismatch { buffer, host: other }) }
}

fn other_device(what: &'static str, found: String, stream: &Stream) -> Error {
    Error::OtherDevice { what, found, expected: format!("a stream of {}", stream.device()) }
}
