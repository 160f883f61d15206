//! Literals: edges, small numbers, and any bits.

use super::Generator;
use crate::program::{Expr, Kind};
use crate::types::{Scalar, Ty};

impl Generator<'_> {
    /// A literal with its suffix.
    pub(super) fn literal(&mut self, ty: Scalar) -> Expr {
        let kind = match ty {
            Scalar::Bool => Kind::Bool(self.rng.chance(50)),
            _ if ty.is_float() => Kind::Float { text: self.float(), suffix: true },
            _ => Kind::Int { value: self.int_of(ty), suffix: true },
        };
        Expr::new(ty, kind)
    }

    /// A literal where the type is known from the place: mostly without its suffix.
    pub(super) fn pinned_literal(&mut self, ty: Scalar) -> Expr {
        let mut literal = self.literal(ty);
        if let Kind::Int { suffix, .. } | Kind::Float { suffix, .. } = &mut literal.kind {
            *suffix = self.rng.chance(20);
        }
        literal
    }

    /// A small natural number.
    pub(super) fn small(&mut self, ty: Scalar, end: usize) -> Expr {
        Expr::int((self.rng.below(end) as u128).min(ty.greatest()) as i128, ty)
    }

    /// A value from literals alone.
    pub(super) fn constant(&mut self, ty: &Ty) -> Expr {
        let kind = match ty {
            Ty::Scalar(scalar) => return self.pinned_literal(*scalar),
            Ty::Tuple(parts) | Ty::Struct(parts) => Kind::Tuple(parts.iter().map(|part| self.constant(part)).collect()),
            Ty::Enum(of, parts) => self.variant((*of, parts), &mut |this, part| this.constant(part)),
            Ty::Array(element, len) => Kind::Array((0..*len).map(|_| self.constant(element)).collect()),
            Ty::Slice(_) | Ty::Grid(..) | Ty::Param(_) | Ty::Never => {
                unreachable!("there are no constants of this type")
            }
        };
        Expr::new(ty.clone(), kind)
    }

    /// A constant of std.
    pub(super) fn std_constant(&mut self, ty: Scalar) -> Option<Expr> {
        let name = ty.name();
        let path = match ty {
            Scalar::Bool => return None,
            float if float.is_float() => {
                let names = ["MAX", "MIN", "EPSILON", "INFINITY", "NEG_INFINITY", "NAN", "MIN_POSITIVE"];
                match self.rng.chance(25) {
                    true => format!("core::{name}::consts::PI"),
                    false => format!("{name}::{}", self.rng.pick(&names)),
                }
            }
            Scalar::U32 if self.rng.chance(30) => format!("{}::BITS", self.int().name()),
            _ => format!("{name}::{}", self.rng.pick(&["MAX", "MIN"])),
        };
        Some(Expr::constant(path, ty))
    }

    fn float(&mut self) -> String {
        let edges =
            ["0.0", "1.0", "0.5", "2.0", "-1.0", "-0.0", "1e-3", "3.25", "-7.75", "1e9", "16777216.0", "0.1", "1e30"];
        if self.rng.chance(70) {
            (*self.rng.pick(&edges)).to_owned()
        } else {
            format!("{}.{}", self.rng.below(1000), self.rng.below(1000))
        }
    }

    /// Of `u128`, its bits.
    fn int_of(&mut self, ty: Scalar) -> i128 {
        let max = ty.greatest();
        let (weights, negative) = self.profile.literals;
        let value = match self.rng.which(weights) {
            0 => self.rng.below(5) as u128,
            1 => self.rng.below(20) as u128,
            2 => max - self.rng.below(3) as u128,
            3 => 1u128 << self.rng.below(ty.bits() as usize - 1),
            _ => (u128::from(self.rng.bits()) << 64 | u128::from(self.rng.bits())) & max,
        };
        let value = value.min(max);
        match ty.is_signed() && self.rng.chance(negative) {
            true if value == max => -(value as i128) - 1,
            true => -(value as i128),
            false => value as i128,
        }
    }
}
