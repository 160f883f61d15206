//! The values of device code: scalars, tuples, arrays, structs and enums.
//!
//! | file | contents |
//! |---|---|
//! | `scalar` | numbers and `bool`, and the bytes of values |
//! | `number` | the traits `Num`, `Int` and `Float`, for generic code |
//! | `arithmetic` | operators and methods on the CPU, with release-mode semantics; failures carry a source location |
//! | `atomic` | atomic types |
//! | `admitted` | the types of the user's code that device code accepts, with one error for each other type |
//! | `types` | types as data, and their layout in C++ |
//! | `format` | the text that values become on the host |
//! | `enums` | the same of enums; `Option` and `Result` |
//! | `half` | `f16` and `bf16` of the crate `half`, with the feature of this name |
//! | `check` | how a failed check ends an iteration on the CPU |

pub(crate) mod admitted;
pub(crate) mod arithmetic;
pub mod atomic;
pub(crate) mod check;
pub(crate) mod enums;
pub(crate) mod format;
#[cfg(feature = "half")]
mod half;
pub(crate) mod number;
pub(crate) mod scalar;
pub(crate) mod types;

use std::marker::PhantomData;

/// The number of lanes: how many iterations the CPU runs in lock step. Two or four times as many as
/// a vector has room for hide how long an operation takes.
pub const WIDTH: usize = 16;

use admitted::{ConstantValue, HostValue};
use anabranch_core::facts::{Member, Part};
use anabranch_core::scalar::IntType;
#[doc(hidden)]
pub use enums::{EnumType, Variant};
use scalar::Scalar;
use types::MAX_ALIGN;
#[doc(hidden)]
pub use types::{DeviceType, Field, StructType};

/// A value of device code: a [`Scalar`], a tuple of up to 12 values, an array of values, a `struct`
/// or `enum` with `#[device]`, or an `Option` or `Result` of values.
///
/// Variables of device code, parameters and results of `#[device]` functions, constants, and the
/// host values that a loop uses have these types. They are used on all threads of the CPU device.
/// Outside of this crate, only `#[device]` implements it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be used in device code",
    label = "device code computes with `bool`, numbers, and tuples, arrays and `#[device]` structs and enums of them",
    note = "if this is a struct or enum of your own, put `#[device]` above it; all its fields must be types of device code, too"
)]
pub trait DeviceValue: Copy + Send + Sync + 'static + HostValue<Self> + ConstantValue<Self> {
    /// The type itself. Without the trait, rustc has no type to continue with, so it reports one
    /// error.
    #[doc(hidden)]
    type Same;
    #[doc(hidden)]
    fn same(self) -> Self::Same;
    #[doc(hidden)]
    const TYPE: &'static DeviceType;
    /// Calls `put` for each scalar, in the order of declaration, with the scalar's offset in bytes
    /// if the whole value is at `offset`, its size, and its bits, zero-extended.
    #[doc(hidden)]
    fn scalars(&self, offset: usize, put: &mut dyn FnMut(usize, usize, u128));
    /// The value whose scalars `get` gives: the bits of the scalar with an offset and a size, as
    /// [`scalars`](Self::scalars) tells them.
    #[doc(hidden)]
    fn from_scalars(offset: usize, get: &mut dyn FnMut(usize, usize) -> u128) -> Self;
    /// Some value; of an enum, one of the variant with this number. Tells which variant a path of
    /// the user's code names.
    #[doc(hidden)]
    fn sample(variant: usize) -> Self;
    /// The values of all lanes, each scalar in an array of its own.
    #[doc(hidden)]
    type Lanes: Copy;
    /// The same value in each of them.
    #[doc(hidden)]
    fn in_lanes(self) -> Self::Lanes;
    /// The value of a lane.
    #[doc(hidden)]
    fn of_lane(lanes: &Self::Lanes, lane: usize) -> Self;
    /// Makes this the value of a lane.
    #[doc(hidden)]
    fn put_lane(self, lanes: &mut Self::Lanes, lane: usize);
    /// One value where all bits of the mask are set, the other one where none is.
    #[doc(hidden)]
    #[inline(always)]
    fn select(mask: u32, set: Self, other: Self) -> Self {
        if mask != 0 { set } else { other }
    }
    /// Its value, if it is an integer of at most 127 bits.
    #[doc(hidden)]
    fn integer(&self) -> Option<i128> {
        None
    }
    /// Whether it is a number or a `bool`, and not greater than the other one.
    #[doc(hidden)]
    fn at_most(&self, _high: &Self) -> bool {
        false
    }
    /// Calls `put` for each part that the path leads to, with its [`integer`](Self::integer); for a
    /// path that leads nowhere, with `None`.
    #[doc(hidden)]
    fn parts(&self, path: &[Part], put: &mut dyn FnMut(Option<i128>)) {
        put(if path.is_empty() { self.integer() } else { None });
    }
}

/// The lanes of what has no parts.
macro_rules! in_arrays {
    () => {
        type Lanes = [Self; $crate::value::WIDTH];
        #[inline(always)]
        fn in_lanes(self) -> Self::Lanes {
            [self; $crate::value::WIDTH]
        }
        #[inline(always)]
        fn of_lane(lanes: &Self::Lanes, lane: usize) -> Self {
            lanes[lane]
        }
        #[inline(always)]
        fn put_lane(self, lanes: &mut Self::Lanes, lane: usize) {
            lanes[lane] = self;
        }
    };
}
pub(crate) use in_arrays;

// No blanket implementation: rustc would take the type of a failed bound to be `Same`.
macro_rules! scalar_values {
    ($($T:ident)*) => { $(
        #[diagnostic::do_not_recommend]
        impl DeviceValue for $T {
            type Same = Self;
            #[inline(always)]
            fn same(self) -> Self { self }
            const TYPE: &'static DeviceType = &DeviceType::Scalar(<$T as Scalar>::TYPE);
            #[inline]
            fn scalars(&self, offset: usize, put: &mut dyn FnMut(usize, usize, u128)) {
                put(offset, size_of::<Self>(), self.bits());
            }
            fn sample(_: usize) -> Self { Self::default() }
            $crate::value::in_arrays!();
            // By bits: a choice between values becomes a branch where one of them took long to
            // compute.
            #[inline(always)]
            fn select(mask: u32, set: Self, other: Self) -> Self {
                let mask = i128::from(mask.cast_signed()).cast_unsigned();
                Self::of_bits(set.bits() & mask | other.bits() & !mask)
            }
            #[inline]
            fn from_scalars(offset: usize, get: &mut dyn FnMut(usize, usize) -> u128) -> Self {
                Self::of_bits(get(offset, size_of::<Self>()))
            }
            #[inline(always)]
            fn at_most(&self, high: &Self) -> bool { self <= high }
            #[inline(always)]
            fn integer(&self) -> Option<i128> {
                let IntType { bits, signed } = const { IntType::of(<Self as Scalar>::TYPE) }?;
                let value = self.bits().cast_signed();
                match signed {
                    true => Some(value << (128 - bits) >> (128 - bits)),
                    false => (value >= 0).then_some(value),
                }
            }
        }
        #[diagnostic::do_not_recommend]
        impl DeviceCopy for $T {
            type Same = Self;
            const PUT_DEVICE_ABOVE_THE_TYPE: $crate::value::Derived = $crate::value::Derived;
        }
        #[diagnostic::do_not_recommend]
        impl Zeroed for $T {
            const PUT_DEVICE_ABOVE_THE_TYPE: $crate::value::Derived = $crate::value::Derived;
        }
    )* };
}
#[cfg(feature = "half")]
use scalar_values;
scalar_values! { bool i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64 }

#[diagnostic::do_not_recommend]
impl<T: DeviceValue, const N: usize> DeviceValue for [T; N] {
    type Same = Self;
    #[inline(always)]
    fn same(self) -> Self {
        self
    }
    const TYPE: &'static DeviceType = &DeviceType::Array(<T as DeviceValue>::TYPE, N);
    fn scalars(&self, offset: usize, put: &mut dyn FnMut(usize, usize, u128)) {
        let (size, _) = const { <T as DeviceValue>::TYPE.layout() };
        self.iter().enumerate().for_each(|(at, element)| element.scalars(offset + at * size, put));
    }
    fn from_scalars(offset: usize, get: &mut dyn FnMut(usize, usize) -> u128) -> Self {
        let (size, _) = const { <T as DeviceValue>::TYPE.layout() };
        std::array::from_fn(|at| T::from_scalars(offset + at * size, get))
    }
    fn sample(_: usize) -> Self {
        std::array::from_fn(|_| T::sample(0))
    }
    type Lanes = [T::Lanes; N];
    #[inline(always)]
    fn in_lanes(self) -> Self::Lanes {
        self.map(T::in_lanes)
    }
    #[inline(always)]
    fn of_lane(lanes: &Self::Lanes, lane: usize) -> Self {
        std::array::from_fn(|at| T::of_lane(&lanes[at], lane))
    }
    #[inline(always)]
    fn put_lane(self, lanes: &mut Self::Lanes, lane: usize) {
        lanes.iter_mut().zip(self).for_each(|(lanes, value)| value.put_lane(lanes, lane));
    }
    #[inline(always)]
    fn select(mask: u32, set: Self, other: Self) -> Self {
        std::array::from_fn(|at| T::select(mask, set[at], other[at]))
    }
    fn parts(&self, path: &[Part], put: &mut dyn FnMut(Option<i128>)) {
        match path {
            [Part::Element(at), rest @ ..] if let Some(element) = self.get(*at) => element.parts(rest, put),
            [Part::AnyElement, rest @ ..] => self.iter().for_each(|element| element.parts(rest, put)),
            _ => put(None),
        }
    }
}

/// A number of a value, if that is an integer; where there is a choice, if all are.
#[inline]
pub(crate) fn number<T: DeviceValue>(value: &T, member: &Member) -> Option<i128> {
    if member.path.is_empty() {
        return value.integer();
    }
    let (mut found, mut all) = (None, true);
    value.parts(&member.path, &mut |number| match (number, found) {
        (None, _) => all = false,
        (Some(number), None) => found = Some(number),
        (Some(number), Some(other)) => {
            found = Some(if member.greatest { number.max(other) } else { number.min(other) })
        }
    });
    found.filter(|_| all)
}

/// A value that buffers hold: its bytes mean the same in Rust and in C++.
///
/// Scalars, `#[device]` enums without fields and with a `repr` of an integer, arrays, and
/// `#[device]` structs whose fields are such types. A tuple is not one, because Rust does not fix
/// the order of its parts; use a struct. Outside of this crate, only `#[device]` implements it.
#[diagnostic::on_unimplemented(
    message = "device memory cannot hold `{Self}`",
    label = "a buffer holds `bool`, numbers, `#[device]` enums with a `repr`, and arrays and `#[device]` structs of such types",
    note = "put `#[device]` above a struct of your own, whose fields are such types, too; instead of a tuple, use such a struct",
    note = "an enum needs `#[device]` and `#[repr(u8)]` (or another integer), and no fields in its variants: keep them beside it, in a struct"
)]
pub trait DeviceCopy: DeviceValue + Send + Sync {
    /// The type itself. Without the trait, rustc has no type to continue with, so it reports one
    /// error.
    #[doc(hidden)]
    type Same: DeviceCopy;
    #[doc(hidden)]
    const PUT_DEVICE_ABOVE_THE_TYPE: Derived;
}

/// What every implementation of [`DeviceCopy`] and [`Zeroed`] must name. Its only path is in
/// `private`, which is for generated code: only `#[device]` may claim that all bytes of a type are
/// valid. rustc reports the constant as missing, so its name says what to do.
#[derive(Debug, Clone, Copy)]
pub struct Derived;

/// Fails to compile if the layouts in Rust and in C++ differ. A function, because the user could
/// replace an item of the trait.
pub(crate) const fn same_layout<T: DeviceCopy>() {
    assert!(
        T::TYPE.is_laid_out_as(size_of::<T>(), align_of::<T>()) && align_of::<T>() <= MAX_ALIGN,
        "device memory cannot hold a type without a size, one that C++ cannot lay out as Rust does, or one that is aligned to more than 64 bytes"
    );
}

/// A value whose bytes may all be zero: what [`Device::zeros`](crate::Device::zeros) creates.
///
/// Scalars, arrays, `#[device]` enums of [`DeviceCopy`] with a variant that is 0, and `#[device]`
/// structs whose fields are such types. Any code can create an all-zero value of such a struct,
/// even if its fields are private. Unsafe code must expect that. For other types, use
/// [`Device::filled`](crate::Device::filled) or
/// [`Device::buffer_from`](crate::Device::buffer_from).
#[diagnostic::on_unimplemented(
    message = "zeroed memory is not a valid `{Self}`",
    label = "zeros are not a value of every field, or of no variant",
    note = "use `device.filled(len, value)` or `device.buffer_from(&values)`",
    note = "a buffer of numbers, `device.zeros::<u32>(len)`, is also what a kernel takes as `&[AtomicU32]`"
)]
pub trait Zeroed: DeviceCopy {
    #[doc(hidden)]
    const PUT_DEVICE_ABOVE_THE_TYPE: Derived;
}

#[diagnostic::do_not_recommend]
impl<T: DeviceCopy, const N: usize> DeviceCopy for [T; N] {
    type Same = [T; N];
    const PUT_DEVICE_ABOVE_THE_TYPE: Derived = Derived;
}
#[diagnostic::do_not_recommend]
impl<T: Zeroed, const N: usize> Zeroed for [T; N] {
    const PUT_DEVICE_ABOVE_THE_TYPE: Derived = Derived;
}

#[diagnostic::do_not_recommend]
impl<T: Send + Sync + 'static> DeviceValue for PhantomData<T> {
    type Same = Self;
    #[inline(always)]
    fn same(self) -> Self {
        self
    }
    const TYPE: &'static DeviceType = &DeviceType::Tuple(&[]);
    fn scalars(&self, _: usize, _: &mut dyn FnMut(usize, usize, u128)) {}
    fn from_scalars(_: usize, _: &mut dyn FnMut(usize, usize) -> u128) -> Self {
        PhantomData
    }
    fn sample(_: usize) -> Self {
        PhantomData
    }
    type Lanes = Self;
    #[inline(always)]
    fn in_lanes(self) -> Self {
        self
    }
    #[inline(always)]
    fn of_lane(_: &Self, _: usize) -> Self {
        PhantomData
    }
    #[inline(always)]
    fn put_lane(self, _: &mut Self, _: usize) {}
}
#[diagnostic::do_not_recommend]
impl<T: Send + Sync + 'static> DeviceCopy for PhantomData<T> {
    type Same = Self;
    const PUT_DEVICE_ABOVE_THE_TYPE: Derived = Derived;
}
#[diagnostic::do_not_recommend]
impl<T: Send + Sync + 'static> Zeroed for PhantomData<T> {
    const PUT_DEVICE_ABOVE_THE_TYPE: Derived = Derived;
}

macro_rules! tuples {
    ($($($T:ident $at:tt)*;)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<$($T: DeviceValue),*> DeviceValue for ($($T,)*) {
            type Same = Self;
            #[inline(always)]
            fn same(self) -> Self { self }
            const TYPE: &'static DeviceType = &DeviceType::Tuple(&[$(<$T as DeviceValue>::TYPE),*]);
            #[allow(non_snake_case)]
            fn scalars(&self, offset: usize, _put: &mut dyn FnMut(usize, usize, u128)) {
                let ($($T,)*) = self;
                let _end = offset;
                $(
                    let (size, align) = <$T as DeviceValue>::TYPE.layout();
                    let at = _end.next_multiple_of(align);
                    $T.scalars(at, _put);
                    let _end = at + size;
                )*
            }
            #[allow(non_snake_case)]
            #[allow(clippy::unused_unit)] // of the empty tuple
            fn from_scalars(offset: usize, _get: &mut dyn FnMut(usize, usize) -> u128) -> Self {
                let _end = offset;
                $(
                    let (size, align) = <$T as DeviceValue>::TYPE.layout();
                    let at = _end.next_multiple_of(align);
                    let $T = $T::from_scalars(at, _get);
                    let _end = at + size;
                )*
                ($($T,)*)
            }
            #[allow(clippy::unused_unit)] // of the empty tuple
            fn sample(_: usize) -> Self { ($($T::sample(0),)*) }
            type Lanes = ($($T::Lanes,)*);
            #[inline(always)]
            #[allow(clippy::unused_unit)] // of the empty tuple
            fn in_lanes(self) -> Self::Lanes { ($(self.$at.in_lanes(),)*) }
            #[inline(always)]
            #[allow(clippy::unused_unit)] // of the empty tuple
            fn of_lane(_lanes: &Self::Lanes, _lane: usize) -> Self { ($($T::of_lane(&_lanes.$at, _lane),)*) }
            #[inline(always)]
            fn put_lane(self, _lanes: &mut Self::Lanes, _lane: usize) { $(self.$at.put_lane(&mut _lanes.$at, _lane);)* }
            #[inline(always)]
            #[allow(clippy::unused_unit)] // of the empty tuple
            fn select(_mask: u32, _set: Self, _other: Self) -> Self {
                ($($T::select(_mask, _set.$at, _other.$at),)*)
            }
            #[allow(non_snake_case)]
            fn parts(&self, path: &[Part], put: &mut dyn FnMut(Option<i128>)) {
                let [Part::Field(name), _rest @ ..] = path else { return put(None) };
                let (_number, mut _next) = (name.parse::<u8>().ok(), 0..);
                let ($($T,)*) = self;
                $(if _next.next() == _number { return $T.parts(_rest, put); })*
                put(None);
            }
        }
    )* };
}
tuples! {
    ; A 0; A 0 B 1; A 0 B 1 C 2; A 0 B 1 C 2 D 3;
    A 0 B 1 C 2 D 3 E 4;
    A 0 B 1 C 2 D 3 E 4 F 5;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_lie_where_a_c_compiler_puts_them() {
        #[repr(C)]
        struct Pair {
            _a: u8,
            _c: [u32; 3],
            _d: u128,
        }
        let ty = <(u8, [u32; 3], u128) as DeviceValue>::TYPE;
        assert_eq!(ty.layout(), (size_of::<Pair>(), align_of::<Pair>()));
        // In C++ an empty struct has a size.
        assert_eq!(<() as DeviceValue>::TYPE.layout(), (1, 1));
    }

    #[test]
    fn scalars_come_in_order_with_their_places() {
        let mut scalars = Vec::new();
        let value = (1u8, [(2i32, -1i16), (3, 4)], true, (), 5u128);
        value.scalars(16, &mut |offset, size, bits| scalars.push((offset, size, bits)));
        assert_eq!(scalars, [(16, 1, 1), (20, 4, 2), (24, 2, 0xffff), (28, 4, 3), (32, 2, 4), (36, 1, 1), (48, 16, 5)]);
    }

    #[test]
    fn members_are_numbers_or_nothing() {
        let value = (7u8, [(2i32, -1i16), (3, 4)], 1.5f32, [[0u64; 2]; 0]);
        let field = |number: usize| Part::Field(number.to_string());
        let number = |path: Vec<Part>, greatest| number(&value, &Member { path, greatest });
        assert_eq!(number(vec![field(0)], false), Some(7));
        assert_eq!(number(vec![field(1), Part::Element(1), field(0)], false), Some(3));
        assert_eq!(number(vec![field(1), Part::AnyElement, field(1)], false), Some(-1));
        assert_eq!(number(vec![field(1), Part::AnyElement, field(1)], true), Some(4));
        let nowhere: [&[Part]; 8] = [
            &[],
            &[field(1)],
            &[field(1), Part::Element(2), field(0)],
            &[field(2)],
            &[field(3), Part::AnyElement, Part::Element(0)],
            &[field(4)],
            &[Part::Field("name".to_owned())],
            &[field(0), field(0)],
        ];
        for path in nowhere {
            assert_eq!(number(path.to_vec(), false), None, "{path:?}");
        }
    }
}
