//! Generic functions: expressions whose type is `T`.

use anabranch_core::methods::Type;
use anabranch_core::ops::BinOp;

use super::Generator;
use super::features::Feature;
use super::profile::weights;
use crate::make::method;
use crate::program::{Expr, Kind, Stmt};
use crate::types::{Bound, Scalar, Ty};

impl Generator<'_> {
    /// `T::ONE` and the like.
    pub(super) fn generic_constant(&mut self, ty: &Ty) -> Expr {
        let name = *self.rng.pick(&["ZERO", "ONE", "MAX", "MIN"]);
        Expr::constant(format!("T::{name}"), ty.clone())
    }

    pub(super) fn generic_arithmetic(&mut self, bound: Bound) -> Expr {
        let op = self.operator(bound);
        let lhs = self.expr(&Ty::Param(bound));
        let rhs = self.operand(bound, op);
        Expr::bin(op, lhs, rhs)
    }

    pub(super) fn generic_cast(&mut self, ty: &Ty) -> Expr {
        let from: Ty = self.int().into();
        let operand = self.expr(&from);
        Expr::new(ty.clone(), Kind::GenericCast(Box::new(operand)))
    }

    fn operator(&mut self, bound: Bound) -> BinOp {
        use BinOp::*;
        let ops = [Add, Sub, Mul, Add, Sub, Mul, Div, Rem, And, Or, Xor, Shl, Shr];
        let here = if bound == Bound::Int { &ops[..] } else { &ops[..8] };
        here[self.rng.below(here.len())]
    }

    /// The right side of an operator.
    fn operand(&mut self, bound: Bound, op: BinOp) -> Expr {
        let ty = Ty::Param(bound);
        let raw = self.on(Feature::Panics) && self.rng.chance(8);
        match op {
            BinOp::Shl | BinOp::Shr => self.expr(&Scalar::U32.into()),
            BinOp::Div | BinOp::Rem if !raw && bound != Bound::Float => {
                let name = *self.rng.pick(&["ONE", "MAX"]);
                Expr::constant(format!("T::{name}"), ty)
            }
            _ => self.expr(&ty),
        }
    }

    pub(super) fn generic_method(&mut self, bound: Bound) -> Expr {
        let ty = Ty::Param(bound);
        let method = method(self.rng.weighted(match bound {
            Bound::Num => weights![1 "rem_euclid"],
            Bound::Int => weights![
                1 "wrapping_add", 1 "wrapping_mul", 1 "wrapping_neg", 1 "saturating_sub", 1 "swap_bytes",
                1 "reverse_bits", 1 "min", 1 "max", 1 "rotate_left", 1 "wrapping_shr"
            ],
            Bound::Float => weights![
                1 "abs", 1 "sqrt", 1 "floor", 1 "trunc", 1 "round", 1 "recip", 1 "fract", 1 "signum", 1 "mul_add"
            ],
        }));
        let mut args = vec![self.expr(&ty)];
        for of in method.args {
            args.push(match (bound, of) {
                // Never zero.
                (Bound::Num, _) => Expr::constant("T::MAX", ty.clone()),
                (_, Type::Same) => self.expr(&ty),
                _ => self.expr(&Scalar::U32.into()),
            });
        }
        Expr::new(ty.clone(), Kind::Method { method, args, path: false })
    }

    /// The place of a generic `+=` is borrowed before its value is computed, which may read but not
    /// assign it.
    pub(super) fn generic_assign_op(&mut self, bound: Bound) -> Option<Stmt> {
        let place = self.place(&Ty::Param(bound), true)?;
        let op = self.operator(bound);
        let value = self.freezing(place.root(), |this| this.operand(bound, op));
        Some(Stmt::assign_op(op, place, value))
    }
}
