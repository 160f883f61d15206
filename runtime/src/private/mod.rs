//! What the macros' output uses. Not part of the public interface: anything here may change in any version.

pub mod cost;
pub mod describe;
pub mod kernel;
