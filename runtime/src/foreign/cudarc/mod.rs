//! Devices, streams and memory of the crate [`cudarc`](https://docs.rs/cudarc), without copies.
//! This is the feature `cudarc`.
//!
//! | from cudarc | to cudarc |
//! |---|---|
//! | [`Device::from_cudarc`] | [`Device::cudarc`] |
//! | [`Device::stream_from_cudarc`] | [`Stream::to_cudarc`] |
//! | [`lend`], [`lend_mut`]: a `CudaSlice` or a view of one, for the time of a closure | [`Buffer::with_cudarc`], [`Buffer::with_cudarc_mut`]: a buffer, for the time of a closure |
//! | [`Buffer::from_cudarc`]: a `CudaSlice` for good | [`Buffer::into_cudarc`]: gives it back |
//!
//! [`driver`] is cudarc's own module, in the version that anabranch uses.
//!
//! # What is ordered
//!
//! The *home* of a `CudaSlice` is the stream that it was made with. What cudarc has done with a
//! slice on its home comes before what launches do with it, and what launches have done with it
//! comes before what cudarc does later on the home. The host does not wait for either.
//!
//! Work on other streams is ordered as far as cudarc orders it by itself: its slices have one event
//! for writes and one for reads, and only while the context has streams of
//! `CudaContext::new_stream` or `CudaStream::fork`. Two readers on two streams are more than it
//! remembers, and it never tracks the per-thread default stream. Join such streams with the home
//! (`home.join(&other)`) before you pass a slice on, as for cudarc alone. For buffers of anabranch,
//! the `unsafe` of [`Buffer::with_cudarc`] promises that.
//!
//! # Errors
//!
//! cudarc keeps the errors of its destructors and waits in the context, for its next call. The
//! calls here ask for them before and after what they do. If an order could not be made, they wait
//! for the device and return the error.
//!
//! None of them waits for launches. So they do not tell that a check in device code has failed, and
//! what cudarc then reads is not complete. Call [`Device::synchronize`] before you trust the
//! elements.
//!
//! ```no_run
//! use anabranch::cudarc::driver::CudaContext;
//! use anabranch::cudarc::lend_mut;
//! use anabranch::prelude::*;
//!
//! #[kernel]
//! fn double(x: &mut [f32]) {
//!     for i in par(0..x.len()) { x[i] *= 2.0; }
//! }
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let context = CudaContext::new(0)?;
//!     let home = context.new_stream()?;
//!     let mut x = home.clone_htod(&[1.0f32; 1000])?;
//!
//!     let device = Device::from_cudarc(&context)?;
//!     lend_mut(&device, &mut x, |x| double(&device.default_stream(), x))?;
//!     assert_eq!(home.clone_dtoh(&x)?, [2.0f32; 1000]);
//!     Ok(())
//! }
//! ```

mod buffer;
mod device;
mod lend;

/// The module `driver` of the crate cudarc.
pub use ::cudarc::driver;
pub use lend::{Lend, LendMut, lend, lend_mut};

use std::ffi::c_void;
use std::sync::Arc;

use ::cudarc::driver::{CudaContext, CudaStream, DriverError};

use crate::device::Device;
use crate::error::{Error, ForeignError, Result};
use crate::gpu::{Gpu, Home};

#[cfg(doc)]
use crate::{Buffer, Stream};

/// The GPU of a device, which must be that of a context.
fn gpu_of<'d>(device: &'d Device, call: &'static str, context: &CudaContext) -> Result<&'d Arc<Gpu>> {
    let refuse = |reason| Error::foreign(call, format!("a context of CUDA device {}", context.ordinal()), reason);
    let raw: *mut c_void = context.cu_ctx().cast();
    match device.cuda_gpu() {
        Some(gpu) if gpu.has_context(raw) => Ok(gpu),
        Some(gpu) if gpu.ordinal() == context.ordinal() => Err(refuse(ForeignError::NotPrimary)),
        _ => Err(refuse(ForeignError::OfOtherDevice { expected: device.to_string() })),
    }
}

/// A stream of cudarc, for the time of a call.
fn home_of(stream: &CudaStream) -> Home {
    // SAFETY: the callers have compared the context of the stream with that of their device, and
    // hold the stream.
    unsafe { Home::new(stream.cu_stream().cast()) }
}

/// Fails with the error that the context of a stream keeps, and while another library captures the
/// stream.
fn check_home(gpu: &Gpu, home: &CudaStream) -> Result<()> {
    check(gpu, home.context())?;
    gpu.refuse_captured(home_of(home))
}

/// Fails with the error that a context keeps.
fn check(gpu: &Gpu, context: &CudaContext) -> Result<()> {
    context.check_err().map_err(|error| error_of(gpu, error))
}

fn error_of(gpu: &Gpu, error: DriverError) -> Error {
    gpu.error_of("a call of cudarc", error.0 as u32)
}
