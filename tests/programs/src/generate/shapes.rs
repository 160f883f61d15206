//! Shapes of loops that are right only by arithmetic: digits, colours, compressed rows, rows of a
//! triangle, and what is nearly one of these.

use anabranch_core::ops::Operation;

use super::Generator;
use super::accesses::{at, cond, lit, result, when};
use crate::program::{Expr, Kind, Range, Stmt, VarId};
use crate::types::Scalar::Usize;

impl Generator<'_> {
    /// One of them, by weights; `access` makes what is in their bodies besides.
    pub(super) fn shape(&mut self, weights: [usize; 4], access: fn(&mut Self) -> Stmt, stmts: &mut Vec<Stmt>) {
        match self.rng.which(weights) {
            0 => self.digits(stmts),
            1 => self.equal(access, stmts),
            2 => self.compressed(stmts),
            _ => self.triangle(access, stmts),
        }
    }

    /// An access of a buffer, at an index by the extents of its rows.
    fn touch(&mut self, writes: usize, index: impl FnOnce(&[usize]) -> Expr) -> Stmt {
        let write = self.rng.chance(writes);
        let view = self.some_view(write);
        let place = Expr::element(self.var(view), index(self.program.vars[view.0].minor));
        if write { Stmt::assign(place, Expr::seen()) } else { Stmt::Observe(place) }
    }

    /// `let d7 = value;`, and `d7`. No name hides another.
    fn digit(&mut self, value: Expr, stmts: &mut Vec<Stmt>) -> Expr {
        let var = self.shown(&format!("d{}", self.program.vars.len()), value.ty.clone(), false);
        stmts.push(Stmt::bind(var, value));
        self.var(var)
    }

    /// `let q = v / d; let r = v % d;` of a variable of the loop or of a digit, with bits, or with
    /// both sides of a bit.
    fn digits(&mut self, stmts: &mut Vec<Stmt>) {
        let loops: Vec<VarId> = self.host.dims.iter().map(|dim| dim.var).collect();
        let all = if self.rng.chance(70) { loops } else { self.numbers() };
        let digit = self.one_of(&all);
        let ty = digit.scalar();
        let values = self.visible_values();
        let by = match values.is_empty() || self.rng.chance(60) {
            true => Expr::int(self.between(1, 4).into(), ty),
            false => self.one_of(&values).to(ty),
        };
        let operations: &[Operation] = self.pick(&[
            &[Operation::Div, Operation::Rem] as &[Operation],
            &[Operation::Rem, Operation::Div],
            &[Operation::Shr, Operation::And],
            &[Operation::Xor],
            &[Operation::Div],
            &[Operation::Rem],
        ]);
        let power = self.between(0, 2);
        for operation in operations {
            let by = match operation {
                Operation::Shr => Expr::int(power.into(), ty),
                Operation::And => Expr::int((1 << power) - 1, ty),
                _ => by.clone(),
            };
            self.digit(result(*operation, vec![digit.clone(), by], ty), stmts);
        }
    }

    /// `if i == j { … }`, or `let r = (x + y) % 2; if r == c { … }`.
    fn equal(&mut self, access: fn(&mut Self) -> Stmt, stmts: &mut Vec<Stmt>) {
        let loops: Vec<VarId> = self.host.dims.iter().map(|dim| dim.var).collect();
        let (one, other) = (self.one_of(&loops).to(Usize), self.one_of(&loops).to(Usize));
        let far = self.between(0, 2);
        let equal = if self.rng.chance(50) {
            let (factor, by) = (self.between(1, 2), self.between(2, 4));
            let sum = one + other * factor + far;
            let rest = self.digit(result(Operation::Rem, vec![sum, lit(by)], Usize), stmts);
            let comparison = self.pick(&["==", "==", "==", "!=", "<"]);
            let colours = self.visible_values();
            match colours.is_empty() || self.rng.chance(60) {
                true => cond(rest, comparison, self.between(0, by - 1)),
                false => cond(rest, comparison, self.one_of(&colours).to(Usize)),
            }
        } else {
            cond(one, "==", if self.rng.chance(80) { other + far } else { lit(4) - other })
        };
        let body = (0..self.between(1, 2)).map(|_| access(self)).collect();
        stmts.push(when(vec![equal], body));
    }

    /// `let r = (y + c) % m; if m * k + r < w { … [y, m * k + r] … [y - 1, m * k + r] … }`, or
    /// nearly.
    fn compressed(&mut self, stmts: &mut Vec<Stmt>) {
        let loops: Vec<VarId> = self.host.dims.iter().map(|dim| dim.var).collect();
        let (row, column) = (self.one_of(&loops), self.program.var(loops[loops.len() - 1]).to(Usize));
        let (modulus, far) = (self.between(2, 3), self.between(0, 3));
        let ty = row.scalar();
        let sum = row.clone() + Expr::int(far.into(), ty);
        let rest = self.digit(result(Operation::Rem, vec![sum, Expr::int(modulus.into(), ty)], ty), stmts);
        let (rest, stride) = (rest.to(Usize), self.between(modulus - 1, modulus));
        let (row, width) = (row.to(Usize), self.between(6, 9));
        let column = column * stride + rest;
        let body = (0..self.between(1, 3)).map(|_| {
            let (down, right) = (self.between(0, 2), self.pick(&[0, 0, 1, 2]));
            let (row, column) = (row.clone() + down, column.clone() + right);
            self.touch(60, |minor| match minor {
                [] => row * width + column,
                [_] => at(vec![row, column]),
                _ => at(vec![lit(1), row, column]),
            })
        });
        let body = body.collect();
        let last = width + self.between(-2, 1);
        stmts.push(when(vec![cond(column.clone(), "<", last)], body));
    }

    /// `let m = i * (i + 1) / 2; for j in 0..i + 1 { … [m + j] … }`, or nearly.
    fn triangle(&mut self, access: fn(&mut Self) -> Stmt, stmts: &mut Vec<Stmt>) {
        let loops: Vec<VarId> = self.host.dims.iter().map(|dim| dim.var).collect();
        let i = self.one_of(&loops);
        let (ty, i_as_index) = (i.scalar(), i.clone().to(Usize));
        let other = match self.rng.below(4) {
            0..2 => i.clone() + Expr::int(1, ty),
            2 if self.rng.chance(50) => i.clone() - Expr::int(1, ty),
            2 => i.clone() + Expr::int(self.between(0, 2).into(), ty),
            _ => Expr::int(self.between(5, 12).into(), ty) - i.clone(),
        };
        let product = if self.rng.chance(50) { i * other } else { result(Operation::Mul, vec![i, other], ty) };
        let (product, by) = (self.digit(product, stmts), self.pick(&[1, 2, 2, 2, 3]));
        let m = self.digit(result(Operation::Div, vec![product, Expr::int(by.into(), ty)], ty), stmts).to(Usize);
        let more = self.between(0, 2);
        let (start, end) = match self.rng.below(4) {
            0..2 => (lit(0), i_as_index.clone() + more),
            2 => (i_as_index.clone(), lit(self.between(4, 9))),
            _ => (lit(0), i_as_index.clone() * self.between(1, 2) + more),
        };
        let var = self.counter_of(Usize, false);
        let column = self.program.var(var);
        let index = match self.rng.below(8) {
            0 => i_as_index * self.between(5, 9) - m + column,
            1 => lit(100) - m - column,
            2 => m * 2 + column,
            _ => m + column,
        };
        let mut body = vec![self.touch(70, |minor| match minor {
            [] => index,
            [_] => at(vec![index, lit(1)]),
            _ => at(vec![lit(1), lit(2), index]),
        })];
        if self.rng.chance(30) {
            body.push(access(self));
        }
        let range = Range { start: Box::new(start), end: Box::new(end), inclusive: false, adaptors: Vec::new() };
        stmts.push(Stmt::unit(Kind::For { label: None, var, range, body: body.into() }));
    }
}
