//! Slots: how the types that rustc infers in device code become available at run time, without
//! running the code.
//!
//! For each value whose type C++ must spell, the twin creates a slot (a `TypeOf<_>`) and unifies it
//! with the value. The twin returns all slots. A function that takes the twin *without calling it*
//! then knows their types.
//!
//! | file | what it has |
//! |---|---|
//! | `constants` | slots of values: literals, constants, variants, format strings |
//! | `functions` | slots of functions, and what is known of one without calling it |

mod constants;
mod functions;

use std::marker::PhantomData;

use anabranch_core::facts::Member;

pub(crate) use constants::nothing;
pub use constants::{
    AtomicSlot, ConstantSlot, FormatSlot, VariantSlot, atomic_slot, constant, constant_place, constant_slot, end,
    format_slot, int, made, named_at, negative_int, same_constant, variant, variant_slot,
};
pub use functions::{
    AKernel, Callable, CallableKernel, Callee, CudaAtomic, CudaBarrier, CudaIndex, CudaWarp, DeviceFn,
    NotADeviceFunction, callee, depth_of, find, is_no_number, needs_of, of_trait, room_of, told, total_of,
};
pub(crate) use functions::{Builtin, Expect, Unwrap, Unwrapped};

use super::description::SlotValue;
use crate::value::admitted::{Admitted, HostValue};
use crate::value::{DeviceValue, WIDTH};
use anabranch_core::scalar::IntType;

/// The slot of a type. rustc shows it to users, in the signatures of the functions below and in
/// lists of slots.
#[derive(Debug)]
pub struct TypeOf<T>(PhantomData<T>);

impl<T> Clone for TypeOf<T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for TypeOf<T> {}

/// A slot whose type is inferred or given.
#[inline(always)]
pub fn slot<T>() -> TypeOf<T> {
    TypeOf(PhantomData)
}

/// Ties a written type to a slot.
#[inline(always)]
pub fn given<T>(slot: TypeOf<T>) -> TypeOf<T> {
    slot
}

/// A slot with a type that the user has written.
#[inline(always)]
pub fn written<T: Admitted<U>, U>() -> TypeOf<U> {
    slot()
}

/// Ties a value to a slot.
#[inline(always)]
pub fn typed<T>(_: TypeOf<T>, value: T) -> T {
    value
}

/// Ties a value that patterns match to a slot. The patterns get `U`, so that a type that device
/// code does not have is one error, at the value.
#[inline(always)]
pub fn matched<T: HostValue<U>, U: Copy>(_: TypeOf<T>, value: T) -> U {
    value.ab_host_value()
}

/// The type of a part of what a pattern matches: the closure returns that part of a value.
#[inline(always)]
pub fn part<T: HostValue<U>, U, P>(_: TypeOf<T>, _: fn(&U) -> Option<&P>) -> TypeOf<P> {
    slot()
}

/// Ties a variable to a slot.
#[inline(always)]
pub fn same<T>(_: TypeOf<T>, _: &T) {}

/// The slots of a body: a tree of tuples.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be used in device code",
    label = "device code computes with `bool`, numbers, and tuples, arrays and `#[device]` structs and enums of them"
)]
pub trait Slots: Copy {
    /// One more than the depth of the deepest chain of calls. For a function that calls itself,
    /// this depends on itself.
    const DEPTH: usize;
    /// Number of slots.
    const COUNT: usize;
    /// Appends the content of each slot, in order.
    fn describe(out: &mut Vec<SlotValue>);
    /// Appends what lanes need of each slot, in order.
    fn lanes(out: &mut Vec<SlotLanes>) {
        out.push(SlotLanes {
            is_integer: Self::integer(0).is_some(),
            array_len: Self::array_len(0),
            in_lanes: Self::in_lanes(0) == Some(true),
            keeps: Self::keeps(0) == Some(true),
            room: Self::room(0),
            is_partial: Self::partial(0, 1) != 0,
        });
    }
    /// The type in a slot, if it is an integer type.
    fn integer(slot: usize) -> Option<IntType>;
    /// Whether all types in the slots are integer types.
    #[inline(always)]
    fn integers() -> bool {
        Self::integer(0).is_some()
    }
    /// The number of elements of the array whose index operator is in a slot; of a user type none.
    #[inline(always)]
    fn array_len(_slot: usize) -> Option<usize> {
        None
    }
    /// A number of the constant in a slot; of a type, the length of an array.
    fn number(_slot: usize, _member: &Member) -> Option<i128> {
        None
    }
    /// Whether all operators and functions in the slots are [total](DeviceFn::total).
    #[inline(always)]
    fn total() -> bool {
        Self::DEPTH == 0
    }
    /// How many of those from one slot to another are not.
    #[inline(always)]
    fn partial(from: usize, to: usize) -> usize {
        usize::from(from == 0 && to > 0 && !Self::total())
    }
    /// Whether the function in a slot [has lanes](DeviceFn::has_lanes).
    #[inline(always)]
    fn in_lanes(_slot: usize) -> Option<bool> {
        None
    }
    /// The bytes that a variable of the type in a slot takes for each lane, or the
    /// [room](DeviceFn::room) of the function in it.
    #[inline(always)]
    fn room(_slot: usize) -> Option<usize> {
        None
    }
    /// Whether the method in a slot [keeps](DeviceFn::keeps) what it is called on.
    #[inline(always)]
    fn keeps(_slot: usize) -> Option<bool> {
        None
    }
    /// [`DeviceFn::needs`] of the function in a slot.
    #[inline(always)]
    fn needs(_slot: usize) -> Option<u64> {
        None
    }
}

/// What lanes need of a slot.
#[derive(Debug, Clone, Copy)]
pub struct SlotLanes {
    /// [`Slots::integer`]
    pub(super) is_integer: bool,
    /// [`Slots::array_len`]
    pub(super) array_len: Option<usize>,
    /// [`Slots::in_lanes`]
    pub(super) in_lanes: bool,
    /// [`Slots::keeps`]
    pub(super) keeps: bool,
    /// [`Slots::room`]
    pub(super) room: Option<usize>,
    /// [`Slots::partial`]
    pub(super) is_partial: bool,
}

impl<T: DeviceValue> Slots for TypeOf<T> {
    const DEPTH: usize = 0;
    const COUNT: usize = 1;
    fn describe(out: &mut Vec<SlotValue>) {
        out.push(SlotValue::Type(T::TYPE));
    }
    #[inline(always)]
    fn integer(_: usize) -> Option<IntType> {
        const { T::TYPE.integer() }
    }
    fn number(_: usize, _: &Member) -> Option<i128> {
        T::TYPE.array_len()
    }
    #[inline(always)]
    fn room(_: usize) -> Option<usize> {
        Some(size_of::<T::Lanes>() / WIDTH)
    }
}

macro_rules! trees {
    (@find $what:ident $slot:ident $more:tt $($t:ident)*) => {{
        let (_slot, _first) = ($slot, 0);
        $(
            if _slot < _first + $t::COUNT { return trees!(@ask $t $what (_slot - _first) $more); }
            let _first = _first + $t::COUNT;
        )*
        None
    }};
    (@ask $t:ident $what:ident $slot:tt ($($more:ident)*)) => { $t::$what($slot, $($more)*) };
    ($($($t:ident)*;)*) => { $(
        impl<$($t: Slots),*> Slots for ($($t,)*) {
            const DEPTH: usize = deepest(0, &[$($t::DEPTH),*]);
            const COUNT: usize = 0 $(+ $t::COUNT)*;
            fn describe(_out: &mut Vec<SlotValue>) { $($t::describe(_out);)* }
            fn lanes(_out: &mut Vec<SlotLanes>) { $($t::lanes(_out);)* }
            fn integer(slot: usize) -> Option<IntType> { trees! { @find integer slot () $($t)* } }
            #[inline(always)]
            fn array_len(slot: usize) -> Option<usize> { trees! { @find array_len slot () $($t)* } }
            fn number(slot: usize, _member: &Member) -> Option<i128> { trees! { @find number slot (_member) $($t)* } }
            #[inline(always)]
            fn integers() -> bool { true $(&& $t::integers())* }
            #[inline(always)]
            fn total() -> bool { true $(&& $t::total())* }
            #[inline(always)]
            fn partial(_from: usize, _to: usize) -> usize {
                let (_at, partial) = (0, 0);
                $(
                    let partial = partial + $t::partial(_from.saturating_sub(_at), _to.saturating_sub(_at));
                    let _at = _at + $t::COUNT;
                )*
                partial
            }
            #[inline(always)]
            fn in_lanes(slot: usize) -> Option<bool> { trees! { @find in_lanes slot () $($t)* } }
            #[inline(always)]
            fn room(slot: usize) -> Option<usize> { trees! { @find room slot () $($t)* } }
            #[inline(always)]
            fn keeps(slot: usize) -> Option<bool> { trees! { @find keeps slot () $($t)* } }
            #[inline(always)]
            fn needs(slot: usize) -> Option<u64> { trees! { @find needs slot () $($t)* } }
        }
    )* };
}
trees! { ; A; A B; A B C; A B C D; A B C D E; A B C D E F; A B C D E F G; A B C D E F G H; }

const fn deepest(so_far: usize, depths: &[usize]) -> usize {
    match depths {
        [] => so_far,
        [first, rest @ ..] => deepest(if *first > so_far { *first } else { so_far }, rest),
    }
}

/// The slots of a device function, which is not called.
pub fn slots_of<A, V, W: Slots, F: FnOnce(A) -> (V, W)>(_: F, out: &mut Vec<SlotValue>) {
    W::describe(out);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::DeviceType;
    use crate::value::scalar::ScalarType;

    fn twin(x: u8) -> (u8, impl Slots) {
        let (a, b, c) = (slot(), slot(), slot());
        let mut sum = typed(a, 0.0);
        sum += 1.0f32;
        let k = typed(b, 3);
        same(c, &sum);
        (x + k, (a, (b, c)))
    }

    #[test]
    fn inferred_types_come_out_without_a_call() {
        let mut out = Vec::new();
        slots_of(|(x,): (u8,)| twin(x), &mut out);
        let types = out.iter().map(|v| match v {
            SlotValue::Type(DeviceType::Scalar(ty)) => *ty,
            _ => ScalarType::Bool,
        });
        assert_eq!(types.collect::<Vec<_>>(), [ScalarType::F32, ScalarType::U8, ScalarType::F32]);
        assert_eq!(twin(4).0, 7);
    }
}
