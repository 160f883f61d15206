//! The parameters of a function outside of its `impl` or trait: `Self` has another name there, and
//! the types of closures have none.

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::{ToTokens, quote};

use crate::generics::Signature;
use crate::ir::{DeviceFn, LocalId};

/// A parameter that is a closure.
pub(super) struct Closure {
    /// Its bounds, if its type has no name.
    pub(super) bounds: Option<TokenStream>,
    /// The type that describes the function as well as that of any closure does.
    pub(super) plain: TokenStream,
}

/// Which parameters are closures.
pub(super) fn closures(function: &DeviceFn) -> Vec<Option<Closure>> {
    let generics = &function.header.generics;
    let of = |(_, ty): &(LocalId, syn::Type)| {
        let Signature { inputs, output, .. } = Signature::of(ty, generics)?;
        let output = output.map(|ty| quote!(-> #ty));
        let bounds = match ty {
            syn::Type::ImplTrait(of) => Some(of.bounds.to_token_stream()),
            _ => None,
        };
        Some(Closure { bounds, plain: quote!(fn(#(#inputs),*) #output) })
    };
    function.params.iter().map(of).collect()
}

/// The parameters of an `impl` or trait and those of a function in it, where `Self` is called
/// `this`.
pub(super) fn together(around: &syn::Generics, own: &syn::Generics, this: &TokenStream) -> syn::Generics {
    let mut all = syn::Generics::default();
    for part in [around, own] {
        for mut param in part.params.iter().cloned() {
            match &mut param {
                syn::GenericParam::Type(param) => param.default = None,
                syn::GenericParam::Const(param) => param.default = None,
                syn::GenericParam::Lifetime(_) => {}
            }
            all.params.extend(syn::parse2::<syn::GenericParam>(renamed(quote!(#param), "Self", this)));
        }
        for predicate in part.where_clause.iter().flat_map(|clause| &clause.predicates) {
            let predicate = syn::parse2::<syn::WherePredicate>(renamed(quote!(#predicate), "Self", this));
            all.make_where_clause().predicates.extend(predicate);
        }
    }
    all
}

/// Tokens with other tokens in place of a name.
pub(super) fn renamed(tokens: TokenStream, name: &str, by: &TokenStream) -> TokenStream {
    let rename = |tree| match tree {
        TokenTree::Ident(ident) if ident == name => by.clone(),
        TokenTree::Group(group) => {
            let mut inner = Group::new(group.delimiter(), renamed(group.stream(), name, by));
            inner.set_span(group.span());
            TokenTree::Group(inner).into()
        }
        other => other.into(),
    };
    tokens.into_iter().flat_map(rename).collect()
}
