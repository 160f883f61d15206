//! Random loops. Types are small, so that much wraps, and so are ranges, so that much collides. Indexes are mostly what people
//! write: strides, neighbours, grids, guards.

use anabranch_core::ops::Operation;

use super::{Accesses, cond, lit, read, read_range, result, when, write, write_range};
use crate::program::{Adaptor, Expr, Kind, Range, Stmt};
use crate::rng::Rng;
use crate::types::Scalar::{self, I3, I5, Isize, U3, U5, Usize};

/// A larger program is not run.
const MOST_VARIABLES: usize = 40;

/// The loop of a seed, and whether no access may be known to be made by every iteration.
pub fn random(seed: u64) -> (Accesses, bool) {
    let rng = Rng::new(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    Writer { rng, program: Accesses::over(&[]), scope: Vec::new(), hosts: Vec::new(), room: 7 }.program()
}

/// Writes programs.
struct Writer {
    rng: Rng,
    program: Accesses,
    /// Variables that may be used.
    scope: Vec<Expr>,
    /// Of these, host values that are no lengths.
    hosts: Vec<Expr>,
    /// What the body may still hold.
    room: usize,
}

impl Writer {
    fn below(&mut self, end: usize) -> usize {
        self.rng.below(end)
    }

    fn percent(&mut self, percent: usize) -> bool {
        self.rng.chance(percent)
    }

    fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        self.rng.pick(of).clone()
    }

    fn number(&mut self, lo: i64, hi: i64) -> i64 {
        lo + self.below((hi - lo + 1) as usize) as i64
    }

    fn program(mut self) -> (Accesses, bool) {
        let dims = self.pick(&[1, 1, 1, 2, 2, 3]);
        for _ in 0..dims {
            let slot = self.pick(&[Usize, Usize, Usize, Usize, Isize, U5, I5]);
            let lo =
                if self.percent(75) { 0 } else { self.number(if slot == Usize || slot == U5 { 0 } else { -4 }, 4) };
            let step = self.pick(&[1, 1, 1, 1, 2, 3]);
            let least = i64::from(!self.percent(2));
            let trips = self.number(least, if dims == 3 { 3 } else { 5 });
            let axis = self.program.axis(lo.into(), step, trips as u64, slot);
            self.scope.push(axis);
        }
        let never_sure = self.percent(70);
        for _ in 0..self.below(4) {
            let value = if self.percent(95) { self.number(0, 7) } else { self.pick(&[25, 1 << 31, 1 << 62, i64::MAX]) };
            let slot = if value > 7 { Usize } else { self.pick(&[Usize, Usize, Usize, Isize, U5]) };
            let host = self.program.host(value.into(), slot);
            self.hosts.push(host);
        }
        for _ in 0..self.pick(&[1, 1, 2]) {
            let len = if self.percent(15) { self.number(0, 20) } else { self.number(40, 2000) };
            let buffer = self.program.buffer(len.into());
            self.scope.push(self.program.len(buffer));
        }
        self.scope.extend(self.hosts.clone());
        let mut body = self.block(0);
        self.room += 1;
        body.extend(self.stmt(3));
        *self.program.body() = body;
        (self.program, never_sure)
    }

    fn block(&mut self, depth: usize) -> Vec<Stmt> {
        let before = self.scope.len();
        let stmts = (0..self.pick(&[1, 1, 2, 2, 3])).filter_map(|_| self.stmt(depth)).collect();
        self.scope.truncate(before);
        stmts
    }

    fn stmt(&mut self, depth: usize) -> Option<Stmt> {
        self.room = self.room.checked_sub(1)?;
        if self.program.program.vars.len() > MOST_VARIABLES {
            return None;
        }
        Some(match self.below(if depth < 3 { 100 } else { 40 }) {
            0..40 => self.access(),
            40..60 => self.bind(),
            60..65 => self.choose(),
            65..80 => self.inner_loop(depth),
            _ => {
                let conditions = (0..self.pick(&[1, 1, 2, 2])).map(|_| self.condition()).collect();
                when(conditions, self.block(depth + 1))
            }
        })
    }

    fn access(&mut self) -> Stmt {
        let buffer = self.below(self.program.program.buffers().count());
        let index = self.index();
        let end =
            self.percent(10).then(|| if self.percent(70) { index.clone() + self.number(0, 4) } else { self.index() });
        match (end, self.percent(50)) {
            (None, false) => read(buffer, index),
            (None, true) => write(buffer, index),
            (Some(end), false) => read_range(buffer, index, end),
            (Some(end), true) => write_range(buffer, index, end),
        }
    }

    /// A sum of variables with strides, or anything.
    fn index(&mut self) -> Expr {
        if self.percent(15) {
            return self.expr(Usize, 3);
        }
        let mut sum = self.element();
        if self.percent(60) {
            let stride = self.stride();
            sum = sum * stride;
        }
        for _ in 0..self.pick(&[0, 0, 1, 1, 2]) {
            let (mut more, stride) = (self.element(), self.stride());
            if self.percent(60) {
                more = more * stride;
            }
            sum = if self.percent(97) { sum + more } else { more - sum };
        }
        match self.below(20) {
            0..4 => sum + self.number(1, 4),
            4..6 => sum + self.stride(),
            6 if self.percent(30) => sum - self.number(1, 3),
            _ => sum,
        }
    }

    fn stride(&mut self) -> Expr {
        if !self.hosts.is_empty() && self.percent(40) {
            let host = self.pick(&self.hosts.clone());
            return self.to(host, Usize);
        }
        lit(self.pick(&[1, 1, 2, 2, 3, 4, 5, 6, 8, 12, 25]))
    }

    /// A variable, mostly one of the loop.
    fn element(&mut self) -> Expr {
        let axes = self.program.axes.len();
        let near = self.percent(65);
        let own = self.scope[..axes].to_vec();
        let all = self.scope.clone();
        let var = self.pick(if near { &own } else { &all });
        self.to(var, Usize)
    }

    /// A cast, now and then through another type.
    fn to(&mut self, expr: Expr, slot: Scalar) -> Expr {
        let through = self.percent(5).then(|| self.pick(&[U3, I3, U5, I5, Isize]));
        let expr = through.map_or(expr.clone(), |through| expr.to(through));
        if expr.scalar() == slot { expr } else { expr.to(slot) }
    }

    fn expr(&mut self, slot: Scalar, depth: usize) -> Expr {
        if depth == 0 || self.percent(25) {
            if self.percent(30) {
                let most = (1i64 << (slot.bits().min(4) - 1)) - 1;
                return int(self.number(0, most), slot);
            }
            let var = self.pick(&self.scope.clone());
            return if var.scalar() == slot { var } else { var.to(slot) };
        }
        if self.percent(20) {
            let from = self.pick(&[U3, I3, U5, I5, Usize, Isize]);
            return self.expr(from, depth - 1).to(slot);
        }
        let (a, b) = (self.expr(slot, depth - 1), self.expr(slot, depth - 1));
        match self.below(5) {
            0..2 => a + b,
            2..4 => a - b,
            _ => a * b,
        }
    }

    fn slot(&mut self) -> Scalar {
        self.pick(&[Usize, Usize, Usize, Isize, U3, I3, U5, I5])
    }

    fn condition(&mut self) -> Expr {
        let comparison = self.pick(&["<", "<", "<=", ">", ">=", "==", "!="]);
        let slot = self.slot();
        if self.percent(25) {
            let (a, b) = (self.expr(slot, 2), self.expr(slot, 1));
            return cond(a, comparison, b);
        }
        // A guard.
        let var = self.pick(&self.scope.clone());
        let (slot, offset) = (var.scalar(), self.number(1, 3));
        let side = match self.below(4) {
            0 => var + int(offset, slot),
            1 => var - int(offset, slot),
            _ => var,
        };
        let limit =
            if self.percent(60) { self.pick(&self.scope.clone()).to(slot) } else { int(self.number(0, 3), slot) };
        cond(side, comparison, limit)
    }

    fn bind(&mut self) -> Stmt {
        use Operation::*;
        let slot = self.slot();
        let operation = self.pick(&[
            Any,
            Mul,
            Div,
            Div,
            Rem,
            Rem,
            And,
            Shr,
            Min,
            Max,
            Clamp,
            SaturatingSub,
            SaturatingAdd,
            AbsDiff,
            RemEuclid,
        ]);
        let count = match operation {
            Any => 0,
            Clamp => 3,
            _ => 2,
        };
        let mut operands: Vec<Expr> = Vec::new();
        for at in 0..count {
            let plain = self.percent(60);
            operands.push(match (plain, at) {
                (true, 0) => self.pick(&self.scope.clone()).to(slot),
                (true, _) if self.percent(50) => int(self.number(0, 3), slot),
                _ => self.expr(slot, 2),
            });
        }
        let (stmt, atom) = self.program.value(result(operation, operands, slot));
        self.scope.push(atom);
        stmt
    }

    fn choose(&mut self) -> Stmt {
        let ty = self.slot();
        let condition = self.condition();
        let (then, other) = (self.expr(ty, 2), self.expr(ty, 1));
        let (stmt, atom) = self.program.value(Expr::choose(condition, then, other));
        self.scope.push(atom);
        stmt
    }

    fn inner_loop(&mut self, depth: usize) -> Stmt {
        let ty = self.slot();
        let small = |this: &mut Self, hi: i64| int(this.number(0, hi), ty);
        let var = self.pick(&self.scope.clone()).to(ty);
        let (start, end) = match self.below(6) {
            0 => (small(self, 2), var),
            1 => (var.clone(), var + int(self.number(1, 3), ty)),
            2 => (var, small(self, 3)),
            3 => {
                let chunk = self.number(2, 3);
                (var.clone() * chunk, var * chunk + self.number(1, chunk))
            }
            _ => (small(self, 2), small(self, 3)),
        };
        let step = self.percent(25).then(|| if self.percent(80) { lit(self.number(1, 4)) } else { self.stride() });
        let inclusive = self.percent(15);
        let var = self.program.variable(ty);
        let before = self.scope.len();
        self.scope.push(self.program.program.var(var));
        let body = self.block(depth + 1).into();
        self.scope.truncate(before);
        let adaptors = step.map(Adaptor::StepBy).into_iter().collect();
        let range = Range { start: Box::new(start), end: Box::new(end), inclusive, adaptors };
        Stmt::unit(Kind::For { label: None, var, range, body })
    }
}

fn int(value: i64, ty: Scalar) -> Expr {
    Expr::int(value.into(), ty)
}
