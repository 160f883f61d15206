//! The items that generated code uses. They are not part of the public interface: anything here may
//! change in any version, and only the macros guarantee what its safe functions rely on (see the
//! documentation of the crate).

pub use anabranch_macros::DeviceType;

use crate::device::Device;
use crate::error::Result;
use crate::model::description::{Description, Instance};
use crate::plan::Plan;

/// Operators, methods and other operations of device code.
pub mod op {
    pub use crate::cpu::atomics::{AtomicBits, AtomicOps, relaxed};
    pub use crate::cpu::block_atomics::NoAtomic;
    pub use crate::cpu::format::{panic_with, print};
    pub use crate::cpu::loops::NoLoop;
    pub use crate::cpu::ops::*;
    pub use crate::cpu::places::{panic, rev, step_by};
    pub use crate::value::atomic::Atomic;
}

/// What all threads of a block compute together.
pub mod collective {
    pub use crate::cpu::collectives::{
        all, any, broadcast, count, exclusive_sum, inclusive_sum, max, min, phase_and_exclusive_sum,
        phase_and_inclusive_sum, product, sum,
    };
}

/// What the threads of each warp of a block compute together.
pub mod warps {
    pub use crate::cpu::warps::{
        all, any, ballot, count, exclusive_sum, inclusive_sum, matching, max, min, product, shuffle, sum,
    };
}

/// Closures that kernels call.
pub mod closure {
    pub use crate::closures::{DeviceClosure, Source, Wrong, closure};
}

/// Variables of blocks of threads.
pub mod block {
    pub use crate::cpu::block_atomics::{
        BlockBits, BlockOps, atomic, atomic_element, atomics, first, made, same_cells,
    };
    pub use crate::cpu::blocks::{Empty, count, each, nth, rounds, shared};
}

/// Iterations in lock step.
pub mod lanes {
    pub use crate::cpu::lanes::{
        ALL, Mask, WIDTH, any, apart, ascends, before, call, called, clear, constant_again, constant_place_again,
        divides, get, hold, in_order, lanes, made_again, mask, own, own_of, proved, put, put_if, select, split, window,
        within,
    };
}

/// Reductions and scans of host parts.
pub mod reduce {
    pub use crate::launch::scratch::{Scratch, Statement};
    pub use crate::reduce::*;
}

/// Views of buffers, in the host part and in device code, and their elements.
pub mod view {
    pub use crate::cpu::grids::{GridType, at_grid, grid, grid_atomic, grid_mut, grid_shape, in_grid, indexes};
    pub use crate::cpu::instructions::{by_verdict, by_verdict_wide};
    pub use crate::cpu::loops::{along, throughout};
    pub use crate::cpu::places::{
        At, AtSlice, array, at, at_slice, cell, element, element_mut, elements, elements_mut, index, load, part,
        part_mut, past, same_elements, update, view_part, view_part_mut, whole, whole_atomic, whole_mut,
    };
    pub use crate::cpu::views::{Length, is_empty, len};
    pub use crate::launch::lent::{
        Lent, LentAtomic, LentMut, LentRead, LentWrite, Whole, fork_mut, lend, lend_mut, lend_part, lend_part_mut,
    };
    pub use crate::launch::views::{
        Launching, View, ViewMut, extent, raw_atomic, raw_mut, raw_mut_of, raw_ref, raw_ref_of, read, reborrow, root,
        root_atomic, root_mut, shape, share, stride, write,
    };
    pub use crate::model::args::assume_disjoint;
    pub use crate::model::judge::Decided;
    pub use crate::model::ranges::decided;
}

/// Structs of slices.
pub mod slices {
    pub use crate::launch::slices::{
        Atomics, IsValue, IsView, LentSlices, Slices, SlicesArg, Uses, must_be_slices, taken, taken_value, uses, value,
    };
    pub use crate::slice::{Slice, SliceMut};
}

/// The types, constants and functions that rustc infers.
pub mod slot {
    pub use crate::model::slots::{
        AKernel, AtomicSlot, Callable, CallableKernel, Callee, ConstantSlot, CudaAtomic, CudaBarrier, CudaIndex,
        CudaWarp, DeviceFn, FormatSlot, NotADeviceFunction, Slots, TypeOf, VariantSlot, atomic_slot, callee, constant,
        constant_place, constant_slot, depth_of, end, find, format_slot, given, int, is_no_number, made, matched,
        named_at, needs_of, negative_int, of_trait, part, room_of, same, same_constant, slot, slots_of, told, total_of,
        typed, variant, variant_slot, written,
    };
    pub use crate::value::admitted::{built_in, named, parameter, to_device};
}

/// What a struct or enum is, as constant data.
pub mod types {
    pub use crate::value::admitted::{ConstantValue, HostValue};
    pub use crate::value::enums::{CanBeZero, HasZero, c_offset_in, order_of_tags, put_tag, variant_at};
    pub use crate::value::scalar::ScalarType;
    pub use crate::value::types::{FieldType, IsField, WithoutDeref, c_offset, must_be_copy, must_be_value};
    pub use crate::value::{Derived, DeviceType, EnumType, Field, StructType, Variant};
    pub use anabranch_core::facts::Part;
    pub use std::cmp::Ordering;
    pub use std::marker::Copy;
    pub use std::mem::{align_of, offset_of, size_of};
    pub use std::primitive::{i128, u32, u128};
}

/// What a kernel is, as constant data.
pub mod data {
    pub use crate::model::cost::Cost;
    pub use crate::model::description::{Instance, SlotValue};
    pub use crate::model::function::{DeviceFunction, TraitFunction, TraitFunctions, TraitSource};
    pub use crate::model::infallible::Infallible;
    pub use crate::model::judge::Judge;
    pub use crate::model::kernel::{
        Blocks, Capture, CaptureKind, Check, Conditions, Fused, Groups, Kernel, Loop, LoopRange, Number, PlanGroup,
        PlanNode, Receiver, Site, Step,
    };
}

/// The launch of a kernel: its host part, its groups, and the ranges of its loops.
pub mod launch {
    pub use crate::cpu::work::Measured;
    pub use crate::launch::called::{Called, CalledKernel, IsKernel, Nested, NotAKernel, called};
    pub use crate::launch::host::{Call, Ctx, Fork, Ty};
    pub use crate::launch::library::{Returned, input, outcome, output, shared, value};
    pub use crate::launch::refusal::at_caller;
    pub use crate::model::args::*;
    pub use crate::model::params::*;
    pub use crate::model::ranges::{cols, dim, dim_inclusive, nth, outer, rows, stepped, trips_of};
}

/// The compiler, and a kernel that no user calls, for tests that have no device.
pub mod offline {
    use crate::model::description::Instance;
    use crate::platform::Platform;

    pub use crate::algorithms::sorting::pass_by_tiles as pass_of_sort;
    pub use crate::gpu::cuda::offline::{
        nvrtc_compile, nvrtc_compile_for_debuggers, nvrtc_compile_with_lines, nvrtc_found, nvrtc_knows, nvrtc_ptx,
    };
    pub use crate::gpu::hip::offline::hiprtc_compile;

    /// The CUDA C++ of a kernel with the lines of its source.
    pub fn source_with_lines(instance: Instance) -> String {
        crate::codegen::all(instance, Platform::Cuda, true)
    }
}

/// What device code prints: where it goes, and the text of a whole process for tests.
pub mod output {
    pub use crate::output::{Output, capture};
}

/// `kernel::cuda_source()`.
pub fn cuda_source(instance: Instance) -> String {
    crate::codegen::all(instance, crate::Platform::Cuda, false)
}

/// `kernel::hip_source()`.
pub fn hip_source(instance: Instance) -> String {
    crate::codegen::all(instance, crate::Platform::Hip, false)
}

/// `kernel::plan()`.
pub fn plan(instance: Instance) -> Plan {
    Plan::new(instance)
}

/// `kernel::prepare(&device)`, also for the kernels that it calls.
///
/// # Errors
/// The kernel does not compile for the device, or cannot be loaded. On the CPU this does nothing.
pub fn prepare(instance: Instance, device: &Device) -> Result<()> {
    // Host parts can call each other in circles.
    let mut found = vec![instance];
    let mut at = 0;
    while let Some(&instance) = found.get(at) {
        device.backend().prepare(instance)?;
        for called in Description::of(instance).calls {
            let called = called();
            if found.iter().all(|seen| (seen.id)() != (called.id)()) {
                found.push(called);
            }
        }
        at += 1;
    }
    Ok(())
}

pub use crate::lock::watch::locks_in;

pub mod rust {
    //! The items of std that generated code uses. It does not use `::core::…`, because an
    //! `extern crate self as core` in the user's crate would replace that path.

    pub use std::any::{Any, TypeId};
    pub use std::convert::{Infallible, identity};
    pub use std::marker::{PhantomData, Sized};
    pub use std::ops::ControlFlow::{Break, Continue};
    pub use std::ops::{Fn, FnMut};
    pub use std::option::Option::{self, None, Some};
    pub use std::prelude::v1::derive;
    pub use std::primitive::{bool, str, u64, usize};
    pub use std::result::Result::{Err, Ok};
    pub use std::string::String;
    pub use std::vec::Vec;
    pub use std::{file, format_args, matches, module_path, unreachable};
}
