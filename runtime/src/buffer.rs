//! Device memory.

use std::fmt;
use std::marker::PhantomData;
use std::ops::RangeBounds;

use crate::backend::Memory;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::layout::{Layout, Ranges, ends};
use crate::slice::{GridArg, GridMutArg, Slice, SliceArg, SliceMut, SliceMutArg};
use crate::value::{DeviceCopy, Zeroed};

/// A buffer in device memory.
///
/// Like a `Vec`, a buffer owns its elements, and Rust's borrowing rules govern access to them: pass `&Buffer` for a kernel
/// parameter `&[T]`, and `&mut Buffer` for `&mut [T]`. A launch returns before the device has finished. Later uses of the buffer,
/// on any stream or from the host, are ordered after that launch. A buffer may be dropped while the device still uses it.
///
/// `D` is the number of dimensions of the [`shape`](Self::shape). [`Device::grid_from`] and [`Device::grid_zeros`] create buffers
/// of several dimensions, which hold their elements in row-major order: the last index varies fastest. A kernel gets them as a
/// [`&Grid<T, D>`](crate::Grid), or all elements as one `&[T]`.
pub struct Buffer<T, const D: usize = 1> {
    memory: Memory,
    shape: [usize; D],
    device: Device,
    elements: PhantomData<T>,
}

impl Device {
    /// Creates a buffer with a copy of `values`.
    ///
    /// # Errors
    /// The device has no memory left, or is lost.
    pub fn buffer_from<T: DeviceCopy>(&self, values: &[T]) -> Result<Buffer<T>> {
        self.grid_from(values, [values.len()])
    }

    /// Creates a buffer of `len` zeros (`false` for `bool`). In a struct, every field is zero.
    ///
    /// # Errors
    /// The device has no memory left, or is lost.
    pub fn zeros<T: Zeroed>(&self, len: usize) -> Result<Buffer<T>> {
        self.grid_zeros([len])
    }

    /// Creates a buffer of `len` copies of `value`.
    ///
    /// # Errors
    /// The device has no memory left, or is lost.
    pub fn filled<T: DeviceCopy>(&self, len: usize, value: T) -> Result<Buffer<T>> {
        self.grid_filled([len], value)
    }

    /// Creates a buffer of this shape with a copy of `values`, which are in row-major order.
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
    /// The number of `values` is not the product of `shape`, the device has no memory left, or it is lost.
    pub fn grid_from<T: DeviceCopy, const D: usize>(&self, values: &[T], shape: [usize; D]) -> Result<Buffer<T, D>> {
        let mut buffer = Buffer::allocate(self, shape)?;
        buffer.copy_from(values)?;
        Ok(buffer)
    }

    /// Creates a buffer of this shape, filled with zeros (`false` for `bool`).
    ///
    /// # Errors
    /// The device has no memory left, or is lost.
    pub fn grid_zeros<T: Zeroed, const D: usize>(&self, shape: [usize; D]) -> Result<Buffer<T, D>> {
        let buffer = Buffer::allocate(self, shape)?;
        buffer.memory.clear()?;
        Ok(buffer)
    }

    /// Creates a buffer of this shape, filled with copies of `value`.
    ///
    /// # Errors
    /// The device has no memory left, or is lost.
    pub fn grid_filled<T: DeviceCopy, const D: usize>(&self, shape: [usize; D], value: T) -> Result<Buffer<T, D>> {
        let buffer = Buffer::allocate(self, shape)?;
        buffer.memory.fill(value, buffer.len())?;
        Ok(buffer)
    }
}

impl<T: DeviceCopy, const D: usize> Buffer<T, D> {
    /// The memory is zeroed on the CPU and uninitialized on a GPU.
    fn allocate(device: &Device, shape: [usize; D]) -> Result<Self> {
        const { T::SAME_LAYOUT }
        const { assert!(D > 0, "a buffer has at least one dimension") }
        // Also where an extent is 0: no index in bounds overflows.
        let most = shape.iter().try_fold(size_of::<T>().max(1), |most, &len| most.checked_mul(len.max(1)));
        let most = most.filter(|most| isize::try_from(*most).is_ok());
        most.ok_or(Error::OutOfHostMemory { requested: usize::MAX })?;
        let bytes = shape.iter().product::<usize>() * size_of::<T>();
        let memory = device.backend().allocate(bytes)?;
        Ok(Self { memory, shape, device: device.clone(), elements: PhantomData })
    }

    /// Borrows a part of the buffer for reading.
    ///
    /// # Panics
    /// Panics if the range is out of bounds.
    #[track_caller]
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Slice<'_, T> {
        self.as_slice().rows(range)
    }

    /// Borrows a part of the buffer for writing.
    ///
    /// # Panics
    /// Panics if the range is out of bounds.
    #[track_caller]
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> SliceMut<'_, T> {
        let (start, layout) = self.as_slice().layout().parts(&[ends(&range)]);
        SliceMut::new(&self.memory, self.start().wrapping_add(start), layout)
    }

    /// Borrows all elements for reading, in one dimension and in row-major order.
    pub fn as_slice(&self) -> Slice<'_, T> {
        Slice::new(&self.memory, self.start(), Layout::whole([self.len()]))
    }

    /// Borrows all elements for writing, in one dimension and in row-major order.
    pub fn as_mut_slice(&mut self) -> SliceMut<'_, T> {
        SliceMut::new(&self.memory, self.start(), Layout::whole([self.len()]))
    }

    /// Borrows some rows for reading: indexes of the first dimension, the slowest one. The part has the number of dimensions of the buffer.
    ///
    /// # Panics
    /// Panics if the range is out of bounds.
    #[track_caller]
    pub fn rows(&self, range: impl RangeBounds<usize>) -> Slice<'_, T, D> {
        self.grid().rows(range)
    }

    /// Borrows some rows for writing. See [`rows`](Self::rows).
    ///
    /// # Panics
    /// Panics if the range is out of bounds.
    #[track_caller]
    pub fn rows_mut(&mut self, range: impl RangeBounds<usize>) -> SliceMut<'_, T, D> {
        let (start, layout) = self.layout().parts(&[ends(&range)]);
        SliceMut::new(&self.memory, self.start().wrapping_add(start), layout)
    }

    /// Borrows a rectangle of a grid for reading: a range of indexes for each dimension, as an array or a tuple. A kernel takes it like a whole
    /// grid, with indexes from 0.
    ///
    /// ```
    /// # use anabranch::prelude::*;
    /// #[kernel]
    /// fn brighten(image: &mut Grid<u8, 2>) {
    ///     let [h, w] = image.shape();
    ///     for (y, x) in par((0..h, 0..w)) { image[[y, x]] += 1; }
    /// }
    ///
    /// # fn main() -> anabranch::Result<()> {
    /// let device = Device::auto()?;
    /// let mut image = device.grid_zeros::<u8, 2>([3, 4])?;
    /// brighten(&device.default_stream(), &mut image.part_mut((1.., 1..3)))?;
    /// assert_eq!(image.to_vec()?, [0, 0, 0, 0, 0, 1, 1, 0, 0, 1, 1, 0]);
    /// assert_eq!(image.part([0..2, 2..4]).to_vec()?, [0, 0, 1, 0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    /// Panics if a range is out of bounds.
    #[track_caller]
    pub fn part(&self, ranges: impl Ranges<D>) -> Slice<'_, T, D> {
        self.grid().part(ranges)
    }

    /// Borrows a rectangle of a grid for writing. See [`part`](Self::part).
    ///
    /// # Panics
    /// Panics if a range is out of bounds.
    #[track_caller]
    pub fn part_mut(&mut self, ranges: impl Ranges<D>) -> SliceMut<'_, T, D> {
        let (start, layout) = self.layout().parts(&ranges.bounds());
        SliceMut::new(&self.memory, self.start().wrapping_add(start), layout)
    }

    /// Splits the buffer at `mid` into two parts that can be written at the same time: the elements before `mid`, and the rest.
    ///
    /// # Panics
    /// Panics if `mid > len`.
    #[track_caller]
    pub fn split_at_mut(&mut self, mid: usize) -> (SliceMut<'_, T>, SliceMut<'_, T>) {
        self.halves(Layout::whole([self.len()]).split(0, mid))
    }

    /// Splits the buffer along dimension `dim`, counted from 0, into two parts that can be written at the same time: the indexes before `mid`, and
    /// the rest. So `split_dim_at_mut(1, mid)` splits the columns of a grid of two dimensions.
    ///
    /// # Panics
    /// Panics if there is no such dimension, or if `mid` is greater than its length.
    #[track_caller]
    pub fn split_dim_at_mut(&mut self, dim: usize, mid: usize) -> (SliceMut<'_, T, D>, SliceMut<'_, T, D>) {
        self.halves(self.layout().split(dim, mid))
    }

    fn halves<const E: usize>(&mut self, parts: [(usize, Layout<E>); 2]) -> (SliceMut<'_, T, E>, SliceMut<'_, T, E>) {
        let [left, right] = parts.map(|(start, layout)| (self.start().wrapping_add(start), layout));
        (SliceMut::new(&self.memory, left.0, left.1), SliceMut::new(&self.memory, right.0, right.1))
    }

    fn layout(&self) -> Layout<D> {
        Layout::whole(self.shape)
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Returns `true` if the buffer has no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of elements along each dimension; the last index varies fastest.
    pub fn shape(&self) -> [usize; D] {
        self.shape
    }

    /// Returns the device that holds the buffer.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Returns the address of the first element: in host memory on the CPU, in device memory on a GPU. It is valid as long as the
    /// buffer exists. The runtime does not order accesses through this pointer.
    pub fn as_ptr(&self) -> *const T {
        self.start()
    }

    /// Returns the address of the first element, for writing. See [`as_ptr`](Self::as_ptr).
    pub fn as_mut_ptr(&mut self) -> *mut T {
        self.start()
    }

    fn start(&self) -> *mut T {
        self.memory.start().cast()
    }

    /// Copies the elements to the host, after all launches that write them. Blocks, unless the buffer is empty.
    ///
    /// # Errors
    /// [`Error::KernelPanic`] if device code has panicked since the last report; or the device is lost.
    pub fn to_vec(&self) -> Result<Vec<T>> {
        self.as_slice().to_vec()
    }

    /// Copies the elements into `values`, after all launches that write them. Blocks.
    ///
    /// # Errors
    /// The lengths differ, or an error of [`to_vec`](Self::to_vec).
    pub fn copy_to(&self, values: &mut [T]) -> Result<()> {
        self.as_slice().copy_to(values)
    }

    /// Copies `values` into the buffer, after all launches that use it. Blocks.
    ///
    /// # Errors
    /// The lengths differ, or the device is lost.
    pub fn copy_from(&mut self, values: &[T]) -> Result<()> {
        self.as_mut_slice().copy_from(values)
    }

    /// Creates a buffer with a copy of the elements, after all launches that write them. Blocks.
    ///
    /// # Errors
    /// The device has no memory left, or is lost.
    pub fn try_clone(&self) -> Result<Self> {
        let clone = Self::allocate(&self.device, self.shape)?;
        let _guard = self.memory.share()?;
        // SAFETY: both blocks hold as many elements; `&self` excludes writers, and the guard excludes graphs.
        unsafe { clone.memory.clone_from(&self.memory, self.len() * size_of::<T>())? };
        Ok(clone)
    }
}

// SAFETY: the view borrows the buffer.
unsafe impl<T: DeviceCopy, const D: usize> SliceArg for Buffer<T, D> {
    type Elem = T;
    fn view(&self) -> Slice<'_, T> {
        self.as_slice()
    }
}

// SAFETY: the view borrows the buffer uniquely.
unsafe impl<T: DeviceCopy, const D: usize> SliceMutArg for Buffer<T, D> {
    type Elem = T;
    fn view_mut(&mut self) -> SliceMut<'_, T> {
        self.as_mut_slice()
    }
}

// SAFETY: the view borrows the buffer.
unsafe impl<T: DeviceCopy, const D: usize> GridArg<D> for Buffer<T, D> {
    type Elem = T;
    fn grid(&self) -> Slice<'_, T, D> {
        Slice::new(&self.memory, self.start(), self.layout())
    }
}

// SAFETY: the view borrows the buffer uniquely.
unsafe impl<T: DeviceCopy, const D: usize> GridMutArg<D> for Buffer<T, D> {
    type Elem = T;
    fn grid_mut(&mut self) -> SliceMut<'_, T, D> {
        SliceMut::new(&self.memory, self.start(), self.layout())
    }
}

impl<T: DeviceCopy, const D: usize> fmt::Debug for Buffer<T, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = std::any::type_name::<T>();
        write!(f, "Buffer<{name}>({:?} on {})", self.shape, self.device)
    }
}
