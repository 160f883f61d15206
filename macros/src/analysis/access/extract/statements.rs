//! Statements: what variables are bound to, and the branches that checks begin.

use super::phases::is_new;
use super::{Branch, Extractor};
use crate::analysis::access::conditions::Holds;
use crate::analysis::access::{Form, Operation};
use crate::ir::jumps::diverges;
use crate::ir::{Block, Expr, ExprKind, List, LocalId, LocalKind, PatKind, Shape, Space, Stmt};

/// Checks of a block whose conditions are known after them: each is a branch around all that comes
/// after it.
const MOST_CHECKS: usize = 64;

impl<'b> Extractor<'b> {
    pub(super) fn block(&mut self, block: &'b Block) -> Option<Form> {
        self.statements(&block.stmts, block.value.as_deref())
    }

    pub(super) fn statements(&mut self, stmts: &'b [Stmt], value: Option<&'b Expr>) -> Option<Form> {
        // What comes after a check is in a branch in which it holds.
        let mut branches = Vec::new();
        for stmt in stmts {
            branches.extend(self.statement(stmt, branches.len() < MOST_CHECKS));
        }
        let value = value.and_then(|value| self.expr(value));
        // After the block, nothing tells which iterations have left it.
        self.here.lost |= !branches.is_empty();
        self.here.failed |= branches.iter().any(|branch| branch.check);
        branches.into_iter().rev().for_each(|branch| self.exit(branch));
        value
    }

    /// Walks a statement; the branch that what comes after it is in, if it begins one and may.
    pub(super) fn statement(&mut self, stmt: &'b Stmt, may_branch: bool) -> Option<Branch> {
        match stmt {
            Stmt::Let { pat, init, otherwise, ty: _ } => {
                let (truth, known) = (self.truth_of(init), self.facts.others);
                if let Some(portion) = self.portion(init) {
                    self.follow(pat, &portion);
                }
                let mut parts = None;
                let form = match (&truth, &init.kind) {
                    (Some(_), _) => None,
                    (None, ExprKind::Tuple { elems, .. } | ExprKind::Array { elems, .. }) => {
                        parts = Some(elems.iter().map(|elem| self.expr(elem)).collect::<Vec<_>>());
                        None
                    }
                    (None, _) => self.expr(init),
                };
                if let Some(local) = pat.name().filter(|local| self.body[*local].space == Space::Shared) {
                    self.share(local, init);
                }
                if let Some(local) = pat.name().filter(|local| !self.body[*local].mutable) {
                    self.known.inits.insert(local, init);
                }
                if let (Some(local), Some(len)) = (pat.name(), self.array_len(init)) {
                    self.known.arrays.insert(local, len);
                }
                if let Some(otherwise) = otherwise {
                    self.branch(Holds::default(), false, |this| this.block(otherwise));
                    self.leave(true);
                }
                if let (
                    PatKind::Tuple(List { front, back: None }) | PatKind::Array(List { front, back: None }),
                    Some(parts),
                ) = (&pat.kind, &parts)
                    && front.len() == parts.len()
                {
                    let elems = match &init.kind {
                        ExprKind::Tuple { elems, .. } | ExprKind::Array { elems, .. } => elems.as_slice(),
                        _ => &[],
                    };
                    for ((pat, form), elem) in front.iter().zip(parts).zip(elems) {
                        if let Some(local) = pat.name().filter(|local| !self.body[*local].mutable) {
                            self.known.inits.insert(local, elem);
                        }
                        match pat.name() {
                            Some(local) => self.bind(local, form.clone()),
                            None => pat.locals().into_iter().for_each(|local| self.bind(local, None)),
                        }
                    }
                } else if let (Some(local), None) = (pat.name(), otherwise) {
                    self.known.lists.extend(parts.filter(|_| !self.body[local].mutable).map(|parts| (local, parts)));
                    self.bind(local, form);
                    if !self.body[local].mutable
                        && self.known.locals.get(&local).is_some_and(|form| is_new(form, known))
                    {
                        self.known.made.insert(local);
                    }
                    if let Some(truth) = truth.filter(|_| !self.body[local].mutable) {
                        self.known.truths.insert(local, truth);
                    }
                } else {
                    self.bind_all(pat);
                }
            }
            Stmt::Expr(Expr { kind: ExprKind::Flow { flow, .. }, .. })
                if may_branch
                    && let Shape::If { cond, then, otherwise: None } = flow.shape()
                    && diverges(then) =>
            {
                let (truth, lost) = (self.truth(cond), self.here.lost);
                self.branch(truth.holds, false, |this| this.block(then));
                // That the condition fails says it all.
                (self.here.left, self.here.lost) = (true, lost);
                return Some(self.enter(truth.fails, true));
            }
            // A check that has bound its operands, as `assert_eq!` does.
            Stmt::Expr(Expr { kind: ExprKind::Flow { flow, .. }, .. })
                if may_branch
                    && let Shape::Straight { body, answered: false } = flow.shape()
                    && let (None, Some((check, bound))) = (&body.value, body.stmts.split_last())
                    && bound.iter().all(|stmt| matches!(stmt, Stmt::Let { otherwise: None, .. }))
                    && matches!(check, Stmt::Expr(Expr { kind: ExprKind::Flow { .. }, .. })) =>
            {
                bound.iter().for_each(|stmt| drop(self.statement(stmt, false)));
                return self.statement(check, true);
            }
            Stmt::Expr(Expr { kind: ExprKind::Assert { cond, check: Some(_) }, .. }) if may_branch => {
                let truth = self.truth(cond);
                return Some(Branch { check: true, ..self.enter(truth.holds, true) });
            }
            Stmt::Expr(Expr { kind: ExprKind::Assert { cond, check: Some(_) }, .. }) => {
                self.truth(cond);
                self.here.failed = true;
            }
            Stmt::Expr(expr) => {
                self.expr(expr);
            }
            Stmt::Declare { local, .. } => self.bind(*local, None),
            Stmt::Item(_) => {}
        }
        None
    }

    /// A new variable. Where nothing is known of an immutable one it still is one number.
    pub(super) fn bind(&mut self, local: LocalId, form: Option<Form>) {
        let new = &self.body[local];
        if new.mutable {
            return self.assign(local, form);
        }
        // The type of a loose one comes from a method call, which a trait of the user can catch.
        if new.late || new.loose || new.kind != LocalKind::Value {
            return;
        }
        if form.as_ref().is_some_and(|form| self.is_limited(form)) {
            self.facts.info.plain.insert(local);
        }
        let slot = new.slot;
        form.iter().for_each(|form| self.typed(form, slot));
        let form = form.unwrap_or_else(|| match self.known.inits.get(&local) {
            Some(init) => self.any(init, slot),
            None => self.operation(Operation::Any, Vec::new(), slot),
        });
        self.known.locals.insert(local, form);
    }
}
