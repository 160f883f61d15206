//! Closures: as arguments, and in variables.
//!
//! The body of a closure is a part of the body around it, with the same locals and slots, so that
//! its captures need no list. On a GPU it becomes a lambda, and what it is passed to a function
//! template.

use std::collections::BTreeMap;

use proc_macro2::{Ident, TokenTree};
use quote::{ToTokens, quote};
use syn::spanned::Spanned;

use super::body::{BodyParser, Context, Leaves, Want};
use super::{HostName, single_ident, strip, strip_pat};
use crate::generics::Signature;
use crate::ir::{Block, Borrow, Callee, ClosureParam, DeviceFn, Expr, ExprKind, LocalId, LocalKind, Slot, Stmt};
use crate::names;
use crate::report::{Code, Report, error};

/// Refuses what no closure of device code has.
pub(super) fn check(signature: &Signature<'_>, report: &mut Report) {
    let name = signature.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
    if !matches!(name.as_str(), "Fn" | "FnMut" | "FnOnce") {
        report.on(
            signature.path,
            error(Code::Closure, format!("a closure in device code is no `{name}`"))
                .help("write `impl Fn(f32) -> f32`, or `impl FnMut(f32)` if it changes variables"),
        );
    }
    for other in &signature.others {
        let known = match other {
            syn::TypeParamBound::Trait(bound) => {
                bound.path.segments.last().is_some_and(|last| last.ident == "Copy" || last.ident == "Clone")
            }
            _ => false,
        };
        if !known {
            report.on(
                other,
                error(
                    Code::Closure,
                    "a closure in device code has only the bounds `Fn`, `FnMut` or `FnOnce`, and `Copy`",
                )
                .help("remove this bound"),
            );
        }
    }
    for ty in signature.inputs.iter().chain(&signature.output) {
        if !is_value(ty) {
            report.on(
                ty,
                error(Code::Closure, "the parameters and results of closures in device code are values")
                    .help("write the type without `&`: values are copied"),
            );
        }
    }
}

fn is_value(ty: &syn::Type) -> bool {
    !matches!(ty, syn::Type::Reference(_) | syn::Type::ImplTrait(_) | syn::Type::Slice(_))
}

/// The closures among the parameters of a kernel, with the numbers of their own parameters. Each is
/// taken by the trait of what `closure!` makes, in place of `Fn`.
pub(super) fn parameters(krate: &syn::Path, sig: &mut syn::Signature, report: &mut Report) -> BTreeMap<String, usize> {
    let (mut all, mut named, generics) = (BTreeMap::new(), Vec::new(), sig.generics.clone());
    for (at, input) in sig.inputs.iter_mut().enumerate() {
        let syn::FnArg::Typed(typed) = input else { continue };
        let Some(signature) = Signature::of(&typed.ty, &generics) else { continue };
        check(&signature, report);
        of_kernel(&signature, report);
        if let syn::Pat::Ident(name) = strip_pat(&typed.pat) {
            all.insert(names::plain(&name.ident), signature.inputs.len());
        }
        match &*typed.ty {
            // What generated code names needs a name.
            syn::Type::ImplTrait(of) => {
                let span = of.impl_token.span;
                let mut name = names::local(&format!("F{at}"));
                name.set_span(span.resolved_at(name.span()));
                let bounds = of.bounds.iter().map(|bound| by_trait(krate, bound));
                sig.generics.params.push(syn::parse_quote_spanned!(span=> #name: #(#bounds)+*));
                typed.ty = syn::parse_quote_spanned!(span=> #name);
            }
            syn::Type::Path(of) => named.extend(of.path.get_ident().cloned()),
            _ => {}
        }
    }
    let is_named = |of: &Ident| named.contains(of);
    let replace = |bounds: &mut Bounds| bounds.iter_mut().for_each(|bound| *bound = by_trait(krate, bound));
    for param in sig.generics.type_params_mut().filter(|param| is_named(&param.ident)) {
        replace(&mut param.bounds);
    }
    for predicate in sig.generics.where_clause.iter_mut().flat_map(|clause| &mut clause.predicates) {
        if let syn::WherePredicate::Type(of) = predicate
            && let syn::Type::Path(path) = &of.bounded_ty
            && path.path.get_ident().is_some_and(is_named)
        {
            replace(&mut of.bounds);
        }
    }
    all
}

type Bounds = syn::punctuated::Punctuated<syn::TypeParamBound, syn::Token![+]>;

/// A bound of a closure, by the trait that has its code.
fn by_trait(krate: &syn::Path, bound: &syn::TypeParamBound) -> syn::TypeParamBound {
    match Signature::of_bounds(std::iter::once(bound)) {
        Some(Signature { path, inputs, output, .. }) => {
            // What is refused has no second error.
            let of = |ty: &syn::Type| if is_value(ty) { ty.to_token_stream() } else { quote!(()) };
            let (inputs, output) = (inputs.into_iter().map(of), output.map_or_else(|| quote!(()), of));
            syn::parse_quote_spanned!(path.span()=> #krate::DeviceClosure<(#(#inputs,)*), Output = #output>)
        }
        None => bound.clone(),
    }
}

/// Refuses what a closure in device code can have, and a parameter of a kernel cannot.
fn of_kernel(signature: &Signature<'_>, report: &mut Report) {
    let name = signature.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
    if name == "FnMut" || name == "FnOnce" {
        report.on(
            signature.path,
            error(Code::Closure, format!("a kernel cannot take an `{name}`: its iterations run at the same time"))
                .help("write `impl Fn(f32) -> f32`"),
        );
    } else if signature.output.is_none() {
        report.on(
            signature.path,
            error(Code::Closure, "a closure without a result does nothing: it has copies of what it captures")
                .help("write the type of what it returns: `impl Fn(f32) -> f32`"),
        );
    }
}

/// `closure!(|v: f32| v * scale)` as a device function of the captured values and the arguments.
/// `None`: it is none, which is reported.
pub(crate) fn of_host(
    krate: syn::Path,
    closure: &syn::ExprClosure,
    report: &mut Report,
) -> Option<(DeviceFn, Vec<Ident>)> {
    let (name, span) = (names::generated("closure", closure.inputs_begin.span), closure.body.span());
    let (mut pats, mut types) = (Vec::new(), Vec::new());
    for input in &closure.inputs {
        let syn::Pat::Type(syn::PatType { pat, ty, .. }) = strip_pat(input) else {
            let error = error(Code::Closure, "the type of this parameter is not written");
            report.on(input, error.help(format!("write it: `|{}: f32|`", super::text(input))));
            continue;
        };
        pats.push(pat);
        types.push(ty);
    }
    let captured = captured(&name, closure);
    if let Some(this) = captured.iter().find(|name| *name == "self") {
        report.on(
            this,
            error(Code::Closure, "`closure!` cannot capture `self`")
                .help("bind what it needs to a variable before: `let scale = self.scale;`"),
        );
    }
    let output: syn::Type = match &closure.output {
        syn::ReturnType::Default => syn::parse_quote_spanned!(span=> _),
        syn::ReturnType::Type(_, ty) => (**ty).clone(),
    };
    let body = match &*closure.body {
        syn::Expr::Block(syn::ExprBlock { attrs, label: None, block }) if attrs.is_empty() => block.clone(),
        body => {
            let stmts = vec![syn::Stmt::Expr(body.clone(), None)];
            syn::Block { brace_token: syn::token::Brace(span), stmts }
        }
    };
    let values = names::tree(captured.iter().map(ToTokens::to_token_stream).collect());
    let function = quote!(fn #name(#values: _, (#(#pats,)*): (#(#types,)*)) -> #output #body);
    let function = syn::parse2(function).map_err(|why| report.syn(Code::Syntax, &why)).ok()?;
    let function = super::signature::device(krate, &function, None, report);
    function.body.block.any(&mut |expr| {
        let place = match &expr.kind {
            ExprKind::Assign { place, .. } | ExprKind::Reference { borrow: Borrow::Unique, place } => place.root(),
            _ => None,
        };
        // They are the first variables, behind the parameter that has all of them.
        if let Some(name) = place.and_then(|LocalId(at)| captured.get(at.checked_sub(1)?)) {
            let error = error(Code::Closure, format!("`closure!` has a copy of `{name}`, which it cannot change"));
            report.at(expr.span, error.help("return what it computes: the kernel writes it"));
        }
        false
    });
    Some((function, captured))
}

/// The lone names of a body that begin in lower case, are not called, and mean nothing in it.
fn captured(name: &Ident, closure: &syn::ExprClosure) -> Vec<Ident> {
    let free = |name: &str| (!name.starts_with(char::is_uppercase)).then_some(HostName::Value);
    // What is wrong is said when the function is parsed.
    let mut report = Report::default();
    let mut parser = BodyParser::new(&mut report, Context::Device(name), &free);
    closure.inputs.iter().for_each(|pat| drop(parser.pattern(strip_pat(pat), false)));
    parser.expr(&closure.body, Want::Value);
    let captures = std::mem::take(&mut parser.body.captures);
    drop(report.check());
    captures.into_iter().map(|capture| capture.name).collect()
}

/// Refuses a type that contains that of a closure, which is only one of parameters of their own.
pub(super) fn refuse_inside(ty: &syn::Type, generics: &syn::Generics, report: &mut Report) {
    if let Some(name) = closure_in(ty.to_token_stream(), generics) {
        let f = format!("{}", name).to_lowercase();
        report.on(
            ty,
            error(Code::Closure, format!("the closure `{name}` can only be a parameter of its own in device code"))
                .help(format!("write `{f}: {name}`; the caller may pass a reference: `g(&{f})`")),
        );
    }
}

fn closure_in(tokens: proc_macro2::TokenStream, generics: &syn::Generics) -> Option<Ident> {
    tokens.into_iter().find_map(|tree| match tree {
        TokenTree::Ident(name) => Signature::of_parameter(&name, generics).is_some().then_some(name),
        TokenTree::Group(group) => closure_in(group.stream(), generics),
        TokenTree::Punct(_) | TokenTree::Literal(_) => None,
    })
}

impl BodyParser<'_> {
    /// `|t| t * k`, as an argument of a function or the value of a variable.
    ///
    /// `loose`: where it does not show, only rustc knows whether its parameters are references.
    pub(super) fn closure_value(&mut self, closure: &syn::ExprClosure, loose: bool) -> Expr {
        let span = closure.span();
        if !self.is_plain(closure) {
            return self.refused(span);
        }
        let output = match &closure.output {
            syn::ReturnType::Default => None,
            syn::ReturnType::Type(_, ty) => {
                super::types::device_value(ty, self.report);
                Some(ty.clone())
            }
        };
        let loops = std::mem::take(&mut self.loops);
        let slot = self.slot();
        let around = std::mem::replace(&mut self.leaves, Leaves::Closure(slot));
        let (params, block) = self.scoped(|this| {
            let mut stmts = Vec::new();
            let mut params = Vec::new();
            for input in &closure.inputs {
                let (pat, ty) = match strip_pat(input) {
                    syn::Pat::Type(typed) => (strip_pat(&typed.pat), Some(typed.ty.clone())),
                    pat => (pat, None),
                };
                let reference = LocalKind::Reference(Borrow::Shared);
                let mut is_loose = false;
                let local = match pat {
                    syn::Pat::Ident(syn::PatIdent { by_ref: None, subpat: None, mutability, ident, .. }) => {
                        let by_type =
                            matches!(ty.as_deref(), Some(syn::Type::Reference(of)) if of.mutability.is_none());
                        let kind = match by_type || ty.is_none() && dereferences(ident, &closure.body) {
                            true => reference,
                            false => LocalKind::Value,
                        };
                        is_loose = loose && ty.is_none() && kind == LocalKind::Value;
                        this.bind_kind(ident, mutability.is_some(), Slot::Inferred, kind)
                    }
                    syn::Pat::Reference(syn::PatReference { pat, mutability: None, .. }) => {
                        let local = this.generated("arg", pat.span(), Slot::Inferred, reference);
                        let init = Box::new(Expr::new(pat.span(), ExprKind::Local(local)));
                        let init = Expr::new(pat.span(), ExprKind::Deref(init));
                        let pat = this.pattern(pat, false);
                        stmts.extend(pat.map(|pat| Stmt::Let { pat, ty: None, init, otherwise: None }));
                        local
                    }
                    pat => {
                        is_loose = loose && matches!(pat, syn::Pat::Wild(_));
                        let local = this.generated("arg", pat.span(), Slot::Inferred, LocalKind::Value);
                        if !is_loose && let Some(pat) = this.pattern(pat, false) {
                            let init = Expr::new(pat.span, ExprKind::Local(local));
                            stmts.push(Stmt::Let { pat, ty: None, init, otherwise: None });
                        }
                        local
                    }
                };
                this.body.locals[local.0].loose = is_loose;
                params.push(ClosureParam { local, ty });
            }
            let of_statements = match Yields::of(&closure.body) {
                Yields::Nothing => true,
                // All that it yields, it returns.
                Yields::Never => matches!(strip(&closure.body), syn::Expr::Block(_) | syn::Expr::If(_)),
                Yields::Unknown => false,
            };
            let value = if of_statements {
                let body = this.expr(&closure.body, Want::Nothing);
                stmts.push(Stmt::Expr(body));
                None
            } else {
                Some(Box::new(this.expr(&closure.body, Want::Value)))
            };
            (params, Block { stmts, value })
        });
        (self.loops, self.leaves) = (loops, around);
        let kind = ExprKind::Closure { params, output, body: block, result: slot };
        Expr::new(span, kind)
    }

    /// Whether a closure has no qualifiers; those that it has are reported.
    pub(super) fn is_plain(&mut self, closure: &syn::ExprClosure) -> bool {
        let mut head = closure.to_token_stream().into_iter().take_while(|tree| tree.to_string() != "|");
        let found = head.next();
        if let Some(found) = &found {
            self.report.on(
                found,
                error(Code::Closure, "a closure in device code has no attributes and no `move`").help("write `|v| …`"),
            );
        }
        found.is_none()
    }

    /// A call of a closure that is a parameter of the kernel: of a function of its trait.
    pub(super) fn call_of_parameter(&mut self, call: &syn::ExprCall) -> Option<Expr> {
        let (name, params) = self.closure_of_host(&call.func)?;
        let span = name.span();
        if call.args.len() != params {
            let takes = super::call::arguments(params);
            let message = format!("`{name}` takes {takes}, but got {}", call.args.len());
            return Some(self.unsupported(name, error(Code::Closure, message)));
        }
        let closure = Expr::new(span, ExprKind::Captured(self.capture_value(name)));
        let elems = call.args.iter().map(|arg| self.expr(arg, Want::Value)).collect();
        let args = Expr::new(call.paren_token.span.join(), ExprKind::Tuple { elems, slot: self.slot() });
        let private = names::private_at(&self.private, span);
        let path = syn::parse_quote_spanned!(span=> #private::closure::DeviceClosure::call);
        let slot = self.body.slots(Slot::Function);
        let callee = Callee::Associated { path, name: Ident::new("call", span), slot, site: None };
        Some(Expr::new(span, ExprKind::Call { callee, args: vec![closure, args] }))
    }

    /// A closure that is a parameter of the kernel, with the number of its own parameters.
    fn closure_of_host<'e>(&self, expr: &'e syn::Expr) -> Option<(&'e Ident, usize)> {
        let name = single_ident(expr)?;
        match self.host(name)? {
            HostName::Closure(params) => Some((name, params)),
            HostName::View { .. } | HostName::Slices(_) | HostName::Value => None,
        }
    }

    /// Such a closure as an argument, `f` or `&f`: `|a, b| f(a, b)`.
    pub(super) fn passed_closure(&mut self, arg: &syn::Expr) -> Option<Expr> {
        let arg = match strip(arg) {
            syn::Expr::Reference(syn::ExprReference { mutability: None, expr, .. }) => expr,
            arg => arg,
        };
        let (name, params) = self.closure_of_host(arg)?;
        let span = name.span();
        let args: Vec<Ident> = (0..params).map(|at| names::generated(&format!("arg{at}"), span)).collect();
        let closure = syn::parse_quote_spanned!(span=> |#(#args),*| #name(#(#args),*));
        Some(self.closure_value(&closure, false))
    }

    /// A call of a closure that has a name.
    pub(super) fn call_of_closure(&mut self, call: &syn::ExprCall) -> Option<Expr> {
        let local = self.closure_in(&call.func)?;
        let span = call.func.span();
        let args = call.args.iter().map(|arg| self.expr(arg, Want::Value)).collect();
        Some(Expr::new(span, ExprKind::Call { callee: Callee::Closure(local), args }))
    }

    fn closure_in(&self, expr: &syn::Expr) -> Option<LocalId> {
        let local = self.local(single_ident(expr)?)?;
        (self.body[local].kind == LocalKind::Closure).then_some(local)
    }
}

/// What a look at an expression tells of its value.
#[derive(Clone, Copy, PartialEq)]
enum Yields {
    /// It has none: an assignment, a loop, a choice without an alternative, `()`.
    Nothing,
    /// It never ends here, so it fits whatever else there is.
    Never,
    /// Only rustc knows.
    Unknown,
}

impl Yields {
    fn of(expr: &syn::Expr) -> Self {
        match strip(expr) {
            syn::Expr::Assign(_) | syn::Expr::While(_) | syn::Expr::ForLoop(_) => Self::Nothing,
            syn::Expr::Tuple(tuple) if tuple.elems.is_empty() => Self::Nothing,
            syn::Expr::Binary(binary) if is_assignment(&binary.op) => Self::Nothing,
            syn::Expr::Return(_) | syn::Expr::Break(_) | syn::Expr::Continue(_) => Self::Never,
            syn::Expr::Macro(called) => Self::of_macro(&called.mac),
            // What leaves a block with a label can give it a value.
            syn::Expr::Block(block) => match Self::of_block(&block.block) {
                Self::Never if block.label.is_some() => Self::Unknown,
                yields => yields,
            },
            syn::Expr::Unsafe(block) => Self::of_block(&block.block),
            syn::Expr::If(choice) => match &choice.else_branch {
                None => Self::Nothing,
                Some((_, otherwise)) => Self::of_one([Self::of_block(&choice.then_branch), Self::of(otherwise)]),
            },
            syn::Expr::Match(matched) if !matched.arms.is_empty() => {
                Self::of_one(matched.arms.iter().map(|arm| Self::of(&arm.body)))
            }
            _ => Self::Unknown,
        }
    }

    fn of_macro(called: &syn::Macro) -> Self {
        let name = called.path.segments.last().map(|last| names::plain(&last.ident)).unwrap_or_default();
        match name.as_str() {
            "panic" | "unreachable" | "todo" | "unimplemented" => Self::Never,
            _ => Self::Unknown,
        }
    }

    fn of_block(block: &syn::Block) -> Self {
        let stops = |stmt: &syn::Stmt| match stmt {
            syn::Stmt::Expr(expr, _) => Self::of(expr) == Self::Never,
            syn::Stmt::Macro(of) => Self::of_macro(&of.mac) == Self::Never,
            syn::Stmt::Local(_) | syn::Stmt::Item(_) => false,
        };
        match block.stmts.last() {
            Some(syn::Stmt::Expr(last, None)) => Self::of(last),
            Some(syn::Stmt::Macro(last)) if last.semi_token.is_none() => Self::of_macro(&last.mac),
            _ if block.stmts.iter().any(stops) => Self::Never,
            _ => Self::Nothing,
        }
    }

    /// One of several ways: all have the type of the one that is known.
    fn of_one(ways: impl IntoIterator<Item = Self>) -> Self {
        let one = |a, b| match (a, b) {
            (Self::Nothing, _) | (_, Self::Nothing) => Self::Nothing,
            (Self::Unknown, _) | (_, Self::Unknown) => Self::Unknown,
            (Self::Never, Self::Never) => Self::Never,
        };
        ways.into_iter().reduce(one).unwrap_or(Self::Unknown)
    }
}

/// `+=` and the like.
pub(super) fn is_assignment(op: &syn::BinOp) -> bool {
    let op = op.to_token_stream().to_string();
    op.ends_with('=') && !matches!(op.as_str(), "==" | "!=" | "<=" | ">=")
}

/// Whether an expression contains `*name`, where the name is that of the parameter.
fn dereferences(name: &Ident, body: &syn::Expr) -> bool {
    let mut finder = Dereferences { name, found: false };
    syn::visit::Visit::visit_expr(&mut finder, body);
    finder.found
}

struct Dereferences<'n> {
    name: &'n Ident,
    found: bool,
}

impl Dereferences<'_> {
    fn is_hidden_by(&self, pat: &syn::Pat) -> bool {
        let mut names = Vec::new();
        super::names_of(pat, &mut names);
        names.iter().any(|name| names::plain(name) == names::plain(self.name))
    }
}

impl<'e> syn::visit::Visit<'e> for Dereferences<'_> {
    fn visit_expr_unary(&mut self, unary: &'e syn::ExprUnary) {
        let of = matches!(unary.op, syn::UnOp::Deref(_)).then(|| single_ident(&unary.expr)).flatten();
        self.found |= of.is_some_and(|of| names::plain(of) == names::plain(self.name));
        syn::visit::visit_expr_unary(self, unary);
    }

    fn visit_expr_closure(&mut self, closure: &'e syn::ExprClosure) {
        if !closure.inputs.iter().any(|pat| self.is_hidden_by(pat)) {
            syn::visit::visit_expr_closure(self, closure);
        }
    }

    fn visit_arm(&mut self, arm: &'e syn::Arm) {
        if !self.is_hidden_by(&arm.pat) {
            syn::visit::visit_arm(self, arm);
        }
    }

    fn visit_expr_for_loop(&mut self, of: &'e syn::ExprForLoop) {
        self.visit_expr(&of.expr);
        if !self.is_hidden_by(&of.pat) {
            self.visit_block(&of.body);
        }
    }

    fn visit_block(&mut self, block: &'e syn::Block) {
        for stmt in &block.stmts {
            self.visit_stmt(stmt);
            if matches!(stmt, syn::Stmt::Local(local) if self.is_hidden_by(&local.pat)) {
                return;
            }
        }
    }
}
