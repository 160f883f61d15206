//! Identifiers of generated Rust: locals that no user name can meet, and the path to the runtime.

use anabranch_core::ir::Receiver;
use anabranch_core::limits::TUPLE_WIDTH;
use proc_macro2::{Ident, Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt;

/// A generated local variable: `mixed_site` keeps it apart from every user name.
pub(crate) fn local(name: &str) -> Ident {
    Ident::new(&format!("__{name}"), Span::mixed_site())
}

/// The name of a variable, by its number, in the second form of a loop.
pub(crate) fn again(local: usize, span: Span) -> Ident {
    Ident::new(&format!("{GENERATED}{local}"), span)
}

const GENERATED: &str = "_anabranch_";

/// A name that generated host and device code has in the scopes of the parser, where it must not be
/// a user's.
pub(crate) fn generated(name: &str, span: Span) -> Ident {
    Ident::new(&format!("{GENERATED}{name}"), span.resolved_at(Span::mixed_site()))
}

/// What stands for the `.` in the name of a field's variable. Users can write it, but nobody does:
/// see [`has_dot`].
const DOT: char = '·';

/// The variable of a field of a struct of slices: of `p.red`, what is shown as `p.red`.
pub(crate) fn field(path: &[Ident], span: Span) -> Ident {
    let path: Vec<String> = path.iter().map(plain).collect();
    Ident::new(&path.join(&DOT.to_string()), span)
}

/// Whether a user's name could be that of such a variable.
pub(crate) fn has_dot(name: &Ident) -> bool {
    name.to_string().contains(DOT)
}

/// Whether a name is such a one.
pub(crate) fn is_generated(name: &Ident) -> bool {
    name.to_string().starts_with(GENERATED)
}

/// The name as the user knows it: `r#type` is called `type`.
pub(crate) fn plain(ident: &Ident) -> String {
    let name = ident.to_string();
    name.strip_prefix("r#").map(str::to_owned).unwrap_or(name)
}

/// A name as plans and errors tell it.
pub(crate) fn shown(name: &Ident) -> String {
    shown_in(&name.to_string())
}

/// A text with such names.
pub(crate) fn shown_in(text: &str) -> String {
    dotted(&text.replace(GENERATED, ""))
}

/// A text with fields as the user writes them.
pub(crate) fn dotted(text: &str) -> String {
    text.replace(DOT, ".")
}

/// A copy of the shape of a view, under which it can be asked for its length while the view is
/// borrowed. Printed, it is the user's name, as in the text of `assert!`; names that ours begin
/// with are made longer.
pub(crate) fn length_of(view: &Ident) -> Ident {
    let plain = view.to_string();
    let span = Span::mixed_site().located_at(view.span());
    match plain.strip_prefix("r#") {
        Some(raw) => Ident::new_raw(raw, span),
        None if plain.starts_with("__") || has_dot(view) => Ident::new(&format!("{plain}_len"), span),
        None => Ident::new(&plain, span),
    }
}

/// The runtime's module for generated code.
pub(crate) fn private(krate: &syn::Path) -> TokenStream {
    quote!(#krate::private)
}

/// The same at the user's token. Rust takes the location of a failing check from the whole call,
/// which begins with this path; `$crate` alone must keep its span, which says which crate it means.
pub(crate) fn private_at(private: &TokenStream, span: Span) -> TokenStream {
    let respan = |mut tree: TokenTree| {
        if tree.to_string() != "$crate" {
            tree.set_span(span);
        }
        tree
    };
    private.clone().into_iter().map(respan).collect()
}

/// The type of a struct of slices that rustc does not know if it is none.
pub(crate) fn slices_alias(private: &TokenStream, span: Span, ty: &impl ToTokens) -> TokenStream {
    quote_spanned! {span=>
        <#private::types::FieldType<#ty, { #private::slices::must_be_slices::<#ty>(); true }> as #private::types::IsField>::Type
    }
}

/// `(a, (b, (c, ())))`: a list of any length that traits can walk.
pub(crate) fn cons(items: impl DoubleEndedIterator<Item: ToTokens>) -> TokenStream {
    items.rfold(quote!(()), |rest, item| quote!((#item, #rest)))
}

/// Nested tuples: see [`TUPLE_WIDTH`].
pub(crate) fn tree(items: Vec<TokenStream>) -> TokenStream {
    if items.len() <= TUPLE_WIDTH {
        return quote!((#(#items,)*));
    }
    tree(items.chunks(TUPLE_WIDTH).map(|chunk| quote!((#(#chunk,)*))).collect())
}

/// What device code calls instead of a method or an associated function: it has the same meaning,
/// and a slot.
pub(crate) fn on_device(name: &Ident) -> Ident {
    let plain = name.to_string();
    Ident::new(&format!("{}_in_device_code", plain.strip_prefix("r#").unwrap_or(&plain)), name.span())
}

/// What device code calls for an operator, by its trait in `std::ops`.
pub(crate) fn operator(std_trait: &str, assigns: bool, span: Span) -> Ident {
    let assign = if assigns { "_assign" } else { "" };
    Ident::new(&format!("{}{assign}_in_device_code", std_trait.to_lowercase()), span)
}

/// The parameter that a method is called on; `this` is the user's token `self`.
pub(crate) fn receiver(receiver: Receiver, this: &TokenStream) -> TokenStream {
    match receiver {
        Receiver::Value => quote!(#this),
        Receiver::Shared => quote!(&#this),
        Receiver::Unique => quote!(&mut #this),
    }
}

/// A number of elements along a dimension of a grid, as the user would write it.
pub(crate) fn extent(grid: &Ident, dim: usize) -> String {
    format!("{grid}.shape()[{dim}]")
}

/// A number of elements from one index of a grid to the next, which no user can name.
pub(crate) fn stride(grid: &Ident, dim: usize) -> String {
    format!("{grid}.stride {dim}")
}

/// Line and column, from 1, as rustc counts.
pub(crate) fn place(span: Span) -> (u32, u32) {
    let start = span.start();
    let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    (number(start.line), number(start.column + 1))
}

/// The file as `file!()` names it there; empty if it has no name of its own. Tokens of a
/// `macro_rules!` are in the file that defines it.
pub(crate) fn file_name(span: Span) -> String {
    let file = span.file();
    if file.starts_with('<') { String::new() } else { file }
}

/// The file of tokens, as an expression.
pub(crate) fn file(span: Span, private: &TokenStream) -> TokenStream {
    let file = file_name(span);
    if file.is_empty() { quote!(#private::rust::file!()) } else { quote!(#file) }
}

pub(crate) fn line(span: Span) -> TokenStream {
    Literal::u32_unsuffixed(place(span).0).into_token_stream()
}

pub(crate) fn column(span: Span) -> TokenStream {
    Literal::u32_unsuffixed(place(span).1).into_token_stream()
}

/// The C++ name of a field.
pub(crate) fn member(member: &syn::Member) -> String {
    match member {
        syn::Member::Named(name) => anabranch_core::names::identifier(&name.to_string()),
        syn::Member::Unnamed(index) => format!("m{}", index.index),
    }
}

/// The name of a field, or its number; `r#w` is `w`.
pub(crate) fn spelled(member: &syn::Member) -> String {
    match member {
        syn::Member::Named(name) => name.unraw().to_string(),
        syn::Member::Unnamed(index) => index.index.to_string(),
    }
}

/// The name of a variant of an enum of `anabranch-core`.
pub(crate) fn variant(name: &str) -> Ident {
    format_ident!("{name}")
}
