//! Device functions, as constant data.

use std::any::TypeId;

use super::description::SlotValue;
use super::kernel::{Receiver, Site, Template};

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
    /// From the return type to the closing parenthesis of the parameter list, without a semicolon. The name is
    /// [`Node::Own`](super::kernel::Node::Own).
    pub signature: Template,
    /// The body, with its braces.
    pub body: Template,
    /// How a method takes its receiver.
    pub receiver: Option<Receiver>,
    /// Reads the types that rustc inferred in the body, in slot order.
    pub describe: fn(&mut Vec<SlotValue>),
    /// What a call of it does and returns, as bytes: a `Summary`.
    pub summary: &'static [u8],
    /// [`DeviceFn::needs`](super::slots::DeviceFn::needs).
    pub needs: fn() -> u64,
    /// The parameters that it also takes in 32 bits where it is told what the launch has decided: their numbers, and the slots of their types.
    pub narrow: &'static [(u32, u32)],
    /// The same function in 32 bits, parameters and body, and the slot of the type of its result: where that is nothing but sums and products.
    pub index: Option<(u32, Template)>,
}

/// What the `#[device]` of an `impl` of a trait has compiled: those of the trait's functions that the `impl` defines.
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
