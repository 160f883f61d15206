//! The host part around loops: values, parts of views, control flow, groups.

use anabranch_core::ops::{BinOp, CompareOp};

use super::{Generator, slice};
use crate::program::{Expr, Host, VarId};
use crate::types::Scalar;

/// Names of values that are bound in the host part.
const BOUND: [&str; 4] = ["n2", "w2", "s2", "h2"];
const HALVES: [(&str, &str); 2] = [("lo", "hi"), ("left", "right")];

impl Generator<'_> {
    /// `let n2 = …;`
    pub(super) fn bound(&mut self) -> Host {
        let ty = self.int();
        let expr = self.host_expr(ty, 2);
        Host::Let(self.value(ty), expr)
    }

    /// A host value with a name of its own.
    fn value(&mut self, ty: Scalar) -> VarId {
        let value = self.program.declare(BOUND[self.host.bound], ty, false);
        self.host.bound += 1;
        self.host.values.push(value);
        value
    }

    /// `let mut tmp = scratch(…);`, which is not large. It can be used where it is declared.
    pub(super) fn scratch(&mut self) -> Host {
        let some = self.host_expr(Scalar::Usize, 1);
        let len = Expr::method("min", vec![some, Expr::usize(60)]);
        let view = self.program.declare("tmp", slice(), true);
        self.host.views.push(view);
        Host::Scratch(view, len)
    }

    pub(super) fn splits(&mut self) -> Vec<Host> {
        let mut hosts = vec![self.halves()];
        if self.rng.chance(30) {
            hosts.push(self.halves());
        }
        hosts.push(if self.rng.chance(40) { self.groups() } else { self.par(2) });
        hosts
    }

    /// Two parts of a view, which sometimes stays in use.
    fn halves(&mut self) -> Host {
        let view = *self.rng.pick(&self.host.views.clone());
        let mutable = !self.host.shared.contains(&view) && !self.rng.chance(20);
        let at = match self.rng.below(3) {
            0 => Expr::bin(BinOp::Div, self.len(view), Expr::usize(2)),
            1 => Expr::usize(self.rng.below(6)),
            _ => {
                let some = self.host_expr(Scalar::Usize, 1);
                Expr::method("min", vec![some, self.len(view)])
            }
        };
        let (low, high) = HALVES[self.host.split];
        let (low, high) = (self.program.declare(low, slice(), mutable), self.program.declare(high, slice(), mutable));
        self.host.split += 1;
        let keeps = self.rng.chance(if mutable { 35 } else { 70 });
        if !mutable {
            self.host.shared.extend([low, high]);
        }
        // Something must be there to be written.
        let other = self.host.views.iter().any(|other| *other != view && !self.host.shared.contains(other));
        if !keeps && (mutable || other) {
            self.host.views.retain(|other| *other != view);
        }
        self.host.views.extend([low, high]);
        Host::Split { mutable, view, at, low, high }
    }

    /// A loop in control flow of the host.
    pub(super) fn nested(&mut self) -> Vec<Host> {
        if self.rng.chance(50) {
            let value = self.value(Scalar::Usize);
            let body = vec![self.par(2)];
            self.host.values.retain(|other| *other != value);
            vec![Host::For(value, 1 + self.rng.below(3) as u8, body)]
        } else {
            let (a, b) = (self.host_expr(Scalar::Usize, 1), self.host_expr(Scalar::Usize, 1));
            vec![Host::If(Expr::compare(CompareOp::Lt, a, b), vec![self.par(2)]), self.par(1)]
        }
    }

    /// Groups, of which each mostly has views of its own.
    pub(super) fn groups(&mut self) -> Host {
        let all = self.host.views.clone();
        let count = 2 + self.rng.below(2);
        let groups = (0..count).map(|at| {
            let own: Vec<VarId> =
                all.iter().copied().enumerate().filter(|(k, _)| k % count == at).map(|(_, v)| v).collect();
            let writes = own.iter().any(|view| !self.host.shared.contains(view));
            self.host.views = if !writes || self.rng.chance(25) { all.clone() } else { own };
            let scratch = self.rng.chance(15).then(|| self.scratch());
            let loops = 1 + self.rng.below(2);
            // Small: one that is refused hides what the others do.
            let loops = (0..loops).map(|_| if self.rng.chance(70) { self.par(0) } else { self.par(1) });
            scratch.into_iter().chain(loops).collect()
        });
        let groups = groups.collect();
        self.host.views = all;
        Host::Groups(groups)
    }

    /// Host code that has a number.
    pub(super) fn host_expr(&mut self, ty: Scalar, depth: usize) -> Expr {
        if depth == 0 || self.rng.chance(50) {
            return match self.rng.which([4, 5, 1]) {
                0 => Expr::int(self.rng.below(6) as i128, ty),
                1 if !self.host.values.is_empty() => {
                    let value = *self.rng.pick(&self.host.values.clone());
                    self.var(value).to(ty)
                }
                _ => {
                    let view = *self.rng.pick(&self.host.views.clone());
                    self.len(view).to(ty)
                }
            };
        }
        let op = [BinOp::Add, BinOp::Sub, BinOp::Mul][self.rng.which([5, 3, 2])];
        let (a, b) = (self.host_expr(ty, depth - 1), self.host_expr(ty, depth - 1));
        match self.rng.below(10) {
            0 => {
                let other = *self.rng.pick(&Scalar::WORDS);
                a.to(other).to(ty)
            }
            1 => Expr::method("min", vec![a, b]),
            _ => Expr::bin(op, a, b),
        }
    }
}
