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

mod expr;
mod flow;
mod place;

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;

use crate::analysis::rows;
use crate::ir::{
    Access, Body, Capture, CaptureId, CaptureKind, DeviceFn, Expr, ExprKind, Local, LocalId, ParLoop, SiteId, Slot,
    SlotId,
};
use crate::names::{self, slot};

/// The closure that runs a chunk of a `par` loop.
pub(crate) fn par_loop(looped: &ParLoop, krate: &syn::Path) -> TokenStream {
    let ParLoop { body, label, .. } = looped;
    let twin = Twin { body, private: names::private(krate), device: false, rows: rows::of(looped) };
    let (chunk, trip, row) = (names::local("chunk"), names::local("t"), names::local("row"));
    let trips = names::local("trips");
    let captures = names::cons(body.captures.iter().map(|capture| {
        let Capture { name, kind } = capture;
        let mutability = matches!(kind, CaptureKind::View(_, Access::Write)).then(|| quote!(mut));
        quote!(#mutability #name)
    }));
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
            #[allow(unused_imports)]
            use #private::OtherHostValue as _;
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
                Slot::Constant => quote!(let #name = #private::constant_slot();),
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

    /// What an access that a row may cover is told of it.
    fn coverage(&self, site: SiteId) -> Option<proc_macro2::Ident> {
        self.rows.accesses.contains_key(&site).then(|| names::local("covered"))
    }

    fn private_at(&self, span: Span) -> TokenStream {
        names::private_at(&self.private, span)
    }

    /// The user's name with the span of this use.
    fn local(&self, id: LocalId, span: Span) -> proc_macro2::Ident {
        let Local { name, generated, .. } = &self.body[id];
        if *generated { at(name, span.resolved_at(name.span())) } else { at(name, span) }
    }

    fn capture(&self, id: CaptureId, span: Span) -> proc_macro2::Ident {
        at(&self.body[id].name, span)
    }
}

fn at(name: &proc_macro2::Ident, span: Span) -> proc_macro2::Ident {
    let mut name = name.clone();
    name.set_span(span);
    name
}
