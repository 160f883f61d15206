//! Kernels that call kernels: what stands beside a kernel for its callers, and a call in a host
//! part.
//!
//! A call is `callee::called_in_host_part(place).with(arguments)`, where `callee` is an import of
//! the user's path. The import brings in the type beside a kernel; where there is none, an alias in
//! the scope around it takes its place, and its use says what is missing. `with` is a method, so
//! that rustc counts the user's arguments alone in its errors. It is an inherent one that takes its
//! receiver by value, which no trait can hide.

use proc_macro2::{Delimiter, Group, Ident, Literal, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;

use super::{Launcher, at_caller, tracks_caller};
use crate::generics::Generics;
use crate::ir::{Arg, Borrow, Call, Header, Lend, Param, ParamKind, Struct};
use crate::names::{self, line, local};
use crate::parse::attributes::{cfgs, lints};

/// A member of the trait of structs of slices, of one with the lifetime `'static`. It is at the
/// place of the type: where that is no struct of slices, rustc says so once.
pub(super) fn slices(ty: &syn::Type, private: &TokenStream, member: &str) -> TokenStream {
    let (at, member) = (names::private_at(private, ty.span()), Ident::new(member, ty.span()));
    quote_spanned!(ty.span()=> <#ty as #at::slices::Slices>::#member)
}

/// The hidden struct beside a kernel. With the lifetime of a host part it is a call; with `'static`
/// it names the kernel and its arguments.
pub(crate) fn instance(kernel: &Ident) -> Ident {
    let plain = kernel.to_string();
    format_ident!("{}_in_host_part", plain.strip_prefix("r#").unwrap_or(&plain), span = kernel.span())
}

/// That struct. Without a `body`, for a kernel with errors, calls of it are none.
pub(crate) fn beside(header: &Header, params: &[Param], has_body: bool) -> TokenStream {
    let Header { krate, attrs, vis, name, generics, .. } = header;
    let Generics { params: generics, clause, turbofish, phantom, borrowing, of_call, of_instance, .. } =
        Generics::of_kernel(krate, generics);
    let private = names::private(krate);
    let call = instance(name);
    let (cfgs, lints): (Vec<_>, Vec<_>) = (cfgs(attrs).collect(), lints(attrs).collect());
    let arguments = params.iter().map(|Param { name, kind, .. }| match kind {
        ParamKind::Slice { borrow, elem, grid } => {
            let dims = Literal::usize_unsuffixed(grid.as_ref().map_or(1, |grid| grid.dims));
            match borrow {
                Borrow::Unique => quote!(mut #name: impl #private::view::LentWrite<#dims, Elem = #elem>),
                Borrow::Atomic => quote!(mut #name: impl #private::view::LentAtomic<#elem, #dims>),
                Borrow::Shared => quote!(#name: impl #private::view::LentRead<#dims, Elem = #elem>),
            }
        }
        ParamKind::Slices(ty) => {
            let views = slices(ty, &private, "Views");
            let (span, private) = (ty.span(), names::private_at(&private, ty.span()));
            let lent = quote_spanned!(span=> #private::slices::LentSlices<#views<'_, 0>>);
            quote!(#name: #lent)
        }
        ParamKind::Value(ty) => quote!(#name: #ty),
    });
    let values = params.iter().map(|Param { name, kind, .. }| match kind {
        ParamKind::Slice { borrow: Borrow::Unique, .. } => quote!(#private::view::LentWrite::root_mut(&mut #name)),
        ParamKind::Slice { borrow: Borrow::Atomic, .. } => quote!(#private::view::LentAtomic::root_atomic(&mut #name)),
        ParamKind::Slice { borrow: Borrow::Shared, .. } => quote!(#private::view::LentRead::root(&#name)),
        ParamKind::Slices(_) => quote!(#private::slices::LentSlices::roots(#name)),
        ParamKind::Value(_) => quote!(#name),
    });
    let (with, instance) = match has_body {
        true => {
            let run = quote! {
                #name::host_part #turbofish(#private::launch::Call::Nested {
                    place: self.0,
                    instance: #name::__instance #turbofish(),
                    values: (#(#values,)*),
                })
            };
            let run = at_caller(header, &private, run);
            (
                quote! {
                    let _ = #run;
                    #private::launch::Called::new()
                },
                quote!(#name::__instance #turbofish()),
            )
        }
        false => {
            let never = quote!(#private::rust::unreachable!("this kernel has errors"));
            (never.clone(), never)
        }
    };
    let track_caller = tracks_caller(header).then(|| quote!(#[track_caller]));
    quote! {
        #(#cfgs)*
        #[doc(hidden)]
        // It has the name of a function, is nothing to look at, and not every kernel is called.
        #[allow(non_camel_case_types, missing_docs, missing_debug_implementations, dead_code)]
        #vis struct #call #borrowing(#private::launch::Nested<'call>, #phantom);

        #(#cfgs)*
        #[doc(hidden)]
        // Not every kernel is called; what a kernel with errors gets is not used; the launcher has
        // the same names.
        #[allow(missing_docs, dead_code, unused_mut, unused_variables, non_snake_case, clippy::too_many_arguments)]
        impl #generics #call #of_call #clause {
            #(#lints)*
            #track_caller
            #vis fn with(self, #(#arguments),*) -> #private::launch::Called<#call #of_instance> { #with }
        }

        #(#cfgs)*
        impl #generics #private::launch::CalledKernel for #call #of_call #clause {
            fn instance() -> #private::data::Instance { #instance }
        }
    }
}

/// What callers and device code find in the type beside a kernel.
pub(crate) fn entries(header: &Header) -> TokenStream {
    let Header { krate, vis, name, generics, .. } = header;
    let Generics { params: generics, clause, phantom_value, of_call, .. } = Generics::of_kernel(krate, generics);
    let private = names::private(krate);
    let (call, place) = (instance(name), local("place"));
    // As those of a device function.
    let value = local("V");
    let callable =
        [(format_ident!("called_in_device_code"), None), (format_ident!("named_in_device_code"), Some(&value))].map(
            |(name, value)| {
                let mention = value.map(|value| quote!(, _: #value));
                quote! {
                    // The lifetime has no meaning: without it, rustc would report the bound here
                    // and not at the use.
                    #vis fn #name<'l, F, #value>(
                        _: #private::slot::Callee<F> #mention
                    ) -> <#private::slot::AKernel<'l> as #private::slot::CallableKernel>::Function
                    where
                        #private::slot::AKernel<'l>: #private::slot::CallableKernel,
                        F: #private::slot::DeviceFn,
                    {
                        #private::rust::unreachable!("no kernel is called in device code")
                    }
                }
            },
        );
    quote! {
        #vis fn called_in_host_part #generics(#place: #private::launch::Nested<'_>) -> #call #of_call #clause {
            #call(#place, #phantom_value)
        }
        #(#callable)*
    }
}

/// What callers find in the type beside a device function: that it is no kernel.
pub(crate) fn no_kernel(vis: &syn::Visibility, private: &TokenStream) -> TokenStream {
    quote! {
        #[doc(hidden)]
        #[allow(dead_code)] // nobody calls it without an error
        // The lifetime has no meaning: without it, rustc would report the bound here and not at the
        // use.
        #vis fn called_in_host_part<'l>(_: #private::launch::Nested<'_>) -> <#private::launch::NotAKernel<&'l ()> as #private::launch::IsKernel>::Call
        where
            #private::launch::NotAKernel<&'l ()>: #private::launch::IsKernel,
        {
            #private::rust::unreachable!("no value of this type is a kernel")
        }
    }
}

/// The variable of a call's type.
pub(crate) fn type_of_call(index: usize) -> Ident {
    local(&format!("call{index}"))
}

impl Launcher<'_> {
    /// A call in the host part of the group with this brand. A struct of slices that it lends is
    /// whole for that time.
    pub(super) fn call(&self, index: usize, call: &Call, brand: usize) -> TokenStream {
        let is_lent = |of: &&Struct| call.args.iter().any(|arg| matches!(arg, Arg::Lend(lend) if lend.name == of.name));
        let (put, take): (TokenStream, TokenStream) = self.structs.iter().filter(is_lent).map(whole).unzip();
        let called = called(index, call, brand, self.private, &put);
        if put.is_empty() && take.is_empty() { called } else { quote!({ #called #take }) }
    }
}

/// The statements that put the views of a struct back, and those that take them out again.
pub(super) fn whole(of: &Struct) -> (TokenStream, TokenStream) {
    let (names, places): (Vec<_>, Vec<_>) = of.views.iter().map(|(name, place)| (name, place)).unzip();
    let back = names.iter().zip(&places).rev().map(|(name, place)| quote!(#place = #name;));
    (quote!(#(#back)*), quote!(#(#[allow(unused_assignments)] { #names = #places; })*))
}

/// The call alone; `put` makes structs of slices whole.
fn called(index: usize, call: &Call, brand: usize, private: &TokenStream, put: &TokenStream) -> TokenStream {
    let Call { span, what: _, path, parens, args, lengths } = call;
    let (span, brand) = (*span, Literal::usize_unsuffixed(brand));
    let at = names::private_at(private, span);
    let (mut callee, ctx, ty, line) = (local("callee"), local("ctx"), type_of_call(index), line(span));
    callee.set_span(callee.span().located_at(span));
    let mut import = path.clone();
    let generics = match import.segments.last_mut().map(|last| std::mem::take(&mut last.arguments)) {
        Some(syn::PathArguments::AngleBracketed(generics)) => {
            let args = &generics.args;
            Some(quote!(::<#args>))
        }
        _ => None,
    };
    let lengths = lengths.iter().map(|name| {
        let copy = names::length_of(name);
        quote!(let #copy = #private::view::shape(&#name);)
    });
    let args = args.iter().map(|arg| match arg {
        Arg::Value(value) => value.clone(),
        Arg::Lend(Lend { name, writes, part, span }) => {
            let private = names::private_at(private, *span);
            match (writes, part) {
                (true, None) => quote_spanned!(*span=> #private::view::lend_mut::<#brand, _>(&mut #name)),
                (true, Some(part)) => {
                    quote_spanned!(*span=> #private::view::lend_part_mut::<#brand, _>(&mut #name, #part))
                }
                (false, None) => quote_spanned!(*span=> #private::view::lend::<#brand, _, _>(&#name)),
                (false, Some(part)) => quote_spanned!(*span=> #private::view::lend_part::<#brand, _>(&#name, #part)),
            }
        }
    });
    // rustc shows how to correct the arguments: there.
    let mut args = Group::new(Delimiter::Parenthesis, quote!(#(#args),*));
    args.set_span(*parens);
    let place = quote_spanned! {span=> {
        #[allow(non_camel_case_types, dead_code)] // called as the function, and hidden by the import of one
        type #callee = #at::launch::NotAKernel;
        {
            #[allow(unused_imports)] // of a function without a type beside it
            use #import as #callee;
            #callee::called_in_host_part #generics(#at::launch::Ctx::nested(#ctx, #line))
        }
    }};
    let with = quote_spanned!(span=> #place.with #args);
    quote_spanned! {span=> {
        #(#lengths)*
        #put
        #at::launch::called(#ty, #with);
    }}
}
