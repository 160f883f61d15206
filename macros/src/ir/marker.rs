//! Markers: they replace each `par` loop, `stream_parallel!` and call of a kernel in the host
//! tokens, and the number of the group around a place.
//!
//! A marker is a macro call that no user may write; the launcher replaces it by generated code.

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::{format_ident, quote};

use crate::names::is_generated;

const LOOP: &str = "__anabranch_par_loop";
const FORK: &str = "__anabranch_stream_parallel";
const FUSED: &str = "__anabranch_fused_loops";
const CALL: &str = "__anabranch_call";
const BRAND: &str = "__anabranch_brand";
const NAMES: [&str; 5] = [LOOP, FUSED, FORK, CALL, BRAND];

/// What a marker replaces.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Marker {
    /// A place in [`Kernel::loops`](super::Kernel::loops).
    Loop(usize),
    /// A place in [`Kernel::fused`](super::Kernel::fused).
    Fused(usize),
    /// A place in [`Kernel::forks`](super::Kernel::forks).
    Fork(usize),
    /// A place in [`Kernel::calls`](super::Kernel::calls).
    Call(usize),
    /// The number of the group, with which the types of its views differ from those of others.
    Brand,
}

impl Marker {
    /// The expression that replaces it.
    pub(crate) fn expr(self) -> syn::Expr {
        let (name, index) = match self {
            Marker::Loop(index) => (LOOP, index),
            Marker::Fused(index) => (FUSED, index),
            Marker::Fork(index) => (FORK, index),
            Marker::Call(index) => (CALL, index),
            Marker::Brand => (BRAND, 0),
        };
        let name = format_ident!("{name}");
        let index = proc_macro2::Literal::usize_unsuffixed(index);
        syn::Expr::Verbatim(quote!(#name!(#index)))
    }
}

/// The first use of our names in a user's tokens: a marker of theirs would become a loop of ours,
/// and a variable the result of a reduction's parts.
pub(crate) fn forged(tokens: TokenStream) -> Option<Ident> {
    tokens.into_iter().find_map(|tree| match tree {
        TokenTree::Group(group) => forged(group.stream()),
        TokenTree::Ident(ident) if NAMES.iter().any(|name| ident == name) || is_generated(&ident) => Some(ident),
        _ => None,
    })
}

/// Replaces every marker, at any depth.
pub(crate) fn replace(tokens: TokenStream, with: &mut dyn FnMut(Marker) -> TokenStream) -> TokenStream {
    let mut out = TokenStream::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(tree) = tokens.next() {
        match tree {
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), replace(group.stream(), with));
                inner.set_span(group.span());
                out.extend([TokenTree::Group(inner)]);
            }
            TokenTree::Ident(ident) if NAMES.iter().any(|name| ident == name) => {
                let call = [tokens.next(), tokens.next()];
                let index = call[1].as_ref().and_then(|t| match t {
                    TokenTree::Group(g) => g.stream().to_string().parse().ok(),
                    _ => None,
                });
                match index {
                    Some(index) => out.extend(with(match ident.to_string().as_str() {
                        LOOP => Marker::Loop(index),
                        FUSED => Marker::Fused(index),
                        FORK => Marker::Fork(index),
                        CALL => Marker::Call(index),
                        _ => Marker::Brand,
                    })),
                    // Not ours: the user's own tokens stay as they are, and rustc says what is
                    // wrong with them.
                    None => {
                        out.extend([TokenTree::Ident(ident)]);
                        out.extend(call.into_iter().flatten());
                    }
                }
            }
            other => out.extend([other]),
        }
    }
    out
}
