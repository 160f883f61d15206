//! `(a..b).contains(&v)`: what its comparisons say, so that the analyses see conditions like
//! others.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

use super::body::{BodyParser, Want};
use super::{single_ident, strip};
use crate::ir::{Expr, LocalKind};
use crate::names;
use crate::report::{Code, error};

impl BodyParser<'_> {
    /// A call of `contains` of a range; `None`: it is none.
    pub(super) fn contains(&mut self, call: &syn::ExprMethodCall) -> Option<Expr> {
        let syn::Expr::Range(range) = strip(&call.receiver) else { return None };
        if call.method != "contains" || call.turbofish.is_some() || range.start.is_none() && range.end.is_none() {
            return None;
        }
        let span = call.method.span();
        let value = match call.args.first().map(strip).filter(|_| call.args.len() == 1) {
            Some(syn::Expr::Reference(reference)) if !matches!(strip(&reference.expr), syn::Expr::Reference(_)) => {
                (*reference.expr).clone()
            }
            Some(arg) if self.is_reference(arg) => syn::parse_quote_spanned!(span=> *#arg),
            _ => {
                let error = error(Code::Method, "`contains` of a range takes a reference to a number");
                return Some(self.unsupported(&call.args, error.help("write `(a..b).contains(&x)`")));
            }
        };
        // As in Rust, the ends come first, and each is evaluated once, even if the other one
        // decides. A variable is none where something else may change it.
        let (low, high) = (range.start.as_deref(), range.end.as_deref());
        let all = || low.into_iter().chain(high).chain([&value]);
        let inline = is_atom(&value) && all().all(|part| self.only_reads(part));
        let mut before = TokenStream::new();
        let mut part = |name: &str, of: &syn::Expr, inline: bool| {
            if inline || matches!(strip(of), syn::Expr::Lit(_)) {
                return quote_spanned!(of.span()=> (#of));
            }
            let name: Ident = names::generated(name, of.span());
            before.extend(quote_spanned!(span=> let #name = #of;));
            quote!(#name)
        };
        // What is compared first is evaluated in any case.
        let low_first = low.is_some_and(|low| !is_atom(low));
        let inline = inline && !(low_first && high.is_some_and(|high| !is_atom(high)));
        let low = low.map(|low| part("low", low, inline));
        let high = high.map(|high| part("high", high, inline));
        let value = part("given", &value, inline);
        let at_least = low.map(|low| quote_spanned!(span=> #low <= #value));
        let at_most = high.map(|high| match range.limits {
            syn::RangeLimits::HalfOpen(_) => quote_spanned!(span=> #value < #high),
            syn::RangeLimits::Closed(_) => quote_spanned!(span=> #value <= #high),
        });
        let (first, second) = if low_first { (at_least, at_most) } else { (at_most, at_least) };
        let both = first.into_iter().chain(second).reduce(|one, other| quote_spanned!(span=> #one && #other));
        let holds: syn::Expr = match before.is_empty() {
            true => syn::parse_quote_spanned!(span=> (#both)),
            false => syn::parse_quote_spanned!(span=> { #before #both }),
        };
        Some(self.expr(&holds, Want::Value))
    }

    fn is_reference(&self, expr: &syn::Expr) -> bool {
        let reference = self.reference_in(expr).filter(|(_, left)| *left == 1);
        reference.is_some_and(|(local, _)| matches!(self.body[local].kind, LocalKind::Reference(_)))
    }

    /// Whether an expression changes no variable.
    fn only_reads(&self, expr: &syn::Expr) -> bool {
        match strip(expr) {
            syn::Expr::Binary(binary) => self.only_reads(&binary.left) && self.only_reads(&binary.right),
            syn::Expr::Unary(unary) => self.only_reads(&unary.expr),
            syn::Expr::Cast(cast) => self.only_reads(&cast.expr),
            syn::Expr::MethodCall(call) => {
                let receiver = self.through(&call.receiver);
                let local = single_ident(receiver).and_then(|name| self.local(name));
                let is_slice = local.is_some_and(|local| matches!(self.body[local].kind, LocalKind::Slice(_)));
                call.method == "len" && (is_slice || self.view_name(receiver).is_some())
            }
            other => is_atom(other),
        }
    }
}

/// Whether nothing can tell how often an expression is evaluated.
fn is_atom(expr: &syn::Expr) -> bool {
    match strip(expr) {
        syn::Expr::Lit(_) | syn::Expr::Path(_) => true,
        syn::Expr::Field(field) => is_atom(&field.base),
        syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Neg(_), expr, .. }) => {
            matches!(strip(expr), syn::Expr::Lit(_))
        }
        syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Deref(_), expr, .. }) => is_atom(expr),
        _ => false,
    }
}
