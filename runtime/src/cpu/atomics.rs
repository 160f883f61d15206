//! The atomic operations as generated code calls them: by path, so that a method of the user cannot
//! replace them.

use std::sync::atomic::{
    AtomicI32, AtomicI64, AtomicIsize, AtomicU32, AtomicU64, AtomicUsize,
    Ordering::{self, Relaxed},
};

use crate::value::atomic::{Atomic, AtomicF32, AtomicF64};

/// Checks at compile time that the ordering of an operation is `Relaxed`.
pub const fn relaxed(order: Ordering) {
    assert!(matches!(order, Relaxed), "the ordering of atomic operations of device code is `Relaxed`");
}

/// The operations of all atomics.
#[allow(missing_docs)] // as in std
pub trait AtomicOps: Atomic {
    fn load(&self) -> Self::Value;
    fn store(&self, value: Self::Value);
    fn swap(&self, value: Self::Value) -> Self::Value;
    fn compare_exchange(&self, current: Self::Value, new: Self::Value) -> Result<Self::Value, Self::Value>;
    fn compare_exchange_weak(&self, current: Self::Value, new: Self::Value) -> Result<Self::Value, Self::Value>;
    fn fetch_add(&self, value: Self::Value) -> Self::Value;
    fn fetch_sub(&self, value: Self::Value) -> Self::Value;
    fn fetch_max(&self, value: Self::Value) -> Self::Value;
    fn fetch_min(&self, value: Self::Value) -> Self::Value;
}

/// The additional operations of integer atomics.
#[allow(missing_docs)] // as in std
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no operations on bits",
    label = "only atomics of integers have `fetch_and`, `fetch_or`, `fetch_xor` and `fetch_nand`"
)]
pub trait AtomicBits: AtomicOps {
    fn fetch_and(&self, value: Self::Value) -> Self::Value;
    fn fetch_or(&self, value: Self::Value) -> Self::Value;
    fn fetch_xor(&self, value: Self::Value) -> Self::Value;
    fn fetch_nand(&self, value: Self::Value) -> Self::Value;
}

macro_rules! one_value {
    ($atomic:ident $($name:ident)*) => { $(
        #[inline(always)]
        fn $name(&self, value: Self::Value) -> Self::Value {
            $atomic::$name(self, value, Relaxed)
        }
    )* };
}
macro_rules! all_have {
    ($($atomic:ident)*) => { $(
        #[diagnostic::do_not_recommend]
        impl AtomicOps for $atomic {
            #[inline(always)]
            fn load(&self) -> Self::Value {
                $atomic::load(self, Relaxed)
            }
            #[inline(always)]
            fn store(&self, value: Self::Value) {
                $atomic::store(self, value, Relaxed);
            }
            #[inline(always)]
            fn compare_exchange(&self, current: Self::Value, new: Self::Value) -> Result<Self::Value, Self::Value> {
                $atomic::compare_exchange(self, current, new, Relaxed, Relaxed)
            }
            #[inline(always)]
            fn compare_exchange_weak(&self, current: Self::Value, new: Self::Value) -> Result<Self::Value, Self::Value> {
                $atomic::compare_exchange_weak(self, current, new, Relaxed, Relaxed)
            }
            one_value!($atomic swap fetch_add fetch_sub fetch_max fetch_min);
        }
    )* };
}
macro_rules! integers_have {
    ($($atomic:ident)*) => { $(
        #[diagnostic::do_not_recommend]
        impl AtomicBits for $atomic {
            one_value!($atomic fetch_and fetch_or fetch_xor fetch_nand);
        }
    )* };
}
all_have!(AtomicI32 AtomicI64 AtomicIsize AtomicU32 AtomicU64 AtomicUsize AtomicF32 AtomicF64);
integers_have!(AtomicI32 AtomicI64 AtomicIsize AtomicU32 AtomicU64 AtomicUsize);
