//! Expressions of the twin.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};

use super::calls::{imported, local_at};
use super::{Twin, slot};
use crate::habits;
use crate::ir::{
    Access, BinOp, Borrow, Callee, CaptureKind, ClosureParam, Expr, ExprKind, Format, LocalKind, Measure, Message,
    Slot, SlotId, UnOp,
};
use crate::names::{self, local, tree};

impl Twin<'_> {
    /// In parentheses where an operator could tear it apart.
    pub(super) fn operand(&self, expr: &Expr) -> TokenStream {
        let tokens = self.expr(expr);
        match &expr.kind {
            ExprKind::Logic { .. }
            | ExprKind::Deref(_)
            | ExprKind::Flow { .. }
            | ExprKind::Reference { .. }
            | ExprKind::Call { callee: Callee::Atomic { .. }, .. }
            | ExprKind::Assert { .. }
            | ExprKind::Assign { .. } => quote_spanned!(expr.span=> (#tokens)),
            _ => tokens,
        }
    }

    pub(super) fn expr(&self, expr: &Expr) -> TokenStream {
        let span = expr.span;
        let p = self.private_at(span);
        if let Some(value) = self.read_before(expr) {
            return value;
        }
        match &expr.kind {
            ExprKind::Int { token, slot: s, digits } => {
                let (s, digits) = (slot(*s), number(digits));
                quote_spanned!(span=> #p::slot::int::<#digits, _>(#s, #token))
            }
            ExprKind::Float { token, slot: s, digits: _ } => {
                let s = slot(*s);
                quote_spanned!(span=> #p::slot::typed(#s, #token))
            }
            ExprKind::Bool(value) => Ident::new(if *value { "true" } else { "false" }, span).into_token_stream(),
            ExprKind::Words(words) => quote_spanned!(span=> || #words),
            ExprKind::Local(id) => self.local(*id, span).into_token_stream(),
            // Lanes have the values of their threads in variables.
            ExprKind::Own { all, .. } if self.again.get() => self.local(*all, span).into_token_stream(),
            ExprKind::Own { all, thread } => {
                let (all, thread) = (self.local(*all, span), self.local(*thread, span));
                quote_spanned!(span=> #all[#thread])
            }
            ExprKind::Captured(id) => self.capture(*id, span).into_token_stream(),
            ExprKind::Constant { path, slot: s, scope: _ } => {
                let s = slot(*s);
                let value = match habits::is_built_in(path) {
                    true => self.built_in(&path.path, span),
                    false => {
                        let value = self.constant(path, span);
                        quote_spanned!(span=> #p::slot::named(#value))
                    }
                };
                match self.again.get() {
                    false => quote_spanned!(span=> #p::slot::constant(#s, || #value)),
                    true => quote_spanned!(span=> #p::lanes::constant_again(#s, #value)),
                }
            }
            ExprKind::Tuple { elems, slot: s } => {
                let (s, elems) = (slot(*s), elems.iter().map(|e| self.expr(e)));
                quote_spanned!(span=> #p::slot::typed(#s, (#(#elems,)*)))
            }
            ExprKind::Array { elems, slot: s } => {
                let (s, elems) = (slot(*s), elems.iter().map(|e| self.expr(e)));
                quote_spanned!(span=> #p::slot::typed(#s, [#(#elems),*]))
            }
            ExprKind::FirstAtomic { value, slot: s } => {
                let s = slot(*s);
                quote_spanned!(span=> #p::block::first(#s, || #p::block::atomic(#value)))
            }
            ExprKind::Repeat { value, len, .. } if is_of_atomics(value) => {
                let value = self.expr(value);
                quote_spanned!(span=> #p::block::atomics::<{ #len }, _, _>(#value))
            }
            ExprKind::Repeat { value, len, slot: s } => {
                let (s, value) = (slot(*s), self.expr(value));
                quote_spanned!(span=> #p::slot::typed(#s, [#value; #len]))
            }
            ExprKind::Struct { path, fields, base, called, slot: s } => {
                let (s, members) = (slot(*s), fields.iter().map(|(member, _)| member));
                let values = fields.iter().map(|(_, value)| self.expr(value));
                let base = base.as_ref().map(|base| {
                    let base = self.expr(base);
                    quote!(..#base)
                });
                if self.again.get() {
                    return quote_spanned!(span=> #p::lanes::made_again(#s, #path { #(#members: #values,)* #base }));
                }
                // A function can have the name of a type or variant. The pattern ensures that the
                // call is of its constructor.
                let is_made = self.is_of(path, *called, span);
                quote_spanned!(span=> #p::slot::made(#s, #path { #(#members: #values,)* #base }, #is_made))
            }
            ExprKind::Len(id) => {
                let name = self.capture(*id, span);
                match self.body[*id].kind {
                    // Captured as its length.
                    CaptureKind::View(_, Access::Shape)
                    | CaptureKind::Value
                    | CaptureKind::Extent(..)
                    | CaptureKind::Stride(..) => name.into_token_stream(),
                    CaptureKind::View(_, Access::Read | Access::Atomic | Access::Write) => {
                        quote_spanned!(span=> #p::view::len(&#name))
                    }
                }
            }
            ExprKind::Measure { base, what } => {
                let base = self.place(base, false);
                match what {
                    Measure::Len => quote_spanned!(span=> #p::view::len(&#base)),
                    Measure::IsEmpty => quote_spanned!(span=> #p::view::is_empty(&#base)),
                    Measure::Shape => quote_spanned!(span=> #p::view::grid_shape(#base)),
                }
            }
            ExprKind::Index { site, .. } if self.gathered.borrow().contains(site) => {
                let (elements, lane) = (local(&format!("e{}", site.0)), local("l"));
                quote_spanned!(span=> #elements[#lane])
            }
            ExprKind::Index { view, index, site } => {
                let (name, index) = (self.capture(*view, span), self.index(*view, index, *site, span));
                let decided = self.decided(*site, &p);
                quote_spanned!(span=> #p::view::load(#index, #decided, &#name))
            }
            ExprKind::Element { .. }
            | ExprKind::Field { .. }
            | ExprKind::Deref(_)
            | ExprKind::View { .. }
            | ExprKind::Range { .. } => self.place(expr, false),
            ExprKind::Reference { borrow, place } => {
                let mutable = *borrow == Borrow::Unique;
                let place = match &place.kind {
                    ExprKind::Constant { .. } if !mutable => self.read_only(place),
                    _ => self.place(place, mutable),
                };
                if mutable { quote_spanned!(span=> &mut #place) } else { quote_spanned!(span=> &#place) }
            }
            ExprKind::Unary { op, operand, slot: s } => self.unary(*op, operand, *s, span),
            ExprKind::Binary { op, lhs, rhs, slot: s, site: _ } => {
                let numbers = self.is_untyped(lhs) || self.is_untyped(rhs);
                self.binary(*op, *s, numbers, [self.expr(lhs), self.expr(rhs)], span)
            }
            ExprKind::Compare { op, lhs, rhs, slot: s } => {
                let numbers = self.is_untyped(lhs) || self.is_untyped(rhs);
                let (lhs, rhs, s) = (self.expr(lhs), self.expr(rhs), slot(*s));
                let made = if numbers {
                    let name = Ident::new(&op.variant().to_lowercase(), span);
                    quote_spanned!(span=> #p::op::#name(#s, #lhs, #rhs))
                } else {
                    let method = names::operator(op.variant(), false, span);
                    quote_spanned!(span=> #p::op::Operands(#lhs, #rhs).#method(#s))
                };
                self.guard(expr, made)
            }
            ExprKind::Logic { and, lhs, rhs } => {
                let (lhs, rhs) = (self.operand(lhs), self.operand(rhs));
                // Where the right side may be computed all the same, there is no branch.
                match (and, self.total.get()) {
                    (true, false) => quote_spanned!(span=> #lhs && #rhs),
                    (false, false) => quote_spanned!(span=> #lhs || #rhs),
                    (true, true) => quote_spanned!(span=> (#lhs & #rhs)),
                    (false, true) => quote_spanned!(span=> (#lhs | #rhs)),
                }
            }
            ExprKind::Loaded { element, slot: s } => {
                let (element, s) = (self.expr(element), slot(*s));
                quote_spanned!(span=> #p::slot::typed(#s, #element))
            }
            ExprKind::Cast { operand, ty: Some(ty), slot: s } => {
                let (operand, s) = (self.operand(operand), slot(*s));
                quote_spanned!(span=> #p::slot::typed(#s, #operand as #ty))
            }
            ExprKind::Cast { operand, ty: None, slot: s } => {
                let (operand, s) = (self.expr(operand), self.tied(*s));
                quote_spanned!(span=> #p::op::cast(#s, #operand))
            }
            ExprKind::Call { callee, args } => self.call(callee, args, span),
            ExprKind::Receiver { place, lent: true, .. } => {
                let place = self.place(place, false);
                quote_spanned!(span=> (*&#place))
            }
            ExprKind::Receiver { place, .. } => self.place(place, false),
            ExprKind::Collective(collective) => self.collective(collective, span),
            ExprKind::Closure { params, output, body, result } => {
                let named = params.iter().map(|ClosureParam { local, ty }| {
                    let name = self.local(*local, self.body[*local].name.span());
                    let mutability = self.body[*local].mutable.then(|| quote!(mut));
                    let ty = ty.as_ref().map(|ty| quote!(: #ty));
                    quote!(#mutability #name #ty)
                });
                let same = params.iter().map(|ClosureParam { local, .. }| {
                    let span = self.body[*local].name.span();
                    let (p, name, s) = (self.private_at(span), self.local(*local, span), slot(self.body[*local].slot));
                    match self.body[*local].kind {
                        _ if self.body[*local].loose => quote_spanned!(span=> #name.ab_same(#s);),
                        LocalKind::Reference(_) => quote_spanned!(span=> #p::slot::same(#s, &*#name);),
                        _ => quote_spanned!(span=> #p::slot::same(#s, &#name);),
                    }
                });
                let output = output.as_ref().map(|ty| quote!(-> #ty));
                let (body, result) = (self.block(body), slot(*result));
                quote_spanned!(span=> |#(#named),*| #output { #(#same)* #p::slot::typed(#result, { #body }) })
            }
            ExprKind::Panic { message: Message::Fixed(message), site: _ } => {
                quote_spanned!(span=> #p::op::panic(#message))
            }
            ExprKind::Panic { message: Message::Formatted(format), site: _ } => {
                let (s, values, text) = self.format(format, span);
                quote_spanned!(span=> #p::op::panic_with(#s, #values, #text))
            }
            ExprKind::Print { output, format, site: _ } => {
                let (s, values, text) = self.format(format, span);
                let output = Ident::new(output.variant(), span);
                quote_spanned!(span=> #p::op::print(#s, #p::output::Output::#output, #values, #text))
            }
            ExprKind::Assert { cond, check } => {
                let cond = self.operand(cond);
                match check {
                    Some((message, _)) => quote_spanned!(span=> if #cond {} else { #p::op::panic(#message) }),
                    None => quote_spanned!(span=> if false { let _: #p::rust::bool = #cond; }),
                }
            }
            ExprKind::Assign { place, value, op: None } => self.assign(place, value, span),
            ExprKind::Assign { place, value, op: Some(op) } => self.assign_op(*op, place, value, span),
            ExprKind::Flow { flow, slot } => self.flow(flow, *slot, span),
        }
    }

    /// The slot of values that are formatted, the values, and a closure that gives their text to a
    /// function. It captures nothing, so that the slot can keep it.
    fn format(&self, format: &Format, span: Span) -> (Ident, TokenStream, TokenStream) {
        let Format { users, values, around, slot: s } = format;
        let (p, out) = (self.private_at(span), local("out"));
        let exprs = tree(values.iter().map(|(_, value)| self.expr(value)).collect());
        let names = tree(values.iter().map(|(name, _)| name.to_token_stream()).collect());
        let users = users.as_ref().map(|users| quote_spanned!(span=> #p::rust::format_args!(#users)));
        let text = match around {
            None => users.unwrap_or_default(),
            Some((words, after)) => {
                let args = users.into_iter().chain(after.iter().map(ToTokens::to_token_stream));
                quote_spanned!(span=> #p::rust::format_args!(#words #(, #args)*))
            }
        };
        (slot(*s), exprs, quote_spanned!(span=> |#names, #out| #out(#text)))
    }

    /// The value of a path. `unsafe` allows to read a `static mut`, which is no constant: only one
    /// of its values would reach a GPU.
    pub(super) fn constant(&self, path: &syn::ExprPath, span: Span) -> TokenStream {
        if self.in_unsafe.get() { quote_spanned!(span=> const { #path }) } else { path.to_token_stream() }
    }

    /// A constant with the name of a variable of CUDA's.
    pub(super) fn built_in(&self, path: &syn::Path, span: Span) -> TokenStream {
        let (p, value) = (self.private_at(span), local_at("value", span));
        let import = imported(path, &value, span);
        quote_spanned! {span=>
            {
                #[allow(non_upper_case_globals, dead_code)] // hidden by the import of one
                const #value: #p::slot::CudaIndex = #p::slot::CudaIndex::NONE;
                {
                    #import
                    #p::slot::built_in({ #value })
                }
            }
        }
    }

    fn unary(&self, op: UnOp, operand: &Expr, s: SlotId, span: Span) -> TokenStream {
        let (p, s) = (self.private_at(span), slot(s));
        match (op, &operand.kind) {
            // rustc knows `-2147483648` only as a whole.
            (UnOp::Neg, ExprKind::Int { token, slot: inner, digits }) => {
                let (inner, digits) = (slot(*inner), number(digits));
                quote_spanned!(span=> #p::slot::negative_int::<#digits, _>(#inner, #p::slot::typed(#s, -#token)))
            }
            (UnOp::Neg, ExprKind::Float { token, slot: inner, .. }) => {
                let inner = slot(*inner);
                quote_spanned!(span=> #p::slot::typed(#inner, #p::slot::typed(#s, -#token)))
            }
            (op, _) => {
                let (operand, method) = (self.expr(operand), names::operator(op.std_trait(), false, span));
                quote_spanned!(span=> #p::op::Operand(#operand).#method(#s))
            }
        }
    }

    /// A cast to what the other operand needs: only an operator of numbers says what that is.
    fn is_untyped(&self, operand: &Expr) -> bool {
        match operand.kind {
            ExprKind::Cast { ty: None, slot, .. } => matches!(self.body[slot], Slot::Inferred),
            _ => false,
        }
    }

    /// `numbers`: the operator of two numbers of one type, whatever types there are.
    pub(super) fn binary(
        &self,
        op: BinOp,
        s: SlotId,
        numbers: bool,
        [lhs, rhs]: [TokenStream; 2],
        span: Span,
    ) -> TokenStream {
        let (p, s) = (self.private_at(span), slot(s));
        let of_numbers = match op {
            BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Rem if numbers => op.variant().to_lowercase(),
            _ => {
                let method = names::operator(op.std_trait(), false, span);
                return quote_spanned!(span=> #p::op::Operands(#lhs, #rhs).#method(#s));
            }
        };
        let name = Ident::new(&of_numbers, span);
        quote_spanned!(span=> #p::op::#name(#s, #lhs, #rhs))
    }
}

/// Whether it is what atomics begin with, or an array of it.
fn is_of_atomics(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::FirstAtomic { .. } => true,
        ExprKind::Repeat { value, .. } => is_of_atomics(value),
        _ => false,
    }
}

/// The digits of a literal, as a constant argument. Those that no type has are an error of rustc's
/// at the literal itself.
fn number(digits: &str) -> Literal {
    Literal::u128_unsuffixed(digits.parse().unwrap_or(0))
}
