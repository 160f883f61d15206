//! Patterns of the twin. Besides the pattern itself, slots get what its paths name: only rustc
//! knows.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};

use super::{Twin, slot};
use crate::ir::{List, Pat, PatKind};
use crate::names::local;

impl Twin<'_> {
    /// A value that patterns take apart, and what comes before it: a variable for its type, which
    /// [`ties`](Self::ties) use.
    pub(super) fn scrutinee<'p>(
        &self,
        mut pats: impl Iterator<Item = &'p Pat>,
        value: TokenStream,
        span: Span,
    ) -> (TokenStream, TokenStream) {
        if !pats.any(Pat::has_paths) {
            return (TokenStream::new(), value);
        }
        let (p, ty) = (self.private_at(span), local("scrutinee"));
        (quote!(let #ty = #p::slot::slot();), quote_spanned!(span=> #p::slot::matched(#ty, #value)))
    }

    /// Ties the paths of a pattern to their slots. Each gets the type of what it matches, which
    /// says what the `T` of `None` is.
    pub(super) fn ties(&self, pat: &Pat) -> TokenStream {
        self.ties_at(pat, &local("scrutinee"))
    }

    fn ties_at(&self, pat: &Pat, ty: &Ident) -> TokenStream {
        // The first form of a loop has tied them.
        if !pat.has_paths() || self.again.get() {
            return TokenStream::new();
        }
        let span = pat.span;
        let (p, inner) = (self.private_at(span), local("inner"));
        // The ties of a part; `whole` is the pattern of the whole that has nothing but the name
        // `inner` there.
        let part = |part: &Pat, whole: TokenStream| {
            if !part.has_paths() {
                return TokenStream::new();
            }
            let (value, of) = (local("value"), local("part"));
            let ties = self.ties_at(part, &of);
            // With a span of ours: rustc warns of an arm of the user's that nothing reaches.
            let other = quote_spanned!(Span::mixed_site()=> _);
            quote_spanned! {span=> {
                let #of = #p::slot::part(#ty, |#value| match #value { #whole => #p::rust::Some(#inner), #other => #p::rust::None });
                #ties
            } }
        };
        match &pat.kind {
            PatKind::Wild | PatKind::Bool(_) | PatKind::Number { .. } => TokenStream::new(),
            PatKind::Bind { sub, local: _ } => sub.iter().map(|sub| self.ties_at(sub, ty)).collect(),
            PatKind::Or(pats) => pats.iter().map(|pat| self.ties_at(pat, ty)).collect(),
            PatKind::Range { lo, hi, inclusive: _ } => lo.iter().chain(hi).map(|end| self.ties_at(end, ty)).collect(),
            PatKind::Tuple(list) => {
                places(list, &inner).map(|(pat, list)| part(pat, quote_spanned!(span=> (#list)))).collect()
            }
            PatKind::Array(list) => {
                places(list, &inner).map(|(pat, list)| part(pat, quote_spanned!(span=> [#list]))).collect()
            }
            PatKind::Struct { path, fields, rest: _, slot: s } => {
                let parts =
                    fields.iter().map(|(member, pat)| part(pat, quote_spanned!(span=> #path { #member: #inner, .. })));
                let (parts, s, is_of) = (parts.collect::<TokenStream>(), slot(*s), self.is_of(path, false, span));
                quote_spanned!(span=> #p::slot::variant(#s, #ty, #is_of); #parts)
            }
            PatKind::TupleStruct { path, list, slot: s } => {
                let parts = places(list, &inner).map(|(pat, list)| part(pat, quote_spanned!(span=> #path(#list))));
                let (parts, s, is_of) = (parts.collect::<TokenStream>(), slot(*s), self.is_of(path, true, span));
                quote_spanned!(span=> #p::slot::variant(#s, #ty, #is_of); #parts)
            }
            PatKind::Constant { path, slot: s } => {
                let s = slot(*s);
                quote_spanned!(span=> #p::slot::named_at(#s, #ty, || #path);)
            }
        }
    }

    /// A closure that tells whether a value is of the struct or variant that a path names.
    pub(super) fn is_of(&self, path: &syn::ExprPath, called: bool, span: Span) -> TokenStream {
        let (p, value) = (self.private_at(span), local("value"));
        let pat = if called { quote_spanned!(span=> #path(..)) } else { quote_spanned!(span=> #path { .. }) };
        quote_spanned!(span=> |#value| #p::rust::matches!(#value, #pat))
    }

    /// Ties the names of a pattern to their slots. They are bound anew, so that rustc sees whether
    /// somebody uses them.
    pub(super) fn same(&self, pat: &Pat, used: bool) -> TokenStream {
        let allow = used.then(|| quote!(#[allow(unused_variables)])); // a guard may be all that uses them
        let ties = pat.locals().into_iter().map(|local| {
            let span = self.body[local].name.span();
            let (p, name, slot) = (self.private_at(span), self.local(local, span), slot(self.body[local].slot));
            let mutability = self.mutability(local);
            quote_spanned!(span=> #allow let #mutability #name = #p::slot::typed(#slot, #name);)
        });
        ties.collect()
    }

    pub(super) fn pat(&self, pat: &Pat) -> TokenStream {
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
            PatKind::Struct { path, fields, rest, slot: _ } => {
                let members = fields.iter().map(|(member, _)| member);
                let pats = fields.iter().map(|(_, pat)| self.parenthesized(pat));
                let rest = rest.then(|| quote_spanned!(span=> ..));
                quote_spanned!(span=> #path { #(#members: #pats,)* #rest })
            }
            PatKind::TupleStruct { path, list, slot: _ } => {
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
}

/// Each pattern of a list, with a list that has a name in its place.
fn places<'p>(list: &'p List, inner: &Ident) -> impl Iterator<Item = (&'p Pat, TokenStream)> {
    let front = list.front.iter().enumerate().map(move |(at, pat)| {
        let before = std::iter::repeat_n(quote!(_,), at);
        (pat, quote!(#(#before)* #inner, ..))
    });
    let back = list.back.iter().flatten().rev().enumerate().map(move |(at, pat)| {
        let after = std::iter::repeat_n(quote!(, _), at);
        (pat, quote!(.., #inner #(#after)*))
    });
    front.chain(back)
}
