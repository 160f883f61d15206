//! What the runtime gets of a device function: its C++ and what describes it, and what callers can
//! use without a call.

use anabranch_core::facts::wire;
use anabranch_core::ir::code::FunctionHead;
use anabranch_core::ir::wire::encode_function;
use proc_macro2::{Literal, TokenStream};
use quote::quote;

use crate::analysis::access::{FunctionFacts, LoopFacts};
use crate::analysis::lanes::{self, Checks, OfTypes};
use crate::ir::{Body, DeviceFn, Receiver};
use crate::launch::sites;
use crate::names::{self, file, line};

/// A value of `DeviceFunction`. What depends on types are expressions: its `id`, and the functions
/// `describe` and `needs`.
pub(super) fn source(
    function: &DeviceFn,
    facts: &FunctionFacts,
    name: &str,
    of_body: Option<&LoopFacts>,
    [id, describe, needs]: [&TokenStream; 3],
) -> TokenStream {
    let private = names::private(&function.header.krate);
    let DeviceFn { receiver, params, projects, output, body, .. } = function;
    let head = FunctionHead {
        params: params.iter().map(|(local, _)| *local).collect(),
        method: receiver.is_some(),
        projects: *projects,
        output: output.as_ref().map(|(slot, _)| *slot),
    };
    let code = encode_function(&head, body, of_body.map(LoopFacts::info).as_ref());
    let code = Literal::byte_string(&code);
    let place = function.header.place;
    let (sites, file, line) = (sites(body, &private), file(place, &private), line(place));
    let summary = Literal::byte_string(&wire::encode_summary(&facts.summary));
    let c_name = anabranch_core::names::identifier(&name.replace("::", "_"));
    let receiver = match receiver {
        Some(receiver) => {
            let receiver = names::variant(receiver.variant());
            quote!(#private::rust::Some(#private::data::Receiver::#receiver))
        }
        None => quote!(#private::rust::None),
    };
    let infallible = match Checks::of_function(body) {
        Some(checks) => {
            let infallible = checks.infallible(&private);
            quote!(#private::rust::Some(#infallible))
        }
        None => quote!(#private::rust::None),
    };
    quote! {
        #private::data::DeviceFunction {
            id: #id,
            name: #name,
            c_name: #c_name,
            module: #private::rust::module_path!(),
            file: #file,
            line: #line,
            sites: #sites,
            code: #code,
            receiver: #receiver,
            describe: #describe,
            summary: #summary,
            needs: #needs,
            infallible: #infallible,
        }
    }
}

/// `DeviceFn::needs` of a function, if a launch decides something of it.
pub(super) fn needs(facts: &FunctionFacts, private: &TokenStream, twin_of: &TokenStream) -> Option<TokenStream> {
    let own = Literal::u64_unsuffixed(facts.needs);
    let calls = facts.calls.iter().map(|(slot, unlimited, args)| {
        let (slot, unlimited) = (Literal::usize_unsuffixed(slot.0), Literal::u64_unsuffixed(*unlimited));
        let args = args.iter().map(|bits| Literal::u64_unsuffixed(*bits));
        quote!((#slot, #unlimited, &[#(#args),*]))
    });
    (facts.needs != 0 || !facts.calls.is_empty()).then(|| {
        quote! {
            #[inline(always)]
            fn needs() -> #private::rust::u64 { #private::slot::needs_of(&#twin_of, #own, &[#(#calls),*]) }
        }
    })
}

/// `DeviceFn::keeps` of a function, if it is a method that does not change what it is called on.
pub(super) fn keeps(function: &DeviceFn, private: &TokenStream) -> Option<TokenStream> {
    matches!(function.receiver, Some(Receiver::Value | Receiver::Shared)).then(|| {
        quote! {
            #[inline(always)]
            fn keeps() -> #private::rust::bool { true }
        }
    })
}

/// What `DeviceFn::total` of a function returns.
pub(super) fn total(body: &Body, private: &TokenStream, twin_of: &TokenStream) -> TokenStream {
    match total_conditions(body, private) {
        Some(conditions) => quote!(#private::slot::total_of(&#twin_of, &#conditions)),
        None => quote!(false),
    }
}

/// On what it depends that a function always ends and never fails. None: nobody knows.
pub(super) fn total_conditions(body: &Body, private: &TokenStream) -> Option<TokenStream> {
    let checks = lanes::of_function(body)?;
    let of_types = OfTypes { most: lanes::ROOM, within: 0..body.slots.len(), looped: true, ..OfTypes::default() };
    Some(checks.conditions(&of_types, private))
}
