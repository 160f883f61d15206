//! The operators and methods of numbers as generated code calls them: functions, by path.

mod native;

pub use crate::value::arithmetic::*;
pub use native::*;

use std::marker::PhantomData;

use crate::value::number::{Int, Num};

macro_rules! operators {
    ($($name:ident $method:ident)*) => { $(
        #[doc = concat!("The operator `", stringify!($name), "` of device code; the slot holds its type.")]
        #[inline(always)]
        #[track_caller]
        pub fn $name<T: Num>(_: PhantomData<T>, a: T, b: T) -> T { T::$method(a, b) }
    )* };
}
operators! { add ab_add sub ab_sub mul ab_mul div ab_div rem ab_rem }

/// `-a`.
#[inline(always)]
pub fn neg<T: SignedArithmetic>(_: PhantomData<T>, a: T) -> T {
    T::ab_neg(a)
}

/// `a << b`: the count is masked, whatever its type.
#[inline(always)]
pub fn shl<T: Int, S: Int>(_: PhantomData<T>, a: T, b: S) -> T {
    T::ab_shl(a, b.ab_low_bits())
}

/// `a >> b`: the count is masked, whatever its type.
#[inline(always)]
pub fn shr<T: Int, S: Int>(_: PhantomData<T>, a: T, b: S) -> T {
    T::ab_shr(a, b.ab_low_bits())
}

/// `a.cast::<U>()`: `as` between types that generic code does not know.
#[inline(always)]
pub fn cast<T: Num, U: Num>(_: PhantomData<U>, a: T) -> U {
    a.ab_as()
}

#[cfg(test)]
mod tests;
