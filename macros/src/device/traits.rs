//! `#[device]` on a trait, and on an `impl` of such a trait.
//!
//! `s.area()` of device code is `s.area_in_device_code(slot)`, which the trait provides, so rustc
//! finds it as it finds `area`. Beside each function `area` the trait has a hidden one, its twin,
//! with the default body if there is one. The `#[device]` of an `impl` overrides the twins of what
//! it defines, and lists their sources in the constant [`REQUIRED`], which each `impl` must have:
//! so an `impl` without `#[device]`, whose functions would be others on the device, does not
//! compile. Where the `impl` lists no source of a function, the device runs the default body.

use anabranch_core::methods;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};

use super::beside::{Beside, computed};
use super::implementation::shown;
use super::item::{Item, Place};
use super::scope::{renamed, together};
use crate::generics::{self, Generics, Signature};
use crate::ir::{DeviceFn, Header, Receiver};
use crate::names;
use crate::parse::attributes::cfgs;

/// What an `impl` without `#[device]` lacks, in the words of rustc.
const REQUIRED: &str = "PUT_DEVICE_ABOVE_THE_TRAIT_AND_THE_IMPL";

/// A function of the trait.
pub(crate) struct Declared {
    /// Its declaration, and its default body if it has one.
    pub(crate) function: DeviceFn,
    /// It has one.
    pub(crate) is_default: bool,
}

/// The trait, whose functions are these in their order, and the types beside them. Functions whose
/// declaration is wrong stay as they are.
pub(crate) fn declaration(krate: &syn::Path, mut item: syn::ItemTrait, functions: &[Option<Declared>]) -> TokenStream {
    let private = names::private(krate);
    let all = item.generics.clone();
    generics::make_static(&mut item.generics, |name| Signature::of_parameter(name, &all).is_some());
    item.colon_token.get_or_insert_default();
    item.supertraits.push(syn::parse_quote!(#krate::DeviceValue));
    let mut methods = functions.iter();
    let (mut members, mut beside) = (Vec::new(), TokenStream::new());
    for mut member in std::mem::take(&mut item.items) {
        match &mut member {
            // Its values are values of device code.
            syn::TraitItem::Type(of) if of.generics.params.is_empty() => {
                of.colon_token.get_or_insert_default();
                of.bounds.push(syn::parse_quote!(#krate::DeviceValue));
            }
            syn::TraitItem::Fn(_) => {
                if let Some(Some(declared)) = methods.next() {
                    let (in_trait, next_to_it) = declared_function(&item, declared);
                    beside.extend(next_to_it);
                    members.push(in_trait);
                    continue;
                }
            }
            _ => {}
        }
        members.push(member.into_token_stream());
    }
    let required = format_ident!("{REQUIRED}");
    let syn::ItemTrait { attrs, vis, generics, supertraits, ident, .. } = &item;
    let (params, clause) = (&generics.params, &generics.where_clause);
    quote! {
        #(#attrs)*
        #vis trait #ident <#params>: #supertraits #clause {
            #(#members)*

            #[doc(hidden)]
            const #required: #private::data::TraitFunctions;
        }
        #beside
    }
}

/// A function in the trait with what belongs to it there, and the type beside it.
fn declared_function(item: &syn::ItemTrait, declared: &Declared) -> (TokenStream, TokenStream) {
    let Declared { function, is_default } = declared;
    let Header { krate, name, generics, .. } = &function.header;
    let (private, ident, vis, plain) = (names::private(krate), &item.ident, &item.vis, names::plain(name));
    let (on_device, this) = (names::on_device(name), format_ident!("__Self"));
    let (name_of_type, required) = (format_ident!("{ident}_{on_device}"), format_ident!("{REQUIRED}"));
    let args = Generics::of(krate, &item.generics).turbofish;
    // The type beside the function has the parameters of the trait and of the function, after the
    // one that has the trait.
    let mut around = item.generics.clone();
    around.params.insert(0, syn::parse_quote!(#this: #ident #args));
    let all = Generics::of(krate, &together(&around, generics, &quote!(#this)));
    let owner = quote!(<Self as #ident #args>);
    let place = Place {
        allowed: quote!(unused_variables, dead_code,), // parameters of functions without a body
        lanes: is_default.then(|| format_ident!("{plain}_lanes_in_device_code")),
        is_defined: *is_default,
        of_impl: Some(quote!(const { #private::slot::find(#owner::#required, #plain) })),
        ..Place::new(owner, &this, format!("{}::{plain}", names::plain(ident)), function)
    };
    let function = Item::new(function, place);
    let beside = Beside {
        cfgs: cfgs(&item.attrs).chain(function.cfgs.iter().copied()).collect(),
        allowed: quote!(dead_code,),
        vis: quote!(#vis),
        ..function.beside(&name_of_type, &all)
    };
    let (host, twin, called) = (function.host(), function.twin(), function.call_of_host());
    let entry =
        function.entry(&TokenStream::new(), &on_device, &renamed(beside.ty(), "__Self", &quote!(Self)), &called);
    (quote!(#host #entry #twin), function.described(&beside))
}

/// An `impl` of a trait for the device, whose functions are these in their order.
pub(crate) fn implementation(
    krate: &syn::Path,
    mut item: syn::ItemImpl,
    functions: &[Option<DeviceFn>],
) -> TokenStream {
    let Some((path, _)) = item.trait_.clone() else { return quote!(#item) };
    let (private, ty, all) = (names::private(krate), item.self_ty.clone(), item.generics.clone());
    generics::make_static(&mut item.generics, |name| Signature::of_parameter(name, &all).is_some());
    let any = !Generics::of(krate, &item.generics).args.is_empty(); // also closures
    let (mut sources, mut checks) = (TokenStream::new(), TokenStream::new());
    let methods = item.items.iter_mut().filter(|member| matches!(member, syn::ImplItem::Fn(_)));
    for (member, function) in methods.zip(functions) {
        let Some(function) = function else { continue };
        let name = &function.header.name;
        let shown = shown(&ty, Some(&path), name);
        let function = Item::new(function, Place::new(quote!(<Self as #path>), &ty, shown, function));
        let (host, twin) = (function.host(), function.twin());
        *member = syn::ImplItem::Verbatim(quote!(#host #twin));
        let (plain, source, cfgs) = (names::plain(name), function.source_for_trait(), &function.cfgs);
        let total = if function.generics.any { quote!(false) } else { function.total() };
        sources.extend(quote! {
            #(#cfgs)*
            #private::data::TraitFunction { name: #plain, source: #source, total: || #total },
        });
        // Where the two are found at the same step, a method of numbers would hide that of the
        // trait in Rust, and be ambiguous here.
        let by_value = function.parsed.receiver == Some(Receiver::Value);
        if !any && by_value && methods::find(&plain).is_some() {
            let at_name = names::private_at(&private, name.span());
            checks.extend(quote_spanned! {name.span()=>
                #(#cfgs)*
                const _: () = #at_name::slot::is_no_number::<#ty>();
            });
        }
        if !any && !function.generics.any {
            checks.extend(computed(cfgs, &function.depth()));
        }
    }
    // At the name of the trait: of one that is not for the device, rustc says that it has no such
    // constant.
    let at = path.segments.last().map_or_else(Span::call_site, |last| last.ident.span());
    let required = Ident::new(REQUIRED, at);
    let required = quote_spanned!(at=> const #required: #private::data::TraitFunctions = &[#sources];);
    item.items.push(syn::ImplItem::Verbatim(required));
    let outer = cfgs(&item.attrs);
    let checks = (!checks.is_empty()).then(|| quote!(#(#outer)* const _: () = { #checks };));
    quote!(#item #checks)
}
