//! Conditions of a phase that hold in all its iterations, as those that clip a tile do inside of a plane.
//!
//! In `if by * 32 + y < h && bx * 32 + x < w { … }` the second comparison has a side that grows by 1 from one iteration of the innermost loop to the next,
//! and another one that stays what it is. If it holds in the first and in the last iteration, and the side has not wrapped between them, it holds in
//! all. That is asked once, before the loop, and the comparison becomes `all || bx * 32 + x < w`. So the compiler splits the loop in two, and one of them has
//! no condition, and no masks where it becomes vectors. The other one is as it would be without this.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;

use super::Twin;
use crate::ir::{
    BinOp, Block, Body, CaptureKind, CompareOp, Expr, ExprKind, Flow, LocalId, LocalKind, PatKind, Space, Stmt,
};
use crate::names::{local, slot};

/// How a number changes from one iteration to the next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Slope {
    Zero,
    One,
}

/// A comparison, and the side of it that grows.
struct Guard<'b> {
    compare: &'b Expr,
    grows: &'b Expr,
}

/// What an iteration does, up to its conditions.
struct Iteration<'b> {
    body: &'b Body,
    /// Slopes of what it binds; `None` if unknown.
    slopes: BTreeMap<LocalId, Option<Slope>>,
    /// The values of what it binds, where the slopes are known.
    values: BTreeMap<LocalId, &'b Expr>,
    guards: Vec<Guard<'b>>,
}

impl<'b> Iteration<'b> {
    fn of(body: &'b Body, var: LocalId, block: &'b Block) -> Self {
        let slopes = BTreeMap::from([(var, Some(Slope::One))]);
        let mut iteration = Iteration { body, slopes, values: BTreeMap::new(), guards: Vec::new() };
        // Before the loop, the names of its items mean something else.
        if !block.has_items() {
            iteration.block(block);
        }
        iteration
    }

    fn block(&mut self, block: &'b Block) {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Let { pat, init, otherwise, ty: _ } => {
                    self.conditions(init);
                    self.slopes.extend(pat.locals().into_iter().map(|local| (local, None)));
                    if otherwise.is_none() {
                        self.bind(&pat.kind, init);
                    }
                }
                Stmt::Declare { local, .. } => self.slopes.extend([(*local, None)]),
                Stmt::Expr(expr) => self.conditions(expr),
                Stmt::Item(_) => {}
            }
        }
        block.value.iter().for_each(|value| self.conditions(value));
    }

    /// The slopes of what a pattern binds.
    fn bind(&mut self, pat: &PatKind, init: &'b Expr) {
        match (pat, &init.kind) {
            (PatKind::Bind { local, sub: None }, _) => {
                let declared = &self.body[*local];
                let is_number = !declared.mutable && declared.kind == LocalKind::Value && declared.space == Space::Own;
                if let Some(slope) = self.slope(init).filter(|_| is_number) {
                    self.slopes.insert(*local, Some(slope));
                    self.values.insert(*local, init);
                }
            }
            (PatKind::Tuple(list), ExprKind::Tuple { elems, .. })
                if list.back.is_none() && list.front.len() == elems.len() =>
            {
                list.front.iter().zip(elems).for_each(|(pat, init)| self.bind(&pat.kind, init));
            }
            _ => {}
        }
    }

    /// What the iteration binds and a number with a slope is computed of. If the number is an integer, so are they all.
    fn needs(&self, expr: &Expr, so_far: &mut BTreeSet<LocalId>) {
        match &expr.kind {
            ExprKind::Local(local) => {
                if let Some(value) = self.values.get(local).filter(|_| so_far.insert(*local)) {
                    self.needs(value, so_far);
                }
            }
            ExprKind::Binary { lhs, rhs, .. } | ExprKind::Compare { lhs, rhs, .. } => {
                self.needs(lhs, so_far);
                self.needs(rhs, so_far);
            }
            _ => {}
        }
    }

    /// Finds conditions in an expression that the iteration evaluates before any other loop.
    fn conditions(&mut self, expr: &'b Expr) {
        match &expr.kind {
            ExprKind::Flow { flow: Flow::If { cond, .. }, .. } => self.condition(cond),
            ExprKind::Flow { flow: Flow::Unsafe(block) | Flow::Block(block), .. } if block.stmts.is_empty() => {
                block.value.iter().for_each(|value| self.conditions(value));
            }
            ExprKind::Assign { value, .. } | ExprKind::AssignOp { value, .. } => self.conditions(value),
            ExprKind::Compare { .. } | ExprKind::Logic { .. } => self.condition(expr),
            _ => {}
        }
    }

    fn condition(&mut self, cond: &'b Expr) {
        match &cond.kind {
            ExprKind::Logic { and: true, lhs, rhs } => [lhs, rhs].into_iter().for_each(|side| self.condition(side)),
            ExprKind::Compare {
                op: CompareOp::Lt | CompareOp::Le | CompareOp::Gt | CompareOp::Ge, lhs, rhs, ..
            } => {
                let grows = match (self.slope(lhs), self.slope(rhs)) {
                    (Some(Slope::One), Some(Slope::Zero)) => lhs,
                    (Some(Slope::Zero), Some(Slope::One)) => rhs,
                    _ => return,
                };
                self.guards.push(Guard { compare: cond, grows });
            }
            _ => {}
        }
    }

    /// The slope of what integers are computed with, if it can be computed without any effect.
    fn slope(&self, expr: &Expr) -> Option<Slope> {
        match &expr.kind {
            ExprKind::Int { .. } | ExprKind::Constant { .. } | ExprKind::Len(_) => Some(Slope::Zero),
            ExprKind::Captured(id) => (self.body[*id].kind == CaptureKind::Value).then_some(Slope::Zero),
            ExprKind::Local(id) => match self.slopes.get(id) {
                Some(slope) => *slope,
                // A phase changes nothing that is bound outside of it, but for what is shared and what each thread has.
                None => {
                    let Space::Own = self.body[*id].space else { return None };
                    (self.body[*id].kind == LocalKind::Value).then_some(Slope::Zero)
                }
            },
            ExprKind::Binary { op, lhs, rhs, .. } => match (op, self.slope(lhs)?, self.slope(rhs)?) {
                (BinOp::Add | BinOp::Sub | BinOp::Mul, Slope::Zero, Slope::Zero) => Some(Slope::Zero),
                (BinOp::Add | BinOp::Sub, Slope::One, Slope::Zero) | (BinOp::Add, Slope::Zero, Slope::One) => {
                    Some(Slope::One)
                }
                _ => None,
            },
            _ => None,
        }
    }
}

impl Twin<'_> {
    /// What comes before the innermost loop of a phase over a range, and the body of the loop.
    pub(super) fn clipped(
        &self,
        var: LocalId,
        body: &Block,
        range: &TokenStream,
        span: Span,
    ) -> (TokenStream, TokenStream) {
        let iteration = Iteration::of(self.body, var, body);
        if iteration.guards.is_empty() || self.again.get() {
            return (TokenStream::new(), self.block(body));
        }
        let (p, name) = (self.private_at(span), self.local(var, self.body[var].name.span()));
        let all = local("all");
        // They stand there once more, with the names that they have.
        let names = self.outside.replace((0..self.body.locals.len()).map(LocalId).collect());
        self.again.set(true);
        let held = iteration.guards.iter().map(|Guard { compare, grows }| {
            let ExprKind::Compare { slot: s, .. } = &compare.kind else { return TokenStream::new() };
            let mut needs = BTreeSet::new();
            iteration.needs(compare, &mut needs);
            // In the order of the source, because one may hide another.
            let lets = iteration.values.iter().filter(|(local, _)| needs.contains(local)).map(|(local, value)| {
                let (name, value) = (self.local(*local, self.body[*local].name.span()), self.expr(value));
                quote_spanned!(span=> let #name = #value;)
            });
            let (s, compare, grows) = (slot(*s), self.expr(compare), self.expr(grows));
            quote_spanned!(span=> && #p::block::throughout(#s, &#range, |#name| { #(#lets)* (#grows, #compare) }))
        });
        let held: TokenStream = held.collect();
        self.again.set(false);
        self.outside.replace(names);
        let guards: BTreeSet<*const Expr> = iteration.guards.iter().map(|guard| &raw const *guard.compare).collect();
        let around = self.guards.replace(guards);
        let body = self.block(body);
        self.guards.replace(around);
        (quote_spanned!(span=> #[allow(unused_variables)] let #all = true #held;), body)
    }

    /// A comparison, which need not be made if it always holds.
    pub(super) fn guard(&self, compare: &Expr, made: TokenStream) -> TokenStream {
        if self.again.get() || !self.guards.borrow().contains(&(&raw const *compare)) {
            return made;
        }
        let (all, span) = (local("all"), compare.span);
        quote_spanned!(span=> (#all || #made))
    }
}
