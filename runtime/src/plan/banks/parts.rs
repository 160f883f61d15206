//! The part of a shared array that an access touches.

use crate::model::banks::{Number, PathStep};
use crate::value::DeviceType;

/// Bytes that a thread can ask for at once.
const WIDEST: i128 = 16;

/// What an access touches of an array.
pub(super) struct Part {
    pub(super) indexes: Vec<Index>,
    /// In bytes, from what the indexes lead to.
    pub(super) offset: i128,
    pub(super) size: i128,
    /// The most bytes of it that are read at once, if they begin at a multiple of so many; and as many as always do.
    pub(super) most: i128,
    pub(super) least: i128,
}

pub(super) struct Index {
    pub(super) number: Number,
    pub(super) len: i128,
    /// Bytes from one element to the next.
    pub(super) stride: i128,
}

impl Part {
    pub(super) fn of(array: &'static DeviceType, path: &[PathStep], longer: usize) -> Self {
        let (mut ty, mut longer) = (array, longer);
        let (mut indexes, mut offset) = (Vec::new(), 0);
        for step in path {
            match (step, ty) {
                (PathStep::Element(number), DeviceType::Array(element, len)) => {
                    // Only the rows of the array itself.
                    indexes.push(Index { number, len: *len as i128, stride: size(element, longer) });
                    ty = element;
                }
                (PathStep::Field(name), _) if let Some((at, field)) = ty.field(name) => {
                    offset += at as i128;
                    (ty, longer) = (field, 0);
                }
                // An operator of a user type finds something inside.
                _ => break,
            }
        }
        let least = (ty.layout().1 as i128).min(WIDEST);
        let most = if is_dense(ty) { WIDEST } else { least };
        Self { indexes, offset, size: size(ty, longer), most, least }
    }
}

/// Bytes of a type, of an array with rows that are so much longer.
fn size(ty: &DeviceType, longer: usize) -> i128 {
    match ty {
        DeviceType::Array(row @ DeviceType::Array(..), len) => size(row, longer) * *len as i128,
        DeviceType::Array(element, len) => element.layout().0 as i128 * (*len + longer) as i128,
        _ => ty.layout().0 as i128,
    }
}

/// Whether no byte of it is in no part.
fn is_dense(ty: &DeviceType) -> bool {
    fn bytes(ty: &DeviceType) -> usize {
        match ty {
            DeviceType::Scalar(ty) => ty.size(),
            DeviceType::Tuple(parts) => parts.iter().map(|part| bytes(part)).sum(),
            DeviceType::Array(element, len) => bytes(element) * len,
            DeviceType::Struct(ty) => ty.fields.iter().map(|field| bytes(field.ty)).sum(),
            DeviceType::Enum(_) => 0,
        }
    }
    bytes(ty) == ty.layout().0
}
