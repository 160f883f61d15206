//! A `#[device]` function: callable on the host as it is, and the type beside it that carries its source.

use proc_macro2::TokenStream;
use quote::quote;

use crate::generics::Generics;
use crate::ir::{DeviceFn, Header};
use crate::launch::{cfgs, line, lints, sites};
use crate::names;
use crate::parse::Signature;
use crate::{cpu, cuda, nested};

/// The function, the uninhabited type beside it, and its source.
pub(crate) fn function(function: &DeviceFn) -> TokenStream {
    let DeviceFn { header, receiver: _, params, output, body, projects: _ } = function;
    let Header { krate, attrs, vis, name, generics } = header;
    let Generics { params: generics, clause, declared, args, turbofish, phantom, any, .. } =
        Generics::of(krate, generics);
    let private = names::private(krate);
    let cfgs: Vec<_> = cfgs(attrs).collect();
    let idents: Vec<_> = params.iter().map(|(local, _)| &body[*local].name).collect();
    let types: Vec<_> = params.iter().map(|(_, ty)| ty).collect();
    // A closure has a type that only its caller knows, and here one that is as good.
    let closure = |ty: &syn::Type| {
        let Signature { path, inputs, output } = Signature::of(ty)?;
        let output = output.map(|ty| quote!(-> #ty));
        Some((quote!(#path), quote!((#(#inputs),*) #output)))
    };
    let mut bounds = Vec::new();
    let passed = types.iter().map(|ty| match closure(ty) {
        None => quote!(#ty),
        Some((path, _)) => {
            let name = names::local(&format!("F{}", bounds.len()));
            bounds.push(quote!(#name: #path));
            quote!(#name)
        }
    });
    let passed: Vec<_> = passed.collect();
    let plain = types.iter().map(|ty| match closure(ty) {
        None => quote!(#ty),
        Some((_, signature)) => quote!(fn #signature),
    });
    let plain: Vec<_> = plain.collect();
    let bounds = (!bounds.is_empty()).then(|| quote!(<#(#bounds),*>));
    let output_type = output.as_ref().map(|(_, ty)| quote!(-> #ty));
    let (signature, twin) = cpu::device_function(function);
    // rustc computes the constants of what is not generic here, of the rest at each instance.
    let acyclic = (!any).then(|| {
        quote! {
            #(#cfgs)*
            const _: #private::rust::usize = <#name as #private::slot::DeviceFn>::A_DEVICE_FUNCTION_CANNOT_CALL_ITSELF;
        }
    });
    let variant = any.then(|| quote!(#[doc(hidden)] __Never(#private::rust::Infallible, #phantom)));
    let (lints, inner) = (lints(attrs), &body.lints);
    let twin_of = quote!(|(#(#idents,)*): (#(#plain,)*)| #name #turbofish::__twin(#(#idents),*));
    let source = source(function, &name.to_string(), &quote!(Self), &twin_of);
    let no_kernel = nested::no_kernel(vis, &private);
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
            #vis fn __callable #bounds(_: #private::slot::Callee<Self>) -> impl #private::rust::Fn(#(#passed),*) #output_type {
                #name #turbofish
            }

            #no_kernel

            #[inline(always)]
            #(#lints)*
            // Parentheses, braces and statements that the user has not written.
            #[allow(unused_parens, unused_braces, unreachable_code, clippy::all)]
            #(#inner)*
            #[deny(overflowing_literals)] // rustc has better words for it than the check of each literal
            fn __twin #signature #twin
        }

        #(#cfgs)*
        impl #generics #private::slot::DeviceFn for #name #args #clause {
            const A_DEVICE_FUNCTION_CANNOT_CALL_ITSELF: #private::rust::usize = #private::slot::depth_of(&#twin_of);
            fn called() -> #private::data::SlotValue {
                #private::data::SlotValue::Function(|| #source)
            }
        }

        #acyclic
    }
}

/// What the runtime gets of a function: a value of `DeviceFunction`. `id` is the type beside it, `twin_of` a closure that has its types.
pub(crate) fn source(function: &DeviceFn, name: &str, id: &TokenStream, twin_of: &TokenStream) -> TokenStream {
    let private = names::private(&function.header.krate);
    let out = names::local("out");
    let id = quote!(#private::rust::TypeId::of::<#id>());
    source_of(function, name, &id, &quote!(|#out| #private::slot::slots_of(#twin_of, #out)))
}

/// The same with an `id` and a function `describe` that are expressions.
pub(crate) fn source_of(function: &DeviceFn, name: &str, id: &TokenStream, describe: &TokenStream) -> TokenStream {
    let private = names::private(&function.header.krate);
    let (signature, text) = cuda::device_function(function);
    let (signature, text) = (signature.tokens(&private), text.tokens(&private));
    let (sites, line) = (sites(&function.body, &private), line(function.header.name.span()));
    let c_name = anabranch_core::names::identifier(&name.replace("::", "_"));
    let receiver = match &function.receiver {
        Some(receiver) => {
            let receiver = names::variant(receiver.variant());
            quote!(#private::rust::Some(#private::data::Receiver::#receiver))
        }
        None => quote!(#private::rust::None),
    };
    quote! {
        #private::data::DeviceFunction {
            id: #id,
            name: #name,
            c_name: #c_name,
            module: #private::rust::module_path!(),
            file: #private::rust::file!(),
            line: #line,
            sites: #sites,
            signature: #signature,
            body: #text,
            receiver: #receiver,
            describe: #describe,
        }
    }
}
