//! From candle's storage to the arguments of a kernel, without a copy.
//!
//! An op implements [`Compute`]. Its `cpu_fwd` calls [`on_cpu`], and its `cuda_fwd` calls
//! `on_cuda`. Both lend the elements of the arguments and of the result to [`Compute::launch`]:
//! `Device::lend` on the CPU, `anabranch::cudarc::lend` on a GPU.

mod cpu;
#[cfg(feature = "cuda")]
mod cuda;

use std::ops::Range;

#[cfg(feature = "cuda")]
use anabranch::cudarc::driver::{DeviceRepr, ValidAsZeroBits};
use anabranch::{Float, Slice, SliceMut, Stream};
#[cfg(feature = "cuda")]
use candle_core::cuda_backend::CudaDType;
use candle_core::{DType, Error, Layout, Result, Shape, WithDType};

pub use cpu::on_cpu;
#[cfg(feature = "cuda")]
pub use cuda::on_cuda;

/// The types of elements that the ops take: `f32` and `f64`.
#[cfg(not(feature = "cuda"))]
pub trait Element: WithDType + Float {}

/// The types of elements that the ops take: `f32` and `f64`.
#[cfg(feature = "cuda")]
pub trait Element: WithDType + Float + CudaDType + DeviceRepr + ValidAsZeroBits {}

impl Element for f32 {}
impl Element for f64 {}

/// The computation of an op: one tensor from `N` others, all contiguous and with the same element
/// type.
pub trait Compute<const N: usize> {
    /// The name of the op, for messages.
    const NAME: &'static str;

    /// Returns the shape of the result.
    ///
    /// # Errors
    /// The op cannot take arguments of these shapes.
    fn shape(&self, arguments: [&Shape; N]) -> Result<Shape>;

    /// Launches the kernel. `shape` is the shape of the result, which is not empty and contains
    /// zeros.
    ///
    /// # Errors
    /// Those of the launch.
    fn launch<T: Element>(
        &self,
        stream: &Stream,
        arguments: [Slice<'_, T>; N],
        result: &mut SliceMut<'_, T>,
        shape: &Shape,
    ) -> anabranch::Result<()>;
}

/// Returns the common shape of all arguments.
///
/// # Errors
/// The shapes differ.
pub fn same_shape<const N: usize>(op: &'static str, shapes: [&Shape; N]) -> Result<Shape> {
    for other in shapes {
        if other != shapes[0] {
            return Err(Error::ShapeMismatchBinaryOp { lhs: shapes[0].clone(), rhs: other.clone(), op }.bt());
        }
    }
    Ok(shapes[0].clone())
}

/// The common properties of the arguments, and the locations of their elements.
struct Checked<const N: usize> {
    dtype: DType,
    ranges: [Range<usize>; N],
    shape: Shape,
}

impl<const N: usize> Checked<N> {
    fn new<O: Compute<N>>(op: &O, arguments: [(DType, &Layout); N]) -> Result<Self> {
        let dtype = arguments[0].0;
        for (other, _) in arguments {
            if other != dtype {
                return Err(Error::DTypeMismatchBinaryOp { lhs: dtype, rhs: other, op: O::NAME }.bt());
            }
        }
        let shape = op.shape(arguments.map(|(_, layout)| layout.shape()))?;
        let ranges = all(arguments.map(|(_, layout)| match layout.contiguous_offsets() {
            Some((start, end)) => Ok(start..end),
            None => Err(Error::RequiresContiguous { op: O::NAME }.bt()),
        }))?;
        Ok(Self { dtype, ranges, shape })
    }
}

/// Returns all values, or the first error.
fn all<V, const N: usize>(results: [Result<V>; N]) -> Result<[V; N]> {
    let values: Vec<V> = results.into_iter().collect::<Result<_>>()?;
    values.try_into().map_err(|_| Error::msg("as many values as results"))
}

fn unsupported(op: &'static str, dtype: DType) -> Error {
    Error::UnsupportedDTypeForOp(dtype, op).bt()
}

fn failed(op: &'static str, error: anabranch::Error) -> Error {
    Error::msg(format_args!("{op}: {error}"))
}

/// Memory of candle that can be lent for reading.
trait Lend<T> {
    fn lend<R>(
        &self,
        device: &anabranch::Device,
        work: impl FnOnce(&Slice<'_, T>) -> anabranch::Result<R>,
    ) -> anabranch::Result<R>;
}

/// Memory of candle that can be lent for writing.
trait LendMut<T> {
    fn lend_mut<R>(
        &mut self,
        device: &anabranch::Device,
        work: impl FnOnce(&mut SliceMut<'_, T>) -> anabranch::Result<R>,
    ) -> anabranch::Result<R>;
}

/// Lends all arguments and the result, and launches.
fn launch<const N: usize, O: Compute<N>, T: Element>(
    op: &O,
    stream: &Stream,
    arguments: &[impl Lend<T>; N],
    result: &mut impl LendMut<T>,
    shape: &Shape,
) -> anabranch::Result<()> {
    let device = stream.device();
    arguments[0].lend(device, |first| {
        lend_from(1, device, arguments, [*first; N], |arguments| {
            result.lend_mut(device, |result| op.launch(stream, arguments, result, shape))
        })
    })
}

/// Lends the arguments from number `k` on. The earlier ones are in `lent`.
fn lend_from<T: Element, R, const N: usize>(
    k: usize,
    device: &anabranch::Device,
    arguments: &[impl Lend<T>; N],
    lent: [Slice<'_, T>; N],
    work: impl FnOnce([Slice<'_, T>; N]) -> anabranch::Result<R>,
) -> anabranch::Result<R> {
    match arguments.get(k) {
        Some(argument) => argument.lend(device, |slice| {
            let mut lent = lent;
            lent[k] = *slice;
            lend_from(k + 1, device, arguments, lent, work)
        }),
        None => work(lent),
    }
}
