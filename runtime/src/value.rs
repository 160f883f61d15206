//! What device code computes with: scalars, and tuples and arrays of them.

use crate::private::facts::IntType;
use crate::scalar::{Scalar, ScalarType};

/// The type of a value of device code, as data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[doc(hidden)]
pub enum DeviceType {
    /// A primitive type.
    Scalar(ScalarType),
    /// A tuple; `()` has no parts.
    Tuple(&'static [&'static DeviceType]),
    /// An array of so many elements.
    Array(&'static DeviceType, usize),
}

impl DeviceType {
    /// Size and alignment in bytes, as C++ lays it out: parts in order, each aligned.
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

    /// As a type of integers.
    pub(crate) const fn integer(&self) -> Option<IntType> {
        match self {
            DeviceType::Scalar(ty) => ty.integer(),
            DeviceType::Tuple(_) | DeviceType::Array(..) => None,
        }
    }

    /// Calls `put` with the offset and size of each scalar, in order.
    pub(crate) fn scalars(&self, offset: usize, put: &mut dyn FnMut(usize, usize)) {
        match self {
            DeviceType::Scalar(ty) => put(offset, ty.size()),
            DeviceType::Tuple(parts) => {
                let mut end = offset;
                for part in *parts {
                    let (size, align) = part.layout();
                    let at = end.next_multiple_of(align);
                    part.scalars(at, put);
                    end = at + size;
                }
            }
            DeviceType::Array(element, len) => {
                let (size, _) = element.layout();
                (0..*len).for_each(|i| element.scalars(offset + i * size, put));
            }
        }
    }
}

/// A value of device code: a [`Scalar`], a tuple of up to 12 values, or an array of values.
///
/// Such values can be variables of device code, parameters and results of `#[device]` functions, constants, and what a
/// loop uses of the host part. The trait is sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be used in device code",
    label = "device code computes with `bool`, integers, floats, and tuples and arrays of them"
)]
pub trait DeviceValue: Copy + 'static + sealed::Sealed {
    #[doc(hidden)]
    const TYPE: &'static DeviceType;
    /// The bits of its scalars, each zero-extended, in order.
    #[doc(hidden)]
    fn scalars(&self, out: &mut dyn FnMut(u128));
    /// Its value, if it is an integer of at most 127 bits.
    #[doc(hidden)]
    fn integer(&self) -> Option<i128> {
        None
    }
}

mod sealed {
    pub trait Sealed {}
    impl<T: crate::Scalar> Sealed for T {}
    impl<T: super::DeviceValue, const N: usize> Sealed for [T; N] {}
}

#[diagnostic::do_not_recommend]
impl<T: Scalar> DeviceValue for T {
    const TYPE: &'static DeviceType = &DeviceType::Scalar(T::TYPE);
    #[inline]
    fn scalars(&self, out: &mut dyn FnMut(u128)) {
        out(self.bits());
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
    fn scalars(&self, out: &mut dyn FnMut(u128)) {
        self.iter().for_each(|element| element.scalars(out));
    }
}

macro_rules! tuples {
    ($($($T:ident)*;)*) => { $(
        impl<$($T: DeviceValue),*> sealed::Sealed for ($($T,)*) {}
        impl<$($T: DeviceValue),*> DeviceValue for ($($T,)*) {
            const TYPE: &'static DeviceType = &DeviceType::Tuple(&[$(<$T as DeviceValue>::TYPE),*]);
            #[allow(non_snake_case)]
            fn scalars(&self, _out: &mut dyn FnMut(u128)) {
                let ($($T,)*) = self;
                $($T.scalars(_out);)*
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
        let mut offsets = Vec::new();
        ty.scalars(0, &mut |offset, size| offsets.push((offset, size)));
        assert_eq!(offsets, [(0, 1), (4, 4), (8, 4), (12, 4), (16, 16)]);
        // An empty struct of C++ has a size.
        assert_eq!(<() as DeviceValue>::TYPE.layout(), (1, 1));
    }

    #[test]
    fn scalars_come_in_order() {
        let mut bits = Vec::new();
        (1u8, [(2i32, -1i16), (3, 4)], true).scalars(&mut |b| bits.push(b));
        assert_eq!(bits, [1, 2, 0xffff, 3, 4, 1]);
    }
}
