//! Statements, patterns and control flow of the twin.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};

use super::Twin;
use crate::ir::{Adaptor, Arm, Block, Expr, ExprKind, Flow, List, LoopRange, MatchForm, Pat, PatKind, SlotId, Stmt};
use crate::names::slot;

impl Twin<'_> {
    pub(super) fn block(&self, block: &Block) -> TokenStream {
        let stmts = block.stmts.iter().map(|stmt| match stmt {
            Stmt::Let { pat, ty, init, otherwise } => self.let_statement(pat, ty.as_deref(), init, otherwise.as_ref()),
            Stmt::Declare { local, ty } => {
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
        });
        let value = block.value.as_ref().map(|v| self.expr(v));
        quote!(#(#stmts)* #value)
    }

    fn let_statement(&self, pat: &Pat, ty: Option<&syn::Type>, init: &Expr, otherwise: Option<&Block>) -> TokenStream {
        let init = self.expr(init);
        let ty = ty.map(|ty| quote!(: #ty));
        if let (Some(local), None) = (pat.name(), otherwise) {
            let span = self.body[local].name.span();
            let (p, name, slot) = (self.private_at(span), self.local(local, span), slot(self.body[local].slot));
            let mutability = self.body[local].mutable.then(|| quote!(mut));
            return quote_spanned!(span=> let #mutability #name #ty = #p::slot::typed(#slot, #init););
        }
        let (constants, same, pat_tokens) = (self.constants([pat]), self.same(pat, false), self.pat(pat));
        let bound = match otherwise {
            None => init,
            Some(otherwise) => {
                let otherwise = self.block(otherwise);
                // `} else` is not allowed after a value.
                quote_spanned!(pat.span=> (#init) else { #otherwise })
            }
        };
        quote_spanned!(pat.span=> #constants let #pat_tokens #ty = #bound; #same)
    }

    /// Ties the names of a pattern to their slots. They are bound anew, so that rustc sees whether somebody uses them.
    fn same(&self, pat: &Pat, used: bool) -> TokenStream {
        let allow = used.then(|| quote!(#[allow(unused_variables)])); // a guard may be all that uses them
        let ties = pat.locals().into_iter().map(|local| {
            let span = self.body[local].name.span();
            let (p, name, slot) = (self.private_at(span), self.local(local, span), slot(self.body[local].slot));
            let mutability = self.body[local].mutable.then(|| quote!(mut));
            quote_spanned!(span=> #allow let #mutability #name = #p::slot::typed(#slot, #name);)
        });
        ties.collect()
    }

    /// Tells the values of the constants in some patterns.
    fn constants<'p>(&self, pats: impl IntoIterator<Item = &'p Pat>) -> TokenStream {
        let constants = pats.into_iter().flat_map(Pat::constants).map(|(path, s)| {
            let span = syn::spanned::Spanned::span(path);
            let (p, s) = (self.private_at(span), slot(s));
            quote_spanned!(span=> #p::op::compared(#p::slot::constant(#s, || #p::slot::named(#path)));)
        });
        constants.collect()
    }

    fn pat(&self, pat: &Pat) -> TokenStream {
        let span = pat.span;
        match &pat.kind {
            PatKind::Wild => quote_spanned!(span=> _),
            PatKind::Bind { local, sub } => {
                let name = self.local(*local, self.body[*local].name.span());
                // `name @ _` is a binding, whatever constants there are.
                let sub = sub.as_ref().map_or_else(
                    || quote_spanned!(span=> _),
                    |sub| {
                        let sub = self.pat(sub);
                        quote_spanned!(span=> (#sub))
                    },
                );
                quote_spanned!(span=> #name @ #sub)
            }
            PatKind::Bool(value) => quote_spanned!(span=> #value),
            PatKind::Number { tokens, .. } => tokens.clone(),
            PatKind::Constant { path, .. } => path.to_token_stream(),
            PatKind::Range { lo, hi, inclusive } => {
                let (lo, hi) = (lo.as_ref().map(|p| self.pat(p)), hi.as_ref().map(|p| self.pat(p)));
                let dots = if *inclusive { quote_spanned!(span=> ..=) } else { quote_spanned!(span=> ..) };
                quote_spanned!(span=> #lo #dots #hi)
            }
            PatKind::Tuple(list) => {
                let list = self.list(list, span);
                quote_spanned!(span=> (#list))
            }
            PatKind::Array(list) => {
                let list = self.list(list, span);
                quote_spanned!(span=> [#list])
            }
            PatKind::Struct { path, fields, rest } => {
                let members = fields.iter().map(|(member, _)| member);
                let pats = fields.iter().map(|(_, pat)| self.parenthesized(pat));
                let rest = rest.then(|| quote_spanned!(span=> ..));
                quote_spanned!(span=> #path { #(#members: #pats,)* #rest })
            }
            PatKind::TupleStruct(path, list) => {
                let list = self.list(list, span);
                quote_spanned!(span=> #path(#list))
            }
            PatKind::Or(pats) => {
                let pats = pats.iter().map(|p| self.pat(p));
                quote_spanned!(span=> (#(#pats)|*))
            }
        }
    }

    fn list(&self, list: &List, span: Span) -> TokenStream {
        let front = list.front.iter().map(|p| self.parenthesized(p));
        let back = list.back.as_ref().map(|back| {
            let back = back.iter().map(|p| self.parenthesized(p));
            quote_spanned!(span=> .., #(#back,)*)
        });
        quote_spanned!(span=> #(#front,)* #back)
    }

    fn parenthesized(&self, pat: &Pat) -> TokenStream {
        let tokens = self.pat(pat);
        match pat.kind {
            PatKind::Range { .. } => quote_spanned!(pat.span=> (#tokens)),
            _ => tokens,
        }
    }

    /// Expressions that are control flow, with the slot of their value.
    pub(super) fn flow(&self, flow: &Flow, s: Option<SlotId>, span: Span) -> TokenStream {
        let p = self.private_at(span);
        let flow = match flow {
            Flow::Block(block) => {
                let block = self.block(block);
                quote_spanned!(span=> { #block })
            }
            Flow::Unsafe(block) => {
                let block = self.block(block);
                quote_spanned!(span=> unsafe { #block })
            }
            Flow::Labelled { label, body, id: _ } => {
                let body = self.block(body);
                quote_spanned!(span=> #label { #body })
            }
            Flow::If { cond, then, otherwise } => {
                let (cond, then) = (self.expr(cond), self.block(then));
                let otherwise = otherwise.as_ref().map(|e| self.otherwise(e));
                quote_spanned!(span=> if #cond { #then } #otherwise)
            }
            Flow::Match { scrutinee, arms, form } => {
                let constants = self.constants(arms.iter().map(|arm| &arm.pat));
                // `&&` and `||` are not allowed after `let`.
                let scrutinee = self.operand(scrutinee);
                let matched = match (form, arms.as_slice()) {
                    (MatchForm::IfLet, [then, otherwise]) => {
                        let (pat, same, body) =
                            (self.pat(&then.pat), self.same(&then.pat, false), self.expr(&then.body));
                        let otherwise = self.otherwise(&otherwise.body);
                        quote_spanned!(span=> if let #pat = #scrutinee { #same #body } #otherwise)
                    }
                    _ => {
                        let arms = arms.iter().map(|arm| self.arm(arm));
                        quote_spanned!(span=> match #scrutinee { #(#arms)* })
                    }
                };
                if !constants.is_empty() {
                    let matched = self.maybe_typed(s, matched, span);
                    return quote_spanned!(span=> { #constants #matched });
                }
                matched
            }
            Flow::While { label, cond, body, id: _ } => {
                let (cond, body) = (self.expr(cond), self.block(body));
                quote_spanned!(span=> #label while #cond { #body })
            }
            Flow::WhileLet { label, pat, scrutinee, body, id: _ } => {
                let (constants, same) = (self.constants([pat]), self.same(pat, false));
                let (pat, scrutinee, body) = (self.pat(pat), self.operand(scrutinee), self.block(body));
                quote_spanned!(span=> { #constants #label while let #pat = #scrutinee { #same #body } })
            }
            Flow::Loop { label, body, id: _ } => {
                let body = self.block(body);
                quote_spanned!(span=> #label loop { #body })
            }
            Flow::For { label, var, range, body, id: _ } => {
                let (s, name) = (slot(self.body[*var].slot), self.local(*var, self.body[*var].name.span()));
                let mutability = self.body[*var].mutable.then(|| quote!(mut));
                let (range, body) = (self.loop_range(range, span), self.block(body));
                quote_spanned!(span=> #label for #mutability #name in #range { #p::slot::same(#s, &#name); #body })
            }
            Flow::ForEach { label, pat, array, body, id: _ } => {
                let at = self.private_at(array.span);
                let (same, pat) = (self.same(pat, false), self.pat(pat));
                let (array, body) = (self.expr(array), self.block(body));
                quote_spanned!(span=> #label for #pat in #at::view::array(#array) { #same #body })
            }
            Flow::Break { label, value, id: _ } => {
                let value = value.as_ref().map(|v| self.expr(v));
                quote_spanned!(span=> break #label #value)
            }
            Flow::Continue { label, id: _ } => quote_spanned!(span=> continue #label),
            Flow::Return(value) => {
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
        let pat = self.pat(&arm.pat);
        let guard = arm.guard.as_ref().map(|guard| {
            let guard = self.expr(guard);
            quote!(if #guard)
        });
        quote_spanned!(arm.body.span=> #pat #guard => { #same #body })
    }

    fn loop_range(&self, range: &LoopRange, span: Span) -> TokenStream {
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
