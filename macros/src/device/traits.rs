//! `#[device]` on a trait, and on an `impl` of such a trait.
//!
//! `s.area()` of device code is `s.area_in_device_code(slot)`, which the trait provides, so rustc finds it as it finds `area`. Beside each function `area`
//! the trait has a hidden one, its twin, with the default body if there is one. The `#[device]` of an `impl` overrides the twins of what it defines,
//! and lists their sources in the constant [`REQUIRED`], which each `impl` must have: so an `impl` without `#[device]`, whose functions would be
//! others on the device, does not compile. Where the `impl` lists no source of a function, the device runs the default body.

use anabranch_core::methods;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};

use super::function::{InLanes, room_of};
use super::scope::{closures, renamed};
use super::source::{keeps, source_of, total_of};
use crate::analysis::access;
use crate::generics::{self, Generics, Signature};
use crate::ir::{DeviceFn, Receiver};
use crate::parse::attributes::{cfgs, lints};
use crate::{cpu, names};

/// What an `impl` without `#[device]` lacks, in the words of rustc.
const REQUIRED: &str = "PUT_DEVICE_ABOVE_THE_TRAIT_AND_THE_IMPL";

/// A function of the trait.
pub(crate) struct Declared {
    /// Its declaration, and its default body if it has one.
    pub(crate) function: DeviceFn,
    /// It has one.
    pub(crate) is_default: bool,
}

/// The trait, whose functions are these in their order, and the types beside them. Functions whose declaration is wrong stay as they are.
pub(crate) fn declaration(krate: &syn::Path, mut item: syn::ItemTrait, functions: &[Option<Declared>]) -> TokenStream {
    let private = names::private(krate);
    let all = item.generics.clone();
    generics::make_static(&mut item.generics, |name| Signature::of_parameter(name, &all).is_some());
    item.colon_token.get_or_insert_default();
    item.supertraits.push(syn::parse_quote!(#krate::DeviceValue));
    let mut methods = functions.iter();
    let (mut members, mut beside) = (Vec::new(), TokenStream::new());
    for mut member in std::mem::take(&mut item.items) {
        match &mut member {
            // Its values are values of device code.
            syn::TraitItem::Type(of) if of.generics.params.is_empty() => {
                of.colon_token.get_or_insert_default();
                of.bounds.push(syn::parse_quote!(#krate::DeviceValue));
            }
            syn::TraitItem::Fn(_) => {
                if let Some(Some(declared)) = methods.next() {
                    let (in_trait, next_to_it) = declared_function(krate, &item, declared);
                    beside.extend(next_to_it);
                    members.push(in_trait);
                    continue;
                }
            }
            _ => {}
        }
        members.push(member.into_token_stream());
    }
    let required = format_ident!("{REQUIRED}");
    let syn::ItemTrait { attrs, vis, generics, supertraits, ident, .. } = &item;
    let (params, clause) = (&generics.params, &generics.where_clause);
    quote! {
        #(#attrs)*
        #vis trait #ident <#params>: #supertraits #clause {
            #(#members)*

            #[doc(hidden)]
            const #required: #private::data::TraitFunctions;
        }
        #beside
    }
}

/// A function in the trait with what belongs to it there, and the type beside it.
fn declared_function(krate: &syn::Path, item: &syn::ItemTrait, declared: &Declared) -> (TokenStream, TokenStream) {
    let private = names::private(krate);
    let function = Function::of(krate, &declared.function);
    let Function { name, plain, on_device, twin, attrs, inputs, idents, output, .. } = &function;
    let Generics { params, clause, turbofish, inferred, .. } = &function.generics;
    let cfgs: Vec<_> = cfgs(attrs).collect();
    let arguments = arguments(&item.generics, TokenStream::new());
    let (vis, ident) = (&item.vis, &item.ident);
    let of_self = quote!(<Self as #ident #arguments>);
    let beside = format_ident!("{ident}_{}", on_device);

    // The type beside the function has the parameters of the trait and of the function, after the one that has the trait.
    let this = format_ident!("__Self");
    let rename = |tokens: TokenStream| renamed(tokens, &quote!(#this));
    let mut all: syn::Generics = syn::parse_quote!(<#this: #ident #arguments>);
    let own = &declared.function.header.generics;
    all.params
        .extend(item.generics.params.iter().chain(&own.params).filter_map(|param| without_default(param, &rename)));
    for clause in item.generics.where_clause.iter().chain(&own.where_clause) {
        let predicates = syn::parse::Parser::parse2(
            syn::punctuated::Punctuated::<syn::WherePredicate, syn::Token![,]>::parse_terminated,
            rename(clause.predicates.to_token_stream()),
        );
        all.make_where_clause().predicates.extend(predicates.into_iter().flatten());
    }
    let all = Generics::of(krate, &all);
    let (all_params, all_clause, all_args, type_params, phantom) =
        (all.outer, all.outer_clause, all.args, all.declared, all.phantom);
    let in_trait = arguments_of_callee(&item.generics, own);

    let default_call = declared.is_default.then(|| quote!({ #of_self::#twin #turbofish(#(#idents),*).0 }));
    let ending = default_call.clone().unwrap_or_else(|| quote!(;));
    let inline = declared.is_default.then(|| quote!(#[inline]));
    let (signature, body) = match declared.is_default {
        true => cpu::device_function(&declared.function, None),
        false => {
            let output = output.as_ref().map_or_else(|| quote!(()), |ty| ty.to_token_stream());
            let never = quote!({ (#private::rust::unreachable!("each `#[device] impl` has one of its own"), ()) });
            (quote!((#(#inputs),*) -> (#output, impl #private::slot::Slots)), never)
        }
    };
    let (lints, inner): (Vec<_>, _) = (lints(attrs).collect(), &declared.function.body.lints);
    let arrow = output.as_ref().map(|ty| quote!(-> #ty));
    let mut members = quote! {
        #(#attrs)*
        #inline
        fn #name #params(#(#inputs),*) #arrow #clause #ending

        #(#cfgs)*
        #[doc(hidden)]
        #[inline(always)]
        #[allow(dead_code)] // called by device code alone
        fn #on_device #params(#(#inputs,)* _: #private::slot::Callee<#beside<Self #in_trait>>) #arrow #clause {
            #of_self::#name #turbofish(#(#idents),*)
        }

        #(#cfgs)*
        #[doc(hidden)]
        #[inline(always)]
        #(#lints)*
        // Parentheses, braces and statements that the user has not written, and parameters of functions without a body.
        #[allow(unused_parens, unused_braces, unreachable_code, unused_variables, dead_code, clippy::all)]
        #(#inner)*
        #[deny(overflowing_literals)] // rustc has better words for it than the check of each literal
        fn #twin #params #signature #clause #body
    };

    let values: Vec<_> = (0..idents.len()).map(|at| names::local(&format!("value{at}"))).collect();
    let types = function.types();
    let twin_of = quote!(|(#(#values,)*): (#(#types,)*)| <#this as #ident #arguments>::#twin #inferred(#(#values),*));
    let default = match declared.is_default {
        true => {
            let source = function.source(&format!("{}::{plain}", names::plain(ident)));
            quote!(#private::rust::Some(#source))
        }
        false => quote!(#private::rust::None),
    };
    let (outer, out, required) =
        (crate::parse::attributes::cfgs(&item.attrs), names::local("out"), format_ident!("{REQUIRED}"));
    let outer: Vec<_> = outer.collect();
    let own_of_impl = quote!(const { #private::slot::find(<#this as #ident #arguments>::#required, #plain) });
    let keeps = keeps(&declared.function, &private);
    let default_total = match declared.is_default {
        true => rename(total_of(&declared.function.body, &private, &twin_of)),
        false => quote!(false),
    };
    let lanes = format_ident!("{plain}_lanes_in_device_code");
    let path = quote!(<#this as #ident #arguments>::#lanes #inferred);
    let of_all = declared.is_default.then(|| InLanes::of(&declared.function, &path, &twin_of)).flatten();
    let room = rename(room_of(of_all.as_ref(), &private, &twin_of));
    let calls_lanes = of_all.as_ref().map(|InLanes { exist, run, .. }| {
        let [args, results] = ["args", "results"].map(names::local);
        let (exist, run) = (rename(exist.clone()), rename(run.clone()));
        quote! {
            #[inline(always)]
            fn has_lanes() -> #private::rust::bool {
                #private::rust::matches!(#own_of_impl, #private::rust::None) && #exist
            }
            #[inline(always)]
            fn in_lanes(#args: &dyn #private::rust::Any, #results: &mut dyn #private::rust::Any) -> #private::rust::bool { #run }
        }
    });
    members.extend(of_all.map(|InLanes { params: of_all, block, .. }| {
        quote! {
            #(#cfgs)*
            #[doc(hidden)]
            #[inline(always)]
            #(#lints)*
            #[allow(unused, clippy::all)] // what there is to say is said of the function
            #(#inner)*
            fn #lanes #params #of_all #clause #block
        }
    }));
    let next_to_it = quote! {
        #(#outer)*
        #(#cfgs)*
        #[allow(non_camel_case_types, dead_code)] // called as the function
        #[doc(hidden)]
        #vis enum #beside #type_params { #[doc(hidden)] __Never(#private::rust::Infallible, #phantom) }

        #(#outer)*
        #(#cfgs)*
        impl #all_params #private::slot::DeviceFn for #beside #all_args #all_clause {
            const A_DEVICE_FUNCTION_CANNOT_CALL_ITSELF: #private::rust::usize = #private::slot::depth_of(&#twin_of);
            #keeps
            #[inline(always)]
            fn total() -> #private::rust::bool {
                match #own_of_impl {
                    #private::rust::Some(own) => (own.total)(),
                    #private::rust::None => #default_total,
                }
            }
            #[inline(always)]
            fn room() -> #private::rust::usize { #room }
            #calls_lanes
            fn called() -> #private::data::SlotValue {
                #private::data::SlotValue::Function(|| {
                    #private::slot::of_trait(
                        #own_of_impl,
                        #private::rust::TypeId::of::<Self>(),
                        |#out| #private::slot::slots_of(#twin_of, #out),
                        #default,
                    )
                })
            }
        }
    };
    (members, next_to_it)
}

/// An `impl` of a trait for the device, whose functions are these in their order.
pub(crate) fn implementation(
    krate: &syn::Path,
    mut item: syn::ItemImpl,
    functions: &[Option<DeviceFn>],
) -> TokenStream {
    let Some((path, _)) = item.trait_.clone() else { return quote!(#item) };
    let private = names::private(krate);
    let all = item.generics.clone();
    generics::make_static(&mut item.generics, |name| Signature::of_parameter(name, &all).is_some());
    let any = !Generics::of(krate, &item.generics).args.is_empty();
    // What has no name is called as the trait.
    let named = match &*item.self_ty {
        syn::Type::Path(of) => of.path.segments.last(),
        _ => path.segments.last(),
    };
    let owner = named.map(|last| names::plain(&last.ident)).unwrap_or_default();
    let (mut sources, mut checks) = (TokenStream::new(), TokenStream::new());
    let methods = item.items.iter_mut().filter(|member| matches!(member, syn::ImplItem::Fn(_)));
    for (member, function) in methods.zip(functions) {
        let Some(parsed) = function else { continue };
        let function = Function::of(krate, parsed);
        let Function { name, plain, twin, attrs, inputs, idents, output, .. } = &function;
        let Generics { params, clause, turbofish, any: own, .. } = &function.generics;
        let cfgs: Vec<_> = cfgs(attrs).collect();
        let (signature, body) = cpu::device_function(parsed, None);
        let (lints, inner) = (lints(attrs), &parsed.body.lints);
        // Of a trait that is not for the device, rustc says that it has no such function.
        let declared = quote_spanned!(name.span()=> fn #twin);
        let arrow = output.as_ref().map(|ty| quote!(-> #ty));
        *member = syn::ImplItem::Verbatim(quote! {
            #(#attrs)*
            #[inline]
            fn #name #params(#(#inputs),*) #arrow #clause { <Self as #path>::#twin #turbofish(#(#idents),*).0 }

            #(#cfgs)*
            #[doc(hidden)]
            #[inline(always)]
            #(#lints)*
            // Parentheses, braces and statements that the user has not written.
            #[allow(unused_parens, unused_braces, unreachable_code, clippy::all)]
            #(#inner)*
            #[deny(overflowing_literals)] // rustc has better words for it than the check of each literal
            #declared #params #signature #clause #body
        });
        let source = function.source(&format!("{owner}::{plain}"));
        let values: Vec<_> = (0..idents.len()).map(|at| names::local(&format!("value{at}"))).collect();
        let types = function.types();
        let total = match own {
            true => quote!(false),
            false => {
                let twin_of = quote!(|(#(#values,)*): (#(#types,)*)| <Self as #path>::#twin(#(#values),*));
                total_of(&parsed.body, &private, &twin_of)
            }
        };
        sources.extend(quote! {
            #(#cfgs)*
            #private::data::TraitFunction { name: #plain, source: #source, total: || #total },
        });
        // Where the two are found at the same step, a method of numbers would hide that of the trait in Rust, and be ambiguous here.
        if !any && parsed.receiver == Some(Receiver::Value) && methods::find(plain).is_some() {
            let (ty, at_name) = (&item.self_ty, names::private_at(&private, name.span()));
            checks.extend(quote_spanned! {name.span()=>
                #(#cfgs)*
                const _: () = #at_name::slot::is_no_number::<#ty>();
            });
        }
        if !any && !own {
            let ty = &item.self_ty;
            let path = renamed(quote!(#path), &ty.to_token_stream());
            checks.extend(quote! {
                #(#cfgs)*
                const _: () = {
                    let _ = #private::slot::depth_of(&|(#(#values,)*): (#(#types,)*)| <#ty as #path>::#twin(#(#values),*));
                };
            });
        }
    }
    // At the name of the trait: of one that is not for the device, rustc says that it has no such constant.
    let at = path.segments.last().map_or_else(Span::call_site, |last| last.ident.span());
    let required = Ident::new(REQUIRED, at);
    let required = quote_spanned!(at=> const #required: #private::data::TraitFunctions = &[#sources];);
    item.items.push(syn::ImplItem::Verbatim(required));
    let outer = cfgs(&item.attrs);
    let checks = (!checks.is_empty()).then(|| quote!(#(#outer)* const _: () = { #checks };));
    quote!(#item #checks)
}

/// What a function becomes.
struct Function<'f> {
    function: &'f DeviceFn,
    name: &'f Ident,
    /// Its name without `r#`.
    plain: String,
    on_device: Ident,
    twin: Ident,
    attrs: &'f [syn::Attribute],
    /// Parameters with types.
    inputs: Vec<TokenStream>,
    /// Their names.
    idents: Vec<&'f Ident>,
    output: Option<&'f syn::Type>,
    generics: Generics,
}

impl<'f> Function<'f> {
    fn of(krate: &syn::Path, function: &'f DeviceFn) -> Self {
        let DeviceFn { header, receiver, params, output, body, projects: _ } = function;
        let idents: Vec<_> = params.iter().map(|(local, _)| &body[*local].name).collect();
        let mut this = *receiver;
        let inputs = params.iter().zip(&idents).map(|((_, ty), name)| match this.take() {
            Some(this) => names::receiver(this, &quote!(#name)),
            None => quote!(#name: #ty),
        });
        let plain = names::plain(&header.name);
        Self {
            function,
            name: &header.name,
            on_device: names::on_device(&header.name),
            twin: Ident::new(&format!("{plain}_twin_in_device_code"), header.name.span()),
            attrs: &header.attrs,
            inputs: inputs.collect(),
            idents,
            output: output.as_ref().map(|(_, ty)| ty),
            generics: Generics::of(krate, &header.generics),
            plain,
        }
    }

    /// The types of its parameters, where rustc does not infer them.
    fn types(&self) -> Vec<TokenStream> {
        let closures = closures(&self.function.params, &self.function.header.generics);
        closures.into_iter().map(|closure| closure.map_or_else(|| quote!(_), |closure| closure.plain)).collect()
    }

    /// A function that makes its `DeviceFunction`, of what only the trait knows.
    fn source(&self, rust_name: &str) -> TokenStream {
        let (id, describe) = (names::local("id"), names::local("describe"));
        let facts = access::of_function(self.function, false);
        let needs = quote!(|| 0);
        let source = source_of(self.function, &facts, rust_name, &quote!(#id), &quote!(#describe), &needs, None);
        quote!(|#id, #describe| #source)
    }
}

/// The parameters of a trait as its arguments, in `<…>` if there are any, after others.
fn arguments(generics: &syn::Generics, first: TokenStream) -> TokenStream {
    let names = names_of(generics);
    if names.is_empty() && first.is_empty() { TokenStream::new() } else { quote!(<#first #(#names),*>) }
}

/// `, A, B`: the parameters of the trait and of the function, after `Self`.
fn arguments_of_callee(around: &syn::Generics, own: &syn::Generics) -> TokenStream {
    let names =
        names_of(around).into_iter().chain(names_of(own)).map(|name| match Signature::of_parameter(name, own) {
            Some(_) => quote!(()),
            None => quote!(#name),
        });
    quote!(#(, #names)*)
}

fn names_of(generics: &syn::Generics) -> Vec<&Ident> {
    let names = generics.params.iter().filter_map(|param| match param {
        syn::GenericParam::Type(param) => Some(&param.ident),
        syn::GenericParam::Const(param) => Some(&param.ident),
        syn::GenericParam::Lifetime(_) => None,
    });
    names.collect()
}

/// A parameter of a trait or function as one of an `impl`.
fn without_default(
    param: &syn::GenericParam,
    rename: &dyn Fn(TokenStream) -> TokenStream,
) -> Option<syn::GenericParam> {
    let mut param = param.clone();
    match &mut param {
        syn::GenericParam::Type(param) => param.default = None,
        syn::GenericParam::Const(param) => param.default = None,
        syn::GenericParam::Lifetime(_) => return None,
    }
    syn::parse2(rename(param.to_token_stream())).ok()
}
