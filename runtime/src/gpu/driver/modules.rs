//! Modules and the launches of their functions.

use std::ffi::{CStr, c_int, c_void};
use std::ptr;

use cudarc::driver::sys;

use super::library::Symbol;
use super::{Failure, RawFunction, RawModule, RawStream, Result};

/// Loads a cubin, or PTX that ends in a zero byte.
pub(in crate::gpu) fn load_module(image: &[u8]) -> Result<RawModule> {
    let mut module = ptr::null_mut();
    call!("cuModuleLoadData", cuModuleLoadData(&mut module, image.as_ptr().cast())).map(|()| RawModule(module))
}

pub(in crate::gpu) fn unload_module(module: RawModule) -> Result<()> {
    call!("cuModuleUnload", cuModuleUnload(module.0))
}

pub(in crate::gpu) fn function(module: RawModule, name: &CStr) -> Result<RawFunction> {
    let mut function = ptr::null_mut();
    call!("cuModuleGetFunction", cuModuleGetFunction(&mut function, module.0, name.as_ptr()))?;
    Ok(RawFunction(function))
}

/// Completes the loading of a function, which the driver may have put off to its first use, and gives the bytes of local memory that each
/// of its threads needs.
pub(in crate::gpu) fn load_function(function: RawFunction) -> Result<usize> {
    type Load = unsafe fn(sys::CUfunction) -> sys::CUresult;
    static LOAD: Symbol = Symbol::new("cuFuncLoad\0");
    // SAFETY: the type is that of CUDA's documentation; the handle is live by the rule of `driver`.
    if let Some(load) = unsafe { LOAD.find::<Load>() } {
        // SAFETY: as above.
        Failure::check("cuFuncLoad", unsafe { load(function.0) })?;
    }
    // Before CUDA 12.4 that function is missing, and whoever asks what a function needs makes the driver load it.
    let mut bytes: c_int = 0;
    let attribute = sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES;
    call!("cuFuncGetAttribute", cuFuncGetAttribute(&mut bytes, attribute, function.0))
        .map(|()| usize::try_from(bytes).unwrap_or(0))
}

/// Queues a grid of blocks.
///
/// # Safety
/// `parameters` holds one pointer for each parameter of `function`, in order, to a readable value of its size.
pub(in crate::gpu) unsafe fn launch(
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
