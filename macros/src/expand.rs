//! The whole pipeline on one screen: parse, analyse, emit. Once the last `check` has passed, nothing can fail.

use proc_macro2::TokenStream;
use quote::quote;

use crate::analysis::conflicts;
use crate::generics::Generics;
use crate::ir::{Header, Param, marker};
use crate::report::Report;
use crate::{args, device_fn, launch, parse};

/// `#[kernel]`.
pub(crate) fn kernel(args: TokenStream, item: TokenStream) -> TokenStream {
    let function = match function(item.clone(), "kernel") {
        Ok(function) => function,
        Err(error) => return with_original(error, item),
    };
    let mut report = Report::default();
    if let Some(name) = marker::forged(item) {
        report.at(name.span(), "this name is reserved for what `#[kernel]` generates");
    }
    let krate = args::krate("kernel", args, &mut report);
    let (header, params) = parse::declaration(krate, &function, &mut report);
    if let Err(error) = report.check() {
        return error.into_compile_error();
    }
    let stub = stub(&header, &params);
    let kernel = parse::kernel(header, params, *function.block, &mut report);
    conflicts::check(&kernel.forks, &mut report);
    match report.check() {
        Ok(()) => launch::kernel(&kernel),
        Err(error) => {
            let error = error.into_compile_error();
            quote!(#error #stub)
        }
    }
}

/// `#[device]`.
pub(crate) fn device(args: TokenStream, item: TokenStream) -> TokenStream {
    let function = match function(item.clone(), "device") {
        Ok(function) => function,
        Err(error) => return with_original(error, item),
    };
    let mut report = Report::default();
    let krate = args::krate("device", args, &mut report);
    let parsed = parse::device(krate, &function, &mut report);
    match report.check() {
        Ok(()) => device_fn::function(&parsed),
        Err(error) => {
            let (error, stub) = (error.into_compile_error(), device_stub(&parsed.header, &function.sig));
            quote!(#error #stub)
        }
    }
}

fn function(item: TokenStream, attribute: &str) -> syn::Result<syn::ItemFn> {
    let mut function = syn::parse2::<syn::ItemFn>(item).map_err(|error| {
        syn::Error::new(error.span(), format!("`#[{attribute}]` stands on a function with a body: {error}"))
    })?;
    // `#![…]` in the body are the function's too, and go where the others go.
    function.attrs.iter_mut().for_each(|attr| attr.style = syn::AttrStyle::Outer);
    Ok(function)
}

fn with_original(error: syn::Error, item: TokenStream) -> TokenStream {
    let error = error.into_compile_error();
    quote!(#error #item)
}

/// What callers of a device function need to see, so that a wrong body is one error and not ten.
fn device_stub(header: &Header, sig: &syn::Signature) -> TokenStream {
    let Header { krate, attrs, vis, name, generics } = header;
    let Generics { params, clause, declared, args, phantom, .. } = Generics::of(generics);
    let output = &sig.output;
    let types: Vec<_> = sig
        .inputs
        .iter()
        .filter_map(|input| match input {
            syn::FnArg::Typed(typed) => Some(&typed.ty),
            syn::FnArg::Receiver(_) => None,
        })
        .collect();
    let beside = sig.receiver().is_none().then(|| {
        let cfgs: Vec<_> = launch::cfgs(attrs).collect();
        quote! {
            #(#cfgs)*
            #[allow(non_camel_case_types)]
            #[doc(hidden)]
            #vis enum #name #declared { #[doc(hidden)] __Never(::core::convert::Infallible, #phantom) }

            #(#cfgs)*
            impl #params #name #args #clause {
                #[doc(hidden)]
                #vis fn __callable(_: #krate::private::Callee<Self>) -> impl ::core::ops::Fn(#(#types),*) #output {
                    #name
                }
            }

            #(#cfgs)*
            impl #params #krate::private::DeviceFn for #name #args #clause {
                const A_DEVICE_FUNCTION_CANNOT_CALL_ITSELF: usize = 1;
                fn function() -> #krate::private::DeviceFunction {
                    ::core::unreachable!("this function has errors")
                }
            }
        }
    });
    quote! {
        #(#attrs)*
        #[allow(unused_variables)]
        #vis #sig { ::core::unreachable!("this function has errors") }
        #beside
    }
}

/// A launcher that the rest of the crate can be checked against, so that a wrong body is one error and not ten.
fn stub(header: &Header, params: &[Param]) -> TokenStream {
    let Header { krate, attrs, vis, name, generics } = header;
    let Generics { params: generics, clause, .. } = Generics::of(generics);
    let declaration = launch::declaration(header, params);
    let cfgs: Vec<_> = launch::cfgs(attrs).collect();
    quote! {
        #[allow(unused_variables)]
        #declaration { ::core::unreachable!("this kernel has errors") }

        #(#cfgs)*
        #[allow(non_camel_case_types)]
        #[doc(hidden)]
        #vis enum #name {}

        #(#cfgs)*
        #[allow(missing_docs, dead_code)]
        impl #name {
            pub fn cuda_source #generics() -> ::std::string::String #clause { ::core::unreachable!("this kernel has errors") }
            pub fn plan() -> #krate::Plan { ::core::unreachable!("this kernel has errors") }
            pub fn prepare #generics(_: &#krate::Device) -> #krate::Result<()> #clause { ::core::unreachable!("this kernel has errors") }
        }
    }
}
