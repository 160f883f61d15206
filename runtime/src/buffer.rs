//! Device memory.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Bound, RangeBounds};
use std::sync::Arc;

use crate::capture::InGraphs;
use crate::cpu::memory::CpuMemory;
use crate::device::{Backend, Device};
use crate::error::{Error, Result};
use crate::gpu::CudaMemory;
use crate::order::reports::Written;
use crate::order::turn::{Turn, Waiting};
use crate::slice::{Slice, SliceArg, SliceMut, SliceMutArg};
use crate::stream::{Kind, Stream};
use crate::value::scalar::{Scalar, as_bytes, as_bytes_mut};

/// Elements in the memory of a device.
///
/// Like a `Vec`, a buffer owns its elements, and Rust's borrows say who may use them: a kernel takes `&Buffer` where its
/// parameter is `&[T]`, and `&mut Buffer` where it is `&mut [T]`. A launch returns before the device is done; whatever
/// uses the buffer next, on any stream or from the host, is ordered behind it. Dropping a buffer in use is fine.
///
/// `D` is the number of dimensions of [`shape`](Self::shape). Only buffers of one dimension can be made so far.
pub struct Buffer<T, const D: usize = 1> {
    storage: Storage,
    shape: [usize; D],
    device: Device,
    elements: PhantomData<T>,
}

/// The memory behind a buffer.
///
/// Shared with the graphs that use it.
#[derive(Debug, Clone)]
pub(crate) enum Storage {
    Cpu(Arc<CpuMemory>),
    Cuda(Arc<CudaMemory>),
}

impl Storage {
    /// Address on the device.
    pub(crate) fn start(&self) -> *mut u8 {
        match self {
            Storage::Cpu(memory) => memory.start(),
            // Never dereferenced on the host: `DevRef` and `DevMut` are read by the CPU device only.
            Storage::Cuda(memory) => std::ptr::without_provenance_mut(memory.address() as usize),
        }
    }

    /// What graphs do with it.
    #[inline]
    pub(crate) fn in_graphs(&self) -> &InGraphs {
        match self {
            Storage::Cpu(memory) => memory.in_graphs(),
            Storage::Cuda(memory) => memory.in_graphs(),
        }
    }

    /// Who has written it last.
    #[inline]
    pub(crate) fn written(&self) -> &Written {
        match self {
            Storage::Cpu(memory) => memory.written(),
            Storage::Cuda(memory) => memory.written(),
        }
    }

    /// For a use that no graph may be launched beside, and that no capture under way may make wrong.
    #[inline]
    pub(crate) fn share(&self) -> Result<Option<Turn<'_>>> {
        Self::share_all(std::iter::once(self))
    }

    /// The same of some of one device.
    #[inline]
    pub(crate) fn share_all<'s>(mut all: impl Iterator<Item = &'s Self> + Clone) -> Result<Option<Turn<'s>>> {
        let Some(shared) = all.clone().find(|storage| storage.in_graphs().is_shared()) else { return Ok(None) };
        all.try_for_each(|storage| storage.in_graphs().check())?;
        match shared {
            Storage::Cpu(memory) => memory.cpu().turns.share(Waiting::on_cpu()).map(Some),
            Storage::Cuda(memory) => memory.cuda().turns.share(Waiting::Blocks).map(Some),
        }
    }

    /// Whether it is memory of the device of the stream.
    #[inline]
    pub(crate) fn is_of(&self, stream: &Stream) -> bool {
        match (self, &stream.kind) {
            (Storage::Cpu(memory), Kind::Cpu(cpu)) => Arc::ptr_eq(memory.cpu(), cpu),
            (Storage::Cuda(memory), Kind::Cuda(cuda)) => Arc::ptr_eq(memory.cuda(), cuda.cuda()),
            _ => false,
        }
    }

    pub(crate) fn device_name(&self) -> String {
        match self {
            Storage::Cpu(_) => "the CPU".to_owned(),
            Storage::Cuda(memory) => format!("CUDA device {}", memory.cuda().ordinal()),
        }
    }
}

impl<T: Scalar> Buffer<T> {
    pub(crate) fn zeroed(device: &Device, len: usize) -> Result<Self> {
        let buffer = Self::allocate(device, len)?;
        if let Storage::Cuda(memory) = &buffer.storage {
            memory.clear()?;
        }
        Ok(buffer)
    }

    pub(crate) fn from_host(device: &Device, values: &[T]) -> Result<Self> {
        let mut buffer = Self::allocate(device, values.len())?;
        buffer.copy_from(values)?;
        Ok(buffer)
    }

    /// Zeroed on the CPU, uninitialized on a GPU.
    fn allocate(device: &Device, len: usize) -> Result<Self> {
        let bytes = len.checked_mul(size_of::<T>()).ok_or(Error::OutOfHostMemory { requested: usize::MAX })?;
        let storage = match device.backend() {
            Backend::Cpu(cpu) => Storage::Cpu(Arc::new(CpuMemory::zeroed(cpu, bytes)?)),
            Backend::Cuda { cuda, .. } => Storage::Cuda(Arc::new(cuda.allocate(bytes)?)),
        };
        Ok(Self { storage, shape: [len], device: device.clone(), elements: PhantomData })
    }

    /// A part of the buffer, to read.
    ///
    /// # Panics
    /// If the range is not inside the buffer, like indexing a slice.
    #[track_caller]
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Slice<'_, T> {
        let (start, len) = bounds(range, self.len());
        Slice::new(&self.storage, self.start().wrapping_add(start), len)
    }

    /// A part of the buffer, to write.
    ///
    /// # Panics
    /// If the range is not inside the buffer, like indexing a slice.
    #[track_caller]
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> SliceMut<'_, T> {
        let (start, len) = bounds(range, self.len());
        let start = self.start().wrapping_add(start);
        SliceMut::new(&self.storage, start, len)
    }

    /// Two parts that can be written at the same time: the elements before `mid`, and the others.
    ///
    /// # Panics
    /// If `mid` is beyond the end, like `slice::split_at_mut`.
    #[track_caller]
    pub fn split_at_mut(&mut self, mid: usize) -> (SliceMut<'_, T>, SliceMut<'_, T>) {
        let len = self.len();
        assert!(mid <= len, "cannot split {len} elements at {mid}");
        let start = self.start();
        let right = start.wrapping_add(mid);
        (SliceMut::new(&self.storage, start, mid), SliceMut::new(&self.storage, right, len - mid))
    }
}

impl<T: Scalar, const D: usize> Buffer<T, D> {
    /// Number of elements.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Elements along each dimension, slowest first.
    pub fn shape(&self) -> [usize; D] {
        self.shape
    }

    /// The device it is on.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Address of the first element on the device: of host memory on the CPU, of device memory on a GPU. Valid while the
    /// buffer lives. What is done through it is not ordered by the runtime.
    pub fn as_ptr(&self) -> *const T {
        self.start()
    }

    /// The same, to write.
    pub fn as_mut_ptr(&mut self) -> *mut T {
        self.start()
    }

    fn start(&self) -> *mut T {
        self.storage.start().cast()
    }

    /// Copies the elements to the host, behind every launch that writes them. Blocks, except where there are none.
    ///
    /// # Errors
    /// [`Error::KernelPanic`] if device code has panicked since the last report; or the device is lost.
    pub fn to_vec(&self) -> Result<Vec<T>> {
        let mut values = vec![T::default(); self.len()];
        self.copy_to(&mut values)?;
        Ok(values)
    }

    /// Copies the elements into `values`, behind every launch that writes them. Blocks.
    ///
    /// # Errors
    /// The lengths differ; or as for [`to_vec`](Self::to_vec).
    pub fn copy_to(&self, values: &mut [T]) -> Result<()> {
        self.check_len(values.len())?;
        let _turn = self.storage.share()?;
        match &self.storage {
            Storage::Cpu(memory) => {
                memory.cpu().take_panic(Some(memory.written()))?;
                // SAFETY: the memory holds `len` initialized scalars; `&self` keeps writers away, and the turn graphs.
                values.copy_from_slice(unsafe { std::slice::from_raw_parts(self.start(), values.len()) });
                Ok(())
            }
            Storage::Cuda(memory) => memory.read(0, as_bytes_mut(values)),
        }
    }

    /// Copies `values` into the buffer, behind every launch that uses it. Blocks.
    ///
    /// # Errors
    /// The lengths differ, or the device is lost.
    pub fn copy_from(&mut self, values: &[T]) -> Result<()> {
        self.check_len(values.len())?;
        let _turn = self.storage.share()?;
        match &self.storage {
            Storage::Cpu(_) => {
                // SAFETY: the memory holds `len` scalars; `&mut self` keeps all others away, and the turn graphs.
                unsafe { std::slice::from_raw_parts_mut(self.start(), values.len()) }.copy_from_slice(values);
                Ok(())
            }
            Storage::Cuda(memory) => memory.write(0, as_bytes(values)),
        }
    }

    /// All elements, whatever the shape.
    pub(crate) fn all(&self) -> Slice<'_, T> {
        Slice::new(&self.storage, self.start(), self.len())
    }

    /// The same, to write.
    pub(crate) fn all_mut(&mut self) -> SliceMut<'_, T> {
        let (start, len) = (self.start(), self.len());
        SliceMut::new(&self.storage, start, len)
    }

    /// A new buffer with the same elements, behind every launch that writes them. Blocks.
    ///
    /// # Errors
    /// The device has no memory left, or is lost.
    pub fn try_clone(&self) -> Result<Self> {
        let Buffer { storage, shape: _, device, elements } = Buffer::<T>::allocate(&self.device, self.len())?;
        let _turn = self.storage.share()?;
        storage.written().copy_from(self.storage.written());
        match (&storage, &self.storage) {
            (Storage::Cuda(to), Storage::Cuda(from)) => to.copy_from(0, from, 0, self.len() * size_of::<T>())?,
            // SAFETY: both blocks hold `len` scalars; the new one is nobody else's, `&self` keeps
            // writers away, and the turn graphs.
            _ => unsafe { std::ptr::copy_nonoverlapping(self.start(), storage.start().cast::<T>(), self.len()) },
        }
        Ok(Self { storage, shape: self.shape, device, elements })
    }

    fn check_len(&self, host: usize) -> Result<()> {
        let buffer = self.len();
        if buffer == host { Ok(()) } else { Err(Error::LengthMismatch { buffer, host }) }
    }
}

/// The start and the length of a range of `len` elements.
#[track_caller]
pub(crate) fn bounds(range: impl RangeBounds<usize>, len: usize) -> (usize, usize) {
    let start = match range.start_bound() {
        Bound::Included(&start) => start,
        Bound::Excluded(&start) => start.saturating_add(1),
        Bound::Unbounded => 0,
    };
    let end = match range.end_bound() {
        Bound::Included(&end) => end.saturating_add(1),
        Bound::Excluded(&end) => end,
        Bound::Unbounded => len,
    };
    assert!(start <= end && end <= len, "range {start}..{end} is not inside a buffer of {len} elements");
    (start, end - start)
}

// SAFETY: the view borrows the buffer.
unsafe impl<T: Scalar> SliceArg for Buffer<T> {
    type Elem = T;
    fn view(&self) -> Slice<'_, T> {
        self.all()
    }
}

// SAFETY: the view borrows the buffer uniquely.
unsafe impl<T: Scalar> SliceMutArg for Buffer<T> {
    type Elem = T;
    fn view_mut(&mut self) -> SliceMut<'_, T> {
        self.all_mut()
    }
}

impl<T: Scalar, const D: usize> fmt::Debug for Buffer<T, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = std::any::type_name::<T>();
        write!(f, "Buffer<{name}>({:?} on {})", self.shape, self.device)
    }
}
