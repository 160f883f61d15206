//! Candle's CUDA storage. Its elements are a `CudaSlice` of cudarc.

use std::array::from_fn;
use std::sync::{Arc, Mutex, PoisonError};

use anabranch::cudarc::driver::{CudaContext, CudaSlice, CudaStream, CudaView};
use anabranch::{Device, ForeignError, Slice, SliceMut, Stream, cudarc};
use candle_core::backend::BackendStorage;
use candle_core::{CudaStorage, DType, Layout, Result, Shape};

use super::{Checked, Compute, Element, Lend, LendMut, all, failed, launch, unsupported};

/// Runs an op on CUDA storage. Returns when the work is queued, in order with candle's earlier and
/// later work.
///
/// # Errors
/// The layouts, shapes or types of the elements do not fit the op; the GPU cannot be opened, or the
/// launch fails.
pub fn on_cuda<const N: usize, O: Compute<N>>(
    op: &O,
    arguments: [(&CudaStorage, &Layout); N],
) -> Result<(CudaStorage, Shape)> {
    let checked = Checked::new(op, arguments.map(|(storage, layout)| (storage.dtype(), layout)))?;
    let storages = arguments.map(|(storage, _)| storage);
    match checked.dtype {
        DType::F32 => run::<N, O, f32>(op, storages, checked),
        DType::F64 => run::<N, O, f64>(op, storages, checked),
        other => Err(unsupported(O::NAME, other)),
    }
}

fn run<const N: usize, O: Compute<N>, T: Element>(
    op: &O,
    storages: [&CudaStorage; N],
    Checked { ranges, shape, .. }: Checked<N>,
) -> Result<(CudaStorage, Shape)> {
    let candle = storages[0].device();
    let mut result = candle.alloc_zeros::<T>(shape.elem_count())?;
    if shape.elem_count() > 0 {
        let whole = all(storages.map(|storage| storage.as_cuda_slice::<T>()))?;
        let parts = from_fn(|k| whole[k].slice(ranges[k].clone()));
        stream_of(&candle.cuda_stream())
            .and_then(|stream| launch(op, &stream, &parts, &mut result, &shape))
            .map_err(|error| failed(O::NAME, error))?;
    }
    Ok((CudaStorage::wrap_cuda_slice(result, candle.clone()), shape))
}

/// Candle's stream, if it has its own, as with `Device::new_cuda_with_stream`. `Device::new_cuda`
/// uses the per-thread default stream, which differs between threads: then the work runs on the
/// device's default stream, and events order it with candle's.
fn stream_of(candle: &Arc<CudaStream>) -> anabranch::Result<Stream> {
    let device = device_of(candle.context())?;
    match device.stream_from_cudarc(candle) {
        Err(anabranch::Error::Foreign { reason: ForeignError::PerThreadStream, .. }) => Ok(device.default_stream()),
        stream => stream,
    }
}

/// The GPU of a context. It stays open, because it holds the compiled kernels.
fn device_of(context: &Arc<CudaContext>) -> anabranch::Result<Device> {
    static OPEN: Mutex<Vec<(usize, Device)>> = Mutex::new(Vec::new());
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, device)) = open.iter().find(|(ordinal, _)| *ordinal == context.ordinal()) {
        return Ok(device.clone());
    }
    let device = Device::from_cudarc(context)?;
    open.push((context.ordinal(), device.clone()));
    Ok(device)
}

impl<T: Element> Lend<T> for CudaView<'_, T> {
    fn lend<R>(
        &self,
        device: &Device,
        work: impl FnOnce(&Slice<'_, T>) -> anabranch::Result<R>,
    ) -> anabranch::Result<R> {
        cudarc::lend(device, self, work)
    }
}

impl<T: Element> LendMut<T> for CudaSlice<T> {
    fn lend_mut<R>(
        &mut self,
        device: &Device,
        work: impl FnOnce(&mut SliceMut<'_, T>) -> anabranch::Result<R>,
    ) -> anabranch::Result<R> {
        cudarc::lend_mut(device, self, work)
    }
}
