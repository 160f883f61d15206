//! Random numbers and conditions of device code.

use anabranch_core::ops::{BinOp, CompareOp, UnOp};

use super::{Gen, Sort};
use crate::make::method;
use crate::program::{Block, Expr, Stmt, VarId};
use crate::types::Scalar;

impl Gen {
    /// A number of a type.
    pub(super) fn expr(&mut self, ty: Scalar, depth: usize) -> Expr {
        if depth == 0 {
            return self.leaf(ty);
        }
        let pair = |this: &mut Self| (this.expr(ty, depth - 1), this.expr(ty, depth - 1));
        match self.rng.which([20, 28, 12, 6, 16, 14, 4, 4, 3, 3, 3]) {
            0 => self.leaf(ty),
            1 => {
                let op = [BinOp::Add, BinOp::Sub, BinOp::Mul][self.rng.which([5, 3, 3])];
                let (a, b) = pair(self);
                Expr::bin(op, a, b)
            }
            2 => {
                let op = [BinOp::Div, BinOp::Rem, BinOp::And, BinOp::Or, BinOp::Xor][self.rng.which([4, 5, 4, 1, 1])];
                let (a, mut b) = pair(self);
                if self.rng.chance(70) {
                    b = Expr::int(1 + self.rng.below(8) as i128, ty);
                }
                Expr::bin(op, a, b)
            }
            3 => {
                let (value, by) = (self.expr(ty, depth - 1), self.distance(ty));
                Expr::bin(if self.rng.chance(50) { BinOp::Shl } else { BinOp::Shr }, value, by)
            }
            4 => self.call(ty, depth),
            5 => {
                let from = *self.rng.pick(&Scalar::WORDS);
                let inner = self.expr(from, depth - 1);
                inner.to(ty)
            }
            6 => {
                let cond = self.cond(1);
                let (a, b) = pair(self);
                Expr::choose(cond, a, b)
            }
            7 => {
                let value = self.expr(ty, depth - 1);
                let local = self.shown("t", ty, false);
                let inside = Some(Box::new(self.expr(ty, depth - 1)));
                self.scope.pop();
                Expr::block(ty, Block { stmts: vec![Stmt::bind(local, value)], value: inside })
            }
            8 if ty.is_signed() => Expr::unary(UnOp::Neg, self.expr(ty, depth - 1)),
            9 => self.any_place().to(ty),
            _ => match self.visible(Sort::Array).as_slice() {
                [] => self.leaf(ty),
                arrays => {
                    let array = *self.rng.pick(arrays);
                    let index =
                        if self.rng.chance(60) { Expr::usize(self.rng.below(3)) } else { self.leaf(Scalar::Usize) };
                    let index = Expr::bin(BinOp::Rem, index, self.len(array));
                    Expr::element(self.var(array), index).to(ty)
                }
            },
        }
    }

    /// What a number is shifted by: not always less than the bits of its type.
    pub(super) fn distance(&mut self, of: Scalar) -> Expr {
        match self.rng.which([70, 12, 10, 8]) {
            0 => Expr::int(self.rng.below(4) as i128, Scalar::U32),
            1 => Expr::int(i128::from(of.bits()) + self.rng.below(5) as i128, Scalar::U32),
            2 => Expr::int(self.rng.below(of.bits() as usize) as i128, Scalar::U32),
            _ => {
                let ty = *self.rng.pick(&Scalar::WORDS);
                self.leaf(ty)
            }
        }
    }

    fn call(&mut self, ty: Scalar, depth: usize) -> Expr {
        let all = [
            "min",
            "max",
            "clamp",
            "saturating_sub",
            "saturating_add",
            "wrapping_add",
            "wrapping_sub",
            "wrapping_mul",
            "rem_euclid",
            "div_euclid",
        ];
        if self.rng.chance(25) {
            return self.mixed(depth).to(ty);
        }
        let method = all[self.rng.which([6, 5, 4, 6, 3, 3, 3, 3, 3, 1])];
        let mut args = vec![self.expr(ty, depth - 1), self.expr(ty, depth - 1)];
        if self.rng.chance(40) {
            args[1] = Expr::int(1 + self.rng.below(6) as i128, ty);
        }
        if method == "clamp" {
            args[1] = Expr::int(self.rng.below(3) as i128, ty);
            args.push(if self.rng.chance(70) { Expr::int(2 + self.rng.below(8) as i128, ty) } else { self.leaf(ty) });
        }
        Expr::method(method, args)
    }

    /// A method whose operands, or whose result, may be of other types; often made small before anybody converts it.
    pub(super) fn mixed(&mut self, depth: usize) -> Expr {
        let all = [
            "abs_diff",
            "pow",
            "wrapping_shl",
            "rotate_left",
            "wrapping_add_signed",
            "unsigned_abs",
            "count_ones",
            "leading_zeros",
            "ilog2",
        ];
        let method = method(all[self.rng.which([4, 10, 2, 2, 3, 3, 2, 2, 2])]);
        let mut values = self.visible_values();
        if self.rng.chance(60) {
            // A number below 0 shows more.
            values.sort_by_key(|value| !self.var(*value).scalar().is_signed());
            values.truncate(1);
        }
        let receiver = match values.as_slice() {
            // As it comes, without a conversion that tells its type.
            values if !values.is_empty() && self.rng.chance(60) => {
                let value = *self.rng.pick(values);
                self.var(value)
            }
            _ => {
                let ty = *self.rng.pick(&Scalar::WORDS);
                self.expr(ty, depth - 1)
            }
        };
        let own = receiver.scalar();
        let ty = [Some(own), own.signed(), Some(own.unsigned())].into_iter().flatten().find(|ty| ty.has(method));
        let ty = ty.expect("an int has it");
        let mut args = vec![receiver.to(ty)];
        if let Some(operand) = method.args.first().and_then(|operand| ty.resolve(*operand)) {
            let small = self.rng.chance(70);
            args.push(if small {
                Expr::int(self.rng.below(5) as i128, operand)
            } else {
                self.expr(operand, depth - 1)
            });
        }
        let value = Expr::method(method.name, args);
        let ty = value.scalar();
        let limit = Expr::int(1 + self.rng.below(8) as i128, ty);
        match self.rng.which([35, 40, 15, 10]) {
            0 => value,
            1 => Expr::method("min", vec![value, limit]),
            2 => Expr::bin(BinOp::Rem, value, limit),
            _ => Expr::method("saturating_sub", vec![value, limit]),
        }
    }

    /// A number without operations, but maybe of another type.
    pub(super) fn leaf(&mut self, ty: Scalar) -> Expr {
        match self.rng.which([30, 45, 18, 7]) {
            0 => self.literal(ty),
            1 => {
                let all = self.visible(Sort::Number);
                let same: Vec<VarId> =
                    all.iter().copied().filter(|local| self.program.var(*local).scalar() == ty).collect();
                let any = same.is_empty() || self.rng.chance(20);
                let local = *self.rng.pick(if any { &all } else { &same });
                self.var(local).to(ty)
            }
            2 => match self.visible_values().as_slice() {
                [] => self.literal(ty),
                values => {
                    let value = *self.rng.pick(values);
                    self.var(value).to(ty)
                }
            },
            _ => {
                let view = *self.rng.pick(&self.views.clone());
                self.len(view).to(ty)
            }
        }
    }

    pub(super) fn literal(&mut self, ty: Scalar) -> Expr {
        if self.rng.chance(4) {
            // Below 0 as often as not, where the type has it or not.
            let [a, b] = [(); 2].map(|()| Expr::int(self.rng.below(5) as i128, ty));
            return a - b;
        }
        let value = match self.rng.which([80, 10, 4, 3, 3]) {
            0 => self.rng.below(5) as i128,
            1 => self.rng.below(20) as i128,
            2 if ty.is_signed() => -(self.rng.below(5) as i128),
            3 => ty.max() - self.rng.below(3) as i128,
            4 => 1 << self.rng.below(ty.bits() as usize - 1),
            _ => 1,
        };
        Expr::int(value, ty)
    }

    pub(super) fn cond(&mut self, depth: usize) -> Expr {
        let part = |this: &mut Self| this.cond(depth - 1);
        match self.rng.which([70, 8, 8, 6, 8]) {
            1 if depth > 0 => Expr::and(part(self), part(self)),
            2 if depth > 0 => Expr::or(part(self), part(self)),
            3 if depth > 0 => !part(self),
            4 => match self.visible(Sort::Truth).as_slice() {
                [] => self.comparison(),
                truths => {
                    let truth = *self.rng.pick(truths);
                    self.var(truth)
                }
            },
            _ => self.comparison(),
        }
    }

    fn comparison(&mut self) -> Expr {
        use CompareOp::*;
        let op = [Lt, Le, Gt, Ge, Eq, Ne][self.rng.which([6, 3, 5, 3, 3, 2])];
        // Mostly of a variable.
        let all = self.visible(Sort::Number);
        let local = *self.rng.pick(&all);
        let ty = self.var(local).scalar();
        let side = |this: &mut Self| if this.rng.chance(75) { this.leaf(ty) } else { this.expr(ty, 1) };
        let a = match self.rng.which([6, 2, 2]) {
            0 => self.var(local),
            1 => self.var(local) + Expr::int(1 + self.rng.below(3) as i128, ty),
            _ => side(self),
        };
        let b = side(self);
        let (a, b) = if self.rng.chance(85) { (a, b) } else { (b, a) };
        Expr::compare(op, a, b)
    }

    /// An element of a view that the loop does not write, if there is one.
    fn any_place(&mut self) -> Expr {
        let views = if self.read_only.is_empty() || self.rng.chance(10) { &self.views } else { &self.read_only };
        let view = *self.rng.pick(&views.clone());
        let index = self.leaf(Scalar::Usize);
        self.place(view, index)
    }

    /// An element of a view.
    pub(super) fn place(&mut self, view: VarId, index: Expr) -> Expr {
        Expr::element(self.var(view), index)
    }
}
