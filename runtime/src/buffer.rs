//! Device memory.

#![allow(unsafe_code, reason = "a buffer gives out the memory that it owns")]

use std::any::type_name;
use std::fmt;
use std::marker::PhantomData;

use crate::backend::Memory;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::layout::{Layout, bytes_of};
use crate::slice::{GridArg, GridMutArg, Slice, SliceArg, SliceMut, SliceMutArg};
use crate::value::{DeviceCopy, Zeroed, same_layout};

/// A buffer in device memory.
///
/// Like a `Vec`, a buffer owns its elements, and Rust's borrowing rules govern access to them: pass
/// `&Buffer` for a kernel parameter `&[T]`, and `&mut Buffer` for `&mut [T]`. A launch returns
/// before the device has finished. Later uses of the buffer, on any stream or from the host, are
/// ordered after that launch. A buffer may be dropped while the device still uses it.
///
/// `D` is the number of dimensions of the [`shape`](Self::shape). [`Device::grid_from`] and
/// [`Device::grid_zeros`] create buffers of several dimensions, which hold their elements in
/// row-major order: the last index varies fastest. A kernel gets them as a
/// [`&Grid<T, D>`](crate::Grid), or all elements as one `&[T]`.
#[doc(alias("CUdeviceptr", "cudaFree", "device_vector", "CudaSlice"))]
#[doc(alias("cuMemFree"))]
pub struct Buffer<T, const D: usize = 1> {
    memory: Memory,
    shape: [usize; D],
    device: Device,
    elements: PhantomData<T>,
}

impl Device {
    /// Creates a buffer with a copy of `values`: a slice, an array, a `Vec`, or anything else that
    /// is `AsRef<[T]>`.
    ///
    /// # Errors
    /// The device has no memory left, or is lost.
    #[doc(alias("cudaMalloc", "cudaMemcpy", "clone_htod", "htod_copy"))]
    pub fn buffer_from<T: DeviceCopy>(&self, values: &(impl AsRef<[T]> + ?Sized)) -> Result<Buffer<T>> {
        let values = values.as_ref();
        Buffer::with_values(self, "buffer_from", [values.len()], values)
    }

    /// Creates a buffer of `len` zeros (`false` for `bool`). In a struct, every field is zero.
    ///
    /// # Errors
    /// The device has no memory left, or is lost.
    #[doc(alias("cudaMalloc", "cuMemAlloc", "cudaMallocAsync", "cudaMemset"))]
    #[doc(alias("alloc_zeros"))]
    pub fn zeros<T: Zeroed>(&self, len: usize) -> Result<Buffer<T>> {
        Buffer::with_zeros(self, "zeros", [len])
    }

    /// Creates a buffer of `len` copies of `value`.
    ///
    /// # Errors
    /// The device has no memory left, or is lost.
    pub fn filled<T: DeviceCopy>(&self, len: usize, value: T) -> Result<Buffer<T>> {
        Buffer::with_copies(self, "filled", [len], value)
    }

    /// Creates a buffer of the `len` values that `value` returns for the indexes from 0 on. It is
    /// called on the host, in order.
    ///
    /// ```
    /// # use anabranch::prelude::*;
    /// # fn main() -> anabranch::Result<()> {
    /// let squares = Device::auto()?.from_fn(5, |i| (i * i) as u32)?;
    /// assert_eq!(squares.to_vec()?, [0, 1, 4, 9, 16]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The device has no memory left, or is lost.
    pub fn from_fn<T: DeviceCopy>(&self, len: usize, value: impl FnMut(usize) -> T) -> Result<Buffer<T>> {
        // Before the values: a length that does not fit is an error and not a panic of `Vec`.
        let mut buffer = Buffer::allocate(self, "from_fn", [len])?;
        buffer.whole_mut().write("from_fn", &(0..len).map(value).collect::<Vec<T>>())?;
        Ok(buffer)
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
    /// The number of `values` is not the product of `shape`, the device has no memory left, or it
    /// is lost.
    pub fn grid_from<T: DeviceCopy, const D: usize>(
        &self,
        values: &(impl AsRef<[T]> + ?Sized),
        shape: [usize; D],
    ) -> Result<Buffer<T, D>> {
        Buffer::with_values(self, "grid_from", shape, values.as_ref())
    }

    /// Creates a buffer of this shape, filled with zeros (`false` for `bool`).
    ///
    /// # Errors
    /// The device has no memory left, or is lost.
    pub fn grid_zeros<T: Zeroed, const D: usize>(&self, shape: [usize; D]) -> Result<Buffer<T, D>> {
        Buffer::with_zeros(self, "grid_zeros", shape)
    }

    /// Creates a buffer of this shape, filled with copies of `value`.
    ///
    /// # Errors
    /// The device has no memory left, or is lost.
    pub fn grid_filled<T: DeviceCopy, const D: usize>(&self, shape: [usize; D], value: T) -> Result<Buffer<T, D>> {
        Buffer::with_copies(self, "grid_filled", shape, value)
    }
}

impl<T: DeviceCopy, const D: usize> Buffer<T, D> {
    fn with_values(device: &Device, call: &'static str, shape: [usize; D], values: &[T]) -> Result<Self> {
        let mut buffer = Self::allocate(device, call, shape)?;
        buffer.whole_mut().write(call, values)?;
        Ok(buffer)
    }

    fn with_zeros(device: &Device, call: &'static str, shape: [usize; D]) -> Result<Self>
    where
        T: Zeroed,
    {
        let buffer = Self::allocate(device, call, shape)?;
        buffer.memory.clear().map_err(|error| error.in_operation(call, || buffer.whole().described()))?;
        Ok(buffer)
    }

    fn with_copies(device: &Device, call: &'static str, shape: [usize; D], value: T) -> Result<Self> {
        let mut buffer = Self::allocate(device, call, shape)?;
        buffer.whole_mut().set_all(call, value)?;
        Ok(buffer)
    }

    /// The memory is zeroed on the CPU and uninitialized on a GPU. `call` is what an error names.
    fn allocate(device: &Device, call: &'static str, shape: [usize; D]) -> Result<Self> {
        const { same_layout::<T>() }
        let error = |error: Error| {
            let shape = if let [len] = shape[..] { len.to_string() } else { format!("shape {shape:?} of") };
            error.in_operation(call, || format!("a buffer of {shape} `{}`", type_name::<T>()))
        };
        let too_long = || error(Error::OutOfHostMemory { requested: usize::MAX, operation: None });
        let bytes = bytes_of::<T, D>(shape).ok_or_else(too_long)?;
        let memory = device.backend().allocate(bytes).map_err(error)?;
        Ok(Self::of_memory(device, memory, shape))
    }

    /// A buffer of a block of [`bytes_of`] this shape.
    pub(crate) fn of_memory(device: &Device, memory: Memory, shape: [usize; D]) -> Self {
        Self { memory, shape, device: device.clone(), elements: PhantomData }
    }

    /// All elements.
    pub(crate) fn whole(&self) -> Slice<'_, T, D> {
        Slice::new(&self.memory, self.start(), self.layout())
    }

    /// All elements.
    pub(crate) fn whole_mut(&mut self) -> SliceMut<'_, T, D> {
        SliceMut::new(&self.memory, self.start(), self.layout())
    }

    /// What it is, for an error.
    #[cfg(any(feature = "cudarc", feature = "ndarray", feature = "dlpack"))]
    pub(crate) fn described(&self) -> String {
        self.whole().described()
    }

    /// The memory of the elements.
    #[cfg(any(feature = "cudarc", feature = "ndarray", feature = "dlpack"))]
    pub(crate) fn memory(&self) -> &Memory {
        &self.memory
    }

    /// The memory of the elements.
    #[cfg(any(feature = "cudarc", feature = "ndarray"))]
    pub(crate) fn memory_mut(&mut self) -> &mut Memory {
        &mut self.memory
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

    /// Returns the address of the first element: in host memory on the CPU, in device memory on a
    /// GPU. It is valid as long as the buffer exists. The runtime does not order accesses through
    /// this pointer.
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

    /// Creates a buffer with a copy of the elements, after all launches that write them. Blocks.
    ///
    /// # Errors
    /// The device has no memory left, or is lost.
    pub fn try_clone(&self) -> Result<Self> {
        let mut clone = Self::allocate(&self.device, "try_clone", self.shape)?;
        clone.whole_mut().copy("try_clone", self.whole())?;
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
        self.whole()
    }
}

// SAFETY: the view borrows the buffer uniquely.
unsafe impl<T: DeviceCopy, const D: usize> GridMutArg<D> for Buffer<T, D> {
    type Elem = T;
    fn grid_mut(&mut self) -> SliceMut<'_, T, D> {
        self.whole_mut()
    }
}

/// All elements, as a field of a struct of slices: `Planes { mask: (&mask).into(), … }`.
impl<'a, T: DeviceCopy, const D: usize> From<&'a Buffer<T, D>> for Slice<'a, T, D> {
    fn from(buffer: &'a Buffer<T, D>) -> Self {
        buffer.whole()
    }
}

/// All elements, as a field of a struct of slices: `Planes { red: (&mut red).into(), … }`.
impl<'a, T: DeviceCopy, const D: usize> From<&'a mut Buffer<T, D>> for SliceMut<'a, T, D> {
    fn from(buffer: &'a mut Buffer<T, D>) -> Self {
        buffer.whole_mut()
    }
}

impl<T: DeviceCopy, const D: usize> fmt::Debug for Buffer<T, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = type_name::<T>();
        write!(f, "Buffer<{name}>({:?} on {})", self.shape, self.device)
    }
}
