//! The GPUs that tests use: AMD's where `ANABRANCH_DEVICE` names one (`hip`, `hip:0`), otherwise
//! NVIDIA's.
#![allow(unreachable_pub, dead_code, reason = "a module of several tests, of which one makes it public")]

use anabranch::prelude::*;

/// Whether they are AMD's.
pub fn on_hip() -> bool {
    std::env::var("ANABRANCH_DEVICE").is_ok_and(|name| name.starts_with("hip"))
}

/// Opens the GPU with this number.
///
/// # Errors
/// Those of [`Device::cuda`] and [`Device::hip`].
pub fn gpu(ordinal: usize) -> anabranch::Result<Device> {
    if on_hip() { Device::hip(ordinal) } else { Device::cuda(ordinal) }
}

/// The number of GPUs.
///
/// # Errors
/// Those of [`Device::cuda_count`] and [`Device::hip_count`].
pub fn gpu_count() -> anabranch::Result<usize> {
    if on_hip() { Device::hip_count() } else { Device::cuda_count() }
}
