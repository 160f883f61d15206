//! Copies and fills that a stream does: in the order of the stream, behind whatever uses the same elements, and without the host.

use std::sync::Arc;

use crate::buffer::{Buffer, Storage};
use crate::capture::{Work, check_outside};
use crate::cpu::work::{Op, Task};
use crate::error::{Error, Result};
use crate::gpu::{CudaCapture, CudaMemory, CudaPinned, CudaStream, Ordered};
use crate::launch::host::{Use, take_turn};
use crate::order::hazard::Access;
use crate::pinned::{Block, PinnedArg, PinnedMutArg, PinnedSlice};
use crate::slice::{Slice, SliceArg, SliceMut};
use crate::stream::{Kind, Stream};
use crate::value::scalar::{Scalar, as_bytes};

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
        check_uncaptured(stream)?;
        let _turn = storage.share()?;
        let places = places(storage, self.len(), &to, stream)?;
        let uses = [(storage.written(), Access::Read), (to.block().written(), Access::Write)];
        stream.reports().launches(uses.into_iter());
        match places {
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
        check_uncaptured(stream)?;
        let _turn = storage.share()?;
        let places = places(storage, self.len(), &from, stream)?;
        let uses = [(storage.written(), Access::Write), (from.block().written(), Access::Read)];
        stream.reports().launches(uses.into_iter());
        match places {
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
        let uses = [self.usage(""), from.usage("")];
        let [to, from] = &uses;
        uses.iter().try_for_each(|used| check_buffer(used.storage, stream))?;
        let (start, from_start, bytes) = (to.bytes.start, from.bytes.start, to.bytes.len());
        match (to.storage, from.storage) {
            (Storage::Cpu(to), Storage::Cpu(from)) => {
                let (to, from) = (Arc::clone(to), Arc::clone(from));
                // SAFETY: both parts are inside their blocks and do not overlap, since one is borrowed uniquely. When it runs, the borrows
                // keep all others away, or the turn of a graph.
                let copy = move || unsafe {
                    std::ptr::copy_nonoverlapping(from.start().add(from_start), to.start().add(start), bytes);
                };
                on_cpu(stream, &uses, Work::Copy(bytes), copy)
            }
            (Storage::Cuda(to), Storage::Cuda(from)) => on_cuda(stream, &uses, Work::Copy(bytes), |stream| {
                to.copy_from_async(start, from, from_start, bytes, stream)
            }),
            _ => Err(other_device("a buffer", from.storage.device_name(), stream)), // found above
        }
    }

    /// Sets every element of this part, as work of a stream.
    ///
    /// # Errors
    /// The stream is of another device, or the driver fails.
    pub fn fill(&mut self, stream: &Stream, value: T) -> Result<()> {
        let used = self.usage("");
        check_buffer(used.storage, stream)?;
        let (start, len, bytes) = (used.bytes.start, self.len(), used.bytes.len());
        match used.storage {
            Storage::Cpu(memory) => {
                let memory = Arc::clone(memory);
                // SAFETY: the part is inside the block and holds `len` scalars. When it runs, the borrow keeps all others away, or the
                // turn of a graph.
                let fill = move || unsafe {
                    std::slice::from_raw_parts_mut(memory.start().add(start).cast(), len).fill(value);
                };
                on_cpu(stream, &[used], Work::Fill(bytes), fill)
            }
            Storage::Cuda(memory) => {
                let fill = |stream: &CudaStream| memory.fill(start, bytes, as_bytes(&[value]), stream);
                on_cuda(stream, std::slice::from_ref(&used), Work::Fill(bytes), fill)
            }
        }
    }
}

/// Does work of a stream of the CPU, or records it.
fn on_cpu(stream: &Stream, uses: &[Use<'_>], work: Work, task: impl Fn() + Send + Sync + 'static) -> Result<()> {
    let bytes = uses.iter().map(|used| used.bytes.len()).sum();
    let recording = stream.recording()?;
    let _turn = take_turn(stream, uses, recording.as_ref())?;
    match recording {
        None => task(),
        Some(recording) => {
            recording.recorder().add(work);
            recording.finish(vec![Op::Job(Box::new(Task(task, bytes)))]);
        }
    }
    Ok(())
}

/// Queues work on a CUDA stream, which may be captured.
fn on_cuda(stream: &Stream, uses: &[Use<'_>], work: Work, queue: impl FnOnce(&CudaStream) -> Result<()>) -> Result<()> {
    let Kind::Cuda(cuda) = &stream.kind else { return Ok(()) }; // its buffers are on the device of the stream
    let recording = stream.recording()?;
    let _turn = take_turn(stream, uses, recording.as_ref())?;
    let mut ordered = Ordered::default();
    cuda.bind()?;
    for used in uses.iter().filter(|_| recording.is_none()) {
        if let Storage::Cuda(memory) = used.storage {
            memory.order_among(used.bytes.clone(), used.access, cuda, &mut ordered)?;
        }
    }
    let change = stream.capture.as_ref().and_then(|capture| capture.cuda()).map(CudaCapture::change);
    queue(cuda)?;
    drop(change);
    if let Some(recording) = recording {
        recording.recorder().add(work);
        recording.finish(Vec::new());
    }
    Ok(())
}

fn check_uncaptured(stream: &Stream) -> Result<()> {
    let what = "a copy from or to pinned memory";
    stream.check_uncaptured(
        what,
        "queue it on the stream that the graph is launched on, before the launch or behind it",
    )?;
    check_outside(stream.device())
}

/// Where a copy from or to pinned memory goes on.
enum Places<'a> {
    Cpu,
    Cuda(&'a CudaMemory, &'a CudaPinned, &'a CudaStream),
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
    if storage.is_of(stream) { Ok(()) } else { Err(other_device("a buffer", storage.device_name(), stream)) }
}

fn check_len(buffer: usize, other: usize) -> Result<()> {
    if buffer == other { Ok(()) } else { Err(Error::LengthMismatch { buffer, host: other }) }
}

fn other_device(what: &'static str, found: String, stream: &Stream) -> Error {
    Error::OtherDevice { what, found, expected: format!("a stream of {}", stream.device()) }
}
