//! Device functions, as constant data.

use std::any::TypeId;

use super::description::SlotValue;
use super::infallible::Infallible;
use super::kernel::{Receiver, Site};

/// One `#[device]` function, as found through the type beside it.
#[derive(Debug, Clone, Copy)]
pub struct DeviceFunction {
    /// The uninhabited type beside the function.
    pub id: TypeId,
    /// The function's name.
    pub name: &'static str,
    /// The name as a C++ identifier that has no other meaning there.
    pub c_name: &'static str,
    /// `module_path!()` of the function.
    pub module: &'static str,
    /// `file!()` of the function.
    pub file: &'static str,
    /// Line of the function's name.
    pub line: u32,
    /// The places where a check can fail, as in [`Loop::sites`](super::kernel::Loop::sites).
    pub sites: &'static [Site],
    /// What it does, as bytes: see `anabranch_core::ir::wire`.
    pub code: &'static [u8],
    /// How a method takes its receiver.
    pub receiver: Option<Receiver>,
    /// Reads the types that rustc inferred in the body, in slot order.
    pub describe: fn(&mut Vec<SlotValue>),
    /// What a call of it does and returns, as bytes: a `Summary`.
    pub summary: &'static [u8],
    /// [`DeviceFn::needs`](super::slots::DeviceFn::needs).
    pub needs: fn() -> u64,
    /// What must hold for nothing in it to fail. `None`: something can, whatever the types are.
    pub infallible: Option<Infallible>,
}

/// What the `#[device]` of an `impl` of a trait has compiled: those of the trait's functions that
/// the `impl` defines.
pub type TraitFunctions = &'static [TraitFunction];

/// One of them.
#[derive(Debug, Clone, Copy)]
pub struct TraitFunction {
    /// Its name in the trait.
    pub name: &'static str,
    /// Its source, with the `id` and the function `describe` that only the trait knows.
    pub source: TraitSource,
    /// What [`DeviceFn::total`](super::slots::DeviceFn::total) returns.
    pub total: fn() -> bool,
}

/// [`TraitFunction::source`]
pub type TraitSource = fn(TypeId, fn(&mut Vec<SlotValue>)) -> DeviceFunction;
