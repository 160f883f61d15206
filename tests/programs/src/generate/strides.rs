//! Random loops for the launch's decisions. Indexes are mostly what people write: strides,
//! neighbours, grids, guards.

use anabranch_core::ops::Operation;

use super::Generator;
use super::accesses::{Accesses, at, lit, read, read_range, result, write, write_range};
use super::profile::{STRIDES, weights};
use crate::program::{Expr, Program, Stmt, VarId};
use crate::types::Scalar::{I3, I5, Isize, U3, U5, Usize};

/// The loop of a seed, and whether no access may be known to be made by every iteration.
pub fn random(seed: u64) -> (Accesses, bool) {
    let seed = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    Generator::new(seed, &STRIDES, STRIDES.features, Program::default()).accesses()
}

impl Generator<'_> {
    pub(super) fn between(&mut self, lo: i64, hi: i64) -> i64 {
        lo + self.rng.below((hi - lo + 1) as usize) as i64
    }

    fn accesses(mut self) -> (Accesses, bool) {
        let mut accesses = Accesses::over(&[]);
        let dims = self.pick(&[1, 1, 1, 2, 2, 3]);
        for _ in 0..dims {
            let ty = self.pick(&[Usize, Usize, Usize, Usize, Isize, U5, I5]);
            let least = if ty.is_signed() { -4 } else { 0 };
            let lo = if self.rng.chance(75) { 0 } else { self.between(least, 4) };
            let step = self.pick(&[1, 1, 1, 1, 2, 3]);
            let least = i64::from(!self.rng.chance(2));
            let trips = self.between(least, if dims == 3 { 3 } else { 5 });
            accesses.axis(lo.into(), step, trips as u64, ty);
        }
        let never_sure = self.rng.chance(70);
        for _ in 0..self.rng.below(4) {
            let far = [25, 1 << 31, 1 << 62, i64::MAX];
            let value = if self.rng.chance(95) { self.between(0, 7) } else { self.pick(&far) };
            let ty = if value > 7 { Usize } else { self.pick(&[Usize, Usize, Usize, Isize, U5]) };
            let root = accesses.host(value.into(), ty).root();
            self.host.values.extend(root);
        }
        for _ in 0..self.pick(&[1, 1, 2]) {
            let len = if self.rng.chance(33) { self.between(0, 20) } else { self.between(40, 2000) };
            let minor: &[usize] = self.pick(&[&[] as &[usize], &[], &[7], &[5, 4]]);
            let buffer = accesses.grid(len.into(), minor);
            self.host.views.push(VarId(buffer));
        }
        self.program = std::mem::take(&mut accesses.program);
        self.host.dims = self.program.loops()[0].dims.clone();
        self.scopes = vec![self.host.dims.iter().map(|dim| dim.var).collect()];
        let count = self.pick(&[1, 1, 2, 2, 3]);
        let mut body = Vec::new();
        while self.rng.chance(25) {
            self.shape([70, 30, 10, 10], Self::strided, &mut body);
        }
        body.extend(self.statements(count));
        // One that every iteration makes.
        body.push(self.strided());
        accesses.program = self.program;
        *accesses.body() = body;
        (accesses, never_sure)
    }

    /// An access of an element or of a range.
    pub(super) fn strided(&mut self) -> Stmt {
        let buffer = self.rng.below(self.host.views.len());
        let minor = self.program.vars[buffer].minor;
        if !minor.is_empty() {
            let components = at((0..=minor.len()).map(|_| self.component()).collect());
            return if self.rng.chance(50) { read(buffer, components) } else { write(buffer, components) };
        }
        let index = self.strides();
        let end = self.rng.chance(10).then(|| match self.rng.chance(70) {
            true => index.clone() + self.between(0, 4),
            false => self.strides(),
        });
        match (end, self.rng.chance(50)) {
            (None, false) => read(buffer, index),
            (None, true) => write(buffer, index),
            (Some(end), false) => read_range(buffer, index, end),
            (Some(end), true) => write_range(buffer, index, end),
        }
    }

    /// A component of the index of a grid: mostly a variable, or one that is near.
    fn component(&mut self) -> Expr {
        if self.rng.chance(20) {
            return self.strides();
        }
        let loops: Vec<VarId> = self.host.dims.iter().map(|dim| dim.var).collect();
        let all = if self.rng.chance(80) { loops } else { [self.numbers(), self.host.values.clone()].concat() };
        let variable = self.one_of(&all).to(Usize);
        match self.rng.below(12) {
            0..6 => variable,
            6..8 => variable + self.between(1, 3),
            8 => variable - self.between(1, 2),
            9 => lit(self.between(0, 4)),
            10 => lit(self.between(3, 6)) - variable,
            _ => variable * self.between(2, 3),
        }
    }

    /// A sum of variables with strides, or anything.
    fn strides(&mut self) -> Expr {
        if self.rng.chance(25) {
            return self.number(Usize, 3);
        }
        let mut sum = self.term();
        for _ in 0..self.pick(&[0, 0, 1, 1, 2]) {
            let more = self.term();
            sum = if self.rng.chance(97) { sum + more } else { more - sum };
        }
        match self.rng.below(20) {
            0..4 => sum + self.between(1, 4),
            4..6 => sum + self.stride_of(),
            6 if self.rng.chance(30) => sum - self.between(1, 3),
            _ => sum,
        }
    }

    /// A variable, mostly one of the loop, and mostly with a stride; now and then through another
    /// type.
    fn term(&mut self) -> Expr {
        let loops: Vec<VarId> = self.host.dims.iter().map(|dim| dim.var).collect();
        let all = if self.rng.chance(65) { loops } else { [self.numbers(), self.host.values.clone()].concat() };
        let mut term = self.one_of(&all);
        if self.rng.chance(5) {
            let through = self.pick(&[U3, I3, U5, I5, Isize]);
            term = term.to(through);
        }
        let term = term.to(Usize);
        if self.rng.chance(60) { term * self.stride_of() } else { term }
    }

    fn stride_of(&mut self) -> Expr {
        if !self.host.values.is_empty() && self.rng.chance(40) {
            return self.one_of(&self.host.values.clone()).to(Usize);
        }
        lit(self.pick(&[1, 1, 2, 2, 3, 4, 5, 6, 8, 12, 25]))
    }

    /// `let v = a.min(b);`
    pub(super) fn operation(&mut self, stmts: &mut Vec<Stmt>) {
        let ty = self.int();
        let operation = self.rng.weighted(weights![Operation:
            1 Any, 1 Mul, 2 Div, 2 Rem, 1 And, 1 Or, 1 Xor, 1 Shr, 1 Min, 1 Max, 1 Clamp, 1 SaturatingSub, 1 SaturatingAdd,
            1 AbsDiff, 1 RemEuclid
        ]);
        let count = match operation {
            Operation::Any => 0,
            Operation::Clamp => 3,
            _ => 2,
        };
        let operands = (0..count).map(|at| match self.rng.chance(60) {
            true if at > 0 && self.rng.chance(50) => Expr::int(self.between(0, 3).into(), ty),
            plain => self.number(ty, if plain { 0 } else { 2 }),
        });
        let operands = operands.collect();
        self.name(result(operation, operands, ty), stmts);
    }
}
