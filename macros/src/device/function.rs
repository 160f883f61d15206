//! A `#[device]` function: callable on the host as it is, and the type beside it that carries its source.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

use super::scope::{Closure, closures};
use super::source::{needs_of, source, total_of};
use crate::analysis::access;
use crate::analysis::lanes;
use crate::generics::Generics;
use crate::ir::{DeviceFn, Header};
use crate::launch::nested;
use crate::parse::attributes::{cfgs, lints};
use crate::{cpu, names};

/// The function, the uninhabited type beside it, and its source.
pub(crate) fn function(function: &DeviceFn) -> TokenStream {
    let DeviceFn { header, receiver: _, params, output, body, projects: _ } = function;
    let Header { krate, attrs, vis, name, generics, .. } = header;
    let closures = closures(params, generics);
    let Generics {
        params: generics,
        clause,
        outer,
        outer_clause,
        own,
        own_clause,
        declared,
        args,
        of_type,
        phantom,
        any,
        ..
    } = Generics::of(krate, generics);
    let private = names::private(krate);
    let cfgs: Vec<_> = cfgs(attrs).collect();
    let idents: Vec<_> = params.iter().map(|(local, _)| &body[*local].name).collect();
    let types: Vec<_> = params.iter().map(|(_, ty)| ty).collect();
    let (own_of_twin, mut own) = (listed(&own), own);
    let passed = types.iter().zip(&closures).enumerate().map(|(at, (ty, closure))| match closure {
        // Only its caller knows what it is.
        Some(Closure { bounds: Some(bounds), .. }) => {
            let name = names::local(&format!("F{at}"));
            own.push(quote!(#name: #bounds));
            quote!(#name)
        }
        Some(Closure { bounds: None, .. }) | None => quote!(#ty),
    });
    let passed: Vec<_> = passed.collect();
    let plain = types.iter().zip(&closures).map(|(ty, closure)| match closure {
        None => quote!(#ty),
        Some(Closure { plain, .. }) => plain.clone(),
    });
    let plain: Vec<_> = plain.collect();
    let output_type = output.as_ref().map(|(_, ty)| quote!(-> #ty));
    let function_type = quote!(#private::rust::Fn(#(#passed),*) #output_type);
    // "defined here", says rustc of a call with too few arguments.
    let opaque = quote_spanned!(name.span()=> impl);
    let value = names::local("V");
    let named = quote!(<#(#own,)* #value: #function_type>);
    let own = listed(&own);
    let facts = access::of_function(function, true);
    let (signature, twin) = cpu::device_function(function, Some(&facts.facts));
    // rustc computes the constants of what is not generic here, of the rest at each instance.
    let acyclic = (!any).then(|| {
        quote! {
            #(#cfgs)*
            const _: () = { let _ = <#name #args as #private::slot::DeviceFn>::A_DEVICE_FUNCTION_CANNOT_CALL_ITSELF; };
        }
    });
    let variant = (!declared.is_empty()).then(|| quote!(#[doc(hidden)] __Never(#private::rust::Infallible, #phantom)));
    let (lints, inner): (Vec<_>, _) = (lints(attrs).collect(), &body.lints);
    let undecided = quote!(#private::view::Decided::NO);
    let twin_of = quote!(|(#(#idents,)*): (#(#plain,)*)| #name #of_type::twin_in_device_code(#(#idents,)* #undecided));
    let source = source(function, &facts, &name.to_string(), &quote!(Self), &twin_of, Some(&facts.facts));
    let (needs_of, total_of) = (needs_of(&facts, &private, &twin_of), total_of(body, &private, &twin_of));
    let lanes = InLanes::of(function, &quote!(#name #of_type::__lanes), &twin_of);
    let of_all = lanes.as_ref().map(|InLanes { params, block, .. }| {
        quote! {
            #[inline(always)]
            #(#lints)*
            #[allow(unused, clippy::all)] // what there is to say is said of the function
            #(#inner)*
            fn __lanes #own_of_twin #params #own_clause #block
        }
    });
    let room = room_of(lanes.as_ref(), &private, &twin_of);
    let of_lanes = lanes.as_ref().map(|InLanes { exist, run, .. }| {
        let [args, results] = ["args", "results"].map(names::local);
        quote! {
            #[inline(always)]
            fn has_lanes() -> #private::rust::bool { #exist }
            #[inline(always)]
            fn in_lanes(#args: &dyn #private::rust::Any, #results: &mut dyn #private::rust::Any) -> #private::rust::bool { #run }
        }
    });
    let (slot, decided) = (names::local("slot"), names::local("decided"));
    let told = quote! {
        let #decided = #private::slot::Callee::decided(#slot);
        #[inline(always)]
        move |#(#idents),*| #name #of_type::twin_in_device_code(#(#idents,)* #decided).0
    };
    let no_kernel = nested::no_kernel(vis, &private);
    quote! {
        #(#attrs)*
        #[inline]
        #vis fn #name #generics(#(#idents: #types),*) #output_type #clause {
            #name #of_type::twin_in_device_code(#(#idents,)* #undecided).0
        }

        #(#cfgs)*
        #[allow(non_camel_case_types)] // called as the function
        #[doc(hidden)]
        #vis enum #name #declared { #variant }

        #(#cfgs)*
        impl #outer #name #args #outer_clause {
            #[doc(hidden)]
            #[inline(always)]
            #vis fn called_in_device_code #own(#slot: #private::slot::Callee<Self>) -> #opaque #function_type #own_clause {
                #told
            }

            #[doc(hidden)]
            #[inline(always)]
            #vis fn named_in_device_code #named(#slot: #private::slot::Callee<Self>, _: #value) -> #opaque #function_type #own_clause {
                #told
            }

            #no_kernel

            #[inline(always)]
            #(#lints)*
            // Parentheses, braces and statements that the user has not written.
            #[allow(unused_parens, unused_braces, unreachable_code, clippy::all)]
            #(#inner)*
            #[deny(overflowing_literals)] // rustc has better words for it than the check of each literal
            fn twin_in_device_code #own_of_twin #signature #own_clause #twin

            #of_all
        }

        #(#cfgs)*
        impl #outer #private::slot::DeviceFn for #name #args #outer_clause {
            const A_DEVICE_FUNCTION_CANNOT_CALL_ITSELF: #private::rust::usize = #private::slot::depth_of(&#twin_of);
            fn called() -> #private::data::SlotValue {
                #private::data::SlotValue::Function(|| #source)
            }
            #[inline(always)]
            fn needs() -> #private::rust::u64 { #needs_of }
            #[inline(always)]
            fn total() -> #private::rust::bool { #total_of }
            #[inline(always)]
            fn room() -> #private::rust::usize { #room }
            #of_lanes
        }

        #acyclic
    }
}

/// A function for the arguments of all lanes at once.
pub(crate) struct InLanes {
    /// Its parameters.
    pub(crate) params: TokenStream,
    /// Its body.
    pub(crate) block: TokenStream,
    /// What `DeviceFn::has_lanes` returns.
    pub(crate) exist: TokenStream,
    /// What `DeviceFn::in_lanes` returns.
    pub(crate) run: TokenStream,
    conditions: TokenStream,
}

/// What `DeviceFn::room` returns.
pub(crate) fn room_of(lanes: Option<&InLanes>, private: &TokenStream, twin_of: &TokenStream) -> TokenStream {
    let of_lanes = match lanes {
        Some(InLanes { conditions, .. }) => quote!(#private::rust::Some(&#conditions)),
        None => quote!(#private::rust::None),
    };
    quote!(#private::slot::room_of(&#twin_of, #of_lanes))
}

impl InLanes {
    /// That of a device function, if it has one. It has this `path`.
    pub(crate) fn of(function: &DeviceFn, path: &TokenStream, twin_of: &TokenStream) -> Option<Self> {
        let private = names::private(&function.header.krate);
        let lanes = lanes::of_arguments(function).ok()?;
        let (params, block) = cpu::lanes::of_arguments(function, &lanes);
        let conditions = lanes.conditions(&function.body, &private);
        let exist = quote!(#private::slot::total_of(&#twin_of, &#conditions));
        Some(Self { params, block: quote!({ #block }), exist, run: cpu::lanes::called(function, path), conditions })
    }
}

/// In `<…>`, if there are any.
fn listed(params: &[TokenStream]) -> TokenStream {
    if params.is_empty() { TokenStream::new() } else { quote!(<#(#params),*>) }
}
