//! Modules and the launches of their functions.

use std::ffi::{CStr, c_void};
use std::ptr;

use cudarc::driver::sys;

use super::{Failure, RawFunction, RawModule, RawStream, Result};

/// Loads a cubin, or PTX that ends in a zero byte.
pub(in crate::cuda) fn load_module(image: &[u8]) -> Result<RawModule> {
    let mut module = ptr::null_mut();
    call!("cuModuleLoadData", cuModuleLoadData(&mut module, image.as_ptr().cast())).map(|()| RawModule(module))
}

pub(in crate::cuda) fn unload_module(module: RawModule) -> Result<()> {
    call!("cuModuleUnload", cuModuleUnload(module.0))
}

pub(in crate::cuda) fn function(module: RawModule, name: &CStr) -> Result<RawFunction> {
    let mut function = ptr::null_mut();
    call!("cuModuleGetFunction", cuModuleGetFunction(&mut function, module.0, name.as_ptr()))?;
    Ok(RawFunction(function))
}

/// Queues a grid of blocks.
///
/// # Safety
/// `parameters` holds one pointer for each parameter of `function`, in order, to a readable value of its size.
pub(in crate::cuda) unsafe fn launch(
    function: RawFunction,
    grid: [u32; 3],
    block: [u32; 3],
    stream: RawStream,
    parameters: &mut [*mut c_void],
) -> Result<()> {
    call!(
        "cuLaunchKernel",
        cuLaunchKernel(
            function.0,
            grid[0],
            grid[1],
            grid[2],
            block[0],
            block[1],
            block[2],
            0,
            stream.0,
            parameters.as_mut_ptr(),
            ptr::null_mut(),
        )
    )
}
