//! The values of device code: scalars, and tuples and arrays of them.
//!
//! | file | contents |
//! |---|---|
//! | `scalar` | numbers and `bool`: the elements of buffers |
//! | `number` | the traits `Num`, `Int` and `Float`, for generic code |
//! | `arithmetic` | operators and methods on the CPU, with release-mode semantics; failures carry a source location |
//! | `atomic` | atomic types |
//! | `admitted` | the types of the user's code that device code accepts, with one error for each other type |
//! | `check` | how a failed check ends an iteration on the CPU |

pub(crate) mod admitted;
pub(crate) mod arithmetic;
pub mod atomic;
pub(crate) mod check;
pub(crate) mod number;
pub(crate) mod scalar;

use crate::decide::IntType;
use admitted::{Names, Travels};
use scalar::{Scalar, ScalarType};

/// The type of a value of device code, as data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[doc(hidden)]
pub enum DeviceType {
    /// A primitive type.
    Scalar(ScalarType),
    /// A tuple; `()` has no parts.
    Tuple(&'static [&'static DeviceType]),
    /// An array with an element type and a length.
    Array(&'static DeviceType, usize),
}

impl DeviceType {
    /// Size and alignment in bytes of the C++ layout: parts in order, each aligned.
    pub(crate) fn layout(&self) -> (usize, usize) {
        match self {
            DeviceType::Scalar(ty) => (ty.size(), ty.size()),
            DeviceType::Tuple(parts) => {
                let (end, align) = parts.iter().fold((0usize, 1), |(end, align), part| {
                    let (size, part_align) = part.layout();
                    (end.next_multiple_of(part_align) + size, part_align.max(align))
                });
                (end.next_multiple_of(align).max(1), align)
            }
            DeviceType::Array(element, len) => {
                let (size, align) = element.layout();
                (size * (*len).max(1), align)
            }
        }
    }

    /// The type as an integer type.
    pub(crate) const fn integer(&self) -> Option<IntType> {
        match self {
            DeviceType::Scalar(ty) => ty.integer(),
            DeviceType::Tuple(_) | DeviceType::Array(..) => None,
        }
    }
}

/// A value of device code: a [`Scalar`], a tuple of up to 12 values, or an array of values.
///
/// Variables of device code, parameters and results of `#[device]` functions, constants, and the host values that a loop uses have
/// these types. The trait is sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be used in device code",
    label = "device code computes with `bool`, integers, floats, and tuples and arrays of them"
)]
pub trait DeviceValue: Copy + 'static + sealed::Sealed + Travels<Self> + Names<Self> {
    #[doc(hidden)]
    const TYPE: &'static DeviceType;
    /// Calls `put` for each scalar, in order, with the scalar's offset in bytes if the whole value is at `offset`, its size, and its
    /// bits, zero-extended.
    #[doc(hidden)]
    fn scalars(&self, offset: usize, put: &mut dyn FnMut(usize, usize, u128));
    /// Its value, if it is an integer of at most 127 bits.
    #[doc(hidden)]
    fn integer(&self) -> Option<i128> {
        None
    }
}

mod sealed {
    pub trait Sealed {}
    impl<T: super::scalar::Scalar> Sealed for T {}
    impl<T: super::DeviceValue, const N: usize> Sealed for [T; N] {}
}

#[diagnostic::do_not_recommend]
impl<T: Scalar> DeviceValue for T {
    const TYPE: &'static DeviceType = &DeviceType::Scalar(T::TYPE);
    #[inline]
    fn scalars(&self, offset: usize, put: &mut dyn FnMut(usize, usize, u128)) {
        put(offset, T::TYPE.size(), self.bits());
    }
    #[inline]
    fn integer(&self) -> Option<i128> {
        let IntType { bits, signed } = T::TYPE.integer()?;
        let value = self.bits().cast_signed();
        match signed {
            true => Some(value << (128 - bits) >> (128 - bits)),
            false => (value >= 0).then_some(value),
        }
    }
}

impl<T: DeviceValue, const N: usize> DeviceValue for [T; N] {
    const TYPE: &'static DeviceType = &DeviceType::Array(<T as DeviceValue>::TYPE, N);
    fn scalars(&self, offset: usize, put: &mut dyn FnMut(usize, usize, u128)) {
        let (size, _) = <T as DeviceValue>::TYPE.layout();
        self.iter().enumerate().for_each(|(at, element)| element.scalars(offset + at * size, put));
    }
}

macro_rules! tuples {
    ($($($T:ident)*;)*) => { $(
        impl<$($T: DeviceValue),*> sealed::Sealed for ($($T,)*) {}
        impl<$($T: DeviceValue),*> DeviceValue for ($($T,)*) {
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
        }
    )* };
}
tuples! {
    ; A; A B; A B C; A B C D; A B C D E; A B C D E F; A B C D E F G; A B C D E F G H; A B C D E F G H I;
    A B C D E F G H I J; A B C D E F G H I J K; A B C D E F G H I J K L;
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
}
