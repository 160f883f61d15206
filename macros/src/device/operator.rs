//! `#[device]` on the `impl` of an operator.

use proc_macro2::TokenStream;
use quote::quote;

use super::implementation::Owner;
use super::source::{source, total_of};
use crate::analysis::access;
use crate::generics::Generics;
use crate::ir::{Borrow, DeviceFn, Operator, operand_type};
use crate::parse::attributes::{cfgs, lints};
use crate::{cpu, names};

/// The `impl` of an operator: of a trait of `std::ops` or `std::cmp`, with one function.
pub(crate) fn operator(
    krate: &syn::Path,
    mut item: syn::ItemImpl,
    operator: &Operator,
    function: Option<&DeviceFn>,
) -> TokenStream {
    let (Some(function), Some((path, _))) = (function, item.trait_.clone()) else { return quote!(#item) };
    let owner = Owner::new(krate, &item);
    let (public, hidden) = owner.operator(&path, operator, function);
    let method = item.items.iter_mut().find(|member| matches!(member, syn::ImplItem::Fn(_)));
    if let Some(method) = method {
        *method = syn::ImplItem::Verbatim(public);
    }
    let cfgs = cfgs(&item.attrs);
    quote! {
        #(#cfgs)*
        const _: () = { #item #hidden };
    }
}

impl Owner<'_> {
    /// The function of an operator, and what is beside the `impl`.
    fn operator(&self, path: &syn::Path, operator: &Operator, function: &DeviceFn) -> (TokenStream, TokenStream) {
        let DeviceFn { header, receiver, params, output, body, projects: _ } = function;
        let (attrs, name) = (&header.attrs, &header.name);
        let Self { private, ty, .. } = self;
        let Operator { name: std_trait, operands, assigns, compares, projects, converts } = operator;
        let Generics { params: generics, clause, args, declared, phantom, any, .. } =
            Generics::of(self.krate, &self.generics);
        let variant = any.then(|| quote!(__Never(#private::rust::Infallible, #phantom)));
        let on_device = names::on_device(name);
        let marker = names::variant(std_trait.strip_suffix("Assign").unwrap_or(std_trait));
        let other = operand_type(path).unwrap_or_else(|| ty.clone());
        let idents: Vec<_> = params.iter().map(|(local, _)| &body[*local].name).collect();
        let mut this = *receiver;
        let inputs = params.iter().zip(&idents).map(|((_, ty), name)| match this.take() {
            Some(this) => names::receiver(this, &quote!(#name)),
            None => quote!(#name: #ty),
        });
        let inputs: Vec<_> = inputs.collect();
        let output = output.as_ref().map(|(_, ty)| quote!(-> #ty));
        let call = quote!(<Self as __DeviceTwin #args>::twin(#(#idents),*).0);
        let public = quote! {
            #(#attrs)*
            #[inline]
            fn #name(#(#inputs),*) #output { #call }
        };

        let values: Vec<_> = (0..params.len()).map(|at| names::local(&format!("operand{at}"))).collect();
        let types = params.iter().map(|(_, of)| self.named(quote!(#of)));
        let twin_of = quote!(|(#(#values,)*): (#(#types,)*)| <#ty as __DeviceTwin #args>::twin(#(#values),*));
        let rust_name = match &self.name {
            Some(owner) => format!("{owner}::{name}"),
            None => name.to_string(),
        };
        let facts = access::of_function(function, false);
        let source = source(function, &facts, &rust_name, &quote!(#on_device #args), &twin_of, None);
        let (signature, twin_body) = cpu::device_function(function, None);
        let total_of = total_of(body, private, &twin_of);
        // A declaration takes no `mut`.
        let twin_output = match (&function.output, assigns) {
            (Some((_, ty)), _) => quote!(#ty),
            (None, _) => quote!(()),
        };
        let declared_inputs = inputs.clone();
        let (lints, inner) = (lints(attrs), &body.lints);
        let depth = quote!(<#on_device #args as #private::slot::DeviceFn>::A_DEVICE_FUNCTION_CANNOT_CALL_ITSELF);
        let called = quote! {
            const DEPTH: #private::rust::usize = #depth;
            fn called() -> #private::data::SlotValue {
                <#on_device #args as #private::slot::DeviceFn>::called()
            }
            #[inline(always)]
            fn total() -> #private::rust::bool {
                <#on_device #args as #private::slot::DeviceFn>::total()
            }
        };
        let is = names::variant(std_trait);
        let (is, implementation) = match (operands, assigns) {
            _ if let Some(compares) = compares => {
                let (of, what) = if *compares == "eq" {
                    (
                        quote!(Binary<#private::op::operator::PartialEq, #other>),
                        quote! {
                            type Output = #private::rust::bool;
                            #[inline(always)]
                            fn apply(self, other: #other) -> #private::rust::bool { <Self as __DeviceTwin #args>::twin(&self, &other).0 }
                        },
                    )
                } else {
                    (
                        quote!(Order<#other>),
                        quote! {
                            #[inline(always)]
                            fn compare(self, other: #other) -> #private::rust::Option<#private::types::Ordering> {
                                <Self as __DeviceTwin #args>::twin(&self, &other).0
                            }
                        },
                    )
                };
                (
                    quote!(#private::op::is::#is::<__T, #other>()),
                    quote! {
                        impl #generics #private::op::#of for #ty #clause {
                            #called
                            #what
                        }
                    },
                )
            }
            _ if let Some(borrow) = projects => {
                let what = match borrow {
                    Borrow::Unique => quote! {
                        impl #generics #private::op::IndexingMut<#other> for #ty #clause {
                            #called
                            #[inline(always)]
                            fn part_mut(&mut self, index: #other) -> &mut Self::Output { <Self as __DeviceTwin #args>::twin(self, index).0 }
                        }
                    },
                    Borrow::Shared | Borrow::Atomic => quote! {
                        impl #generics #private::op::Indexing<#other> for #ty #clause {
                            type Output = <Self as #path>::Output;
                            #called
                            #[inline(always)]
                            fn part(&self, index: #other) -> &Self::Output { <Self as __DeviceTwin #args>::twin(self, index).0 }
                        }
                    },
                };
                (quote!(#private::op::is::#is::<__T, #other>()), what)
            }
            _ if *converts => (
                quote!(#private::op::is::#is::<__T, #other>()),
                quote! {
                    impl #generics #private::op::Convert<#other> for #ty #clause {
                        #called
                        #[inline(always)]
                        fn ab_convert(value: #other) -> Self { <Self as __DeviceTwin #args>::twin(value).0 }
                    }
                    impl #generics #private::op::FromMethods<#other> for #ty #clause {}
                },
            ),
            (1, _) => (
                quote!(#private::op::is::#is::<__T>()),
                quote! {
                    impl #generics #private::op::Unary<#private::op::operator::#marker> for #ty #clause {
                        type Output = <Self as #path>::Output;
                        #called
                        #[inline(always)]
                        fn apply(self) -> Self::Output { #private::op::result(<Self as __DeviceTwin #args>::twin(self).0) }
                    }
                },
            ),
            (_, true) => (
                quote!(#private::op::is::#is::<__T, #other>()),
                quote! {
                    impl #generics #private::op::Assign<#private::op::operator::#marker, #other> for #ty #clause {
                        #called
                        #[inline(always)]
                        fn apply(&mut self, other: #other) { <Self as __DeviceTwin #args>::twin(self, other).0 }
                    }
                },
            ),
            (_, false) => (
                quote!(#private::op::is::#is::<__T, #other>()),
                quote! {
                    impl #generics #private::op::Binary<#private::op::operator::#marker, #other> for #ty #clause {
                        type Output = <Self as #path>::Output;
                        #called
                        #[inline(always)]
                        fn apply(self, other: #other) -> Self::Output {
                            #private::op::result(<Self as __DeviceTwin #args>::twin(self, other).0)
                        }
                    }
                },
            ),
        };
        let mut checked = self.generics.clone();
        // Without arguments, the other operand would be a `__T`.
        let bound = match operand_type(path) {
            None if *operands == 2 => quote!(#path<#other>),
            _ => quote!(#path),
        };
        let bound = self.named(bound);
        checked.params.push(syn::parse_quote!(__T: #bound));
        let checked = Generics::of(self.krate, &checked);
        let (checked, checked_clause) = (checked.params, checked.clause);
        let is = self.named(is);
        // Of type `()`: rustc proposes a constant of the same type for each unused variable.
        let acyclic = (!any).then(|| quote!(const _: () = { let _ = #depth; };));
        let hidden = quote! {
            trait __DeviceTwin #generics: #path + #private::rust::Sized #clause {
                fn twin(#(#declared_inputs),*) -> (#twin_output, impl #private::slot::Slots);
            }
            impl #generics __DeviceTwin #args for #ty #clause {
                #[inline(always)]
                #(#lints)*
                // Parentheses, braces and statements that the user has not written.
                #[allow(unused_parens, unused_braces, unreachable_code, refining_impl_trait, clippy::all)]
                #(#inner)*
                #[deny(overflowing_literals)] // rustc has better words for it than the check of each literal
                fn twin #signature #twin_body
            }

            #[allow(non_camel_case_types)]
            enum #on_device #declared { #variant }

            impl #generics #private::slot::DeviceFn for #on_device #args #clause {
                const A_DEVICE_FUNCTION_CANNOT_CALL_ITSELF: #private::rust::usize = #private::slot::depth_of(&#twin_of);
                fn called() -> #private::data::SlotValue {
                    #private::data::SlotValue::Function(|| #source)
                }
                #[inline(always)]
                fn total() -> #private::rust::bool { #total_of }
            }

            #implementation

            // The trait that the user's path means is the one of the operator.
            #[allow(dead_code)]
            fn __is #checked() #checked_clause { #is }

            #acyclic
        };
        (public, hidden)
    }
}
