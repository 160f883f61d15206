//! `#[device]` on an `impl`: methods and associated functions, callable on the host as they are.
//!
//! `v.dot(w)` of device code is `v.dot_in_device_code(w, slot)`. rustc finds that method as it finds `dot`, and the slot then holds its source. All
//! that a method needs is in a `const _` beside the `impl`, so that its names meet no name of the user's.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{format_ident, quote};

use super::function::{InLanes, room_of};
use super::scope::closures;
use super::source::{keeps, needs_of, source, total_of};
use crate::analysis::access;
use crate::generics::Generics;
use crate::ir::{DeviceFn, Header};
use crate::parse::attributes::{cfgs, lints};
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
pub(super) struct Owner<'i> {
    pub(super) private: TokenStream,
    pub(super) krate: &'i syn::Path,
    pub(super) ty: syn::Type,
    pub(super) name: Option<Ident>,
    pub(super) generics: syn::Generics,
}

impl<'i> Owner<'i> {
    pub(super) fn new(krate: &'i syn::Path, item: &syn::ItemImpl) -> Self {
        let name = match &*item.self_ty {
            syn::Type::Path(path) => path.path.segments.last().map(|last| last.ident.clone()),
            _ => None,
        };
        let (ty, generics) = ((*item.self_ty).clone(), item.generics.clone());
        Self { private: names::private(krate), krate, ty, name, generics }
    }

    /// The function of the `impl`, and what is beside it.
    fn method(&self, function: &DeviceFn) -> (TokenStream, TokenStream) {
        let DeviceFn { header, receiver, params, output, body, projects: _ } = function;
        let Header { attrs, vis, name, generics: own, .. } = header;
        let Self { private, ty, .. } = self;
        let around = Generics::of(self.krate, &self.generics);
        let Generics { params: generics, clause, outer, outer_clause, turbofish, inferred, plain: fixed, .. } =
            Generics::of(self.krate, own);
        let all = Generics::of(self.krate, &self.all(own));
        let (around_params, around_clause) = (around.params, around.clause);
        let (all_params, all_clause, all_args, declared) = (all.outer, all.outer_clause, all.args, all.declared);
        let variant = (!declared.is_empty()).then(|| {
            let phantom = all.phantom;
            quote!(__Never(#private::rust::Infallible, #phantom))
        });

        let plain = name.to_string();
        let plain = plain.strip_prefix("r#").unwrap_or(&plain);
        let on_device = names::on_device(name);
        // One word each: `end` and `end_in` may both be methods.
        let [twin, depth, described, needs, total, lanes, has_lanes, in_lanes, room] =
            ["twin", "depth", "source", "needs", "total", "lanes", "exist", "run", "room"]
                .map(|what| format_ident!("{plain}_{what}_in_device_code"));
        let cfgs: Vec<_> = cfgs(attrs).collect();
        let idents: Vec<_> = params.iter().map(|(local, _)| &body[*local].name).collect();
        let mut this = *receiver;
        let inputs = params.iter().zip(&idents).map(|((_, ty), name)| match this.take() {
            Some(this) => names::receiver(this, &quote!(#name)),
            None => quote!(#name: #ty),
        });
        let inputs: Vec<_> = inputs.collect();
        let output = output.as_ref().map(|(_, ty)| quote!(-> #ty));
        let undecided = quote!(#private::view::Decided::NO);
        let call = quote!(Self::#twin #turbofish(#(#idents,)* #undecided).0);
        let slot = names::local("slot");
        let told = quote!(Self::#twin #turbofish(#(#idents,)* #private::slot::Callee::decided(#slot)).0);

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
        let types = params.iter().zip(closures(params, own)).map(|((_, ty), closure)| match closure {
            None => quote!(#ty),
            Some(closure) => closure.plain,
        });
        let twin_of = quote!(|(#(#values,)*): (#(#types,)*)| Self::#twin #inferred(#(#values,)* #undecided));
        let rust_name = match &self.name {
            Some(owner) => format!("{owner}::{plain}"),
            None => plain.to_owned(),
        };
        let facts = access::of_function(function, true);
        let source = source(function, &facts, &rust_name, &quote!(#on_device #all_args), &twin_of, None);
        let (signature, twin_body) = cpu::device_function(function, Some(&facts.facts));
        let (needs_of, total_of) = (needs_of(&facts, private, &twin_of), total_of(body, private, &twin_of));
        let (lints, inner): (Vec<_>, _) = (lints(attrs).collect(), &body.lints);
        let keeps = keeps(function, private);
        let of_all = InLanes::of(function, &quote!(Self::#lanes #inferred), &twin_of);
        let room_of = room_of(of_all.as_ref(), private, &twin_of);
        let [args, results] = ["args", "results"].map(names::local);
        let args = quote!(#args: &dyn #private::rust::Any, #results: &mut dyn #private::rust::Any);
        let calls_lanes = of_all.as_ref().map(|_| {
            let [args, results] = ["args", "results"].map(names::local);
            quote! {
                #[inline(always)]
                fn has_lanes() -> #private::rust::bool { <#ty>::#has_lanes #fixed() }
                #[inline(always)]
                fn in_lanes(#args: &dyn #private::rust::Any, #results: &mut dyn #private::rust::Any) -> #private::rust::bool {
                    <#ty>::#in_lanes #fixed(#args, #results)
                }
            }
        });
        let of_all = of_all.map(|InLanes { params, block, exist, run, .. }| {
            quote! {
                #[inline(always)]
                #(#lints)*
                #[allow(unused, clippy::all)] // what there is to say is said of the function
                #(#inner)*
                fn #lanes #generics #params #clause #block

                #[inline(always)]
                fn #has_lanes #outer() -> #private::rust::bool #outer_clause { #exist }

                #[inline(always)]
                fn #in_lanes #outer(#args) -> #private::rust::bool #outer_clause { #run }
            }
        });
        let acyclic = (!all.any).then(|| {
            quote! {
                #(#cfgs)*
                const _: () = { let _ = <#on_device #all_args as #private::slot::DeviceFn>::A_DEVICE_FUNCTION_CANNOT_CALL_ITSELF; };
            }
        });
        let hidden = quote! {
            #(#cfgs)*
            impl #around_params #ty #around_clause {
                #[doc(hidden)]
                #[inline(always)]
                #[allow(dead_code)] // called by device code alone
                #vis fn #on_device #generics(#(#inputs,)* #slot: #private::slot::Callee<#on_device #all_args>) #output #clause { #told }

                #[inline(always)]
                #(#lints)*
                // Parentheses, braces and statements that the user has not written.
                #[allow(unused_parens, unused_braces, unreachable_code, clippy::all)]
                #(#inner)*
                #[deny(overflowing_literals)] // rustc has better words for it than the check of each literal
                fn #twin #generics #signature #clause #twin_body

                const fn #depth #outer() -> #private::rust::usize #outer_clause {
                    #private::slot::depth_of(&#twin_of)
                }

                fn #described #outer() -> #private::data::DeviceFunction #outer_clause { #source }

                #[inline(always)]
                fn #needs #outer() -> #private::rust::u64 #outer_clause { #needs_of }

                #[inline(always)]
                fn #total #outer() -> #private::rust::bool #outer_clause { #total_of }

                #[inline(always)]
                fn #room #outer() -> #private::rust::usize #outer_clause { #room_of }

                #of_all
            }

            #(#cfgs)*
            #[allow(non_camel_case_types, unnameable_types)] // called as the function
            #[doc(hidden)]
            pub enum #on_device #declared { #variant }

            #(#cfgs)*
            impl #all_params #private::slot::DeviceFn for #on_device #all_args #all_clause {
                const A_DEVICE_FUNCTION_CANNOT_CALL_ITSELF: #private::rust::usize = <#ty>::#depth #fixed();
                fn called() -> #private::data::SlotValue {
                    #private::data::SlotValue::Function(<#ty>::#described #fixed)
                }
                #[inline(always)]
                fn needs() -> #private::rust::u64 {
                    <#ty>::#needs #fixed()
                }
                #[inline(always)]
                fn total() -> #private::rust::bool {
                    <#ty>::#total #fixed()
                }
                #keeps
                #[inline(always)]
                fn room() -> #private::rust::usize {
                    <#ty>::#room #fixed()
                }
                #calls_lanes
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

    pub(super) fn named(&self, tokens: TokenStream) -> TokenStream {
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
