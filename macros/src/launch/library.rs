//! `#[kernel(library)]`: the body is host code that hands work to somebody else's library.
//!
//! The body becomes a function `__body` beside the launcher. It is not parsed, and what it does
//! with the views is bounded by their types: a view of a body has a lifetime that is fresh in each
//! call, so that the body cannot keep it.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

use crate::generics::Generics;
use crate::ir::{Borrow, GridType, Header, Library, Param, ParamKind};
use crate::names::{self, line, local};
use crate::parse::attributes::lints;

/// The function that the body becomes.
pub(crate) fn body(header: &Header, params: &[Param], library: &Library) -> TokenStream {
    let Header { krate, attrs, generics, .. } = header;
    let Library { stream, output, block } = library;
    let Generics { params: generics, clause, .. } = Generics::of_kernel(krate, generics);
    let (arguments, bindings): (Vec<_>, Vec<_>) = params
        .iter()
        .map(|Param { attrs, mutability, name, kind, closure: _ }| match kind {
            ParamKind::Slice { borrow, elem, grid } => {
                let (argument, ty) = (view(name), view_type(krate, *borrow, elem, grid.as_ref()));
                let mutability = (*borrow == Borrow::Unique).then(|| quote!(mut));
                let binding = quote! {
                    #[allow(unused_mut)] // what is written by its address alone
                    #(#attrs)*
                    let #mutability #name = #argument;
                };
                (quote!(#argument: #ty), binding)
            }
            // Refused.
            ParamKind::Slices(ty) | ParamKind::Value(ty) => {
                (quote!(#(#attrs)* #mutability #name: #ty), TokenStream::new())
            }
        })
        .unzip();
    let (lints, stmts) = (lints(attrs), &block.stmts);
    quote! {
        #(#lints)*
        #[allow(clippy::too_many_arguments)] // of the user's lints, this one is about the launcher
        fn __body #generics(#stream, #(#arguments),*) #output #clause {
            #(#bindings)*
            #(#stmts)*
        }
    }
}

/// `Input<'_, T>`
fn view_type(krate: &syn::Path, borrow: Borrow, elem: &syn::Type, grid: Option<&GridType>) -> TokenStream {
    let private = names::private(krate);
    let view = match borrow {
        Borrow::Unique => quote!(Output),
        Borrow::Shared | Borrow::Atomic => quote!(Input),
    };
    match grid {
        Some(GridType { ty, dims }) => {
            let (dims, span) = (Literal::usize_unsuffixed(*dims), ty.span());
            let elem = quote_spanned!(span=> <#ty as #private::view::GridType>::Elem);
            quote!(#krate::library::#view<'_, #elem, #dims>)
        }
        None => quote!(#krate::library::#view<'_, #elem>),
    }
}

/// The host part: it runs the body or records it.
pub(crate) fn host(header: &Header, params: &[Param], library: &Library) -> TokenStream {
    let Header { krate, name: kernel, generics, .. } = header;
    let (private, Generics { turbofish, .. }) = (names::private(krate), Generics::of_kernel(krate, generics));
    let (ctx, shown, lends, values) = (local("ctx"), local("launching"), local("lends"), local("values"));
    let (measured, mut stream, mut returned) = (local("measured"), local("stream"), local("returned"));
    let (mut lent, mut lent_names, mut given, mut given_names) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut arguments = Vec::new();
    for Param { name, kind, .. } in params {
        let argument = view(name);
        match kind {
            ParamKind::Slice { borrow, elem, .. } => {
                let private = names::private_at(&private, elem.span());
                lent.push(match borrow {
                    Borrow::Unique => quote!(#private::launch::output::<0, _, _>(#shown, &mut #name)),
                    Borrow::Shared => quote!(#private::launch::input::<0, _, _>(#shown, &#name)),
                    Borrow::Atomic => quote!(#private::launch::shared::<0, _, _>(#shown, &#name)),
                });
                lent_names.push(argument.clone());
            }
            ParamKind::Slices(ty) | ParamKind::Value(ty) => {
                let span = ty.span();
                let (private, mut name) = (names::private_at(&private, span), name.clone());
                name.set_span(name.span().located_at(span));
                given.push(quote_spanned!(span=> #private::launch::value(#name)));
                given_names.push(argument.clone());
            }
        }
        arguments.push(argument);
    }
    let [lent, lent_names] = [names::cons(lent.into_iter()), names::cons(lent_names.into_iter())];
    let [given, given_names] = [names::cons(given.into_iter()), names::cons(given_names.into_iter())];
    // What is wrong with the types of the stream and of the result is said there.
    if let syn::FnArg::Typed(typed) = &library.stream {
        stream.set_span(stream.span().located_at(typed.ty.span()));
    }
    let span = match &library.output {
        syn::ReturnType::Type(_, ty) => ty.span(),
        syn::ReturnType::Default => kernel.span(),
    };
    returned.set_span(returned.span().located_at(span));
    let (at_result, mut body) = (names::private_at(&private, span), kernel.clone());
    body.set_span(kernel.span().located_at(span));
    let outcome = quote_spanned!(span=> #at_result::launch::outcome(#returned));
    let call = quote_spanned!(span=> #body::__body #turbofish(#stream, #(#arguments),*));
    quote! {
        // In a block of its own, because no parameter may have the name of a static.
        let #measured = {
            static MEASURED: #private::launch::Measured = #private::launch::Measured::new();
            &MEASURED
        };
        let #shown = #private::launch::Ctx::launching(&*#ctx);
        let #lends = #lent;
        let #values = #given;
        #private::launch::Ctx::library(#ctx, #measured, #lends, #values, |#stream, #lent_names, #given_names| {
            let #returned = #call;
            #outcome
        });
    }
}

/// The plan.
pub(crate) fn plan(header: &Header, params: &[Param]) -> TokenStream {
    let private = names::private(&header.krate);
    let uses = params.iter().filter_map(|Param { name, kind, .. }| match kind {
        ParamKind::Slice { borrow, .. } => {
            let (name, kind) = (
                name.to_string(),
                match borrow {
                    Borrow::Shared => quote!(Read),
                    Borrow::Atomic => quote!(Atomic),
                    Borrow::Unique => quote!(Write),
                },
            );
            Some(quote!(#private::data::Capture { name: #name, kind: #private::data::CaptureKind::#kind }))
        }
        ParamKind::Slices(_) | ParamKind::Value(_) => None,
    });
    let line = line(header.name.span());
    quote!(&[#private::data::PlanNode::Library { line: #line, uses: &[#(#uses),*] }])
}

/// The view of a parameter. rustc shows it under the user's name, but it is not the user's
/// variable.
fn view(of: &Ident) -> Ident {
    let mut view = of.clone();
    view.set_span(Span::mixed_site().located_at(of.span()));
    view
}
