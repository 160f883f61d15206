//! The CPU twin: the same device code as Rust.
//!
//! Every user expression is emitted once, with the user's spans, so rustc checks it, infers its types and reports its
//! errors at the user's tokens. Next to each value whose type C++ must spell stands a *slot*, a `PhantomData<_>` that
//! `typed` unifies with the value; the slots leave through the return type, and the runtime reads the inferred types
//! from there without running anything.
//!
//! Indexes that move along a row are checked before the row (`analysis::rows`), the others one by one.
//!
//! Plain operators would overflow-check in debug builds; arithmetic goes through helpers that mean the same in every
//! build and fail with the location of the user's token.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;

use crate::analysis::{effects, rows};
use crate::ir::{
    Access, BinOp, Block, Body, CaptureId, CaptureKind, CompareOp, DeviceFn, Expr, ExprKind, LocalId, ParLoop, SiteId,
    Slot, SlotId, Stmt, UnOp,
};
use crate::names::{self, slot};

/// The closure that runs a chunk of a `par` loop.
pub(crate) fn par_loop(looped: &ParLoop, krate: &syn::Path) -> TokenStream {
    let ParLoop { body, label, .. } = looped;
    let twin = Twin { body, private: names::private(krate), device: false, rows: rows::of(looped) };
    let (chunk, trip, row) = (names::local("chunk"), names::local("t"), names::local("row"));
    let trips = names::local("trips");
    let captures = names::cons(body.captures.iter().map(|c| &c.name));
    let slots = twin.declare_slots();
    let out = twin.slots();
    let var = |id: LocalId| {
        let (name, ty) = (twin.local(id, body[id].name.span()), slot(body[id].slot));
        (name, ty)
    };
    let same = |id: LocalId| {
        let (private, (name, ty)) = (&twin.private, var(id));
        quote!(#private::same(#ty, &#name);)
    };
    let statements = twin.block(&body.block);
    let vars: Vec<LocalId> = looped.dims.iter().map(|d| d.var).collect();
    let inner = vars.last().map(|&id| {
        let (name, same) = (var(id).0, same(id));
        quote!(let #name = #chunk.nth(#trip); #same #statements)
    });
    let covered = vars.last().map(|&id| twin.covered(&var(id).0, &chunk, &trips));
    let loops = match vars.as_slice() {
        [] | [_] => quote! {
            let #trips = #chunk.trips();
            #covered
            #label for #trip in #trips { #inner }
        },
        [outer @ .., _] => {
            let outer_names = outer.iter().map(|&id| var(id).0);
            let outer_sames = outer.iter().map(|&id| same(id));
            let pattern = match outer {
                [one] => var(*one).0.into_token_stream(),
                _ => quote!((#(#outer_names),*)),
            };
            quote! {
                for #row in #chunk.rows() {
                    let #pattern = #chunk.outer(#row);
                    #(#outer_sames)*
                    let #trips = #chunk.cols(#row);
                    #covered
                    #label for #trip in #trips { #inner }
                }
            }
        }
    };
    quote!(|#chunk, #captures| { #slots #loops #out })
}

/// Parameters, return type and body of the function that holds a device function's code.
pub(crate) fn device_function(function: &DeviceFn) -> TokenStream {
    let DeviceFn { header, params, output, body } = function;
    let twin = Twin { body, private: names::private(&header.krate), device: true, rows: rows::Rows::default() };
    let private = &twin.private;
    let params = params.iter().map(|(id, ty)| {
        let name = twin.local(*id, body[*id].name.span());
        let mutability = body[*id].mutable.then(|| quote!(mut));
        quote!(#mutability #name: #ty)
    });
    let output_span = output.as_ref().map_or_else(Span::call_site, |(_, ty)| ty.span());
    let output = output.as_ref().map_or_else(|| quote!(()), |(_, ty)| ty.to_token_stream());
    let (slots, out, result) = (twin.declare_slots(), twin.slots(), names::local("result"));
    let statements = twin.block(&body.block);
    // A body without a value is an error at the type that it should have.
    let statements = quote_spanned!(output_span=> { #statements });
    quote! {
        (#(#params),*) -> (#output, impl #private::Slots) {
            #slots
            let #result: #output = #statements;
            (#result, #out)
        }
    }
}

struct Twin<'b> {
    body: &'b Body,
    private: TokenStream,
    device: bool,
    rows: rows::Rows<'b>,
}

impl Twin<'_> {
    fn declare_slots(&self) -> TokenStream {
        let private = &self.private;
        let slots = self.body.slots.iter().enumerate().map(|(at, kind)| {
            let name = slot(SlotId(at));
            match kind {
                Slot::Inferred => quote!(let #name = #private::slot();),
                Slot::Written(ty) => quote!(let #name = #private::slot::<#ty>();),
                Slot::Function => quote!(let #name = #private::callee();),
            }
        });
        quote!(#(#slots)*)
    }

    fn slots(&self) -> TokenStream {
        names::tree((0..self.body.slots.len()).map(|at| slot(SlotId(at)).into_token_stream()).collect())
    }

    /// `let covered = …;` before a row: whether all its neighbouring indexes are in bounds.
    fn covered(
        &self,
        inner: &proc_macro2::Ident,
        chunk: &proc_macro2::Ident,
        trips: &proc_macro2::Ident,
    ) -> TokenStream {
        if self.rows.accesses.is_empty() {
            return TokenStream::new();
        }
        let (private, covered) = (&self.private, names::local("covered"));
        let checks = self.rows.accesses.values().map(|rows::RowAccess { view, index, moves }| {
            let (view, first) = (self.capture(*view, index.span), self.first(index));
            let elements = if *moves { quote!(#trips.len()) } else { quote!(1) };
            quote!(#view.covers(#first, #elements))
        });
        quote! {
            #[allow(unused_variables)]
            let #covered = {
                let #inner = #chunk.nth(#trips.start);
                #private::all([#(#checks),*])
            };
        }
    }

    /// An index at the begin of a row, in terms of what is known there.
    fn first(&self, index: &Expr) -> TokenStream {
        match &index.kind {
            ExprKind::Local(local) => match self.rows.bound.get(local) {
                Some(init) => self.first(init),
                None => self.expr(index),
            },
            ExprKind::Binary { op, lhs, rhs, slot, .. } => {
                self.binary(*op, *slot, self.first(lhs), self.first(rhs), index.span)
            }
            _ => self.expr(index),
        }
    }

    /// The last argument of an access that a row may cover.
    fn coverage(&self, site: SiteId) -> Option<TokenStream> {
        self.rows.accesses.contains_key(&site).then(|| {
            let covered = names::local("covered");
            quote!(, #covered)
        })
    }

    fn private_at(&self, span: Span) -> TokenStream {
        names::private_at(&self.private, span)
    }

    /// The user's name with the span of this use.
    fn local(&self, id: LocalId, span: Span) -> proc_macro2::Ident {
        at(&self.body[id].name, span)
    }

    fn capture(&self, id: CaptureId, span: Span) -> proc_macro2::Ident {
        at(&self.body[id].name, span)
    }

    fn block(&self, block: &Block) -> TokenStream {
        let stmts = block.stmts.iter().map(|stmt| match stmt {
            Stmt::Let { local, ty, init } => {
                let span = self.body[*local].name.span();
                let (private, name) = (self.private_at(span), self.local(*local, span));
                let mutability = self.body[*local].mutable.then(|| quote!(mut));
                let ty = ty.as_ref().map(|ty| quote!(: #ty));
                let (slot, init) = (slot(self.body[*local].slot), self.expr(init));
                quote_spanned!(span=> let #mutability #name #ty = #private::typed(#slot, #init);)
            }
            Stmt::Expr(expr) => {
                let expr = self.expr(expr);
                quote!(#expr;)
            }
        });
        let value = block.value.as_ref().map(|v| self.expr(v));
        quote!(#(#stmts)* #value)
    }

    /// In parentheses where an operator could tear it apart.
    fn operand(&self, expr: &Expr) -> TokenStream {
        let tokens = self.expr(expr);
        match &expr.kind {
            ExprKind::Compare { .. }
            | ExprKind::Logic { .. }
            | ExprKind::Block(_)
            | ExprKind::If { .. }
            | ExprKind::Loop { .. }
            | ExprKind::While { .. }
            | ExprKind::For { .. }
            | ExprKind::Break { .. }
            | ExprKind::Continue { .. }
            | ExprKind::Return(_)
            | ExprKind::Assign { .. }
            | ExprKind::AssignOp { .. } => quote_spanned!(expr.span=> (#tokens)),
            ExprKind::Int { .. }
            | ExprKind::Float { .. }
            | ExprKind::Bool(_)
            | ExprKind::Local(_)
            | ExprKind::Captured(_)
            | ExprKind::Index { .. }
            | ExprKind::Len(_)
            | ExprKind::Unary { .. }
            | ExprKind::Binary { .. }
            | ExprKind::Cast { .. }
            | ExprKind::Method { .. }
            | ExprKind::Associated { .. }
            | ExprKind::Call { .. } => tokens,
        }
    }

    fn expr(&self, expr: &Expr) -> TokenStream {
        let span = expr.span;
        let p = self.private_at(span);
        match &expr.kind {
            ExprKind::Int { token, slot: s, digits: _ } | ExprKind::Float { token, slot: s, digits: _ } => {
                let s = slot(*s);
                quote_spanned!(span=> #p::typed(#s, #token))
            }
            ExprKind::Bool(value) => {
                proc_macro2::Ident::new(if *value { "true" } else { "false" }, span).into_token_stream()
            }
            ExprKind::Local(id) => self.local(*id, span).into_token_stream(),
            ExprKind::Captured(id) => self.capture(*id, span).into_token_stream(),
            ExprKind::Len(id) => {
                let name = self.capture(*id, span);
                match self.body[*id].kind {
                    // Captured as its length.
                    CaptureKind::View(_, Access::Shape) | CaptureKind::Value => name.into_token_stream(),
                    CaptureKind::View(_, Access::Read | Access::Write) => quote_spanned!(span=> #name.len()),
                }
            }
            ExprKind::Index { view, index, site } => {
                let (view, index) = (self.capture(*view, span), self.expr(index));
                match self.coverage(*site) {
                    None => quote_spanned!(span=> #view.get(#index)),
                    Some(covered) => quote_spanned!(span=> #view.get_in_row(#index #covered)),
                }
            }
            ExprKind::Unary { op, operand, slot: s } => self.unary(*op, operand, *s, span),
            ExprKind::Binary { op, lhs, rhs, slot: s, site: _ } => {
                self.binary(*op, *s, self.operand(lhs), self.operand(rhs), span)
            }
            ExprKind::Compare { op, lhs, rhs } => {
                let (lhs, rhs, op) = (self.operand(lhs), self.operand(rhs), compare(*op, span));
                quote!(#lhs #op #rhs)
            }
            ExprKind::Logic { and, lhs, rhs } => {
                let (lhs, rhs) = (self.operand(lhs), self.operand(rhs));
                if *and { quote_spanned!(span=> #lhs && #rhs) } else { quote_spanned!(span=> #lhs || #rhs) }
            }
            ExprKind::Cast { operand, ty, slot: s } => {
                let (operand, s) = (self.operand(operand), slot(*s));
                quote_spanned!(span=> #p::typed(#s, #operand as #ty))
            }
            ExprKind::Method { method, args, site: _ } => {
                let name = proc_macro2::Ident::new(method.name, span);
                let receiver = args.first().map(|r| self.operand(r));
                let rest = args.iter().skip(1).map(|a| self.expr(a));
                if method.helper {
                    quote_spanned!(span=> #p::#name(#receiver #(, #rest)*))
                } else {
                    quote_spanned!(span=> #receiver.#name(#(#rest),*))
                }
            }
            ExprKind::Associated { ty, name, arg, slot: s } => {
                let (arg, s) = (self.expr(arg), slot(*s));
                quote_spanned!(span=> #p::typed(#s, <#ty>::#name(#arg)))
            }
            ExprKind::Call { path, args, slot: s } => {
                // Through the type beside the function: what the path means there is what C++ calls, even where a
                // function and a type of this name come from different modules.
                let (args, s) = (args.iter().map(|a| self.expr(a)), slot(*s));
                quote_spanned!(span=> #path::__callable(#s)(#(#args),*))
            }
            ExprKind::Block(block) => {
                let block = self.block(block);
                quote_spanned!(span=> { #block })
            }
            ExprKind::If { cond, then, otherwise, slot: s } => {
                let (cond, then) = (self.expr(cond), self.block(then));
                let otherwise = otherwise.as_ref().map(|e| match &e.kind {
                    ExprKind::Block(block) => {
                        let (block, span) = (self.block(block), e.span);
                        quote_spanned!(span=> else { #block })
                    }
                    _ => {
                        let (span, e) = (e.span, self.expr(e));
                        quote_spanned!(span=> else { #e })
                    }
                });
                self.maybe_typed(*s, quote_spanned!(span=> if #cond { #then } #otherwise), span)
            }
            ExprKind::While { label, cond, body, id: _ } => {
                let (cond, body) = (self.expr(cond), self.block(body));
                quote_spanned!(span=> #label while #cond { #body })
            }
            ExprKind::Loop { label, body, slot: s, id: _ } => {
                let body = self.block(body);
                self.maybe_typed(*s, quote_spanned!(span=> #label loop { #body }), span)
            }
            ExprKind::For { label, var, start, end, inclusive, body, id: _ } => {
                let (s, name) = (slot(self.body[*var].slot), self.local(*var, self.body[*var].name.span()));
                let (start, end, body) = (self.operand(start), self.operand(end), self.block(body));
                let dots = if *inclusive { quote!(..=) } else { quote!(..) };
                quote_spanned!(span=> #label for #name in #start #dots #end { #p::same(#s, &#name); #body })
            }
            ExprKind::Assign { place, value } => {
                let tokens = self.expr(value);
                match &place.kind {
                    ExprKind::Index { view, index, site } => {
                        let (view, index) = (self.capture(*view, place.span), self.expr(index));
                        match self.coverage(*site) {
                            None => quote_spanned!(place.span=> #view.put(#tokens, #index)),
                            Some(covered) => quote_spanned!(place.span=> #view.put_in_row(#tokens, #index #covered)),
                        }
                    }
                    _ => {
                        let place = self.expr(place);
                        quote_spanned!(span=> #place = #tokens)
                    }
                }
            }
            ExprKind::AssignOp { op, place, value, slot: s, site: _ } => self.assign_op(*op, place, value, *s, span),
            ExprKind::Break { label, value, id: _ } => {
                let value = value.as_ref().map(|v| self.expr(v));
                quote_spanned!(span=> break #label #value)
            }
            ExprKind::Continue { label, id: _ } => quote_spanned!(span=> continue #label),
            ExprKind::Return(value) => {
                let value = value.as_ref().map_or_else(|| quote!(()), |v| self.expr(v));
                let slots = self.slots();
                debug_assert!(self.device, "the parser refuses `return` in a `par` loop");
                quote_spanned!(span=> return (#value, #slots))
            }
        }
    }

    fn maybe_typed(&self, s: Option<SlotId>, value: TokenStream, span: Span) -> TokenStream {
        match s.map(slot) {
            Some(s) => {
                let p = self.private_at(span);
                quote_spanned!(span=> #p::typed(#s, #value))
            }
            None => value,
        }
    }

    fn unary(&self, op: UnOp, operand: &Expr, s: SlotId, span: Span) -> TokenStream {
        let (p, s) = (self.private_at(span), slot(s));
        match (op, &operand.kind) {
            // rustc knows `-2147483648` only as a whole.
            (UnOp::Neg, ExprKind::Int { token, slot: inner, .. } | ExprKind::Float { token, slot: inner, .. }) => {
                let inner = slot(*inner);
                quote_spanned!(span=> #p::typed(#inner, #p::typed(#s, -#token)))
            }
            (UnOp::Neg, _) => {
                let operand = self.expr(operand);
                quote_spanned!(span=> #p::neg(#s, #operand))
            }
            (UnOp::Not, _) => {
                let operand = self.operand(operand);
                quote_spanned!(span=> #p::typed(#s, !#operand))
            }
        }
    }

    fn binary(&self, op: BinOp, s: SlotId, lhs: TokenStream, rhs: TokenStream, span: Span) -> TokenStream {
        let (p, s) = (self.private_at(span), slot(s));
        match op {
            BinOp::Add => quote_spanned!(span=> #p::add(#s, #lhs, #rhs)),
            BinOp::Sub => quote_spanned!(span=> #p::sub(#s, #lhs, #rhs)),
            BinOp::Mul => quote_spanned!(span=> #p::mul(#s, #lhs, #rhs)),
            BinOp::Div => quote_spanned!(span=> #p::div(#s, #lhs, #rhs)),
            BinOp::Rem => quote_spanned!(span=> #p::rem(#s, #lhs, #rhs)),
            BinOp::Shl => quote_spanned!(span=> #p::shl(#s, #lhs, #rhs)),
            BinOp::Shr => quote_spanned!(span=> #p::shr(#s, #lhs, #rhs)),
            // These neither overflow nor fail.
            BinOp::And => quote_spanned!(span=> #p::typed(#s, #lhs & #rhs)),
            BinOp::Or => quote_spanned!(span=> #p::typed(#s, #lhs | #rhs)),
            BinOp::Xor => quote_spanned!(span=> #p::typed(#s, #lhs ^ #rhs)),
        }
    }

    /// The value first, then the place, as Rust does for primitive types.
    fn assign_op(&self, op: BinOp, place: &Expr, value: &Expr, s: SlotId, span: Span) -> TokenStream {
        let (a, b, operand_span) = (names::local("a"), names::local("b"), value.span);
        match &place.kind {
            ExprKind::Index { view, index, site } => {
                let (view, index) = (self.capture(*view, place.span), self.expr(index));
                let value = self.expr(value);
                // Its errors are about the operands, and point at them.
                let (mut lhs, mut rhs) = (a.clone(), b.clone());
                lhs.set_span(a.span().located_at(place.span));
                rhs.set_span(b.span().located_at(operand_span));
                let combine = self.binary(op, s, quote!(#lhs), quote!(#rhs), span);
                match self.coverage(*site) {
                    None => quote_spanned!(place.span=> #view.update(#value, #index, |#a, #b| #combine)),
                    Some(covered) => {
                        quote_spanned!(place.span=> #view.update_in_row(#value, #index #covered, |#a, #b| #combine))
                    }
                }
            }
            _ => {
                let name = self.expr(place);
                if effects::of(value, self.body).writes {
                    let value = self.expr(value);
                    let combine = self.binary(op, s, name.clone(), quote!(#b), span);
                    quote_spanned!(span=> { let #b = #value; #name = #combine; })
                } else {
                    let combine = self.binary(op, s, name.clone(), self.operand(value), span);
                    quote_spanned!(span=> #name = #combine)
                }
            }
        }
    }
}

fn at(name: &proc_macro2::Ident, span: Span) -> proc_macro2::Ident {
    let mut name = name.clone();
    name.set_span(span);
    name
}

fn compare(op: CompareOp, span: Span) -> TokenStream {
    match op {
        CompareOp::Eq => quote_spanned!(span=> ==),
        CompareOp::Ne => quote_spanned!(span=> !=),
        CompareOp::Lt => quote_spanned!(span=> <),
        CompareOp::Le => quote_spanned!(span=> <=),
        CompareOp::Gt => quote_spanned!(span=> >),
        CompareOp::Ge => quote_spanned!(span=> >=),
    }
}
