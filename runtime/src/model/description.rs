//! Types that rustc inferred, read through type parameters without running anything.

use std::any::TypeId;

use anabranch_core::facts::{Member, wire};

use super::function::DeviceFunction;
use super::infallible::Types;
use super::kernel::Kernel;
use super::slots::SlotLanes;
use crate::value::DeviceType;
use crate::value::format::FormatBytes;
use anabranch_core::decide::{Function, Slots};
use anabranch_core::scalar::IntType;

/// A kernel with its type and const parameters. Each instance is compiled for a GPU.
#[derive(Debug, Clone, Copy)]
pub struct Instance {
    /// The kernel.
    pub kernel: &'static Kernel,
    /// Identity of the kernel and its arguments.
    pub id: fn() -> TypeId,
    /// Reads the types that rustc inferred, without running anything.
    pub describe: fn(&mut Description),
}

/// The inferred types of a kernel.
#[derive(Debug, Default)]
pub struct Description {
    /// One entry a `par` loop, in the order of [`Kernel::loops`](super::kernel::Kernel::loops).
    pub loops: Vec<LoopTypes>,
    /// The kernels that the host part calls, one entry a call, in source order.
    pub calls: Vec<fn() -> Instance>,
}

impl Description {
    /// The description of a kernel.
    pub(crate) fn of(instance: Instance) -> Self {
        let mut description = Self::default();
        (instance.describe)(&mut description);
        description
    }
}

/// The inferred types of one loop.
#[derive(Debug, Default)]
pub struct LoopTypes {
    /// The types of the captures; for a buffer, its element type.
    pub captures: Vec<&'static DeviceType>,
    /// The contents of the slots.
    pub slots: Vec<SlotValue>,
    /// What lanes need of the slots.
    pub lanes: Vec<SlotLanes>,
}

/// The content of a slot.
#[derive(Debug, Clone, Copy)]
pub enum SlotValue {
    /// A type.
    Type(&'static DeviceType),
    /// A constant: its type, a function that appends the bits of its scalars, and one that finds a
    /// number of it.
    Constant(&'static DeviceType, fn(&mut Vec<u128>), fn(&Member) -> Option<i128>),
    /// How values are formatted: their type, and a function that formats them from the bytes that
    /// they have in C++.
    Format(&'static DeviceType, FormatBytes),
    /// A struct, or an enum with the number of one of its variants.
    Variant(&'static DeviceType, usize),
    /// A called device function.
    Function(fn() -> DeviceFunction),
}

impl SlotValue {
    /// Its type, if that is one of integers.
    pub(crate) fn integer(&self) -> Option<IntType> {
        match self {
            Self::Type(ty) | Self::Constant(ty, ..) => ty.integer(),
            Self::Format(..) | Self::Variant(..) | Self::Function(_) => None,
        }
    }
}

impl Types for [SlotValue] {
    fn is_integer(&self, slot: usize) -> bool {
        self.get(slot).is_none_or(|slot| slot.integer().is_some())
    }
    fn array_len(&self, slot: usize) -> Option<usize> {
        match self.get(slot)? {
            SlotValue::Type(DeviceType::Array(_, len)) => Some(*len),
            SlotValue::Type(_) | SlotValue::Constant(..) | SlotValue::Format(..) => None,
            SlotValue::Variant(..) | SlotValue::Function(_) => None,
        }
    }
}

/// A device function with its inferred types.
pub(crate) struct Called {
    pub(crate) source: DeviceFunction,
    pub(crate) slots: Vec<SlotValue>,
}

impl Called {
    /// Whether it can fail in itself, not in a function that it calls.
    pub(crate) fn can_fail(&self) -> bool {
        !self.source.infallible.is_some_and(|infallible| infallible.holds(&*self.slots))
    }
}

/// The device functions in these slots, and those that they call, directly or indirectly, each
/// once, in the order of their first occurrence.
pub(crate) fn reachable<'a>(roots: impl Iterator<Item = &'a SlotValue>) -> Vec<Called> {
    let mut found: Vec<Called> = Vec::new();
    let visit = |slot: &SlotValue, found: &mut Vec<Called>| {
        let SlotValue::Function(function) = slot else { return };
        let source = function();
        if found.iter().all(|known| known.source.id != source.id) {
            let mut slots = Vec::new();
            (source.describe)(&mut slots);
            found.push(Called { source, slots });
        }
    };
    roots.for_each(|slot| visit(slot, &mut found));
    let mut next = 0;
    while next < found.len() {
        for slot in found[next].slots.clone() {
            visit(&slot, &mut found);
        }
        next += 1;
    }
    found
}

/// The slots of a body, as the launch's decisions read them.
pub(crate) struct Inferred(pub(crate) Vec<SlotValue>);

impl Slots for Inferred {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn integer(&self, slot: usize) -> Option<IntType> {
        self.0.get(slot)?.integer()
    }

    fn number(&self, slot: usize, member: &Member) -> Option<i64> {
        let number = match self.0.get(slot)? {
            SlotValue::Constant(_, _, number) => number(member),
            SlotValue::Type(ty) => ty.array_len(),
            SlotValue::Format(..) | SlotValue::Variant(..) | SlotValue::Function(_) => None,
        };
        i64::try_from(number?).ok()
    }

    fn has_function(&self, slot: usize) -> bool {
        matches!(self.0.get(slot), Some(SlotValue::Function(_)))
    }

    fn function(&self, slot: usize) -> Option<Function<Self>> {
        let Some(SlotValue::Function(function)) = self.0.get(slot) else { return None };
        let source = function();
        let (summary, mut slots) = (wire::decode_summary(source.summary)?, Vec::new());
        (source.describe)(&mut slots);
        Some(Function { summary, slots: Self(slots), needs: (source.needs)(), file: source.file })
    }
}
