//! Comparisons of device code. Values are compared part by part: numbers, tuples and arrays, and
//! user types that derive `PartialEq` and `PartialOrd`; or by a device function, where the user has
//! written the `impl`.

use std::cmp::Ordering;
use std::marker::PhantomData;

use super::operators::{Binary, BinarySlot, Operands, OrderSlot, missing, operator};
use crate::model::description::SlotValue;
use crate::model::slots::{Builtin, Callee, DeviceFn};
use crate::value::DeviceValue;
use crate::value::number::{Float, Int, Num};
use crate::value::scalar::Scalar;
use anabranch_core::scalar::IntType;

/// A type whose values are equal if their parts are. `#[device]` implements it for types that
/// derive `PartialEq`.
pub trait Equal: DeviceValue {
    /// Whether all parts are equal.
    fn equal(&self, other: &Self) -> bool;
}

/// A type of whose values the first part that differs decides. `#[device]` implements it for types
/// that derive `PartialOrd`.
pub trait Ordered: Equal {
    /// How they compare.
    fn ordering(&self, other: &Self) -> Option<Ordering>;
    /// `self < other`
    #[inline(always)]
    fn less(&self, other: &Self) -> bool {
        self.ordering(other) == Some(Ordering::Less)
    }
    /// `self <= other`
    #[inline(always)]
    fn less_or_equal(&self, other: &Self) -> bool {
        matches!(self.ordering(other), Some(Ordering::Less | Ordering::Equal))
    }
}

#[diagnostic::do_not_recommend]
impl<T: Scalar> Equal for T {
    #[inline(always)]
    fn equal(&self, other: &T) -> bool {
        self == other
    }
}
#[diagnostic::do_not_recommend]
impl<T: Scalar> Ordered for T {
    #[inline(always)]
    fn ordering(&self, other: &T) -> Option<Ordering> {
        self.partial_cmp(other)
    }
    #[inline(always)]
    fn less(&self, other: &T) -> bool {
        self < other
    }
    #[inline(always)]
    fn less_or_equal(&self, other: &T) -> bool {
        self <= other
    }
}

#[diagnostic::do_not_recommend]
impl<T: Equal, const N: usize> Equal for [T; N] {
    #[inline(always)]
    fn equal(&self, other: &Self) -> bool {
        (0..N).all(|at| self[at].equal(&other[at]))
    }
}
#[diagnostic::do_not_recommend]
impl<T: Ordered, const N: usize> Ordered for [T; N] {
    #[inline(always)]
    fn ordering(&self, other: &Self) -> Option<Ordering> {
        first_difference((0..N).map(|at| self[at].ordering(&other[at])))
    }
}

/// The first answer that is not `Equal`.
#[inline(always)]
pub fn first_difference(parts: impl IntoIterator<Item = Option<Ordering>>) -> Option<Ordering> {
    parts.into_iter().find(|part| *part != Some(Ordering::Equal)).unwrap_or(Some(Ordering::Equal))
}

macro_rules! tuples {
    ($($($T:ident $at:tt)*;)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<$($T: Equal),*> Equal for ($($T,)*) {
            #[inline(always)]
            fn equal(&self, _other: &Self) -> bool {
                true $(&& self.$at.equal(&_other.$at))*
            }
        }
        #[diagnostic::do_not_recommend]
        impl<$($T: Ordered),*> Ordered for ($($T,)*) {
            #[inline(always)]
            fn ordering(&self, _other: &Self) -> Option<Ordering> {
                $(
                    match self.$at.ordering(&_other.$at) {
                        Some(Ordering::Equal) => {}
                        differs => return differs,
                    }
                )*
                Some(Ordering::Equal)
            }
        }
    )* };
}
tuples! {
    ; A 0; A 0 B 1; A 0 B 1 C 2; A 0 B 1 C 2 D 3; A 0 B 1 C 2 D 3 E 4; A 0 B 1 C 2 D 3 E 4 F 5; A 0 B 1 C 2 D 3 E 4 F 5 G 6;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7; A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8; A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10; A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11;
}

#[diagnostic::do_not_recommend]
impl<T: Equal> Equal for Option<T> {
    #[inline(always)]
    fn equal(&self, other: &Self) -> bool {
        match (self, other) {
            (Some(a), Some(b)) => a.equal(b),
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        }
    }
}
#[diagnostic::do_not_recommend]
impl<T: Ordered> Ordered for Option<T> {
    #[inline(always)]
    fn ordering(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Some(a), Some(b)) => a.ordering(b),
            _ => self.is_some().partial_cmp(&other.is_some()),
        }
    }
}

#[diagnostic::do_not_recommend]
impl<T: Equal, E: Equal> Equal for Result<T, E> {
    #[inline(always)]
    fn equal(&self, other: &Self) -> bool {
        match (self, other) {
            (Ok(a), Ok(b)) => a.equal(b),
            (Err(a), Err(b)) => a.equal(b),
            (Ok(_), Err(_)) | (Err(_), Ok(_)) => false,
        }
    }
}
#[diagnostic::do_not_recommend]
impl<T: Ordered, E: Ordered> Ordered for Result<T, E> {
    #[inline(always)]
    fn ordering(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Ok(a), Ok(b)) => a.ordering(b),
            (Err(a), Err(b)) => a.ordering(b),
            _ => self.is_err().partial_cmp(&other.is_err()),
        }
    }
}

#[diagnostic::do_not_recommend]
impl<T: Send + Sync + 'static> Equal for PhantomData<T> {
    #[inline(always)]
    fn equal(&self, _: &Self) -> bool {
        true
    }
}
#[diagnostic::do_not_recommend]
impl<T: Send + Sync + 'static> Ordered for PhantomData<T> {
    #[inline(always)]
    fn ordering(&self, _: &Self) -> Option<Ordering> {
        Some(Ordering::Equal)
    }
}

#[diagnostic::do_not_recommend]
impl Equal for Ordering {
    #[inline(always)]
    fn equal(&self, other: &Self) -> bool {
        self == other
    }
}
#[diagnostic::do_not_recommend]
impl Ordered for Ordering {
    #[inline(always)]
    fn ordering(&self, other: &Self) -> Option<Ordering> {
        self.partial_cmp(other)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Equal> Binary<operator::PartialEq, T> for T {
    type Output = bool;
    fn called() -> SlotValue {
        SlotValue::Type(<T as DeviceValue>::TYPE)
    }
    #[inline(always)]
    fn integer() -> Option<IntType> {
        const { <T as DeviceValue>::TYPE.integer() }
    }
    #[inline(always)]
    fn apply(self, other: T) -> bool {
        self.equal(&other)
    }
}

/// `Self < R` and the like in device code.
pub trait Order<R>: Copy {
    /// As [`Slots::DEPTH`](crate::model::slots::Slots::DEPTH).
    const DEPTH: usize = 0;
    /// As [`Slots::total`](crate::model::slots::Slots::total).
    #[inline(always)]
    fn total() -> bool {
        Self::DEPTH == 0
    }
    /// What the slot holds: the type of the operands if they are compared part by part, else a
    /// device function.
    fn called() -> SlotValue;
    /// The type of the operands, if they are integers.
    fn integer() -> Option<IntType> {
        None
    }
    /// What the slot of `partial_cmp` holds: the same, but the type of the result before the type
    /// of the operands.
    fn called_for_an_ordering() -> SlotValue {
        Self::called()
    }
    /// `self.partial_cmp(&other)`
    fn compare(self, other: R) -> Option<Ordering>;
    /// `self < other`
    #[inline(always)]
    fn less(self, other: R) -> bool {
        self.compare(other) == Some(Ordering::Less)
    }
    /// `self <= other`
    #[inline(always)]
    fn less_or_equal(self, other: R) -> bool {
        matches!(self.compare(other), Some(Ordering::Less | Ordering::Equal))
    }
    /// `self > other`
    #[inline(always)]
    fn greater(self, other: R) -> bool {
        self.compare(other) == Some(Ordering::Greater)
    }
    /// `self >= other`
    #[inline(always)]
    fn greater_or_equal(self, other: R) -> bool {
        matches!(self.compare(other), Some(Ordering::Greater | Ordering::Equal))
    }
}
#[diagnostic::do_not_recommend]
impl<T: Ordered> Order<T> for T {
    fn called() -> SlotValue {
        SlotValue::Type(<T as DeviceValue>::TYPE)
    }
    #[inline(always)]
    fn integer() -> Option<IntType> {
        const { <T as DeviceValue>::TYPE.integer() }
    }
    fn called_for_an_ordering() -> SlotValue {
        SlotValue::Type(<(Option<Ordering>, T) as DeviceValue>::TYPE)
    }
    #[inline(always)]
    fn compare(self, other: T) -> Option<Ordering> {
        self.ordering(&other)
    }
    #[inline(always)]
    fn less(self, other: T) -> bool {
        Ordered::less(&self, &other)
    }
    #[inline(always)]
    fn less_or_equal(self, other: T) -> bool {
        Ordered::less_or_equal(&self, &other)
    }
    #[inline(always)]
    fn greater(self, other: T) -> bool {
        Ordered::less(&other, &self)
    }
    #[inline(always)]
    fn greater_or_equal(self, other: T) -> bool {
        Ordered::less_or_equal(&other, &self)
    }
}

impl<L: Binary<operator::PartialEq, R, Output = bool>, R> Operands<L, R> {
    /// `==`
    #[inline(always)]
    pub fn eq_in_device_code(self, _: BinarySlot<operator::PartialEq, L, R>) -> bool {
        self.0.apply(self.1)
    }
    /// `!=`
    #[inline(always)]
    pub fn ne_in_device_code(self, _: BinarySlot<operator::PartialEq, L, R>) -> bool {
        !self.0.apply(self.1)
    }
}

macro_rules! orders {
    ($($method:ident $name:ident $order:ident $symbol:literal;)*) => {
        impl<L: Order<R>, R> Operands<L, R> { $(
            #[doc = concat!("`", $symbol, "`")]
            #[inline(always)]
            pub fn $method(self, _: OrderSlot<operator::PartialOrd, L, R>) -> bool {
                self.0.$order(self.1)
            }
        )* }

        $(
            #[doc = concat!("`", $symbol, "` of two numbers of one type.")]
            #[inline(always)]
            pub fn $name<T: Num>(_: OrderSlot<operator::PartialOrd, T, T>, a: T, b: T) -> bool {
                Order::$order(a, b)
            }
        )*
    };
}
orders! {
    lt_in_device_code lt less "<";
    le_in_device_code le less_or_equal "<=";
    gt_in_device_code gt greater ">";
    ge_in_device_code ge greater_or_equal ">=";
}

/// Exists only for its error messages.
pub trait NoComparison<L, R>: Sized {
    /// Cannot be called.
    fn eq_in_device_code<S>(self, _: S) -> <() as missing::PartialEq<L, R>>::Output
    where
        (): missing::PartialEq<L, R>,
    {
        unreachable!("nothing has this operator")
    }
    /// Cannot be called.
    fn ne_in_device_code<S>(self, _: S) -> <() as missing::PartialEq<L, R>>::Output
    where
        (): missing::PartialEq<L, R>,
    {
        unreachable!("nothing has this operator")
    }
    /// Cannot be called.
    fn lt_in_device_code<S>(self, _: S) -> <() as missing::PartialOrd<L, R>>::Output
    where
        (): missing::PartialOrd<L, R>,
    {
        unreachable!("nothing has this operator")
    }
    /// Cannot be called.
    fn le_in_device_code<S>(self, _: S) -> <() as missing::PartialOrd<L, R>>::Output
    where
        (): missing::PartialOrd<L, R>,
    {
        unreachable!("nothing has this operator")
    }
    /// Cannot be called.
    fn gt_in_device_code<S>(self, _: S) -> <() as missing::PartialOrd<L, R>>::Output
    where
        (): missing::PartialOrd<L, R>,
    {
        unreachable!("nothing has this operator")
    }
    /// Cannot be called.
    fn ge_in_device_code<S>(self, _: S) -> <() as missing::PartialOrd<L, R>>::Output
    where
        (): missing::PartialOrd<L, R>,
    {
        unreachable!("nothing has this operator")
    }
}
impl<L, R> NoComparison<L, R> for Operands<L, R> {}

/// `==` of two numbers of one type.
#[inline(always)]
pub fn eq<T: Num>(_: BinarySlot<operator::PartialEq, T, T>, a: T, b: T) -> bool {
    a == b
}
/// `!=` of two numbers of one type.
#[inline(always)]
pub fn ne<T: Num>(_: BinarySlot<operator::PartialEq, T, T>, a: T, b: T) -> bool {
    a != b
}

/// What `a.partial_cmp(&b)` calls: what `a < b` calls.
#[derive(Debug)]
pub struct PartialCmp<L, R>(PhantomData<fn() -> (L, R)>);

impl<L: Order<R> + 'static, R: 'static> DeviceFn for PartialCmp<L, R> {
    const A_DEVICE_FUNCTION_CANNOT_CALL_ITSELF: usize = L::DEPTH;
    fn called() -> SlotValue {
        L::called_for_an_ordering()
    }
    #[inline(always)]
    fn total() -> bool {
        L::total()
    }
}

/// The method of `PartialOrd`, as device code calls it.
pub trait PartialOrdMethods<R>: Order<R> + 'static {
    /// `x.partial_cmp(&other)`
    #[inline(always)]
    fn partial_cmp_in_device_code(&self, other: &R, _: Callee<PartialCmp<Self, R>>) -> Option<Ordering>
    where
        R: Copy + 'static,
    {
        self.compare(*other)
    }
}
impl<L: Order<R> + 'static, R> PartialOrdMethods<R> for L {}

/// The orders of numbers that always have an answer, as device code calls them.
pub trait OrdMethods: Scalar {
    /// `x.cmp(&other)`
    #[inline(always)]
    fn cmp_in_device_code(&self, other: &Self, _: Callee<Builtin<Ordering>>) -> Ordering
    where
        Self: Int,
    {
        Ord::cmp(self, other)
    }
    /// `x.total_cmp(&other)`
    #[inline(always)]
    fn total_cmp_in_device_code(&self, other: &Self, _: Callee<Builtin<Ordering>>) -> Ordering
    where
        Self: Float,
    {
        Float::total_cmp(self, other)
    }
}
impl<T: Scalar> OrdMethods for T {}

/// The methods of `Ordering`, as device code calls them.
#[allow(clippy::wrong_self_convention, reason = "as std's")]
pub trait OrderingMethods {
    /// `x.reverse()`
    fn reverse_in_device_code(self, _: Callee<Builtin<Ordering>>) -> Ordering;
    /// `x.then(other)`
    fn then_in_device_code(self, other: Ordering, _: Callee<Builtin<Ordering>>) -> Ordering;
    /// `x.then_with(|| other)`
    fn then_with_in_device_code(self, other: impl FnOnce() -> Ordering, _: Callee<Builtin<Ordering>>) -> Ordering;
    /// `x.is_eq()`
    fn is_eq_in_device_code(self, _: Callee<Builtin<Ordering>>) -> bool;
    /// `x.is_ne()`
    fn is_ne_in_device_code(self, _: Callee<Builtin<Ordering>>) -> bool;
    /// `x.is_lt()`
    fn is_lt_in_device_code(self, _: Callee<Builtin<Ordering>>) -> bool;
    /// `x.is_le()`
    fn is_le_in_device_code(self, _: Callee<Builtin<Ordering>>) -> bool;
    /// `x.is_gt()`
    fn is_gt_in_device_code(self, _: Callee<Builtin<Ordering>>) -> bool;
    /// `x.is_ge()`
    fn is_ge_in_device_code(self, _: Callee<Builtin<Ordering>>) -> bool;
}
macro_rules! of_ordering {
    ($($method:ident $of:ident ($($other:ident)?) $Result:ty;)*) => {
        impl OrderingMethods for Ordering {
            #[inline(always)]
            fn then_with_in_device_code(self, other: impl FnOnce() -> Ordering, _: Callee<Builtin<Ordering>>) -> Ordering {
                self.then_with(other)
            }
            $(
            #[inline(always)]
            fn $method(self $(, $other: Ordering)?, _: Callee<Builtin<Ordering>>) -> $Result {
                Ordering::$of(self $(, $other)?)
            }
        )* }
    };
}
of_ordering! {
    reverse_in_device_code reverse () Ordering;
    then_in_device_code then (other) Ordering;
    is_eq_in_device_code is_eq () bool;
    is_ne_in_device_code is_ne () bool;
    is_lt_in_device_code is_lt () bool;
    is_le_in_device_code is_le () bool;
    is_gt_in_device_code is_gt () bool;
    is_ge_in_device_code is_ge () bool;
}
