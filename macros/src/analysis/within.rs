//! Elements of shared arrays that are in bounds, whatever the numbers of the launch are.
//!
//! The lengths of these arrays are literals, and so are most of the ranges that index them. An
//! interval is computed for each index, of literals and of variables of such ranges. Nothing else
//! is trusted: whatever rustc makes of it, these are numbers. An operation that may wrap has no
//! interval.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::{BinOp, Block, Body, Expr, ExprKind, Flow, LocalId, ParLoop, Part, Shape, SiteId, Space, Stmt};

/// Numbers above this have no interval: all are below 2^31, as the C++ asks for.
const MOST: i64 = i32::MAX as i64;

/// The sites of the checks that cannot fail. Empty for loops without blocks.
pub(crate) fn of(par_loop: &ParLoop) -> BTreeSet<SiteId> {
    if par_loop.shape.is_some() { Known::of(&par_loop.body).within } else { BTreeSet::new() }
}

type Interval = (i64, i64);

/// What is known of the numbers of a loop over blocks.
pub(super) struct Known<'b> {
    pub(super) body: &'b Body,
    /// The lengths of shared arrays.
    lens: BTreeMap<LocalId, Vec<i64>>,
    /// What variables may be that never change.
    values: BTreeMap<LocalId, Interval>,
    /// What such variables were bound to.
    pub(super) inits: BTreeMap<LocalId, &'b Expr>,
    within: BTreeSet<SiteId>,
}

impl<'b> Known<'b> {
    pub(super) fn of(body: &'b Body) -> Self {
        let (lens, values, inits) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let mut known = Known { body, lens, values, inits, within: BTreeSet::new() };
        known.block(&body.block);
        known
    }

    fn block(&mut self, block: &'b Block) {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Let { pat, init, otherwise, ty } => {
                    self.expr(init);
                    otherwise.iter().for_each(|otherwise| self.block(otherwise));
                    if let (Some(local), None, None) = (pat.name(), otherwise, ty) {
                        self.bind(local, init);
                    }
                }
                Stmt::Expr(expr) => self.expr(expr),
                Stmt::Declare { .. } | Stmt::Item(_) => {}
            }
        }
        block.value.iter().for_each(|value| self.expr(value));
    }

    fn bind(&mut self, local: LocalId, init: &'b Expr) {
        let declared = &self.body[local];
        if declared.space == Space::Shared {
            self.lens.insert(local, lens(init));
        } else if !declared.mutable && declared.space == Space::Own {
            self.inits.insert(local, init);
            if let Some(value) = self.interval(init) {
                self.values.insert(local, value);
            }
        }
    }

    fn expr(&mut self, expr: &'b Expr) {
        match &expr.kind {
            ExprKind::Flow { flow: Flow::Phase { phase, body }, .. } => {
                for (var, (first, count)) in phase.vars.iter().zip(phase.literal.iter().flatten()) {
                    let last = i64::try_from(first.saturating_add(*count)).unwrap_or(i64::MAX) - 1;
                    let first = i64::try_from(*first).unwrap_or(i64::MAX);
                    if last <= MOST {
                        self.values.insert(*var, (first, last));
                    }
                }
                return self.block(body);
            }
            ExprKind::Flow { flow, .. } => {
                if let Shape::Counted { var, range, body: _ } = flow.shape()
                    && let (Some((first, _)), Some((_, end))) = (self.interval(&range.start), self.interval(&range.end))
                    && !self.body[var].mutable
                {
                    // Of a phase, more is known.
                    self.values.entry(var).or_insert((first, end - i64::from(!range.inclusive)));
                }
            }
            ExprKind::Element { .. } => drop(self.element(expr)),
            _ => {}
        }
        for part in expr.parts() {
            match part {
                Part::Expr(expr) => self.expr(expr),
                Part::Block(block) => self.block(block),
            }
        }
    }

    /// The lengths of what an element of a shared array is.
    fn element(&mut self, place: &Expr) -> Option<Vec<i64>> {
        match &place.kind {
            ExprKind::Local(local) => self.lens.get(local).cloned(),
            ExprKind::Element { base, index, site, .. } => {
                let mut lens = self.element(base)?;
                if lens.is_empty() {
                    return None;
                }
                let len = lens.remove(0);
                let greatest = match index.limit() {
                    Some(limit) => i64::try_from(limit).ok(),
                    None => self.interval(index).map(|(_, greatest)| greatest),
                };
                if greatest.is_some_and(|greatest| greatest < len) {
                    self.within.insert(*site);
                }
                Some(lens)
            }
            _ => None,
        }
    }

    /// Between which numbers an expression is, wherever it stands.
    pub(super) fn interval(&self, expr: &Expr) -> Option<Interval> {
        let whole = match &expr.kind {
            ExprKind::Int { digits, .. } => {
                let value = digits.parse().ok()?;
                (value, value)
            }
            ExprKind::Local(local) => *self.values.get(local)?,
            ExprKind::Binary { op, lhs, rhs, .. } => {
                let ((a, b), (c, d)) = (self.interval(lhs)?, self.interval(rhs)?);
                match op {
                    BinOp::Add => (a + c, b + d),
                    BinOp::Sub => (a - d, b - c),
                    BinOp::Mul => (a * c, b * d),
                    BinOp::Div if c > 0 => (a / d, b / c),
                    BinOp::Rem if c > 0 => (0, b.min(d - 1)),
                    BinOp::And => (0, b.min(d)),
                    // No more bits than the operands have.
                    BinOp::Xor | BinOp::Or => (0, all_bits(b.max(d))),
                    // The bits to shift by have a type of their own, in which a sum may wrap.
                    BinOp::Shr if rhs.literal().is_some() && d < 32 => (a >> d, b >> c),
                    BinOp::Shl if rhs.literal().is_some() && d < 32 => (a << c, b << d),
                    _ => return None,
                }
            }
            _ => return None,
        };
        (whole.0 >= 0 && whole.1 <= MOST).then_some(whole)
    }
}

/// The number of as many ones as a number has bits.
fn all_bits(number: i64) -> i64 {
    (1 << (64 - number.leading_zeros())) - 1
}

/// The lengths of an array, as far as they are literal.
pub(super) fn lens(init: &Expr) -> Vec<i64> {
    let (mut all, mut value) = (Vec::new(), init);
    while let ExprKind::Repeat { value: inner, len, .. } = &value.kind {
        let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(len), .. }) = len else { break };
        let Ok(len) = len.base10_parse() else { break };
        all.push(len);
        value = inner;
    }
    all
}
