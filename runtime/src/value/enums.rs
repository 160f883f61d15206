//! Enums as data, and their layout in C++: a tag, and then the fields of every variant, each
//! variant in a struct of its own. A union would have to be in memory; a struct of numbers that are
//! not used costs nothing in registers.

use std::any::TypeId;
use std::cmp::Ordering;

use super::admitted::{ConstantValue, HostValue};
use super::scalar::ScalarType;
use super::types::{in_order, larger};
use super::{DeviceType, DeviceValue};

/// A `#[device]` enum, `Option` or `Result`, as data. It has at least one variant.
#[derive(Debug)]
#[doc(hidden)]
pub struct EnumType {
    /// The name in Rust.
    pub name: &'static str,
    /// The name, as an identifier of C++.
    pub c_name: &'static str,
    /// The module that declares it.
    pub module: &'static str,
    /// Tells the instances of a generic enum apart.
    pub id: TypeId,
    /// Size in bytes in Rust.
    pub size: usize,
    /// The integer that an enum without fields is in memory, if `repr` says so. C++ then lays it
    /// out as Rust does.
    pub repr: Option<ScalarType>,
    /// The variants, in the order of their declaration.
    pub variants: &'static [Variant],
}

/// A variant of an enum.
#[derive(Debug)]
#[doc(hidden)]
pub struct Variant {
    /// The name, as an identifier of C++.
    pub c_name: &'static str,
    /// What tells it apart: the discriminant in an enum without fields, else its number.
    pub tag: i128,
    /// The names of the C++ members.
    pub members: &'static [&'static str],
    /// The types of the fields, in the order of their declaration.
    pub fields: &'static [&'static DeviceType],
}

impl EnumType {
    /// The type of the tag in C++.
    pub(crate) const fn tag(&self) -> ScalarType {
        if let Some(repr) = self.repr {
            return repr;
        }
        let mut at = 0;
        while at < self.variants.len() {
            let tag = self.variants[at].tag;
            if tag != tag as i32 as i128 {
                return ScalarType::Isize;
            }
            at += 1;
        }
        ScalarType::I32
    }

    /// Size and alignment in bytes in C++.
    pub(super) const fn layout(&self) -> (usize, usize) {
        let (mut align, mut at) = (self.tag().size(), 0);
        while at < self.variants.len() {
            let fields = self.variants[at].fields;
            align = larger(align, in_order(fields, fields.len()).1);
            at += 1;
        }
        (self.start(self.variants.len()).next_multiple_of(align), align)
    }

    /// Where the struct of a variant begins in C++, in bytes; for the number after the last, the
    /// end.
    const fn start(&self, variant: usize) -> usize {
        let (mut end, mut at) = (self.tag().size(), 0);
        while at < self.variants.len() {
            let fields = self.variants[at].fields;
            let (size, align) = in_order(fields, fields.len());
            if !fields.is_empty() {
                let start = end.next_multiple_of(align);
                if at == variant {
                    return start;
                }
                end = start + size.next_multiple_of(align);
            }
            at += 1;
        }
        end
    }

    /// The offset of a field in C++, in bytes.
    const fn c_offset(&self, variant: usize, field: usize) -> usize {
        let fields = self.variants[variant].fields;
        let (_, align) = fields[field].layout();
        self.start(variant) + in_order(fields, field).0.next_multiple_of(align)
    }

    /// The variant with a tag, of which only the bits of the tag's type are known.
    pub(crate) fn with_tag(&self, bits: u128) -> usize {
        let unused = 128 - 8 * self.tag().size() as u32;
        let same = |tag: i128| tag.cast_unsigned() << unused == bits << unused;
        self.variants.iter().position(|variant| same(variant.tag)).unwrap_or(0)
    }
}

/// The offset in C++ of a field of an enum, in bytes.
pub const fn c_offset_in<T: DeviceValue>(variant: usize, field: usize) -> usize {
    match T::TYPE {
        DeviceType::Enum(ty) => ty.c_offset(variant, field),
        DeviceType::Scalar(_) | DeviceType::Tuple(_) | DeviceType::Array(..) | DeviceType::Struct(_) => 0,
    }
}

/// Puts the tag of a variant, which is the first scalar of an enum.
pub fn put_tag<T: DeviceValue>(variant: usize, offset: usize, put: &mut dyn FnMut(usize, usize, u128)) {
    if let DeviceType::Enum(ty) = T::TYPE {
        let size = ty.tag().size();
        let bits = ty.variants[variant].tag.cast_unsigned();
        put(offset, size, bits & u128::MAX >> (128 - 8 * size as u32));
    }
}

/// The number of the variant whose tag [`put_tag`] has put.
pub fn variant_at<T: DeviceValue>(offset: usize, get: &mut dyn FnMut(usize, usize) -> u128) -> usize {
    match T::TYPE {
        DeviceType::Enum(ty) => ty.with_tag(get(offset, ty.tag().size())),
        DeviceType::Scalar(_) | DeviceType::Tuple(_) | DeviceType::Array(..) | DeviceType::Struct(_) => 0,
    }
}

/// How two variants of an enum compare: by their discriminants.
pub fn order_of_tags<T: DeviceValue>(a: usize, b: usize) -> Option<Ordering> {
    match T::TYPE {
        DeviceType::Enum(ty) => ty.variants[a].tag.partial_cmp(&ty.variants[b].tag),
        DeviceType::Scalar(_) | DeviceType::Tuple(_) | DeviceType::Array(..) | DeviceType::Struct(_) => None,
    }
}

/// Whether all bytes of an enum may be zero: whether one of its discriminants is 0.
#[derive(Debug)]
pub struct HasZero<const YES: bool>;

/// Holds for an enum that has a variant with the discriminant 0.
pub trait CanBeZero {}
impl CanBeZero for HasZero<true> {}

/// The enum of std with these variants.
macro_rules! of_std {
    ($name:ident<$($T:ident),*> $module:literal: $($number:literal $tag:literal $variant:ident $(($field:ident $value:ident))?),*) => {
        #[diagnostic::do_not_recommend]
        impl<$($T: DeviceValue),*> HostValue<Self> for $name<$($T),*> {
            #[inline(always)]
            fn ab_host_value(&self) -> Self { *self }
        }
        #[diagnostic::do_not_recommend]
        impl<$($T: DeviceValue),*> ConstantValue<Self> for $name<$($T),*> {
            #[inline(always)]
            fn ab_constant_value(self) -> Self { self }
        }
        #[diagnostic::do_not_recommend]
        impl<$($T: DeviceValue),*> DeviceValue for $name<$($T),*> {
            type Same = Self;
            #[inline(always)]
            fn same(self) -> Self { self }
            const TYPE: &'static DeviceType = &DeviceType::Enum(&EnumType {
                name: stringify!($name),
                c_name: stringify!($name),
                module: $module,
                id: TypeId::of::<Self>(),
                size: size_of::<Self>(),
                repr: None,
                variants: &[$(Variant {
                    c_name: stringify!($variant),
                    tag: $tag,
                    members: of_std!(@members $($field)?),
                    fields: &[$(<$field as DeviceValue>::TYPE)?],
                }),*],
            });
            fn scalars(&self, offset: usize, put: &mut dyn FnMut(usize, usize, u128)) {
                match self {
                    $($name::$variant $(($value))? => {
                        put_tag::<Self>($number, offset, put);
                        $($field::scalars($value, offset + const { c_offset_in::<Self>($number, 0) }, put);)?
                    })*
                }
            }
            fn from_scalars(offset: usize, get: &mut dyn FnMut(usize, usize) -> u128) -> Self {
                match variant_at::<Self>(offset, get) {
                    $($number => $name::$variant $(($field::from_scalars(offset + const { c_offset_in::<Self>($number, 0) }, get)))?,)*
                    _ => unreachable!("`variant_at` returns the number of a variant"),
                }
            }
            crate::value::in_arrays!();
            fn sample(variant: usize) -> Self {
                [$($name::$variant $(($field::sample(0)))?),*][variant]
            }
        }
    };
    (@members) => { &[] };
    (@members $field:ident) => { &["m0"] };
}
of_std! { Option<T> "core::option": 0 0 None, 1 1 Some(T value) }
of_std! { Result<T, E> "core::result": 0 0 Ok(T value), 1 1 Err(E error) }
of_std! { Ordering<> "core::cmp": 0 -1 Less, 1 0 Equal, 2 1 Greater }
