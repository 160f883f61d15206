//! Copies and fills as work of a stream: in stream order, after earlier uses of the same elements, and without waiting on the host.

use crate::backend::{Command, Use};
use crate::buffer::Buffer;
use crate::capture::Work;
use crate::error::{Error, Result};
use crate::launch::enqueue;
use crate::order::hazard::AccessMode;
use crate::pinned::{PinnedArg, PinnedMutArg, PinnedSlice};
use crate::slice::{Slice, SliceArg, SliceMut};
use crate::stream::Stream;
use crate::value::DeviceCopy;

impl<T: DeviceCopy, const D: usize> Buffer<T, D> {
    /// Copies from pinned memory, as work of a stream.
    ///
    /// The copy runs after all launches on any stream that use the buffer. The call returns at once;
    /// [`PinnedBuffer::as_mut_slice`](crate::PinnedBuffer::as_mut_slice) waits for the copy before the pinned memory can be overwritten. On
    /// the CPU the copy is complete when the call returns.
    ///
    /// # Errors
    /// The lengths differ; the buffer, the stream and the pinned memory do not belong to the same device; or the driver fails.
    pub fn copy_from_async(&mut self, stream: &Stream, from: &impl PinnedArg<Elem = T>) -> Result<()> {
        self.all_mut().copy_from_async(stream, from)
    }

    /// Copies to pinned memory, as work of a stream.
    ///
    /// The copy runs after all launches on any stream that write the buffer. The call returns at once;
    /// [`PinnedBuffer::as_slice`](crate::PinnedBuffer::as_slice) waits for the copy, and returns an error if device code panicked. On the CPU
    /// the copy is complete when the call returns.
    ///
    /// # Errors
    /// The lengths differ; the buffer, the stream and the pinned memory do not belong to the same device; or the driver fails.
    pub fn copy_to_async(&self, stream: &Stream, to: &mut impl PinnedMutArg<Elem = T>) -> Result<()> {
        self.all().copy_to_async(stream, to)
    }

    /// Copies from another buffer of the device, or from a part of one, as work of a stream.
    ///
    /// The copy runs after all launches on any stream that use this buffer or write the other one. The call returns at once. On the CPU the
    /// copy is complete when the call returns.
    ///
    /// # Errors
    /// The lengths differ; the buffers and the stream do not belong to the same device; or the driver fails.
    pub fn copy_from_buffer(&mut self, stream: &Stream, from: &impl SliceArg<Elem = T>) -> Result<()> {
        self.all_mut().copy_from_buffer(stream, from)
    }

    /// Sets every element to `value`, as work of a stream.
    ///
    /// # Errors
    /// The stream belongs to another device, or the driver fails.
    pub fn fill(&mut self, stream: &Stream, value: T) -> Result<()> {
        self.all_mut().fill(stream, value)
    }
}

impl<T: DeviceCopy> Slice<'_, T> {
    /// [`Buffer::copy_to_async`] for this part.
    ///
    /// # Errors
    /// As there.
    pub fn copy_to_async(&self, stream: &Stream, to: &mut impl PinnedMutArg<Elem = T>) -> Result<()> {
        let to = to.part_mut();
        // SAFETY: `to` is borrowed uniquely, and `&self` excludes writers. Later uses of `to`, through `as_slice` or `as_mut_slice`, call
        // `touch` first.
        unsafe { copy_pinned(stream, &self.usage(""), &to.shared(), AccessMode::Write) }
    }
}

impl<T: DeviceCopy> SliceMut<'_, T> {
    /// [`Buffer::copy_from_async`] for this part.
    ///
    /// # Errors
    /// As there.
    pub fn copy_from_async(&mut self, stream: &Stream, from: &impl PinnedArg<Elem = T>) -> Result<()> {
        // SAFETY: `&mut self` excludes all other uses of this part, and `from` is borrowed. Later writes to `from`, through
        // `as_mut_slice`, call `touch` first.
        unsafe { copy_pinned(stream, &self.usage(""), &from.part(), AccessMode::Read) }
    }

    /// [`Buffer::copy_from_buffer`] for this part. The source can be another part of the same buffer.
    ///
    /// # Errors
    /// As there.
    pub fn copy_from_buffer(&mut self, stream: &Stream, from: &impl SliceArg<Elem = T>) -> Result<()> {
        let from = from.view();
        check_len(self.len(), from.len())?;
        let uses = [self.usage(""), from.usage("")];
        let [to, from] = &uses;
        let command = Command::Copy::<'_, T> { to, from };
        // SAFETY: both parts are borrowed, this one uniquely.
        unsafe { enqueue::command(stream, &uses, Work::Copy(to.bytes.len()), &command) }
    }

    /// Sets every element of this part to `value`, as work of a stream.
    ///
    /// # Errors
    /// The stream belongs to another device, or the driver fails.
    pub fn fill(&mut self, stream: &Stream, value: T) -> Result<()> {
        let to = &self.usage("");
        // SAFETY: the part is borrowed uniquely.
        unsafe {
            enqueue::command(stream, std::slice::from_ref(to), Work::Fill(to.bytes.len()), &Command::Fill { to, value })
        }
    }
}

/// Copies between a part of a buffer and a part of pinned memory. `access` says whether the pinned memory is read or written.
///
/// # Safety
/// Both parts are borrowed, the written one uniquely. Each later use of the pinned part calls `touch` first.
unsafe fn copy_pinned<T: DeviceCopy>(
    stream: &Stream,
    used: &Use<'_>,
    pinned: &PinnedSlice<'_, T>,
    access: AccessMode,
) -> Result<()> {
    check_len(used.bytes.len() / size_of::<T>(), pinned.len())?;
    let _guard = enqueue::pinned(stream, used, pinned.block(), access)?;
    // SAFETY: the caller's promise.
    unsafe { pinned.block().copy(pinned.bytes(), access, used.memory, used.bytes.start, &stream.backend) }
}

fn check_len(buffer: usize, other: usize) -> Result<()> {
    if buffer == other { Ok(()) } else { Err(Error::LengthMismatch { buffer, host: other }) }
}
