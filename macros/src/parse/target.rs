//! Items that cannot have `#[kernel]` or `#[device]`: what each is called, and what to do instead.

use proc_macro2::{Span, TokenStream};
use syn::spanned::Spanned;

use crate::report::{Code, Diagnostic, error};

/// The error for an item that is neither a function with a body nor anything else that `attribute`
/// can be on, and where it points.
pub(crate) fn misplaced(attribute: &str, item: &TokenStream) -> (Option<Span>, Diagnostic) {
    let (span, noun, instead) = match syn::parse2::<syn::Item>(item.clone()) {
        _ if has_no_body(item) => (None, "a function without a body", Some("write its body: `{ … }`")),
        Ok(item) => described(&item),
        Err(_) => (None, "this", None),
    };
    let of_device = attribute == "device";
    let error = error(Code::NotAFunction, format!("`#[{attribute}]` cannot be on {noun}"));
    let error = instead.filter(|_| of_device).into_iter().fold(error, Diagnostic::help);
    let can = if of_device {
        "a `fn` with a body, a `struct`, an `enum`, an `impl` or a `trait`"
    } else {
        "a `fn` with a body"
    };
    (span, error.help(format!("put `#[{attribute}]` on {can}")))
}

/// Where an item begins, what it is called, and what device code has instead.
fn described(item: &syn::Item) -> (Option<Span>, &'static str, Option<&'static str>) {
    let (span, noun, instead) = match item {
        syn::Item::Const(item) => {
            (item.const_token.span, "a constant", "remove it: device code can use constants without an attribute")
        }
        syn::Item::Static(item) => (
            item.static_token.span,
            "a `static`",
            "write a `const`; pass data that changes as a parameter of the kernel",
        ),
        syn::Item::Mod(item) => {
            (item.mod_token.span, "a module", "put it on each item of the module that device code uses")
        }
        syn::Item::Union(item) => (
            item.union_token.span,
            "a union",
            "write an `enum`; the bits of a number are `x.to_bits()` and `f32::from_bits(x)`",
        ),
        syn::Item::Type(item) => (item.type_token.span, "a type alias", "remove it: device code can use the alias"),
        syn::Item::Use(item) => (item.use_token.span, "an import", "remove it: device code can use what is imported"),
        syn::Item::ForeignMod(item) => {
            (item.abi.extern_token.span, "an `extern` block", "write the functions in Rust: device code cannot call C")
        }
        syn::Item::Macro(item) => {
            (item.mac.path.span(), "a macro", "write a `#[device]` function: device code has no macros of your own")
        }
        syn::Item::Struct(item) => (item.struct_token.span, "a struct", ""),
        syn::Item::Enum(item) => (item.enum_token.span, "an enum", ""),
        syn::Item::Impl(item) => (item.impl_token.span, "an `impl`", ""),
        syn::Item::Trait(item) => (item.trait_token.span, "a trait", ""),
        _ => return (None, "this item", None),
    };
    (Some(span), noun, Some(instead).filter(|instead| !instead.is_empty()))
}

/// Whether something is a function, up to its body.
fn has_no_body(item: &TokenStream) -> bool {
    syn::parse2::<syn::TraitItemFn>(item.clone()).is_ok_and(|function| function.default.is_none())
}
