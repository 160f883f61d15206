//! Memory and streams of other libraries.
//!
//! | file | contents |
//! |---|---|
//! | `owner` | what keeps foreign memory alive, and how it goes |
//! | `raw` | buffers of raw pointers |
//! | `lend` | host memory that is lent to launches on the CPU |
//! | `cudarc` | devices, streams and memory of the crate cudarc |
//! | `ndarray` | arrays of the crate ndarray |
//! | `dlpack` | tensors of all who speak DLPack |
//! | `error` | why something foreign is refused, and the error that gives it back |
//!
//! Foreign memory comes in two ways. A buffer *adopts* it: the buffer has an owner, which is dropped after the last use. Or somebody *lends* it
//! for the time of a closure: then nothing that outlives the closure may use it, so graphs refuse it. A guard in place of the closure would be
//! unsound, because safe code can forget a guard.

#[cfg(feature = "cudarc")]
pub mod cudarc;
#[cfg(feature = "dlpack")]
pub mod dlpack;
mod error;
mod lend;
#[cfg(feature = "ndarray")]
pub mod ndarray;
mod owner;
mod raw;

pub use error::{ForeignError, Refused};
pub(crate) use owner::{Origin, Owner};
pub(crate) use raw::check_stream;
