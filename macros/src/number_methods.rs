//! The methods of the primitive types as traits, made of the table in `core`.
//!
//! Device code calls `x.sqrt()` as `x.sqrt_on_device(slot)`, whatever `x` is: so rustc finds the method of a user's type as well as that of a
//! number, and the slot says which of the two it is.

use anabranch_core::methods::{Class, METHODS, Method, Type};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::names;

/// The traits, for the module of the runtime that has the functions and the bounds.
pub(crate) fn traits() -> TokenStream {
    let ordered = methods(|method| method.class == Class::Ordered);
    let numbers = methods(|method| method.class != Class::Ordered);
    quote! {
        /// The methods of types with an order, as device code calls them.
        pub trait OrderedMethods: Extremes + DeviceValue {
            #![allow(missing_docs)] // the methods of std
            #ordered
        }
        impl<T: Extremes + DeviceValue> OrderedMethods for T {}

        /// The methods of numbers, as device code calls them.
        pub trait NumberMethods: Scalar {
            #![allow(missing_docs)] // the methods of std
            #numbers
        }
        impl<T: Scalar> NumberMethods for T {}
    }
}

fn methods(belongs: impl Fn(&Method) -> bool) -> TokenStream {
    METHODS.iter().filter(|method| !method.is_associated && belongs(method)).map(declared).collect()
}

fn declared(method: &Method) -> TokenStream {
    let name = format_ident!("{}", method.name);
    let hidden = names::on_device(&name);
    let args: Vec<_> = (0..method.args.len()).map(|at| format_ident!("arg{at}")).collect();
    let types = method.args.iter().map(|ty| written(*ty, method.class));
    let (result, bound) = (written(method.result, method.class), bound(method));
    quote! {
        #[inline(always)]
        #[track_caller]
        fn #hidden(self #(, #args: #types)*, _: Callee<Builtin<Self>>) -> #result where Self: #bound {
            #name(self #(, #args)*)
        }
    }
}

/// The bound of the function for a method.
fn bound(method: &Method) -> TokenStream {
    match method.class {
        _ if method.result == Type::Bytes => quote!(Bytes),
        Class::Ordered => quote!(Extremes),
        Class::Number => quote!(Num),
        Class::SignedNumber => quote!(SignedArithmetic),
        Class::Float => quote!(Float),
        Class::Int => quote!(Int),
        Class::Signed => quote!(SignedMethods),
        Class::Unsigned => quote!(UnsignedMethods),
        Class::U8 => quote!(Byte),
    }
}

fn written(ty: Type, class: Class) -> TokenStream {
    match ty {
        Type::Same => quote!(Self),
        Type::Bool => quote!(bool),
        Type::U32 => quote!(u32),
        Type::I32 => quote!(i32),
        Type::ToUnsigned if class == Class::Int => quote!(<Self as Int>::Unsigned),
        Type::ToUnsigned => quote!(<Self as SignedMethods>::Twin),
        Type::ToSigned => quote!(<Self as UnsignedMethods>::Twin),
        Type::Bits => quote!(<Self as Float>::Bits),
        Type::Bytes => quote!(<Self as Bytes>::Bytes),
        Type::SameAndBool => quote!((Self, bool)),
        Type::TwoSame => quote!((Self, Self)),
    }
}
