//! Candle's CPU storage. Its elements are a `Vec`.

use std::array::from_fn;
use std::sync::LazyLock;

use anabranch::{Device, Slice, SliceMut};
use candle_core::backend::BackendStorage;
use candle_core::{CpuStorage, DType, Layout, Result, Shape};

use super::{Checked, Compute, Element, Lend, LendMut, all, failed, launch, unsupported};

/// One device for all ops.
static CPU: LazyLock<Device> = LazyLock::new(Device::cpu);

/// Runs an op on CPU storage, in place. The work is complete when this returns.
///
/// # Errors
/// The layouts, shapes or types of the elements do not fit the op, or the launch fails.
pub fn on_cpu<const N: usize, O: Compute<N>>(
    op: &O,
    arguments: [(&CpuStorage, &Layout); N],
) -> Result<(CpuStorage, Shape)> {
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
    storages: [&CpuStorage; N],
    Checked { ranges, shape, .. }: Checked<N>,
) -> Result<(CpuStorage, Shape)> {
    let mut result = vec![T::default(); shape.elem_count()];
    if !result.is_empty() {
        let whole = all(storages.map(|storage| storage.as_slice::<T>()))?;
        let parts = from_fn(|k| &whole[k][ranges[k].clone()]);
        launch(op, &CPU.default_stream(), &parts, &mut result, &shape).map_err(|error| failed(O::NAME, error))?;
    }
    Ok((T::to_cpu_storage_owned(result), shape))
}

impl<T: Element> Lend<T> for &[T] {
    fn lend<R>(
        &self,
        device: &Device,
        work: impl FnOnce(&Slice<'_, T>) -> anabranch::Result<R>,
    ) -> anabranch::Result<R> {
        device.lend(self, work)
    }
}

impl<T: Element> LendMut<T> for Vec<T> {
    fn lend_mut<R>(
        &mut self,
        device: &Device,
        work: impl FnOnce(&mut SliceMut<'_, T>) -> anabranch::Result<R>,
    ) -> anabranch::Result<R> {
        device.lend_mut(self, work)
    }
}
