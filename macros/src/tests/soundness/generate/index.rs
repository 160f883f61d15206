//! Indexes as users write them, and such that are nearly right.

use super::super::program::{Expr, Method, Op, Ty};
use super::{Gen, Kind, Owned};

impl Gen {
    /// An index of a view that the loop writes: what the iteration owns, or what is near.
    pub(super) fn index(&mut self, view: usize, write: bool) -> Expr {
        let owned: Vec<usize> = (0..self.owned.len()).filter(|at| self.owned[*at].view == view).collect();
        let known = !owned.is_empty();
        let own = match owned.last() {
            Some(last) if self.owned[*last].loops <= self.inner.len() => self.owned[*last].index.clone(),
            _ => {
                let index = self.layout();
                self.owned.push(Owned { view, index: index.clone(), loops: self.inner.len() });
                index
            }
        };
        match self.rng.weighted([if write { 55 } else { 45 }, 26, 12, 10, 5]) {
            1 if known => self.near(own),
            2 => self.layout(),
            3 => self.reduced(view, own),
            4 => self.expr(Ty::Usize, 2),
            _ => own,
        }
    }

    /// An index of a view that the loop only reads: anything.
    pub(super) fn free_index(&mut self, view: usize) -> Expr {
        let index = match self.rng.weighted([4, 4, 3, 3]) {
            0 => self.layout(),
            1 => self.expr(Ty::Usize, 2),
            2 => self.leaf(Ty::Usize),
            _ => self.mixed(1).cast(&self.program, Ty::Usize),
        };
        match self.rng.weighted([6, 2, 4]) {
            0 => index,
            1 => self.near(index),
            _ => self.reduced(view, index),
        }
    }

    fn add(&self, a: Expr, b: Expr) -> Expr {
        Expr::bin(Op::Add, Ty::Usize, a, b)
    }

    fn mul(&self, a: Expr, b: Expr) -> Expr {
        Expr::bin(Op::Mul, Ty::Usize, a, b)
    }

    /// A small number, or a host value.
    fn size(&mut self, from: usize) -> Expr {
        let values = self.visible_values();
        if values.is_empty() || self.rng.chance(55) {
            return Expr::usize(from + self.rng.below(6));
        }
        let value = *self.rng.pick(&values);
        Expr::Value(value).cast(&self.program, Ty::Usize)
    }

    /// A variable as an index.
    pub(super) fn as_index(&mut self, at: usize) -> Expr {
        let (var, start) = (self.dims[at].var, self.dims[at].start.clone());
        if let Some(stand_in) = self.stand_in(at).filter(|_| self.rng.chance(50)) {
            return Expr::Var(stand_in).cast(&self.program, Ty::Usize);
        }
        let ty = self.program.locals[var].ty;
        let mut value = Expr::Var(var);
        if let Expr::Lit(start, _) = start
            && start != 0
            && self.rng.chance(60)
        {
            // Counted from 0. The least number of a type has no opposite.
            let (op, by) = if (-ty.max()..0).contains(&start) { (Op::Add, -start) } else { (Op::Sub, start) };
            value = Expr::bin(op, ty, value, Expr::Lit(by, ty));
        }
        match self.rng.weighted([88, 6, 3, 3]) {
            0 => value.cast(&self.program, Ty::Usize),
            1 => {
                let through = *self.rng.pick(&Ty::ALL);
                value.cast(&self.program, through).cast(&self.program, Ty::Usize)
            }
            2 => Expr::shifted(true, ty, value, 1).cast(&self.program, Ty::Usize),
            _ => {
                // From the end.
                let end = self.dims[at].end.clone();
                let last = Expr::bin(Op::Sub, ty, end, Expr::Lit(1, ty));
                Expr::bin(Op::Sub, ty, last, value).cast(&self.program, Ty::Usize)
            }
        }
    }

    /// A variable that was made of a loop variable.
    fn stand_in(&mut self, at: usize) -> Option<usize> {
        let visible = self.visible(Kind::Number);
        let all: Vec<usize> = self
            .derived
            .iter()
            .filter(|(local, of)| *of == at && visible.contains(local))
            .map(|(local, _)| *local)
            .collect();
        (!all.is_empty()).then(|| *self.rng.pick(&all))
    }

    /// What may stand for a loop variable: arithmetic in some type, and often in a small one.
    pub(super) fn derived(&mut self, at: usize) -> Expr {
        let ty = if self.rng.chance(40) { Ty::Usize } else { *self.rng.pick(&Ty::ALL) };
        let mut value = Expr::Var(self.dims[at].var).cast(&self.program, ty);
        for _ in 0..1 + self.rng.below(2) {
            value = match self.rng.weighted([4, 4, 3, 2, 2]) {
                0 => {
                    let by = if self.rng.chance(60) { self.literal(ty) } else { self.leaf(ty) };
                    Expr::bin([Op::Add, Op::Sub][self.rng.below(2)], ty, value, by)
                }
                1 => {
                    // Some of these are 0 in a type, or its half.
                    let by = match self.rng.below(3) {
                        0 => Expr::Lit(1 << self.rng.below(ty.bits() as usize - 1), ty),
                        1 => Expr::Lit(1 + self.rng.below(5) as i128, ty),
                        _ => self.leaf(ty),
                    };
                    Expr::bin(Op::Mul, ty, value, by)
                }
                2 if self.rng.chance(25) => {
                    let by = Box::new(self.distance(ty));
                    Expr::Shift { left: self.rng.chance(70), ty, value: Box::new(value), by }
                }
                2 => Expr::shifted(true, ty, value, self.rng.below(8)),
                3 => {
                    let through = *self.rng.pick(&Ty::ALL);
                    value.cast(&self.program, through).cast(&self.program, ty)
                }
                _ => value,
            };
        }
        value
    }

    /// All variables flattened into one index.
    pub(super) fn layout(&mut self) -> Expr {
        let mut order: Vec<usize> = (0..self.dims.len()).collect();
        if self.rng.chance(8) {
            order.reverse();
        }
        if order.len() > 1 && self.rng.chance(20) {
            order.pop();
        }
        let narrow = self.rng.chance(10).then(|| *self.rng.pick(&Ty::ALL));
        let ty = narrow.unwrap_or(Ty::Usize);
        let mut index = self.as_index(order[0]).cast(&self.program, ty);
        for at in &order[1..] {
            let stride = self.stride(*at).cast(&self.program, ty);
            let digit = self.as_index(*at).cast(&self.program, ty);
            index = Expr::bin(Op::Add, ty, Expr::bin(Op::Mul, ty, index, stride), digit);
        }
        let index = index.cast(&self.program, Ty::Usize);
        let index = self.with_inner(index);
        match self.rng.weighted([70, 8, 6, 6, 4, 3, 3]) {
            0 => index,
            1 => {
                let by = self.size(1);
                self.add(index, by)
            }
            2 => {
                let by = self.size(1);
                self.mul(index, by)
            }
            3 => {
                let offset = Expr::usize(self.rng.below(3));
                let twice = self.mul(Expr::usize(2 + self.rng.clone().below(2)), index);
                self.add(twice, offset)
            }
            4 => {
                let top = self.size(4);
                Expr::bin(Op::Sub, Ty::Usize, top, index)
            }
            5 => Expr::Call(Method::WrappingAdd, Ty::Usize, vec![index, self.size(0)]),
            _ => Expr::shifted(true, Ty::Usize, index, self.rng.below(3)),
        }
    }

    /// What a variable must be multiplied with to make room for another: how far that one goes, mostly.
    fn stride(&mut self, at: usize) -> Expr {
        match (&self.dims[at].end, self.rng.weighted([65, 25, 10])) {
            (Expr::Lit(end, _), 0) => Expr::Lit((*end).clamp(1, 1 << 30), Ty::Usize),
            (end, 0) => end.clone().cast(&self.program, Ty::Usize),
            (_, 1) => self.size(1),
            _ => Expr::usize(6 + self.rng.below(4)),
        }
    }

    /// Room for what inner loops go through.
    fn with_inner(&mut self, mut index: Expr) -> Expr {
        for (var, end) in self.inner.clone() {
            if self.rng.chance(20) || !self.visible(Kind::Number).contains(&var) {
                continue;
            }
            let digit = Expr::Var(var).cast(&self.program, Ty::Usize);
            let room = match end {
                Expr::Lit(end, _) if self.rng.chance(75) => Expr::Lit(end.clamp(1, 100), Ty::Usize),
                end if self.rng.chance(50) => end.cast(&self.program, Ty::Usize),
                _ => self.size(1),
            };
            index = if self.rng.chance(80) {
                let row = self.mul(index, room);
                self.add(row, digit)
            } else {
                let column = self.mul(digit, Expr::usize(6 + self.rng.clone().below(6)));
                self.add(column, index)
            };
        }
        index
    }

    /// A neighbour.
    fn near(&mut self, index: Expr) -> Expr {
        match self.rng.below(5) {
            0 => self.add(index, Expr::usize(1)),
            1 => Expr::bin(Op::Sub, Ty::Usize, index, Expr::usize(1)),
            2 => {
                let by = self.size(1);
                self.add(index, by)
            }
            3 => Expr::Call(Method::SaturatingSub, Ty::Usize, vec![index, Expr::usize(1)]),
            _ => {
                let by = self.size(1);
                Expr::bin(Op::Sub, Ty::Usize, index, by)
            }
        }
    }

    /// An index that was made to fit.
    fn reduced(&mut self, view: usize, index: Expr) -> Expr {
        let len = if self.rng.chance(70) { Expr::Len(view) } else { self.size(3) };
        let last = Expr::bin(Op::Sub, Ty::Usize, len.clone(), Expr::usize(1));
        match self.rng.below(7) {
            0 | 1 => Expr::bin(Op::Rem, Ty::Usize, index, len),
            2 => Expr::Call(Method::Min, Ty::Usize, vec![index, last]),
            3 => Expr::Call(Method::Clamp, Ty::Usize, vec![index, Expr::usize(0), last]),
            4 => Expr::bin(Op::And, Ty::Usize, index, Expr::usize([1, 3, 7, 15][self.rng.below(4)])),
            5 => Expr::bin(Op::Div, Ty::Usize, index, Expr::usize(1 + self.rng.below(3))),
            _ => {
                let by = if self.rng.chance(80) { Expr::Lit(1, Ty::U32) } else { self.distance(Ty::Usize) };
                Expr::Shift { left: false, ty: Ty::Usize, value: Box::new(index), by: Box::new(by) }
            }
        }
    }
}
