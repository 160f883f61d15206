//! `#[device]` on a struct or enum: what it is made of, as data, and what it may be used for.

mod enums;
mod slices;
mod structs;

use std::collections::BTreeSet;

use anabranch_core::names::identifier;
use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::Fields;
use syn::spanned::Spanned;

use crate::names;
use crate::report::{Code, Report, error};

/// The greatest number of fields of a tuple struct or variant: `ab::get` knows no more.
const MAX_TUPLE_FIELDS: usize = 12;

/// What the implementations of a type are made of.
struct Description {
    /// `DeviceValue::TYPE`.
    ty: TokenStream,
    /// The body of `DeviceValue::scalars`.
    scalars: TokenStream,
    /// The body of `DeviceValue::from_scalars`.
    from_scalars: TokenStream,
    /// The body of `DeviceValue::parts`; `None` where nothing has a name.
    parts: Option<TokenStream>,
    /// The body of `DeviceValue::sample`.
    sample: TokenStream,
    /// The members of `DeviceValue` that are about lanes.
    lanes: TokenStream,
    /// The body of `Equal::equal`.
    equal: TokenStream,
    /// The body of `Ordered::ordering`; `None` where the order is that of discriminants which only
    /// rustc knows.
    ordering: Option<TokenStream>,
    /// The bounds of `DeviceCopy`; `None` if no buffer holds it.
    copies: Option<TokenStream>,
    /// The bounds of `Zeroed`; `None` if zeros are no value.
    zeros: Option<TokenStream>,
}

/// What a description is written with.
struct Context<'a> {
    krate: &'a syn::Path,
    private: TokenStream,
    /// The parameters of `DeviceValue::scalars`, `from_scalars`, `sample` and `parts`.
    offset: Ident,
    put: Ident,
    get: Ident,
    number: Ident,
    path: Ident,
}

/// The type with the derive that describes it. A derive sees no fields that `cfg` removes; an
/// attribute does.
pub(crate) fn attribute(krate: &syn::Path, item: &TokenStream) -> TokenStream {
    if let Ok(item) = syn::parse2::<syn::ItemStruct>(item.clone())
        && slices::is_one(&item)
    {
        return slices::attribute(krate, item);
    }
    let private = names::private(krate);
    let [equal, ordered] = ["PartialEq", "PartialOrd"].map(|of| derives(item, of).then(|| names::variant(of)));
    quote! {
        #[#private::rust::derive(#private::DeviceType)]
        #[anabranch_crate(#krate)]
        #[anabranch_compares(#equal #ordered)]
        #item
    }
}

/// Whether one of the derives below has this name. Device code then compares part by part, whatever
/// the derive does on the host.
fn derives(item: &TokenStream, of: &str) -> bool {
    let Ok(item) = syn::parse2::<syn::DeriveInput>(item.clone()) else { return false };
    item.attrs.iter().filter(|attr| attr.path().is_ident("derive")).any(|attr| {
        let mut found = false;
        let _ = attr.parse_nested_meta(|meta| {
            found |= meta.path.segments.last().is_some_and(|last| last.ident == of);
            Ok(())
        });
        found
    })
}

/// The implementations of a struct or enum.
pub(crate) fn derive(item: TokenStream) -> TokenStream {
    let mut report = Report::default();
    let Ok(mut item) = syn::parse2::<syn::DeriveInput>(item) else { return TokenStream::new() };
    let krate = krate(&item);
    let context = Context {
        krate: &krate,
        private: names::private(&krate),
        offset: names::local("offset"),
        put: names::local("put"),
        get: names::local("get"),
        number: names::local("number"),
        path: names::local("path"),
    };
    check(&item, &mut report);
    let aliases = admit_fields(&context, &mut item);
    let (described, fields): (_, Vec<&Fields>) = match &item.data {
        syn::Data::Struct(of) => {
            check_fields("struct", &item.ident, &of.fields, &mut report);
            (structs::describe(&context, &item, &of.fields), vec![&of.fields])
        }
        syn::Data::Enum(of) => {
            enums::check(&item, of, &mut report);
            (enums::describe(&context, &item, of), of.variants.iter().map(|variant| &variant.fields).collect())
        }
        syn::Data::Union(_) => return TokenStream::new(),
    };
    let types: Vec<&syn::Type> = fields.into_iter().flatten().map(|field| &field.ty).collect();
    match report.check() {
        Err(errors) => quote!(#errors),
        Ok(()) => {
            let implementations = implementations(&context, &item, &types, &described);
            quote!(const _: () = { #aliases #implementations };)
        }
    }
}

/// Replaces the types of fields by aliases, and returns the aliases. A field that is no value of
/// device code is an error of its alias. rustc then has no type for the alias, so it reports
/// neither the implementations nor their uses. The fields of a generic type keep their types,
/// because a constant cannot depend on parameters. So does a type with a macro or braces in it,
/// where `Self` may be another type.
fn admit_fields(context: &Context<'_>, item: &mut syn::DeriveInput) -> TokenStream {
    let private = &context.private;
    if is_generic(item) {
        return TokenStream::new();
    }
    let name = item.ident.clone();
    let fields: Vec<&mut syn::Field> = match &mut item.data {
        syn::Data::Struct(of) => of.fields.iter_mut().collect(),
        syn::Data::Enum(of) => of.variants.iter_mut().flat_map(|variant| &mut variant.fields).collect(),
        syn::Data::Union(_) => Vec::new(),
    };
    let mut aliases = TokenStream::new();
    for (at, field) in fields.into_iter().enumerate() {
        let Some(ty) = without_self(field.ty.to_token_stream(), &name) else { continue };
        let span = field.ty.span();
        let alias = names::generated(&format!("field_{at}"), span);
        let private = names::private_at(private, span);
        aliases.extend(quote_spanned! {span=>
            #[allow(non_camel_case_types)]
            type #alias = <#private::types::FieldType<#ty, { #private::types::must_be_value::<#ty>(); true }> as #private::types::IsField>::Type;
        });
        field.ty = syn::parse_quote!(#alias);
    }
    aliases
}

/// The tokens of a type with the name of the struct or enum in place of `Self`. `None`: there is a
/// macro or a block in it.
fn without_self(ty: TokenStream, name: &Ident) -> Option<TokenStream> {
    let replaced = ty.into_iter().map(|tree| match tree {
        TokenTree::Punct(punct) if punct.as_char() == '!' => None,
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => None,
        TokenTree::Ident(ident) if ident == "Self" => {
            let mut name = name.clone();
            name.set_span(ident.span());
            Some(TokenTree::Ident(name))
        }
        TokenTree::Group(group) => {
            let mut inner = Group::new(group.delimiter(), without_self(group.stream(), name)?);
            inner.set_span(group.span());
            Some(TokenTree::Group(inner))
        }
        other => Some(other),
    });
    replaced.collect()
}

fn is_generic(item: &syn::DeriveInput) -> bool {
    item.generics.params.iter().any(|param| !matches!(param, syn::GenericParam::Lifetime(_)))
}

/// Refuses what device code cannot have.
fn check(item: &syn::DeriveInput, report: &mut Report) {
    let kind = if matches!(item.data, syn::Data::Enum(_)) { "enum" } else { "struct" };
    for lifetime in item.generics.lifetimes() {
        report.on(
            lifetime,
            error(Code::DeviceData, format!("a `#[device]` {kind} cannot have lifetimes")).help(
                "hold values; slices are in a struct whose fields have names: `struct Planes<'a> { red: &'a [f32] }`",
            ),
        );
    }
    for attr in item.attrs.iter().filter(|attr| attr.path().is_ident("repr")) {
        let _ = attr.parse_nested_meta(|meta| {
            if meta.path.is_ident("packed") {
                report.on(
                    &meta.path,
                    error(Code::DeviceData, "a `#[device]` struct cannot be packed: devices access aligned fields")
                        .help("remove `packed`"),
                );
            }
            // What else is in the parentheses, as in `align(16)`.
            let _ = meta.input.parse::<Group>();
            Ok(())
        });
    }
}

/// Refuses fields that C++ has no names for.
fn check_fields(kind: &str, of: &Ident, fields: &Fields, report: &mut Report) {
    if let Fields::Unnamed(unnamed) = fields
        && unnamed.unnamed.len() > MAX_TUPLE_FIELDS
    {
        report.on(
            of,
            error(
                Code::DeviceData,
                format!("a `#[device]` {kind} with more than {MAX_TUPLE_FIELDS} fields needs names for them"),
            )
            .help("write `T { a: f32, … }`"),
        );
    }
    told_apart("field", fields.iter().filter_map(|field| field.ident.as_ref()), report);
}

/// Refuses names that are the same in C++.
fn told_apart<'n>(what: &str, all: impl Iterator<Item = &'n Ident>, report: &mut Report) {
    let mut taken = BTreeSet::new();
    for name in all {
        if !taken.insert(identifier(&name.to_string())) {
            report.on(
                name,
                error(Code::DeviceData, format!("this {what} has the same name in C++ as another {what}"))
                    .help("rename it"),
            );
        }
    }
}

/// The implementations of a type whose fields have these types.
fn implementations(
    context: &Context<'_>,
    item: &syn::DeriveInput,
    types: &[&syn::Type],
    described: &Description,
) -> TokenStream {
    let Context { krate, private, offset, put, get, number, path } = context;
    let Description { ty, scalars, from_scalars, parts, sample, lanes, equal, ordering, copies, zeros } = described;
    let (name, mut generics) = (&item.ident, item.generics.clone());
    let parameters: Vec<_> = generics.type_params().map(|param| param.ident.clone()).collect();
    let generic = is_generic(item);
    {
        let clause = generics.make_where_clause();
        for parameter in &parameters {
            clause.predicates.push(syn::parse_quote!(#parameter: 'static));
        }
    }
    let (params, args, clause) = generics.split_for_impl();
    let bounds = clause.into_iter().flat_map(|clause| &clause.predicates);
    let bounds = quote!(#(#bounds,)*);
    // A bound for every lifetime: where it does not hold, the implementation does not exist, and
    // that is no error.
    let values = quote!(#(for<'__a> #types: #krate::DeviceValue,)*);
    // The errors of a type that is not generic, once and at its tokens.
    let checked = (!generic).then(|| {
        let fields = types.iter().map(|ty| {
            let private = names::private_at(private, ty.span());
            quote_spanned!(ty.span()=> #private::types::must_be_value::<#ty>();)
        });
        let private = names::private_at(private, name.span());
        let is_copy = matches!(item.data, syn::Data::Enum(_))
            .then(|| quote_spanned!(name.span()=> #private::types::must_be_copy::<Self>();));
        quote_spanned!(name.span()=> fn check() { #is_copy #(#fields)* })
    });
    // Of a struct that is not `Copy`, rustc says so here: with a bound, it would wherever the
    // struct is used.
    let bounded = generic || matches!(item.data, syn::Data::Enum(_));
    let copy = bounded.then(|| quote!(for<'__a> Self: #private::types::Copy,));
    let this = quote_spanned!(name.span().resolved_at(proc_macro2::Span::mixed_site())=> #name #args);
    let derived = quote!(const PUT_DEVICE_ABOVE_THE_TYPE: #private::types::Derived = #private::types::Derived;);
    let copies = copies.as_ref().map(|copies| {
        quote! {
            #[automatically_derived]
            #[diagnostic::do_not_recommend]
            impl #params #krate::DeviceCopy for #name #args where #bounds #copies for<'__a> Self: #krate::DeviceValue {
                type Same = Self;
                #derived
            }
        }
    });
    let zeros = zeros.as_ref().map(|zeros| {
        quote! {
            #[automatically_derived]
            #[diagnostic::do_not_recommend]
            impl #params #krate::Zeroed for #name #args where #bounds #zeros for<'__a> Self: #krate::DeviceCopy { #derived }
        }
    });
    let compares = |of: &str| {
        let attribute = item.attrs.iter().find(|attr| attr.path().is_ident("anabranch_compares"));
        attribute
            .is_some_and(|attr| matches!(&attr.meta, syn::Meta::List(list) if list.tokens.to_string().contains(of)))
    };
    let parts = parts.as_ref().map(|parts| {
        quote! {
            fn parts(&self, #path: &[#private::types::Part], #put: &mut dyn #private::rust::FnMut(#private::rust::Option<#private::types::i128>)) {
                #parts
            }
        }
    });
    let other = names::local("other");
    let equals = compares("PartialEq").then(|| {
        quote! {
            #[automatically_derived]
            #[diagnostic::do_not_recommend]
            impl #params #private::op::Equal for #name #args where #bounds #(for<'__a> #types: #private::op::Equal,)* for<'__a> Self: #krate::DeviceValue {
                #[inline(always)]
                fn equal(&self, #other: &Self) -> #private::rust::bool { #equal }
            }
        }
    });
    let orders = ordering.as_ref().filter(|_| compares("PartialOrd")).map(|ordering| {
        quote! {
            #[automatically_derived]
            #[diagnostic::do_not_recommend]
            impl #params #private::op::Ordered for #name #args where #bounds #(for<'__a> #types: #private::op::Ordered,)* for<'__a> Self: #private::op::Equal {
                #[inline(always)]
                fn ordering(&self, #other: &Self) -> #private::rust::Option<#private::types::Ordering> { #ordering }
            }
        }
    });
    quote! {
        #equals
        #orders
        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl #params #private::types::HostValue<Self> for #this where #bounds #copy {
            #[inline(always)]
            fn ab_host_value(&self) -> Self where for<'__a> Self: #private::types::Copy { *self }
        }
        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl #params #private::types::ConstantValue<Self> for #this where #bounds #copy {
            #[inline(always)]
            fn ab_constant_value(self) -> Self { self }
        }
        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl #params #krate::DeviceValue for #this where #bounds #values #copy {
            type Same = #this;
            #[inline(always)]
            fn same(self) -> Self { self }
            const TYPE: &'static #private::types::DeviceType = &#ty;
            #[inline]
            fn scalars(&self, #offset: #private::rust::usize, #put: &mut dyn #private::rust::FnMut(#private::rust::usize, #private::rust::usize, #private::types::u128)) {
                let _ = (#offset, &#put);
                #scalars
            }
            fn sample(#number: #private::rust::usize) -> Self {
                let _ = #number;
                #sample
            }
            fn from_scalars(#offset: #private::rust::usize, #get: &mut dyn #private::rust::FnMut(#private::rust::usize, #private::rust::usize) -> #private::types::u128) -> Self {
                let _ = (#offset, &#get);
                #from_scalars
            }
            #lanes
            #parts
        }
        #copies
        #zeros
        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl #params #private::types::WithoutDeref for #name #args where #bounds {
            #checked
        }
    }
}

/// The path to the runtime that `#[device]` was given.
fn krate(item: &syn::DeriveInput) -> syn::Path {
    let attribute = item.attrs.iter().find(|attr| attr.path().is_ident("anabranch_crate"));
    let path = attribute.and_then(|attr| attr.parse_args_with(syn::Path::parse_mod_style).ok());
    path.unwrap_or_else(|| syn::parse_quote!(::anabranch))
}
