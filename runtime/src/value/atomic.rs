//! Atomics: elements that all iterations and groups may modify, in a slice parameter such as
//! `&[AtomicU32]`.
//!
//! Device code uses the types of std, and [`AtomicF32`] and [`AtomicF64`], which std does not have.

use std::sync::atomic::{
    AtomicI32, AtomicI64, AtomicIsize, AtomicU32, AtomicU64, AtomicUsize,
    Ordering::{self, Relaxed},
};

use super::arithmetic::Extremes as _;
use super::scalar::Scalar;

/// An atomic element type of a kernel's slice: the atomics of std with 32 or 64 bits, [`AtomicF32`]
/// and [`AtomicF64`].
///
/// A kernel parameter `hist: &[AtomicU32]` is device memory that is modified only by atomic
/// operations. So these operations never race, in any iterations and groups. The launcher takes a
/// `&mut Buffer<u32>`, or a part of one. The trait is sealed.
///
/// An atomic operation costs more than a plain one. The
/// [reference](crate::reference::races#atomics) shows what to write for a histogram where that
/// matters.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no atomic of device code",
    label = "the atomics of device code have 32 or 64 bits",
    note = "they are `AtomicU32`, `AtomicI32`, `AtomicU64`, `AtomicI64`, `AtomicUsize` and `AtomicIsize` of std, and `AtomicF32` and `AtomicF64` of anabranch"
)]
pub trait Atomic: Sync + 'static + sealed::Sealed {
    /// The element type of the buffer.
    type Value: Scalar;
    /// The value.
    #[doc(hidden)]
    fn ab_value(&self) -> Self::Value;
}

mod sealed {
    /// Implementors promise that the type has the size, the alignment and the bits of its value.
    pub trait Sealed {}
}

macro_rules! atomics {
    ($($atomic:ident of $value:ident,)*) => { $(
        const _: () = assert!(size_of::<$atomic>() == size_of::<$value>());
        impl sealed::Sealed for $atomic {}
        #[diagnostic::do_not_recommend]
        impl Atomic for $atomic {
            type Value = $value;
            #[inline(always)]
            fn ab_value(&self) -> $value {
                $atomic::load(self, Relaxed)
            }
        }
    )* };
}
atomics! {
    AtomicU32 of u32,
    AtomicI32 of i32,
    AtomicU64 of u64,
    AtomicI64 of i64,
    AtomicUsize of usize,
    AtomicIsize of isize,
    AtomicF32 of f32,
    AtomicF64 of f64,
}

macro_rules! float {
    ($name:ident $float:ident $bits:ident $example:literal) => {
        #[doc = concat!("An atomic `", stringify!($float), "`, with the methods of std's atomics.")]
        ///
        /// On the CPU an operation is retried until no other thread interferes. On a GPU an
        /// addition is a single instruction; for `f32`, it [flushes subnormal numbers to
        /// zero](https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#parallel-synchronization-and-communication-instructions-atom).
        /// The order of additions is not fixed, so the last bits of a sum can differ from run to
        /// run.
        ///
        /// ```
        /// # use anabranch::atomic::*;
        /// # use std::sync::atomic::Ordering::Relaxed;
        #[doc = $example]
        /// assert_eq!(sum.fetch_add(0.25, Relaxed), 1.0);
        /// assert_eq!(sum.load(Relaxed), 1.25);
        /// ```
        #[derive(Debug, Default)]
        #[repr(transparent)]
        pub struct $name($bits);

        impl $name {
            /// Creates an atomic with this value.
            pub const fn new(value: $float) -> Self {
                Self($bits::new(value.to_bits()))
            }

            /// Returns the value.
            pub fn load(&self, order: Ordering) -> $float {
                $float::from_bits(self.0.load(order))
            }

            /// Replaces the value.
            pub fn store(&self, value: $float, order: Ordering) {
                self.0.store(value.to_bits(), order);
            }

            /// Replaces the value and returns the previous value.
            pub fn swap(&self, value: $float, order: Ordering) -> $float {
                $float::from_bits(self.0.swap(value.to_bits(), order))
            }

            /// Replaces the value with `new` if it has the same bits as `current`, and returns the
            /// previous value. Comparing bits means that a NaN can be equal to a NaN, and that 0.0
            /// differs from -0.0.
            ///
            /// # Errors
            /// Returns the value if it differs from `current`.
            pub fn compare_exchange(
                &self,
                current: $float,
                new: $float,
                success: Ordering,
                failure: Ordering,
            ) -> std::result::Result<$float, $float> {
                let result = self.0.compare_exchange(current.to_bits(), new.to_bits(), success, failure);
                result.map($float::from_bits).map_err($float::from_bits)
            }

            /// Like [`compare_exchange`](Self::compare_exchange), but may fail spuriously.
            ///
            /// # Errors
            /// Returns the value if it was not replaced.
            pub fn compare_exchange_weak(
                &self,
                current: $float,
                new: $float,
                success: Ordering,
                failure: Ordering,
            ) -> std::result::Result<$float, $float> {
                let result = self.0.compare_exchange_weak(current.to_bits(), new.to_bits(), success, failure);
                result.map($float::from_bits).map_err($float::from_bits)
            }

            /// Adds to the value and returns the previous value.
            pub fn fetch_add(&self, value: $float, order: Ordering) -> $float {
                self.change(order, |old| old + value)
            }

            /// Subtracts from the value and returns the previous value.
            pub fn fetch_sub(&self, value: $float, order: Ordering) -> $float {
                self.change(order, |old| old - value)
            }

            /// Replaces the value with the maximum of it and `value`, and returns the previous
            /// value. A NaN is less than any number, and -0 less than 0.
            pub fn fetch_max(&self, value: $float, order: Ordering) -> $float {
                self.change(order, |old| old.ab_max(value))
            }

            /// Replaces the value with the minimum of it and `value`, and returns the previous
            /// value. A NaN is greater than any number, and 0 greater than -0.
            pub fn fetch_min(&self, value: $float, order: Ordering) -> $float {
                self.change(order, |old| old.ab_min(value))
            }

            /// Consumes the atomic and returns its value.
            pub fn into_inner(self) -> $float {
                $float::from_bits(self.0.into_inner())
            }

            fn change(&self, order: Ordering, change: impl Fn($float) -> $float) -> $float {
                let next = |old| Some(change($float::from_bits(old)).to_bits());
                // `next` always returns `Some`, so this never fails. `Ok` and `Err` both hold the
                // previous value.
                let (Ok(old) | Err(old)) = self.0.fetch_update(order, Relaxed, next);
                $float::from_bits(old)
            }
        }

        impl From<$float> for $name {
            fn from(value: $float) -> Self {
                Self::new(value)
            }
        }
    };
}
float!(AtomicF32 f32 AtomicU32 "let sum = AtomicF32::new(1.0);");
float!(AtomicF64 f64 AtomicU64 "let sum = AtomicF64::new(1.0);");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_have_the_operations_of_std() {
        let x = AtomicF32::new(2.0);
        assert_eq!(x.fetch_sub(0.5, Relaxed), 2.0);
        assert_eq!(x.fetch_max(7.0, Relaxed), 1.5);
        assert_eq!(x.fetch_max(f32::NAN, Relaxed), 7.0);
        assert_eq!(x.fetch_min(3.0, Relaxed), 7.0);
        let zero = AtomicF32::new(-0.0);
        zero.fetch_max(0.0, Relaxed);
        assert!(zero.load(Relaxed).is_sign_positive(), "of two zeros, -0 is the smaller one");
        zero.fetch_min(-0.0, Relaxed);
        assert!(zero.load(Relaxed).is_sign_negative());
        assert_eq!(x.swap(-0.0, Relaxed), 3.0);
        assert_eq!(x.compare_exchange(0.0, 1.0, Relaxed, Relaxed), Err(-0.0), "compared by bits");
        assert_eq!(x.compare_exchange(-0.0, f32::NAN, Relaxed, Relaxed), Ok(-0.0));
        assert!(x.compare_exchange(f32::NAN, 4.0, Relaxed, Relaxed).is_ok(), "compared by bits");
        x.store(5.0, Relaxed);
        assert_eq!((x.load(Relaxed), x.into_inner()), (5.0, 5.0));
    }

    #[test]
    fn no_addition_is_lost() {
        let sum = AtomicF64::from(0.0);
        std::thread::scope(|threads| {
            for _ in 0..4 {
                threads.spawn(|| (0..1000).for_each(|_| _ = sum.fetch_add(0.5, Relaxed)));
            }
        });
        assert_eq!(sum.load(Relaxed), 2000.0);
    }
}
