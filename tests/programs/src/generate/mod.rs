//! Programs from seeds.

pub mod accesses;
mod device;
mod features;
mod kernel;

pub use device::{ENVIRONMENT, Env, program};
pub use features::Feature;
pub use kernel::{kernel, numbers};
