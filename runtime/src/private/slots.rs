//! Slots: how the types that rustc infers in device code reach run time without running it.
//!
//! The twin makes a slot (a `PhantomData<_>`) for every value whose type C++ must spell, unifies the two, and returns
//! all slots. A function that takes the twin *without calling it* then knows their types.

use std::marker::PhantomData;

use super::describe::SlotValue;
use super::kernel::DeviceFunction;
use crate::scalar::Scalar;

/// A slot whose type inference finds, or that is given.
#[inline(always)]
pub fn slot<T>() -> PhantomData<T> {
    PhantomData
}

/// Ties a value to a slot.
#[inline(always)]
pub fn typed<T>(_: PhantomData<T>, value: T) -> T {
    value
}

/// Ties a variable to a slot.
#[inline(always)]
pub fn same<T>(_: PhantomData<T>, _: &T) {}

/// A slot for a called device function; the call fills it.
#[inline(always)]
pub fn callee<F: DeviceFn>() -> Callee<F> {
    Callee(PhantomData)
}

/// The slot of a called device function.
#[derive(Debug)]
pub struct Callee<F>(PhantomData<fn() -> F>);

impl<F> Clone for Callee<F> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<F> Copy for Callee<F> {}

/// The uninhabited type beside a `#[device]` function: carries its source to callers in any module or crate.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a `#[device]` function",
    label = "called in device code",
    note = "put `#[device]` on the function"
)]
pub trait DeviceFn: 'static {
    /// The function's source.
    fn function() -> DeviceFunction;
}

/// The slots of a body: a tree of tuples.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be used in device code",
    label = "device code computes with `bool`, integers and floats"
)]
pub trait Slots: Copy {
    /// Appends what stands in each slot, in order.
    fn describe(out: &mut Vec<SlotValue>);
}

impl<T: Scalar> Slots for PhantomData<T> {
    fn describe(out: &mut Vec<SlotValue>) {
        out.push(SlotValue::Type(T::TYPE));
    }
}

impl<F: DeviceFn> Slots for Callee<F> {
    fn describe(out: &mut Vec<SlotValue>) {
        out.push(SlotValue::Function(F::function));
    }
}

macro_rules! trees {
    ($($($t:ident)*;)*) => { $(
        impl<$($t: Slots),*> Slots for ($($t,)*) {
            fn describe(_out: &mut Vec<SlotValue>) { $($t::describe(_out);)* }
        }
    )* };
}
trees! { ; A; A B; A B C; A B C D; A B C D E; A B C D E F; A B C D E F G; A B C D E F G H; }

/// The slots of a device function, which is not called.
pub fn slots_of<A, V, W: Slots, F: FnOnce(A) -> (V, W)>(_: F, out: &mut Vec<SlotValue>) {
    W::describe(out);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::ScalarType;

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
            SlotValue::Type(ty) => *ty,
            SlotValue::Function(_) => ScalarType::Bool,
        });
        assert_eq!(types.collect::<Vec<_>>(), [ScalarType::F32, ScalarType::U8, ScalarType::F32]);
        assert_eq!(twin(4).0, 7);
    }
}
