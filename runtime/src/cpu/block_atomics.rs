//! Arrays of atomics that the threads of a block share.
//!
//! One thread of the CPU runs a block, and no other one sees its variables. So what the block
//! itself does to such an atomic needs no instruction that excludes others: it loads, computes and
//! stores. A function that is given a reference to the atomic does what it does with any other.

use std::sync::atomic::{AtomicI32, AtomicI64, AtomicIsize, AtomicU32, AtomicU64, AtomicUsize};

use super::atomics::{AtomicBits, AtomicOps};
use super::ops::{IndexSlot, Indexing, operator};
use super::places::at;
use crate::model::slots::{AtomicSlot, TypeOf};
use crate::value::DeviceValue;
use crate::value::arithmetic::Extremes;
use crate::value::atomic::{Atomic, AtomicF32, AtomicF64};

/// What `const { … }` is the value of, in an array that threads share.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no atomic of device code",
    label = "an array of `const {{ … }}` is an array of atomics that the threads share",
    note = "the atomics of device code are `AtomicU32`, `AtomicI32`, `AtomicU64`, `AtomicI64`, `AtomicUsize` and `AtomicIsize` of std, and `AtomicF32` and `AtomicF64` of anabranch",
    note = "an array of other values is written without `const`: `block.shared([0.0; 256])`"
)]
pub trait SharedAtomic<C> {
    /// The same atomic. The types are equal, but only an implementation says so: without one, rustc
    /// stops here and reports one error.
    fn same(self) -> C;
}

/// Exists only for its error message.
#[diagnostic::on_unimplemented(
    message = "`{A}` is no value of device code",
    label = "an atomic is an element of an array or of a slice",
    note = "for atomics that the threads of a block share, write `let own = block.shared([const {{ AtomicU32::new(0) }}; 256]);`",
    note = "for atomics in a buffer, write a parameter: `x: &[AtomicU32]`"
)]
pub trait AtomicValue<A> {}

/// Exists only for its error message: `AtomicU32::new(0)` as device code calls it.
pub trait NoAtomic: Sized {
    /// Cannot be called.
    fn new_in_device_code<V, S, R>(_: V, _: S) -> R
    where
        (): AtomicValue<Self>,
    {
        unreachable!("no atomic is a value")
    }
}

/// Atomics, and arrays of such.
pub trait Cells {
    /// Their values, as C++ has them.
    type Values: DeviceValue;
}

impl<C: Cells, const N: usize> Cells for [C; N] {
    type Values = [C::Values; N];
}

/// What `const { … }` is the value of.
#[inline(always)]
pub fn atomic<A: SharedAtomic<C>, C>(value: A) -> C {
    value.same()
}

/// Each of the atomics at first, from a closure that captures nothing; its slot keeps the type of
/// the closure.
#[inline(always)]
pub fn first<C, F: Fn() -> C + Copy + 'static>(_: AtomicSlot<C, F>, value: F) -> F {
    value
}

/// An array of what a function makes.
#[inline(always)]
pub fn atomics<const N: usize, C, F: Fn() -> C + Copy>(each: F) -> impl Fn() -> [C; N] + Copy {
    move || std::array::from_fn(|_| each())
}

/// Makes the array.
#[inline(always)]
pub fn made<C>(array: impl Fn() -> C) -> C {
    array()
}

/// Ties an array of atomics to the slot of its values.
#[inline(always)]
pub fn same_cells<C: Cells>(_: TypeOf<C::Values>, _: &C) {}

/// `base[index]` of an array of atomics, whose slot is that of an array of their values.
#[inline(always)]
#[track_caller]
pub fn atomic_element<C: Cells, const N: usize>(
    base: &[C; N],
    index: usize,
    _: IndexSlot<operator::Index, [C::Values; N], usize>,
) -> &C
where
    [C::Values; N]: Indexing<usize>,
{
    &base[at(index)]
}

/// The operations of atomics that one thread alone uses.
#[allow(missing_docs)] // as in std
pub trait BlockOps: AtomicOps + Sized {
    /// Replaces the value, and returns the previous one.
    #[doc(hidden)]
    #[inline(always)]
    fn change(&self, next: impl FnOnce(Self::Value) -> Self::Value) -> Self::Value {
        let old = AtomicOps::load(self);
        AtomicOps::store(self, next(old));
        old
    }
    #[inline(always)]
    fn load(&self) -> Self::Value {
        AtomicOps::load(self)
    }
    #[inline(always)]
    fn store(&self, value: Self::Value) {
        AtomicOps::store(self, value);
    }
    #[inline(always)]
    fn swap(&self, value: Self::Value) -> Self::Value {
        self.change(|_| value)
    }
    #[inline(always)]
    fn compare_exchange(&self, current: Self::Value, new: Self::Value) -> Result<Self::Value, Self::Value> {
        let old = AtomicOps::load(self);
        if !Self::same_bits(old, current) {
            return Err(old);
        }
        AtomicOps::store(self, new);
        Ok(old)
    }
    #[inline(always)]
    fn compare_exchange_weak(&self, current: Self::Value, new: Self::Value) -> Result<Self::Value, Self::Value> {
        BlockOps::compare_exchange(self, current, new)
    }
    /// Atomics compare bits, also of floats.
    #[doc(hidden)]
    fn same_bits(a: Self::Value, b: Self::Value) -> bool;
    fn fetch_add(&self, value: Self::Value) -> Self::Value;
    fn fetch_sub(&self, value: Self::Value) -> Self::Value;
    fn fetch_max(&self, value: Self::Value) -> Self::Value;
    fn fetch_min(&self, value: Self::Value) -> Self::Value;
}

/// The additional operations of integer atomics that one thread alone uses.
#[allow(missing_docs)] // as in std
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no operations on bits",
    label = "only atomics of integers have `fetch_and`, `fetch_or`, `fetch_xor` and `fetch_nand`"
)]
pub trait BlockBits: BlockOps + AtomicBits {
    fn fetch_and(&self, value: Self::Value) -> Self::Value;
    fn fetch_or(&self, value: Self::Value) -> Self::Value;
    fn fetch_xor(&self, value: Self::Value) -> Self::Value;
    fn fetch_nand(&self, value: Self::Value) -> Self::Value;
}

macro_rules! shared {
    ($($atomic:ident)*) => { $(
        #[diagnostic::do_not_recommend]
        impl SharedAtomic<$atomic> for $atomic {
            #[inline(always)]
            fn same(self) -> $atomic {
                self
            }
        }
        impl NoAtomic for $atomic {}
        #[diagnostic::do_not_recommend]
        impl Cells for $atomic {
            type Values = <$atomic as Atomic>::Value;
        }
    )* };
}
shared!(AtomicI32 AtomicI64 AtomicIsize AtomicU32 AtomicU64 AtomicUsize AtomicF32 AtomicF64);

macro_rules! changes {
    ($($name:ident: |$old:ident, $value:ident| $next:expr;)*) => { $(
        #[inline(always)]
        fn $name(&self, $value: Self::Value) -> Self::Value {
            self.change(|$old| $next)
        }
    )* };
}
macro_rules! integers {
    ($($atomic:ident)*) => { $(
        #[diagnostic::do_not_recommend]
        impl BlockOps for $atomic {
            #[inline(always)]
            fn same_bits(a: Self::Value, b: Self::Value) -> bool {
                a == b
            }
            changes! {
                fetch_add: |old, value| old.wrapping_add(value);
                fetch_sub: |old, value| old.wrapping_sub(value);
                fetch_max: |old, value| old.max(value);
                fetch_min: |old, value| old.min(value);
            }
        }
        #[diagnostic::do_not_recommend]
        impl BlockBits for $atomic {
            changes! {
                fetch_and: |old, value| old & value;
                fetch_or: |old, value| old | value;
                fetch_xor: |old, value| old ^ value;
                fetch_nand: |old, value| !(old & value);
            }
        }
    )* };
}
macro_rules! floats {
    ($($atomic:ident)*) => { $(
        #[diagnostic::do_not_recommend]
        impl BlockOps for $atomic {
            #[inline(always)]
            fn same_bits(a: Self::Value, b: Self::Value) -> bool {
                a.to_bits() == b.to_bits()
            }
            changes! {
                fetch_add: |old, value| old + value;
                fetch_sub: |old, value| old - value;
                fetch_max: |old, value| Extremes::ab_max(old, value);
                fetch_min: |old, value| Extremes::ab_min(old, value);
            }
        }
    )* };
}
integers!(AtomicI32 AtomicI64 AtomicIsize AtomicU32 AtomicU64 AtomicUsize);
floats!(AtomicF32 AtomicF64);

#[cfg(test)]
mod tests {
    use super::*;

    /// What an operation returns, and what is there then, alone and among others.
    macro_rules! same_results {
        ($has:ident as $alone:ident: $atomic:ident($first:expr): $($op:ident($($arg:expr),*))*) => { $({
            let (one, other) = ($atomic::new($first), $atomic::new($first));
            let results = (format!("{:?}", $has::$op(&one, $($arg),*)), format!("{:?}", $alone::$op(&other, $($arg),*)));
            assert_eq!(results.0, results.1, "{}", stringify!($atomic $op));
            assert_eq!(format!("{one:?}"), format!("{other:?}"), "{}", stringify!($atomic $op));
        })* };
    }

    #[test]
    fn a_thread_alone_finds_the_same_as_among_others() {
        macro_rules! integer {
            ($atomic:ident $T:ident) => {
                for (first, v) in [(5, 3), (3, 5), ($T::MAX, 1), ($T::MIN, 1), (0, 0), ($T::MIN, $T::MAX)] {
                    same_results! { AtomicOps as BlockOps: $atomic(first): load() store(v) swap(v) fetch_add(v) fetch_sub(v)
                    fetch_max(v) fetch_min(v) compare_exchange(first, v) compare_exchange(v, first) compare_exchange_weak(v, 9) }
                    same_results! { AtomicBits as BlockBits: $atomic(first): fetch_and(v) fetch_or(v) fetch_xor(v) fetch_nand(v) }
                }
            };
        }
        macro_rules! float {
            ($atomic:ident $T:ident) => {
                let nan = $T::NAN;
                for (first, v) in [(5.0, 3.5), (0.0, -0.0), (-0.0, 0.0), (nan, 1.0), (1.0, nan), (nan, nan)] {
                    same_results! { AtomicOps as BlockOps: $atomic(first): load() store(v) swap(v) fetch_add(v) fetch_sub(v)
                    fetch_max(v) fetch_min(v) compare_exchange(first, v) compare_exchange(v, first) compare_exchange_weak(v, 9.0) }
                }
            };
        }
        integer!(AtomicU32 u32);
        integer!(AtomicI32 i32);
        integer!(AtomicU64 u64);
        integer!(AtomicI64 i64);
        integer!(AtomicUsize usize);
        integer!(AtomicIsize isize);
        float!(AtomicF32 f32);
        float!(AtomicF64 f64);
    }
}
