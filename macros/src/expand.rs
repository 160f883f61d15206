//! The whole pipeline on one screen: parse, analyse, emit. Once the last `check` has passed,
//! nothing can fail.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::quote;

use crate::analysis::{Analyses, access, blocks, conflicts, fused, jumps};
use crate::args::Args;
use crate::device::traits::Declared;
use crate::device::{self, function, implementation, operator, stub, traits, types};
use crate::generics::Generics;
use crate::ir::{DeviceFn, Header, Operator, Param, marker};
use crate::parse::Around;
use crate::parse::{attributes, nesting};
use crate::report::{Code, Report, error};
use crate::{args, launch, parse};

/// `#[kernel]`.
pub(crate) fn kernel(args: TokenStream, item: TokenStream) -> TokenStream {
    expand_kernel(args, item).unwrap_or_else(|failed| failed)
}

/// `#[device]`.
pub(crate) fn device(args: TokenStream, item: TokenStream) -> TokenStream {
    expand_device(args, item).unwrap_or_else(|failed| failed)
}

/// `closure!`, with the path to the runtime in front.
pub(crate) fn closure(tokens: TokenStream) -> TokenStream {
    let mut report = Report::default();
    let (krate, closure) = args::closure(tokens, &mut report);
    let made = closure.and_then(|closure| parse::closure_of_host(krate.clone(), &closure, &mut report));
    match (report.check(), made) {
        (Ok(()), Some((function, captured))) => device::closure::closure(function, &captured),
        (errors, _) => {
            let (errors, private) = (errors.err(), crate::names::private(&krate));
            quote!({ #errors #private::closure::Wrong::closure() })
        }
    }
}

/// The stages of a kernel. Each ends in a check, which reports all errors of the stage; with them
/// goes what callers need to see.
fn expand_kernel(args: TokenStream, item: TokenStream) -> Result<TokenStream, TokenStream> {
    let mut report = Report::default();
    if let Some(name) = marker::forged(item.clone()) {
        report.at(
            name.span(),
            error(Code::ReservedName, format!("the name `{name}` is reserved for generated code")).help("rename it"),
        );
    }
    let Args { krate, proved, lanes, fuse, library } = args::parse("kernel", args, &mut report);
    let function = function(&item, "kernel", &mut report).ok_or_else(|| with_original(&mut report, item))?;
    nesting::check(&function.block, &mut report);
    let mut function = function;
    let stream = if library { parse::lent_stream(&mut function, &mut report) } else { None };
    let (header, params) = parse::declaration(krate, &function, library, &mut report);
    // In an `impl` nothing but methods can be emitted.
    let stub = function.sig.receiver().is_none().then(|| stub(&header, &params));
    report.check().map_err(|errors| quote!(#errors #stub))?;

    if let Some(stream) = stream {
        return Ok(launch::kernel(&parse::library(header, params, stream, function), &[]));
    }
    let fusible: Option<parse::Fusible<'_>> = if fuse { Some(&fused::check) } else { None };
    let mut kernel = parse::kernel(header, params, *function.block, fusible, &mut report);
    kernel.lanes = lanes;
    // Where the parser has found an error, the body is incomplete.
    kernel.loops.iter().for_each(|par_loop| blocks::check(par_loop, &mut report));
    let facts = if report.is_empty() { access::check(&kernel.loops, proved, &mut report) } else { Vec::new() };
    conflicts::check(&kernel.forks, &mut report);
    kernel.loops.iter().for_each(|par_loop| jumps::check(&par_loop.body, &mut report));
    report.check().map_err(|errors| quote!(#errors #stub))?;

    // What is made of several loops is right already.
    let fused =
        kernel.fused.iter().flat_map(|fused| access::check(std::slice::from_ref(&fused.par_loop), false, &mut report));
    let facts: Vec<_> = facts.into_iter().chain(fused).collect();
    let analyses = kernel.all_loops().zip(facts).map(|(par_loop, facts)| Analyses::of(par_loop, facts, kernel.lanes));
    let analyses: Vec<Analyses<'_>> = analyses.collect();
    Ok(launch::kernel(&kernel, &analyses))
}

/// The same of a device function.
fn expand_device(args: TokenStream, item: TokenStream) -> Result<TokenStream, TokenStream> {
    let mut report = Report::default();
    let Args { krate, .. } = args::parse("device", args, &mut report);
    let is_type =
        syn::parse2::<syn::ItemStruct>(item.clone()).is_ok() || syn::parse2::<syn::ItemEnum>(item.clone()).is_ok();
    if is_type {
        let errors = report.check().err();
        let item = types::attribute(&krate, &item);
        return Ok(quote!(#errors #item));
    }
    if let Ok(item) = syn::parse2::<syn::ItemImpl>(item.clone()) {
        return Ok(device_impl(&krate, item, report));
    }
    if let Ok(item) = syn::parse2::<syn::ItemTrait>(item.clone()) {
        return Ok(device_trait(&krate, item, report));
    }
    let function = function(&item, "device", &mut report).ok_or_else(|| with_original(&mut report, item))?;
    let parsed = device_function(krate, &function, None, &mut report);
    report.check().map_err(|errors| {
        let stub = stub::stub(&parsed.header, &function.sig);
        quote!(#errors #stub)
    })?;

    Ok(function::function(&parsed))
}

fn device_function(
    krate: syn::Path,
    function: &syn::ItemFn,
    around: Option<Around<'_>>,
    report: &mut Report,
) -> DeviceFn {
    nesting::check(&function.block, report);
    let parsed = parse::device(krate, function, around, report);
    jumps::check(&parsed.body, report);
    parsed
}

/// `#[device]` on an `impl`. A function with errors gets a body that only fails, so that its calls
/// are no errors, too.
fn device_impl(krate: &syn::Path, mut item: syn::ItemImpl, mut report: Report) -> TokenStream {
    parse::owner(&item, &mut report);
    let generics = item.generics.clone();
    let of_trait = item.trait_.as_ref().is_some_and(|(path, _)| Operator::of(path).is_none());
    if (of_trait || parse::reference_of_operator(&item).is_some())
        && let Err(errors) = report.check()
    {
        return quote!(#errors #item);
    }
    let projects = item.trait_.as_ref().and_then(|(path, _)| Operator::of(path)?.projects);
    let around = Around { generics: &generics, of_trait, projects };
    let mut functions = Vec::new();
    for member in &mut item.items {
        let syn::ImplItem::Fn(method) = member else { continue };
        let syn::ImplItemFn { attrs, vis, modifiers, sig, block } = method.clone();
        let function = syn::ItemFn { attrs, vis, modifiers, sig, block: Box::new(block) };
        let parsed = member_function(krate, function, around, &mut report);
        if parsed.is_none() {
            method.block = failing(krate);
        }
        functions.push(parsed);
    }
    let errors = report.check().err();
    let operator = item.trait_.as_ref().map(|(path, _)| Operator::of(path));
    let item = match operator {
        None => implementation::inherent(krate, item, &functions),
        Some(Some(operator)) => {
            let function = functions.first().and_then(|function| function.as_ref());
            operator::operator(krate, item, &operator, function)
        }
        Some(None) => traits::implementation(krate, item, &functions),
    };
    quote!(#errors #item)
}

/// `#[device]` on a trait, in the same way.
fn device_trait(krate: &syn::Path, mut item: syn::ItemTrait, mut report: Report) -> TokenStream {
    parse::trait_owner(&item, &mut report);
    if let Err(errors) = report.check() {
        return quote!(#errors #item);
    }
    let generics = item.generics.clone();
    let around = Around { generics: &generics, of_trait: true, projects: None };
    let mut functions = Vec::new();
    for member in &mut item.items {
        let syn::TraitItem::Fn(method) = member else { continue };
        let syn::TraitItemFn { attrs, modifiers, sig, default, .. } = method.clone();
        let is_default = default.is_some();
        let block = Box::new(default.unwrap_or_else(|| failing(krate)));
        // Nobody looks into the body of a function that has none.
        let function = syn::ItemFn { attrs, vis: syn::Visibility::Inherited, modifiers, sig, block };
        let parsed = member_function(krate, function, around, &mut report);
        functions.push(parsed.map(|function| Declared { function, is_default }));
    }
    let errors = report.check().err();
    let item = traits::declaration(krate, item, &functions);
    quote!(#errors #item)
}

/// A function of an `impl` or trait. If it has errors, its body only fails; `None` if its
/// declaration is wrong.
fn member_function(
    krate: &syn::Path,
    mut function: syn::ItemFn,
    around: Around<'_>,
    report: &mut Report,
) -> Option<DeviceFn> {
    let mut own = Report::default();
    adopt(&mut function, &mut own);
    let parsed = device_function(krate.clone(), &function, Some(around), &mut own);
    let wrong = !own.is_empty();
    report.append(own);
    if !wrong {
        return Some(parsed);
    }
    function.block = syn::parse_quote!({ panic!("this function has errors") });
    let mut again = Report::default();
    let parsed = device_function(krate.clone(), &function, Some(around), &mut again);
    again.check().is_ok().then_some(parsed)
}

/// The body of a function that has errors.
fn failing(krate: &syn::Path) -> syn::Block {
    let private = crate::names::private(krate);
    syn::parse_quote!({ #private::rust::unreachable!("this function has errors") })
}

/// The function that an attribute is on, without a body if nothing can be made of that; reported.
fn function(item: &TokenStream, attribute: &str, report: &mut Report) -> Option<syn::ItemFn> {
    let mut function = match syn::parse2::<syn::ItemFn>(item.clone()) {
        Ok(function) => function,
        Err(why) => match without_body(item) {
            Some(function) => {
                report.syn(Code::Syntax, &why);
                function
            }
            None => {
                let (span, error) = parse::misplaced(attribute, item);
                report.at(span.unwrap_or(why.span()), error);
                return None;
            }
        },
    };
    adopt(&mut function, report);
    Some(function)
}

/// Sorts the attributes of a function.
fn adopt(function: &mut syn::ItemFn, report: &mut Report) {
    // `#![…]` in the body are the function's too, and go where the others go.
    function.attrs.iter_mut().for_each(|attr| attr.style = syn::AttrStyle::Outer);
    // Lint levels go to the launcher and to what its body becomes: of two that expect a lint, one
    // would be disappointed.
    for attr in function.attrs.iter_mut().filter(|attr| attr.path().is_ident("expect")) {
        if let syn::Meta::List(list) = &mut attr.meta {
            list.path = syn::parse_quote!(allow);
        }
    }
    function.attrs.retain(|attr| {
        let ours = attr.path().segments.last().is_some_and(|s| s.ident == "kernel" || s.ident == "device");
        if ours {
            function.block.stmts.clear();
            report.on(
                attr,
                error(Code::TwoAttributes, "a function can have only one `#[kernel]` or `#[device]`")
                    .help("remove the other attribute"),
            );
        }
        !ours
    });
}

/// The function, if its declaration is one.
fn without_body(item: &TokenStream) -> Option<syn::ItemFn> {
    let mut trees: Vec<TokenTree> = item.clone().into_iter().collect();
    match trees.last_mut() {
        Some(TokenTree::Group(body)) if body.delimiter() == Delimiter::Brace => {
            *body = Group::new(Delimiter::Brace, TokenStream::new());
        }
        _ => return None,
    }
    syn::parse2(trees.into_iter().collect()).ok()
}

fn with_original(report: &mut Report, item: TokenStream) -> TokenStream {
    let errors = report.check().err();
    quote!(#errors #item)
}

/// A launcher that the rest of the crate can be checked against, so that a wrong body is one error
/// and not ten.
fn stub(header: &Header, params: &[Param]) -> TokenStream {
    let Header { krate, attrs, vis, name, generics, .. } = header;
    let Generics { params: generics, clause, .. } = Generics::of_kernel(krate, generics);
    let declaration = launch::declaration(header, params);
    let (beside, entries) = (launch::nested::beside(header, params, false), launch::nested::entries(header));
    let cfgs: Vec<_> = attributes::cfgs(attrs).collect();
    quote! {
        #[allow(unused_variables)] // there is no body that uses them
        #declaration { #krate::private::rust::unreachable!("this kernel has errors") }

        #(#cfgs)*
        #[allow(non_camel_case_types)] // called as the function
        #[doc(hidden)]
        #vis enum #name {}

        #(#cfgs)*
        // Nobody reads documentation of what has errors, and not everyone calls all four.
        #[allow(missing_docs, dead_code)]
        impl #name {
            pub fn cuda_source #generics() -> #krate::private::rust::String #clause { #krate::private::rust::unreachable!("this kernel has errors") }
            pub fn hip_source #generics() -> #krate::private::rust::String #clause { #krate::private::rust::unreachable!("this kernel has errors") }
            pub fn plan #generics() -> #krate::Plan #clause { #krate::private::rust::unreachable!("this kernel has errors") }
            pub fn prepare #generics(_: &#krate::Device) -> #krate::Result<()> #clause { #krate::private::rust::unreachable!("this kernel has errors") }
            #entries
        }

        #beside
    }
}
