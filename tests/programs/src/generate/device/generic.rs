//! Generic functions: expressions whose type is `T`.

use anabranch_core::ops::BinOp;

use super::Generator;
use crate::generate::features::Feature;
use crate::make::method;
use crate::program::{Expr, Kind, Stmt};
use crate::types::{Bound, Scalar, Ty};

impl Generator<'_> {
    /// `T::ONE` and the like.
    pub(super) fn generic_constant(&mut self, ty: &Ty) -> Expr {
        let name = *self.rng.pick(&["ZERO", "ONE", "MAX", "MIN"]);
        Expr::constant(format!("T::{name}"), ty.clone())
    }

    pub(super) fn generic(&mut self, bound: Bound) -> Expr {
        let ty = Ty::Param(bound);
        match self.rng.weighted(&[(24, 0), (14, 1), (6, 2), (34, 3), (16, 4), (8, 5)]) {
            0 => self.leaf(&ty),
            1 => self.flow(&ty),
            2 => self.call(&ty).unwrap_or_else(|| self.leaf(&ty)),
            3 => {
                let op = self.operator(bound);
                let lhs = self.expr(&ty);
                let rhs = self.operand(bound, op);
                Expr::bin(op, lhs, rhs)
            }
            4 => self.generic_method(bound),
            _ => {
                let from: Ty = self.int().into();
                let operand = self.expr(&from);
                Expr::new(ty, Kind::GenericCast(Box::new(operand)))
            }
        }
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

    fn generic_method(&mut self, bound: Bound) -> Expr {
        let ty = Ty::Param(bound);
        // Names with the types of their arguments: `T` and `u32`.
        let count: Ty = Scalar::U32.into();
        let methods: &[(&'static str, &[&Ty])] = match bound {
            Bound::Num => &[("rem_euclid", &[])],
            Bound::Int => &[
                ("wrapping_add", &[&ty]),
                ("wrapping_mul", &[&ty]),
                ("wrapping_neg", &[]),
                ("saturating_sub", &[&ty]),
                ("swap_bytes", &[]),
                ("reverse_bits", &[]),
                ("min", &[&ty]),
                ("max", &[&ty]),
                ("rotate_left", &[&count]),
                ("wrapping_shr", &[&count]),
            ],
            Bound::Float => &[
                ("abs", &[]),
                ("sqrt", &[]),
                ("floor", &[]),
                ("trunc", &[]),
                ("round", &[]),
                ("recip", &[]),
                ("fract", &[]),
                ("signum", &[]),
                ("mul_add", &[&ty, &ty]),
            ],
        };
        let &(name, more) = self.rng.pick(methods);
        let mut args = vec![self.expr(&ty)];
        if bound == Bound::Num {
            // Never zero.
            args.push(Expr::constant("T::MAX", ty.clone()));
        }
        args.extend(more.iter().map(|ty| self.expr(ty)));
        Expr::new(ty.clone(), Kind::Method { method: method(name), args, path: false })
    }

    /// The place of a generic `+=` is borrowed before its value is computed, which may read but not assign it.
    pub(super) fn generic_assign_op(&mut self, bound: Bound) -> Option<Stmt> {
        let place = self.place(&Ty::Param(bound), true)?;
        let op = self.operator(bound);
        let value = self.freezing(place.root(), |this| this.operand(bound, op));
        Some(Stmt::assign_op(op, place, value))
    }
}
