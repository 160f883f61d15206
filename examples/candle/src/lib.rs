//! Custom ops of candle that are anabranch kernels. One `#[kernel]` serves candle's CPU and its
//! GPU, forward and backward, on candle's own memory.
//!
//! | file | contents |
//! |---|---|
//! | `kernels` | the kernels, for `f32` and `f64` |
//! | `softmax` | softmax as a `CustomOp1`, with its gradient |
//! | `swiglu` | the gated unit SwiGLU as a `CustomOp2`, with both gradients |
//! | `storage` | passes candle's storage to a kernel without a copy; your own ops can use it unchanged |
//!
//! The feature `cuda` adds `cuda_fwd` to each op.

mod kernels;
mod softmax;
pub mod storage;
mod swiglu;

pub use softmax::{Softmax, softmax};
pub use swiglu::{SwiGlu, swiglu};
