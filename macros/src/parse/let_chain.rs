//! `if let Some(v) = want && x[i] > v { … } else { … }`: conditions with several parts, among them
//! `let`s.
//!
//! They become the `if`s in each other that they mean, so that the analyses and the outputs know
//! nothing of them. What follows `else` comes once: after them, if none of them has come to the
//! end. That is kept in a variable, or for a value in an `Option`.

use proc_macro2::{Ident, Span};
use syn::spanned::Spanned;

use super::body::{BodyParser, LoopKind, Want};
use super::iter::let_name;
use super::strip;
use crate::ir::{
    Arm, Block, Callee, Expr, ExprKind, Flow, LocalId, LocalKind, MatchForm, Pat, PatKind, Slot, SlotId, Stmt,
};

/// What comes after the last condition.
type Last<'l> = &'l mut dyn FnMut(&mut BodyParser<'_>) -> Block;

impl BodyParser<'_> {
    /// `if` with such a condition. `None`: it was refused.
    pub(super) fn if_chain(
        &mut self,
        branch: &syn::ExprIf,
        conds: &[&syn::Expr],
        want: Want,
        slot: Option<SlotId>,
    ) -> Option<Expr> {
        let span = branch.if_token.span;
        if !self.has_else(branch, want) {
            return None;
        }
        let Some((_, otherwise)) = &branch.else_branch else {
            return self.nested(conds, None, &mut |this| this.block(&branch.then_branch, want));
        };
        if want == Want::Nothing {
            let missed = self.flag(span);
            let held = self.nested(conds, None, &mut |this| {
                let mut block = this.block(&branch.then_branch, want);
                block.stmts.insert(0, this.set(missed, span));
                block
            });
            let otherwise = self.expr(otherwise, want);
            let stmts = vec![let_name(missed, span, truth(span)), Stmt::Expr(held?)];
            let missed = self.if_missed(missed, span, otherwise);
            return Some(block(span, stmts, Some(missed)));
        }
        let chosen = self.generated("chosen", span, Slot::Inferred, LocalKind::Value);
        let option = self.slot();
        let held = self.nested(conds, Some(option), &mut |this| {
            let mut block = this.block(&branch.then_branch, want);
            // A jump has no value.
            if let Some(value) = block.value.take_if(|value| !value.is_jump()) {
                block.value = Some(Box::new(this.option(span, "just", vec![*value])));
            }
            block
        });
        let otherwise = self.expr(otherwise, want);
        let stmts = vec![let_name(chosen, span, held?)];
        let of_chosen = |name: &str, slot| {
            let args = vec![Expr::new(span, ExprKind::Local(chosen))];
            let callee = Callee::Conversion { name: Ident::new(name, span), slot };
            Expr::new(span, ExprKind::Call { callee, args })
        };
        let cond = Box::new(of_chosen("is_just", self.slot()));
        let value = Some(Box::new(of_chosen("given", self.slot())));
        let flow = Flow::If { cond, then: Block { stmts: Vec::new(), value }, otherwise: Some(Box::new(otherwise)) };
        Some(block(span, stmts, Some(Expr::flow(span, slot, flow))))
    }

    /// `while` with such a condition.
    pub(super) fn while_chain(&mut self, around: &syn::ExprWhile, conds: &[&syn::Expr]) -> Option<Expr> {
        let span = around.while_token.span;
        let label = around.label.clone();
        let id = self.enter_loop(around.label.as_ref(), LoopKind::Other, Want::Nothing);
        let missed = self.flag(span);
        let held = self.nested(conds, None, &mut |this| {
            let mut block = this.block(&around.body, Want::Nothing);
            block.stmts.insert(0, this.set(missed, span));
            block
        });
        self.leave_loop();
        let leave = Expr::flow(span, None, Flow::Break { id, label: None, value: None });
        let mut stmts = vec![let_name(missed, span, truth(span)), Stmt::Expr(held?)];
        stmts.push(Stmt::Expr(self.if_missed(missed, span, leave)));
        Some(Expr::flow(span, None, Flow::Loop { id, label, body: Block { stmts, value: None } }))
    }

    /// Conditions in each other. `option`: the type of the value, which is that of `last`, or
    /// nothing.
    fn nested(&mut self, conds: &[&syn::Expr], option: Option<SlotId>, last: Last<'_>) -> Option<Expr> {
        let (cond, rest) = conds.split_first()?;
        let span = cond.span();
        let mut then = |this: &mut Self| match rest {
            [] => Some(last(this)),
            rest => {
                let inner = this.nested(rest, option, &mut *last)?;
                Some(match option {
                    Some(_) => Block { stmts: Vec::new(), value: Some(Box::new(inner)) },
                    None => Block { stmts: vec![Stmt::Expr(inner)], value: None },
                })
            }
        };
        if let syn::Expr::Let(of) = strip(cond) {
            let (scrutinee, known) = self.scrutinee(&of.expr);
            let (pat, then) = self.scoped(|this| {
                let pat = this.pattern_of(&of.pat, known);
                (pat, then(this))
            });
            let body = Expr::flow(span, None, Flow::Block(then?));
            let other = Pat { span, kind: PatKind::Wild };
            let otherwise = match option {
                Some(_) => self.option(span, "nothing", Vec::new()),
                None => Expr::flow(span, None, Flow::Block(Block::default())),
            };
            let arms = vec![Arm { pat: pat?, guard: None, body }, Arm { pat: other, guard: None, body: otherwise }];
            return Some(Expr::flow(span, option, Flow::Match { scrutinee, arms, form: MatchForm::IfLet }));
        }
        let cond = Box::new(self.expr(cond, Want::Value));
        let then = then(self)?;
        let otherwise = option.map(|_| Box::new(self.option(span, "nothing", Vec::new())));
        Some(Expr::flow(span, option, Flow::If { cond, then, otherwise }))
    }

    /// A variable that says that a condition has not held.
    fn flag(&mut self, span: Span) -> LocalId {
        let missed = self.generated("missed", span, Slot::Inferred, LocalKind::Value);
        self.body.locals[missed.0].mutable = true;
        missed
    }

    fn set(&self, missed: LocalId, span: Span) -> Stmt {
        let place = Box::new(Expr::new(span, ExprKind::Local(missed)));
        let value = Box::new(Expr::new(span, ExprKind::Bool(false)));
        Stmt::Expr(Expr::new(span, ExprKind::Assign { place, value, op: None }))
    }

    fn if_missed(&self, missed: LocalId, span: Span, otherwise: Expr) -> Expr {
        let cond = Box::new(Expr::new(span, ExprKind::Local(missed)));
        let then = Block { stmts: vec![Stmt::Expr(otherwise)], value: None };
        Expr::flow(span, None, Flow::If { cond, then, otherwise: None })
    }
}

/// The parts of a condition, if there are several, among them a `let`.
pub(super) fn chain(cond: &syn::Expr) -> Option<Vec<&syn::Expr>> {
    fn parts<'e>(cond: &'e syn::Expr, all: &mut Vec<&'e syn::Expr>) {
        match cond {
            syn::Expr::Group(inner) => parts(&inner.expr, all),
            syn::Expr::Binary(syn::ExprBinary { left, op: syn::BinOp::And(_), right, .. }) => {
                parts(left, all);
                parts(right, all);
            }
            other => all.push(other),
        }
    }
    let mut all = Vec::new();
    parts(cond, &mut all);
    (all.len() > 1 && all.iter().any(|part| matches!(part, syn::Expr::Let(_)))).then_some(all)
}

fn truth(span: Span) -> Expr {
    Expr::new(span, ExprKind::Bool(true))
}

fn block(span: Span, stmts: Vec<Stmt>, value: Option<Expr>) -> Expr {
    Expr::flow(span, None, Flow::Block(Block { stmts, value: value.map(Box::new) }))
}
