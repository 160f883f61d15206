//! Slots of values that device code names: literals, constants, variants of enums, and format
//! strings.

#![allow(unsafe_code, reason = "the closure of a constant or of a format string has no captures")]

use std::borrow::Borrow;
use std::marker::PhantomData;

use anabranch_core::facts::Member;

use super::{Slots, TypeOf};
use crate::model::description::SlotValue;
use crate::value::admitted::{Admitted, HostValue};
use crate::value::atomic::Atomic;
use crate::value::format::{Format, text, values};
use crate::value::{self, DeviceType, DeviceValue};
use anabranch_core::scalar::IntType;

/// Ties a literal of a struct or variant to its slot. The closure tells whether a value is of the
/// variant that the literal names.
#[inline(always)]
pub fn made<T, U, F>(_: VariantSlot<U, F>, value: T, _: F) -> U
where
    T: Admitted<U>,
    F: Fn(&T) -> bool + Copy + 'static,
{
    value.ab_admitted()
}

/// Ties a path of a pattern to its slot, in the same way.
#[inline(always)]
pub fn variant<T, U, F>(_: VariantSlot<T, F>, _: TypeOf<T>, _: F)
where
    T: HostValue<U>,
    F: Fn(&U) -> bool + Copy + 'static,
{
}

/// Ties a constant of a pattern to what the pattern matches there.
#[inline(always)]
pub fn named_at<T: HostValue<U>, U, F: Fn() -> U + Copy + 'static>(
    _: ConstantSlot<T, InPattern<F>>,
    _: TypeOf<T>,
    _: F,
) {
}

/// The closure of a constant in a pattern: the slot gets its type from what the pattern matches.
#[derive(Debug)]
pub struct InPattern<F>(F);

/// A slot for the value of a constant.
#[derive(Debug)]
pub struct ConstantSlot<T, F>(PhantomData<fn() -> (T, F)>);

impl<T, F> Clone for ConstantSlot<T, F> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, F> Copy for ConstantSlot<T, F> {}

/// A slot whose constant [`constant`] fills in.
#[inline(always)]
pub fn constant_slot<T, F>() -> ConstantSlot<T, F> {
    ConstantSlot(PhantomData)
}

/// A slot for the first value of an atomic, which a closure returns as the atomic itself.
#[derive(Debug)]
pub struct AtomicSlot<C, F>(PhantomData<fn() -> (C, F)>);

impl<C, F> Clone for AtomicSlot<C, F> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<C, F> Copy for AtomicSlot<C, F> {}

/// A slot that the first value of an array of atomics fills in.
#[inline(always)]
pub fn atomic_slot<C, F>() -> AtomicSlot<C, F> {
    AtomicSlot(PhantomData)
}

/// A slot for the variant that a path names.
#[derive(Debug)]
pub struct VariantSlot<T, F>(PhantomData<fn() -> (T, F)>);

impl<T, F> Clone for VariantSlot<T, F> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, F> Copy for VariantSlot<T, F> {}

/// A slot that [`made`] or [`variant`] fills in.
#[inline(always)]
pub fn variant_slot<T, F>() -> VariantSlot<T, F> {
    VariantSlot(PhantomData)
}

/// A constant of device code, named by a closure that captures nothing; its slot keeps the
/// closure's type.
#[inline(always)]
pub fn constant<T, F: Fn() -> T + Copy + 'static>(_: ConstantSlot<T, F>, value: F) -> T {
    value()
}

/// [`constant`], where it is only read: `place` is a reference to it, which rustc makes one to the
/// memory of the program. It has a type of its own, so that a constant that device code cannot use
/// is one error: what is done with the result is no other one.
#[inline(always)]
pub fn constant_place<T, F: Fn() -> T + Copy + 'static>(_: ConstantSlot<T, F>, _: F, place: &impl Borrow<T>) -> &T {
    place.borrow()
}

/// An integer literal of device code, `DIGITS`, with its slot. This guarantees that the value is
/// the number that the analysis assumes.
#[inline(always)]
pub fn int<const DIGITS: u128, T: DeviceValue>(_: TypeOf<T>, value: T) -> T {
    const { assert!(fits(T::TYPE, DIGITS, 0), "{}", OVERFLOWS) }
    value
}

/// [`int`] for a negative literal, `-DIGITS`.
#[inline(always)]
pub fn negative_int<const DIGITS: u128, T: DeviceValue>(_: TypeOf<T>, value: T) -> T {
    const { assert!(fits(T::TYPE, DIGITS, 1), "{}", OVERFLOWS) }
    value
}

/// [`int`] for an integer literal in the head of a `par` loop.
#[inline(always)]
pub fn end<const DIGITS: u128, T: DeviceValue>(value: T) -> T {
    const { assert!(fits(T::TYPE, DIGITS, 0), "{}", OVERFLOWS) }
    value
}

/// That rustc finds the number by the name of a constant that the macro has found.
pub const fn same_constant(value: usize, number: u64) {
    assert!(
        value as u64 == number,
        "this is another constant than the one of the same name that the kernel declares: rename one of the two"
    );
}

const OVERFLOWS: &str =
    "a literal of device code does not fit its type; write the value that is meant (`200u8 as i8`), or another type";

/// Whether a number fits an integer type. The negative numbers of a signed type extend `beyond`
/// further than the positive ones.
const fn fits(ty: &DeviceType, digits: u128, beyond: u128) -> bool {
    match ty.integer() {
        Some(IntType { bits, signed }) => {
            let most = u128::MAX >> (128 - bits);
            digits <= if signed { (most >> 1) + beyond } else { most }
        }
        // Not an integer type: rustc reports this.
        None => true,
    }
}

/// The value that a closure without captures returns.
pub(super) fn value_of<T, F: Fn() -> T + Copy + 'static>() -> T {
    nothing::<F>()()
}

/// The value of the atomic that such a closure returns.
fn first_of<C: Atomic, F: Fn() -> C + Copy + 'static>() -> C::Value {
    value_of::<C, F>().ab_value()
}

/// A closure without captures. A slot keeps its type, or that of a closure of a kernel.
pub(crate) fn nothing<F: Copy + 'static>() -> F {
    const { assert!(size_of::<F>() == 0, "a constant of device code cannot depend on variables") };
    // SAFETY: a value of a zero-sized type can be read from any aligned address. A value of `F`
    // exists and can be copied: only functions that take one by value, and that generated code
    // calls with a closure, create the types of these slots and of closures of kernels.
    unsafe { std::ptr::NonNull::<F>::dangling().read() }
}

/// A slot for values that are formatted, and the closure that formats them.
#[derive(Debug)]
pub struct FormatSlot<A, F>(PhantomData<fn() -> (A, F)>);

impl<A, F> Clone for FormatSlot<A, F> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<A, F> Copy for FormatSlot<A, F> {}

/// A slot that a function which formats values fills in.
#[inline(always)]
pub fn format_slot<A, F>() -> FormatSlot<A, F> {
    FormatSlot(PhantomData)
}

impl<T: DeviceValue, F: Fn() -> T + Copy + 'static> Slots for ConstantSlot<T, F> {
    const DEPTH: usize = 0;
    const COUNT: usize = 1;
    fn describe(out: &mut Vec<SlotValue>) {
        out.push(described::<T, F>());
    }
    fn integer(_: usize) -> Option<IntType> {
        T::TYPE.integer()
    }
    fn number(_: usize, member: &Member) -> Option<i128> {
        value::number(&value_of::<T, F>(), member)
    }
}

// A bound with `T` itself would tell rustc what `T` is where it is not `DeviceValue`, which would
// be one more error.
impl<T: DeviceValue<Same: DeviceValue>, F: Fn() -> T::Same + Copy + 'static> Slots for ConstantSlot<T, InPattern<F>> {
    const DEPTH: usize = 0;
    const COUNT: usize = 1;
    fn describe(out: &mut Vec<SlotValue>) {
        out.push(described::<T::Same, F>());
    }
    fn integer(_: usize) -> Option<IntType> {
        T::TYPE.integer()
    }
    fn number(_: usize, member: &Member) -> Option<i128> {
        value::number(&value_of::<T::Same, F>(), member)
    }
}

fn described<T: DeviceValue, F: Fn() -> T + Copy + 'static>() -> SlotValue {
    let scalars = |out: &mut Vec<u128>| value_of::<T, F>().scalars(0, &mut |_, _, bits| out.push(bits));
    SlotValue::Constant(T::TYPE, scalars, |member| value::number(&value_of::<T, F>(), member))
}

impl<C: Atomic, F: Fn() -> C + Copy + 'static> Slots for AtomicSlot<C, F> {
    const DEPTH: usize = 0;
    const COUNT: usize = 1;
    fn describe(out: &mut Vec<SlotValue>) {
        let scalars = |out: &mut Vec<u128>| first_of::<C, F>().scalars(0, &mut |_, _, bits| out.push(bits));
        out.push(SlotValue::Constant(C::Value::TYPE, scalars, |member| value::number(&first_of::<C, F>(), member)));
    }
    fn integer(_: usize) -> Option<IntType> {
        C::Value::TYPE.integer()
    }
}

impl<A: DeviceValue, F: Format<A>> Slots for FormatSlot<A, F> {
    const DEPTH: usize = 0;
    const COUNT: usize = 1;
    fn describe(out: &mut Vec<SlotValue>) {
        out.push(SlotValue::Format(A::TYPE, |bytes| text(values::<A>(bytes), nothing::<F>())));
    }
    fn integer(_: usize) -> Option<IntType> {
        None
    }
}

// As above.
impl<T: DeviceValue, F: Fn(&T::Same) -> bool + Copy + 'static> Slots for VariantSlot<T, F> {
    const DEPTH: usize = 0;
    const COUNT: usize = 1;
    fn describe(out: &mut Vec<SlotValue>) {
        let variants = match T::TYPE {
            DeviceType::Enum(ty) => ty.variants.len(),
            DeviceType::Scalar(_) | DeviceType::Tuple(_) | DeviceType::Array(..) | DeviceType::Struct(_) => 1,
        };
        let variant = (0..variants).find(|variant| nothing::<F>()(&T::sample(*variant).same()));
        out.push(SlotValue::Variant(T::TYPE, variant.unwrap_or(0)));
    }
    fn integer(_: usize) -> Option<IntType> {
        None
    }
}
