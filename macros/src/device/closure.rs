//! `closure!`: a closure of the host that kernels call.
//!
//! Its twin is a closure without captures, which gets the captured values as its first argument.
//! rustc infers the types of these, so no struct can name them: what is described of the function
//! is in a type of its own, and all types are read from the twin.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};

use super::source;
use crate::analysis::access;
use crate::cpu;
use crate::ir::{DeviceFn, Receiver};
use crate::names;

/// The value, of a function whose parameters are the captured values and the arguments.
pub(crate) fn closure(mut function: DeviceFn, captured: &[Ident]) -> TokenStream {
    let (private, twin) = (names::private(&function.header.krate), cpu::closure(&function, captured.len()));
    // Callers pass it as what they call.
    function.receiver = Some(Receiver::Value);
    let facts = access::of_function(&function, false);
    let [id, describe, made] = ["id", "describe", "made"].map(names::local);
    let source = source::source(&function, &facts, "closure", None, [&quote!(#id), &quote!(#describe), &quote!(|| 0)]);
    let total = match source::total_conditions(&function.body, &private) {
        Some(conditions) => quote!(#private::rust::Some(#conditions)),
        None => quote!(#private::rust::None),
    };
    let value = |name: &Ident| {
        let private = names::private_at(&private, name.span());
        quote_spanned!(name.span()=> #private::slot::to_device(&#name))
    };
    let values = names::tree(captured.iter().map(value).collect());
    // In a block of its own, where no name of the user's can mean it.
    let described = quote! {{
        struct Described;
        impl #private::closure::Source for Described {
            const FUNCTION: #private::data::TraitSource = |#id, #describe| #source;
            const TOTAL: #private::rust::Option<#private::data::Conditions> = #total;
        }
        Described
    }};
    quote! {{
        // Parentheses, braces and statements that the user has not written.
        #[allow(unused_parens, unused_braces, unreachable_code, clippy::all)]
        #[deny(overflowing_literals)]
        let #made = #private::closure::closure(#described, #values, #twin);
        #made
    }}
}
