//! Concurrent GPU kernels in Rust.
//!
//! Annotate a function with [`#[kernel]`](macro@kernel): its `par` loops become GPU sub-kernels, and the groups of
//! `stream_parallel!` run at the same time, each on one pooled CUDA stream, forked and joined with events. The same source
//! runs natively on the CPU. That the groups are independent is proved at compile time.
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
//! A program without `unsafe` has no data race and no access out of bounds, whatever its own macros, traits and constants are called: every
//! number that decides about a race or a bound is the one that rustc has resolved, and generated code calls by path.
//!
//! This is promised to programs that do not name `anabranch::private`. That module is hidden, and made for the code that the macros
//! generate. Its functions are not marked `unsafe`, because generated code has no `unsafe` but the user's own; the macros guarantee
//! what they rely on. Code that calls them by hand can break it, also with attribute macros that rewrite generated code.

mod backend;
mod buffer;
mod capture;
mod codegen;
mod copies;
#[doc(hidden)]
mod cpu;
#[doc(hidden)]
mod decide;
mod device;
mod error;
mod event;
mod gpu;
mod graph;
#[doc(hidden)]
mod launch;
#[doc(hidden)]
mod model;
mod order;
mod outside;
mod pinned;
mod plan;
#[doc(hidden)]
pub mod private;
mod slice;
mod stream;
mod value;

pub use buffer::Buffer;
pub use device::{Device, StreamPool};
pub use error::{Error, Result};
pub use event::Event;
pub use gpu::Priority;
pub use gpu::pool::PoolStats;
pub use graph::{Graph, GraphStats};
pub use outside::par;
pub use pinned::{PinnedArg, PinnedBuffer, PinnedMutArg, PinnedSlice, PinnedSliceMut};
pub use plan::{Bounds, Plan, PlanAccess};
pub use slice::{Slice, SliceArg, SliceMut, SliceMutArg};
pub use stream::Stream;
pub use value::DeviceValue;
pub use value::atomic;
pub use value::number::{Float, Int, Num};
pub use value::scalar::Scalar;
#[doc(hidden)]
pub use value::scalar::ScalarType;

#[doc = include_str!("reference/device.md")]
pub use anabranch_macros::device;
#[doc = include_str!("reference/kernel.md")]
pub use anabranch_macros::kernel;

#[doc = include_str!("reference/methods.md")]
pub mod methods {}

/// What nearly every user needs: `use anabranch::prelude::*;`.
pub mod prelude {
    pub use crate::atomic::{AtomicF32, AtomicF64};
    pub use crate::{
        Buffer, Device, Error, Event, Float, Graph, Int, Num, PinnedBuffer, Plan, Priority, Scalar, Slice, SliceMut,
        Stream, device, kernel, par, stream_parallel,
    };
}
