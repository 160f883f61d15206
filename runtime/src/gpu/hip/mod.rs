//! HIP: AMD's runtime library and HIPRTC. Only this folder calls them.
//!
//! | file | contents |
//! |---|---|
//! | `library` | the runtime library and its functions |
//! | `driver` | HIP as a [`Driver`](super::driver::Driver) |
//! | `hiprtc` | HIPRTC as a [`Compiler`](super::compiler::Compiler) |
//! | `offline` | HIPRTC for tests without a device |
//!
//! What differs from CUDA, according to the source of AMD's runtime:
//!
//! - `hipEventQuery` and `hipEventSynchronize` read the stream on which the event was recorded,
//!   even if it is destroyed, and `hipStreamDestroy` waits for the stream's work. So [a stream of
//!   this crate](super::context::Context::create_stream) exists as long as the context, and is used
//!   again. A stream of another library may go, so the events that this crate keeps are
//!   [recorded](super::event::EventPool::record) on streams of its own.
//! - `hipStreamQuery`, `hipStreamSynchronize` and `hipEventSynchronize` break a capture that
//!   another library has begun in the global mode, also if they are about another stream, unless
//!   the thread is in the relaxed mode.
//! - A memory pool gives freed memory out too early, so none is
//!   [used](super::driver::Driver::create_pool).
//! - `hipModuleLoadData` makes no copy of an image, so a [module](super::module) keeps it.
//! - There are no contexts. A thread has a current device, at first device 0.
//! - An event that is recorded again in a capture keeps what it has recorded before, if nothing was
//!   captured on its stream yet. That would add an order to the graph that is not needed, so an
//!   event of a pool is recorded once in a capture.
//! - A memory fault of a kernel ends the process. Only `unsafe` code can cause one.
//! - A wave has 32 or 64 threads, and `s_endpgm` ends all of them, so a thread whose check fails
//!   goes on.

#![allow(unsafe_code, reason = "the driver and HIPRTC")]

mod driver;
mod hiprtc;
mod library;
pub(crate) mod offline;

pub(super) use driver::HIP;
