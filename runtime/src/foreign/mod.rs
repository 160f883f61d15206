//! Memory and streams of other libraries.
//!
//! | file | contents |
//! |---|---|
//! | `raw` | buffers of raw pointers |
//! | `lend` | host memory that is lent to launches on the CPU |
//! | `cudarc` | devices, streams and memory of the crate cudarc |
//! | `ndarray` | arrays of the crate ndarray |
//! | `dlpack` | tensors of all who speak DLPack |
//!
//! Foreign memory comes in two ways. A buffer *adopts* it: the buffer has an owner, which is
//! dropped after the last use. Or somebody *lends* it for the time of a closure: then nothing that
//! outlives the closure may use it, so graphs refuse it. A guard in place of the closure would be
//! unsound, because safe code can forget a guard.

#![allow(unsafe_code, reason = "memory and streams of other libraries")]

#[cfg(feature = "cudarc")]
pub mod cudarc;
#[cfg(feature = "dlpack")]
pub mod dlpack;
mod lend;
#[cfg(feature = "ndarray")]
pub mod ndarray;
mod raw;
