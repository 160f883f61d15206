//! Softmax over the last dimension.

use anabranch::{Slice, SliceMut, Stream};
#[cfg(feature = "cuda")]
use candle_core::CudaStorage;
use candle_core::{CpuStorage, CustomOp1, CustomOp2, Error, Layout, Result, Shape, Tensor};

use crate::kernels;
#[cfg(feature = "cuda")]
use crate::storage::on_cuda;
use crate::storage::{Compute, Element, on_cpu, same_shape};

/// Returns the softmax of `x` over the last dimension. `x` may have any layout; if it is not
/// contiguous, it is copied.
///
/// # Errors
/// `x` has no dimension, or elements other than `f32` and `f64`; or the device fails.
pub fn softmax(x: &Tensor) -> Result<Tensor> {
    x.contiguous()?.apply_op1(Softmax)
}

/// Softmax over the last dimension, for `Tensor::apply_op1`. The tensor must be contiguous.
#[derive(Debug, Clone, Copy)]
pub struct Softmax;

impl Compute<1> for Softmax {
    const NAME: &'static str = "anabranch::softmax";

    fn shape(&self, [x]: [&Shape; 1]) -> Result<Shape> {
        match columns(x) {
            Some(_) => Ok(x.clone()),
            None => Err(Error::UnexpectedNumberOfDims { expected: 1, got: 0, shape: x.clone() }.bt()),
        }
    }

    fn launch<T: Element>(
        &self,
        stream: &Stream,
        [x]: [Slice<'_, T>; 1],
        y: &mut SliceMut<'_, T>,
        shape: &Shape,
    ) -> anabranch::Result<()> {
        kernels::softmax(stream, &x, y, columns(shape).unwrap_or(1))
    }
}

impl CustomOp1 for Softmax {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn cpu_fwd(&self, x: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        on_cpu(self, [(x, layout)])
    }

    #[cfg(feature = "cuda")]
    fn cuda_fwd(&self, x: &CudaStorage, layout: &Layout) -> Result<(CudaStorage, Shape)> {
        on_cuda(self, [(x, layout)])
    }

    fn bwd(&self, _x: &Tensor, y: &Tensor, dy: &Tensor) -> Result<Option<Tensor>> {
        y.apply_op2_no_bwd(&dy.contiguous()?, &SoftmaxGradient).map(Some)
    }
}

/// From the result of [`Softmax`] and the gradient of the result to that of the argument.
struct SoftmaxGradient;

impl Compute<2> for SoftmaxGradient {
    const NAME: &'static str = "anabranch::softmax_gradient";

    fn shape(&self, shapes: [&Shape; 2]) -> Result<Shape> {
        same_shape(Self::NAME, shapes)
    }

    fn launch<T: Element>(
        &self,
        stream: &Stream,
        [y, dy]: [Slice<'_, T>; 2],
        dx: &mut SliceMut<'_, T>,
        shape: &Shape,
    ) -> anabranch::Result<()> {
        kernels::softmax_gradient(stream, &y, &dy, dx, columns(shape).unwrap_or(1))
    }
}

impl CustomOp2 for SoftmaxGradient {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn cpu_fwd(&self, y: &CpuStorage, ly: &Layout, dy: &CpuStorage, ldy: &Layout) -> Result<(CpuStorage, Shape)> {
        on_cpu(self, [(y, ly), (dy, ldy)])
    }

    #[cfg(feature = "cuda")]
    fn cuda_fwd(&self, y: &CudaStorage, ly: &Layout, dy: &CudaStorage, ldy: &Layout) -> Result<(CudaStorage, Shape)> {
        on_cuda(self, [(y, ly), (dy, ldy)])
    }
}

/// The number of elements in the last dimension, if there is one.
fn columns(shape: &Shape) -> Option<usize> {
    shape.dims().last().copied()
}
