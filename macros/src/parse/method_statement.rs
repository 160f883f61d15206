//! A method that is called on an element for its effect: `all[i].kick(dt);`.
//!
//! Only rustc knows whether a method changes its receiver, but the macro must know what a loop
//! writes. So a method whose result is not used is taken to change the element.
//! `(&all[i]).check();` says that it does not.

use anabranch_core::methods;
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;
use syn::spanned::Spanned;

use super::body::{BodyParser, Want};
use super::{HostName, single_ident, strip};
use crate::ir::{Borrow, Expr, LocalId, LocalKind, Space, atomics};
use crate::names;

impl BodyParser<'_> {
    /// A call of a method for its effect.
    pub(super) fn method_statement(&mut self, call: &syn::ExprMethodCall) -> Expr {
        if !self.is_in_unique_element(&call.receiver) || is_std(&names::plain(&call.method)) {
            return self.method(call);
        }
        self.report
            .assume_write(call.receiver.span(), format!("(&{}).{}(…)", super::text(&call.receiver), call.method));
        // What the code of a block changes is a statement, not a block.
        if self.team.is_some() && !self.in_phase() {
            let (mut again, span) = (call.clone(), call.receiver.span());
            let receiver = &call.receiver;
            again.receiver = syn::parse_quote_spanned!(span=> (&mut #receiver));
            return self.method(&again);
        }
        let block = self.on_borrowed_element(call);
        self.expr(&block, Want::Nothing)
    }

    /// `x[i]`, `x[i].a[0]` of what can be written.
    fn is_in_unique_element(&self, place: &syn::Expr) -> bool {
        let syn::Expr::Index(index) = strip(place) else {
            return matches!(strip(place), syn::Expr::Field(field) if self.is_in_unique_element(&field.base));
        };
        if matches!(strip(&index.index), syn::Expr::Range(_)) {
            return false;
        }
        let mut base = strip(self.through(&index.expr));
        loop {
            base = match base {
                syn::Expr::Field(field) => strip(&field.base),
                syn::Expr::Index(index) => strip(self.through(&index.expr)),
                _ => break,
            };
        }
        let Some(name) = single_ident(base) else { return false };
        match self.local(name) {
            Some(local) => self.is_unique(local),
            None => matches!(self.host(name), Some(HostName::View { view, .. }) if view.borrow == Borrow::Unique),
        }
    }

    fn is_unique(&self, local: LocalId) -> bool {
        let of = &self.body[local];
        match of.kind {
            LocalKind::Slice(borrow) | LocalKind::Grid(borrow, _) | LocalKind::Reference(borrow) => {
                borrow == Borrow::Unique
            }
            LocalKind::Value => of.mutable && matches!(of.space, Space::Own) && of.atomics == 0,
            LocalKind::Closure => false,
        }
    }

    /// `{ let arg0 = all[i].mass; let element = &mut all[i]; (*element).kick(arg0) }`. As in Rust,
    /// the place is evaluated first, and is not borrowed while the arguments are evaluated: rustc
    /// accepts that they read it.
    fn on_borrowed_element(&self, call: &syn::ExprMethodCall) -> syn::Expr {
        let span = call.receiver.span();
        let mut again = call.clone();
        let mut before = Vec::new();
        let constant = |arg: &syn::Expr| matches!(strip(arg), syn::Expr::Lit(_) | syn::Expr::Closure(_));
        if !call.args.iter().all(constant) {
            self.hoist_indexes(&mut again.receiver, &mut before);
            for arg in again.args.iter_mut().filter(|arg| !constant(arg)) {
                self.hoist_argument(arg, &mut before);
            }
        }
        let element = names::generated("element", span);
        let receiver = std::mem::replace(&mut *again.receiver, syn::parse_quote_spanned!(span=> (*#element)));
        syn::parse_quote_spanned!(span=> { #(#before)* let #element = &mut #receiver; #again })
    }

    /// Evaluates the indexes of a place, unless nothing can change them until it is borrowed.
    fn hoist_indexes(&self, place: &mut syn::Expr, before: &mut Vec<TokenStream>) {
        match place {
            syn::Expr::Paren(inner) => self.hoist_indexes(&mut inner.expr, before),
            syn::Expr::Group(inner) => self.hoist_indexes(&mut inner.expr, before),
            syn::Expr::Field(field) => self.hoist_indexes(&mut field.base, before),
            syn::Expr::Index(index) => {
                self.hoist_indexes(&mut index.expr, before);
                match &mut *index.index {
                    syn::Expr::Array(all) => {
                        all.elems.iter_mut().filter(|each| !self.is_stable(each)).for_each(|each| hoist(each, before));
                    }
                    one if !self.is_stable(one) => hoist(one, before),
                    _ => {}
                }
            }
            _ => {}
        }
    }

    /// Evaluates an argument. A reference to a value becomes one to a variable; one to a place
    /// stays, and its indexes are evaluated.
    fn hoist_argument(&self, arg: &mut syn::Expr, before: &mut Vec<TokenStream>) {
        match arg {
            syn::Expr::Paren(inner) => self.hoist_argument(&mut inner.expr, before),
            syn::Expr::Group(inner) => self.hoist_argument(&mut inner.expr, before),
            syn::Expr::Reference(reference) if super::call::is_place(&reference.expr) => {
                self.hoist_indexes(&mut reference.expr, before);
            }
            syn::Expr::Reference(reference) if reference.mutability.is_none() => hoist(&mut reference.expr, before),
            syn::Expr::Reference(_) => {}
            _ => hoist(arg, before),
        }
    }

    /// Whether an expression has one value, whatever happens.
    fn is_stable(&self, expr: &syn::Expr) -> bool {
        match strip(expr) {
            syn::Expr::Lit(_) => true,
            path @ syn::Expr::Path(_) => {
                let local = single_ident(path).and_then(|name| self.local(name));
                local.is_none_or(|local| !self.body[local].mutable && self.body[local].kind == LocalKind::Value)
            }
            syn::Expr::Field(field) => self.is_stable(&field.base),
            syn::Expr::Unary(unary) => self.is_stable(&unary.expr),
            syn::Expr::Binary(binary) => self.is_stable(&binary.left) && self.is_stable(&binary.right),
            syn::Expr::Cast(cast) => self.is_stable(&cast.expr),
            _ => false,
        }
    }
}

/// Puts a variable in the place of an expression.
fn hoist(expr: &mut syn::Expr, before: &mut Vec<TokenStream>) {
    let span = expr.span();
    let name: Ident = names::generated(&format!("value{}", before.len()), span);
    let value = std::mem::replace(expr, syn::parse_quote_spanned!(span=> #name));
    before.push(quote_spanned!(Span::mixed_site().located_at(span)=> let #name = #value;));
}

/// Whether it is a method of std that does not change a number, or one of atomics.
fn is_std(method: &str) -> bool {
    methods::find(method).is_some() || atomics::find(method).is_some()
}
