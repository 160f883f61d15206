//! The gated unit SwiGLU: `gate * sigmoid(gate) * up`, as in the feed-forward layers of many
//! language models.

use anabranch::{Slice, SliceMut, Stream};
#[cfg(feature = "cuda")]
use candle_core::CudaStorage;
use candle_core::{CpuStorage, CustomOp2, CustomOp3, Layout, Result, Shape, Tensor};

use crate::kernels;
#[cfg(feature = "cuda")]
use crate::storage::on_cuda;
use crate::storage::{Compute, Element, on_cpu, same_shape};

/// Returns `gate * sigmoid(gate) * up`, element by element. The tensors have the same shape, and
/// any layout; those that are not contiguous are copied.
///
/// # Errors
/// The shapes or the types of the elements differ, or the elements are neither `f32` nor `f64`; or
/// the device fails.
pub fn swiglu(gate: &Tensor, up: &Tensor) -> Result<Tensor> {
    gate.contiguous()?.apply_op2(&up.contiguous()?, SwiGlu)
}

/// [`swiglu`] for `Tensor::apply_op2`. The tensors must be contiguous.
#[derive(Debug, Clone, Copy)]
pub struct SwiGlu;

impl Compute<2> for SwiGlu {
    const NAME: &'static str = "anabranch::swiglu";

    fn shape(&self, shapes: [&Shape; 2]) -> Result<Shape> {
        same_shape(Self::NAME, shapes)
    }

    fn launch<T: Element>(
        &self,
        stream: &Stream,
        [gate, up]: [Slice<'_, T>; 2],
        y: &mut SliceMut<'_, T>,
        _shape: &Shape,
    ) -> anabranch::Result<()> {
        kernels::swiglu(stream, &gate, &up, y)
    }
}

impl CustomOp2 for SwiGlu {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn cpu_fwd(&self, gate: &CpuStorage, lg: &Layout, up: &CpuStorage, lu: &Layout) -> Result<(CpuStorage, Shape)> {
        on_cpu(self, [(gate, lg), (up, lu)])
    }

    #[cfg(feature = "cuda")]
    fn cuda_fwd(&self, gate: &CudaStorage, lg: &Layout, up: &CudaStorage, lu: &Layout) -> Result<(CudaStorage, Shape)> {
        on_cuda(self, [(gate, lg), (up, lu)])
    }

    fn bwd(&self, gate: &Tensor, up: &Tensor, _y: &Tensor, dy: &Tensor) -> Result<(Option<Tensor>, Option<Tensor>)> {
        let both = gate.apply_op3_no_bwd(up, &dy.contiguous()?, &SwiGluGradients)?;
        Ok((Some(both.get(0)?), Some(both.get(1)?)))
    }
}

/// Both gradients of [`SwiGlu`], from its arguments and the gradient of its result. An op of candle
/// has one result, so they are the two halves of a tensor with one more dimension.
struct SwiGluGradients;

impl Compute<3> for SwiGluGradients {
    const NAME: &'static str = "anabranch::swiglu_gradients";

    fn shape(&self, shapes: [&Shape; 3]) -> Result<Shape> {
        let shape = same_shape(Self::NAME, shapes)?;
        Ok([&[2], shape.dims()].concat().into())
    }

    fn launch<T: Element>(
        &self,
        stream: &Stream,
        [gate, up, dy]: [Slice<'_, T>; 3],
        both: &mut SliceMut<'_, T>,
        _shape: &Shape,
    ) -> anabranch::Result<()> {
        kernels::swiglu_gradients(stream, &gate, &up, &dy, both)
    }
}

impl CustomOp3 for SwiGluGradients {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn cpu_fwd(
        &self,
        gate: &CpuStorage,
        lg: &Layout,
        up: &CpuStorage,
        lu: &Layout,
        dy: &CpuStorage,
        ldy: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        on_cpu(self, [(gate, lg), (up, lu), (dy, ldy)])
    }

    #[cfg(feature = "cuda")]
    fn cuda_fwd(
        &self,
        gate: &CudaStorage,
        lg: &Layout,
        up: &CudaStorage,
        lu: &Layout,
        dy: &CudaStorage,
        ldy: &Layout,
    ) -> Result<(CudaStorage, Shape)> {
        on_cuda(self, [(gate, lg), (up, lu), (dy, ldy)])
    }
}
