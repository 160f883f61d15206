//! Buffers of cudarc's memory, and buffers as cudarc's memory.

use std::any::type_name;
use std::mem::{ManuallyDrop, replace};
use std::sync::Arc;

use ::cudarc::driver::{CudaContext, CudaSlice, CudaStream, CudaView, CudaViewMut, DevicePtrMut};

use super::{check_home, error_of, gpu_of, home_of};
use crate::backend::{Memory, check_outside};
use crate::buffer::Buffer;
use crate::device::Device;
use crate::error::{Error, ForeignError, Refused, Result};
use crate::gpu::{Gpu, GpuMemory, Past, Wait};
use crate::order::hazard::AccessMode;
use crate::owner::{Origin, Owner};
use crate::stream::check_shared;
use crate::value::format::caught;
use crate::value::{DeviceCopy, same_layout};

impl<T: DeviceCopy> Buffer<T> {
    /// Creates a buffer of a cudarc slice, without a copy. Its launches start after what cudarc has
    /// queued on the stream of the slice.
    ///
    /// [`into_cudarc`](Self::into_cudarc) gives the slice back. Otherwise it is dropped with the
    /// buffer, or with the last graph that uses it: cudarc frees the memory on the stream of the
    /// slice, after all work with it. The host does not wait.
    ///
    /// # Errors
    /// [`Error::Foreign`] if the slice belongs to a context that is not the primary one, or its
    /// stream is the per-thread default stream ([`lend`](super::lend) takes it); an error that
    /// cudarc has kept; or the driver fails. The error gives the slice back.
    pub fn from_cudarc(slice: CudaSlice<T>) -> Result<Self, Refused<CudaSlice<T>>> {
        let mut slice = slice;
        match adopt(&mut slice) {
            Ok((device, address, past)) => {
                let Some(gpu) = device.cuda_gpu() else {
                    return Err(Refused::new(not_adopted::<T>(slice.len()), slice));
                };
                let (len, home) = (slice.len(), home_of(slice.stream()));
                let origin = Origin::Adopted(Owner::returnable(slice));
                let mut memory = GpuMemory::foreign_after(gpu, address, len * size_of::<T>(), origin, &past);
                memory.goes_home(home);
                Ok(Self::of_memory(&device, Memory::Gpu(Arc::new(memory)), [len]))
            }
            Err(error) => Err(Refused::new(error, slice)),
        }
    }
}

/// What a buffer of the slice needs.
fn adopt<T: DeviceCopy>(slice: &mut CudaSlice<T>) -> Result<(Device, u64, Past)> {
    const { same_layout::<T>() }
    let home = Arc::clone(slice.stream());
    let device = Device::from_cudarc(home.context())?;
    check_shared("from_cudarc", home.cu_stream().cast())?;
    let gpu = gpu_of(&device, "from_cudarc", home.context())?;
    check_home(gpu, &home)?;
    // The home waits for what cudarc's events say, and has them say what the buffer does: nothing,
    // until it goes back to the home.
    let (address, writes) = slice.device_ptr_mut(&home);
    drop(writes);
    settled(gpu, home.context())?;
    let past = gpu.past(home_of(&home))?;
    Ok((device, address, past))
}

/// Fails with the error that a context keeps, after all work of the device, because cudarc may have
/// failed to order it.
fn settled(gpu: &Gpu, context: &CudaContext) -> Result<()> {
    context.check_err().map_err(|error| {
        gpu.wait_for_all(Wait::HandOver);
        error_of(gpu, error)
    })
}

fn not_adopted<T>(len: usize) -> Error {
    Error::foreign("into_cudarc", format!("a buffer of {len} `{}`", type_name::<T>()), ForeignError::NotAdopted)
}

impl<T: DeviceCopy, const D: usize> Buffer<T, D> {
    /// Gives the slice back that the buffer was created from. What cudarc queues on its stream
    /// starts after all work with the buffer.
    ///
    /// # Errors
    /// [`Error::Foreign`] if the buffer was not created by [`from_cudarc`](Buffer::from_cudarc), or
    /// if a graph uses it, too; or the driver fails. The error gives the buffer back. For another
    /// buffer, use [`with_cudarc`](Self::with_cudarc).
    pub fn into_cudarc(self) -> Result<CudaSlice<T>, Refused<Self>> {
        let mut buffer = self;
        match buffer.give_back() {
            Ok(slice) => Ok(slice),
            Err(error) => Err(Refused::new(error, buffer)),
        }
    }

    fn give_back(&mut self) -> Result<CudaSlice<T>> {
        let of = self.described();
        let refuse = |reason| Err(Error::foreign("into_cudarc", of, reason));
        let Memory::Gpu(block) = self.memory_mut() else { return refuse(ForeignError::NotAdopted) };
        if !matches!(block.origin(), Origin::Adopted(owner) if owner.gives_back::<CudaSlice<T>>()) {
            return refuse(ForeignError::NotAdopted);
        }
        let Some(block) = Arc::get_mut(block) else { return refuse(ForeignError::InGraph) };
        let Some(mut slice) = block.take_owner::<CudaSlice<T>>() else { return refuse(ForeignError::NotAdopted) };
        let home = Arc::clone(slice.stream());
        let (gpu, context) = (Arc::clone(block.gpu()), home.context());
        let handed_over = check_home(&gpu, &home).and_then(|()| {
            block.hand_over(home_of(&home), AccessMode::Write)?;
            // Records for cudarc's other streams that the memory was written, and that the home has
            // waited for it.
            let (_, writes) = slice.device_ptr_mut(&home);
            drop(writes);
            settled(&gpu, context)
        });
        match handed_over {
            Ok(()) => Ok(slice),
            Err(error) => {
                block.put_owner(Owner::returnable(slice));
                Err(error)
            }
        }
    }

    /// Lends the elements to cudarc, in row-major order. `work` gets a view whose stream is `home`.
    /// What it reads there is ordered after the writes before, and before later writes, on all
    /// streams.
    ///
    /// # Safety
    /// What `work` queues for the elements on streams other than `home` has been joined into `home`
    /// when it returns, as by `home.join(&other)`. cudarc's own events do not do that in all cases.
    ///
    /// # Errors
    /// [`Error::Foreign`] if the buffer or `home` is not of one CUDA device, or if a graph uses the
    /// buffer, too; [`Error::NotCapturable`] in the closure of a capture; an error that cudarc has
    /// kept; what `work` returns; or the driver fails.
    pub unsafe fn with_cudarc<R>(
        &self,
        home: &Arc<CudaStream>,
        work: impl FnOnce(CudaView<'_, T>) -> Result<R>,
    ) -> Result<R> {
        let lease = self.lease("with_cudarc", home, AccessMode::Read)?;
        let result = work(lease.slice.as_view())?;
        lease.end().map(|()| result)
    }

    /// Lends the elements to cudarc for writing; see [`with_cudarc`](Self::with_cudarc).
    ///
    /// # Errors
    /// As for [`with_cudarc`](Self::with_cudarc).
    ///
    /// # Safety
    /// As for [`with_cudarc`](Self::with_cudarc).
    pub unsafe fn with_cudarc_mut<R>(
        &mut self,
        home: &Arc<CudaStream>,
        work: impl FnOnce(CudaViewMut<'_, T>) -> Result<R>,
    ) -> Result<R> {
        let mut lease = self.lease("with_cudarc_mut", home, AccessMode::Write)?;
        let result = work(lease.slice.as_view_mut())?;
        lease.end().map(|()| result)
    }

    fn lease<'a>(&'a self, call: &'static str, home: &'a Arc<CudaStream>, access: AccessMode) -> Result<Lease<'a, T>> {
        let gpu = gpu_of(self.device(), call, home.context())?;
        check_outside(self.device().backend())?;
        let refuse = |reason| Error::foreign(call, self.described(), reason);
        let Memory::Gpu(block) = self.memory() else { return Err(refuse(ForeignError::NotAdopted)) };
        block.graph_users().check()?;
        if block.graph_users().is_shared() {
            return Err(refuse(ForeignError::InGraph));
        }
        check_home(gpu, home)?;
        block.hand_over(home_of(home), access)?;
        // SAFETY: the buffer has these elements, and is borrowed as long as the slice exists, which
        // does not free them.
        let make = || unsafe { home.upgrade_device_ptr::<T>(block.address(), self.len()) };
        // cudarc panics where it cannot create an event.
        let slice = caught(make).map_err(|_| refuse(ForeignError::NoEvents))?;
        Ok(Lease { slice: ManuallyDrop::new(slice), open: true, block, gpu, home, access })
    }
}

/// A buffer's memory in cudarc's hands. Its end, also by a panic, records what the home did with
/// it.
struct Lease<'a, T> {
    slice: ManuallyDrop<CudaSlice<T>>,
    /// Whether the slice is still there.
    open: bool,
    block: &'a GpuMemory,
    gpu: &'a Gpu,
    home: &'a CudaStream,
    access: AccessMode,
}

impl<T> Lease<'_, T> {
    fn end(mut self) -> Result<()> {
        self.close()
    }

    fn close(&mut self) -> Result<()> {
        if !replace(&mut self.open, false) {
            return Ok(());
        }
        // SAFETY: the slice has not been taken before, as `open` says. It frees nothing: `leak`
        // drops only its events, for which the home waits.
        unsafe { ManuallyDrop::take(&mut self.slice) }.leak();
        let recorded = self.gpu.past(home_of(self.home)).map(|past| self.block.took_back(&past, self.access));
        if recorded.is_err() {
            self.gpu.wait_for_all(Wait::HandOver);
        }
        settled(self.gpu, self.home.context()).and(recorded)
    }
}

impl<T> Drop for Lease<'_, T> {
    fn drop(&mut self) {
        let _ = self.close(); // the error or panic in progress is the one to report
    }
}
