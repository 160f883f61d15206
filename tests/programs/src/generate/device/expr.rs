//! Expressions without control flow.

use anabranch_core::ops::{BinOp, CompareOp, UnOp};

use super::{DEPTH, Generator};
use crate::generate::features::Feature;
use crate::program::{Block, Expr, Kind};
use crate::types::{Scalar, Ty};

#[derive(Clone, Copy)]
enum Choice {
    Leaf,
    Flow,
    Call,
    Arithmetic,
    Shift,
    Unary,
    Cast,
    From,
    Method,
    Compare,
    Logic,
}

impl Generator<'_> {
    /// An expression that has this type wherever it stands.
    pub(super) fn expr(&mut self, ty: &Ty) -> Expr {
        self.budget -= 1;
        if self.depth >= DEPTH || self.budget <= 0 {
            return self.leaf(ty);
        }
        self.depth += 1;
        let expr = self.inner(ty);
        self.depth -= 1;
        expr
    }

    /// An expression of this type where the place says the type.
    pub(super) fn pinned(&mut self, ty: &Ty) -> Expr {
        match ty {
            Ty::Scalar(scalar) if self.rng.chance(25) => self.pinned_literal(*scalar),
            // Here the operand before this one may have been read, and not be computed with yet.
            _ if self.on(Feature::Effects) && self.budget > 0 && self.rng.chance(10) => {
                let stmts = self.assign_what_was_read().into_iter().collect();
                let value = Some(Box::new(self.expr(ty)));
                Expr::block(ty.clone(), Block { stmts, value })
            }
            _ => self.expr(ty),
        }
    }

    pub(super) fn bool(&mut self) -> Expr {
        self.expr(&Scalar::Bool.into())
    }

    pub(super) fn leaf(&mut self, ty: &Ty) -> Expr {
        // An index of an element is an expression too: not without end.
        self.depth += 1;
        let named = self.depth < DEPTH + 3 && self.rng.chance(80);
        let constant = self.on(Feature::Constants) && self.rng.chance(8);
        let place = match ty {
            Ty::Scalar(scalar) if constant => self.std_constant(*scalar),
            _ if named => self.place(ty, false),
            _ => None,
        };
        let expr = place.unwrap_or_else(|| match ty {
            Ty::Scalar(scalar) => self.literal(*scalar),
            Ty::Param(_) => self.generic_constant(ty),
            _ => self.composite(ty),
        });
        self.depth -= 1;
        expr
    }

    /// A tuple or an array from its parts.
    fn composite(&mut self, ty: &Ty) -> Expr {
        let kind = match ty {
            Ty::Tuple(parts) => Kind::Tuple(parts.iter().map(|part| self.expr(part)).collect()),
            Ty::Array(element, _) if self.rng.chance(30) => Kind::Repeat(Box::new(self.expr(element))),
            Ty::Array(element, len) => {
                let first = self.expr(element);
                Kind::Array(std::iter::once(first).chain((1..*len).map(|_| self.pinned(element))).collect())
            }
            Ty::Scalar(_) | Ty::Slice(_) | Ty::Param(_) | Ty::Never => unreachable!("no composite"),
        };
        Expr::new(ty.clone(), kind)
    }

    fn inner(&mut self, ty: &Ty) -> Expr {
        use Choice::*;
        let on = |feature, weight| if self.on(feature) { weight } else { 0 };
        let (calls, casts, methods) = (on(Feature::Calls, 7), on(Feature::Casts, 9), on(Feature::Methods, 16));
        if let Ty::Param(bound) = ty {
            return self.generic(*bound);
        }
        let common = [(24, Leaf), (14, Flow), (calls, Call)];
        let own: &[(usize, Choice)] = match ty.scalar() {
            Some(Scalar::Bool) => &[(30, Compare), (14, Logic), (5, Unary), (methods / 2, Method)],
            Some(scalar) if scalar.is_float() => {
                &[(34, Arithmetic), (4, Unary), (casts, Cast), (casts / 3, From), (methods, Method)]
            }
            Some(_) => &[(34, Arithmetic), (7, Shift), (5, Unary), (casts, Cast), (casts / 3, From), (methods, Method)],
            None => &[],
        };
        let choices: Vec<(usize, Choice)> = common.into_iter().chain(own.iter().copied()).collect();
        let choice = self.rng.weighted(&choices);
        let Some(scalar) = ty.scalar() else {
            return match choice {
                Flow => self.flow(ty),
                Call => self.call(ty).unwrap_or_else(|| self.composite(ty)),
                _ if self.rng.chance(40) => self.composite(ty),
                _ => self.leaf(ty),
            };
        };
        match choice {
            Leaf => self.leaf(ty),
            Flow => self.flow(ty),
            Call => self.call(ty).unwrap_or_else(|| self.leaf(ty)),
            Arithmetic => self.arithmetic(scalar),
            Shift => self.shift(scalar),
            Unary => self.unary(scalar),
            Cast => self.cast(scalar),
            From => self.from(scalar),
            Method => self.method(scalar),
            Compare => self.compare(),
            Logic => self.logic(),
        }
    }

    fn arithmetic(&mut self, scalar: Scalar) -> Expr {
        let ty = scalar.into();
        use BinOp::*;
        let op = if scalar.is_float() {
            self.rng.weighted(&[(10, Add), (10, Sub), (10, Mul), (6, Div), (2, Rem)])
        } else {
            let choices = [(10, Add), (10, Sub), (10, Mul), (5, Div), (5, Rem), (4, And), (4, Or), (4, Xor)];
            self.rng.weighted(&choices)
        };
        let lhs = self.expr(&ty);
        let rhs = match op {
            Div | Rem if scalar.is_int() => self.divisor(scalar),
            _ => self.pinned(&ty),
        };
        Expr::bin(op, lhs, rhs)
    }

    /// Something that is mostly not zero.
    pub(super) fn divisor(&mut self, scalar: Scalar) -> Expr {
        let ty: Ty = scalar.into();
        let raw = if self.on(Feature::Panics) { 8 } else { 0 };
        match self.rng.weighted(&[(40, 0), (if raw > 0 { 40 } else { 0 }, 1), (raw, 2)]) {
            0 => Expr::bare(1 + self.rng.below(100) as i128, scalar),
            1 => Expr::bin(BinOp::Or, self.expr(&ty), Expr::bare(1, scalar)),
            _ => self.expr(&ty),
        }
    }

    pub(super) fn shift(&mut self, scalar: Scalar) -> Expr {
        let op = *self.rng.pick(&[BinOp::Shl, BinOp::Shr]);
        let lhs = self.expr(&scalar.into());
        let rhs = self.count();
        Expr::bin(op, lhs, rhs)
    }

    /// How far to shift, of any int type.
    pub(super) fn count(&mut self) -> Expr {
        let ty = self.int();
        if self.rng.chance(40) { self.small(ty, 20) } else { self.expr(&ty.into()) }
    }

    fn unary(&mut self, scalar: Scalar) -> Expr {
        let op = match (scalar.is_float(), scalar.is_signed()) {
            (true, _) => UnOp::Neg,
            (_, true) => *self.rng.pick(&[UnOp::Neg, UnOp::Not]),
            _ => UnOp::Not,
        };
        // `--5` would be a literal's own minus twice, which rustc wants to see in parentheses.
        Expr::unary(op, self.expr(&scalar.into()))
    }

    fn cast(&mut self, scalar: Scalar) -> Expr {
        if let Some(bound) = self.generic.filter(|_| self.rng.chance(40)) {
            let operand = self.expr(&Ty::Param(bound));
            return Expr::new(scalar, Kind::GenericCast(Box::new(operand)));
        }
        let mut from = self.scalar();
        if self.rng.chance(30) {
            from = *self.rng.pick(&Scalar::ALL);
        }
        let float = self.on(Feature::Floats) || !from.is_float();
        let wide = self.on(Feature::Wide) || from.bits() < 128;
        if (from == Scalar::Bool && scalar.is_float()) || !float || !wide {
            from = Scalar::I32;
        }
        let operand = self.expr(&from.into());
        Expr::new(scalar, Kind::Cast(Box::new(operand)))
    }

    fn from(&mut self, scalar: Scalar) -> Expr {
        let sources = scalar.lossless_sources();
        let from = *self.rng.pick(&sources);
        let operand = self.expr(&from.into());
        Expr::new(scalar, Kind::From(Box::new(operand)))
    }

    fn compare(&mut self) -> Expr {
        let ty = if self.rng.chance(25) { self.composite_ty() } else { self.ty() };
        let op = *self.rng.pick(CompareOp::ALL);
        let lhs = self.expr(&ty);
        // Of what is no scalar, the sides are borrowed.
        let borrowed = lhs.root().filter(|_| ty.scalar().is_none());
        let rhs = self.freezing(borrowed, |this| this.pinned(&ty));
        Expr::compare(op, lhs, rhs)
    }

    fn logic(&mut self) -> Expr {
        let way = self.rng.below(7);
        let (lhs, rhs) = (self.bool(), self.bool());
        match way {
            0 | 2 => Expr::and(lhs, rhs),
            1 | 3 => Expr::or(lhs, rhs),
            _ => Expr::bin([BinOp::And, BinOp::Or, BinOp::Xor][way - 4], lhs, rhs),
        }
    }
}
