//! The types of device code, as data, and their layout in C++.

use std::any::TypeId;
use std::marker::PhantomData;
use std::ops::Deref;

use super::DeviceValue;
use super::enums::EnumType;
use super::scalar::ScalarType;
use anabranch_core::scalar::IntType;

/// The alignment of every block of memory that holds elements, and so the largest of an element: a
/// cache line.
pub(crate) const MAX_ALIGN: usize = 64;

/// The type of a value of device code, as data.
#[derive(Debug, Clone, Copy)]
#[doc(hidden)]
pub enum DeviceType {
    /// A primitive type.
    Scalar(ScalarType),
    /// A tuple; `()` has no parts.
    Tuple(&'static [&'static DeviceType]),
    /// An array with an element type and a length.
    Array(&'static DeviceType, usize),
    /// A `#[device]` struct.
    Struct(&'static StructType),
    /// A `#[device]` enum, `Option` or `Result`.
    Enum(&'static EnumType),
}

/// A `#[device]` struct, as data.
#[derive(Debug)]
#[doc(hidden)]
pub struct StructType {
    /// The name in Rust.
    pub name: &'static str,
    /// The name, as an identifier of C++.
    pub c_name: &'static str,
    /// The module that declares it.
    pub module: &'static str,
    /// Tells the instances of a generic struct apart.
    pub id: TypeId,
    /// Size in bytes in Rust.
    pub size: usize,
    /// Alignment in bytes in Rust.
    pub align: usize,
    /// Whether the fields have numbers instead of names.
    pub is_tuple: bool,
    /// The fields, in the order of their declaration.
    pub fields: &'static [Field],
}

/// A field of a struct.
#[derive(Debug)]
#[doc(hidden)]
pub struct Field {
    /// The name in Rust.
    pub name: &'static str,
    /// The name of the C++ member.
    pub c_name: &'static str,
    /// Offset in bytes in Rust. It gives the order of the C++ members.
    pub offset: usize,
    /// Size in bytes in Rust. A field without a size is no C++ member.
    pub size: usize,
    /// Its type.
    pub ty: &'static DeviceType,
}

impl DeviceType {
    /// The number of elements of an array.
    pub(crate) fn array_len(&self) -> Option<i128> {
        match self {
            DeviceType::Array(_, len) => i128::try_from(*len).ok(),
            DeviceType::Scalar(_) | DeviceType::Tuple(_) | DeviceType::Struct(_) | DeviceType::Enum(_) => None,
        }
    }

    /// Size and alignment in bytes in C++: parts in order, each aligned. The order of a struct's
    /// fields is that of their offsets in Rust.
    pub(crate) const fn layout(&self) -> (usize, usize) {
        match self {
            DeviceType::Scalar(ty) => (ty.size(), ty.size()),
            DeviceType::Tuple(parts) => {
                let (end, align) = in_order(parts, parts.len());
                (larger(end.next_multiple_of(align), 1), align)
            }
            DeviceType::Array(element, len) => {
                let (size, align) = element.layout();
                (size * larger(*len, 1), align)
            }
            DeviceType::Struct(ty) => {
                let align = ty.c_align();
                (larger(ty.c_offset(usize::MAX).next_multiple_of(align), 1), align)
            }
            DeviceType::Enum(ty) => ty.layout(),
        }
    }

    /// Whether all bits are a value: it has no `bool`, and no enum.
    pub(crate) fn is_of_numbers(&self) -> bool {
        match self {
            DeviceType::Scalar(scalar) => *scalar != ScalarType::Bool,
            DeviceType::Tuple(parts) => parts.iter().all(|part| part.is_of_numbers()),
            DeviceType::Array(element, _) => element.is_of_numbers(),
            DeviceType::Struct(ty) => ty.fields.iter().all(|field| field.ty.is_of_numbers()),
            DeviceType::Enum(_) => false,
        }
    }

    /// Whether C++ lays the type out as Rust does, where it has this size and alignment. Rust
    /// promises nothing for tuples.
    pub(crate) const fn is_laid_out_as(&self, size: usize, align: usize) -> bool {
        let (c_size, c_align) = self.layout();
        if c_size != size || c_align != align {
            return false;
        }
        match self {
            DeviceType::Scalar(_) => true,
            DeviceType::Tuple(_) => false,
            DeviceType::Array(element, len) => *len > 0 && element.is_laid_out_as(size / *len, align),
            DeviceType::Struct(ty) => {
                let mut at = 0;
                while at < ty.fields.len() {
                    let field = &ty.fields[at];
                    let (_, align) = field.ty.layout();
                    if field.size > 0
                        && !(field.offset == ty.c_offset(at) && field.ty.is_laid_out_as(field.size, align))
                    {
                        return false;
                    }
                    at += 1;
                }
                true
            }
            DeviceType::Enum(ty) => ty.repr.is_some(),
        }
    }

    /// The type as an integer type.
    pub(crate) const fn integer(&self) -> Option<IntType> {
        match self {
            DeviceType::Scalar(ty) => IntType::of(*ty),
            DeviceType::Tuple(_) | DeviceType::Array(..) | DeviceType::Struct(_) | DeviceType::Enum(_) => None,
        }
    }
}

impl StructType {
    /// Alignment in bytes in C++: that in Rust, or more if that of a member is, as of an `Option`.
    pub(crate) const fn c_align(&self) -> usize {
        let (mut align, mut at) = (self.align, 0);
        while at < self.fields.len() {
            if self.fields[at].size > 0 {
                align = larger(align, self.fields[at].ty.layout().1);
            }
            at += 1;
        }
        align
    }

    /// The C++ member that follows a member; the first for `None`.
    pub(crate) const fn member_after(&self, member: Option<usize>) -> Option<usize> {
        let (mut best, mut at): (Option<usize>, usize) = (None, 0);
        while at < self.fields.len() {
            let offset = self.fields[at].offset;
            let later = match member {
                Some(member) => offset > self.fields[member].offset,
                None => true,
            };
            let sooner = match best {
                Some(best) => offset < self.fields[best].offset,
                None => true,
            };
            if self.fields[at].size > 0 && later && sooner {
                best = Some(at);
            }
            at += 1;
        }
        best
    }

    /// The numbers of the fields that are C++ members, in their order there.
    pub(crate) fn members(&self) -> impl Iterator<Item = usize> {
        std::iter::successors(self.member_after(None), |member| self.member_after(Some(*member)))
    }

    /// The offset of a field in C++, in bytes; for a number that no field has, the end of the last
    /// one.
    pub(crate) const fn c_offset(&self, field: usize) -> usize {
        let (mut end, mut member) = (0usize, self.member_after(None));
        while let Some(at) = member {
            let (size, align) = self.fields[at].ty.layout();
            let start = end.next_multiple_of(align);
            if at == field {
                return start;
            }
            end = start + size;
            member = self.member_after(Some(at));
        }
        end
    }
}

/// The end of the first of some parts that lie in order, and the alignment of all of those.
pub(super) const fn in_order(parts: &[&DeviceType], first: usize) -> (usize, usize) {
    let (mut end, mut align, mut at) = (0usize, 1, 0);
    while at < first {
        let (size, part_align) = parts[at].layout();
        end = end.next_multiple_of(part_align) + size;
        align = larger(align, part_align);
        at += 1;
    }
    (end, align)
}

/// The offset in C++ of a field of a struct, in bytes.
pub const fn c_offset<T: DeviceValue>(field: usize) -> usize {
    match T::TYPE {
        DeviceType::Struct(ty) => ty.c_offset(field),
        DeviceType::Scalar(_) | DeviceType::Tuple(_) | DeviceType::Array(..) | DeviceType::Enum(_) => 0,
    }
}

/// Reports a field that is not a value of device code.
pub const fn must_be_value<T: DeviceValue>() {}

/// The type of a field of a `#[device]` type. If it is not a value of device code, the constant is
/// an error, and rustc reports no other error about a type that depends on that constant.
#[derive(Debug)]
pub struct FieldType<T: ?Sized, const IS_VALUE: bool>(PhantomData<T>);

/// The type in a [`FieldType`].
pub trait IsField {
    /// The type.
    type Type: ?Sized;
}
impl<T: ?Sized> IsField for FieldType<T, true> {
    type Type = T;
}

/// Reports a type that is not `Copy`.
pub const fn must_be_copy<T: Copy>() {}

/// A struct whose fields are its own. An implementation of `Deref` would let Rust, but not C++,
/// find those of another type. It would make two implementations of this trait.
pub trait WithoutDeref {
    /// Compiles if the type and its fields are what they must be.
    fn check() {}
}
impl<T: Deref + ?Sized> WithoutDeref for T {}

pub(super) const fn larger(a: usize, b: usize) -> usize {
    if a > b { a } else { b }
}
