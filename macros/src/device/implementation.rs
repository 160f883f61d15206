//! `#[device]` on an `impl`: methods and associated functions, callable on the host as they are.
//!
//! `v.dot(w)` of device code is `v.dot_in_device_code(w, slot)`. rustc finds that method as it
//! finds `dot`, and the slot then holds its source. All that a method needs is in a `const _`
//! beside the `impl`, so that its names meet no name of the user's.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::beside::Beside;
use super::item::{Item, Place};
use super::scope::together;
use crate::generics::Generics;
use crate::ir::DeviceFn;
use crate::names;
use crate::parse::attributes::cfgs;

/// The `impl`, whose functions are these in their order, and what is beside it. Of those whose
/// declaration is wrong there is nothing.
pub(crate) fn inherent(krate: &syn::Path, mut item: syn::ItemImpl, functions: &[Option<DeviceFn>]) -> TokenStream {
    let (ty, generics) = (item.self_ty.clone(), item.generics.clone());
    let Generics { params, clause, .. } = Generics::of(krate, &generics);
    let mut beside = TokenStream::new();
    let methods = item.items.iter_mut().filter(|member| matches!(member, syn::ImplItem::Fn(_)));
    for (member, function) in methods.zip(functions) {
        let Some(function) = function else { continue };
        let Method { host, inside, outside } = method(&ty, &generics, function);
        *member = syn::ImplItem::Verbatim(host);
        let cfgs = cfgs(&function.header.attrs);
        beside.extend(quote! {
            #(#cfgs)*
            impl #params #ty #clause { #inside }

            #outside
        });
    }
    let cfgs = cfgs(&item.attrs);
    quote! {
        #item

        #(#cfgs)*
        const _: () = { #beside };
    }
}

/// What a method becomes: the method itself, what is in a second `impl`, and what is outside of
/// both.
struct Method {
    host: TokenStream,
    inside: TokenStream,
    outside: TokenStream,
}

fn method(ty: &syn::Type, around: &syn::Generics, function: &DeviceFn) -> Method {
    let (krate, vis, name) = (&function.header.krate, &function.header.vis, &function.header.name);
    let (plain, on_device) = (names::plain(name), names::on_device(name));
    let generics = Generics::of(krate, &together(around, &function.header.generics, &quote!(#ty)));
    let item = Item::new(
        function,
        Place {
            // One word each: `end` and `end_in` may both be methods.
            twin: format_ident!("{plain}_twin_in_device_code"),
            lanes: Some(format_ident!("{plain}_lanes_in_device_code")),
            takes_decided: true,
            ..Place::new(quote!(<Self>), ty, shown(ty, None, name), function)
        },
    );
    let beside = Beside { allowed: quote!(unnameable_types,), vis: quote!(pub), ..item.beside(&on_device, &generics) };
    let (entry, twin) = (item.entry(&quote!(#vis), &on_device, &beside.ty(), &item.call_with_slot()), item.twin());
    Method { host: item.host(), inside: quote!(#entry #twin), outside: item.described(&beside) }
}

/// The name of a function in messages. A type without a name is called as the trait.
pub(super) fn shown(ty: &syn::Type, of_trait: Option<&syn::Path>, function: &proc_macro2::Ident) -> String {
    let path = match ty {
        syn::Type::Path(of) => Some(&of.path),
        _ => of_trait,
    };
    let function = names::plain(function);
    match path.and_then(|path| path.segments.last()) {
        Some(owner) => format!("{}::{function}", names::plain(&owner.ident)),
        None => function,
    }
}
