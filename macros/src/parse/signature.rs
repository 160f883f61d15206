//! Declarations: what a kernel or device function may look like from outside.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::visit_mut::VisitMut;

use super::body::{BodyParser, Context, Want};
use super::host::HostWalk;
use crate::ir::{Body, DeviceFn, Expr, ExprKind, Header, Kernel, LocalKind, Param, ParamKind, Slot, Stmt};
use crate::report::Report;

/// The name, attributes and parameters; enough to write the launcher's signature even if the body is wrong.
pub(crate) fn declaration(krate: syn::Path, function: &syn::ItemFn, report: &mut Report) -> (Header, Vec<Param>) {
    let sig = &function.sig;
    refuse_qualifiers("kernel", sig, report);
    if let syn::ReturnType::Type(_, ty) = &sig.output {
        let unit = matches!(&**ty, syn::Type::Tuple(t) if t.elems.is_empty());
        if !unit {
            report.on(ty, "a kernel returns nothing: results go into `&mut [T]` parameters; its launcher returns `anabranch::Result<()>`");
        }
    }
    let params: Vec<Param> = sig.inputs.iter().filter_map(|input| param(input, report)).collect();
    for param in &params {
        if let ParamKind::Slice { elem, .. } = &param.kind {
            check_bounds(elem, &sig.generics, report);
        }
    }
    (header(krate, function), params)
}

/// The whole kernel.
pub(crate) fn kernel(header: Header, params: Vec<Param>, mut block: syn::Block, report: &mut Report) -> Kernel {
    let mut walk = HostWalk::new(report);
    walk.type_params = type_params(&header.generics);
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

fn type_params(generics: &syn::Generics) -> Vec<String> {
    generics.type_params().map(|p| p.ident.to_string()).collect()
}

fn header(krate: syn::Path, function: &syn::ItemFn) -> Header {
    let syn::ItemFn { attrs, vis, sig, modifiers: _, block: _ } = function;
    let (attrs, vis, name) = (attrs.clone(), vis.clone(), sig.ident.clone());
    Header { krate, attrs, vis, name, generics: sig.generics.clone() }
}

/// A device function.
pub(crate) fn device(krate: syn::Path, function: &syn::ItemFn, report: &mut Report) -> DeviceFn {
    let syn::ItemFn { sig, block, .. } = function;
    refuse_qualifiers("device function", sig, report);
    for lifetime in sig.generics.lifetimes() {
        report.on(
            lifetime,
            "a device function needs no lifetimes: what it is given outlives the call, and it returns values",
        );
    }
    let no_host = |_: &str| None;
    let mut parser = BodyParser::new(report, Context::Device(&sig.ident), &no_host);
    parser.type_params = type_params(&sig.generics);
    let (mut params, mut taken_apart) = (Vec::new(), Vec::new());
    for input in &sig.inputs {
        let pattern = match input {
            syn::FnArg::Typed(typed) if matches!(&*typed.pat, syn::Pat::Tuple(_) | syn::Pat::Slice(_)) => Some(typed),
            _ => None,
        };
        let named = match pattern {
            Some(typed) => Some((None, &*typed.ty)),
            None => name_and_type(input, parser.report).map(|(name, mutability, ty)| (Some((name, mutability)), ty)),
        };
        let Some((name, ty)) = named else { continue };
        check_bounds(ty, &sig.generics, parser.report);
        if let Some((kind, of)) = device_param(ty, parser.report) {
            let slot = Slot::Written(Box::new(of));
            let local = match name {
                Some((name, mutability)) => parser.bind_kind(&name, mutability.is_some(), slot, kind),
                None => parser.generated("arg", ty.span(), slot, kind),
            };
            params.push((local, ty.clone()));
            if let Some(pat) = pattern.and_then(|typed| parser.pattern(&typed.pat)) {
                let init = Expr { span: ty.span(), kind: ExprKind::Local(local) };
                taken_apart.push(Stmt::Let { pat, ty: None, init, otherwise: None });
            }
        }
    }
    let output = match &sig.output {
        syn::ReturnType::Default => None,
        syn::ReturnType::Type(_, ty) if matches!(&**ty, syn::Type::Tuple(t) if t.elems.is_empty()) => None,
        syn::ReturnType::Type(_, ty) => {
            if let syn::Type::Reference(_) | syn::Type::ImplTrait(_) = &**ty {
                parser.report.on(ty, "a device function returns a value: a scalar, a tuple or an array");
            }
            Some((parser.body.slots(Slot::Written(ty.clone())), (**ty).clone()))
        }
    };
    let want = if output.is_some() { Want::Value } else { Want::Nothing };
    let mut block = parser.block(block, want);
    block.stmts.splice(0..0, taken_apart);
    parser.body.block = block;
    let body: Body = parser.body;
    DeviceFn { header: header(krate, function), params, output, body }
}

/// Bounds of std that say nothing of the device.
const NOT_ENOUGH: [&str; 8] = ["Copy", "Clone", "Default", "PartialEq", "PartialOrd", "Debug", "Send", "Sync"];

/// Whether a type is a type parameter that nothing makes a device type. Without this check there are many errors.
fn check_bounds(ty: &syn::Type, generics: &syn::Generics, report: &mut Report) {
    let name = match ty {
        syn::Type::Path(path) => path.path.get_ident(),
        syn::Type::Reference(reference) => return check_bounds(&reference.elem, generics, report),
        syn::Type::Slice(slice) => return check_bounds(&slice.elem, generics, report),
        syn::Type::Array(array) => return check_bounds(&array.elem, generics, report),
        _ => None,
    };
    let Some(param) = generics.type_params().find(|p| Some(&p.ident) == name) else { return };
    let clauses = generics.where_clause.iter().flat_map(|clause| &clause.predicates);
    let in_clauses = clauses.filter_map(|predicate| match predicate {
        syn::WherePredicate::Type(bound) => match &bound.bounded_ty {
            syn::Type::Path(path) if path.path.is_ident(&param.ident) => Some(&bound.bounds),
            _ => None,
        },
        _ => None,
    });
    let mut bounds = in_clauses.flatten().chain(&param.bounds);
    let enough = bounds.any(|bound| match bound {
        syn::TypeParamBound::Trait(bound) => {
            bound.path.segments.last().is_some_and(|last| NOT_ENOUGH.iter().all(|name| last.ident != name))
        }
        _ => false,
    });
    if !enough {
        let name = &param.ident;
        report.on(
            ty,
            format!("`{name}` can be any type, also one that cannot live on the device; write `{name}: Scalar` to copy it, `{name}: Num`, `{name}: Int` or `{name}: Float` to compute with it"),
        );
    }
}

/// How a parameter of a device function holds its value, and the type of that.
fn device_param(ty: &syn::Type, report: &mut Report) -> Option<(LocalKind, syn::Type)> {
    match ty {
        syn::Type::Paren(inner) => device_param(&inner.elem, report),
        syn::Type::Group(inner) => device_param(&inner.elem, report),
        syn::Type::Reference(reference) => {
            let mutable = reference.mutability.is_some();
            match &*reference.elem {
                syn::Type::Slice(slice) => {
                    device_value(&slice.elem, report).map(|elem| (LocalKind::Slice { mutable }, elem))
                }
                syn::Type::Reference(inner) => {
                    report.on(inner, "a reference to a reference is not supported in device code");
                    None
                }
                of => device_value(of, report).map(|of| (LocalKind::Reference { mutable }, of)),
            }
        }
        syn::Type::Slice(slice) => {
            let elem = slice.elem.to_token_stream();
            report.on(
                slice,
                format!("a slice is passed by reference: `&[{elem}]` to read it, `&mut [{elem}]` to write it"),
            );
            None
        }
        syn::Type::ImplTrait(ty) => {
            report.on(ty, "`impl Trait` is not supported in the parameters of a device function; write a type parameter: `fn f<T: Float>(x: T)`");
            None
        }
        other => device_value(other, report).map(|ty| (LocalKind::Value, ty)),
    }
}

/// A type that may be one of device code; rustc knows for sure, but has more to say about it.
fn device_value(ty: &syn::Type, report: &mut Report) -> Option<syn::Type> {
    const FOREIGN: [&str; 8] = ["char", "str", "String", "Vec", "Box", "Option", "Result", "Rc"];
    if let syn::Type::Path(path) = ty
        && let Some(last) = path.path.segments.last()
        && FOREIGN.iter().any(|name| last.ident == name)
    {
        let name = &last.ident;
        report.on(ty, format!("`{name}` is not a type of device code, which has `bool`, integers, floats, tuples and arrays, and slices as `&[T]` and `&mut [T]`"));
        return None;
    }
    Some(ty.clone())
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
}

fn param(input: &syn::FnArg, report: &mut Report) -> Option<Param> {
    let (name, mutability, ty) = name_and_type(input, report)?;
    let kind = kind(ty, report)?;
    if let (ParamKind::Slice { .. }, Some(token)) = (&kind, mutability) {
        report.on(token, "a slice parameter is written to through `&mut [T]`, without `mut` before its name");
    }
    let attrs = match input {
        syn::FnArg::Typed(typed) => typed.attrs.clone(),
        syn::FnArg::Receiver(_) => Vec::new(),
    };
    Some(Param { attrs, mutability, name, kind })
}

fn name_and_type<'f>(
    input: &'f syn::FnArg,
    report: &mut Report,
) -> Option<(Ident, Option<syn::Token![mut]>, &'f syn::Type)> {
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
    Some((name, mutability, &typed.ty))
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
