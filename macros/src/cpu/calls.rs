//! Calls of the twin.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;

use super::lanes::results;
use super::{Twin, slot};
use crate::habits;
use crate::ir::{Callee, Expr, ExprKind, LocalKind, SlotId};
use crate::names::{self, local};
use anabranch_core::methods::Method;

impl Twin<'_> {
    pub(super) fn call(&self, callee: &Callee, args: &[Expr], span: Span) -> TokenStream {
        let p = self.private_at(span);
        let values = || args.iter().map(|arg| self.expr(arg));
        match callee {
            Callee::Method { slot: s, .. } | Callee::Function { slot: s, .. } | Callee::Associated { slot: s, .. }
                if self.called.borrow().contains(s) =>
            {
                let [results, l] = [results(*s), local("l")].map(|name| located(name, span));
                // A value of its own, which a method may change.
                quote_spanned!(span=> { #results[#l] })
            }
            Callee::Number { method, owner, site: _ } => self.method_of_number(method, *owner, args, span),
            Callee::Conversion { name, slot: s } => {
                let (s, name, values) = (self.tied(*s), names::on_device(name), values());
                quote_spanned!(span=> #p::op::Conversion(#s #(, #values)*).#name())
            }
            Callee::Method { name, generics, slot: s, known: _, site: _ } => {
                let mut values = values();
                let receiver = values.next();
                // What rustc says of a wrong number of arguments points at it.
                let s = self.told(*s, span);
                let name = names::on_device(name);
                let colons = (!generics.is_empty()).then(|| quote!(::));
                quote_spanned!(span=> (#receiver).#name #colons #generics (#(#values,)* #s))
            }
            Callee::Function { path, slot: s, hides, parens } => {
                self.function(&path.path, args, *s, (*hides, *parens), span)
            }
            Callee::Associated { path, name: _, slot: s, site: _ } => {
                let (mut path, s, values) = (path.clone(), self.told(*s, span), values());
                if let Some(last) = path.path.segments.last_mut() {
                    last.ident = names::on_device(&last.ident);
                }
                quote_spanned!(span=> #path(#(#values,)* #s))
            }
            Callee::Closure(local) => {
                let (name, values) = (self.local(*local, span), values());
                quote_spanned!(span=> #name(#(#values),*))
            }
            Callee::Atomic { op, orderings, result } => {
                let shared = args.first().is_some_and(
                    |cell| matches!(&cell.kind, ExprKind::Reference { place, .. } if self.body.is_of_atomics(place)),
                );
                let (name, values) = (Ident::new(op.name, span), values());
                let has = match (shared, op.bits) {
                    (false, false) => quote!(op::AtomicOps),
                    (false, true) => quote!(op::AtomicBits),
                    // One thread runs a block.
                    (true, false) => quote!(block::BlockOps),
                    (true, true) => quote!(block::BlockBits),
                };
                let value = quote_spanned!(span=> #p::#has::#name(#(#values),*));
                let value = match result.map(slot) {
                    None => value,
                    Some(s) => quote_spanned!(span=> #p::slot::typed(#s, #value)),
                };
                let orderings = orderings.iter().map(|path| {
                    let p = self.private_at(path.span());
                    quote_spanned!(path.span()=> const { #p::op::relaxed(#path) };)
                });
                quote_spanned!(span=> { #(#orderings)* #value })
            }
        }
    }

    fn method_of_number(&self, method: &Method, owner: Option<SlotId>, args: &[Expr], span: Span) -> TokenStream {
        let (p, name) = (self.private_at(span), Ident::new(method.name, span));
        let mut args = args.iter().map(|arg| match arg.kind {
            // A method goes through its receiver's reference.
            ExprKind::Local(id) if self.body[id].kind != LocalKind::Value => self.dereferenced(arg),
            _ => self.expr(arg),
        });
        match owner.map(|owner| self.tied(owner)) {
            None => quote_spanned!(span=> #p::op::#name(#(#args),*)),
            Some(s) if method.is_associated => quote_spanned!(span=> #p::op::#name(#s #(, #args)*)),
            Some(s) => {
                let first = args.next();
                quote_spanned!(span=> #p::op::#name(#p::slot::typed(#s, #first) #(, #args)*))
            }
        }
    }

    fn dereferenced(&self, reference: &Expr) -> TokenStream {
        let name = self.expr(reference);
        quote_spanned!(reference.span=> *#name)
    }

    /// Through the type beside the function: what the path means there is what C++ calls, even
    /// where a function and a type of this name come from different modules. `use` brings in both;
    /// where there is no such type, the name stands for one whose use says what is missing.
    fn function(
        &self,
        path: &syn::Path,
        args: &[Expr],
        s: SlotId,
        (hides, parens): (bool, Span),
        span: Span,
    ) -> TokenStream {
        let p = self.private_at(span);
        let (args, s) = (args.iter().map(|a| self.expr(a)), self.told(s, span));
        // What rustc proposes for a wrong number of arguments takes their place.
        let mut args = Group::new(Delimiter::Parenthesis, quote!(#(#args),*));
        args.set_span(parens);
        let mut import = path.clone();
        let generics = import.segments.last_mut().map(|last| std::mem::take(&mut last.arguments));
        let generics = generics.filter(|g| !g.is_none()).map(|g| match g {
            syn::PathArguments::AngleBracketed(g) => {
                let args = &g.args;
                quote!(::<#args>)
            }
            other => other.into_token_stream(),
        });
        // A name cannot be imported where a variable is called so, even if the function hides that.
        if hides {
            return quote_spanned!(span=> (#import #generics::called_in_device_code(#s)) #args);
        }
        let (callee, named) = (local_at("callee", span), local_at("named", span));
        let fallback = Ident::new(habits::fallback(&import).unwrap_or("NotADeviceFunction"), span);
        // If a name means nothing, its value is rustc's error; of names that we know better, and of
        // paths, it is that of the import or type.
        let value = can_be_absent(&import).filter(|_| habits::fallback(&import).is_none());
        let (value, callable) = match value {
            Some(name) => (
                Some(quote_spanned!(span=> let #named = #name #generics;)),
                quote_spanned!(span=> named_in_device_code(#s, #named)),
            ),
            None => (None, quote_spanned!(span=> called_in_device_code(#s))),
        };
        let import = imported(&import, &callee, span);
        quote_spanned! {span=>
            ({
                #value
                #[allow(non_camel_case_types, dead_code)] // called as a function, and hidden by the import of one
                type #callee = #p::slot::#fallback;
                {
                    #import
                    #callee #generics::#callable
                }
            }) #args
        }
    }
}

/// The name that a path is, unless it is a keyword such as `super`, or cannot be that of a macro.
fn can_be_absent(path: &syn::Path) -> Option<&Ident> {
    let is_name = |name: &&Ident| syn::parse2::<Ident>(name.to_token_stream()).is_ok();
    path.get_ident().filter(is_name).filter(|name| habits::can_be_a_macro(&name.to_string()))
}

/// Imports what a path means, as `to`. If a name means nothing, something else called `to` is found
/// around the import. It would be an error if the name did not mean anything at all, so it also
/// means a macro.
pub(super) fn imported(path: &syn::Path, to: &Ident, span: Span) -> TokenStream {
    let a_macro = can_be_absent(path).map(|name| {
        quote_spanned! {span=>
            #[allow(unused_macros)]
            macro_rules! #name { () => {} }
        }
    });
    quote_spanned! {span=>
        #a_macro
        #[allow(unused_imports)] // of a function without a type beside it
        use #path as #to;
    }
}

/// A generated name, for which rustc points at the user's token.
pub(super) fn local_at(name: &str, span: Span) -> Ident {
    located(local(name), span)
}

pub(super) fn located(mut name: Ident, span: Span) -> Ident {
    name.set_span(name.span().located_at(span));
    name
}
