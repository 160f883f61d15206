//! Declarations: what a kernel or device function may look like from outside.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::visit_mut::VisitMut;

use super::body::{BodyParser, Context, Want};
use super::host::HostWalk;
use crate::ir::{Body, DeviceFn, Header, Kernel, Param, ParamKind, Slot};
use crate::report::Report;

/// The name, attributes and parameters; enough to write the launcher's signature even if the body is wrong.
pub(crate) fn declaration(krate: syn::Path, function: &syn::ItemFn, report: &mut Report) -> (Header, Vec<Param>) {
    let syn::ItemFn { attrs, vis, sig, modifiers: _, block: _ } = function;
    refuse_qualifiers("kernel", sig, report);
    if let syn::ReturnType::Type(_, ty) = &sig.output {
        let unit = matches!(&**ty, syn::Type::Tuple(t) if t.elems.is_empty());
        if !unit {
            report.on(ty, "a kernel returns nothing: results go into `&mut [T]` parameters; its launcher returns `anabranch::Result<()>`");
        }
    }
    let params = sig.inputs.iter().filter_map(|input| param(input, report)).collect();
    let header = Header { krate, attrs: attrs.clone(), vis: vis.clone(), name: sig.ident.clone() };
    (header, params)
}

/// The whole kernel.
pub(crate) fn kernel(header: Header, params: Vec<Param>, mut block: syn::Block, report: &mut Report) -> Kernel {
    let mut walk = HostWalk::new(report);
    for param in &params {
        let view = match param.kind {
            ParamKind::Slice { mutable, .. } => Some(mutable),
            ParamKind::Value(_) => None,
        };
        walk.bind(&param.name, view);
    }
    walk.visit_block_mut(&mut block);
    let HostWalk { loops, forks, plan, .. } = walk;
    if loops.is_empty() && report.is_empty() {
        report.on(
            &header.name,
            format!("the kernel `{}` has no `par` loop, so nothing would run on the device; mark a loop: `for i in par(0..n) {{ … }}`", header.name),
        );
    }
    let stmts = &block.stmts;
    let host = quote::quote!(#(#stmts)*);
    Kernel { header, params, host, loops, forks, plan }
}

/// A device function.
pub(crate) fn device(krate: syn::Path, function: &syn::ItemFn, report: &mut Report) -> DeviceFn {
    let syn::ItemFn { attrs, vis, sig, modifiers: _, block } = function;
    refuse_qualifiers("device function", sig, report);
    let no_host = |_: &str| None;
    let mut parser = BodyParser::new(report, Context::Device(&sig.ident), &no_host);
    let mut params = Vec::new();
    for input in &sig.inputs {
        let Some(Param { name, kind, mutability, .. }) = param(input, parser.report) else { continue };
        match kind {
            ParamKind::Slice { .. } => parser.report.on(
                input,
                "slices as parameters of `#[device]` functions are not supported yet; read the element in the kernel and pass its value",
            ),
            ParamKind::Value(ty) => {
                let slot = Slot::Written(Box::new(ty.clone()));
                params.push((parser.bind(&name, mutability.is_some(), slot), ty));
            }
        }
    }
    let output = match &sig.output {
        syn::ReturnType::Default => None,
        syn::ReturnType::Type(_, ty) if matches!(&**ty, syn::Type::Tuple(t) if t.elems.is_empty()) => None,
        syn::ReturnType::Type(_, ty) => Some((parser.body.slots(Slot::Written(ty.clone())), (**ty).clone())),
    };
    let want = if output.is_some() { Want::Value } else { Want::Nothing };
    parser.body.block = parser.block(block, want);
    let body: Body = parser.body;
    let header = Header { krate, attrs: attrs.clone(), vis: vis.clone(), name: sig.ident.clone() };
    DeviceFn { header, params, output, body }
}

fn refuse_qualifiers(what: &str, sig: &syn::Signature, report: &mut Report) {
    if let Some(token) = &sig.constness {
        report.on(token, format!("a {what} cannot be `const`"));
    }
    if let Some(token) = &sig.asyncness {
        report.on(
            token,
            format!(
                "a {what} cannot be `async`: launches are asynchronous already, and streams and events wait for them"
            ),
        );
    }
    if !matches!(sig.safety, syn::Safety::Default) {
        report.on(&sig.safety, format!("a {what} cannot be `unsafe`"));
    }
    if let Some(abi) = &sig.abi {
        report.on(abi, format!("a {what} cannot be `extern`"));
    }
    if let Some(variadic) = &sig.variadic {
        report.on(variadic, format!("a {what} cannot be variadic"));
    }
    if let Some(param) = sig.generics.params.first() {
        report.on(
            param,
            format!("type, const and lifetime parameters are not supported on a {what} yet; write one {what} a type"),
        );
    } else if let Some(clause) = &sig.generics.where_clause {
        report.on(clause, format!("`where` is not supported on a {what} yet"));
    }
}

fn param(input: &syn::FnArg, report: &mut Report) -> Option<Param> {
    let typed = match input {
        syn::FnArg::Receiver(receiver) => {
            report.on(
                receiver,
                "kernels and device functions are free functions, not methods: pass what you need as parameters",
            );
            return None;
        }
        syn::FnArg::Typed(typed) => typed,
    };
    if let Some(attr) = typed.attrs.iter().find(|a| a.path().is_ident("cfg") || a.path().is_ident("cfg_attr")) {
        report.on(attr, "`cfg` is not supported on parameters of a kernel; put it on the whole function");
        return None;
    }
    let (name, mutability) = match &*typed.pat {
        syn::Pat::Ident(syn::PatIdent { by_ref: None, subpat: None, ident, mutability, .. }) => {
            (ident.clone(), *mutability)
        }
        syn::Pat::Wild(wild) => (Ident::new("_unused", wild.underscore_token.span), None),
        other => {
            report.on(other, "a parameter is one name: `name: type`");
            return None;
        }
    };
    let kind = kind(&typed.ty, report)?;
    if let (ParamKind::Slice { .. }, Some(token)) = (&kind, mutability) {
        report.on(token, "a slice parameter is written to through `&mut [T]`, without `mut` before its name");
    }
    Some(Param { attrs: typed.attrs.clone(), mutability, name, kind })
}

fn kind(ty: &syn::Type, report: &mut Report) -> Option<ParamKind> {
    match ty {
        syn::Type::Paren(inner) => kind(&inner.elem, report),
        syn::Type::Group(inner) => kind(&inner.elem, report),
        syn::Type::Reference(reference) => match &*reference.elem {
            syn::Type::Slice(slice) => {
                if let Some(lifetime) = &reference.lifetime {
                    report.on(
                        lifetime,
                        "a slice parameter needs no lifetime: the launcher borrows the buffer for the call",
                    );
                }
                let elem = (*slice.elem).clone();
                if !may_be_scalar(&elem) {
                    report.on(
                        &elem,
                        "device memory holds `bool`, integers and floats (`f32`, `f64`); other elements are not supported yet",
                    );
                }
                Some(ParamKind::Slice { mutable: reference.mutability.is_some(), elem })
            }
            _ => Some(ParamKind::Value(ty.clone())),
        },
        syn::Type::Slice(slice) => {
            let elem = slice.elem.to_token_stream();
            report.on(
                slice,
                format!("a slice is passed by reference: `&[{elem}]` to read it, `&mut [{elem}]` to write it"),
            );
            None
        }
        syn::Type::ImplTrait(ty) => {
            report.on(ty, "`impl Trait` is not supported in the parameters of a kernel; name the type");
            None
        }
        other => Some(ParamKind::Value(other.clone())),
    }
}

/// Whether a type may be an alias or a name of a scalar; rustc knows for sure, but has more to say about it.
fn may_be_scalar(ty: &syn::Type) -> bool {
    match ty {
        syn::Type::Paren(inner) => may_be_scalar(&inner.elem),
        syn::Type::Group(inner) => may_be_scalar(&inner.elem),
        syn::Type::Path(path) => {
            !path.path.get_ident().is_some_and(|name| name == "char" || name == "str" || name == "String")
        }
        syn::Type::Macro(_) => true,
        _ => false,
    }
}
