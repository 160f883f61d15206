//! Copies and fills as work of a stream: in stream order, after earlier uses of the same elements, and without waiting on the host.

use std::mem::MaybeUninit;

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
use crate::value::scalar::{as_bytes, as_bytes_mut};

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
        self.as_mut_slice().copy_from_async(stream, from)
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
        self.as_slice().copy_to_async(stream, to)
    }

    /// Copies from another buffer of the device, or from a part of one, as work of a stream.
    ///
    /// The copy runs after all launches on any stream that use this buffer or write the other one. The call returns at once. On the CPU the
    /// copy is complete when the call returns.
    ///
    /// # Errors
    /// The lengths differ; the buffers and the stream do not belong to the same device; or the driver fails.
    pub fn copy_from_buffer(&mut self, stream: &Stream, from: &impl SliceArg<Elem = T>) -> Result<()> {
        self.as_mut_slice().copy_from_buffer(stream, from)
    }

    /// Sets every element to `value`, as work of a stream.
    ///
    /// # Errors
    /// The stream belongs to another device, or the driver fails.
    pub fn fill(&mut self, stream: &Stream, value: T) -> Result<()> {
        self.as_mut_slice().fill(stream, value)
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
}

impl<T: DeviceCopy, const D: usize> Slice<'_, T, D> {
    /// Copies the elements to the host, in row-major order, after all launches that write them. Blocks, unless there are none.
    ///
    /// Of a [`part`](Self::part) whose elements do not lie next to each other, all that lies between them is copied to the host, too.
    ///
    /// # Errors
    /// [`Error::KernelPanic`] if device code has panicked since the last report; or the device is lost.
    pub fn to_vec(&self) -> Result<Vec<T>> {
        let mut values = Vec::with_capacity(self.len());
        self.read(&mut values.spare_capacity_mut()[..self.len()])?;
        // SAFETY: `read` has written all of these elements.
        unsafe { values.set_len(self.len()) };
        Ok(values)
    }

    /// Copies the elements into `values`, as [`to_vec`](Self::to_vec) does. Blocks.
    ///
    /// # Errors
    /// The lengths differ, or an error of [`to_vec`](Self::to_vec).
    pub fn copy_to(&self, values: &mut [T]) -> Result<()> {
        check_len(self.len(), values.len())?;
        // SAFETY: a `MaybeUninit` has the layout of its value, and `read` only writes values of the type.
        self.read(unsafe { std::slice::from_raw_parts_mut(values.as_mut_ptr().cast(), values.len()) })
    }

    /// Writes all elements into `values`, which has the view's length. The elements of a buffer are always valid values: it starts with the
    /// user's, and device code only writes valid ones.
    fn read(&self, values: &mut [MaybeUninit<T>]) -> Result<()> {
        let Use { memory, bytes, .. } = self.usage("");
        let _guard = memory.share()?;
        let (size, values) = (size_of::<T>(), as_bytes_mut(values));
        if self.is_contiguous() {
            // SAFETY: `&self` excludes writers of these elements, and the guard excludes graphs.
            return unsafe { memory.read(bytes.start, values) };
        }
        let runs = self.layout().runs().map(|run| run.start * size..run.end * size);
        // SAFETY: as above; another borrow may write what is between the runs.
        unsafe { memory.read_runs(bytes, runs, values) }
    }
}

impl<T: DeviceCopy, const D: usize> SliceMut<'_, T, D> {
    /// Copies the elements to the host. See [`Slice::to_vec`].
    ///
    /// # Errors
    /// As there.
    pub fn to_vec(&self) -> Result<Vec<T>> {
        self.shared().to_vec()
    }

    /// Copies the elements into `values`. See [`Slice::copy_to`].
    ///
    /// # Errors
    /// As there.
    pub fn copy_to(&self, values: &mut [T]) -> Result<()> {
        self.shared().copy_to(values)
    }

    /// Copies `values` into this part, in row-major order, after all launches that use it. Blocks. There is one copy for all elements that lie next
    /// to each other.
    ///
    /// # Errors
    /// The lengths differ, or the device is lost.
    pub fn copy_from(&mut self, values: &[T]) -> Result<()> {
        check_len(self.len(), values.len())?;
        let Use { memory, bytes, .. } = self.usage("");
        let _guard = memory.share()?;
        let mut rest = values;
        for run in self.layout().runs() {
            let (now, later) = rest.split_at(run.len());
            // SAFETY: `&mut self` excludes all other uses of these elements, and the guard excludes graphs.
            unsafe { memory.write(bytes.start + run.start * size_of::<T>(), as_bytes(now))? };
            rest = later;
        }
        Ok(())
    }

    /// Sets every element of this part to `value`, as work of a stream: as one fill of all elements that lie next to each other.
    ///
    /// # Errors
    /// The stream belongs to another device, or the driver fails.
    pub fn fill(&mut self, stream: &Stream, value: T) -> Result<()> {
        let whole = self.usage("");
        let size = size_of::<T>();
        let fill = |bytes| {
            let to = &Use { name: whole.name, memory: whole.memory, bytes, gaps: false, access: whole.access };
            // SAFETY: the part is borrowed uniquely.
            unsafe {
                enqueue::command(
                    stream,
                    std::slice::from_ref(to),
                    Work::Fill(to.bytes.len()),
                    &Command::Fill { to, value },
                )
            }
        };
        if self.is_contiguous() {
            return fill(whole.bytes.clone());
        }
        let start = whole.bytes.start;
        self.layout().runs().try_for_each(|run| fill(start + run.start * size..start + run.end * size))
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
