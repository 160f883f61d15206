//! A `#[device]` function: callable on the host as it is, and the type beside it that carries its source.

use proc_macro2::TokenStream;
use quote::quote;

use crate::generics::Generics;
use crate::ir::{DeviceFn, Header};
use crate::launch::{cfgs, line, lints, sites};
use crate::names;
use crate::{cpu, cuda};

/// The function, the uninhabited type beside it, and its source.
pub(crate) fn function(function: &DeviceFn) -> TokenStream {
    let DeviceFn { header, params, output, body } = function;
    let Header { krate, attrs, vis, name, generics } = header;
    let Generics { params: generics, clause, declared, args, turbofish, phantom, any } = Generics::of(krate, generics);
    let private = names::private(krate);
    let cfgs: Vec<_> = cfgs(attrs).collect();
    let idents: Vec<_> = params.iter().map(|(local, _)| &body[*local].name).collect();
    let types: Vec<_> = params.iter().map(|(_, ty)| ty).collect();
    let output_type = output.as_ref().map(|(_, ty)| quote!(-> #ty));
    let twin = cpu::device_function(function);
    let (signature, text) = cuda::device_function(function);
    let (signature, text) = (signature.tokens(&private), text.tokens(&private));
    let (sites, line, rust_name) = (sites(body, &private), line(name.span()), name.to_string());
    let c_name = anabranch_core::names::identifier(&rust_name);
    let out = names::local("out");
    // rustc computes the constants of what is not generic here, of the rest at each instance.
    let acyclic = (!any).then(|| {
        quote! {
            #(#cfgs)*
            const _: #private::rust::usize = <#name as #private::slot::DeviceFn>::A_DEVICE_FUNCTION_CANNOT_CALL_ITSELF;
        }
    });
    let variant = any.then(|| quote!(#[doc(hidden)] __Never(#private::rust::Infallible, #phantom)));
    let (lints, inner) = (lints(attrs), &body.lints);
    let twin_of = quote!(|(#(#idents,)*): (#(#types,)*)| #name #turbofish::__twin(#(#idents),*));
    quote! {
        #(#attrs)*
        #[inline]
        #vis fn #name #generics(#(#idents: #types),*) #output_type #clause {
            #name #turbofish::__twin(#(#idents),*).0
        }

        #(#cfgs)*
        #[allow(non_camel_case_types)] // called as the function
        #[doc(hidden)]
        #vis enum #name #declared { #variant }

        #(#cfgs)*
        impl #generics #name #args #clause {
            #[doc(hidden)]
            #[inline(always)]
            #vis fn __callable(_: #private::slot::Callee<Self>) -> impl #private::rust::Fn(#(#types),*) #output_type {
                #name #turbofish
            }

            #[inline(always)]
            #(#lints)*
            // Parentheses, braces and statements that the user has not written.
            #[allow(unused_parens, unused_braces, unreachable_code, clippy::all)]
            #(#inner)*
            #[deny(overflowing_literals)] // rustc has better words for it than the check of each literal
            fn __twin #twin
        }

        #(#cfgs)*
        impl #generics #private::slot::DeviceFn for #name #args #clause {
            const A_DEVICE_FUNCTION_CANNOT_CALL_ITSELF: #private::rust::usize = #private::slot::depth_of(&#twin_of);
            fn function() -> #private::data::DeviceFunction {
                #private::data::DeviceFunction {
                    id: #private::rust::TypeId::of::<Self>(),
                    name: #rust_name,
                    c_name: #c_name,
                    module: #private::rust::module_path!(),
                    file: #private::rust::file!(),
                    line: #line,
                    sites: #sites,
                    signature: #signature,
                    body: #text,
                    describe: |#out| #private::slot::slots_of(#twin_of, #out),
                }
            }
        }

        #acyclic
    }
}
