//! Comparisons of index arithmetic, which a block makes in 32 bits, as the indexes themselves.
//!
//! A tile that reaches beyond the edge is clipped by comparisons such as `by * 32 + y < h`. The
//! launch has to show that no part of them needs more bits, or has wrapped, wherever they are made.
//! To it they are an operation whose result nothing asks for.

use anabranch_core::facts::{Term, Value};
use anabranch_core::limits::MAX_BLOCK_THREADS;

use super::super::{Form, Operation, Step};
use super::Extractor;
use crate::ir::{BinOp, Expr, ExprKind, LocalId, LoopRange, SlotId};

impl<'b> Extractor<'b> {
    /// A comparison that comes now. `ahead`: before what stands left of its `&&`.
    pub(in crate::analysis::access) fn compares(&mut self, cond: &'b Expr, ahead: bool) {
        let ExprKind::Compare { lhs, rhs, slot, .. } = &cond.kind else { return };
        let fits = self.in_block.of_blocks && [lhs, rhs].into_iter().all(|side| self.is_sum(side));
        if !fits || !self.counts(lhs) && !self.counts(rhs) {
            return;
        }
        let (Some(left), Some(right)) = (self.expr(lhs), self.expr(rhs)) else { return };
        self.computes(vec![left, right], *slot);
        // Their variables are there in 32 bits, too.
        self.indexes(lhs);
        self.indexes(rhs);
        // A division may fail where the condition before it does not hold.
        let ahead = ahead && !divides(lhs) && !divides(rhs);
        *self.facts.info.compared.entry(*slot).or_default() |= ahead;
    }

    /// A comparison of what counts a loop with a variable that is small. The form of such a
    /// variable has the type of all its values, so it is exact.
    pub(in crate::analysis::access) fn compares_small(&mut self, lhs: &Expr, rhs: &Expr, slot: SlotId) {
        let (ExprKind::Local(a), ExprKind::Local(b)) = (&lhs.kind, &rhs.kind) else { return };
        if [(a, b), (b, a)].into_iter().any(|(a, b)| self.is_counter(*a) && self.in_block.small.contains(b)) {
            self.in_block.compared.insert(slot.0);
        }
    }

    /// What a phase counts: the variable goes from a number to another, both in 32 bits. In those,
    /// a thread goes beyond the end by no more than the threads of a block.
    pub(super) fn counts_in_32_bits(&mut self, var: LocalId, range: &'b LoopRange) {
        let LoopRange { start, end, inclusive, adaptors } = range;
        let (Some(first), Some(past)) = (self.expr(start), self.expr(end)) else { return };
        let plain = !inclusive && adaptors.is_empty() && !self.body[var].mutable;
        if !plain || !self.is_limited(&first) || !self.is_limited(&past) {
            return;
        }
        let beyond = |end: &Form| end.add(&Form::constant(i64::from(MAX_BLOCK_THREADS)));
        let (Some(first_beyond), Some(past_beyond)) = (beyond(&first), beyond(&past)) else { return };
        self.computes(vec![first.clone(), past.clone(), first_beyond, past_beyond], self.body[var].slot);
        self.facts.info.counted.insert(var);
        self.indexes(start);
        self.indexes(end);
        if self.is_one_round(&first, &past) {
            self.facts.info.one_round.insert(var);
        }
    }

    /// Whether a range has no more numbers than the block has threads, as
    /// `first..(first + 256).min(n)`. Where that sum wraps, it has none.
    fn is_one_round(&self, first: &Form, past: &Form) -> bool {
        let few = |end: &Form| {
            let count = end.sub(first).filter(|count| count.casts.is_empty());
            count.and_then(|count| count.literal()).is_some_and(|count| count <= self.in_block.threads)
        };
        let ends = match past.value.terms.as_slice() {
            [Term { atoms, factor: 1 }] if atoms.len() == 1 => self.facts.chosen.get(&atoms[0]),
            _ => None,
        };
        few(past) || matches!(ends, Some((Operation::Min, ends)) if ends.iter().any(few))
    }

    /// Index arithmetic in 32 bits. Only its operands matter.
    fn computes(&mut self, operands: Vec<Form>, ty: SlotId) {
        let atom = self.facts.compares.unwrap_or_else(|| self.fresh());
        self.facts.compares = Some(atom);
        let value = Value { operation: Operation::Any, operands, ty: ty.0, narrow: true };
        self.here.steps.push(Step::Let { atom, value });
    }

    /// Sums and products of numbers that the launch knows. Differences may be below 0, where those
    /// of the machine wrap. Where they are of numbers of the host alone, the launch sees that
    /// before anything is compared.
    fn is_sum(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Int { .. } | ExprKind::Captured(_) | ExprKind::Len(_) => true,
            ExprKind::Local(local) => {
                let init = self.known.inits.get(local).filter(|_| !self.is_counter(*local));
                self.facts.info.is_plain(expr) && init.is_none_or(|init| self.is_sum(init))
            }
            ExprKind::Binary { op: BinOp::Add | BinOp::Mul, lhs, rhs, .. } => self.is_sum(lhs) && self.is_sum(rhs),
            ExprKind::Binary { op: BinOp::Sub, lhs, rhs, .. } => self.is_of_host(lhs) && self.is_of_host(rhs),
            ExprKind::Binary { op: BinOp::Div | BinOp::Rem, lhs, rhs, .. } => {
                self.facts.info.is_plain(expr) && self.is_sum(lhs) && self.is_sum(rhs)
            }
            _ => false,
        }
    }

    /// Numbers of the host, and what is made of them.
    fn is_of_host(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Int { .. } | ExprKind::Captured(_) | ExprKind::Len(_) => true,
            ExprKind::Local(local) => self.known.inits.get(local).is_some_and(|init| self.is_of_host(init)),
            ExprKind::Binary { op: BinOp::Add | BinOp::Sub | BinOp::Mul, lhs, rhs, .. } => {
                self.is_of_host(lhs) && self.is_of_host(rhs)
            }
            _ => false,
        }
    }

    /// Whether a variable of a loop is in a sum: then it is one of integers.
    fn counts(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Local(local) => {
                self.is_counter(*local) || self.known.inits.get(local).is_some_and(|init| self.counts(init))
            }
            ExprKind::Binary { lhs, rhs, .. } => self.counts(lhs) || self.counts(rhs),
            _ => false,
        }
    }
}

/// Whether a part of an expression divides by what may be 0.
fn divides(expr: &Expr) -> bool {
    expr.any(&mut |part| {
        let ExprKind::Binary { op: BinOp::Div | BinOp::Rem, rhs, .. } = &part.kind else { return false };
        rhs.literal().is_none_or(|by| by == 0)
    })
}
