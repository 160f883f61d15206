//! A free `#[device]` function. The type beside it has its name, so one import brings in both, and
//! has the functions by which device code calls it.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};

use super::beside::Beside;
use super::item::{Item, Place, slot};
use super::scope::{Closure, closures};
use crate::generics::Generics;
use crate::ir::{DeviceFn, Header};
use crate::launch::nested;
use crate::names;

/// The function, the uninhabited type beside it, and its source.
pub(crate) fn function(function: &DeviceFn) -> TokenStream {
    let Header { krate, vis, name, generics, .. } = &function.header;
    let generics = Generics::of(krate, generics);
    let Generics { outer, outer_clause, own, own_clause, of_type, .. } = &generics;
    let place = Place {
        twin: format_ident!("twin_in_device_code"),
        params: listed(own),
        clause: own_clause.clone(),
        args: TokenStream::new(),
        lanes: Some(format_ident!("__lanes")),
        takes_decided: true,
        is_narrow: true,
        ..Place::new(quote!(#name #of_type), quote!(Self), name.to_string(), function)
    };
    let item = Item::new(function, place);
    let Item { private, cfgs, .. } = &item;
    let beside = Beside { vis: quote!(#vis), ..item.beside(name, &generics) };
    let (callable, no_kernel) = (callable(&item, &generics), nested::no_kernel(vis, private));
    let (host, twin, ty, described) = (item.host(), item.twin(), beside.ty(), item.described(&beside));
    quote! {
        #host

        #(#cfgs)*
        impl #outer #ty #outer_clause {
            #callable
            #no_kernel
            #twin
        }

        #described
    }
}

/// The functions by which device code calls this one: they return it as a closure.
fn callable(item: &Item<'_>, generics: &Generics) -> TokenStream {
    let Item { private, parsed: function, idents, output, .. } = item;
    let (name, mut own) = (&function.header.name, generics.own.clone());
    let types =
        function.params.iter().zip(closures(function)).enumerate().map(|(at, ((_, ty), closure))| match closure {
            // Only its caller knows what it is.
            Some(Closure { bounds: Some(bounds), .. }) => {
                let name = names::local(&format!("F{at}"));
                own.push(quote!(#name: #bounds));
                quote!(#name)
            }
            Some(Closure { bounds: None, .. }) | None => quote!(#ty),
        });
    let types: Vec<_> = types.collect();
    // "defined here", says rustc of a call with too few arguments.
    let opaque = quote_spanned!(name.span()=> impl);
    let (ty, clause) = (quote!(#private::rust::Fn(#(#types),*) #output), &generics.own_clause);
    let (slot, decided) = (slot(), names::local("decided"));
    let call = item.call(Some(&quote!(#decided)));
    let body = quote! {
        let #decided = #private::slot::Callee::decided(#slot);
        #[inline(always)]
        move |#(#idents),*| #call
    };
    entries(&function.header.vis, private, &own, &ty, &quote!(-> #opaque #ty #clause { #body }))
}

/// The declarations of these functions, whose closures have the type `ty`. The second one also
/// takes what the function's name is as a value.
pub(super) fn entries(
    vis: &syn::Visibility,
    private: &TokenStream,
    own: &[TokenStream],
    ty: &TokenStream,
    rest: &TokenStream,
) -> TokenStream {
    let (slot, value) = (slot(), names::local("V"));
    let params = listed(own);
    quote! {
        #[doc(hidden)]
        #[inline(always)]
        #vis fn called_in_device_code #params(#slot: #private::slot::Callee<Self>) #rest

        #[doc(hidden)]
        #[inline(always)]
        #vis fn named_in_device_code<#(#own,)* #value: #ty>(#slot: #private::slot::Callee<Self>, _: #value) #rest
    }
}

/// In `<…>`, if there are any.
fn listed(params: &[TokenStream]) -> TokenStream {
    if params.is_empty() { TokenStream::new() } else { quote!(<#(#params),*>) }
}
