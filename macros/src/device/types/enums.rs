//! Enums: variants with their tags and fields.

use anabranch_core::names::identifier;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::{Fields, Member};

use super::{Context, Description, check_fields, told_apart};
use crate::names;
use crate::report::{Code, Report, error};

pub(super) fn check(item: &syn::DeriveInput, of: &syn::DataEnum, report: &mut Report) {
    if of.variants.is_empty() {
        report.on(
            &item.ident,
            error(Code::DeviceData, "a `#[device]` enum without variants has no values").help("add a variant"),
        );
    }
    told_apart("variant", of.variants.iter().map(|variant| &variant.ident), report);
    for variant in &of.variants {
        check_fields("variant", &variant.ident, &variant.fields, report);
    }
}

pub(super) fn describe(context: &Context<'_>, item: &syn::DeriveInput, of: &syn::DataEnum) -> Description {
    let Context { krate, private, offset, put, get, number, path: _ } = context;
    let plain = is_plain(of);
    let repr = if plain { repr(item) } else { None };
    let variants = of.variants.iter().enumerate().map(|(at, variant)| {
        let (name, c_name) = (&variant.ident, identifier(&variant.ident.to_string()));
        let at = Literal::usize_unsuffixed(at);
        let tag = if plain { quote!(Self::#name {} as #private::types::i128) } else { quote!(#at) };
        let members = variant.fields.members().map(|member| names::member(&member));
        let types = variant.fields.iter().map(|field| &field.ty);
        quote! {
            #private::types::Variant {
                c_name: #c_name,
                tag: #tag,
                members: &[#(#members),*],
                fields: &[#(<#types as #krate::DeviceValue>::TYPE),*],
            }
        }
    });
    let scalars = of.variants.iter().enumerate().map(|(at, variant)| {
        let (name, at) = (&variant.ident, Literal::usize_unsuffixed(at));
        let members: Vec<Member> = variant.fields.members().collect();
        let values: Vec<Ident> = (0..members.len()).map(|at| names::local(&format!("f{at}"))).collect();
        let types = variant.fields.iter().map(|field| &field.ty);
        let numbers = 0..members.len();
        quote! {
            Self::#name { #(#members: #values),* } => {
                #private::types::put_tag::<Self>(#at, #offset, #put);
                #(<#types as #krate::DeviceValue>::scalars(#values, #offset + const { #private::types::c_offset_in::<Self>(#at, #numbers) }, #put);)*
            }
        }
    });
    let other = names::local("other");
    let alike = |how: &TokenStream, combine: &dyn Fn(Vec<TokenStream>) -> TokenStream| {
        let arms = of.variants.iter().map(|variant| {
            let (name, members) = (&variant.ident, variant.fields.members().collect::<Vec<_>>());
            let [a, b] = ["a", "b"].map(|side| {
                let names = (0..members.len()).map(|at| names::local(&format!("{side}{at}")));
                names.collect::<Vec<_>>()
            });
            let parts = a.iter().zip(&b).map(|(a, b)| quote!(#how(#a, #b))).collect();
            let both = combine(parts);
            quote!((Self::#name { #(#members: #a),* }, Self::#name { #(#members: #b),* }) => #both,)
        });
        quote!(#(#arms)*)
    };
    let equal = alike(&quote!(#private::op::Equal::equal), &|parts| quote!(true #(&& #parts)*));
    let ordering =
        alike(&quote!(#private::op::Ordered::ordering), &|parts| quote!(#private::op::first_difference([#(#parts),*])));
    let numbered = of.variants.iter().enumerate().map(|(at, variant)| {
        let (name, at) = (&variant.ident, Literal::usize_unsuffixed(at));
        quote!(Self::#name { .. } => #at)
    });
    let numbered = quote!(#(#numbered),*);
    let only = of.variants.len() == 1;
    let (differ, by_tag) = if only {
        (TokenStream::new(), TokenStream::new())
    } else {
        let by_tag =
            quote!(_ => #private::types::order_of_tags::<Self>(match self { #numbered }, match #other { #numbered }));
        (quote!(_ => false), by_tag)
    };
    let numbered_by_user = !plain && of.variants.iter().any(|variant| variant.discriminant.is_some());
    let last = of.variants.len().saturating_sub(1);
    let pattern = |at: usize| if at == last { quote!(_) } else { Literal::usize_unsuffixed(at).into_token_stream() };
    let from_scalars = of.variants.iter().enumerate().map(|(at, variant)| {
        let (name, number, pattern) = (&variant.ident, Literal::usize_unsuffixed(at), pattern(at));
        let (members, numbers) = (variant.fields.members(), 0..variant.fields.len());
        let types = variant.fields.iter().map(|field| &field.ty);
        quote! {
            #pattern => Self::#name {
                #(#members: <#types as #krate::DeviceValue>::from_scalars(
                    #offset + const { #private::types::c_offset_in::<Self>(#number, #numbers) },
                    #get,
                ),)*
            }
        }
    });
    let samples = of.variants.iter().enumerate().map(|(at, variant)| {
        let (name, members) = (&variant.ident, variant.fields.members());
        let types = variant.fields.iter().map(|field| &field.ty);
        let at = pattern(at);
        quote!(#at => Self::#name { #(#members: <#types as #krate::DeviceValue>::sample(0)),* })
    });
    let (rust_name, c_name) = (item.ident.to_string(), identifier(&item.ident.to_string()));
    let written = match &repr {
        Some(repr) => {
            let scalar = scalar(repr);
            quote!(#private::rust::Some(#private::types::ScalarType::#scalar))
        }
        None => quote!(#private::rust::None),
    };
    let memory = repr.is_some().then(TokenStream::new);
    Description {
        ty: quote! {
            #private::types::DeviceType::Enum(&#private::types::EnumType {
                name: #rust_name,
                c_name: #c_name,
                module: #private::rust::module_path!(),
                id: #private::rust::TypeId::of::<Self>(),
                size: #private::types::size_of::<Self>(),
                repr: #written,
                variants: &[#(#variants),*],
            })
        },
        scalars: quote!(match self { #(#scalars)* }),
        parts: None,
        from_scalars: quote!(match #private::types::variant_at::<Self>(#offset, #get) { #(#from_scalars),* }),
        sample: quote!(match #number { #(#samples),* }),
        lanes: lanes(private),
        equal: quote!(match (self, #other) { #equal #differ }),
        ordering: (!numbered_by_user).then(|| quote!(match (self, #other) { #ordering #by_tag })),
        // Discriminants are numbers that only rustc knows; those of a generic enum cannot be in a
        // bound.
        zeros: memory.clone().filter(|_| item.generics.params.is_empty()).map(|_| {
            let (of, variants) = (&item.ident, of.variants.iter().map(|variant| &variant.ident));
            quote! {
                for<'__a> #private::types::HasZero<{ #(#of::#variants {} as #private::types::i128 == 0)||* }>: #private::types::CanBeZero,
            }
        }),
        copies: memory,
    }
}

/// Whether `as` converts it to its discriminants: no variant has fields, and those with parentheses
/// have no discriminants of their own.
fn is_plain(of: &syn::DataEnum) -> bool {
    let no_fields = of.variants.iter().all(|variant| variant.fields.is_empty());
    let units = of.variants.iter().all(|variant| matches!(variant.fields, Fields::Unit));
    no_fields && (units || of.variants.iter().all(|variant| variant.discriminant.is_none()))
}

/// The integer type of `#[repr(…)]`, where that is all that it says.
fn repr(item: &syn::DeriveInput) -> Option<Ident> {
    let (mut found, mut aligned) = (None, false);
    for attr in item.attrs.iter().filter(|attr| attr.path().is_ident("repr")) {
        let _ = attr.parse_nested_meta(|meta| {
            aligned |= meta.path.is_ident("align");
            const INTS: [&str; 10] = ["i8", "i16", "i32", "i64", "isize", "u8", "u16", "u32", "u64", "usize"];
            if let Some(name) = meta.path.get_ident().filter(|name| INTS.iter().any(|int| name == int)) {
                found = Some(name.clone());
            }
            let _ = meta.input.parse::<proc_macro2::Group>();
            Ok(())
        });
    }
    found.filter(|_| !aligned)
}

/// The variant of `ScalarType` for a primitive type.
fn scalar(primitive: &Ident) -> Ident {
    let name = primitive.to_string();
    format_ident!("{}{}", name[..1].to_uppercase(), &name[1..])
}

/// Which field a variant has, differs from lane to lane: they are one behind the other.
fn lanes(private: &TokenStream) -> TokenStream {
    let [lanes, lane] = ["lanes", "lane"].map(names::local);
    quote! {
        type Lanes = [Self; #private::lanes::WIDTH];
        #[inline(always)]
        fn in_lanes(self) -> Self::Lanes { [self; #private::lanes::WIDTH] }
        #[inline(always)]
        fn of_lane(#lanes: &Self::Lanes, #lane: #private::rust::usize) -> Self { #lanes[#lane] }
        #[inline(always)]
        fn put_lane(self, #lanes: &mut Self::Lanes, #lane: #private::rust::usize) { #lanes[#lane] = self; }
    }
}
