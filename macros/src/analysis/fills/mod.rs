//! Shared arrays whose first values nothing reads, because a phase writes all that is read.
//!
//! The phase is in the first statement that mentions the array: of the block's program, of a
//! branch, or of the body of a loop outside of which nothing mentions it. Of each of its iterations
//! it is known which element it writes ([`writes`]): all elements between some ends, or those of
//! them for which a condition holds. All other mentions read elements between these ends, where the
//! same condition holds of them ([`reads`]).
//!
//! That a condition holds may follow from another one: a tile with what is around it is read two
//! elements further, where `x < w - 2` instead of `x < w`. That is so unless a difference has
//! wrapped, or a sum. Where the launch shows that none has, in comparisons in 32 bits, there is no
//! fill.
//!
//! A thread that fails writes nothing, and other threads go on: what they read then is any bits. Of
//! numbers all bits are values. Of other types they are not, so there a block ends at the next
//! barrier (`AB_ENDS` in the C++).

mod reads;
mod same;
mod writes;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use super::within::Known;
use crate::ir::{Block, Body, Expr, ExprKind, Flow, LocalId, Phase, SlotId, Space, Stmt};
use reads::Reads;
use writes::Written;

/// The arrays whose first values nothing reads, each with the comparisons of which the launch has
/// to show that nothing in them has wrapped.
pub(super) fn of(body: &Body) -> BTreeMap<LocalId, BTreeSet<SlotId>> {
    let known = Known::of(body);
    let shared = body.block.stmts.iter().enumerate().filter_map(|(at, stmt)| {
        let Stmt::Let { pat, init, .. } = stmt else { return None };
        let local = pat.name().filter(|local| body[*local].space == Space::Shared)?;
        let array = Array { body, known: &known, local, lens: lens(init)?, compared: RefCell::default() };
        array.is_filled(&body.block, at + 1).then(|| (local, array.compared.into_inner()))
    });
    shared.collect()
}

/// The lengths of an array, if they are literal.
fn lens(init: &Expr) -> Option<Vec<i64>> {
    match &init.kind {
        ExprKind::Repeat { value, len: syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(len), .. }), .. } => {
            let mut inner = lens(value)?;
            inner.insert(0, len.base10_parse().ok()?);
            Some(inner)
        }
        // Their elements are no numbers.
        ExprKind::Repeat { .. }
        | ExprKind::Array { .. }
        | ExprKind::Tuple { .. }
        | ExprKind::Struct { .. }
        | ExprKind::Bool(_) => None,
        _ => Some(Vec::new()),
    }
}

/// An array, and what is known of the numbers that index it.
struct Array<'b> {
    body: &'b Body,
    known: &'b Known<'b>,
    local: LocalId,
    lens: Vec<i64>,
    /// The comparisons in which nothing may wrap.
    compared: RefCell<BTreeSet<SlotId>>,
}

impl<'b> Array<'b> {
    /// Whether the statements of a block from this one on, as far as they mention the array, begin
    /// with a phase that writes all that they read.
    fn is_filled(&self, block: &'b Block, from: usize) -> bool {
        let mut conditions = Vec::new();
        if let Some((phase, body)) = self.first_phase(block, from, &mut conditions)
            && let Some(written) = Written::by(self, phase, body, conditions)
        {
            return Reads { array: self, written: &written }.are_written(block, from);
        }
        let mut mentioning = self.mentioning(block, from);
        let (Some(Some(first)), None) = (mentioning.next(), mentioning.next()) else { return false };
        match &first.kind {
            ExprKind::Flow { flow: Flow::For { body, range, .. }, .. } => {
                !range.operands().into_iter().any(|end| self.is_in(end)) && self.is_filled(body, 0)
            }
            _ => self.is_filled_on_ways(first),
        }
    }

    /// The same of each branch of an `if` that mentions the array.
    fn is_filled_on_ways(&self, expr: &'b Expr) -> bool {
        match &expr.kind {
            ExprKind::Flow { flow: Flow::If { cond, then, otherwise }, .. } => {
                let otherwise = otherwise.as_deref().filter(|otherwise| self.is_in(otherwise));
                !self.is_in(cond)
                    && (!self.is_in_block(then) || self.is_filled(then, 0))
                    && otherwise.is_none_or(|otherwise| self.is_filled_on_ways(otherwise))
            }
            ExprKind::Flow { flow: Flow::Block(block), .. } => self.is_filled(block, 0),
            _ => false,
        }
    }

    /// The phase that the first mention is in, and the conditions around it.
    fn first_phase(
        &self,
        block: &'b Block,
        from: usize,
        conditions: &mut Vec<&'b Expr>,
    ) -> Option<(&'b Phase, &'b Block)> {
        let first = self.mentioning(block, from).next()??;
        match &first.kind {
            ExprKind::Flow { flow: Flow::Phase { phase, body }, .. } => Some((phase, body)),
            ExprKind::Flow { flow: Flow::If { cond, then, otherwise }, .. } => {
                let other = otherwise.as_ref().is_some_and(|otherwise| self.is_in(otherwise));
                if other || self.is_in(cond) {
                    return None;
                }
                conditions.extend(same::conjuncts(cond));
                self.first_phase(then, 0, conditions)
            }
            _ => None,
        }
    }

    /// The statements that mention the array; `None` where it is no expression.
    fn mentioning(&self, block: &'b Block, from: usize) -> impl Iterator<Item = Option<&'b Expr>> {
        let of_stmt = |stmt: &'b Stmt| match stmt {
            Stmt::Let { .. } => self.is_in_stmt(stmt).then_some(None),
            Stmt::Expr(expr) => self.is_in(expr).then_some(Some(expr)),
            Stmt::Declare { .. } | Stmt::Item(_) => None,
        };
        let value = block.value.as_deref().filter(|value| self.is_in(value)).map(Some);
        block.stmts[from..].iter().filter_map(of_stmt).chain(value)
    }

    fn is_in_stmt(&self, stmt: &Stmt) -> bool {
        match stmt {
            Stmt::Let { init, otherwise, .. } => {
                self.is_in(init) || otherwise.as_ref().is_some_and(|block| self.is_in_block(block))
            }
            Stmt::Expr(expr) => self.is_in(expr),
            Stmt::Declare { .. } | Stmt::Item(_) => false,
        }
    }

    fn is_in_block(&self, block: &Block) -> bool {
        block.any(&mut |expr| self.is(expr))
    }

    fn is_in(&self, expr: &Expr) -> bool {
        expr.any(&mut |expr| self.is(expr))
    }

    fn is(&self, expr: &Expr) -> bool {
        matches!(expr.kind, ExprKind::Local(local) if local == self.local)
    }

    /// The indexes of an element of the array, or of what is in it.
    fn indexes<'e>(&self, place: &'e Expr) -> Option<Vec<&'e Expr>> {
        match &place.kind {
            ExprKind::Local(local) => (*local == self.local).then(Vec::new),
            ExprKind::Element { base, index, .. } => {
                let mut indexes = self.indexes(base)?;
                indexes.push(index);
                Some(indexes)
            }
            _ => None,
        }
    }
}
