//! Device memory.

use std::fmt;
use std::marker::PhantomData;
use std::ops::RangeBounds;

use crate::backend::Memory;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::slice::{Slice, SliceArg, SliceMut, SliceMutArg, bounds};
use crate::value::scalar::{Scalar, as_bytes, as_bytes_mut};

/// Elements in the memory of a device.
///
/// Like a `Vec`, a buffer owns its elements, and Rust's borrows say who may use them: a kernel takes `&Buffer` where its
/// parameter is `&[T]`, and `&mut Buffer` where it is `&mut [T]`. A launch returns before the device is done; whatever
/// uses the buffer next, on any stream or from the host, is ordered behind it. Dropping a buffer in use is fine.
///
/// `D` is the number of dimensions of [`shape`](Self::shape). A buffer of two or three, made by [`Device::grid_from`] or
/// [`Device::grid_zeros`], holds its elements row by row: a kernel gets them as one `&[T]`, with the last index the fastest.
pub struct Buffer<T, const D: usize = 1> {
    memory: Memory,
    shape: [usize; D],
    device: Device,
    elements: PhantomData<T>,
}

impl Device {
    /// A buffer with a copy of `values`.
    ///
    /// # Errors
    /// The device has no memory left, or is lost.
    pub fn buffer_from<T: Scalar>(&self, values: &[T]) -> Result<Buffer<T>> {
        self.grid_from(values, [values.len()])
    }

    /// A buffer of `len` zeros (`false` for `bool`).
    ///
    /// # Errors
    /// The device has no memory left, or is lost.
    pub fn zeros<T: Scalar>(&self, len: usize) -> Result<Buffer<T>> {
        self.grid_zeros([len])
    }

    /// A buffer of this shape with a copy of `values`, which are in row-major order.
    ///
    /// ```
    /// # use anabranch::prelude::*;
    /// #[kernel]
    /// fn transpose(from: &[f32], to: &mut [f32], rows: usize, cols: usize) {
    ///     for (row, col) in par((0..rows, 0..cols)) { to[col * rows + row] = from[row * cols + col]; }
    /// }
    ///
    /// # fn main() -> anabranch::Result<()> {
    /// let device = Device::auto()?;
    /// let from = device.grid_from(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [2, 3])?;
    /// let [rows, cols] = from.shape();
    /// let mut to = device.grid_zeros([cols, rows])?;
    /// transpose(&device.default_stream(), &from, &mut to, rows, cols)?;
    /// assert_eq!(to.to_vec()?, [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The shape does not have as many elements; or the device has no memory left, or is lost.
    pub fn grid_from<T: Scalar, const D: usize>(&self, values: &[T], shape: [usize; D]) -> Result<Buffer<T, D>> {
        let mut buffer = Buffer::allocate(self, shape)?;
        buffer.copy_from(values)?;
        Ok(buffer)
    }

    /// A buffer of this shape, of zeros (`false` for `bool`).
    ///
    /// # Errors
    /// The device has no memory left, or is lost.
    pub fn grid_zeros<T: Scalar, const D: usize>(&self, shape: [usize; D]) -> Result<Buffer<T, D>> {
        let buffer = Buffer::allocate(self, shape)?;
        buffer.memory.clear()?;
        Ok(buffer)
    }
}

impl<T: Scalar, const D: usize> Buffer<T, D> {
    /// Zeroed on the CPU, uninitialized on a GPU.
    fn allocate(device: &Device, shape: [usize; D]) -> Result<Self> {
        let too_large = || Error::OutOfHostMemory { requested: usize::MAX };
        let bytes =
            shape.iter().try_fold(size_of::<T>(), |bytes, &len| bytes.checked_mul(len)).ok_or_else(too_large)?;
        let memory = device.backend().allocate(bytes)?;
        Ok(Self { memory, shape, device: device.clone(), elements: PhantomData })
    }

    /// A part of the buffer, to read.
    ///
    /// # Panics
    /// If the range is not inside the buffer, like indexing a slice.
    #[track_caller]
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Slice<'_, T> {
        let (start, len) = bounds(range, self.len());
        Slice::new(&self.memory, self.start().wrapping_add(start), len)
    }

    /// A part of the buffer, to write.
    ///
    /// # Panics
    /// If the range is not inside the buffer, like indexing a slice.
    #[track_caller]
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> SliceMut<'_, T> {
        let (start, len) = bounds(range, self.len());
        let start = self.start().wrapping_add(start);
        SliceMut::new(&self.memory, start, len)
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
        (SliceMut::new(&self.memory, start, mid), SliceMut::new(&self.memory, right, len - mid))
    }

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
        self.memory.start().cast()
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
        let _guard = self.memory.share()?;
        // SAFETY: `&self` keeps writers away, and the guard graphs.
        unsafe { self.memory.read(as_bytes_mut(values)) }
    }

    /// Copies `values` into the buffer, behind every launch that uses it. Blocks.
    ///
    /// # Errors
    /// The lengths differ, or the device is lost.
    pub fn copy_from(&mut self, values: &[T]) -> Result<()> {
        self.check_len(values.len())?;
        let _guard = self.memory.share()?;
        // SAFETY: `&mut self` keeps all others away, and the guard graphs.
        unsafe { self.memory.write(as_bytes(values)) }
    }

    /// All elements, whatever the shape.
    pub(crate) fn all(&self) -> Slice<'_, T> {
        Slice::new(&self.memory, self.start(), self.len())
    }

    /// The same, to write.
    pub(crate) fn all_mut(&mut self) -> SliceMut<'_, T> {
        let (start, len) = (self.start(), self.len());
        SliceMut::new(&self.memory, start, len)
    }

    /// A new buffer with the same elements, behind every launch that writes them. Blocks.
    ///
    /// # Errors
    /// The device has no memory left, or is lost.
    pub fn try_clone(&self) -> Result<Self> {
        let clone = Self::allocate(&self.device, self.shape)?;
        let _guard = self.memory.share()?;
        // SAFETY: both blocks hold as many scalars; `&self` keeps writers away, and the guard graphs.
        unsafe { clone.memory.clone_from(&self.memory, self.len() * size_of::<T>())? };
        Ok(clone)
    }

    fn check_len(&self, host: usize) -> Result<()> {
        let buffer = self.len();
        if buffer == host { Ok(()) } else { Err(Error::LengthMismatch { buffer, host }) }
    }
}

// SAFETY: the view borrows the buffer.
unsafe impl<T: Scalar, const D: usize> SliceArg for Buffer<T, D> {
    type Elem = T;
    fn view(&self) -> Slice<'_, T> {
        self.all()
    }
}

// SAFETY: the view borrows the buffer uniquely.
unsafe impl<T: Scalar, const D: usize> SliceMutArg for Buffer<T, D> {
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
