//! Host memory that is lent to launches on the CPU.

use std::any::type_name;
use std::ptr::NonNull;

use crate::backend::Memory;
use crate::device::Device;
use crate::error::{Error, ForeignError, Result};
use crate::layout::Layout;
use crate::owner::Origin;
use crate::slice::{Slice, SliceMut};
use crate::value::{DeviceCopy, same_layout};

impl Device {
    /// Lends host memory to launches on the CPU device, in place: `work` gets a view of `values`
    /// for the parameters `&[T]` of kernels.
    ///
    /// The view ends with the closure. So this is also for memory that belongs to another library:
    /// a slice of a `Vec`, of an array, of a tensor, of a mapped file.
    ///
    /// ```
    /// # use anabranch::prelude::*;
    /// #[kernel]
    /// fn square(x: &[f32], y: &mut [f32]) {
    ///     for i in par(0..y.len()) { y[i] = x[i] * x[i]; }
    /// }
    ///
    /// # fn main() -> anabranch::Result<()> {
    /// let device = Device::cpu();
    /// let (x, mut y) = (vec![1.0f32, 2.0, 3.0], vec![0.0; 3]);
    /// device.lend(&x, |x| device.lend_mut(&mut y, |y| square(&device.default_stream(), x, y)))?;
    /// assert_eq!(y, [1.0, 4.0, 9.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::Foreign`](crate::Error::Foreign) if the device is a GPU, which cannot use host
    /// memory in place; or what `work` returns. A capture refuses lent memory with
    /// [`Error::LentMemory`](crate::Error::LentMemory), because a graph outlives the closure.
    pub fn lend<T: DeviceCopy, R>(&self, values: &[T], work: impl FnOnce(&Slice<'_, T>) -> Result<R>) -> Result<R> {
        let memory = lent(self, "lend", values.as_ptr().cast_mut(), values.len())?;
        work(&Slice::new(&memory, memory.start().cast(), Layout::whole([values.len()])))
    }

    /// [`lend`](Self::lend) for the parameters `&mut [T]` of kernels.
    ///
    /// # Errors
    /// As for [`lend`](Self::lend), and a panic of device code: then the contents of `values` are
    /// unspecified.
    pub fn lend_mut<T: DeviceCopy, R>(
        &self,
        values: &mut [T],
        work: impl FnOnce(&mut SliceMut<'_, T>) -> Result<R>,
    ) -> Result<R> {
        let memory = lent(self, "lend_mut", values.as_mut_ptr(), values.len())?;
        let result = work(&mut SliceMut::new(&memory, memory.start().cast(), Layout::whole([values.len()])))?;
        // The host looks at the elements next, so it gets the panic of a loop that has not finished
        // them.
        if let Memory::Cpu(block) = &memory {
            block.cpu().take_panic(Some(memory.written()))?;
        }
        Ok(result)
    }
}

/// A block of the elements of a slice. Work on the CPU is complete when its call returns, and the
/// block refuses captures, so that no work uses the elements after the views of the block are gone.
fn lent<T: DeviceCopy>(device: &Device, call: &'static str, start: *mut T, len: usize) -> Result<Memory> {
    const { same_layout::<T>() }
    let refuse = |reason| Error::foreign(call, format!("{len} `{}`", type_name::<T>()), reason);
    if !device.is_cpu() {
        return Err(refuse(ForeignError::HostMemory { device: device.to_string() }));
    }
    let start = NonNull::new(start.cast()).ok_or_else(|| refuse(ForeignError::Null))?;
    // SAFETY: a slice is aligned, has these bytes, and is borrowed until the caller returns,
    // uniquely for a unique view.
    Ok(unsafe { device.backend().foreign(start, len * size_of::<T>(), align_of::<T>(), Origin::Lent) })
}
