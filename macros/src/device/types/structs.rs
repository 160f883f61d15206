//! Structs: fields with their offsets.

use anabranch_core::names::identifier;
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Fields, Member};

use super::{Context, Description};
use crate::names;

pub(super) fn describe(context: &Context<'_>, item: &syn::DeriveInput, fields: &Fields) -> Description {
    let Context { krate, private, offset, put, get, number: _, path } = context;
    let types: Vec<_> = fields.iter().map(|field| &field.ty).collect();
    let members: Vec<Member> = fields.members().collect();
    let rust_names = members.iter().map(|member| match member {
        Member::Named(name) => name.to_string(),
        Member::Unnamed(index) => index.index.to_string(),
    });
    let part_names = members.iter().map(names::spelled);
    let (part, rest) = (names::local("part"), names::local("rest"));
    let c_names = members.iter().map(names::member);
    let (numbers, places) = (0..members.len(), 0..members.len());
    let is_tuple = matches!(fields, Fields::Unnamed(_));
    let (rust_name, c_name) = (item.ident.to_string(), identifier(&item.ident.to_string()));
    let other = names::local("other");
    Description {
        ty: quote! {
            #private::types::DeviceType::Struct(&#private::types::StructType {
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
            })
        },
        scalars: quote! {
            #(<#types as #krate::DeviceValue>::scalars(&self.#members, #offset + const { #private::types::c_offset::<Self>(#numbers) }, #put);)*
        },
        from_scalars: quote! {
            Self { #(#members: <#types as #krate::DeviceValue>::from_scalars(#offset + const { #private::types::c_offset::<Self>(#places) }, #get),)* }
        },
        parts: Some(quote! {
            match #path {
                #([#private::types::Part::Field(#part), #rest @ ..] if #part == #part_names => {
                    <#types as #krate::DeviceValue>::parts(&self.#members, #rest, #put)
                })*
                _ => #put(#private::rust::Option::None),
            }
        }),
        sample: quote!(Self { #(#members: <#types as #krate::DeviceValue>::sample(0)),* }),
        lanes: lanes(context, &members, &types),
        equal: quote!(true #(&& #private::op::Equal::equal(&self.#members, &#other.#members))*),
        ordering: Some(quote! {
            #private::op::first_difference([#(#private::op::Ordered::ordering(&self.#members, &#other.#members)),*])
        }),
        copies: Some(quote!(#(for<'__a> #types: #krate::DeviceCopy,)*)),
        zeros: Some(quote!(#(for<'__a> #types: #krate::Zeroed,)*)),
    }
}

/// The lanes of each field are for themselves.
fn lanes(context: &Context<'_>, members: &[Member], types: &[&syn::Type]) -> TokenStream {
    let Context { krate, private, .. } = context;
    let of_fields = names::cons(types.iter().map(|ty| quote!(<#ty as #krate::DeviceValue>::Lanes)));
    let fields: Vec<_> = (0..members.len()).map(|at| names::local(&format!("f{at}"))).collect();
    let (pattern, lanes, lane) = (names::cons(fields.iter()), names::local("lanes"), names::local("lane"));
    let splat = names::cons(members.iter().map(|member| quote!(#krate::DeviceValue::in_lanes(self.#member))));
    // Not `Self::Lanes`: of a struct that is not `Copy`, rustc would say so at each of them.
    let [mask, set, other] = ["mask", "set", "other"].map(names::local);
    quote! {
        type Lanes = #of_fields;
        #[inline(always)]
        #[allow(clippy::unused_unit)] // of no fields
        fn in_lanes(self) -> #of_fields { #splat }
        #[inline(always)]
        fn of_lane(#lanes: &#of_fields, #lane: #private::rust::usize) -> Self {
            let (#pattern, _) = (#lanes, #lane);
            Self { #(#members: #krate::DeviceValue::of_lane(#fields, #lane)),* }
        }
        #[inline(always)]
        fn put_lane(self, #lanes: &mut #of_fields, #lane: #private::rust::usize) {
            let (#pattern, _) = (#lanes, #lane);
            #(#krate::DeviceValue::put_lane(self.#members, #fields, #lane);)*
        }
        #[inline(always)]
        fn select(#mask: #private::types::u32, #set: Self, #other: Self) -> Self {
            let _ = (#mask, &#set, &#other);
            Self { #(#members: #krate::DeviceValue::select(#mask, #set.#members, #other.#members)),* }
        }
    }
}
