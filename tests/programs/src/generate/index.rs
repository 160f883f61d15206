//! Indexes as users write them, and such that are nearly right.

use anabranch_core::ops::BinOp;

use super::{Generator, Owned, Surroundings};
use crate::program::{Expr, VarId};
use crate::types::Scalar;

impl Generator<'_> {
    /// An index of a view that the loop writes: what the iteration owns, or what is near.
    pub(super) fn index(&mut self, view: VarId, write: bool) -> Expr {
        let owned: Vec<usize> = (0..self.host.owned.len()).filter(|at| self.host.owned[*at].view == view).collect();
        let known = !owned.is_empty();
        let own = match owned.last() {
            Some(last) if self.host.owned[*last].loops <= self.host.inner.len() => self.host.owned[*last].index.clone(),
            _ => {
                let index = self.layout();
                self.host.owned.push(Owned { view, index: index.clone(), loops: self.host.inner.len() });
                index
            }
        };
        match self.rng.which([if write { 55 } else { 45 }, 26, 12, 10, 5]) {
            1 if known => self.near(own),
            2 => self.layout(),
            3 => self.reduced(view, own),
            4 => self.number(Scalar::Usize, 2),
            _ => own,
        }
    }

    /// An index of a view that the loop only reads: anything.
    pub(super) fn free_index(&mut self, view: VarId) -> Expr {
        let index = match self.rng.which([4, 4, 3, 3]) {
            0 => self.layout(),
            1 => self.number(Scalar::Usize, 2),
            2 => self.number(Scalar::Usize, 0),
            _ => {
                let ty = self.int();
                self.method(ty).to(Scalar::Usize)
            }
        };
        match self.rng.which([6, 2, 4]) {
            0 => index,
            1 => self.near(index),
            _ => self.reduced(view, index),
        }
    }

    /// A small number, or a host value.
    pub(super) fn size(&mut self, from: usize) -> Expr {
        let values = self.visible_values();
        if values.is_empty() || self.rng.chance(55) {
            return Expr::usize(from + self.rng.below(6));
        }
        let value = *self.rng.pick(&values);
        if self.rng.chance(8) {
            // It seems to cancel, but what goes through another type may come back as another
            // number.
            let through = *self.rng.pick(&[Scalar::U8, Scalar::I8, Scalar::U16, Scalar::I16]);
            let seems = Expr::usize(from + self.rng.below(3)) + self.var(value).to(through).to(Scalar::Usize);
            return seems - self.var(value).to(Scalar::Usize);
        }
        self.var(value).to(Scalar::Usize)
    }

    /// A variable as an index.
    pub(super) fn as_index(&mut self, at: usize) -> Expr {
        let start = self.host.dims[at].range.start.literal();
        if let Some(stand_in) = self.stand_in(at).filter(|_| self.rng.chance(50)) {
            return self.var(stand_in).to(Scalar::Usize);
        }
        let mut value = self.var(self.host.dims[at].var);
        let ty = value.scalar();
        if let Some(start) = start
            && start != 0
            && self.rng.chance(60)
        {
            // Counted from 0. The least number of a type has no opposite.
            let (op, by) = if (-ty.max()..0).contains(&start) { (BinOp::Add, -start) } else { (BinOp::Sub, start) };
            value = Expr::bin(op, value, Expr::int(by, ty));
        }
        match self.rng.which([88, 6, 3, 3]) {
            0 => value.to(Scalar::Usize),
            1 => {
                let through = *self.rng.pick(&Scalar::WORDS);
                value.to(through).to(Scalar::Usize)
            }
            2 => shifted(value, 1).to(Scalar::Usize),
            _ => {
                // From the end.
                let end = self.host.dims[at].range.end.clone();
                let last = *end - Expr::int(1, ty);
                (last - value).to(Scalar::Usize)
            }
        }
    }

    /// A variable that was made of a loop variable.
    fn stand_in(&mut self, at: usize) -> Option<VarId> {
        let visible = self.numbers();
        let all: Vec<VarId> = self
            .host
            .derived
            .iter()
            .filter(|(local, of)| *of == at && visible.contains(local))
            .map(|(local, _)| *local)
            .collect();
        (!all.is_empty()).then(|| *self.rng.pick(&all))
    }

    /// What may stand for a loop variable: arithmetic in some type, and often in a small one.
    pub(super) fn derived(&mut self, at: usize) -> Expr {
        let ty = if self.rng.chance(40) { Scalar::Usize } else { *self.rng.pick(&Scalar::WORDS) };
        let mut value = self.var(self.host.dims[at].var).to(ty);
        for _ in 0..1 + self.rng.below(2) {
            value = match self.rng.which([4, 4, 3, 2, 2]) {
                0 => {
                    let by = if self.rng.chance(60) { self.literal(ty) } else { self.number(ty, 0) };
                    Expr::bin([BinOp::Add, BinOp::Sub][self.rng.below(2)], value, by)
                }
                1 => {
                    // Some of these are 0 in a type, or its half.
                    let by = match self.rng.below(3) {
                        0 => Expr::int(1 << self.rng.below(ty.bits() as usize - 1), ty),
                        1 => Expr::int(1 + self.rng.below(5) as i128, ty),
                        _ => self.number(ty, 0),
                    };
                    value * by
                }
                2 if self.rng.chance(25) => {
                    let by = if self.rng.chance(80) { self.distance(ty) } else { self.size(0) };
                    Expr::bin(if self.rng.chance(70) { BinOp::Shl } else { BinOp::Shr }, value, by)
                }
                2 => shifted(value, self.rng.below(8)),
                3 => {
                    let through = *self.rng.pick(&Scalar::WORDS);
                    value.to(through).to(ty)
                }
                _ => value,
            };
        }
        value
    }

    /// All variables flattened into one index.
    pub(super) fn layout(&mut self) -> Expr {
        let mut order: Vec<usize> = (0..self.host.dims.len()).collect();
        if self.rng.chance(8) {
            order.reverse();
        }
        if order.len() > 1 && self.rng.chance(20) {
            order.pop();
        }
        let narrow = self.rng.chance(10).then(|| *self.rng.pick(&Scalar::WORDS));
        let ty = narrow.unwrap_or(Scalar::Usize);
        let mut index = self.as_index(order[0]).to(ty);
        for at in &order[1..] {
            let stride = self.stride(*at).to(ty);
            let digit = self.as_index(*at).to(ty);
            index = index * stride + digit;
        }
        let index = index.to(Scalar::Usize);
        let index = self.with_inner(index);
        match self.rng.which([66, 8, 6, 6, 4, 3, 4, 3]) {
            0 => index,
            1 => {
                let by = self.size(1);
                index + by
            }
            2 => {
                let by = self.size(1);
                index * by
            }
            3 => {
                let offset = Expr::usize(self.rng.below(3));
                Expr::usize(2 + self.rng.clone().below(2)) * index + offset
            }
            4 => {
                let top = self.size(4);
                top - index
            }
            5 => Expr::method("wrapping_add", vec![index, self.size(0)]),
            // Room for the values of a type, or not quite.
            6 => match self.any_place() {
                Some(place) => {
                    let ty = *self.rng.pick(&[Scalar::U8, Scalar::U8, Scalar::I8, Scalar::U16]);
                    index * Expr::usize(*self.rng.pick(&[256, 256, 255, 128])) + place.to(ty).to(Scalar::Usize)
                }
                None => index,
            },
            _ => shifted(index, self.rng.below(3)),
        }
    }

    /// What a variable must be multiplied with to make room for another: how far that one goes,
    /// mostly.
    fn stride(&mut self, at: usize) -> Expr {
        let end = &self.host.dims[at].range.end;
        match (end.literal(), self.rng.which([65, 25, 10])) {
            (Some(end), 0) => Expr::int(end.clamp(1, 1 << 30), Scalar::Usize),
            (None, 0) => (**end).clone().to(Scalar::Usize),
            (_, 1) => self.size(1),
            _ => Expr::usize(6 + self.rng.below(4)),
        }
    }

    /// Room for what inner loops go through.
    fn with_inner(&mut self, mut index: Expr) -> Expr {
        for (var, end) in self.host.inner.clone() {
            if self.rng.chance(20) || !self.numbers().contains(&var) {
                continue;
            }
            let digit = self.var(var).to(Scalar::Usize);
            let room = match end.literal() {
                Some(end) if self.rng.chance(75) => Expr::int(end.clamp(1, 100), Scalar::Usize),
                _ if self.rng.chance(50) => end.to(Scalar::Usize),
                _ => self.size(1),
            };
            index = if self.rng.chance(80) {
                index * room + digit
            } else {
                digit * Expr::usize(6 + self.rng.clone().below(6)) + index
            };
        }
        index
    }

    /// A neighbour.
    fn near(&mut self, index: Expr) -> Expr {
        match self.rng.below(5) {
            0 => index + 1,
            1 => index - 1,
            2 => {
                let by = self.size(1);
                index + by
            }
            3 => Expr::method("saturating_sub", vec![index, Expr::usize(1)]),
            _ => {
                let by = self.size(1);
                index - by
            }
        }
    }

    /// An index that was made to fit.
    fn reduced(&mut self, view: VarId, index: Expr) -> Expr {
        let len = if self.rng.chance(70) { self.len(view) } else { self.size(3) };
        let last = len.clone() - 1;
        match self.rng.below(7) {
            0 | 1 => Expr::bin(BinOp::Rem, index, len),
            2 => Expr::method("min", vec![index, last]),
            3 => Expr::method("clamp", vec![index, Expr::usize(0), last]),
            4 => Expr::bin(BinOp::And, index, Expr::usize([1, 3, 7, 15][self.rng.below(4)])),
            5 => Expr::bin(BinOp::Div, index, Expr::usize(1 + self.rng.below(3))),
            _ => {
                let by = if self.rng.chance(80) { Expr::int(1, Scalar::U32) } else { self.distance(Scalar::Usize) };
                Expr::bin(BinOp::Shr, index, by)
            }
        }
    }

    /// An element of a view that the loop does not write, if there is one.
    pub(super) fn any_place(&mut self) -> Option<Expr> {
        let Surroundings { views, read_only, .. } = &self.host;
        let views = if read_only.is_empty() || self.rng.chance(10) { views } else { read_only };
        let views: Vec<VarId> = views.iter().copied().filter(|view| !self.banned.contains(view)).collect();
        (!views.is_empty()).then(|| {
            let (view, index) = (self.pick(&views), self.number(Scalar::Usize, 0));
            Expr::element(self.var(view), index)
        })
    }
}

/// `value << by`
fn shifted(value: Expr, by: usize) -> Expr {
    Expr::bin(BinOp::Shl, value, Expr::int(by as i128, Scalar::U32))
}
