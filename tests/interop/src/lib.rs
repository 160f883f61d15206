//! A kernel in a program that uses `cudarc` too.

use anabranch::prelude::*;

/// Doubles every element.
#[kernel]
pub fn double(x: &mut [f32]) {
    for i in par(0..x.len()) {
        x[i] *= 2.0;
    }
}

/// Both on one device.
pub fn both() -> Result<(Device, std::sync::Arc<cudarc::driver::CudaContext>), Box<dyn std::error::Error>> {
    Ok((Device::cuda(0)?, cudarc::driver::CudaContext::new(0)?))
}

/// Both on one device.
#[cfg(feature = "candle")]
pub fn beside_candle() -> Result<(Device, candle_core::Device), Box<dyn std::error::Error>> {
    Ok((Device::cuda(0)?, candle_core::Device::new_cuda(0)?))
}
