//! Statements and control flow of the twin.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};

use super::{Twin, slot};
use crate::ir::{
    Adaptor, Arm, Block, Expr, ExprKind, Flow, Local, LocalId, LocalKind, LoopRange, MatchForm, Pat, SlotId, Space,
    Stmt,
};
use crate::names::local;

impl Twin<'_> {
    pub(super) fn block(&self, block: &Block) -> TokenStream {
        let (mut stmts, mut left) = (TokenStream::new(), block.stmts.as_slice());
        while let [stmt, rest @ ..] = left {
            let together = rest.first().and_then(|scan| self.phase_and_scan(stmt, scan));
            left = if together.is_some() { &rest[1..] } else { rest };
            stmts.extend(together.unwrap_or_else(|| self.stmt(stmt)));
        }
        let value = block.value.as_ref().map(|v| self.expr(v));
        quote!(#stmts #value)
    }

    pub(super) fn stmt(&self, stmt: &Stmt) -> TokenStream {
        match stmt {
            Stmt::Let { pat, ty, init, otherwise } => self.let_statement(pat, ty.as_deref(), init, otherwise.as_ref()),
            Stmt::Declare { local, ty, span: _ } => {
                let span = self.body[*local].name.span();
                let name = self.local(*local, span);
                let mutability = self.body[*local].mutable.then(|| quote!(mut));
                let tie = ty.as_ref().map(|ty| {
                    let (p, slot) = (self.private_at(span), slot(self.body[*local].slot));
                    quote_spanned!(span=> #p::slot::given::<#ty>(#slot);)
                });
                let ty = ty.as_ref().map(|ty| quote!(: #ty));
                quote_spanned!(span=> #tie let #mutability #name #ty;)
            }
            Stmt::Expr(expr) => {
                let expr = self.expr(expr);
                quote!(#expr;)
            }
            Stmt::Item(item) => item.clone(),
        }
    }

    fn let_statement(&self, pat: &Pat, ty: Option<&syn::Type>, init: &Expr, otherwise: Option<&Block>) -> TokenStream {
        let init = self.expr(init);
        let ty = ty.map(|ty| quote!(: #ty));
        if let (Some(local), None) = (pat.name(), otherwise) {
            let span = self.body[local].name.span();
            let (p, name, slot) = (self.private_at(span), self.local(local, span), slot(self.body[local].slot));
            let mutability = self.mutability(local);
            return match self.body[local].kind {
                LocalKind::Closure => quote_spanned!(span=> let #mutability #name = #init;),
                LocalKind::Value if matches!(self.body[local].space, Space::Each(_)) => self.all(local, &init),
                LocalKind::Value if self.body[local].atomics > 0 => {
                    let room = self.room(local, &p);
                    quote_spanned!(span=> let #name = #p::block::made(#init); #p::block::same_cells(#slot, &#name); #room)
                }
                LocalKind::Value => {
                    let room = self.room(local, &p);
                    quote_spanned!(span=> let #mutability #name #ty = #p::slot::typed(#slot, #init); #room)
                }
                LocalKind::Reference(_) => {
                    quote_spanned!(span=> let #name #ty = #init; #p::slot::same(#slot, &*#name);)
                }
                LocalKind::Slice(_) | LocalKind::Grid(..) => {
                    quote_spanned!(span=> let #name #ty = #init; #p::view::same_elements(#slot, &*#name);)
                }
            };
        }
        let (before, value) = self.scrutinee([pat].into_iter(), init, pat.span);
        let (ties, same, pat_tokens) = (self.ties(pat), self.same(pat, false), self.pat(pat));
        let otherwise = otherwise.map(|otherwise| {
            let otherwise = self.block(otherwise);
            quote_spanned!(pat.span=> else { #otherwise })
        });
        // `} else` is not allowed after a value.
        let value = if otherwise.is_some() { quote_spanned!(pat.span=> (#value)) } else { value };
        quote_spanned!(pat.span=> #before let #pat_tokens #ty = #value #otherwise; #ties #same)
    }

    /// An array with a value for each thread. No function takes it, so that it is not copied.
    pub(super) fn all(&self, local: LocalId, init: &TokenStream) -> TokenStream {
        let Local { name, mutable, slot: s, .. } = &self.body[local];
        let span = name.span();
        let (p, name, s) = (self.private_at(span), self.local(local, span), slot(*s));
        let (mutability, room) = (mutable.then(|| quote!(mut)), self.room(local, &p));
        quote_spanned!(span=> let #mutability #name = #init; #p::slot::same(#s, &#name); #room)
    }

    /// What the variables of a block take must fit.
    fn room(&self, local: LocalId, p: &TokenStream) -> Option<TokenStream> {
        let Local { name, space, .. } = &self.body[local];
        let (span, room) = (name.span(), crate::names::local("room"));
        let var = self.local(local, span);
        let kind = match space {
            Space::Own => return None,
            Space::Each(_) => quote!(each),
            Space::Shared => quote!(shared),
        };
        Some(quote_spanned!(span=> #[allow(unused_variables)] let #room = #p::block::#kind(&#room, &#var);))
    }

    /// Expressions that are control flow, with the slot of their value.
    pub(super) fn flow(&self, flow: &Flow, s: Option<SlotId>, span: Span) -> TokenStream {
        let p = self.private_at(span);
        let flow = match flow {
            Flow::Phase { phase, body } => self.phase(phase, body, span),
            Flow::Block(block) => {
                let block = self.block(block);
                quote_spanned!(span=> { #block })
            }
            Flow::Unsafe(block) => {
                let around = self.in_unsafe.replace(true);
                let block = self.block(block);
                self.in_unsafe.set(around);
                quote_spanned!(span=> unsafe { #block })
            }
            Flow::Labelled { label, body, id: _ } => {
                let body = self.block(body);
                quote_spanned!(span=> #label { #body })
            }
            Flow::If { cond, then, otherwise } if self.total.get() => {
                self.chosen(cond, then, otherwise.as_deref(), span)
            }
            Flow::If { cond, then, otherwise } => {
                let (cond, then) = (self.expr(cond), self.block(then));
                let otherwise = otherwise.as_ref().map(|e| self.otherwise(e));
                quote_spanned!(span=> if #cond { #then } #otherwise)
            }
            Flow::Match { scrutinee, arms, form } => {
                // `&&` and `||` are not allowed after `let`.
                let value = self.operand(scrutinee);
                let (before, value) = self.scrutinee(arms.iter().map(|arm| &arm.pat), value, scrutinee.span);
                let matched = match (form, arms.as_slice()) {
                    (MatchForm::IfLet, [then, otherwise]) => {
                        let (ties, same) = (self.ties(&then.pat), self.same(&then.pat, false));
                        let (pat, body) = (self.pat(&then.pat), self.expr(&then.body));
                        let otherwise = self.otherwise(&otherwise.body);
                        quote_spanned!(span=> if let #pat = #value { #ties #same #body } #otherwise)
                    }
                    _ => {
                        let arms = arms.iter().map(|arm| self.arm(arm));
                        quote_spanned!(span=> match #value { #(#arms)* })
                    }
                };
                if !before.is_empty() {
                    let matched = self.maybe_typed(s, matched, span);
                    return quote_spanned!(span=> { #before #matched });
                }
                matched
            }
            Flow::While { label, cond, body, id: _ } => {
                let (cond, body) = (self.expr(cond), self.block(body));
                quote_spanned!(span=> #label while #cond { #body })
            }
            Flow::WhileLet { label, pat, scrutinee, body, id: _ } => {
                let (before, value) = self.scrutinee([pat].into_iter(), self.operand(scrutinee), scrutinee.span);
                let (ties, same) = (self.ties(pat), self.same(pat, false));
                let (pat, body) = (self.pat(pat), self.block(body));
                quote_spanned!(span=> { #before #label while let #pat = #value { #ties #same { #body } } })
            }
            Flow::Loop { label, body, id: _ } => {
                let body = self.block(body);
                quote_spanned!(span=> #label loop { #body })
            }
            Flow::For { label, var, range, body, id: _ } => {
                let (s, name) = (slot(self.body[*var].slot), self.local(*var, self.body[*var].name.span()));
                let mutability = self.body[*var].mutable.then(|| quote!(mut));
                let (over, along) = (self.loop_range(range, span), local("along"));
                if let Some((before, body)) = self.inside(*var, range, body, &quote!(#along), span) {
                    // rustc says there what is wrong with the range.
                    let at = self.private_at(range.start.span);
                    let each = quote_spanned!(range.start.span=> #at::rust::identity(#along));
                    return quote_spanned! {span=> {
                        let #along = #over;
                        #before
                        #label for #mutability #name in #each { #p::slot::same(#s, &#name); #body }
                    } };
                }
                let (range, body) = (over, self.block(body));
                quote_spanned!(span=> #label for #mutability #name in #range { #p::slot::same(#s, &#name); #body })
            }
            Flow::ForEach { label, pat, array, body, id: _ } => {
                let (at, ty, ties) = (self.private_at(array.span), local("scrutinee"), self.ties(pat));
                let (same, pat) = (self.same(pat, false), self.pat(pat));
                let (array, body) = (self.expr(array), self.block(body));
                quote_spanned! {span=> {
                    let #ty = #p::slot::slot();
                    #label for #pat in #at::view::array(#ty, #array) { #ties #same { #body } }
                } }
            }
            Flow::Break { label, value, id: _ } => {
                let value = value.as_ref().map(|v| self.expr(v));
                quote_spanned!(span=> break #label #value)
            }
            Flow::Continue { label, id: _ } => quote_spanned!(span=> continue #label),
            Flow::Question { value, asked, result, conversion, closure } => {
                let (value, asked, mut result) = (self.expr(value), slot(*asked), slot(*result));
                let (answer, mut rest, conversion) = (local("answer"), local("rest"), slot(*conversion));
                let slots = (!closure).then(|| self.slots());
                // What is said of these is said at the `?`.
                for name in [&mut result, &mut rest] {
                    name.set_span(name.span().located_at(span));
                }
                let left = quote_spanned!(span=> #p::op::from_rest(#result, #conversion, #rest));
                let left = match slots {
                    Some(slots) => quote_spanned!(span=> (#left, #slots)),
                    None => left,
                };
                quote_spanned! {span=>
                    match #p::op::ask(#p::slot::typed(#asked, #value)) {
                        #p::rust::Continue(#answer) => #answer,
                        #p::rust::Break(#rest) => return #left,
                    }
                }
            }
            Flow::Return { value, closure: true } => {
                let value = value.as_ref().map(|v| self.expr(v));
                quote_spanned!(span=> return #value)
            }
            Flow::Return { value, closure: false } => {
                let value = value.as_ref().map_or_else(|| quote_spanned!(span=> ()), |v| self.expr(v));
                let slots = self.slots();
                debug_assert!(self.device, "the parser refuses `return` in a `par` loop");
                quote_spanned!(span=> return (#value, #slots))
            }
        };
        self.maybe_typed(s, flow, span)
    }

    fn maybe_typed(&self, s: Option<SlotId>, value: TokenStream, span: Span) -> TokenStream {
        match s.map(slot) {
            Some(s) => {
                let p = self.private_at(span);
                quote_spanned!(span=> #p::slot::typed(#s, #value))
            }
            None => value,
        }
    }

    fn otherwise(&self, otherwise: &Expr) -> TokenStream {
        let span = otherwise.span;
        match &otherwise.kind {
            ExprKind::Flow { flow: Flow::Block(block), .. } => {
                let block = self.block(block);
                quote_spanned!(span=> else { #block })
            }
            _ => {
                let otherwise = self.expr(otherwise);
                quote_spanned!(span=> else { #otherwise })
            }
        }
    }

    fn arm(&self, arm: &Arm) -> TokenStream {
        // What a guard uses is used.
        let (same, body) = (self.same(&arm.pat, arm.guard.is_some()), self.expr(&arm.body));
        let (ties, pat) = (self.ties(&arm.pat), self.pat(&arm.pat));
        let guard = arm.guard.as_ref().map(|guard| {
            let guard = self.expr(guard);
            quote!(if #guard)
        });
        quote_spanned!(arm.body.span=> #pat #guard => { #ties #same #body })
    }

    pub(super) fn loop_range(&self, range: &LoopRange, span: Span) -> TokenStream {
        let (start, end) = (self.operand(&range.start), self.operand(&range.end));
        let dots = if range.inclusive { quote_spanned!(span=> ..=) } else { quote_spanned!(span=> ..) };
        // A range in parentheses is one expression, in the head of a loop and as an argument.
        let whole = quote_spanned!(span=> (#start #dots #end));
        range.adaptors.iter().fold(whole, |range, adaptor| match adaptor {
            Adaptor::Rev => {
                let p = self.private_at(span);
                quote_spanned!(span=> #p::op::rev(#range))
            }
            Adaptor::StepBy { step, site } => {
                let at = self.body[*site].span;
                let (p, step) = (self.private_at(at), self.expr(step));
                quote_spanned!(at=> #p::op::step_by(#range, #step))
            }
        })
    }
}
