//! Random numbers and conditions of device code.

use super::super::program::{Cond, Expr, Method, Op, Place, Ty};
use super::{Gen, Kind};

impl Gen {
    /// A number of a type.
    pub(super) fn expr(&mut self, ty: Ty, depth: usize) -> Expr {
        if depth == 0 {
            return self.leaf(ty);
        }
        let pair = |this: &mut Self| (this.expr(ty, depth - 1), this.expr(ty, depth - 1));
        match self.rng.weighted([20, 28, 12, 6, 16, 14, 4, 4, 3, 3, 3]) {
            0 => self.leaf(ty),
            1 => {
                let op = [Op::Add, Op::Sub, Op::Mul][self.rng.weighted([5, 3, 3])];
                let (a, b) = pair(self);
                Expr::bin(op, ty, a, b)
            }
            2 => {
                let op = [Op::Div, Op::Rem, Op::And, Op::Or, Op::Xor][self.rng.weighted([4, 5, 4, 1, 1])];
                let (a, mut b) = pair(self);
                if self.rng.chance(70) {
                    b = Expr::Lit(1 + self.rng.below(8) as i128, ty);
                }
                Expr::bin(op, ty, a, b)
            }
            3 => {
                let (value, by) = (self.expr(ty, depth - 1), self.distance(ty));
                Expr::Shift { left: self.rng.chance(50), ty, value: Box::new(value), by: Box::new(by) }
            }
            4 => self.call(ty, depth),
            5 => {
                let from = *self.rng.pick(&Ty::ALL);
                let inner = self.expr(from, depth - 1);
                inner.cast(&self.program, ty)
            }
            6 => {
                let cond = self.cond(1);
                let (a, b) = pair(self);
                Expr::If(Box::new(cond), Box::new(a), Box::new(b))
            }
            7 => {
                let value = self.expr(ty, depth - 1);
                let local = self.local("t", ty, false);
                self.scope.push((local, Kind::Number));
                let inside = self.expr(ty, depth - 1);
                self.scope.pop();
                Expr::With(local, Box::new(value), Box::new(inside))
            }
            8 if ty.signed() => Expr::Neg(ty, Box::new(self.expr(ty, depth - 1))),
            9 => {
                let place = self.any_place();
                Expr::Load(place).cast(&self.program, ty)
            }
            _ => match self.visible(Kind::Array).as_slice() {
                [] => self.leaf(ty),
                arrays => {
                    let array = *self.rng.pick(arrays);
                    let index = if self.rng.chance(60) { Expr::usize(self.rng.below(3)) } else { self.leaf(Ty::Usize) };
                    let len = Box::new(Expr::ArrayLen(array));
                    let index = Expr::Bin(Op::Rem, Ty::Usize, Box::new(index), len);
                    Expr::Element(array, Box::new(index)).cast(&self.program, ty)
                }
            },
        }
    }

    /// What a number is shifted by: not always less than the bits of its type.
    pub(super) fn distance(&mut self, of: Ty) -> Expr {
        match self.rng.weighted([70, 12, 10, 8]) {
            0 => Expr::Lit(self.rng.below(4) as i128, Ty::U32),
            1 => Expr::Lit(i128::from(of.bits()) + self.rng.below(5) as i128, Ty::U32),
            2 => Expr::Lit(self.rng.below(of.bits() as usize) as i128, Ty::U32),
            _ => {
                let ty = *self.rng.pick(&Ty::ALL);
                self.leaf(ty)
            }
        }
    }

    fn call(&mut self, ty: Ty, depth: usize) -> Expr {
        use Method::*;
        let all = [
            Min,
            Max,
            Clamp,
            SaturatingSub,
            SaturatingAdd,
            WrappingAdd,
            WrappingSub,
            WrappingMul,
            RemEuclid,
            DivEuclid,
        ];
        if self.rng.chance(25) {
            return self.mixed(depth).cast(&self.program, ty);
        }
        let method = all[self.rng.weighted([6, 5, 4, 6, 3, 3, 3, 3, 3, 1])];
        let mut args = vec![self.expr(ty, depth - 1), self.expr(ty, depth - 1)];
        if self.rng.chance(40) {
            args[1] = Expr::Lit(1 + self.rng.below(6) as i128, ty);
        }
        if method == Clamp {
            args[1] = Expr::Lit(self.rng.below(3) as i128, ty);
            args.push(if self.rng.chance(70) { Expr::Lit(2 + self.rng.below(8) as i128, ty) } else { self.leaf(ty) });
        }
        Expr::Call(method, ty, args)
    }

    /// A method whose operands, or whose result, may be of other types; often made small before anybody converts it.
    pub(super) fn mixed(&mut self, depth: usize) -> Expr {
        use Method::*;
        let all =
            [AbsDiff, Pow, WrappingShl, RotateLeft, WrappingAddSigned, UnsignedAbs, CountOnes, LeadingZeros, Ilog2];
        let method = all[self.rng.weighted([4, 10, 2, 2, 3, 3, 2, 2, 2])];
        let mut values = self.visible_values();
        if self.rng.chance(60) {
            // A number below 0 shows more.
            values.sort_by_key(|value| !self.program.values[*value].1.signed());
            values.truncate(1);
        }
        let receiver = match values.as_slice() {
            // As it comes, without a conversion that tells its type.
            values if !values.is_empty() && self.rng.chance(60) => Expr::Value(*self.rng.pick(values)),
            _ => {
                let ty = *self.rng.pick(&Ty::ALL);
                self.expr(ty, depth - 1)
            }
        };
        let ty = method.receiver(receiver.ty(&self.program));
        let mut args = vec![receiver.cast(&self.program, ty)];
        if let Some(operand) = method.operand(ty) {
            let small = self.rng.chance(70);
            args.push(if small {
                Expr::Lit(self.rng.below(5) as i128, operand)
            } else {
                self.expr(operand, depth - 1)
            });
        }
        let (value, ty) = (Expr::Call(method, ty, args), method.result(ty));
        let limit = Expr::Lit(1 + self.rng.below(8) as i128, ty);
        match self.rng.weighted([35, 40, 15, 10]) {
            0 => value,
            1 => Expr::Call(Min, ty, vec![value, limit]),
            2 => Expr::bin(Op::Rem, ty, value, limit),
            _ => Expr::Call(SaturatingSub, ty, vec![value, limit]),
        }
    }

    /// A number without operations, but maybe of another type.
    pub(super) fn leaf(&mut self, ty: Ty) -> Expr {
        match self.rng.weighted([30, 45, 18, 7]) {
            0 => self.literal(ty),
            1 => {
                let all = self.visible(Kind::Number);
                let same: Vec<usize> =
                    all.iter().copied().filter(|local| self.program.locals[*local].ty == ty).collect();
                let any = same.is_empty() || self.rng.chance(20);
                let local = *self.rng.pick(if any { &all } else { &same });
                Expr::Var(local).cast(&self.program, ty)
            }
            2 => match self.visible_values().as_slice() {
                [] => self.literal(ty),
                values => {
                    let value = *self.rng.pick(values);
                    Expr::Value(value).cast(&self.program, ty)
                }
            },
            _ => {
                let view = *self.rng.pick(&self.views.clone());
                Expr::Len(view).cast(&self.program, ty)
            }
        }
    }

    pub(super) fn literal(&mut self, ty: Ty) -> Expr {
        if self.rng.chance(4) {
            // Below 0 as often as not, where the type has it or not.
            let [a, b] = [(); 2].map(|()| Expr::Lit(self.rng.below(5) as i128, ty));
            return Expr::bin(Op::Sub, ty, a, b);
        }
        let value = match self.rng.weighted([80, 10, 4, 3, 3]) {
            0 => self.rng.below(5) as i128,
            1 => self.rng.below(20) as i128,
            2 if ty.signed() => -(self.rng.below(5) as i128),
            3 => ty.max() - self.rng.below(3) as i128,
            4 => 1 << self.rng.below(ty.bits() as usize - 1),
            _ => 1,
        };
        Expr::Lit(value, ty)
    }

    pub(super) fn cond(&mut self, depth: usize) -> Cond {
        let part = |this: &mut Self| Box::new(this.cond(depth - 1));
        match self.rng.weighted([70, 8, 8, 6, 8]) {
            1 if depth > 0 => Cond::And(part(self), part(self)),
            2 if depth > 0 => Cond::Or(part(self), part(self)),
            3 if depth > 0 => Cond::Not(part(self)),
            4 => match self.visible(Kind::Truth).as_slice() {
                [] => self.comparison(),
                truths => Cond::Var(*self.rng.pick(truths)),
            },
            _ => self.comparison(),
        }
    }

    fn comparison(&mut self) -> Cond {
        let op = ["<", "<=", ">", ">=", "==", "!="][self.rng.weighted([6, 3, 5, 3, 3, 2])];
        // Mostly of a variable.
        let all = self.visible(Kind::Number);
        let local = *self.rng.pick(&all);
        let ty = self.program.locals[local].ty;
        let side = |this: &mut Self| if this.rng.chance(75) { this.leaf(ty) } else { this.expr(ty, 1) };
        let a = match self.rng.weighted([6, 2, 2]) {
            0 => Expr::Var(local),
            1 => Expr::bin(Op::Add, ty, Expr::Var(local), Expr::Lit(1 + self.rng.below(3) as i128, ty)),
            _ => side(self),
        };
        let b = side(self);
        let (a, b) = if self.rng.chance(85) { (a, b) } else { (b, a) };
        Cond::Compare(op, Box::new(a), Box::new(b))
    }

    /// An element of a view that the loop does not write, if there is one.
    fn any_place(&mut self) -> Place {
        let views = if self.read_only.is_empty() || self.rng.chance(10) { &self.views } else { &self.read_only };
        let view = *self.rng.pick(&views.clone());
        let index = self.leaf(Ty::Usize);
        self.place(view, index)
    }

    pub(super) fn place(&mut self, view: usize, index: Expr) -> Place {
        self.places += 1;
        Place { id: self.places, view, index: Box::new(index) }
    }
}
