//! Declarations: what a kernel or device function may look like from outside.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::visit_mut::VisitMut;

use super::body::{BodyParser, Context, Want, is_primitive};
use super::host::HostWalk;
use super::text;
use crate::ir::{
    Body, Borrow, DeviceFn, Expr, ExprKind, Header, Kernel, LocalKind, Param, ParamKind, Slot, Stmt, atomics,
};
use crate::report::{Code, Report};

/// The name, attributes and parameters; enough to write the launcher's signature even if something is wrong with them.
pub(crate) fn declaration(krate: syn::Path, function: &syn::ItemFn, report: &mut Report) -> (Header, Vec<Param>) {
    let sig = &function.sig;
    refuse_qualifiers("kernel", sig, report);
    if let syn::ReturnType::Type(_, ty) = &sig.output {
        let unit = matches!(&**ty, syn::Type::Tuple(t) if t.elems.is_empty());
        if !unit {
            report.on(ty, Code::KernelResult, "a kernel returns nothing: results go into `&mut [T]` parameters; its launcher returns `anabranch::Result<()>`");
        }
    }
    let params: Vec<Param> = sig.inputs.iter().enumerate().filter_map(|(at, input)| param(at, input, report)).collect();
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
            ParamKind::Slice { borrow, .. } => Some(borrow),
            ParamKind::Value(_) => None,
        };
        walk.bind(&param.name, view);
    }
    walk.visit_block_mut(&mut block);
    let HostWalk { loops, forks, plan, .. } = walk;
    if loops.is_empty() && report.is_empty() {
        report.on(
            &header.name,
            Code::NoParLoop,
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
            Code::Lifetime,
            "a device function needs no lifetimes: what it is given outlives the call, and it returns values",
        );
    }
    let no_host = |_: &str| None;
    let mut parser = BodyParser::new(report, Context::Device(&sig.ident), &no_host);
    parser.type_params = type_params(&sig.generics);
    let (mut params, mut taken_apart) = (Vec::new(), Vec::new());
    for (at, input) in sig.inputs.iter().enumerate() {
        let pattern = match input {
            syn::FnArg::Typed(typed) if matches!(&*typed.pat, syn::Pat::Tuple(_) | syn::Pat::Slice(_)) => Some(typed),
            _ => None,
        };
        let named = match pattern {
            Some(typed) => Some((None, &*typed.ty)),
            None => {
                name_and_type(at, input, parser.report).map(|(name, mutability, ty)| (Some((name, mutability)), ty))
            }
        };
        let Some((name, ty)) = named else { continue };
        check_bounds(ty, &sig.generics, parser.report);
        if let Some((kind, of)) = device_param(&krate, ty, parser.report) {
            let slot = Slot::Written(Box::new(of));
            let local = match name {
                Some((name, mutability)) => parser.bind_kind(&name, mutability.is_some(), slot, kind),
                None => parser.generated("arg", ty.span(), slot, kind),
            };
            params.push((local, ty.clone()));
            if let Some(pat) = pattern.and_then(|typed| parser.pattern(&typed.pat, false)) {
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
                parser.report.on(
                    ty,
                    Code::DeviceResult,
                    "a device function returns a value: a scalar, a tuple or an array",
                );
            }
            Some((parser.body.slots(Slot::Written(ty.clone())), (**ty).clone()))
        }
    };
    // Of the body of a wrong declaration there is nothing to say yet.
    if parser.report.is_empty() {
        if let Some((_, ty)) = &output {
            check_value(block, ty, parser.report);
        }
        let want = if output.is_some() { Want::Value } else { Want::Nothing };
        let mut block = parser.block(block, want);
        block.stmts.splice(0..0, taken_apart);
        parser.body.block = block;
    }
    let body: Body = parser.body;
    DeviceFn { header: header(krate, function), params, output, body }
}

/// Refuses a body that plainly ends without the value that the function returns: rustc would say less of it here.
fn check_value(block: &syn::Block, ty: &syn::Type, report: &mut Report) {
    let ty = ty.to_token_stream();
    match block.stmts.last() {
        Some(syn::Stmt::Expr(value, Some(semicolon))) if is_value(value) => {
            report.on(
                semicolon,
                Code::MissingValue,
                format!("this `;` drops the `{ty}` that the function returns; remove it"),
            );
        }
        Some(syn::Stmt::Expr(looped @ (syn::Expr::ForLoop(_) | syn::Expr::While(_)), _)) => {
            let token = looped.to_token_stream().into_iter().next();
            report.on(
                token,
                Code::MissingValue,
                format!("the function returns a `{ty}`, but ends with a loop; write the value behind it"),
            );
        }
        _ => {}
    }
}

/// Whether an expression is written for nothing but its value.
fn is_value(expr: &syn::Expr) -> bool {
    use syn::Expr as E;
    match expr {
        E::Binary(binary) => {
            let op = text(binary.op);
            !op.ends_with('=') || matches!(op.as_str(), "==" | "!=" | "<=" | ">=")
        }
        E::Lit(_) | E::Path(_) | E::Index(_) | E::Field(_) | E::Unary(_) | E::Cast(_) | E::Tuple(_) => true,
        E::Array(_) | E::MethodCall(_) => true,
        _ => false,
    }
}

/// Bounds of std that say nothing of the device.
const NOT_ENOUGH: [&str; 15] = [
    "Copy",
    "Clone",
    "Default",
    "PartialEq",
    "PartialOrd",
    "Debug",
    "Send",
    "Sync",
    "Sized",
    "Into",
    "Add",
    "Sub",
    "Mul",
    "Div",
    "Neg",
];

/// Refuses a type parameter that nothing makes a device type. Without this check there are many errors.
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
            Code::TypeParameter,
            format!("`{name}` can be any type, also one that cannot live on the device; write `{name}: Scalar` to copy it, `{name}: Num`, `{name}: Int` or `{name}: Float` to compute with it"),
        );
    }
}

/// How a parameter of a device function holds its value, and the type of that.
fn device_param(krate: &syn::Path, ty: &syn::Type, report: &mut Report) -> Option<(LocalKind, syn::Type)> {
    match ty {
        syn::Type::Paren(inner) => device_param(krate, &inner.elem, report),
        syn::Type::Group(inner) => device_param(krate, &inner.elem, report),
        syn::Type::Reference(reference) => match &*reference.elem {
            syn::Type::Slice(slice) if !may_be_atomic(&slice.elem, report) => None,
            of if !may_be_atomic(of, report) => None,
            syn::Type::Slice(slice) => {
                let kind = LocalKind::Slice(borrow(reference, &slice.elem, report));
                device_value(&value_type(krate, &slice.elem), report).map(|elem| (kind, elem))
            }
            syn::Type::Reference(inner) => {
                report.on(inner, Code::Reference, "a reference to a reference is not supported in device code");
                None
            }
            of => {
                let kind = LocalKind::Reference(borrow(reference, of, report));
                device_value(&value_type(krate, of), report).map(|of| (kind, of))
            }
        },
        of if atomics::is_atomic(of) => {
            let of = of.to_token_stream();
            report.on(
                ty,
                Code::AtomicUse,
                format!("an atomic is passed by reference, since a copy is another one: `&{of}`, `&[{of}]`"),
            );
            None
        }
        syn::Type::Slice(slice) => {
            let elem = slice.elem.to_token_stream();
            report.on(
                slice,
                Code::SliceByValue,
                format!("a slice is passed by reference: `&[{elem}]` to read it, `&mut [{elem}]` to write it"),
            );
            None
        }
        syn::Type::ImplTrait(ty) => {
            report.on(ty, Code::ImplTrait, "`impl Trait` is not supported in the parameters of a device function; write a type parameter: `fn f<T: Float>(x: T)`");
            None
        }
        other => device_value(other, report).map(|ty| (LocalKind::Value, ty)),
    }
}

/// A type that may be one of device code; rustc knows for sure, but has more to say about it.
pub(super) fn device_value(ty: &syn::Type, report: &mut Report) -> Option<syn::Type> {
    const FOREIGN: [&str; 8] = ["char", "str", "String", "Vec", "Box", "Option", "Result", "Rc"];
    if let syn::Type::Path(path) = ty
        && let Some(last) = path.path.segments.last()
        && FOREIGN.iter().any(|name| last.ident == name)
    {
        let name = &last.ident;
        report.on(ty, Code::DeviceType, format!("`{name}` is not a type of device code, which has `bool`, integers, floats, tuples and arrays, and slices as `&[T]` and `&mut [T]`"));
        return None;
    }
    if let syn::Type::Reference(_) = ty {
        report.on(ty, Code::Reference, "values of device code are copied, and only parameters of `#[device]` functions are references; write the type without `&`");
        return None;
    }
    Some(ty.clone())
}

fn refuse_qualifiers(what: &str, sig: &syn::Signature, report: &mut Report) {
    if let Some(token) = &sig.constness {
        report.on(token, Code::Qualifier, format!("a {what} cannot be `const`"));
    }
    if let Some(token) = &sig.asyncness {
        report.on(
            token,
            Code::Qualifier,
            format!(
                "a {what} cannot be `async`: launches are asynchronous already, and streams and events wait for them"
            ),
        );
    }
    if !matches!(sig.safety, syn::Safety::Default) {
        report.on(&sig.safety, Code::Qualifier, format!("a {what} cannot be `unsafe`"));
    }
    if let Some(abi) = &sig.abi {
        report.on(abi, Code::Qualifier, format!("a {what} cannot be `extern`"));
    }
    if let Some(variadic) = &sig.variadic {
        report.on(variadic, Code::Qualifier, format!("a {what} cannot be variadic"));
    }
}

fn param(at: usize, input: &syn::FnArg, report: &mut Report) -> Option<Param> {
    let (name, mutability, ty) = name_and_type(at, input, report)?;
    let kind = kind(ty, &name, report).unwrap_or_else(|| ParamKind::Value(anything(ty)));
    if let (ParamKind::Slice { .. }, Some(token)) = (&kind, mutability) {
        report.on(
            token,
            Code::ParameterName,
            "a slice parameter is written to through `&mut [T]`, without `mut` before its name",
        );
    }
    let attrs = match input {
        syn::FnArg::Typed(typed) => typed.attrs.clone(),
        syn::FnArg::Receiver(_) => Vec::new(),
    };
    Some(Param { attrs, mutability, name, kind })
}

fn name_and_type<'f>(
    at: usize,
    input: &'f syn::FnArg,
    report: &mut Report,
) -> Option<(Ident, Option<syn::Token![mut]>, &'f syn::Type)> {
    let typed = match input {
        syn::FnArg::Receiver(receiver) => {
            report.on(
                receiver,
                Code::NotAFunction,
                "kernels and device functions are free functions, not methods: pass what you need as parameters",
            );
            return None;
        }
        syn::FnArg::Typed(typed) => typed,
    };
    if let Some(attr) = typed.attrs.iter().find(|a| a.path().is_ident("cfg") || a.path().is_ident("cfg_attr")) {
        report.on(
            attr,
            Code::AttributeInside,
            "`cfg` is not supported on parameters of a kernel; put it on the whole function",
        );
    }
    let unused = |span| Ident::new(&format!("_unused{at}"), span);
    let (name, mutability) = match &*typed.pat {
        syn::Pat::Ident(syn::PatIdent { by_ref: None, subpat: None, ident, mutability, .. }) => {
            (ident.clone(), *mutability)
        }
        syn::Pat::Wild(wild) => (unused(wild.underscore_token.span), None),
        other => {
            report.on(other, Code::ParameterName, "a parameter is one name: `name: type`");
            (unused(other.span()), None)
        }
    };
    Some((name, mutability, &typed.ty))
}

/// The type of a parameter that was refused: no argument of it is wrong, too.
fn anything(refused: &syn::Type) -> syn::Type {
    match refused {
        syn::Type::Reference(syn::TypeReference { mutability, .. }) => {
            syn::parse_quote!(&#mutability impl ::core::marker::Sized)
        }
        _ => syn::parse_quote!(impl ::core::marker::Sized),
    }
}

fn kind(ty: &syn::Type, name: &Ident, report: &mut Report) -> Option<ParamKind> {
    match ty {
        syn::Type::Paren(inner) => kind(&inner.elem, name, report),
        syn::Type::Group(inner) => kind(&inner.elem, name, report),
        syn::Type::Reference(reference) => match &*reference.elem {
            syn::Type::Slice(slice) => {
                if let Some(lifetime) = &reference.lifetime {
                    report.on(
                        lifetime,
                        Code::Lifetime,
                        "a slice parameter needs no lifetime: the launcher borrows the buffer for the call",
                    );
                }
                let elem = (*slice.elem).clone();
                if !may_be_scalar(&elem) {
                    report.on(
                        &elem,
                        Code::ElementType,
                        format!("device memory cannot hold `{}`: a slice of a kernel has elements of `bool`, an integer type, `f32` or `f64`; of structs and tuples, pass a slice for each field", text(&elem)),
                    );
                }
                let borrow = borrow(reference, &elem, report);
                may_be_atomic(&elem, report).then_some(ParamKind::Slice { borrow, elem })
            }
            of if is_buffer(of) => {
                report.on(
                    of,
                    Code::BufferParameter,
                    format!("a kernel sees the elements of a buffer, its launcher takes the buffer: write `{name}: &[T]` to read it, `{name}: &mut [T]` to write it"),
                );
                None
            }
            of if is_primitive_type(of) => {
                let of = of.to_token_stream();
                report.on(
                    ty,
                    Code::ValueByReference,
                    if reference.mutability.is_some() {
                        format!("a kernel writes results to slices, also a single one: `{name}: &mut [{of}]`")
                    } else {
                        format!("a single value is passed without `&`: `{name}: {of}`")
                    },
                );
                None
            }
            _ => Some(ParamKind::Value(ty.clone())),
        },
        syn::Type::Slice(slice) => {
            let elem = slice.elem.to_token_stream();
            report.on(
                slice,
                Code::SliceByValue,
                format!("a slice is passed by reference: `&[{elem}]` to read it, `&mut [{elem}]` to write it"),
            );
            None
        }
        syn::Type::ImplTrait(ty) => {
            report.on(ty, Code::ImplTrait, "`impl Trait` is not supported in the parameters of a kernel; write a type parameter: `fn k<T: Trait>(value: T)`");
            Some(ParamKind::Value(syn::Type::ImplTrait(ty.clone())))
        }
        ty if is_buffer(ty) => {
            report.on(
                ty,
                Code::BufferParameter,
                format!("a kernel sees the elements of a buffer, its launcher takes the buffer: write `{name}: &[T]` to read it, `{name}: &mut [T]` to write it"),
            );
            None
        }
        other => Some(ParamKind::Value(other.clone())),
    }
}

/// How a reference borrows what it refers to. Atomics are told by their name.
fn borrow(reference: &syn::TypeReference, of: &syn::Type, report: &mut Report) -> Borrow {
    match (&reference.mutability, atomics::is_atomic(of)) {
        (None, false) => Borrow::Shared,
        (None, true) => Borrow::Atomic,
        (Some(_), false) => Borrow::Unique,
        (Some(token), true) => {
            let of = of.to_token_stream();
            report.on(
                token,
                Code::AtomicUse,
                format!("`{of}` is changed through `&`, which all iterations and groups may share; remove the `mut`"),
            );
            Borrow::Atomic
        }
    }
}

/// Whether a type is not one of the atomics of std that a GPU does not have.
fn may_be_atomic(of: &syn::Type, report: &mut Report) -> bool {
    const NOT_THERE: [&str; 6] = ["AtomicBool", "AtomicI8", "AtomicI16", "AtomicPtr", "AtomicU8", "AtomicU16"];
    if let syn::Type::Path(path) = of
        && let Some(last) = path.path.segments.last()
        && NOT_THERE.iter().any(|name| last.ident == name)
    {
        let message = format!(
            "the atomics of device code have 32 or 64 bits: `AtomicU32` or another one instead of `{}`",
            last.ident
        );
        report.on(of, Code::ElementType, message);
        return false;
    }
    true
}

/// What the memory behind a reference holds.
fn value_type(krate: &syn::Path, of: &syn::Type) -> syn::Type {
    if atomics::is_atomic(of) { syn::parse_quote!(<#of as #krate::atomic::Atomic>::Value) } else { of.clone() }
}

fn is_buffer(ty: &syn::Type) -> bool {
    matches!(ty, syn::Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "Buffer"))
}

fn is_primitive_type(ty: &syn::Type) -> bool {
    matches!(ty, syn::Type::Path(path) if path.path.get_ident().is_some_and(is_primitive))
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
