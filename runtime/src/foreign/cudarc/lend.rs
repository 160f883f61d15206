//! Slices of cudarc that are lent to launches.

use std::sync::Arc;

use ::cudarc::driver::{CudaSlice, CudaStream, CudaView, CudaViewMut, SyncOnDrop};

use super::{check, check_home, error_of, gpu_of, home_of};
use crate::backend::Memory;
use crate::device::Device;
use crate::error::Result;
use crate::gpu::{Gpu, GpuMemory, Home, Wait};
use crate::layout::Layout;
use crate::order::hazard::AccessMode;
use crate::owner::Origin;
use crate::slice::{Slice, SliceMut};
use crate::value::{DeviceCopy, same_layout};

/// Lends memory of cudarc to launches: `work` gets a view of `slice` for the parameters `&[T]` of
/// kernels.
///
/// The launches start after what cudarc has queued on the stream of the slice, and what it queues
/// there later starts after the launches.
///
/// # Errors
/// [`Error::Foreign`](crate::Error::Foreign) if the slice belongs to another device; an error that
/// cudarc has kept; what `work` returns; or the driver fails. A capture refuses lent memory with
/// [`Error::LentMemory`](crate::Error::LentMemory), because a graph outlives the closure.
pub fn lend<T: DeviceCopy, R>(
    device: &Device,
    slice: &impl Lend<T>,
    work: impl FnOnce(&Slice<'_, T>) -> Result<R>,
) -> Result<R> {
    const { same_layout::<T>() }
    let (home, len) = (Arc::clone(slice.home()), slice.count());
    let gpu = gpu_of(device, "lend", home.context())?;
    check_home(gpu, &home)?;
    // It records the reads for cudarc when it is dropped, which is after `lent`.
    let (address, reads) = slice.pointer(&home);
    let lent = Lent::begin::<T>(gpu, &home, address, len)?;
    let result = work(&Slice::new(&lent.memory, lent.memory.start().cast(), Layout::whole([len])));
    let ended = lent.end();
    drop(reads);
    result.and_then(|result| ended.and_then(|()| check(gpu, home.context())).map(|()| result))
}

/// [`lend`] for the parameters `&mut [T]` of kernels.
///
/// # Errors
/// As for [`lend`].
pub fn lend_mut<T: DeviceCopy, R>(
    device: &Device,
    slice: &mut impl LendMut<T>,
    work: impl FnOnce(&mut SliceMut<'_, T>) -> Result<R>,
) -> Result<R> {
    const { same_layout::<T>() }
    let (home, len) = (Arc::clone(slice.home()), slice.count());
    let gpu = gpu_of(device, "lend_mut", home.context())?;
    check_home(gpu, &home)?;
    let (address, writes) = slice.pointer_mut(&home);
    let lent = Lent::begin::<T>(gpu, &home, address, len)?;
    let result = work(&mut SliceMut::new(&lent.memory, lent.memory.start().cast(), Layout::whole([len])));
    let ended = lent.end();
    drop(writes);
    result.and_then(|result| ended.and_then(|()| check(gpu, home.context())).map(|()| result))
}

/// Lent memory. Its end, also by a panic, makes the home wait for what the launches do with it.
struct Lent<'a> {
    memory: Memory,
    block: Arc<GpuMemory>,
    gpu: &'a Gpu,
    home: Home,
    ended: bool,
}

impl<'a> Lent<'a> {
    /// The home has waited for cudarc's events, unless that has failed.
    fn begin<T>(gpu: &'a Arc<Gpu>, home: &CudaStream, address: u64, len: usize) -> Result<Self> {
        home.context().check_err().map_err(|error| {
            gpu.wait_for_all(Wait::HandOver);
            error_of(gpu, error)
        })?;
        let home = home_of(home);
        let past = gpu.past(home)?;
        let block = Arc::new(GpuMemory::foreign_after(gpu, address, len * size_of::<T>(), Origin::Lent, &past));
        Ok(Self { memory: Memory::Gpu(Arc::clone(&block)), block, gpu, home, ended: false })
    }

    fn end(mut self) -> Result<()> {
        self.hand_over()
    }

    fn hand_over(&mut self) -> Result<()> {
        if std::mem::replace(&mut self.ended, true) {
            return Ok(());
        }
        self.block.hand_over(self.home, AccessMode::Write).inspect_err(|_| {
            // Also on other devices. The slice is not used otherwise: the device need not be idle.
            if self.block.wait_for_uses(Wait::HandOver).is_err() {
                self.gpu.wait_for_all(Wait::HandOver);
            }
        })
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        let _ = self.hand_over(); // the panic in progress is the one to report
    }
}

mod sealed {
    use super::*;

    /// What [`Lend`] needs. Only types of cudarc have it, whose pointers can be trusted.
    pub trait Source<T> {
        fn count(&self) -> usize;
        fn home(&self) -> &Arc<CudaStream>;
        fn pointer<'a>(&'a self, stream: &'a CudaStream) -> (u64, SyncOnDrop<'a>);
    }

    pub trait SourceMut<T>: Source<T> {
        fn pointer_mut<'a>(&'a mut self, stream: &'a CudaStream) -> (u64, SyncOnDrop<'a>);
    }
}

/// Memory of cudarc that can be [lent](lend): a `CudaSlice`, a `CudaView`, a `CudaViewMut`.
pub trait Lend<T>: sealed::Source<T> {}

/// Memory of cudarc that can be [lent for writing](lend_mut): a `CudaSlice`, a `CudaViewMut`.
pub trait LendMut<T>: sealed::SourceMut<T> {}

macro_rules! sources {
    (read: $($reader:ty),*; write: $($writer:ty),*) => {
        $(
            impl<T> sealed::Source<T> for $reader {
                fn count(&self) -> usize {
                    ::cudarc::driver::DeviceSlice::len(self)
                }
                fn home(&self) -> &Arc<CudaStream> {
                    ::cudarc::driver::DeviceSlice::stream(self)
                }
                fn pointer<'a>(&'a self, stream: &'a CudaStream) -> (u64, SyncOnDrop<'a>) {
                    ::cudarc::driver::DevicePtr::device_ptr(self, stream)
                }
            }
            impl<T> Lend<T> for $reader {}
        )*
        $(
            impl<T> sealed::SourceMut<T> for $writer {
                fn pointer_mut<'a>(&'a mut self, stream: &'a CudaStream) -> (u64, SyncOnDrop<'a>) {
                    ::cudarc::driver::DevicePtrMut::device_ptr_mut(self, stream)
                }
            }
            impl<T> LendMut<T> for $writer {}
        )*
    };
}
sources! { read: CudaSlice<T>, CudaView<'_, T>, CudaViewMut<'_, T>; write: CudaSlice<T>, CudaViewMut<'_, T> }
