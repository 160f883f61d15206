//! Scalars: the element types of buffers.

#![allow(unsafe_code, reason = "bytes of values")]

use super::{DeviceCopy, DeviceValue, Zeroed};
use std::mem::MaybeUninit;

#[doc(hidden)]
pub use anabranch_core::scalar::ScalarType;

/// A primitive type of device code: `bool`, every integer type, `f32` and `f64`; with the feature
/// `half` also `half::f16` and `half::bf16`.
///
/// Kernels and device functions are generic over scalars. The trait is sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a scalar",
    label = "a scalar is `bool`, an integer or a float"
)]
pub trait Scalar:
    Copy
    + Default
    + PartialOrd
    + std::fmt::Debug
    + Send
    + Sync
    + 'static
    + sealed::Sealed
    + DeviceValue<Same = Self>
    + DeviceCopy<Same = Self>
    + Zeroed
{
    #[doc(hidden)]
    const TYPE: ScalarType;
    /// The bits, zero-extended.
    #[doc(hidden)]
    fn bits(self) -> u128;
    /// The value with these bits. All bits beyond its size are ignored.
    #[doc(hidden)]
    fn of_bits(bits: u128) -> Self;
}

pub(super) mod sealed {
    /// Implementors promise what the runtime relies on: the type has no padding and no lifetime,
    /// all-zero bytes are a valid value, and each value that device code can write is a valid
    /// value.
    pub trait Sealed {}
}

macro_rules! scalars {
    ($($t:ident $ty:ident |$value:ident| $bits:expr, |$given:ident| $of_bits:expr;)*) => { $(
        impl sealed::Sealed for $t {}
        #[diagnostic::do_not_recommend]
        impl Scalar for $t {
            const TYPE: ScalarType = ScalarType::$ty;
            #[inline]
            fn bits(self) -> u128 { let $value = self; $bits }
            #[inline]
            fn of_bits($given: u128) -> Self { $of_bits }
        }
    )* };
}
scalars! {
    bool Bool |v| v.into(), |b| b & 1 != 0;
    i8 I8 |v| v.cast_unsigned().into(), |b| b as i8;
    i16 I16 |v| v.cast_unsigned().into(), |b| b as i16;
    i32 I32 |v| v.cast_unsigned().into(), |b| b as i32;
    i64 I64 |v| v.cast_unsigned().into(), |b| b as i64;
    i128 I128 |v| v.cast_unsigned(), |b| b as i128;
    isize Isize |v| v.cast_unsigned() as u128, |b| b as isize;
    u8 U8 |v| v.into(), |b| b as u8;
    u16 U16 |v| v.into(), |b| b as u16;
    u32 U32 |v| v.into(), |b| b as u32;
    u64 U64 |v| v.into(), |b| b as u64;
    u128 U128 |v| v, |b| b;
    usize Usize |v| v as u128, |b| b as usize;
    f32 F32 |v| v.to_bits().into(), |b| f32::from_bits(b as u32);
    f64 F64 |v| v.to_bits().into(), |b| f64::from_bits(b as u64);
}

/// The bytes of some values. Those between fields are uninitialized.
pub(crate) fn as_bytes<T: DeviceCopy>(values: &[T]) -> &[MaybeUninit<u8>] {
    // SAFETY: any byte is a `MaybeUninit<u8>`, and bytes have no alignment.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
}

/// The bytes of some values, which may be overwritten with the bytes of values of the same type.
pub(crate) fn as_bytes_mut<T: DeviceCopy>(values: &mut [MaybeUninit<T>]) -> &mut [MaybeUninit<u8>] {
    // SAFETY: as above; a `MaybeUninit` may be uninitialized again.
    unsafe { std::slice::from_raw_parts_mut(values.as_mut_ptr().cast(), size_of_val(values)) }
}

/// The bytes of a value as C++ writes it, with zeros between fields.
pub(crate) fn pattern<T: DeviceCopy>(value: &T) -> Vec<u8> {
    let mut bytes = vec![0; size_of::<T>()];
    value.scalars(0, &mut |offset, size, bits| {
        if let Some(room) = bytes.get_mut(offset..offset + size) {
            room.copy_from_slice(low_bytes(&bits.to_ne_bytes(), size));
        }
    });
    bytes
}

/// The lowest `size` bytes of a number.
#[inline]
pub(crate) fn low_bytes(bytes: &[u8; 16], size: usize) -> &[u8] {
    if cfg!(target_endian = "little") { &bytes[..size] } else { &bytes[16 - size..] }
}
