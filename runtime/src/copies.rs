//! Copies and fills of buffers and their parts.
//!
//! A call that ends in `_async` is work of a stream: in stream order, after earlier uses of the
//! same elements, and without waiting on the host. All others block. A part with gaps takes one
//! copy or fill for all elements that lie next to each other.

#![allow(unsafe_code, reason = "streams copy what their buffers keep alive")]

use std::mem::MaybeUninit;
use std::ops::Range;

use crate::backend::{Command, Memory, Use};
use crate::buffer::Buffer;
use crate::capture::Work;
use crate::error::{Error, Operation, Result};
use crate::launch::enqueue;
use crate::layout::{ElementIndex, common_runs};
use crate::order::hazard::AccessMode;
use crate::pages::prefer_huge;
use crate::pinned::{PinnedArg, PinnedMutArg, PinnedSlice};
use crate::slice::{GridArg, Slice, SliceMut};
use crate::stream::Stream;
use crate::value::DeviceCopy;
use crate::value::scalar::{as_bytes, as_bytes_mut};

macro_rules! reads {
    ($($whole:ty),*) => { $(
        impl<T: DeviceCopy, const D: usize> $whole {
            /// Copies the elements to the host, in row-major order, after all launches that write
            /// them. Blocks, unless there is nothing to copy.
            ///
            /// If the elements of a [`part`](Self::part) do not lie next to each other, what lies
            /// between them is copied to the host, too.
            ///
            /// # Errors
            /// [`Error::KernelPanic`] if device code has panicked since the last report; a capture
            /// in progress writes the buffer; or the device is lost.
            #[doc(alias("cudaMemcpyDeviceToHost", "clone_dtoh"))]
            pub fn to_vec(&self) -> Result<Vec<T>> {
                self.whole().all()
            }

            /// Copies one element to the host, as [`to_vec`](Self::to_vec) copies all. Blocks. The
            /// index is a `usize`, or an array with one for each dimension.
            ///
            /// For more than a few elements, one copy of all is much faster than one of each.
            ///
            /// # Errors
            /// [`Error::NoSuchElement`] if the index is out of bounds, or an error of
            /// [`to_vec`](Self::to_vec).
            pub fn get(&self, index: impl ElementIndex<D>) -> Result<T> {
                self.whole().one(index.indexes())
            }

            /// Copies the elements into `values`, as [`to_vec`](Self::to_vec) does. Blocks.
            ///
            /// # Errors
            /// The lengths differ, or an error of [`to_vec`](Self::to_vec).
            #[doc(alias("cudaMemcpy", "cuMemcpyDtoH", "memcpy_dtoh"))]
            pub fn copy_to(&self, values: &mut [T]) -> Result<()> {
                self.whole().read_into(values)
            }

            /// Copies the elements to pinned memory, as work of a stream.
            ///
            /// The copy runs after all launches on any stream that write the elements. The call
            /// returns at once; [`PinnedBuffer::as_slice`](crate::PinnedBuffer::as_slice) waits for
            /// the copy, and returns an error if device code panicked. On the CPU the copy is
            /// complete when the call returns. A capture cannot contain it.
            ///
            /// # Errors
            /// The lengths differ; the buffer, the stream and the pinned memory do not belong to
            /// the same device; or the driver fails.
            #[doc(alias("cudaMemcpyAsync", "cuMemcpyDtoHAsync"))]
            pub fn copy_to_async(&self, stream: &Stream, to: &mut impl PinnedMutArg<Elem = T>) -> Result<()> {
                let (whole, to) = (self.whole(), to.part_mut());
                // SAFETY: `to` is borrowed uniquely, and `&self` excludes writers. Later uses of
                // `to`, through `as_slice` or `as_mut_slice`, call `touch` first.
                unsafe { copy_pinned("copy_to_async", stream, whole, &whole.usage(""), &to.shared(), AccessMode::Write) }
            }
        }
    )* };
}
reads! { Buffer<T, D>, Slice<'_, T, D>, SliceMut<'_, T, D> }

macro_rules! writes {
    ($($whole:ty),*) => { $(
        impl<T: DeviceCopy, const D: usize> $whole {
            /// Copies `values` from the host, in row-major order, after all launches that use the
            /// elements. Blocks.
            ///
            /// # Errors
            /// The lengths differ, a capture in progress writes the buffer, or the device is lost.
            #[doc(alias("cudaMemcpy", "cuMemcpyHtoD", "memcpy_htod"))]
            pub fn copy_from(&mut self, values: &[T]) -> Result<()> {
                self.whole_mut().write("copy_from", values)
            }

            /// Copies from pinned memory, as work of a stream.
            ///
            /// The copy runs after all launches on any stream that use the elements. The call
            /// returns at once; [`PinnedBuffer::as_mut_slice`](crate::PinnedBuffer::as_mut_slice)
            /// waits for the copy before the pinned memory can be overwritten. On the CPU the copy
            /// is complete when the call returns. A capture cannot contain it.
            ///
            /// # Errors
            /// The lengths differ; the buffer, the stream and the pinned memory do not belong to
            /// the same device; or the driver fails.
            #[doc(alias("cudaMemcpyAsync", "cuMemcpyHtoDAsync"))]
            pub fn copy_from_async(&mut self, stream: &Stream, from: &impl PinnedArg<Elem = T>) -> Result<()> {
                let whole = self.whole_mut();
                // SAFETY: `&mut self` excludes all other uses of these elements, and `from` is
                // borrowed. Later writes to `from`, through `as_mut_slice`, call `touch` first.
                unsafe {
                    copy_pinned("copy_from_async", stream, whole.shared(), &whole.usage(""), &from.part(), AccessMode::Read)
                }
            }

            /// Copies from another buffer, or from a part of one, in row-major order, after all
            /// launches that use the target or write the source. Blocks. The source can be another
            /// part of the same buffer, of another shape, and on another device.
            ///
            /// Between two GPUs that cannot reach each other's memory, the elements go through the
            /// host. After a copy from another device, a panic of device code there is also
            /// reported by calls that wait for this device.
            ///
            /// # Errors
            /// The lengths differ, a capture in progress writes one of the buffers, or a device is
            /// lost.
            #[doc(alias("cudaMemcpyDeviceToDevice", "cuMemcpyDtoD", "memcpy_dtod"))]
            pub fn copy_from_buffer<const E: usize>(&mut self, from: &impl GridArg<E, Elem = T>) -> Result<()> {
                self.whole_mut().copy("copy_from_buffer", from.grid())
            }

            /// [`copy_from_buffer`](Self::copy_from_buffer) as work of a stream. The call returns
            /// at once. On the CPU the copy is complete when the call returns. A capture records
            /// it.
            ///
            /// Between devices, the stream is of one of the two. A copy to a CPU device is complete
            /// when the call returns, and so is one on a stream of a CPU device. A capture cannot
            /// contain a copy between devices.
            ///
            /// # Errors
            /// The lengths differ; the stream belongs to the device of neither buffer; the buffers
            /// belong to different devices and the stream is captured; or the driver fails.
            #[doc(alias("cudaMemcpyAsync", "cuMemcpyDtoDAsync"))]
            pub fn copy_from_buffer_async<const E: usize>(
                &mut self,
                stream: &Stream,
                from: &impl GridArg<E, Elem = T>,
            ) -> Result<()> {
                self.whole_mut().queue_copy(stream, from.grid())
            }

            /// Sets every element to `value`, after all launches that use the elements. Blocks.
            ///
            /// # Errors
            /// A capture in progress writes the buffer, or the device is lost.
            #[doc(alias("cudaMemset", "cuMemsetD32", "memset_zeros"))]
            pub fn fill(&mut self, value: T) -> Result<()> {
                self.whole_mut().set_all("fill", value)
            }

            /// [`fill`](Self::fill) as work of a stream. The call returns at once. On the CPU the
            /// fill is complete when the call returns. A capture records it.
            ///
            /// # Errors
            /// The stream belongs to another device, or the driver fails.
            #[doc(alias("cudaMemsetAsync"))]
            pub fn fill_async(&mut self, stream: &Stream, value: T) -> Result<()> {
                self.whole_mut().queue_fill(stream, value)
            }
        }
    )* };
}
writes! { Buffer<T, D>, SliceMut<'_, T, D> }

impl<T: DeviceCopy, const D: usize> Slice<'_, T, D> {
    fn all(&self) -> Result<Vec<T>> {
        let mut values = Vec::with_capacity(self.len());
        let room = &mut values.spare_capacity_mut()[..self.len()];
        prefer_huge(as_bytes_mut(room));
        self.read("to_vec", room)?;
        // SAFETY: `read` has written all of these elements.
        unsafe { values.set_len(self.len()) };
        Ok(values)
    }

    fn one(&self, index: [usize; D]) -> Result<T> {
        let Some(place) = self.layout().place(index) else {
            let operation = Box::new(self.operation("get"));
            return Err(Error::NoSuchElement { operation, index: index.to_vec(), shape: self.shape().to_vec() });
        };
        let mut value = [MaybeUninit::uninit()];
        self.element(place).read("get", &mut value)?;
        // SAFETY: `read` has written it.
        Ok(unsafe { value[0].assume_init() })
    }

    fn read_into(&self, values: &mut [T]) -> Result<()> {
        self.check_len("copy_to", values.len())?;
        // SAFETY: a `MaybeUninit` has the layout of its value, and `read` only writes values of the
        // type.
        self.read("copy_to", unsafe { std::slice::from_raw_parts_mut(values.as_mut_ptr().cast(), values.len()) })
    }

    /// Writes all elements into `values`, which has the view's length. The elements of a buffer are
    /// always valid values: it starts with the user's, and device code only writes valid ones.
    fn read(&self, call: &'static str, values: &mut [MaybeUninit<T>]) -> Result<()> {
        let (size, values) = (size_of::<T>(), as_bytes_mut(values));
        let mut copy = || {
            let used = self.usage("");
            let _guard = used.share()?;
            let Use { memory, bytes, .. } = used;
            if self.is_contiguous() {
                // SAFETY: `&self` excludes writers of these elements, and the guard excludes
                // graphs.
                return unsafe { memory.read(bytes.start, values) };
            }
            let runs = self.layout().runs().map(|run| run.start * size..run.end * size);
            // SAFETY: as above; another borrow may write what is between the runs.
            unsafe { memory.read_runs(bytes.clone(), runs, values) }
        };
        copy().and_then(|()| self.usage("").memory.report()).map_err(|error| self.named(call, error))
    }

    fn operation(&self, call: &'static str) -> Operation {
        Operation { call, of: self.described() }
    }

    fn named(&self, call: &'static str, error: Error) -> Error {
        error.in_operation(call, || self.described())
    }

    fn check_len(&self, call: &'static str, other: usize) -> Result<()> {
        let len = self.len();
        if len == other {
            return Ok(());
        }
        Err(Error::LengthMismatch { operation: Box::new(self.operation(call)), len, other })
    }
}

impl<T: DeviceCopy, const D: usize> SliceMut<'_, T, D> {
    /// [`copy_from`](Self::copy_from) for this call.
    pub(crate) fn write(&mut self, call: &'static str, values: &[T]) -> Result<()> {
        self.shared().check_len(call, values.len())?;
        let used = self.usage("");
        let Use { memory, bytes, .. } = &used;
        let write = || {
            let _guard = used.share()?;
            let mut rest = values;
            for run in self.layout().runs() {
                let (now, later) = rest.split_at(run.len());
                // SAFETY: `&mut self` excludes all other uses of these elements, and the guard
                // excludes graphs.
                unsafe { memory.write(bytes.start + run.start * size_of::<T>(), as_bytes(now))? };
                rest = later;
            }
            Ok(())
        };
        write().map_err(|error| self.shared().named(call, error))
    }

    /// [`fill`](Self::fill) for this call.
    pub(crate) fn set_all(&mut self, call: &'static str, value: T) -> Result<()> {
        let used = self.usage("");
        let memory = used.memory;
        let fill = || {
            let _guard = used.share()?;
            // SAFETY: `&mut self` excludes all other uses of these elements, and the guard excludes
            // graphs.
            self.runs().try_for_each(|bytes| unsafe { memory.fill(bytes, value) })
        };
        fill().map_err(|error| self.shared().named(call, error))
    }

    fn queue_fill(&mut self, stream: &Stream, value: T) -> Result<()> {
        let whole = self.usage("");
        let fill = |bytes: Range<usize>| {
            let to = Use { name: "", memory: whole.memory, bytes, gaps: false, access: whole.access };
            let (uses, command) = (std::slice::from_ref(&to), Command::Fill { to: &to, value });
            // SAFETY: the part is borrowed uniquely.
            unsafe { enqueue::command(stream, uses, Work::Fill(to.bytes.len()), &command) }
        };
        let filled = if self.is_empty() { fill(whole.bytes.clone()) } else { self.runs().try_for_each(fill) };
        filled.map_err(|error| self.shared().named("fill_async", error))
    }

    /// [`copy_from_buffer`](Self::copy_from_buffer) for this call.
    pub(crate) fn copy<const E: usize>(&mut self, call: &'static str, from: Slice<'_, T, E>) -> Result<()> {
        self.shared().check_len(call, from.len())?;
        let uses = [self.usage(""), from.usage("")];
        let [to, source] = &uses;
        let copy = || {
            if !to.memory.is_beside(source.memory) {
                let guards = Memory::share_across(to, source)?;
                for (bytes, start) in self.runs_beside(from) {
                    // SAFETY: both parts are borrowed, this one uniquely, and the guards exclude
                    // graphs.
                    unsafe { to.memory.copy_across(bytes, source.memory, start)? };
                }
                drop(guards);
                return Memory::report_across(to.memory, source.memory);
            }
            let _guard = Use::share_all(&uses)?;
            // SAFETY: both parts are borrowed, this one uniquely, and the guard excludes graphs.
            self.runs_beside(from).try_for_each(|(bytes, start)| unsafe { to.memory.copy(bytes, source.memory, start) })
        };
        copy().map_err(|error| self.shared().named(call, error))
    }

    fn queue_copy<const E: usize>(&mut self, stream: &Stream, from: Slice<'_, T, E>) -> Result<()> {
        const CALL: &str = "copy_from_buffer_async";
        self.shared().check_len(CALL, from.len())?;
        let (to, source) = (self.usage(""), from.usage(""));
        let copy = |(bytes, start): (Range<usize>, usize)| {
            let from_bytes = start..start + bytes.len();
            let uses = [
                Use { name: "", memory: to.memory, bytes, gaps: false, access: to.access },
                Use { name: "", memory: source.memory, bytes: from_bytes, gaps: false, access: source.access },
            ];
            let [to, from] = &uses;
            if !to.memory.is_beside(from.memory) {
                // SAFETY: both parts are borrowed, this one uniquely.
                return unsafe { enqueue::across(stream, to, from) };
            }
            let command = Command::Copy::<'_, T> { to, from };
            // SAFETY: both parts are borrowed, this one uniquely.
            unsafe { enqueue::command(stream, &uses, Work::Copy(to.bytes.len()), &command) }
        };
        let copied = match self.is_empty() {
            true => copy((to.bytes.clone(), source.bytes.start)),
            false => self.runs_beside(from).try_for_each(copy),
        };
        copied.map_err(|error| self.shared().named(CALL, error))
    }

    /// The bytes of elements that lie next to each other, in order.
    fn runs(&self) -> impl Iterator<Item = Range<usize>> + use<T, D> {
        let (start, size) = (self.usage("").bytes.start, size_of::<T>());
        self.layout().runs().map(move |run| start + run.start * size..start + run.end * size)
    }

    /// The bytes of elements that lie next to each other here and in a source with as many
    /// elements, and where the source's begin.
    fn runs_beside<const E: usize>(
        &self,
        from: Slice<'_, T, E>,
    ) -> impl Iterator<Item = (Range<usize>, usize)> + use<T, D, E> {
        let (start, source, size) = (self.usage("").bytes.start, from.usage("").bytes.start, size_of::<T>());
        common_runs(self.layout(), from.layout()).map(move |(to, from, len)| {
            let begin = start + to * size;
            (begin..begin + len * size, source + from * size)
        })
    }
}

/// Copies between a part of a buffer and a part of pinned memory. `access` says whether the pinned
/// memory is read or written.
///
/// # Safety
/// Both parts are borrowed, the written one uniquely. Each later use of the pinned part calls
/// `touch` first.
unsafe fn copy_pinned<T: DeviceCopy, const D: usize>(
    call: &'static str,
    stream: &Stream,
    whole: Slice<'_, T, D>,
    used: &Use<'_>,
    pinned: &PinnedSlice<'_, T>,
    access: AccessMode,
) -> Result<()> {
    whole.check_len(call, pinned.len())?;
    let mut host = pinned.bytes();
    let mut copy = |bytes: Range<usize>| {
        let now = host.start..host.start + bytes.len();
        host.start = now.end;
        let part = Use { name: "", memory: used.memory, bytes, gaps: false, access: used.access };
        let _guard = enqueue::pinned(stream, &part, pinned.block(), access)?;
        // SAFETY: the caller's promise.
        unsafe { pinned.block().copy(now, access, part.memory, part.bytes.start, &stream.backend) }
    };
    let (start, size) = (used.bytes.start, size_of::<T>());
    let mut runs = whole.layout().runs().map(|run| start + run.start * size..start + run.end * size);
    let copied = if whole.is_empty() { copy(used.bytes.clone()) } else { runs.try_for_each(copy) };
    copied.map_err(|error| whole.named(call, error))
}
