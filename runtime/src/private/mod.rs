//! What the macros' output uses. Not part of the public interface: anything here may change in any version.

pub mod args;
pub mod atomics;
pub mod cost;
pub mod ctx;
pub mod describe;
pub mod dims;
pub mod facts;
pub mod kernel;
pub mod nvrtc;
pub mod ops;
pub mod params;
pub mod places;
pub mod slots;
pub mod views;

pub use crate::atomic::Atomic;
pub use args::{HostValue, OtherHostValue, Travels, answered_for, number};
pub use atomics::{AtomicBits, AtomicOps, relaxed};
pub use cost::Cost;
pub use ctx::{Call, Ty};
pub use dims::ParRange;
pub use kernel::{
    BinOp, Capture, CaptureKind, Check, DeviceFunction, Instance, Kernel, Loop, Piece, PlanGroup, PlanNode, Site, UnOp,
    Variant,
};
pub use nvrtc::{nvrtc_compile, nvrtc_found};
pub use ops::*;
pub use places::{
    At, AtSlice, array, at, at_slice, element, element_mut, element_mut_decided, panic, part, part_mut, past, step,
    update,
};
pub use slots::{
    Callable, Callee, ConstantSlot, DeviceFn, Named, NotADeviceFunction, Slots, callee, constant_slot, depth_of, named,
    same, slot, slots_of, typed,
};
pub use views::{
    Decided, View, ViewMut, raw_atomic, raw_mut, raw_ref, read, root, root_atomic, root_mut, shape, write,
};

use std::cell::Cell;

use crate::device::{Backend, Device};
use crate::error::Result;
use crate::plan::Plan;

/// `kernel::cuda_source()`.
pub fn cuda_source(instance: Instance) -> String {
    crate::source::program(instance, VARIANT.get()).text
}

/// What a `kernel::cuda_source` returns, as another of the programs: for tests, to which all are as important.
pub fn as_variant(variant: Variant, cuda_source: fn() -> String) -> String {
    VARIANT.set(variant);
    let source = cuda_source();
    VARIANT.set(Variant::Decided);
    source
}

thread_local! {
    /// What [`cuda_source`] returns.
    static VARIANT: Cell<Variant> = const { Cell::new(Variant::Decided) };
}

/// `kernel::plan()`.
pub fn plan(kernel: &'static Kernel) -> Plan {
    Plan::new(kernel)
}

/// `kernel::prepare(&device)`.
///
/// # Errors
/// The kernel does not compile for the device, or cannot be loaded. On the CPU there is nothing to do.
pub fn prepare(instance: Instance, device: &Device) -> Result<()> {
    match device.backend() {
        Backend::Cpu(_) => Ok(()),
        Backend::Cuda { cuda, .. } => cuda.prepare(instance),
    }
}
