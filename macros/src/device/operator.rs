//! `#[device]` on the `impl` of an operator: of a trait of `std::ops` or `std::cmp`, or of `From`.
//!
//! Device code calls an operator by a trait of the runtime, such as `Binary`, which `#[device]`
//! implements beside it. The twin is in a trait of its own, because the type may be one of another
//! crate, and may have several functions of this name. All of it is in one `const _`.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::beside::Beside;
use super::implementation::shown;
use super::item::{Item, Place};
use super::scope::{renamed, together};
use crate::generics::Generics;
use crate::ir::{Borrow, DeviceFn, Operator, operand_type};
use crate::names;
use crate::parse::attributes::cfgs;

/// The `impl`, whose only function this is, and what is beside it.
pub(crate) fn operator(
    krate: &syn::Path,
    mut item: syn::ItemImpl,
    operator: &Operator,
    function: Option<&DeviceFn>,
) -> TokenStream {
    let (Some(function), Some((path, _))) = (function, item.trait_.clone()) else { return quote!(#item) };
    let (ty, on_device) = (item.self_ty.clone(), names::on_device(&function.header.name));
    let generics = Generics::of(krate, &together(&item.generics, &function.header.generics, &quote!(#ty)));
    let Generics { params, clause, args, .. } = Generics::of(krate, &item.generics);
    let owner = quote!(<Self as __DeviceTwin #args>);
    let function = Item::new(
        function,
        Place {
            twin: format_ident!("twin"),
            allowed: quote!(refining_impl_trait,),
            ..Place::new(owner.clone(), &ty, shown(&ty, None, &function.header.name), function)
        },
    );
    let Item { private, inputs, .. } = &function;
    let beside = function.beside(&on_device, &generics);
    let output = function.parsed.output.as_ref().map_or_else(|| quote!(()), |(_, ty)| quote!(#ty));
    let (host, twin, described) = (function.host(), function.twin(), function.described(&beside));
    let (applied, is) = (
        applied(&item, &path, operator, [&params, &clause], &quote!(#owner::twin), &beside),
        is(krate, &item, &path, operator, private),
    );
    if let Some(method) = item.items.iter_mut().find(|member| matches!(member, syn::ImplItem::Fn(_))) {
        *method = syn::ImplItem::Verbatim(host);
    }
    let cfgs = cfgs(&item.attrs);
    quote! {
        #(#cfgs)*
        const _: () = {
            #item

            trait __DeviceTwin #params: #path + #private::rust::Sized #clause {
                fn twin(#(#inputs),*) -> (#output, impl #private::slot::Slots);
            }
            impl #params __DeviceTwin #args for #ty #clause { #twin }

            #described
            #applied
            #is
        };
    }
}

/// The trait by which device code calls the operator: it calls the twin.
fn applied(
    item: &syn::ItemImpl,
    path: &syn::Path,
    operator: &Operator,
    [params, clause]: [&TokenStream; 2],
    twin: &TokenStream,
    beside: &Beside<'_>,
) -> TokenStream {
    let Operator { name, operands, assigns, compares, projects, converts } = operator;
    let private = beside.private;
    let (ty, other) = (&item.self_ty, other(item, path));
    let marker = names::variant(name.strip_suffix("Assign").unwrap_or(name));
    let marker = quote!(#private::op::operator::#marker);
    let output = Some(quote!(type Output = <Self as #path>::Output;));
    let (of, output, function) = if *compares == Some("eq") {
        let bool = quote!(#private::rust::bool);
        let output = Some(quote!(type Output = #bool;));
        (
            quote!(Binary<#marker, #other>),
            output,
            quote!(fn apply(self, other: #other) -> #bool { #twin(&self, &other).0 }),
        )
    } else if compares.is_some() {
        let ordering = quote!(#private::rust::Option<#private::types::Ordering>);
        (quote!(Order<#other>), None, quote!(fn compare(self, other: #other) -> #ordering { #twin(&self, &other).0 }))
    } else if *projects == Some(Borrow::Unique) {
        let function = quote!(fn part_mut(&mut self, index: #other) -> &mut Self::Output { #twin(self, index).0 });
        (quote!(IndexingMut<#other>), None, function)
    } else if projects.is_some() {
        let function = quote!(fn part(&self, index: #other) -> &Self::Output { #twin(self, index).0 });
        (quote!(Indexing<#other>), output, function)
    } else if *converts {
        (quote!(Convert<#other>), None, quote!(fn ab_convert(value: #other) -> Self { #twin(value).0 }))
    } else if *operands == 1 {
        (quote!(Unary<#marker>), output, quote!(fn apply(self) -> Self::Output { #private::op::result(#twin(self).0) }))
    } else if *assigns {
        (quote!(Assign<#marker, #other>), None, quote!(fn apply(&mut self, other: #other) { #twin(self, other).0 }))
    } else {
        let result = quote!(#private::op::result(#twin(self, other).0));
        (quote!(Binary<#marker, #other>), output, quote!(fn apply(self, other: #other) -> Self::Output { #result }))
    };
    let (depth, device_fn) = (beside.depth(), beside.device_fn());
    let methods = converts.then(|| quote!(impl #params #private::op::FromMethods<#other> for #ty #clause {}));
    quote! {
        impl #params #private::op::#of for #ty #clause {
            #output
            const DEPTH: #private::rust::usize = #depth;
            fn called() -> #private::data::SlotValue { #device_fn::called() }
            #[inline(always)]
            fn total() -> #private::rust::bool { #device_fn::total() }
            #[inline(always)]
            #function
        }
        #methods
    }
}

/// A function that rustc compiles only if the trait that the user's path means is the one of the
/// operator.
fn is(
    krate: &syn::Path,
    item: &syn::ItemImpl,
    path: &syn::Path,
    operator: &Operator,
    private: &TokenStream,
) -> TokenStream {
    let (ty, other, name) = (&item.self_ty, other(item, path), names::variant(&operator.name));
    let outside = |tokens| renamed(tokens, "Self", &quote!(#ty));
    let binary = operator.operands == 2;
    // Without arguments, the other operand would be a `__T`.
    let bound = outside(if binary && operand_type(path).is_none() { quote!(#path<#other>) } else { quote!(#path) });
    let args = outside(if binary { quote!(<__T, #other>) } else { quote!(<__T>) });
    let mut generics = item.generics.clone();
    generics.params.push(syn::parse_quote!(__T: #bound));
    let Generics { params, clause, .. } = Generics::of(krate, &generics);
    quote! {
        #[allow(dead_code)]
        fn __is #params() #clause { #private::op::is::#name::#args() }
    }
}

/// The type of the second operand.
fn other(item: &syn::ItemImpl, path: &syn::Path) -> syn::Type {
    operand_type(path).unwrap_or_else(|| (*item.self_ty).clone())
}
