//! Conditions of a phase that hold in all its iterations, as those that clip a tile do inside of a
//! plane.
//!
//! In `if by * 32 + y < h && bx * 32 + x < w { … }` the second comparison has a side that grows by
//! 1 from one iteration of the innermost loop to the next, and another one that stays what it is.
//! If it holds in the first and in the last iteration, and the side has not wrapped between them,
//! it holds in all. That is asked once, before the loop, and the comparison becomes
//! `all || bx * 32 + x < w`. So the compiler splits the loop in two, and one of them has no
//! condition, and no masks where it becomes vectors. The other one is as it would be without this.

use std::collections::BTreeSet;

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;

use super::Twin;
use super::slopes::{Slope, Slopes};
use crate::ir::{Block, Body, CompareOp, Expr, ExprId, ExprKind, Flow, LocalId, Stmt};
use crate::names::local;

/// A comparison, and the side of it that grows.
struct Guard<'b> {
    compare: &'b Expr,
    grows: &'b Expr,
}

/// What an iteration does, up to its conditions.
struct Iteration<'b> {
    slopes: Slopes<'b>,
    guards: Vec<Guard<'b>>,
}

impl<'b> Iteration<'b> {
    fn of(body: &'b Body, var: LocalId, block: &'b Block) -> Self {
        let mut iteration = Iteration { slopes: Slopes::of_phase(body, var), guards: Vec::new() };
        // Before the loop, the names of its items mean something else.
        if !block.has_items() {
            iteration.block(block);
        }
        iteration
    }

    fn block(&mut self, block: &'b Block) {
        for stmt in &block.stmts {
            if let Stmt::Let { init: expr, .. } | Stmt::Expr(expr) = stmt {
                self.conditions(expr);
            }
            self.slopes.stmt(stmt);
        }
        block.value.iter().for_each(|value| self.conditions(value));
    }

    /// Finds conditions in an expression that the iteration evaluates before any other loop.
    fn conditions(&mut self, expr: &'b Expr) {
        match &expr.kind {
            ExprKind::Flow { flow: Flow::If { cond, .. }, .. } => self.condition(cond),
            ExprKind::Flow { flow: Flow::Unsafe(block) | Flow::Block(block), .. } if block.stmts.is_empty() => {
                block.value.iter().for_each(|value| self.conditions(value));
            }
            ExprKind::Assign { value, .. } => self.conditions(value),
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
                let grows = match (self.slopes.slope(lhs), self.slopes.slope(rhs)) {
                    (Some(Slope::One), Some(Slope::Zero)) => lhs,
                    (Some(Slope::Zero), Some(Slope::One)) => rhs,
                    _ => return,
                };
                self.guards.push(Guard { compare: cond, grows });
            }
            _ => {}
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
        let held: TokenStream = self.before_loop(&iteration.slopes, || {
            let held = iteration.guards.iter().map(|Guard { compare, grows }| {
                let ExprKind::Compare { slot: of, .. } = &compare.kind else { return TokenStream::new() };
                let (lets, slots) = self.bound_before(&iteration.slopes, [*compare].into_iter(), [*of]);
                let (compare, grows) = (self.expr(compare), self.expr(grows));
                quote_spanned!(span=> && #p::view::throughout(#slots, &#range, |#name| { #lets (#grows, #compare) }))
            });
            held.collect()
        });
        let guards: BTreeSet<ExprId> = iteration.guards.iter().map(|guard| guard.compare.id).collect();
        let around = self.guards.replace(guards);
        let body = self.block(body);
        self.guards.replace(around);
        (quote_spanned!(span=> #[allow(unused_variables)] let #all = true #held;), body)
    }

    /// A comparison, which need not be made if it always holds.
    pub(super) fn guard(&self, compare: &Expr, made: TokenStream) -> TokenStream {
        if self.again.get() || !self.guards.borrow().contains(&compare.id) {
            return made;
        }
        let (all, span) = (local("all"), compare.span);
        quote_spanned!(span=> (#all || #made))
    }
}
