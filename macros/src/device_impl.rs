//! `#[device]` on an `impl`: methods and associated functions, callable on the host as they are.
//!
//! `v.dot(w)` of device code is `v.dot_on_device(w, slot)`. rustc finds that method as it finds `dot`, and the slot then holds its source. All
//! that a method needs is in a `const _` beside the `impl`, so that its names meet no name of the user's.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{format_ident, quote};

use crate::device_fn::source;
use crate::generics::Generics;
use crate::ir::{DeviceFn, Header};
use crate::launch::{cfgs, lints};
use crate::{cpu, names};

/// The `impl`, whose functions are these in their order, and what is beside it. Of those whose declaration is wrong there is nothing.
pub(crate) fn inherent(krate: &syn::Path, mut item: syn::ItemImpl, functions: &[Option<DeviceFn>]) -> TokenStream {
    let owner = Owner::new(krate, &item);
    let mut beside = TokenStream::new();
    let methods = item.items.iter_mut().filter(|member| matches!(member, syn::ImplItem::Fn(_)));
    for (member, function) in methods.zip(functions) {
        let Some(function) = function else { continue };
        let (public, hidden) = owner.method(function);
        *member = syn::ImplItem::Verbatim(public);
        beside.extend(hidden);
    }
    let cfgs = cfgs(&item.attrs);
    quote! {
        #item

        #(#cfgs)*
        const _: () = { #beside };
    }
}

/// The type that an `impl` is of.
struct Owner<'i> {
    private: TokenStream,
    krate: &'i syn::Path,
    ty: syn::Type,
    name: Option<Ident>,
    generics: syn::Generics,
}

impl<'i> Owner<'i> {
    fn new(krate: &'i syn::Path, item: &syn::ItemImpl) -> Self {
        let name = match &*item.self_ty {
            syn::Type::Path(path) => path.path.segments.last().map(|last| last.ident.clone()),
            _ => None,
        };
        let (ty, generics) = ((*item.self_ty).clone(), item.generics.clone());
        Self { private: names::private(krate), krate, ty, name, generics }
    }

    /// The function of the `impl`, and what is beside it.
    fn method(&self, function: &DeviceFn) -> (TokenStream, TokenStream) {
        let DeviceFn { header, receiver, params, output, body } = function;
        let Header { attrs, vis, name, generics: own, .. } = header;
        let Self { private, ty, .. } = self;
        let around = Generics::of(self.krate, &self.generics);
        let Generics { params: generics, clause, turbofish, .. } = Generics::of(self.krate, own);
        let all = Generics::of(self.krate, &self.all(own));
        let (around_params, around_clause) = (around.params, around.clause);
        let (all_params, all_clause, all_args, declared) = (all.params, all.clause, all.args, all.declared);
        let variant = all.any.then(|| {
            let phantom = all.phantom;
            quote!(__Never(#private::rust::Infallible, #phantom))
        });

        let plain = name.to_string();
        let plain = plain.strip_prefix("r#").unwrap_or(&plain);
        let on_device = names::on_device(name);
        let [twin, depth, described] = ["twin", "depth", "source"].map(|what| format_ident!("__{plain}_{what}"));
        let cfgs: Vec<_> = cfgs(attrs).collect();
        let idents: Vec<_> = params.iter().map(|(local, _)| &body[*local].name).collect();
        let mut this = *receiver;
        let inputs = params.iter().zip(&idents).map(|((_, ty), name)| match this.take() {
            Some(this) => names::receiver(this, &quote!(#name)),
            None => quote!(#name: #ty),
        });
        let inputs: Vec<_> = inputs.collect();
        let output = output.as_ref().map(|(_, ty)| quote!(-> #ty));
        let call = quote!(Self::#twin #turbofish(#(#idents),*).0);

        let public = quote! {
            #(#attrs)*
            #[inline]
            #vis fn #name #generics(#(#inputs),*) #output #clause { #call }
        };

        let this = names::local("this");
        let values = idents.iter().enumerate().map(|(at, name)| match (at, receiver) {
            (0, Some(_)) => quote!(#this),
            _ => quote!(#name),
        });
        let values: Vec<_> = values.collect();
        let types: Vec<_> = params.iter().map(|(_, ty)| ty).collect();
        let twin_of = quote!(|(#(#values,)*): (#(#types,)*)| Self::#twin #turbofish(#(#values),*));
        let rust_name = match &self.name {
            Some(owner) => format!("{owner}::{plain}"),
            None => plain.to_owned(),
        };
        let source = source(function, &rust_name, &quote!(#on_device #all_args), &twin_of);
        let (signature, twin_body) = cpu::device_function(function);
        let (lints, inner) = (lints(attrs), &body.lints);
        let acyclic = (!all.any).then(|| {
            quote! {
                #(#cfgs)*
                const _: #private::rust::usize = <#on_device as #private::slot::DeviceFn>::A_DEVICE_FUNCTION_CANNOT_CALL_ITSELF;
            }
        });
        let hidden = quote! {
            #(#cfgs)*
            impl #around_params #ty #around_clause {
                #[doc(hidden)]
                #[inline(always)]
                #[allow(dead_code)] // called by device code alone
                #vis fn #on_device #generics(#(#inputs,)* _: #private::slot::Callee<#on_device #all_args>) #output #clause { #call }

                #[inline(always)]
                #(#lints)*
                // Parentheses, braces and statements that the user has not written.
                #[allow(unused_parens, unused_braces, unreachable_code, clippy::all)]
                #(#inner)*
                #[deny(overflowing_literals)] // rustc has better words for it than the check of each literal
                fn #twin #generics #signature #clause #twin_body

                const fn #depth #generics() -> #private::rust::usize #clause {
                    #private::slot::depth_of(&#twin_of)
                }

                fn #described #generics() -> #private::data::DeviceFunction #clause { #source }
            }

            #(#cfgs)*
            #[allow(non_camel_case_types, unnameable_types)] // called as the function
            #[doc(hidden)]
            pub enum #on_device #declared { #variant }

            #(#cfgs)*
            impl #all_params #private::slot::DeviceFn for #on_device #all_args #all_clause {
                const A_DEVICE_FUNCTION_CANNOT_CALL_ITSELF: #private::rust::usize = <#ty>::#depth #turbofish();
                fn called() -> #private::data::SlotValue {
                    #private::data::SlotValue::Function(<#ty>::#described #turbofish)
                }
            }

            #acyclic
        };
        (public, hidden)
    }

    /// The parameters of the `impl` and of a function in it. Outside of the `impl`, its type has another name than `Self`.
    fn all(&self, own: &syn::Generics) -> syn::Generics {
        let mut all = self.generics.clone();
        all.params.extend(own.params.iter().cloned());
        if let Some(clause) = &own.where_clause {
            let predicates = clause.predicates.iter().cloned();
            all.make_where_clause().predicates.extend(predicates);
        }
        let named = self.named(quote!(#all));
        let clause = all.where_clause.as_ref().map(|clause| self.named(quote!(#clause)));
        let mut renamed: syn::Generics = syn::parse2(named).unwrap_or(all);
        renamed.where_clause = clause.and_then(|clause| syn::parse2(clause).ok());
        renamed
    }

    fn named(&self, tokens: TokenStream) -> TokenStream {
        let ty = &self.ty;
        tokens
            .into_iter()
            .flat_map(|tree| match tree {
                TokenTree::Ident(name) if name == "Self" => quote!(#ty),
                TokenTree::Group(group) => {
                    let mut inner = proc_macro2::Group::new(group.delimiter(), self.named(group.stream()));
                    inner.set_span(group.span());
                    TokenTree::Group(inner).into()
                }
                other => other.into(),
            })
            .collect()
    }
}
