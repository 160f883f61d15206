//! The methods of the primitive types as traits, made of the table in `core`.
//!
//! Device code calls `x.sqrt()` as `x.sqrt_in_device_code(slot)`, whatever `x` is: so rustc finds
//! the method of a user's type as well as that of a number, and the slot says which of the two it
//! is.

use anabranch_core::methods::{Class, METHODS, Method, Owner, Type, UNSUPPORTED, Unsupported};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::names;

/// The traits, for the module of the runtime that has the functions and the bounds.
pub(crate) fn traits() -> TokenStream {
    let ordered = methods(|method| method.class == Class::Ordered);
    let numbers = methods(|method| method.class != Class::Ordered);
    let no_numbers = missing("NoNumberMethods", Owner::Number);
    let no_slices = missing("NoSliceMethods", Owner::Slice);
    quote! {
        #no_numbers
        impl<T: Scalar> NoNumberMethods for &mut T {}
        #no_slices
        impl<T> NoSliceMethods for &mut [T] {}

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

/// A trait with the methods that device code does not have, so that rustc can say so of those types
/// that would have them. No type meets their bounds. They belong to `&mut T`, where rustc looks
/// last, so that a user's method of the same name comes first.
fn missing(name: &str, owner: Owner) -> TokenStream {
    let name = format_ident!("{name}");
    let (mut bounds, mut methods) = (TokenStream::new(), TokenStream::new());
    for Unsupported { names, why, instead, .. } in UNSUPPORTED.iter().filter(|unsupported| unsupported.of == owner) {
        for (plain, args) in *names {
            let message = format!("the method `{plain}` is not supported in device code: {why}");
            let (hidden, lacks) = (names::on_device(&format_ident!("{plain}")), format_ident!("No_{plain}"));
            let types: Vec<_> = (0..*args).map(|at| format_ident!("A{at}")).collect();
            // Braces would be the trait's parameters.
            let note = instead.replace('{', "{{").replace('}', "}}");
            bounds.extend(quote! {
                #[doc(hidden)]
                #[allow(non_camel_case_types)]
                #[diagnostic::on_unimplemented(message = #message, label = "not in device code", note = #note)]
                pub trait #lacks {
                    #[doc(hidden)]
                    #[allow(missing_docs)]
                    type Output;
                }
            });
            methods.extend(quote! {
                #[doc(hidden)]
                fn #hidden<S #(, #types)*>(self #(, _: #types)*, _: Callee<S>) -> <Self as #lacks>::Output where Self: #lacks {
                    unreachable!("no type has it")
                }
            });
        }
    }
    quote! {
        #bounds
        /// Methods of std that device code does not have.
        pub trait #name: Sized {
            #![allow(missing_docs)] // the methods of std
            #methods
        }
    }
}

fn methods(belongs: impl Fn(&Method) -> bool) -> TokenStream {
    METHODS.iter().filter(|method| !method.is_associated && belongs(method)).map(declared).collect()
}

fn declared(method: &Method) -> TokenStream {
    let name = format_ident!("{}", method.name);
    let hidden = names::on_device(&name);
    let args: Vec<_> = (0..method.args.len()).map(|at| format_ident!("arg{at}")).collect();
    let types = method.args.iter().map(|ty| written(*ty, method.class)).collect::<Vec<_>>();
    let (result, bound) = (written(method.result, method.class), bound(method));
    let checked = method.name.strip_prefix("overflowing_").filter(|_| method.check.is_none()).map(|rest| {
        let hidden = names::on_device(&format_ident!("checked_{rest}"));
        quote! {
            #[inline(always)]
            fn #hidden(self #(, #args: #types)*, _: Callee<Builtin<Option<Self>>>) -> Option<Self> where Self: #bound {
                checked(#name(self #(, #args)*))
            }
        }
    });
    quote! {
        #checked
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
