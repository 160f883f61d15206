//! Methods of numbers: of which types their operands are, and their results.

use super::Ty;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) enum Method {
    Min,
    Max,
    Clamp,
    SaturatingSub,
    SaturatingAdd,
    WrappingAdd,
    WrappingSub,
    WrappingMul,
    AbsDiff,
    RemEuclid,
    DivEuclid,
    Pow,
    WrappingShl,
    RotateLeft,
    WrappingAddSigned,
    UnsignedAbs,
    CountOnes,
    LeadingZeros,
    Ilog2,
}

impl Method {
    pub(in super::super) const ALL: [Method; 19] = [
        Method::Min,
        Method::Max,
        Method::Clamp,
        Method::SaturatingSub,
        Method::SaturatingAdd,
        Method::WrappingAdd,
        Method::WrappingSub,
        Method::WrappingMul,
        Method::AbsDiff,
        Method::RemEuclid,
        Method::DivEuclid,
        Method::Pow,
        Method::WrappingShl,
        Method::RotateLeft,
        Method::WrappingAddSigned,
        Method::UnsignedAbs,
        Method::CountOnes,
        Method::LeadingZeros,
        Method::Ilog2,
    ];

    pub(in super::super) fn name(self) -> &'static str {
        match self {
            Method::Min => "min",
            Method::Max => "max",
            Method::Clamp => "clamp",
            Method::SaturatingSub => "saturating_sub",
            Method::SaturatingAdd => "saturating_add",
            Method::WrappingAdd => "wrapping_add",
            Method::WrappingSub => "wrapping_sub",
            Method::WrappingMul => "wrapping_mul",
            Method::AbsDiff => "abs_diff",
            Method::RemEuclid => "rem_euclid",
            Method::DivEuclid => "div_euclid",
            Method::Pow => "pow",
            Method::WrappingShl => "wrapping_shl",
            Method::RotateLeft => "rotate_left",
            Method::WrappingAddSigned => "wrapping_add_signed",
            Method::UnsignedAbs => "unsigned_abs",
            Method::CountOnes => "count_ones",
            Method::LeadingZeros => "leading_zeros",
            Method::Ilog2 => "ilog2",
        }
    }

    /// The type of what comes behind a receiver of a type; nothing does, if that is none.
    pub(in super::super) fn operand(self, receiver: Ty) -> Option<Ty> {
        match self {
            Method::UnsignedAbs | Method::CountOnes | Method::LeadingZeros | Method::Ilog2 => None,
            Method::Pow | Method::WrappingShl | Method::RotateLeft => Some(Ty::U32),
            Method::WrappingAddSigned => Some(receiver.with_sign(true)),
            _ => Some(receiver),
        }
    }

    /// The type of the result.
    pub(in super::super) fn result(self, receiver: Ty) -> Ty {
        match self {
            Method::CountOnes | Method::LeadingZeros | Method::Ilog2 => Ty::U32,
            Method::AbsDiff | Method::UnsignedAbs => receiver.with_sign(false),
            _ => receiver,
        }
    }

    /// The type of a receiver that has it.
    pub(in super::super) fn receiver(self, ty: Ty) -> Ty {
        match self {
            Method::WrappingAddSigned => ty.with_sign(false),
            Method::UnsignedAbs => ty.with_sign(true),
            _ => ty,
        }
    }
}
