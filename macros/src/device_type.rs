//! `#[device]` on a struct: what it is made of, as data, and what it may be used for.

use std::collections::BTreeSet;

use anabranch_core::names::identifier;
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Fields, Member};

use crate::names;
use crate::report::{Code, Report, error};

/// The greatest number of fields of a tuple struct: `ab::get` knows no more.
const MAX_TUPLE_FIELDS: usize = 12;

/// The struct with the derive that describes it. A derive sees no fields that `cfg` removes; an attribute does.
pub(crate) fn attribute(krate: &syn::Path, item: &TokenStream) -> TokenStream {
    let private = names::private(krate);
    quote! {
        #[#private::rust::derive(#private::DeviceStruct)]
        #[anabranch_crate(#krate)]
        #item
    }
}

/// The implementations of a struct.
pub(crate) fn derive(item: TokenStream) -> TokenStream {
    let mut report = Report::default();
    let Ok(item) = syn::parse2::<syn::DeriveInput>(item) else { return TokenStream::new() };
    let syn::Data::Struct(of) = &item.data else { return TokenStream::new() };
    check(&item, &of.fields, &mut report);
    match report.check() {
        Err(errors) => quote!(#errors),
        Ok(()) => describe(&item, &of.fields),
    }
}

/// Refuses what device code cannot have.
fn check(item: &syn::DeriveInput, fields: &Fields, report: &mut Report) {
    for lifetime in item.generics.lifetimes() {
        report.on(
            lifetime,
            error(Code::DeviceStruct, "a `#[device]` struct cannot have lifetimes")
                .help("hold values; slices are parameters of their own: `xs: &[f32]`"),
        );
    }
    for attr in item.attrs.iter().filter(|attr| attr.path().is_ident("repr")) {
        let _ = attr.parse_nested_meta(|meta| {
            if meta.path.is_ident("packed") {
                report.on(
                    &meta.path,
                    error(Code::DeviceStruct, "a `#[device]` struct cannot be packed: devices access aligned fields")
                        .help("remove `packed`"),
                );
            }
            // What else is in the parentheses, as in `align(16)`.
            let _ = meta.input.parse::<proc_macro2::Group>();
            Ok(())
        });
    }
    if let Fields::Unnamed(unnamed) = fields
        && unnamed.unnamed.len() > MAX_TUPLE_FIELDS
    {
        report.on(
            &item.ident,
            error(
                Code::DeviceStruct,
                format!("a `#[device]` struct with more than {MAX_TUPLE_FIELDS} fields needs names for them"),
            )
            .help("write `struct T { a: f32, … }`"),
        );
    }
    let mut taken = BTreeSet::new();
    for name in fields.iter().filter_map(|field| field.ident.as_ref()) {
        if !taken.insert(identifier(&name.to_string())) {
            report.on(
                name,
                error(Code::DeviceStruct, "this field has the same name in C++ as another field").help("rename it"),
            );
        }
    }
}

fn describe(item: &syn::DeriveInput, fields: &Fields) -> TokenStream {
    let krate = krate(item);
    let private = names::private(&krate);
    let (name, mut generics) = (&item.ident, item.generics.clone());
    let parameters: Vec<_> = generics.type_params().map(|param| param.ident.clone()).collect();
    let generic = generics.params.iter().any(|param| !matches!(param, syn::GenericParam::Lifetime(_)));
    {
        let clause = generics.make_where_clause();
        for parameter in &parameters {
            clause.predicates.push(syn::parse_quote!(#parameter: 'static));
        }
    }
    let (params, args, clause) = generics.split_for_impl();
    let bounds = clause.into_iter().flat_map(|clause| &clause.predicates);
    let bounds = quote!(#(#bounds,)*);
    let types: Vec<_> = fields.iter().map(|field| &field.ty).collect();
    let members: Vec<Member> = fields.members().collect();
    let rust_names = members.iter().map(|member| match member {
        Member::Named(name) => name.to_string(),
        Member::Unnamed(index) => index.index.to_string(),
    });
    let c_names = members.iter().map(names::member);
    let (numbers, places) = (0..members.len(), 0..members.len());
    let is_tuple = matches!(fields, Fields::Unnamed(_));
    let (rust_name, c_name) = (name.to_string(), identifier(&name.to_string()));
    let (offset, put, get) = (names::local("offset"), names::local("put"), names::local("get"));
    // A bound for every lifetime: where it does not hold, the implementation does not exist, and that is no error.
    let all = |of: TokenStream| quote!(#(for<'__a> #types: #of,)*);
    let (values, copies, zeros) =
        (all(quote!(#krate::DeviceValue)), all(quote!(#krate::DeviceCopy)), all(quote!(#krate::Zeroed)));
    // The errors of a struct that is not generic, once and at its tokens.
    let checked = (!generic).then(|| {
        let fields = types.iter().map(|ty| {
            let private = names::private_at(&private, ty.span());
            quote_spanned!(ty.span()=> #private::types::must_be_value::<#ty>();)
        });
        let private = names::private_at(&private, name.span());
        quote_spanned!(name.span()=> fn check() { #private::types::must_be_copy::<Self>(); #(#fields)* })
    });
    quote! {
        const _: () = {
            #[automatically_derived]
            #[diagnostic::do_not_recommend]
            impl #params #private::types::HostValue<Self> for #name #args where #bounds for<'__a> Self: #private::types::Copy {
                #[inline(always)]
                fn ab_host_value(self) -> Self { self }
            }
            #[automatically_derived]
            #[diagnostic::do_not_recommend]
            impl #params #private::types::ConstantValue<Self> for #name #args where #bounds for<'__a> Self: #private::types::Copy {
                #[inline(always)]
                fn ab_constant_value(self) -> Self { self }
            }
            #[automatically_derived]
            #[diagnostic::do_not_recommend]
            impl #params #krate::DeviceValue for #name #args where #bounds #values for<'__a> Self: #private::types::Copy {
                type Same = Self;
                #[inline(always)]
                fn same(self) -> Self { self }
                const TYPE: &'static #private::types::DeviceType = &#private::types::DeviceType::Struct(&#private::types::StructType {
                    name: #rust_name,
                    c_name: #c_name,
                    module: #private::rust::module_path!(),
                    id: #private::rust::TypeId::of::<Self>(),
                    size: #private::types::size_of::<Self>(),
                    align: #private::types::align_of::<Self>(),
                    is_tuple: #is_tuple,
                    fields: &[#(#private::types::Field {
                        name: #rust_names,
                        c_name: #c_names,
                        offset: #private::types::offset_of!(Self, #members),
                        size: #private::types::size_of::<#types>(),
                        ty: <#types as #krate::DeviceValue>::TYPE,
                    }),*],
                });
                #[inline]
                fn scalars(&self, #offset: #private::rust::usize, #put: &mut dyn #private::rust::FnMut(#private::rust::usize, #private::rust::usize, #private::types::u128)) {
                    let _ = (#offset, &#put);
                    #(<#types as #krate::DeviceValue>::scalars(&self.#members, #offset + const { #private::types::c_offset::<Self>(#numbers) }, #put);)*
                }
                fn from_scalars(#offset: #private::rust::usize, #get: &mut dyn #private::rust::FnMut(#private::rust::usize, #private::rust::usize) -> #private::types::u128) -> Self {
                    let _ = (#offset, &#get);
                    Self { #(#members: <#types as #krate::DeviceValue>::from_scalars(#offset + const { #private::types::c_offset::<Self>(#places) }, #get),)* }
                }
            }
            #[automatically_derived]
            #[diagnostic::do_not_recommend]
            impl #params #krate::DeviceCopy for #name #args where #bounds #copies for<'__a> Self: #krate::DeviceValue {
                type Same = Self;
            }
            #[automatically_derived]
            #[diagnostic::do_not_recommend]
            impl #params #krate::Zeroed for #name #args where #bounds #zeros for<'__a> Self: #krate::DeviceCopy {}
            #[automatically_derived]
            #[diagnostic::do_not_recommend]
            impl #params #private::types::WithoutDeref for #name #args where #bounds {
                #checked
            }
        };
    }
}

/// The path to the runtime that `#[device]` was given.
fn krate(item: &syn::DeriveInput) -> syn::Path {
    let attribute = item.attrs.iter().find(|attr| attr.path().is_ident("anabranch_crate"));
    let path = attribute.and_then(|attr| attr.parse_args_with(syn::Path::parse_mod_style).ok());
    path.unwrap_or_else(|| syn::parse_quote!(::anabranch))
}
