//! Declarations: what a kernel or device function may look like from outside.

use std::collections::BTreeMap;

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::visit_mut::VisitMut;

use super::body::{BodyParser, Context, Leaves, Want};
use super::closure::{self, refuse_inside};
use super::host::{Fusible, HostWalk, fields};
use super::types::{anything, check_bounds, device_param, grid_type, param_kind};
use super::{ViewType, strip_pat, text};
use crate::generics::Signature;
use crate::ir::{
    Body, Borrow, DeviceFn, Expr, ExprKind, Header, Kernel, Library, LocalId, LocalKind, Operator, Param, ParamKind,
    Receiver, Slot, Stmt, operand_type,
};
use crate::names;
use crate::report::{Code, Report, error};
use anabranch_core::methods;

/// The name, attributes and parameters; enough to write the launcher's signature even if something
/// is wrong with them.
pub(crate) fn declaration(
    krate: syn::Path,
    function: &syn::ItemFn,
    library: bool,
    report: &mut Report,
) -> (Header, Vec<Param>) {
    let mut sig = function.sig.clone();
    let closures = if library { BTreeMap::new() } else { closure::parameters(&krate, &mut sig, report) };
    refuse_qualifiers("kernel", &sig, report);
    if let syn::ReturnType::Type(_, ty) = &sig.output
        && !library
    {
        let unit = matches!(&**ty, syn::Type::Tuple(t) if t.elems.is_empty());
        if !unit {
            report.on(
                ty,
                error(Code::KernelResult, "a kernel cannot return a value")
                    .help("write results to `&mut [T]` parameters")
                    .help("to check arguments, write `assert!` in the host part: the launch then panics"),
            );
        }
    }
    let params =
        sig.inputs.iter().enumerate().filter_map(|(at, input)| param(at, input, &closures, &function.block, report));
    let params: Vec<Param> = params.collect();
    let of_slices = params.iter().filter(|param| matches!(param.kind, ParamKind::Slices(_)));
    let structs: Vec<&Ident> = of_slices.map(|param| &param.name).collect();
    if !structs.is_empty() {
        fields::check_names(function.block.to_token_stream(), &structs, report);
    }
    for param in &params {
        match &param.kind {
            ParamKind::Slice { elem, .. } => check_bounds(elem, &sig.generics, report),
            ParamKind::Value(syn::Type::Reference(reference))
                if library && sig.receiver().is_none() && !is_static(reference) =>
            {
                report.on(
                    reference,
                    error(
                        Code::LibraryBorrow,
                        format!("the library kernel borrows the value `{}`", names::plain(&param.name)),
                    )
                    .help("its body may run later, in a group or in a graph, and many times")
                    .help(format!("pass a value that owns what it needs, such as `Arc<{}>`", text(&reference.elem))),
                );
            }
            ParamKind::Slices(ty) if library => report.on(
                ty,
                error(Code::LibraryBorrow, "a library kernel takes no struct of slices")
                    .help("take its slices: `red: &mut [f32]`"),
            ),
            ParamKind::Slices(_) | ParamKind::Value(_) => {}
        }
    }
    (Header { generics: sig.generics, ..header(krate, function) }, params)
}

fn is_static(reference: &syn::TypeReference) -> bool {
    reference.mutability.is_none() && reference.lifetime.as_ref().is_some_and(|lifetime| lifetime.ident == "static")
}

/// Takes the first parameter of a library kernel, which rustc compares with the stream that the
/// body gets.
pub(crate) fn lent_stream(function: &mut syn::ItemFn, report: &mut Report) -> Option<syn::FnArg> {
    let is_reference = function.sig.inputs.first().is_some_and(|first| match first {
        syn::FnArg::Typed(typed) => match &*typed.ty {
            syn::Type::Reference(of) => {
                of.mutability.is_none() && !matches!(&*of.elem, syn::Type::Slice(_)) && grid_type(&of.elem).is_none()
            }
            _ => false,
        },
        syn::FnArg::Receiver(_) => true, // another error says what is wrong with it
    });
    if is_reference {
        let mut inputs = std::mem::take(&mut function.sig.inputs).into_iter();
        let stream = inputs.next();
        function.sig.inputs = match stream {
            Some(syn::FnArg::Receiver(_)) => stream.clone().into_iter().chain(inputs).collect(),
            _ => inputs.collect(),
        };
        return stream;
    }
    let error =
        error(Code::LibraryStream, format!("the library kernel `{}` has no stream", names::plain(&function.sig.ident)))
            .help("write `stream: &Stream` as the first parameter: the library queues its work there")
            .help("callers do not pass it: in a group it is the stream of the group");
    match function.sig.inputs.first() {
        Some(syn::FnArg::Typed(typed)) => report.on(&typed.ty, error),
        _ => report.on(&function.sig.ident, error),
    }
    None
}

/// A library kernel, whose body is left to rustc.
pub(crate) fn library(header: Header, params: Vec<Param>, stream: syn::FnArg, function: syn::ItemFn) -> Kernel {
    let library = Some(Library { stream, output: function.sig.output, block: function.block });
    let (host, loops, forks, calls, structs, plan) = Default::default();
    Kernel { header, params, host, loops, fused: Vec::new(), forks, calls, structs, plan, lanes: true, library }
}

/// The whole kernel.
pub(crate) fn kernel(
    header: Header,
    params: Vec<Param>,
    mut block: syn::Block,
    fusible: Option<Fusible<'_>>,
    report: &mut Report,
) -> Kernel {
    let mut walk = HostWalk::new(report, names::private(&header.krate));
    walk.fusible = fusible;
    walk.type_params = type_params(&header.generics);
    let mut taken = TokenStream::new();
    for param in &params {
        let view = match param.kind {
            ParamKind::Slice { borrow, ref grid, elem: _ } => {
                Some(ViewType { borrow, dims: grid.as_ref().map_or(0, |grid| grid.dims) })
            }
            ParamKind::Slices(_) => {
                taken.extend(fields::of_parameter(&mut walk, &param.name, &mut block));
                continue;
            }
            ParamKind::Value(_) => None,
        };
        match param.closure {
            Some(params) => walk.bind_closure(&param.name, params),
            None => walk.bind(&param.name, view),
        }
    }
    super::host::swap::words(block.to_token_stream(), &mut walk.words);
    walk.visit_block_mut(&mut block);
    let HostWalk { loops, fused, forks, calls, structs, plan, .. } = walk;
    if loops.is_empty() && calls.is_empty() && report.is_empty() {
        let message = format!(
            "the kernel `{}` has no `par` loop and calls no kernel, so it runs nothing on the device",
            header.name
        );
        report.on(&header.name, error(Code::NoParLoop, message).help("mark a loop: `for i in par(0..n) { … }`"));
    }
    let stmts = &block.stmts;
    let host = quote::quote!(#taken #(#stmts)*);
    Kernel { header, params, host, loops, fused, forks, calls, structs, plan, lanes: true, library: None }
}

fn type_params(generics: &syn::Generics) -> Vec<String> {
    generics.type_params().map(|p| p.ident.to_string()).collect()
}

fn header(krate: syn::Path, function: &syn::ItemFn) -> Header {
    let syn::ItemFn { attrs, vis, sig, modifiers: _, block: _ } = function;
    let (attrs, vis, name) = (attrs.clone(), vis.clone(), sig.ident.clone());
    let body = function.block.brace_token.span.open();
    let place = if names::file_name(body) == names::file_name(name.span()) { name.span() } else { body };
    Header { krate, attrs, vis, name, place, generics: sig.generics.clone() }
}

/// The head of an `impl` of device functions, and what is in it beside functions.
pub(crate) fn owner(item: &syn::ItemImpl, report: &mut Report) {
    if let Some((path, _)) = &item.trait_
        && let Some(name) = host_trait(path)
    {
        report.on(
            path,
            error(Code::NotAFunction, format!("`#[device]` cannot be on an `impl` of `{name}`, a trait of std"))
                .help("remove it if only host code needs this `impl`")
                .help("for device code, write functions in a `#[device] impl` of the type, or a `#[device] trait`")
                .help(format!("if `{name}` is a `#[device] trait` of your own, write its path: `self::{name}`")),
        );
    }
    if let Some(of) = reference_of_operator(item) {
        report.on(
            &of,
            error(Code::Reference, "operators of device code take values, not references")
                .help("write `impl Sub for V`, with the values as operands: they are `Copy`, so `a - b` needs no `&`"),
        );
    }
    let of_device_trait = item.trait_.as_ref().is_some_and(|(path, _)| Operator::of(path).is_none());
    if let Some(token) = &item.unsafety {
        report.on(token, error(Code::Qualifier, "an `impl` of device functions cannot be `unsafe`"));
    }
    for member in &item.items {
        // What it becomes would have no source, and the device would run the default.
        if let syn::ImplItem::Macro(member) = member
            && of_device_trait
        {
            report.on(
                member,
                error(Code::Macro, "an `impl` of a device trait cannot have a macro in it")
                    .help("write its functions out, or let the macro make the whole `impl`"),
            );
        }
    }
    let compares = item.trait_.as_ref().and_then(|(path, _)| Operator::of(path)?.compares);
    for member in &item.items {
        if let (Some(only), syn::ImplItem::Fn(function)) = (compares, member)
            && function.sig.ident != only
        {
            report.on(
                &function.sig.ident,
                error(Code::NotAFunction, format!("device code compares with `{only}` alone"))
                    .help("remove this function"),
            );
        }
    }
    for lifetime in item.generics.lifetimes() {
        report.on(
            lifetime,
            error(Code::Lifetime, "an `impl` of device functions cannot have lifetime parameters")
                .help("values of device code borrow nothing: slices are parameters of their own"),
        );
    }
}

/// The operand of an operator that is a reference.
pub(crate) fn reference_of_operator(item: &syn::ItemImpl) -> Option<syn::Type> {
    let (path, _) = item.trait_.as_ref()?;
    let operator = Operator::of(path)?;
    let operands = [Some((*item.self_ty).clone()), operand_type(path)];
    let mut operands = operands.into_iter().flatten();
    if operator.converts { None } else { operands.find(|ty| matches!(ty, syn::Type::Reference(_))) }
}

/// The name of a trait that std has, and whose functions device code never calls, if a path looks
/// like one.
fn host_trait(path: &syn::Path) -> Option<&Ident> {
    let (first, last) = (&path.segments.first()?.ident, &path.segments.last()?.ident);
    let of_std = path.segments.len() == 1 || ["std", "core", "alloc"].iter().any(|krate| first == krate);
    let names = [
        "Default",
        "Drop",
        "Clone",
        "Copy",
        "Debug",
        "Display",
        "Hash",
        "Eq",
        "Ord",
        "Into",
        "TryFrom",
        "TryInto",
        "FromStr",
        "ToString",
        "AsRef",
        "AsMut",
        "Borrow",
        "Deref",
        "DerefMut",
        "Iterator",
        "IntoIterator",
        "FromIterator",
        "Sum",
        "Product",
        "Error",
    ];
    (of_std && names.iter().any(|name| last == name)).then_some(last)
}

/// The head of a trait of device functions.
pub(crate) fn trait_owner(item: &syn::ItemTrait, report: &mut Report) {
    if let Some(token) = &item.unsafety {
        report.on(token, error(Code::Qualifier, "a trait of device functions cannot be `unsafe`"));
    }
    if let Some(token) = &item.modifiers.auto_token {
        report.on(token, error(Code::Qualifier, "a trait of device functions cannot be `auto`"));
    }
    for lifetime in item.generics.lifetimes() {
        report.on(
            lifetime,
            error(Code::Lifetime, "a trait of device functions cannot have lifetime parameters")
                .help("values of device code borrow nothing: slices are parameters of their own"),
        );
    }
}

/// The `impl` or trait that a device function is in.
#[derive(Clone, Copy)]
pub(crate) struct Around<'i> {
    /// Its parameters.
    pub(crate) generics: &'i syn::Generics,
    /// It is a trait, or the `impl` of one.
    pub(crate) of_trait: bool,
    /// It is the `impl` of an index operator, which borrows so.
    pub(crate) projects: Option<Borrow>,
}

/// A device function, in an `impl` or trait if there is one around it.
pub(crate) fn device(
    krate: syn::Path,
    function: &syn::ItemFn,
    around: Option<Around<'_>>,
    report: &mut Report,
) -> DeviceFn {
    let syn::ItemFn { sig, block, .. } = function;
    refuse_qualifiers("device function", sig, report);
    if around.is_some()
        && let Some(reserved) = super::call::reserved(&sig.ident)
    {
        report.on(&sig.ident, reserved);
    }
    for lifetime in sig.generics.lifetimes() {
        report.on(
            lifetime,
            error(Code::Lifetime, "a device function cannot have lifetime parameters")
                .help(format!("remove `{}`: arguments outlive the call, and results are values", lifetime.lifetime)),
        );
    }
    let no_host = |_: &str| None;
    let mut parser = BodyParser::new(report, Context::Device(&sig.ident), &no_host);
    parser.in_impl = around.is_some();
    parser.of_trait = around.is_some_and(|around| around.of_trait);
    let projects = around.and_then(|around| around.projects);
    parser.projects = projects;
    parser.type_params = type_params(&sig.generics);
    parser.type_params.extend(around.into_iter().flat_map(|around| type_params(around.generics)));
    let (mut params, mut taken_apart) = (Vec::new(), Vec::new());
    let this = sig.receiver().filter(|_| around.is_some());
    let (receiver, this_param) = this.and_then(|this| parser.receiver_param(this)).unzip();
    params.extend(this_param);
    if receiver == Some(Receiver::Unique) && methods::find(&names::plain(&sig.ident)).is_some() {
        let message = format!("a device method called `{}` cannot take `&mut self`", sig.ident);
        let error = error(Code::ReservedName, message);
        parser.report.on(&sig.ident, error.help("rename it: the method of std that has this name changes nothing"));
    }
    for (at, input) in sig.inputs.iter().enumerate().skip(usize::from(this.is_some())) {
        let pattern = match input {
            syn::FnArg::Typed(typed) if takes_apart(&typed.pat) => Some(typed),
            _ => None,
        };
        let named = match pattern {
            Some(typed) => Some((None, &*typed.ty)),
            None => {
                name_and_type(at, input, parser.report).map(|(name, mutability, ty)| (Some((name, mutability)), ty))
            }
        };
        let Some((name, ty)) = named else { continue };
        let param = match Signature::of(ty, &sig.generics) {
            Some(signature) => {
                closure::check(&signature, parser.report);
                Some((LocalKind::Closure, syn::parse_quote!(())))
            }
            None => {
                refuse_inside(ty, &sig.generics, parser.report);
                check_bounds(ty, &sig.generics, parser.report);
                device_param(&krate, ty, parser.report)
            }
        };
        if let Some((kind, of)) = param {
            let slot = slot_of(of);
            let local = match name {
                Some((name, mutability)) => parser.bind_kind(&name, mutability.is_some(), slot, kind),
                None => parser.generated("arg", ty.span(), slot, kind),
            };
            params.push((local, ty.clone()));
            if let Some(pat) = pattern.and_then(|typed| parser.pattern(&typed.pat, false)) {
                let init = Expr::new(ty.span(), ExprKind::Local(local));
                taken_apart.push(Stmt::Let { pat, ty: None, init, otherwise: None });
            }
        }
    }
    let output = match &sig.output {
        syn::ReturnType::Default => None,
        syn::ReturnType::Type(_, ty) if matches!(&**ty, syn::Type::Tuple(t) if t.elems.is_empty()) => None,
        syn::ReturnType::Type(_, ty) => {
            refuse_inside(ty, &sig.generics, parser.report);
            if projects.is_none()
                && let syn::Type::Reference(_) | syn::Type::ImplTrait(_) = &**ty
            {
                parser.report.on(
                    ty,
                    error(Code::DeviceResult, format!("a device function cannot return `{}`", text(ty))).help(
                        "return a value: a scalar, a tuple, an array, an `Option`, or a `#[device]` struct or enum",
                    ),
                );
            }
            let part = match &**ty {
                syn::Type::Reference(reference) if projects.is_some() => &reference.elem,
                _ => ty,
            };
            Some((parser.body.slots(slot_of((**part).clone())), (**ty).clone()))
        }
    };
    // Of the body of a wrong declaration there is nothing to say yet.
    if parser.report.is_empty() {
        if let Some((_, ty)) = &output {
            check_value(block, ty, parser.report);
        }
        parser.leaves = Leaves::Body(output.as_ref().map(|(slot, _)| *slot).filter(|_| projects.is_none()));
        let want = match (&output, projects) {
            (None, _) => Want::Nothing,
            (Some(_), None) => Want::Value,
            (Some(_), Some(_)) => Want::Reference,
        };
        parser.attributes(|found| syn::visit::Visit::visit_block(found, block));
        let mut block = parser.block(block, want);
        block.stmts.splice(0..0, taken_apart);
        parser.body.block = block;
    }
    let body: Body = parser.body;
    DeviceFn { header: header(krate, function), receiver, params, projects, output, body }
}

impl BodyParser<'_> {
    /// `self`, `&self` or `&mut self`.
    fn receiver_param(&mut self, receiver: &syn::Receiver) -> Option<(Receiver, (LocalId, syn::Type))> {
        let span = receiver.span();
        let (taken, kind, ty): (_, _, syn::Type) = match &receiver.kind {
            syn::ReceiverKind::Value => (Receiver::Value, LocalKind::Value, syn::parse_quote_spanned!(span=> Self)),
            syn::ReceiverKind::Reference(_, _, Some(_)) => {
                (Receiver::Unique, LocalKind::Reference(Borrow::Unique), syn::parse_quote_spanned!(span=> &mut Self))
            }
            syn::ReceiverKind::Reference(_, _, None) => {
                (Receiver::Shared, LocalKind::Reference(Borrow::Shared), syn::parse_quote_spanned!(span=> &Self))
            }
            _ => {
                self.report.on(
                    receiver,
                    error(Code::NotAFunction, format!("a device method cannot take `{}`", text(receiver)))
                        .help("write `self`, `&self` or `&mut self`"),
                );
                return None;
            }
        };
        let mutable = taken == Receiver::Value && receiver.mutability.is_some();
        let slot = Slot::Written(Box::new(syn::parse_quote_spanned!(span=> Self)));
        Some((taken, (self.bind_kind(&Ident::from(receiver.self_token), mutable, slot, kind), ty)))
    }
}

/// The slot of a type, which a closure leaves to rustc.
fn slot_of(ty: syn::Type) -> Slot {
    match ty {
        syn::Type::Infer(_) => Slot::Inferred,
        ty => Slot::Written(Box::new(ty)),
    }
}

fn takes_apart(pat: &syn::Pat) -> bool {
    matches!(pat, syn::Pat::Tuple(_) | syn::Pat::Slice(_) | syn::Pat::Struct(_) | syn::Pat::TupleStruct(_))
}

/// Refuses a body that plainly ends without the value that the function returns: rustc would say
/// less of it here.
fn check_value(block: &syn::Block, ty: &syn::Type, report: &mut Report) {
    let ty = text(ty);
    match block.stmts.last() {
        Some(syn::Stmt::Expr(value, Some(semicolon))) if is_value(value) => {
            report.on(
                semicolon,
                error(Code::MissingValue, format!("this `;` drops the `{ty}` that the function returns"))
                    .help("remove it"),
            );
        }
        Some(syn::Stmt::Expr(par_loop @ (syn::Expr::ForLoop(_) | syn::Expr::While(_)), _)) => {
            let token = par_loop.to_token_stream().into_iter().next();
            report.on(
                token,
                error(Code::MissingValue, format!("the function returns a `{ty}`, but ends with a loop"))
                    .help("write the value after the loop"),
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

fn refuse_qualifiers(what: &str, sig: &syn::Signature, report: &mut Report) {
    if let Some(token) = &sig.constness {
        report.on(token, error(Code::Qualifier, format!("a {what} cannot be `const`")).help("remove it"));
    }
    if let Some(token) = &sig.asyncness {
        report.on(
            token,
            error(Code::Qualifier, format!("a {what} cannot be `async`"))
                .help("remove it: launches are asynchronous, and streams and events wait for them"),
        );
    }
    if !matches!(sig.safety, syn::Safety::Default) {
        report.on(
            &sig.safety,
            error(Code::Qualifier, format!("a {what} cannot be `unsafe`"))
                .help("remove it: in a `par` loop, put `unsafe { … }` around single accesses"),
        );
    }
    if let Some(abi) = &sig.abi {
        report.on(
            abi,
            error(Code::Qualifier, format!("a {what} cannot be `extern`"))
                .help("remove it: functions of Rust call it, and nothing else"),
        );
    }
    if let Some(variadic) = &sig.variadic {
        report.on(variadic, error(Code::Qualifier, format!("a {what} cannot be variadic")));
    }
}

fn param(
    at: usize,
    input: &syn::FnArg,
    closures: &BTreeMap<String, usize>,
    body: &syn::Block,
    report: &mut Report,
) -> Option<Param> {
    let (name, mutability, ty) = name_and_type(at, input, report)?;
    // If something else is wrong, the attribute may be meant for a library kernel.
    if at == 0
        && report.is_empty()
        && matches!(ty, syn::Type::Reference(of) if super::types::is_named(&of.elem, "Stream"))
    {
        report.on(
            ty,
            error(Code::BufferParameter, "a kernel declares no stream: its launcher takes one first")
                .help("remove the parameter; only a `#[kernel(library)]` has it")
                .help("if the host part uses another stream, move the parameter to the end"),
        );
    }
    let kind = match param_kind(ty, &name, report) {
        Some(ParamKind::Slices(_)) if !fields::are_used(&name, body) => ParamKind::Value(ty.clone()),
        Some(ParamKind::Value(syn::Type::Reference(of)))
            if super::of_any_lifetime(&of.elem).is_some() && fields::are_used(&name, body) =>
        {
            let message = format!("the struct of slices `{name}` is taken by value");
            let error = error(Code::ValueByReference, message).help(format!("write `{name}: {}`", text(&of.elem)));
            report.on(ty, error.help(format!("its launcher takes `&mut {}`, too", text(&of.elem))));
            ParamKind::Value(anything(ty))
        }
        kind => kind.unwrap_or_else(|| ParamKind::Value(anything(ty))),
    };
    if let (ParamKind::Slice { .. } | ParamKind::Slices(_), Some(token)) = (&kind, mutability) {
        report.on(
            token,
            error(Code::ParameterName, "`mut` has no effect on a slice parameter")
                .help("remove it: `&mut [T]` or `&mut Grid<T, 2>` is enough to write the elements"),
        );
    }
    let attrs = match input {
        syn::FnArg::Typed(typed) => typed.attrs.clone(),
        syn::FnArg::Receiver(_) => Vec::new(),
    };
    let closure = closures.get(&names::plain(&name)).copied();
    Some(Param { attrs, mutability, name, kind, closure })
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
                error(Code::NotAFunction, "a method cannot have this attribute of its own")
                    .help("for device code, put `#[device]` above the `impl`")
                    .help("a kernel is a function: pass what it needs as parameters"),
            );
            return None;
        }
        syn::FnArg::Typed(typed) => typed,
    };
    if let Some(attr) = typed.attrs.iter().find(|a| a.path().is_ident("cfg") || a.path().is_ident("cfg_attr")) {
        report.on(
            attr,
            error(Code::AttributeInside, "`cfg` is not supported on parameters").help("put it on the whole function"),
        );
    }
    let unused = |span| Ident::new(&format!("_unused{at}"), span);
    let (name, mutability) = match strip_pat(&typed.pat) {
        syn::Pat::Ident(syn::PatIdent { by_ref: None, subpat: None, ident, mutability, .. }) => {
            (ident.clone(), *mutability)
        }
        syn::Pat::Wild(wild) => (unused(wild.underscore_token.span), None),
        other => {
            report
                .on(other, error(Code::ParameterName, "a parameter must be a single name").help("write `name: type`"));
            (unused(other.span()), None)
        }
    };
    Some((name, mutability, &typed.ty))
}
