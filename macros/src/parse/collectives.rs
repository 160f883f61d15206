//! Collectives: what all threads of a block compute together, such as `block.sum(own)`.
//!
//! They stand in the code outside of phases, which all threads run alike: so no thread can miss one. What is given to them, every thread evaluates
//! for itself, as in a phase. Only a statement that one thread runs, because it changes memory, must not contain one. Where such a statement has a
//! collective in a value that is evaluated before it changes anything, that value becomes a statement of its own, before it.

use super::body::{BodyParser, Leaves, Want};
use crate::ir::{
    Block, Check, Collective, CollectiveOp, Expr, ExprKind, Flow, Local, LocalKind, Part, Pat, PatKind, Site, Slot,
    Space, Stmt,
};
use crate::report::{Code, error};

impl BodyParser<'_> {
    /// `block.sum(own)`, as a value that is the same for all threads. `None`: the method is no collective.
    pub(super) fn collective(&mut self, call: &syn::ExprMethodCall) -> Option<Expr> {
        let op = of_name(&call.method)?;
        if op.is_scan() {
            let name = op.name();
            let error = error(Code::CollectivePlace, format!("`{name}` gives each thread a value of its own"));
            return Some(self.unsupported(&call.method, error.help(format!("write `let at = block.{name}(…);`"))));
        }
        Some(self.collective_of(op, call))
    }

    /// `let at = block.inclusive_sum(own);`
    pub(super) fn scan(&mut self, local: &syn::Local, call: &syn::ExprMethodCall) -> Option<Vec<Stmt>> {
        let op = of_name(&call.method).filter(|op| op.is_scan())?;
        let errors = self.report.len();
        let syn::Pat::Ident(syn::PatIdent { by_ref: None, subpat: None, mutability: None, ident, .. }) = &local.pat
        else {
            let name = op.name();
            let error = error(Code::CollectivePlace, format!("what `{name}` returns has a name and no `mut`"));
            self.report.on(&local.pat, error.help(format!("write `let at = block.{name}(…);`")));
            self.bind_anyway(&local.pat);
            return Some(Vec::new());
        };
        let value = self.collective_of(op, call);
        let ExprKind::Collective(Collective { slot, .. }) = &value.kind else {
            self.bind_anyway(&local.pat);
            return Some(Vec::new());
        };
        if self.report.len() > errors {
            self.bind_anyway(&local.pat);
            return Some(Vec::new());
        }
        let (span, slot) = (ident.span(), *slot);
        // What has the type of a thread's value.
        let (name, kind) = (ident.clone(), LocalKind::Value);
        let first =
            self.body.locals(Local { name, mutable: false, late: false, slot, kind, loose: false, space: Space::Own });
        let all = self.bind(ident, false, Slot::Inferred);
        self.body.locals[all.0].space = Space::Each(first);
        let pat = Pat { span, kind: PatKind::Bind { local: all, sub: None } };
        Some(vec![Stmt::Let { pat, ty: None, init: value, otherwise: None }])
    }

    fn collective_of(&mut self, op: CollectiveOp, call: &syn::ExprMethodCall) -> Expr {
        let (span, name) = (call.method.span(), op.name());
        let place = match self.leaves {
            _ if self.in_phase() => Some("a phase"),
            Leaves::Body(None) => None,
            _ => Some("a closure"),
        };
        if let Some(place) = place {
            let error =
                error(Code::CollectivePlace, format!("`{name}` is for the whole block, and cannot be in {place}"));
            let error = error.help(format!("write `let value = block.{name}(…);` before the {}", &place[2..]));
            return self.unsupported(&call.method, error);
        }
        let (own, thread) = match (op, call.args.first(), call.args.get(1), call.args.len()) {
            (CollectiveOp::Broadcast, Some(own), Some(thread), 2) => (own, Some(thread)),
            (CollectiveOp::Broadcast, ..) => {
                let error = error(Code::CollectivePlace, "`broadcast` takes a value and the number of a thread");
                return self.unsupported(&call.method, error.help("write `block.broadcast(own, 0)`"));
            }
            (_, Some(own), None, 1) => (own, None),
            _ => {
                let error =
                    error(Code::CollectivePlace, format!("`{name}` takes one value, which each thread evaluates"));
                return self.unsupported(&call.method, error.help(format!("write `block.{name}(own)`")));
            }
        };
        let id = self.generated("thread", span, Slot::Inferred, LocalKind::Value);
        let loops = std::mem::take(&mut self.loops);
        let own = self.by_each_thread(id, |this| this.expr(own, Want::Value));
        self.loops = loops;
        let of = thread.map(|thread| {
            let site = self.body.sites(Site { span, check: Check::Index, text: String::new() });
            (Box::new(self.expr(thread, Want::Value)), site)
        });
        let collective =
            Collective { op, own: Box::new(own), thread: id, threads: self.threads(), slot: self.slot(), of };
        Expr { span, kind: ExprKind::Collective(collective) }
    }

    /// A statement of one thread, after the values in it that are not its alone.
    ///
    /// Their evaluation comes first, so what is hoisted sees what it would have seen: an assignment evaluates its value first, and an atomic
    /// operation its arguments. What stays changes nothing before that.
    pub(super) fn hoisted(&mut self, mut expr: Expr) -> Expr {
        if !self.is_uniform() {
            return expr;
        }
        let span = expr.span;
        let values: Vec<&mut Expr> = match &mut expr.kind {
            ExprKind::Assign { value, .. } | ExprKind::AssignOp { value, .. } => vec![value],
            ExprKind::Atomic { args, .. } => args.iter_mut().collect(),
            _ => Vec::new(),
        };
        let mut stmts = Vec::new();
        for value in values.into_iter().filter(|value| has_collective(value)) {
            let local = self.generated("value", span, Slot::Inferred, LocalKind::Value);
            let init = std::mem::replace(value, Expr { span: value.span, kind: ExprKind::Local(local) });
            let pat = Pat { span, kind: PatKind::Bind { local, sub: None } };
            stmts.push(Stmt::Let { pat, ty: None, init, otherwise: None });
        }
        if stmts.is_empty() {
            return expr;
        }
        stmts.push(Stmt::Expr(expr));
        Expr::flow(span, None, Flow::Block(Block { stmts, value: None }))
    }
}

/// Whether an expression is or contains a collective.
pub(crate) fn has_collective(expr: &Expr) -> bool {
    fn in_parts(parts: Vec<Part<'_>>) -> bool {
        parts.into_iter().any(|part| match part {
            Part::Expr(expr) => has_collective(expr),
            Part::Block(block) => in_parts(block.parts()),
        })
    }
    matches!(expr.kind, ExprKind::Collective(_)) || in_parts(expr.parts())
}

fn of_name(name: &syn::Ident) -> Option<CollectiveOp> {
    let name = super::plain(name);
    CollectiveOp::ALL.into_iter().find(|op| op.name() == name)
}
