//! CUDA: the driver's library and NVRTC. Only this folder calls them.
//!
//! | file | contents |
//! |---|---|
//! | `library` | the driver's library and its functions |
//! | `driver` | the CUDA driver as a [`Driver`](super::driver::Driver) |
//! | `search`, `nvrtc` | the search for NVRTC, and NVRTC as a [`Compiler`](super::compiler::Compiler) |
//! | `offline` | the compiler for tests that have no device |

#![allow(unsafe_code, reason = "the driver and NVRTC")]

mod driver;
mod library;
mod nvrtc;
pub(crate) mod offline;
mod search;

pub(crate) use driver::CUDA;
#[cfg(feature = "cudarc")]
pub(crate) use driver::failure;
