//! What all threads of a block compute together.

use anabranch_core::ops::BinOp;

use super::features::Feature;
use super::teams::{Place, bare};
use super::{DEPTH, Generator};
use crate::program::{Collective, Expr, Kind, Stmt, VarId};
use crate::types::{Scalar, Ty};
use crate::visit::{self, Node};

/// Percent of the values in the code of a block that are collectives.
const SHARE: usize = 7;

impl Generator<'_> {
    /// A collective, now and then, where there can be one.
    pub(super) fn perhaps_collective(&mut self, ty: &Ty) -> Option<Expr> {
        let here = self.is_at(Place::Uniform) && self.rng.chance(SHARE);
        if here { self.collective(ty) } else { None }
    }

    /// A collective with a value of this type.
    pub(super) fn collective(&mut self, ty: &Ty) -> Option<Expr> {
        use Collective::*;
        if !self.is_at(Place::Uniform) {
            return None;
        }
        let op = match ty.scalar() {
            Some(Scalar::Bool) => self.pick(&[Any, Any, All, All, Broadcast]),
            Some(Scalar::Usize) => self.pick(&[Sum, Product, Min, Max, Count, Count, Broadcast]),
            Some(_) => self.pick(&[Sum, Sum, Product, Min, Max, Broadcast]),
            None if *ty == Ty::unit() => return None,
            None => Broadcast,
        };
        let of = if op == Count { Scalar::Bool.into() } else { ty.clone() };
        let own = Box::new(self.own_value(&of, op));
        let thread = (op == Broadcast).then(|| {
            let threads = self.team().threads();
            Box::new(match self.rng.which([50, 45, if self.on(Feature::Panics) { 5 } else { 0 }]) {
                0 => bare(self.rng.below(threads)),
                1 => Expr::bin(BinOp::Rem, self.expr(&Scalar::Usize.into()), bare(threads)),
                _ => self.small(Scalar::Usize, threads + 2),
            })
        });
        Some(Expr::new(ty.clone(), Kind::Collective { op, own, thread }))
    }

    /// `let at = block.inclusive_sum(own);`, or `let sum = block.warps().sum(own);`
    pub(super) fn scan(&mut self, stmts: &mut Vec<Stmt>) {
        if self.team().threads().is_multiple_of(32) && self.rng.chance(65) {
            return self.of_warps(stmts);
        }
        let op = self.pick(&[Collective::InclusiveSum, Collective::ExclusiveSum]);
        let scalar = self.ty_of_threads().and_then(|ty| ty.scalar()).unwrap_or_else(|| self.scalar());
        if scalar == Scalar::Bool {
            return;
        }
        let own = Box::new(self.own_value(&scalar.into(), op));
        let init = Expr::new(scalar, Kind::Collective { op, own, thread: None });
        self.of_each(scalar.into(), false, init, stmts);
    }

    /// What each thread gets from its warp.
    fn of_warps(&mut self, stmts: &mut Vec<Stmt>) {
        use Collective::*;
        let scalar = self.ty_of_threads().and_then(|ty| ty.scalar()).unwrap_or_else(|| self.scalar());
        let (of, op) = match self.rng.which([25, 15, 20, if scalar == Scalar::Bool { 0 } else { 40 }]) {
            0 => (Scalar::Bool, self.pick(&[AnyOfWarp, AllOfWarp, CountOfWarp, Ballot, Ballot])),
            1 => {
                use Scalar::*;
                let is_key = matches!(scalar, Bool | I8 | I16 | I32 | I64 | Isize | U8 | U16 | U32 | U64 | Usize);
                (if is_key { scalar } else { U8 }, Matching)
            }
            2 => (scalar, Shuffle),
            _ => {
                let all = [SumOfWarp, ProductOfWarp, MinOfWarp, MaxOfWarp, InclusiveSumOfWarp, ExclusiveSumOfWarp];
                (scalar, self.pick(&all))
            }
        };
        let mut own = self.own_value(&of.into(), op);
        let result = match op {
            AnyOfWarp | AllOfWarp => Scalar::Bool,
            CountOfWarp => Scalar::Usize,
            Ballot | Matching => Scalar::U32,
            _ => of,
        };
        if op == Shuffle {
            let of_ints =
                |var: &VarId| self.program.ty(*var).scalar().is_some_and(|of| of.is_int() && of != Scalar::U128);
            let ints: Vec<VarId> = self.team().each.iter().copied().filter(of_ints).collect();
            let lane = match !ints.is_empty() && self.rng.chance(70) {
                true => self.one_of(&ints),
                false => bare(self.rng.below(70)),
            };
            own = Expr::new(Ty::Tuple(vec![of.into(), lane.ty.clone()]), Kind::Tuple(vec![own, lane]));
        }
        let init = Expr::new(result, Kind::Collective { op, own: Box::new(own), thread: None });
        self.of_each(result.into(), false, init, stmts);
    }

    /// The type of a value that the threads have, now and then.
    pub(super) fn ty_of_threads(&mut self) -> Option<Ty> {
        let each = self.team().each.clone();
        (!each.is_empty() && self.rng.chance(50)).then(|| {
            let own = self.pick(&each);
            self.program.ty(own).clone()
        })
    }

    /// What each thread evaluates: it changes nothing.
    fn own_value(&mut self, ty: &Ty, op: Collective) -> Expr {
        // As it is: what is computed of it is mostly the same in all threads, or no number.
        let of_type: Vec<VarId> = self.team().each.iter().copied().filter(|var| self.program.ty(*var) == ty).collect();
        if !of_type.is_empty() && self.rng.chance(40) {
            return ordered(self.one_of(&of_type), op);
        }
        let mut own = self.by_each_thread(Place::Argument, Vec::new(), |this| {
            let visible = this.visible();
            this.frozen.extend(visible);
            let outside = std::mem::replace(&mut this.depth, DEPTH - 3);
            let own = this.expr(ty);
            this.depth = outside;
            own
        });
        visit::deep(Node::Expr(&mut own), &mut |node| {
            if let Node::Block(block) = node {
                block.stmts.retain(|stmt| !matches!(stmt, Stmt::Observe(_)));
            }
        });
        ordered(own, op)
    }
}

/// A value of which the smallest and the greatest are the same everywhere: of two zeros they are
/// not.
fn ordered(own: Expr, op: Collective) -> Expr {
    match own.ty.scalar() {
        Some(scalar)
            if scalar.is_float()
                && matches!(op, Collective::Min | Collective::Max | Collective::MinOfWarp | Collective::MaxOfWarp) =>
        {
            Expr::bin(BinOp::Add, own, Expr::float("0.0", scalar))
        }
        _ => own,
    }
}
