//! The parameters of a function outside of its `impl` or trait: `Self` has another name there, and the types of closures have none.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};

use crate::generics::Signature;
use crate::ir::LocalId;

/// A parameter that is a closure.
pub(crate) struct Closure {
    /// Its bounds, if its type has no name.
    pub(crate) bounds: Option<TokenStream>,
    /// The type that describes the function as well as that of any closure does.
    pub(crate) plain: TokenStream,
}

/// Which parameters are closures.
pub(crate) fn closures(params: &[(LocalId, syn::Type)], generics: &syn::Generics) -> Vec<Option<Closure>> {
    let of = |ty: &syn::Type| {
        let Signature { inputs, output, .. } = Signature::of(ty, generics)?;
        let output = output.map(|ty| quote!(-> #ty));
        let bounds = match ty {
            syn::Type::ImplTrait(of) => Some(of.bounds.to_token_stream()),
            _ => None,
        };
        Some(Closure { bounds, plain: quote!(fn(#(#inputs),*) #output) })
    };
    params.iter().map(|(_, ty)| of(ty)).collect()
}

/// Tokens in which the type has another name than `Self`.
pub(super) fn renamed(tokens: TokenStream, ty: &TokenStream) -> TokenStream {
    tokens
        .into_iter()
        .flat_map(|tree| match tree {
            TokenTree::Ident(name) if name == "Self" => ty.clone(),
            TokenTree::Group(group) => {
                let mut inner = proc_macro2::Group::new(group.delimiter(), renamed(group.stream(), ty));
                inner.set_span(group.span());
                TokenTree::Group(inner).into()
            }
            other => other.into(),
        })
        .collect()
}
