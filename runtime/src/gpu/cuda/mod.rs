//! CUDA: the driver's library and NVRTC. Only this folder knows either.
//!
//! | file | what it knows |
//! |---|---|
//! | `library` | where the driver's library is, and its functions |
//! | `driver` | CUDA as a [`Driver`](super::driver::Driver) |
//! | `search`, `nvrtc` | where the compiler is, and NVRTC as a [`Compiler`](super::compiler::Compiler) |
//! | `offline` | the compiler for tests that have no device |

mod driver;
mod library;
mod nvrtc;
pub(crate) mod offline;
mod search;

pub(crate) use driver::CUDA;
