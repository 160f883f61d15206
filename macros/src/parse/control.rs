//! Control flow of device code.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::spanned::Spanned;

use super::body::{BodyParser, Context, Leaves, LoopKind, Want};
use super::{let_chain, strip, strip_pat};
use crate::ir::{Adaptor, Arm, Block, Check, Expr, Flow, LoopRange, MatchForm, Pat, PatKind, Site, Slot, SlotId};
use crate::names;
use crate::report::{Code, Diagnostic, error};
use anabranch_core::{check::message, methods};

impl BodyParser<'_> {
    /// Control flow, or what there is not in device code.
    pub(super) fn control(&mut self, expr: &syn::Expr, want: Want) -> Expr {
        match expr {
            syn::Expr::Block(block) => self.block_expr(block, want),
            syn::Expr::Unsafe(block) => self.unsafe_(block, want),
            syn::Expr::If(branch) => self.if_else(branch, want),
            syn::Expr::Match(matched) => self.match_(matched, want),
            syn::Expr::While(par_loop) => self.while_(par_loop),
            syn::Expr::Loop(par_loop) => self.loop_(par_loop, want),
            syn::Expr::ForLoop(par_loop) => self.for_loop(par_loop),
            syn::Expr::Break(leave) => self.break_(leave),
            syn::Expr::Continue(next) => self.continue_(next),
            syn::Expr::Return(ret) => self.return_(ret),
            syn::Expr::Try(question) if let Leaves::Body(Some(result)) | Leaves::Closure(result) = self.leaves => {
                self.question(question, result)
            }
            other => self.refuse(other),
        }
    }

    fn slot_if(&mut self, want: Want) -> Option<SlotId> {
        (want == Want::Value).then(|| self.slot())
    }

    fn if_else(&mut self, branch: &syn::ExprIf, want: Want) -> Expr {
        let span = branch.if_token.span;
        let slot = self.slot_if(want);
        if let syn::Expr::Let(condition) = strip(&branch.cond) {
            return self.if_let(branch, condition, want, slot);
        }
        if let Some(conds) = let_chain::chain(&branch.cond).filter(|_| want != Want::Reference) {
            return self.if_chain(branch, &conds, want, slot).unwrap_or_else(|| self.refused(span));
        }
        let cond = Box::new(self.expr(&branch.cond, Want::Value));
        let then = self.block(&branch.then_branch, want);
        if !self.has_else(branch, want) {
            return self.refused(span);
        }
        let otherwise = branch.else_branch.as_ref().map(|(_, e)| Box::new(self.expr(e, want)));
        Expr::flow(span, slot, Flow::If { cond, then, otherwise })
    }

    pub(super) fn has_else(&mut self, branch: &syn::ExprIf, want: Want) -> bool {
        let missing = branch.else_branch.is_none() && want != Want::Nothing;
        if missing {
            self.report.on(
                branch.if_token,
                error(Code::MissingValue, "this `if` is used as a value, but has no `else`")
                    .help("add an `else` with the other value"),
            );
        }
        !missing
    }

    /// A `match` with two arms.
    fn if_let(&mut self, branch: &syn::ExprIf, condition: &syn::ExprLet, want: Want, slot: Option<SlotId>) -> Expr {
        let span = branch.if_token.span;
        let (scrutinee, known) = self.scrutinee(&condition.expr);
        let then = self.scoped(|this| {
            let pat = this.pattern_of(&condition.pat, known)?;
            let body = this.block(&branch.then_branch, want);
            Some(Arm { pat, guard: None, body: Expr::flow(branch.then_branch.span(), None, Flow::Block(body)) })
        });
        if !self.has_else(branch, want) {
            return self.refused(span);
        }
        let otherwise = match &branch.else_branch {
            Some((_, e)) => self.expr(e, want),
            None => Expr::flow(span, None, Flow::Block(Block::default())),
        };
        let Some(then) = then else { return self.refused(span) };
        let otherwise = Arm { pat: Pat { span, kind: PatKind::Wild }, guard: None, body: otherwise };
        Expr::flow(span, slot, Flow::Match { scrutinee, arms: vec![then, otherwise], form: MatchForm::IfLet })
    }

    fn match_(&mut self, matched: &syn::ExprMatch, want: Want) -> Expr {
        let span = matched.match_token.span;
        let slot = self.slot_if(want);
        let (scrutinee, known) = self.scrutinee(&matched.expr);
        if matched.arms.is_empty() {
            self.report.on(
                matched.match_token,
                error(Code::Unsupported, "a `match` without arms is not supported in device code").help("add an arm"),
            );
        }
        let arms: Vec<Option<Arm>> =
            matched.arms.iter().map(|arm| self.scoped(|this| this.arm(arm, known, want))).collect();
        match arms.into_iter().collect::<Option<Vec<Arm>>>() {
            Some(arms) => Expr::flow(span, slot, Flow::Match { scrutinee, arms, form: MatchForm::Match }),
            None => self.refused(span),
        }
    }

    fn arm(&mut self, arm: &syn::Arm, known: bool, want: Want) -> Option<Arm> {
        // `pat if guard` is a pattern of its own for the parser.
        let (pat, guard) = match strip_pat(&arm.pat) {
            syn::Pat::Guard(guarded) => (&*guarded.pat, Some(&guarded.guard)),
            pat => (pat, None),
        };
        let pat = self.pattern_of(pat, known);
        let guard = guard.map(|guard| self.expr(guard, Want::Value));
        let body = self.expr(&arm.body, want);
        Some(Arm { pat: pat?, guard, body })
    }

    /// What is matched, and whether it is known.
    pub(super) fn scrutinee(&mut self, expr: &syn::Expr) -> (Box<Expr>, bool) {
        let errors = self.report.len();
        let scrutinee = Box::new(self.expr(expr, Want::Value));
        (scrutinee, self.report.len() == errors && !self.is_unknown(expr))
    }

    /// The pattern of a value; of one that was refused (`x.checked_add(1)`) nothing more is said
    /// (`Some(y)`).
    pub(super) fn pattern_of(&mut self, pat: &syn::Pat, known: bool) -> Option<Pat> {
        if known {
            return self.pattern(pat, true);
        }
        self.bind_anyway(pat);
        None
    }

    fn while_(&mut self, par_loop: &syn::ExprWhile) -> Expr {
        let span = par_loop.while_token.span;
        if let Some(conds) = let_chain::chain(&par_loop.cond) {
            return self.while_chain(par_loop, &conds).unwrap_or_else(|| self.refused(span));
        }
        let label = par_loop.label.clone();
        let id = self.enter_loop(par_loop.label.as_ref(), LoopKind::Other, Want::Nothing);
        let flow = match strip(&par_loop.cond) {
            syn::Expr::Let(condition) => {
                let (scrutinee, known) = self.scrutinee(&condition.expr);
                let inside = self.scoped(|this| {
                    let pat = this.pattern_of(&condition.pat, known)?;
                    Some((pat, this.block(&par_loop.body, Want::Nothing)))
                });
                inside.map(|(pat, body)| Flow::WhileLet { id, label, pat, scrutinee, body })
            }
            _ => {
                let cond = Box::new(self.expr(&par_loop.cond, Want::Value));
                let body = self.block(&par_loop.body, Want::Nothing);
                Some(Flow::While { id, label, cond, body })
            }
        };
        self.leave_loop();
        match flow {
            Some(flow) => Expr::flow(span, None, flow),
            None => self.refused(span),
        }
    }

    fn loop_(&mut self, par_loop: &syn::ExprLoop, want: Want) -> Expr {
        let slot = self.slot_if(want);
        let id = self.enter_loop(par_loop.label.as_ref(), LoopKind::Loop, want);
        let body = self.block(&par_loop.body, Want::Nothing);
        self.leave_loop();
        Expr::flow(par_loop.loop_token.span, slot, Flow::Loop { id, label: par_loop.label.clone(), body })
    }

    fn block_expr(&mut self, block: &syn::ExprBlock, want: Want) -> Expr {
        let span = block.span();
        let Some(label) = &block.label else {
            return Expr::flow(span, None, Flow::Block(self.block(&block.block, want)));
        };
        let slot = self.slot_if(want);
        let id = self.enter_loop(Some(label), LoopKind::Block, want);
        let body = self.block(&block.block, want);
        self.leave_loop();
        Expr::flow(span, slot, Flow::Labelled { id, label: label.clone(), body })
    }

    fn unsafe_(&mut self, block: &syn::ExprUnsafe, want: Want) -> Expr {
        if let Context::Device(_) = self.context {
            return self.unsupported(
                &block.unsafe_token,
                error(Code::UnsafeInDevice, "`unsafe` has no effect in a device function")
                    .help("put it around the call in the `par` loop"),
            );
        }
        Expr::flow(block.unsafe_token.span, None, Flow::Unsafe(self.block(&block.block, want)))
    }

    /// `par` in device code.
    pub(super) fn nested_par(&self) -> Diagnostic {
        let plain = "use a plain loop, `for j in 0..n { … }`, or an iterator: `(0..n).map(|j| x[j]).sum()`";
        match self.context {
            Context::Par => error(Code::NestedPar, "`par` loops cannot be nested")
                .help("use one loop over several ranges: `for (y, x) in par((0..h, 0..w))`")
                .help(format!("for the inner loop, {plain}")),
            Context::Device(_) => error(Code::NestedPar, "a device function cannot contain a `par` loop")
                .help(plain)
                .help("call the function from a `par` loop of a kernel"),
        }
    }

    fn for_loop(&mut self, par_loop: &syn::ExprForLoop) -> Expr {
        let span = par_loop.for_token.span;
        if let Some(phase) = self.phase(par_loop) {
            return phase;
        }
        if super::par::is_par(&par_loop.expr) {
            return self.unsupported(&par_loop.expr, self.nested_par());
        }
        if self.is_iterator(&par_loop.expr) {
            return self.for_items(par_loop);
        }
        if self.is_array(&par_loop.expr) {
            return self.for_each(par_loop);
        }
        let Some(range) = self.loop_range(&par_loop.expr) else { return self.refused(span) };
        let (name, mutable) = match strip_pat(&par_loop.pat) {
            syn::Pat::Ident(syn::PatIdent { by_ref: None, mutability, subpat: None, ident, .. }) => {
                (ident.clone(), mutability.is_some())
            }
            syn::Pat::Wild(wild) => (Ident::new("_unused", wild.underscore_token.span), false),
            other => {
                self.report.on(
                    other,
                    error(Code::Pattern, "the variable of a `for` loop over a range must be a single name")
                        .help("write `for i in …`"),
                );
                (Ident::new("_unused", other.span()), false)
            }
        };
        let id = self.enter_loop(par_loop.label.as_ref(), LoopKind::Other, Want::Nothing);
        let (var, body) = self.scoped(|this| {
            let var = this.bind_counter(&name, mutable);
            (var, this.block(&par_loop.body, Want::Nothing))
        });
        self.leave_loop();
        Expr::flow(span, None, Flow::For { id, label: par_loop.label.clone(), var, range: Box::new(range), body })
    }

    /// Whether a loop runs over the value of an expression, and not over a range or something that
    /// there is not.
    fn is_array(&self, expr: &syn::Expr) -> bool {
        match strip(expr) {
            syn::Expr::MethodCall(call) => methods::find(&names::plain(&call.method)).is_some(),
            syn::Expr::Range(_) | syn::Expr::Reference(_) => false,
            other => self.view_name(other).is_none(),
        }
    }

    fn for_each(&mut self, par_loop: &syn::ExprForLoop) -> Expr {
        let span = par_loop.for_token.span;
        let array = Box::new(self.expr(&par_loop.expr, Want::Value));
        let id = self.enter_loop(par_loop.label.as_ref(), LoopKind::Other, Want::Nothing);
        let inside = self.scoped(|this| {
            let pat = this.pattern(&par_loop.pat, false);
            let body = this.block(&par_loop.body, Want::Nothing);
            Some((pat?, body))
        });
        self.leave_loop();
        let Some((pat, body)) = inside else { return self.refused(span) };
        Expr::flow(span, None, Flow::ForEach { id, label: par_loop.label.clone(), pat, array, body })
    }

    /// `a..b`, `(a..=b).rev()`, `(a..b).step_by(k)`.
    pub(super) fn loop_range(&mut self, expr: &syn::Expr) -> Option<LoopRange> {
        match strip(expr) {
            syn::Expr::Range(syn::ExprRange { start: Some(start), end: Some(end), limits, .. }) => Some(LoopRange {
                start: self.expr(start, Want::Value),
                end: self.expr(end, Want::Value),
                inclusive: matches!(limits, syn::RangeLimits::Closed(_)),
                adaptors: Vec::new(),
            }),
            syn::Expr::MethodCall(call) if call.method == "rev" && call.args.is_empty() => {
                let mut range = self.loop_range(&call.receiver)?;
                range.adaptors.push(Adaptor::Rev);
                Some(range)
            }
            syn::Expr::MethodCall(call) if call.method == "step_by" && call.args.len() == 1 => {
                let mut range = self.loop_range(&call.receiver)?;
                let step = Box::new(self.expr(call.args.first()?, Want::Value));
                let check = Check::Message(message::STEP.into());
                let site = self.body.sites(Site { span: call.method.span(), check, text: String::new() });
                range.adaptors.push(Adaptor::StepBy { step, site });
                Some(range)
            }
            other => {
                self.report.on(other.to_token_stream(), super::iter::not_an_iterator());
                None
            }
        }
    }

    fn break_(&mut self, leave: &syn::ExprBreak) -> Expr {
        let span = leave.break_token.span;
        let Some(frame) = leave.label.as_ref().map_or(self.innermost_loop(), |l| self.label_of(l)) else {
            return self.outside(leave, leave.label.as_ref(), "break");
        };
        let (id, kind, want, label) = (frame.id, frame.kind, frame.want, frame.named(leave.label.as_ref()));
        if kind == LoopKind::Par {
            return self.unsupported(&leave.break_token, leaves_par("break"));
        }
        if kind == LoopKind::Phase || self.leaves_phase(id) {
            return self.unsupported(&leave.break_token, super::blocks::leaves_phase("break"));
        }
        let value = leave.expr.as_ref().map(|e| Box::new(self.expr(e, want)));
        Expr::flow(span, None, Flow::Break { id, label, value })
    }

    fn continue_(&mut self, next: &syn::ExprContinue) -> Expr {
        let frame = next.label.as_ref().map_or(self.innermost_loop(), |l| self.label_of(l));
        match frame {
            Some(frame) if frame.kind != LoopKind::Block && self.leaves_phase(frame.id) => {
                self.unsupported(next, super::blocks::leaves_phase("continue"))
            }
            Some(frame) if frame.kind != LoopKind::Block => {
                let (id, label) = (frame.id, frame.named(next.label.as_ref()));
                Expr::flow(next.span(), None, Flow::Continue { id, label })
            }
            _ => self.outside(next, next.label.as_ref(), "continue"),
        }
    }

    fn return_(&mut self, ret: &syn::ExprReturn) -> Expr {
        let closure = match (self.leaves, self.context) {
            (Leaves::Nothing, _) => {
                let message = "`return` in the closure of an iterator is not supported in device code";
                let error = error(Code::Closure, message).help("write the value with `if` and `else`");
                return self.unsupported(&ret.return_token, error);
            }
            (Leaves::Body(_), Context::Par) => return self.unsupported(&ret.return_token, leaves_par("return")),
            (Leaves::Body(_), Context::Device(_)) => false,
            (Leaves::Closure(_), _) => true,
        };
        let want = if self.projects.is_some() && !closure { Want::Reference } else { Want::Value };
        let value = ret.expr.as_ref().map(|e| Box::new(self.expr(e, want)));
        Expr::flow(ret.span(), None, Flow::Return { value, closure })
    }

    fn question(&mut self, question: &syn::ExprTry, result: SlotId) -> Expr {
        let span = question.question_token.span;
        let value = Box::new(self.expr(&question.expr, Want::Value));
        let closure = matches!(self.leaves, Leaves::Closure(_));
        let (asked, slot) = (self.slot(), Some(self.slot()));
        let conversion = self.body.slots(Slot::Conversion);
        Expr::flow(span, slot, Flow::Question { value, asked, result, conversion, closure })
    }

    fn outside(&mut self, tokens: &(impl ToTokens + Spanned), label: Option<&syn::Lifetime>, what: &str) -> Expr {
        let message = match label {
            Some(label) => format!("no enclosing loop in device code has the label `{label}`"),
            None => format!("`{what}` is outside of a loop"),
        };
        self.unsupported(tokens, error(Code::LeavesNothing, message))
    }
}

pub(super) fn leaves_par(what: &str) -> Diagnostic {
    error(Code::LeavesPar, format!("`{what}` cannot leave a `par` loop: its iterations run in parallel"))
        .help("to end this iteration, write `continue`")
        .help("to find the first: `at[0] = par(0..n).map(|i| if x[i] == wanted { i } else { n }).min();`")
}
