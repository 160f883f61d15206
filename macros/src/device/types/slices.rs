//! `#[device]` on a struct of slices: `struct Planes<'a> { red: &'a mut [f32], width: usize }`.
//!
//! On the host it holds slices of buffers, and beside it stands a struct of the same fields that
//! holds the views of a host part. What has no lifetime is a value.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit_mut::VisitMut;

use crate::ir::{Borrow, GridType, ParamKind};
use crate::names;
use crate::parse::attributes::cfgs;
use crate::parse::{Static, of_any_lifetime, slice_field};
use crate::report::{Code, Report, error};

/// The struct of views beside a struct of slices.
fn views_of(name: &Ident) -> Ident {
    format_ident!("{}_in_host_part", names::plain(name), span = name.span())
}

/// Whether a struct is one: it has a lifetime, and fields with names.
pub(super) fn is_one(item: &syn::ItemStruct) -> bool {
    item.generics.lifetimes().next().is_some() && matches!(item.fields, syn::Fields::Named(_))
}

/// What a field is.
enum Kind {
    /// A value of the host.
    Value,
    /// What implements `Slices`: a slice, or another struct of them.
    Slices(TokenStream),
}

struct Field<'f> {
    name: &'f Ident,
    vis: &'f syn::Visibility,
    /// Its `cfg`s.
    cfgs: Vec<&'f syn::Attribute>,
    ty: &'f syn::Type,
    kind: Kind,
}

/// The struct with slices of buffers, and what kernels need beside it.
pub(super) fn attribute(krate: &syn::Path, mut item: syn::ItemStruct) -> TokenStream {
    let private = names::private(krate);
    let mut report = Report::default();
    check(&item, &mut report);
    let kinds: Vec<Kind> = item.fields.iter_mut().map(|field| kind(krate, field, &mut report)).collect();
    if let Err(errors) = report.check() {
        return quote!(#errors #item);
    }
    let mut fields: Vec<Field<'_>> = item
        .fields
        .iter()
        .zip(kinds)
        .filter_map(|(field, kind)| {
            let cfgs = cfgs(&field.attrs).collect();
            Some(Field { name: field.ident.as_ref()?, vis: &field.vis, cfgs, ty: &field.ty, kind })
        })
        .collect();
    let (beside, outer) = (beside(&private, &item, &mut fields), cfgs(&item.attrs));
    // In a constant the struct of views has no name: a kernel of the user's would take views as a
    // value, whose memory no launch orders.
    quote! {
        #item
        #(#outer)*
        const _: () = { #beside };
    }
}

/// Refuses what a struct of slices cannot have.
fn check(item: &syn::ItemStruct, report: &mut Report) {
    if let Some(second) = item.generics.lifetimes().nth(1) {
        report.on(
            second,
            error(Code::DeviceData, "a struct of slices has one lifetime")
                .help("write the same lifetime at each of its slices"),
        );
    }
    for attr in item.attrs.iter().filter(|attr| attr.path().is_ident("repr")) {
        report.on(
            attr,
            error(
                Code::DeviceData,
                "a struct of slices has no layout on a device: each slice is an argument of its own",
            )
            .help("remove `repr`"),
        );
    }
}

/// What a field is. A slice gets the type that it has on the host.
fn kind(krate: &syn::Path, field: &mut syn::Field, report: &mut Report) -> Kind {
    let private = names::private(krate);
    let span = field.ty.span();
    let at = names::private_at(&private, span);
    while let syn::Type::Paren(syn::TypeParen { elem, .. }) | syn::Type::Group(syn::TypeGroup { elem, .. }) = &field.ty
    {
        field.ty = (**elem).clone();
    }
    let syn::Type::Reference(reference) = &field.ty else {
        return of_any_lifetime(&field.ty).map_or(Kind::Value, |ty| Kind::Slices(ty.into_token_stream()));
    };
    if let Some(lifetime) = reference.lifetime.as_ref().filter(|lifetime| lifetime.ident == "static") {
        let error = error(Code::DeviceData, "the slices of a struct have its lifetime");
        report.on(lifetime, error.help("write the lifetime of the struct"));
    }
    let Some(ParamKind::Slice { borrow, elem, grid }) = slice_field(reference, report) else { return Kind::Value };
    let dims = Literal::usize_unsuffixed(grid.as_ref().map_or(1, |grid| grid.dims));
    // The user's own type of this name has no such elements.
    let elem = match &grid {
        Some(GridType { ty, .. }) => quote_spanned!(span=> <#ty as #at::view::GridType>::Elem),
        None => elem.to_token_stream(),
    };
    let (slice, value) = match borrow {
        Borrow::Shared => (quote!(Slice), elem.clone()),
        Borrow::Unique => (quote!(SliceMut), elem.clone()),
        Borrow::Atomic => (quote!(SliceMut), quote_spanned!(span=> <#elem as #at::op::Atomic>::Value)),
    };
    let lifetime = reference.lifetime.iter();
    field.ty = syn::Type::Verbatim(quote_spanned!(span=> #at::slices::#slice<#(#lifetime,)* #value, #dims>));
    Kind::Slices(match borrow {
        Borrow::Atomic => quote_spanned!(span=> #at::slices::Atomics<#elem, #dims>),
        Borrow::Shared | Borrow::Unique => quote_spanned!(span=> #at::slices::#slice<'static, #value, #dims>),
    })
}

/// Aliases for the types that should be structs of slices. What is none is an error of its alias
/// alone, as for the parameters of a kernel.
fn aliases(private: &TokenStream, fields: &mut [Field<'_>]) -> TokenStream {
    let mut aliases = TokenStream::new();
    for Field { name, cfgs, ty, kind, .. } in fields {
        let Kind::Slices(key) = kind else { continue };
        let (span, private) = (ty.span(), names::private_at(private, ty.span()));
        let alias = names::generated(&format!("slices_{}", names::plain(name)), span);
        let is_slices = names::slices_alias(&private, span, key);
        aliases.extend(quote_spanned!(span=> #(#cfgs)* #[allow(non_camel_case_types)] type #alias = #is_slices;));
        *key = alias.into_token_stream();
    }
    aliases
}

/// The struct of views, and the implementations of both.
fn beside(private: &TokenStream, item: &syn::ItemStruct, fields: &mut [Field<'_>]) -> TokenStream {
    let (name, vis, views) = (&item.ident, &item.vis, views_of(&item.ident));
    let mut generics = item.generics.clone();
    generics.params = generics.params.into_iter().filter(|p| !matches!(p, syn::GenericParam::Lifetime(_))).collect();
    // Where the lifetime of the struct stands in a bound.
    Static::default().visit_generics_mut(&mut generics);
    crate::generics::make_static(&mut generics, |_| false);
    let own: Vec<_> = generics.params.iter().collect();
    let arguments: Vec<TokenStream> = generics
        .params
        .iter()
        .map(|param| match param {
            syn::GenericParam::Type(of) => of.ident.to_token_stream(),
            syn::GenericParam::Const(of) => of.ident.to_token_stream(),
            syn::GenericParam::Lifetime(of) => of.to_token_stream(),
        })
        .collect();
    let declared = own.iter().map(|param| {
        let mut param = (*param).clone();
        match &mut param {
            syn::GenericParam::Type(of) => of.default = None,
            syn::GenericParam::Const(of) => of.default = None,
            syn::GenericParam::Lifetime(_) => {}
        }
        param
    });
    let declared: Vec<_> = declared.collect();
    let clause = &generics.where_clause;
    let aliases = if own.is_empty() { aliases(private, fields) } else { TokenStream::new() };
    // With these lifetimes, and of these groups.
    let [key, of_s, of_any] = [quote!('static), quote!('s), quote!('_)].map(|of| quote!(#name<#of, #(#arguments),*>));
    let (group, into) = (names::local("G"), names::local("INTO"));
    let (this, uses) = (names::local("of"), names::local("uses"));
    let declarations = fields.iter().map(|Field { name, vis, cfgs, ty, kind }| {
        let ty = match kind {
            Kind::Slices(key) => quote!(<#key as #private::slices::Slices>::Views<'v, #group>),
            Kind::Value => ty.to_token_stream(),
        };
        quote!(#(#cfgs)* #vis #name: #ty)
    });
    // Of each field what `function` makes of it.
    let each = |function: &dyn Fn(&TokenStream, &Ident) -> TokenStream| {
        let each = fields.iter().map(|Field { name, cfgs, ty, kind, .. }| match kind {
            Kind::Slices(key) => {
                let made = function(key, name);
                quote!(#(#cfgs)* #name: #made)
            }
            Kind::Value => {
                let private = names::private_at(private, ty.span());
                quote_spanned!(ty.span()=> #(#cfgs)* #name: #private::slices::value(&#this.#name))
            }
        });
        quote!(#(#each),*)
    };
    let reborrowed = each(&|key, name| quote!(<#key as #private::slices::Slices>::reborrow(&mut #this.#name)));
    let roots = each(&|key, name| quote!(<#key as #private::slices::Slices>::roots(#this.#name)));
    let forked = each(&|key, name| quote!(<#key as #private::slices::Slices>::fork::<#group, #into>(&mut #this.#name)));
    let used = fields.iter().filter_map(|Field { name, cfgs, kind, .. }| match kind {
        Kind::Slices(key) => {
            let text = names::plain(name);
            Some(quote!(#(#cfgs)* <#key as #private::slices::Slices>::uses(&#this.#name, #text, #uses);))
        }
        Kind::Value => None,
    });
    quote! {
        #aliases
        #[doc(hidden)]
        // It has the fields of the struct, and not every kernel uses all of them.
        #[allow(non_camel_case_types, missing_docs, missing_debug_implementations, dead_code)]
        #vis struct #views<'v, const #group: #private::rust::usize, #(#declared),*> #clause { #(#declarations),* }

        #[automatically_derived]
        impl<#(#declared),*> #private::slices::Slices for #key #clause {
            type Of<'s> = #of_s;
            type Views<'v, const #group: #private::rust::usize> = #views<'v, #group, #(#arguments),*>;

            fn reborrow<'s>(#this: &'s mut Self::Of<'_>) -> #of_s {
                #name { #reborrowed }
            }
            fn uses<'s>(
                #this: &#of_s,
                _: &'static #private::rust::str,
                #uses: &mut #private::slices::Uses<'s>,
            ) {
                let _ = (&#this, &#uses);
                #(#used)*
            }
            fn roots<'s>(#this: Self::Of<'s>) -> Self::Views<'s, 0> {
                #views { #roots }
            }
            fn fork<'v, const #group: #private::rust::usize, const #into: #private::rust::usize>(
                #this: &'v mut Self::Views<'_, #group>,
            ) -> Self::Views<'v, #into> {
                #views { #forked }
            }
        }

        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl<const #group: #private::rust::usize, #(#declared),*> #private::slices::IsView
            for #views<'_, #group, #(#arguments),*> #clause
        {
            type Same = Self;
            fn same(self) -> Self { self }
        }

        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl<const #group: #private::rust::usize, #(#declared),*> #private::view::Whole<#group>
            for #views<'_, #group, #(#arguments),*> #clause
        {
            type Lent<'l> = #private::slices::LentSlices<#views<'l, 0, #(#arguments),*>> where Self: 'l;
            type Forked<'l, const #into: #private::rust::usize> = #views<'l, #into, #(#arguments),*> where Self: 'l;

            fn lend(&mut self) -> Self::Lent<'_> {
                #private::slices::LentSlices::new::<#key, #group>(self)
            }
            fn fork<const #into: #private::rust::usize>(&mut self) -> Self::Forked<'_, #into> {
                <#key as #private::slices::Slices>::fork(self)
            }
        }

        #[automatically_derived]
        impl<#(#declared),*> #private::slices::SlicesArg<#key> for #of_any #clause {
            fn slices(&mut self) -> #of_any {
                <#key as #private::slices::Slices>::reborrow(self)
            }
        }
    }
}
