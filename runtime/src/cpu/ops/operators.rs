//! The operators of device code: of numbers, and of user types whose `impl` has `#[device]`.
//!
//! Generated code calls them as methods of [`Operands`] and [`Operand`]. Where device code has no
//! such operator, rustc finds the method of a trait that exists for its error message: one error,
//! in our words, at the operator.

use std::marker::PhantomData;

use super::{Arithmetic, Indexing, IndexingMut, Order, SignedArithmetic};
use crate::model::description::SlotValue;
use crate::model::slots::Slots;
use crate::value::DeviceValue;
use crate::value::number::{Int, Num};
use crate::value::scalar::Scalar;
use anabranch_core::scalar::IntType;

/// The operators, as types; each is named as its trait in `std::ops` or `std::cmp`.
pub mod operator {
    macro_rules! markers {
        ($($Name:ident)*) => { $(
            #[doc = concat!("`", stringify!($Name), "`")]
            #[derive(Debug)]
            pub enum $Name {}
        )* };
    }
    markers! { Add Sub Mul Div Rem BitAnd BitOr BitXor Shl Shr Neg Not PartialEq PartialOrd Index IndexMut }
}
use operator::*;

/// `Self op R` in device code.
pub trait Binary<Op, R>: Copy {
    /// Its type.
    type Output;
    /// As [`Slots::DEPTH`].
    const DEPTH: usize = 0;
    /// As [`Slots::total`](crate::model::slots::Slots::total).
    #[inline(always)]
    fn total() -> bool {
        Self::DEPTH == 0
    }
    /// What the slot holds: the type of the operands if they are numbers, else a device function.
    fn called() -> SlotValue;
    /// The type of the operands, if they are integers.
    fn integer() -> Option<IntType> {
        None
    }
    /// The result.
    fn apply(self, other: R) -> Self::Output;
}

/// `Self op= R` in device code.
pub trait Assign<Op, R>: Copy {
    /// As [`Slots::DEPTH`].
    const DEPTH: usize = 0;
    /// As [`Slots::total`](crate::model::slots::Slots::total).
    #[inline(always)]
    fn total() -> bool {
        Self::DEPTH == 0
    }
    /// As of [`Binary`].
    fn called() -> SlotValue;
    /// As of [`Binary`].
    fn integer() -> Option<IntType> {
        None
    }
    /// The assignment.
    fn apply(&mut self, other: R);
}

/// `op Self` in device code.
pub trait Unary<Op>: Copy {
    /// Its type.
    type Output;
    /// As [`Slots::DEPTH`].
    const DEPTH: usize = 0;
    /// As [`Slots::total`](crate::model::slots::Slots::total).
    #[inline(always)]
    fn total() -> bool {
        Self::DEPTH == 0
    }
    /// As of [`Binary`].
    fn called() -> SlotValue;
    /// As of [`Binary`].
    fn integer() -> Option<IntType> {
        None
    }
    /// The result.
    fn apply(self) -> Self::Output;
}

macro_rules! slots {
    ($($(#[$doc:meta])* $Slot:ident<$($P:ident),*> ($new:ident) of $trait:path, $integer:expr, $len:expr;)*) => { $(
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $Slot<Op, L $(, $P)*>(PhantomData<fn() -> (Op, L $(, $P)*)>);

        impl<Op, L $(, $P)*> Clone for $Slot<Op, L $(, $P)*> {
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<Op, L $(, $P)*> Copy for $Slot<Op, L $(, $P)*> {}

        $(#[$doc])*
        #[inline(always)]
        pub fn $new<Op, L $(, $P)*>() -> $Slot<Op, L $(, $P)*> {
            $Slot(PhantomData)
        }

        impl<Op, L: $trait $(, $P)*> Slots for $Slot<Op, L $(, $P)*> {
            const DEPTH: usize = <L as $trait>::DEPTH;
            const COUNT: usize = 1;
            fn describe(out: &mut Vec<SlotValue>) {
                out.push(<L as $trait>::called());
            }
            #[inline(always)]
            fn total() -> bool {
                <L as $trait>::total()
            }
            #[inline(always)]
            fn integer(_: usize) -> Option<IntType> {
                $integer
            }
            #[inline(always)]
            fn array_len(_: usize) -> Option<usize> {
                $len
            }
        }
    )* };
}
slots! {
    /// The slot of a binary operator.
    BinarySlot<R> (binary) of Binary<Op, R>, L::integer(), None;
    /// The slot of `<` and its like.
    OrderSlot<R> (order) of Order<R>, L::integer(), None;
    /// The slot of `base[index]` for reading.
    IndexSlot<I> (index_slot) of Indexing<I>, None, L::array_len();
    /// The slot of `base[index]` for writing.
    IndexMutSlot<I> (index_mut_slot) of IndexingMut<I>, None, L::array_len();
    /// The slot of a compound assignment.
    AssignSlot<R> (assignment) of Assign<Op, R>, L::integer(), None;
    /// The slot of a unary operator.
    UnarySlot<> (unary) of Unary<Op>, L::integer(), None;
}

/// Two operands.
#[derive(Debug, Clone, Copy)]
pub struct Operands<L, R>(pub L, pub R);

/// One operand.
#[derive(Debug, Clone, Copy)]
pub struct Operand<L>(pub L);

/// The operators that device code does not have: each exists only for its error message.
pub mod missing {
    macro_rules! binary {
        ($($Op:ident $message:literal)*) => { $(
            #[doc = concat!("[`std::ops::", stringify!($Op), "`]")]
            #[diagnostic::on_unimplemented(
                message = $message,
                label = "no operator of device code",
                note = "both sides of an operator of numbers have one type: convert one with `as`, in generic code with `T::from(x)`; the zero of `T` is `T::ZERO`",
                note = "`f16` and `bf16` have no literals and no `as`: write `f16::from_f32(0.5)`, and `h.to_f32()`",
                note = "for a type of your own, put `#[device]` above the `impl` of the operator"
            )]
            pub trait $Op<L, R> {
                /// Has no meaning.
                type Output;
            }
        )* };
    }
    binary! {
        Add "device code has no operator `+` for `{L}` and `{R}`"
        Sub "device code has no operator `-` for `{L}` and `{R}`"
        Mul "device code has no operator `*` for `{L}` and `{R}`"
        Div "device code has no operator `/` for `{L}` and `{R}`"
        Rem "device code has no operator `%` for `{L}` and `{R}`"
        BitAnd "device code has no operator `&` for `{L}` and `{R}`"
        BitOr "device code has no operator `|` for `{L}` and `{R}`"
        BitXor "device code has no operator `^` for `{L}` and `{R}`"
        Shl "device code has no operator `<<` for `{L}` and `{R}`"
        Shr "device code has no operator `>>` for `{L}` and `{R}`"
    }

    macro_rules! unary {
        ($($Op:ident $message:literal)*) => { $(
            #[doc = concat!("[`std::ops::", stringify!($Op), "`]")]
            #[diagnostic::on_unimplemented(
                message = $message,
                label = "no operator of device code",
                note = "for a type of your own, put `#[device]` above the `impl` of the operator"
            )]
            pub trait $Op<L> {
                /// Has no meaning.
                type Output;
            }
        )* };
    }
    unary! {
        Neg "device code has no operator `-` for `{L}`"
        Not "device code has no operator `!` for `{L}`"
    }

    macro_rules! comparisons {
        ($($Trait:ident $message:literal $note:literal)*) => { $(
            #[doc = concat!("[`std::cmp::", stringify!($Trait), "`]")]
            #[diagnostic::on_unimplemented(
                message = $message,
                label = "no comparison of device code",
                note = "both sides of a comparison of numbers have one type: convert one with `as`, in generic code with `T::from(x)`",
                note = "`f16` and `bf16` have no literals and no `as`: write `f16::from_f32(0.5)`, and `h.to_f32()`",
                note = $note
            )]
            pub trait $Trait<L, R> {
                /// Has no meaning.
                type Output;
            }
        )* };
    }
    comparisons! {
        PartialEq "device code cannot compare `{L}` with `{R}`"
            "for a type of your own, put `#[device]` above its `#[derive(PartialEq)]`, or above your `impl PartialEq`"
        PartialOrd "device code cannot compare `{L}` with `{R}`"
            "for a type of your own, put `#[device]` above its `#[derive(PartialEq, PartialOrd)]`, or above your `impl PartialOrd`"
    }
}

macro_rules! binary {
    ($($Op:ident $method:ident $assign:ident [$($bounds:tt)*] $R:ty, $a:ident $b:ident => $value:expr;)*) => {
        $(
            #[diagnostic::do_not_recommend]
            impl<$($bounds)*> Binary<$Op, $R> for T {
                type Output = T;
                fn called() -> SlotValue {
                    SlotValue::Type(<T as DeviceValue>::TYPE)
                }
                fn integer() -> Option<IntType> {
                    <T as DeviceValue>::TYPE.integer()
                }
                #[inline(always)]
                #[track_caller]
                fn apply(self, $b: $R) -> T {
                    let $a = self;
                    $value
                }
            }
            #[diagnostic::do_not_recommend]
            impl<$($bounds)*> Assign<$Op, $R> for T {
                fn called() -> SlotValue {
                    SlotValue::Type(<T as DeviceValue>::TYPE)
                }
                fn integer() -> Option<IntType> {
                    <T as DeviceValue>::TYPE.integer()
                }
                #[inline(always)]
                #[track_caller]
                fn apply(&mut self, other: $R) {
                    *self = <T as Binary<$Op, $R>>::apply(*self, other);
                }
            }
            impl<L: Binary<$Op, R>, R> Operands<L, R> {
                /// The operator.
                #[inline(always)]
                #[track_caller]
                pub fn $method(self, _: BinarySlot<$Op, L, R>) -> L::Output {
                    <L as Binary<$Op, R>>::apply(self.0, self.1)
                }
            }
            impl<L: Assign<$Op, R>, R> Operands<&mut L, R> {
                /// The compound assignment.
                #[inline(always)]
                #[track_caller]
                pub fn $assign(self, _: AssignSlot<$Op, L, R>) {
                    <L as Assign<$Op, R>>::apply(self.0, self.1);
                }
            }
        )*

        /// Exists only for its error messages.
        pub trait NoBinary<L, R>: Sized {
            $(
                /// Cannot be called.
                fn $method<S>(self, _: S) -> <() as missing::$Op<L, R>>::Output where (): missing::$Op<L, R> {
                    unreachable!("nothing has this operator")
                }
            )*
        }
        impl<L, R> NoBinary<L, R> for Operands<L, R> {}

        /// Exists only for its error messages.
        pub trait NoAssign<L, R>: Sized {
            $(
                /// Cannot be called.
                fn $assign<S>(self, _: S) -> <() as missing::$Op<L, R>>::Output where (): missing::$Op<L, R> {
                    unreachable!("nothing has this operator")
                }
            )*
        }
        impl<L, R> NoAssign<L, R> for Operands<&mut L, R> {}
    };
}
binary! {
    Add add_in_device_code add_assign_in_device_code [T: Num] T, a b => T::ab_add(a, b);
    Sub sub_in_device_code sub_assign_in_device_code [T: Num] T, a b => T::ab_sub(a, b);
    Mul mul_in_device_code mul_assign_in_device_code [T: Num] T, a b => T::ab_mul(a, b);
    Div div_in_device_code div_assign_in_device_code [T: Num] T, a b => T::ab_div(a, b);
    Rem rem_in_device_code rem_assign_in_device_code [T: Num] T, a b => T::ab_rem(a, b);
    BitAnd bitand_in_device_code bitand_assign_in_device_code [T: Scalar + std::ops::BitAnd<Output = T>] T, a b => a & b;
    BitOr bitor_in_device_code bitor_assign_in_device_code [T: Scalar + std::ops::BitOr<Output = T>] T, a b => a | b;
    BitXor bitxor_in_device_code bitxor_assign_in_device_code [T: Scalar + std::ops::BitXor<Output = T>] T, a b => a ^ b;
    Shl shl_in_device_code shl_assign_in_device_code [T: Int, S: Int] S, a b => T::ab_shl(a, b.ab_low_bits());
    Shr shr_in_device_code shr_assign_in_device_code [T: Int, S: Int] S, a b => T::ab_shr(a, b.ab_low_bits());
}

macro_rules! unary {
    ($($Op:ident $method:ident [$($bounds:tt)*] $a:ident => $value:expr;)*) => {
        $(
            #[diagnostic::do_not_recommend]
            impl<$($bounds)*> Unary<$Op> for T {
                type Output = T;
                fn called() -> SlotValue {
                    SlotValue::Type(<T as DeviceValue>::TYPE)
                }
                fn integer() -> Option<IntType> {
                    <T as DeviceValue>::TYPE.integer()
                }
                #[inline(always)]
                fn apply(self) -> T {
                    let $a = self;
                    $value
                }
            }
            impl<L: Unary<$Op>> Operand<L> {
                /// The operator.
                #[inline(always)]
                #[track_caller]
                pub fn $method(self, _: UnarySlot<$Op, L>) -> L::Output {
                    <L as Unary<$Op>>::apply(self.0)
                }
            }
        )*

        /// Exists only for its error messages.
        pub trait NoUnary<L>: Sized {
            $(
                /// Cannot be called.
                fn $method<S>(self, _: S) -> <() as missing::$Op<L>>::Output where (): missing::$Op<L> {
                    unreachable!("nothing has this operator")
                }
            )*
        }
        impl<L> NoUnary<L> for Operand<L> {}
    };
}
unary! {
    Neg neg_in_device_code [T: SignedArithmetic] a => T::ab_neg(a);
    Not not_in_device_code [T: Scalar + std::ops::Not<Output = T>] a => !a;
}

/// Operators of numbers alone, of one type: with an operand that takes its type from the other one.
macro_rules! of_numbers {
    ($($Op:ident $name:ident $arithmetic:ident;)*) => { $(
        /// The operator of two numbers of one type.
        #[inline(always)]
        #[track_caller]
        pub fn $name<T: Num>(_: BinarySlot<$Op, T, T>, a: T, b: T) -> T {
            Arithmetic::$arithmetic(a, b)
        }
    )* };
}
of_numbers! { Add add ab_add; Sub sub ab_sub; Mul mul ab_mul; Div div ab_div; Rem rem ab_rem; }

/// Whether a trait is the one of std: each takes only types that implement that.
pub mod is {
    use std::ops;

    /// [`std::cmp::PartialEq`]
    #[allow(non_snake_case)]
    pub fn PartialEq<T: PartialEq<R>, R>() {}
    /// [`std::convert::From`]
    #[allow(non_snake_case)]
    pub fn From<T: From<R>, R>() {}
    /// [`std::cmp::PartialOrd`]
    #[allow(non_snake_case)]
    pub fn PartialOrd<T: PartialOrd<R>, R>() {}

    macro_rules! functions {
        ($($Name:ident)*; $($Unary:ident)*) => {
            $(
                #[doc = concat!("[`std::ops::", stringify!($Name), "`]")]
                #[allow(non_snake_case)]
                pub fn $Name<T: ops::$Name<R>, R>() {}
            )*
            $(
                #[doc = concat!("[`std::ops::", stringify!($Unary), "`]")]
                #[allow(non_snake_case)]
                pub fn $Unary<T: ops::$Unary>() {}
            )*
        };
    }
    functions! {
        Add Sub Mul Div Rem BitAnd BitOr BitXor Shl Shr Index IndexMut
        AddAssign SubAssign MulAssign DivAssign RemAssign BitAndAssign BitOrAssign BitXorAssign ShlAssign ShrAssign;
        Neg Not
    }
}

/// The result of a user's operator. The analysis of indexes takes every integer for what std's
/// operators make of integers.
#[inline(always)]
pub fn result<T: DeviceValue>(value: T) -> T {
    const {
        assert!(
            T::TYPE.integer().is_none(),
            "in device code an operator of a user type cannot return an integer; write a method"
        );
    }
    value
}
