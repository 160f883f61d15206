//! Tensors of any library that speaks [DLPack](https://dmlc.github.io/dlpack), by the crate
//! [`dlpark`](https://docs.rs/dlpark). This is the feature
//! `dlpack`.
//!
//! [`Buffer::into_dlpack`] makes a tensor of a buffer, [`Buffer::from_dlpack`] a buffer of a
//! tensor, both without a copy and on both kinds of device. A tensor keeps its buffer, and a buffer
//! its tensor, until the other library or the last work is done with it.
//!
//! ```
//! use anabranch::prelude::*;
//!
//! # fn main() -> anabranch::Result<()> {
//! let device = Device::auto()?;
//! let x = device.grid_from(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0], [2, 3])?;
//! let tensor = x.into_dlpack()?;
//! assert_eq!(tensor.validate().unwrap().shape(), [2, 3]);
//! // SAFETY: nobody else has the tensor, and no work is queued for it.
//! let x = unsafe { Buffer::<f32, 2>::from_dlpack(&device, tensor)? };
//! assert_eq!(x.to_vec()?, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
//! # Ok(())
//! # }
//! ```

/// The crate.
pub use ::dlpark;

use std::any::type_name;

use ::dlpark::ffi::{DLDataType, DLDevice, DLDeviceType, DLManagedTensorVersioned};
use ::dlpark::metadata::Fixed;
use ::dlpark::versioned::Dlpack;
use ::dlpark::{DlpackElement, DlpackFlags};

use super::raw::{adopt, check};
use crate::backend::Backend;
use crate::buffer::Buffer;
use crate::device::Device;
use crate::error::{Error, ForeignError, Refused, Result};
use crate::layout::Layout;
use crate::owner::Owner;
use crate::platform::Platform;
use crate::value::DeviceCopy;

impl<T: DeviceCopy + DlpackElement, const D: usize> Buffer<T, D> {
    /// Turns the buffer into a tensor that owns it. Blocks until all work with the elements is
    /// complete, so that the other library may use them on any stream at once.
    ///
    /// When the last owner drops the tensor, the memory is free, and other buffers may get it.
    /// anabranch does not know of work that the other library has queued: the tensor must be kept
    /// until that work is complete.
    ///
    /// # Errors
    /// [`Error::Foreign`] if a graph uses the buffer, too; [`Error::KernelPanic`]; or the device is
    /// lost. The error gives the buffer back.
    pub fn into_dlpack(self) -> Result<Dlpack, Refused<Self>> {
        let (shape, strides) = (self.shape(), Layout::whole(self.shape()).strides());
        let prepared = self.leaves().and_then(|device| {
            let metadata = Fixed::new(shape, strides).prepare_as::<DLManagedTensorVersioned>();
            let too_long = |_| Error::foreign("into_dlpack", self.described(), ForeignError::TooLong);
            metadata.map(|metadata| (device, metadata)).map_err(too_long)
        });
        let (device, metadata) = match prepared {
            Ok(prepared) => prepared,
            Err(error) => return Err(Refused::new(error, self)),
        };
        let mut buffer = self;
        let data = buffer.as_mut_ptr().cast();
        let mut tensor = metadata.initialize(Box::new(buffer));
        tensor.set_data(data).set_dtype(DLDataType::of::<T>()).set_device(device);
        // SAFETY: there are elements of this type and shape at `data` in memory of the device, as
        // long as the tensor has the buffer. Nobody else uses them: work of ours is complete, and
        // no graph has the memory.
        Ok(unsafe { tensor.finish() })
    }

    /// Waits for all work with the memory. Returns its device as DLPack names it.
    fn leaves(&self) -> Result<DLDevice> {
        if self.memory().graph_users().is_shared() {
            return Err(Error::foreign("into_dlpack", self.described(), ForeignError::InGraph));
        }
        self.memory().settle()?;
        Ok(named(self.device()))
    }

    /// Creates a buffer of a tensor, without a copy. The tensor is dropped after the last use, as
    /// the owner of [`from_raw`](Buffer::from_raw) is.
    ///
    /// # Errors
    /// [`Error::Foreign`] if the tensor has another element type, another number of dimensions or
    /// another device, if it is read-only, if its elements do not lie next to each other in
    /// row-major order, or if it is not valid. The error gives the tensor back.
    ///
    /// # Safety
    /// - What the tensor says about its memory is true.
    /// - As long as the buffer or a graph that uses it exists, nobody else writes the elements, and
    ///   nobody else reads them while work writes them through the buffer.
    /// - What others have queued for the elements is complete. Libraries that export tensors take a
    ///   stream to wait for, or have a synchronization.
    pub unsafe fn from_dlpack(device: &Device, tensor: Dlpack) -> Result<Self, Refused<Dlpack>> {
        match look::<T, D>(device, &tensor) {
            Ok((data, shape)) => match check(device, "from_dlpack", data, shape) {
                // SAFETY: the caller's promise; the tensor keeps the memory.
                Ok((start, bytes)) => Ok(unsafe { adopt(device, start, bytes, shape, Owner::keeper(tensor)) }),
                Err(error) => Err(Refused::new(error, tensor)),
            },
            Err(error) => Err(Refused::new(error, tensor)),
        }
    }
}

/// The first element and the shape of a tensor that can be a buffer of this type.
fn look<T: DlpackElement, const D: usize>(device: &Device, tensor: &Dlpack) -> Result<(*mut T, [usize; D])> {
    let refuse = |reason| Error::foreign("from_dlpack", format!("a tensor of `{}`", type_name::<T>()), reason);
    let invalid = |error: ::dlpark::tensor::Error| refuse(ForeignError::InvalidTensor { reason: error.to_string() });
    let seen = tensor.validate().map_err(invalid)?;
    let expected = named(device);
    if (seen.device().device_type, seen.device().device_id) != (expected.device_type, expected.device_id) {
        let found = match (seen.device().device_type, seen.device().device_id) {
            (DLDeviceType::CPU, _) => "the CPU".to_owned(),
            (DLDeviceType::CUDA, id) => format!("CUDA device {id}"),
            (DLDeviceType::ROCM, id) => format!("HIP device {id}"),
            (DLDeviceType(kind), id) => format!("device {id} of DLPack's type {kind}"),
        };
        return Err(refuse(ForeignError::OnOtherDevice { found, expected: device.to_string() }));
    }
    let element = seen.dtype();
    if !element.is::<T>() {
        let DLDataType { code, bits, lanes } = element;
        return Err(refuse(ForeignError::OtherElement { code: code.0.into(), bits: bits.into(), lanes: lanes.into() }));
    }
    let shape: [i64; D] =
        seen.shape().try_into().map_err(|_| refuse(ForeignError::OtherRank { found: seen.ndim(), expected: D }))?;
    if tensor.flags().contains(DlpackFlags::READ_ONLY) {
        return Err(refuse(ForeignError::ReadOnly));
    }
    if let Some(strides) = seen.strides()
        && !is_row_major(&shape, strides)
    {
        return Err(refuse(ForeignError::NotRowMajor));
    }
    // SAFETY: the caller of `from_dlpack` promises that the tensor describes its memory.
    let data = unsafe { seen.offset_data_ptr::<T>() }.map_err(invalid)?;
    Ok((data.cast_mut(), shape.map(|extent| usize::try_from(extent).unwrap_or(usize::MAX)))) // extents are valid
}

/// Whether the elements lie next to each other. Nothing follows from the stride of an axis with one
/// element: libraries set it to what they like.
fn is_row_major(shape: &[i64], strides: &[i64]) -> bool {
    let mut next = 1;
    let mut each = shape.iter().zip(strides).rev();
    shape.contains(&0)
        || each.all(|(extent, stride)| {
            let fits = *extent == 1 || *stride == next;
            next = next.saturating_mul(*extent);
            fits
        })
}

/// A device as DLPack names it.
fn named(device: &Device) -> DLDevice {
    match device.backend() {
        Backend::Cpu(_) => DLDevice::CPU,
        Backend::Gpu { gpu, .. } => DLDevice {
            device_type: match gpu.platform() {
                Platform::Cuda => DLDeviceType::CUDA,
                Platform::Hip => DLDeviceType::ROCM,
            },
            device_id: i32::try_from(gpu.ordinal()).unwrap_or(i32::MAX), // drivers count devices with this type
        },
    }
}
