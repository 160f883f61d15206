//! Concurrent GPU kernels in Rust.
//!
//! Annotate a function with [`#[kernel]`](macro@kernel). Each of its `par` loops becomes one GPU
//! kernel. The groups of a `stream_parallel!` run at the same time, each on its own pooled CUDA
//! stream; events fork and join the streams. The compiler proves that the groups are independent.
//! The same source runs natively on the CPU.
//!
//! The [guide](https://github.com/anabranch/anabranch/blob/main/docs/guide/src/SUMMARY.md) is the
//! place to begin. The module [`reference`](mod@reference) describes the language by topic.
//!
//! ```
//! use anabranch::prelude::*;
//!
//! /// Moves particles and cools a field: two independent jobs, then one that needs both.
//! #[kernel]
//! pub fn step(pos: &mut [f32], vel: &mut [f32], heat: &mut [f32], dt: f32) {
//!     let n = pos.len();
//!     stream_parallel! {
//!         'motion: {
//!             for i in par(0..n) { pos[i] += vel[i] * dt; }
//!         }
//!         'heat: {
//!             for i in par(0..heat.len()) { heat[i] *= 0.99; }
//!             for i in par(0..heat.len()) { heat[i] += 0.01; }
//!         }
//!     }
//!     for i in par(0..n) { vel[i] -= 0.1 * heat[i % 16] * dt; }
//! }
//!
//! fn main() -> anabranch::Result<()> {
//!     let device = Device::auto()?;
//!     let stream = device.default_stream();
//!     let mut pos = device.buffer_from(&[0.0f32; 1024])?;
//!     let mut vel = device.buffer_from(&[1.0f32; 1024])?;
//!     let mut heat = device.zeros::<f32>(1024)?;
//!     step(&stream, &mut pos, &mut vel, &mut heat, 0.1)?;
//!     assert_eq!(pos.to_vec()?[..2], [0.1, 0.1]);
//!     Ok(())
//! }
//! ```
//!
//! # Safety
//!
//! A program without `unsafe` has no data races and no out-of-bounds accesses, even if its macros,
//! traits or constants have the same names as those of std or anabranch. Each number that a race or
//! bounds decision uses is the one that rustc has resolved, and generated code calls functions by
//! path.
//!
//! This guarantee holds for programs that do not name `anabranch::private`. That module is hidden
//! and exists for the code that the macros generate. Its functions are not marked `unsafe`, because
//! generated code contains no `unsafe` but the user's own; the macros guarantee what these
//! functions rely on. Code that calls them by hand can break the guarantee, and so can attribute
//! macros that rewrite generated code.

#![deny(unsafe_code)] // a module that has some says why

pub mod algorithms;
mod backend;
mod buffer;
mod capture;
mod closures;
mod codegen;
mod copies;
#[doc(hidden)]
mod cpu;
#[doc(hidden)]
mod device;
mod error;
mod event;
mod foreign;
mod gpu;
mod graph;
#[doc(hidden)]
mod launch;
mod layout;
pub mod library;
mod lock;
#[doc(hidden)]
mod model;
mod order;
mod output;
mod outside;
mod owner;
mod pages;
mod parts;
mod pinned;
mod plan;
mod platform;
#[doc(hidden)]
pub mod private;
pub mod random;
mod reduce;
pub mod reference;
mod settings;
mod slice;
mod stream;
pub mod trace;
mod value;

pub use buffer::Buffer;
pub use closures::DeviceClosure;
pub use cpu::grids::Grid;
pub use device::{Device, MemoryInfo, StreamPool};
pub use error::{Error, ForeignError, Operation, Overlap, Parallel, Refused, Result, TooMany};
pub use event::Event;
#[cfg(feature = "cudarc")]
pub use foreign::cudarc;
#[cfg(feature = "dlpack")]
pub use foreign::dlpack;
#[cfg(feature = "ndarray")]
pub use foreign::ndarray;
pub use gpu::Priority;
pub use gpu::pool::PoolStats;
pub use graph::{Graph, GraphStats};
/// The crate of `f16` and `bf16`, which the feature `half` brings to device code.
#[cfg(feature = "half")]
pub use half;
pub use layout::{ElementIndex, Ranges};
pub use outside::{par, scratch};
pub use pinned::{PinnedArg, PinnedBuffer, PinnedMutArg, PinnedSlice, PinnedSliceMut};
pub use plan::{Bounds, Plan, PlanAccess, ThreadResources};
pub use platform::Platform;
pub use slice::{GridArg, GridMutArg, Slice, SliceArg, SliceMut, SliceMutArg};
pub use stream::Stream;
pub use trace::Trace;
pub use value::atomic;
pub use value::number::{Float, Int, Num};
pub use value::scalar::Scalar;
#[doc(hidden)]
pub use value::scalar::ScalarType;
pub use value::{DeviceCopy, DeviceValue, Zeroed};

/// What `closure!` becomes. rustc names it in errors.
#[doc(hidden)]
pub use anabranch_macros::closure as closure_in_device_code;
#[doc = include_str!("reference/device.md")]
pub use anabranch_macros::device;
#[doc = include_str!("reference/kernel.md")]
pub use anabranch_macros::kernel;

#[doc = include_str!("reference/methods.md")]
pub mod methods {}

#[doc = include_str!("reference/buffers.md")]
pub mod buffers {}

/// The items that most programs need: `use anabranch::prelude::*;`.
pub mod prelude {
    pub use crate::atomic::{AtomicF32, AtomicF64};
    pub use crate::{
        Buffer, Device, DeviceCopy, DeviceValue, Error, Event, Float, Graph, Grid, Int, Num, PinnedBuffer, Plan,
        Priority, Scalar, Slice, SliceMut, Stream, Zeroed, closure, device, kernel, par, scratch, stream_parallel,
    };
}
