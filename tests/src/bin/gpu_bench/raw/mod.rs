//! The CUDA driver as hand-written host code calls it: the peer for launches, forks and joins.
//!
//! Calls go through `cudarc`'s loader, like those of the library. Each handle is created here and
//! owned by one value, which also keeps the context alive and destroys the handle on drop. All of
//! them stay on the thread that opened the context, where it is current. Device addresses are
//! checked by the GPU, so a wrong one is a device error and never undefined behaviour of this
//! process.

mod graph;
mod kernel;
mod memory;
mod stream;

use std::fmt;
use std::ptr;
use std::rc::Rc;

use cudarc::driver::sys;

pub(crate) use graph::Graph;
pub(crate) use kernel::{Argument, Launch, Module};
pub(crate) use memory::{Element, Memory};
pub(crate) use stream::{Event, Stream};

/// A driver call that did not succeed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Failure {
    call: &'static str,
    code: u32,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} failed with error {}", self.call, self.code)
    }
}

impl std::error::Error for Failure {}

pub(crate) type Result<T> = std::result::Result<T, Failure>;

/// Calls a driver function and turns its result into a [`Failure`].
macro_rules! call {
    ($function:ident($($argument:expr),* $(,)?)) => {{
        // SAFETY: out-pointers point to live locals, or to memory of the length that is passed
        // beside them; handles are live by the rule at the top of `raw/mod.rs`. The call checks the
        // rest.
        let code = unsafe { cudarc::driver::sys::$function($($argument),*) } as u32;
        if code == 0 { Ok(()) } else { Err($crate::raw::Failure { call: stringify!($function), code }) }
    }};
}
use call;

/// Reads which context is current, for the cost of the call.
pub(crate) fn read_current() -> Result<()> {
    let mut current = ptr::null_mut();
    call!(cuCtxGetCurrent(&mut current))
}

/// The primary context of a device, current on the thread that opened it.
#[derive(Debug)]
pub(crate) struct Context {
    device: i32,
}

impl Context {
    /// Opens the context of the device with this number, from 0. The device must exist.
    pub(crate) fn open(ordinal: i32) -> Result<Rc<Self>> {
        call!(cuInit(0))?;
        let mut device = 0;
        call!(cuDeviceGet(&mut device, ordinal))?;
        let mut context = ptr::null_mut();
        call!(cuDevicePrimaryCtxRetain(&mut context, device))?;
        let owner = Rc::new(Self { device });
        call!(cuCtxSetCurrent(context))?;
        Ok(owner)
    }

    /// An attribute of the device, or `None` if the driver does not know it.
    pub(crate) fn attribute(&self, attribute: sys::CUdevice_attribute) -> Option<u32> {
        let mut value = 0;
        call!(cuDeviceGetAttribute(&mut value, attribute, self.device)).ok()?;
        u32::try_from(value).ok()
    }

    /// 10 × major + minor.
    pub(crate) fn architecture(&self) -> u32 {
        use sys::CUdevice_attribute::*;
        let part = |attribute| self.attribute(attribute).unwrap_or(0);
        10 * part(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) + part(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)
    }

    /// The newest CUDA version that the driver supports.
    pub(crate) fn driver_version(&self) -> Result<(i32, i32)> {
        let mut version = 0;
        call!(cuDriverGetVersion(&mut version))?;
        Ok((version / 1000, version % 1000 / 10))
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        let _ = call!(cuDevicePrimaryCtxRelease_v2(self.device)); // a failure could not be reported
    }
}
