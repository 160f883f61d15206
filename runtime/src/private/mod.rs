//! What the macros' output uses. Not part of the public interface: anything here may change in any version, and only the macros
//! guarantee what its safe functions rely on (see the documentation of the crate).

pub mod admitted;
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
pub mod rust;
pub mod slots;
pub mod views;

pub use crate::atomic::Atomic;
pub use admitted::{named, to_device};
pub use args::answered_for;
pub use atomics::{AtomicBits, AtomicOps, relaxed};
pub use cost::Cost;
pub use ctx::{Call, Ctx, Fork, Ty};
pub use dims::{cols, decided, dim, dim_inclusive, nth, outer, rows, stepped, trips_of};
pub use kernel::{
    BinOp, Binary, Capture, CaptureKind, Check, DeviceFunction, Instance, Kernel, Loop, Node, PlanGroup, PlanNode,
    Site, Template, UnOp,
};
pub use nvrtc::{nvrtc_compile, nvrtc_found, nvrtc_knows, nvrtc_ptx};
pub use ops::*;
pub use places::{
    At, AtSlice, array, at, at_slice, cell, element, element_mut, load, panic, part, part_mut, past, rev, step_by,
    update, view_part, view_part_mut, whole, whole_atomic, whole_mut,
};
pub use slots::{
    Callable, Callee, ConstantSlot, DeviceFn, NotADeviceFunction, Slots, callee, constant, constant_slot, depth_of,
    end, given, int, negative_int, same, slot, slots_of, typed,
};
pub use views::{
    Decided, Launching, Length, View, ViewMut, is_empty, len, raw_atomic, raw_mut, raw_ref, read, root, root_atomic,
    root_mut, shape, write,
};

use crate::device::{Backend, Device};
use crate::error::Result;
use crate::plan::Plan;

/// `kernel::cuda_source()`.
pub fn cuda_source(instance: Instance) -> String {
    crate::source::all(instance)
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
