//! Arrays of the crate [`ndarray`](https://docs.rs/ndarray). This is the feature `ndarray`.
//!
//! | | on the CPU device | on a GPU |
//! |---|---|---|
//! | [`Device::buffer_from_array`] | copies | copies |
//! | [`Buffer::from_array`] | takes the array over; copies if its elements are not in row-major order | copies |
//! | [`Buffer::into_array`] | gives an array back that was taken over; copies from other buffers | copies |
//! | [`Buffer::to_array`] | copies | copies |
//!
//! For a launch or two, lend the array in place: `device.lend(array.as_slice()?, …)`.
//!
//! ```
//! use anabranch::ndarray::ndarray::array;
//! use anabranch::prelude::*;
//!
//! #[kernel]
//! fn scale(x: &mut Grid<f32, 2>, by: f32) {
//!     let [rows, cols] = x.shape();
//!     for (row, col) in par((0..rows, 0..cols)) { x[[row, col]] *= by; }
//! }
//!
//! # fn main() -> anabranch::Result<()> {
//! let device = Device::auto()?;
//! let mut x = Buffer::from_array(&device, array![[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]])?;
//! scale(&device.default_stream(), &mut x, 2.0)?;
//! assert_eq!(x.into_array()?, array![[2.0, 4.0, 6.0], [8.0, 10.0, 12.0]]);
//! # Ok(())
//! # }
//! ```

/// The crate.
pub use ::ndarray;

use std::sync::Arc;

use ::ndarray::{Array, ArrayBase, Data, Dim, Dimension, IntoDimension};

use super::raw::{adopt, check};
use crate::backend::Memory;
use crate::buffer::Buffer;
use crate::device::Device;
use crate::error::{Error, ForeignError, Refused, Result};
use crate::owner::{Origin, Owner};
use crate::value::DeviceCopy;

/// An array with the shape of a `Buffer<T, D>`: ndarray's `Array1<T>`, `Array2<T>` and so on.
pub type GridArray<T, const D: usize> = Array<T, Dim<[usize; D]>>;

impl Device {
    /// Creates a buffer with a copy of an array or of a view of one, whatever its layout in memory.
    ///
    /// # Errors
    /// The device has no memory left, or is lost.
    pub fn buffer_from_array<T, S, const D: usize>(&self, array: &ArrayBase<S, Dim<[usize; D]>>) -> Result<Buffer<T, D>>
    where
        T: DeviceCopy,
        S: Data<Elem = T>,
        Dim<[usize; D]>: Dimension,
    {
        let standard = array.as_standard_layout();
        let values = standard.as_slice().unwrap_or_default(); // it is in row-major order
        self.grid_from(values, shape(array))
    }
}

impl<T: DeviceCopy, const D: usize> Buffer<T, D>
where
    [usize; D]: IntoDimension<Dim = Dim<[usize; D]>>,
    Dim<[usize; D]>: Dimension,
{
    /// Creates a buffer of an array. On the CPU device, the buffer takes the array over, without a
    /// copy, if its elements lie next to each other in row-major order.
    ///
    /// # Errors
    /// The device has no memory left, or is lost. The error gives the array back.
    pub fn from_array(device: &Device, array: GridArray<T, D>) -> Result<Self, Refused<GridArray<T, D>>> {
        let (shape, mut array) = (shape(&array), array);
        if !device.is_cpu() || !array.is_standard_layout() {
            return device.buffer_from_array(&array).map_err(|error| Refused::new(error, array));
        }
        match check(device, "from_array", array.as_mut_ptr(), shape) {
            // SAFETY: the elements belong to the array, which the buffer owns; an array does not
            // move its elements when it is moved.
            Ok((start, bytes)) => Ok(unsafe { adopt(device, start, bytes, shape, Owner::returnable(array)) }),
            Err(error) => Err(Refused::new(error, array)),
        }
    }

    /// Creates an array with a copy of the elements, after all launches that write them. Blocks.
    ///
    /// # Errors
    /// As for [`to_vec`](Self::to_vec).
    pub fn to_array(&self) -> Result<GridArray<T, D>> {
        let values = self.to_vec()?;
        let of_shape = |_| Error::foreign("to_array", self.described(), ForeignError::TooLong);
        Array::from_shape_vec(self.shape().into_dimension(), values).map_err(of_shape)
    }

    /// Turns the buffer into an array, after all launches that write it. Blocks. An array that the
    /// buffer was [created from](Self::from_array), and that no graph uses, is given back without a
    /// copy.
    ///
    /// # Errors
    /// As for [`to_vec`](Self::to_vec). The error gives the buffer back.
    pub fn into_array(self) -> Result<GridArray<T, D>, Refused<Self>> {
        let mut buffer = self;
        match buffer.give_array_back().and_then(|array| array.map_or_else(|| buffer.to_array(), Ok)) {
            Ok(array) => Ok(array),
            Err(error) => Err(Refused::new(error, buffer)),
        }
    }

    /// The array that was taken over. `None` if there is none, or if somebody else uses it, too.
    fn give_array_back(&mut self) -> Result<Option<GridArray<T, D>>> {
        let Memory::Cpu(block) = self.memory() else { return Ok(None) };
        if !matches!(block.origin(), Origin::Adopted(owner) if owner.gives_back::<GridArray<T, D>>()) {
            return Ok(None);
        }
        self.memory().settle()?;
        let Memory::Cpu(block) = self.memory_mut() else { return Ok(None) };
        Ok(Arc::get_mut(block).and_then(|block| block.take_owner()))
    }
}

fn shape<S: Data, const D: usize>(array: &ArrayBase<S, Dim<[usize; D]>>) -> [usize; D]
where
    Dim<[usize; D]>: Dimension,
{
    std::array::from_fn(|axis| array.shape().get(axis).copied().unwrap_or(0)) // there are `D` axes
}
