//! Closures as arguments of device functions.
//!
//! The body of a closure is a part of the body around it, with the same locals and slots, so that its captures need no list. On a GPU it
//! becomes a lambda, and what it is passed to a function template.

use quote::ToTokens;
use syn::spanned::Spanned;

use super::body::{BodyParser, Want};
use super::{single_ident, strip};
use crate::ir::{Block, Expr, ExprKind, LocalId, LocalKind, Slot, Stmt};
use crate::report::{Code, Report, error};

/// The parameters and the result of `impl Fn(f32) -> f32`.
pub(crate) struct Signature<'t> {
    pub(crate) path: &'t syn::Path,
    pub(crate) inputs: Vec<&'t syn::Type>,
    pub(crate) output: Option<&'t syn::Type>,
}

impl<'t> Signature<'t> {
    /// Only std's traits of closures are written with parentheses.
    pub(crate) fn of(ty: &'t syn::Type) -> Option<Self> {
        let syn::Type::ImplTrait(ty) = ty else { return None };
        let mut bounds = ty.bounds.iter();
        let (Some(syn::TypeParamBound::Trait(bound)), None) = (bounds.next(), bounds.next()) else { return None };
        let last = bound.path.segments.last()?;
        let syn::PathArguments::Parenthesized(args) = &last.arguments else { return None };
        let inputs = args.inputs.iter().map(|arg| &arg.ty).collect();
        let output = match &args.output {
            syn::ReturnType::Default => None,
            syn::ReturnType::Type(_, ty) => Some(&**ty),
        };
        Some(Self { path: &bound.path, inputs, output })
    }

    /// Refuses what no closure of device code has.
    pub(super) fn check(&self, report: &mut Report) {
        let name = self.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
        if name != "Fn" && name != "FnMut" {
            report.on(
                self.path,
                error(Code::Closure, format!("a closure in device code is no `{name}`"))
                    .help("write `impl Fn(f32) -> f32`, or `impl FnMut(f32)` if it changes variables"),
            );
        }
        for ty in self.inputs.iter().chain(&self.output) {
            if let syn::Type::Reference(_) | syn::Type::ImplTrait(_) | syn::Type::Slice(_) = ty {
                report.on(
                    ty,
                    error(Code::Closure, "the parameters and results of closures in device code are values")
                        .help("write the type without `&`: values are copied"),
                );
            }
        }
    }
}

impl BodyParser<'_> {
    /// `|t| t * k`, as an argument of a device function.
    pub(super) fn closure_argument(&mut self, closure: &syn::ExprClosure) -> Expr {
        let span = closure.span();
        if self.plain_closure(closure).is_none() {
            return self.refused(span);
        }
        let loops = std::mem::take(&mut self.loops);
        let result = self.result.take();
        self.closures += 1;
        let (params, block) = self.scoped(|this| {
            let mut stmts = Vec::new();
            let mut params = Vec::new();
            for input in &closure.inputs {
                let (pat, ty) = match input {
                    syn::Pat::Type(typed) => (&*typed.pat, Some(typed.ty.clone())),
                    pat => (pat, None),
                };
                let local = match pat {
                    syn::Pat::Ident(syn::PatIdent { by_ref: None, subpat: None, mutability, ident, .. }) => {
                        this.bind(ident, mutability.is_some(), Slot::Inferred)
                    }
                    pat => {
                        let local = this.generated("arg", pat.span(), Slot::Inferred, LocalKind::Value);
                        if let Some(pat) = this.pattern(pat, false) {
                            let init = Expr { span: pat.span, kind: ExprKind::Local(local) };
                            stmts.push(Stmt::Let { pat, ty: None, init, otherwise: None });
                        }
                        local
                    }
                };
                params.push((local, ty));
            }
            let value = match has_no_value(&closure.body) {
                false => Some(Box::new(this.expr(&closure.body, Want::Value))),
                true => {
                    let body = this.expr(&closure.body, Want::Nothing);
                    stmts.push(Stmt::Expr(body));
                    None
                }
            };
            (params, Block { stmts, value })
        });
        self.closures -= 1;
        (self.loops, self.result) = (loops, result);
        let kind = ExprKind::Closure { params, body: block, result: self.slot() };
        Expr { span, kind }
    }

    /// A closure without qualifiers. `None`: it has some, which is reported.
    pub(super) fn plain_closure<'e>(&mut self, closure: &'e syn::ExprClosure) -> Option<&'e syn::ExprClosure> {
        let mut head = closure.to_token_stream().into_iter().take_while(|tree| tree.to_string() != "|");
        if head.next().is_none() && matches!(closure.output, syn::ReturnType::Default) {
            return Some(closure);
        }
        self.report.on(
            closure,
            error(Code::Closure, "a closure in device code has no attributes, no `move` and no result type")
                .help("write `|v| …`"),
        );
        None
    }

    /// A call of a parameter that is a closure.
    pub(super) fn call_of_closure(&mut self, call: &syn::ExprCall) -> Option<Expr> {
        let local = self.closure_in(&call.func)?;
        let span = call.func.span();
        let args = call.args.iter().map(|arg| self.expr(arg, Want::Value)).collect();
        Some(Expr { span, kind: ExprKind::CallLocal { local, args } })
    }

    fn closure_in(&self, expr: &syn::Expr) -> Option<LocalId> {
        let local = self.local(single_ident(expr)?)?;
        (self.body[local].kind == LocalKind::Closure).then_some(local)
    }
}

/// Whether an expression is done for what it changes: an assignment, a loop, a choice without an alternative.
fn has_no_value(expr: &syn::Expr) -> bool {
    let of_block = |block: &syn::Block| match block.stmts.last() {
        Some(syn::Stmt::Expr(last, None)) => has_no_value(last),
        Some(_) | None => true,
    };
    match strip(expr) {
        syn::Expr::Assign(_) | syn::Expr::While(_) | syn::Expr::ForLoop(_) => true,
        syn::Expr::Binary(binary) => {
            let op = binary.op.to_token_stream().to_string();
            op.ends_with('=') && !matches!(op.as_str(), "==" | "!=" | "<=" | ">=")
        }
        syn::Expr::Block(block) => of_block(&block.block),
        // One that panics has no value either.
        syn::Expr::If(choice) => match &choice.else_branch {
            None => true,
            Some((_, otherwise)) => has_no_value(otherwise) && of_block(&choice.then_branch),
        },
        syn::Expr::Match(matched) => matched.arms.iter().all(|arm| has_no_value(&arm.body)),
        _ => false,
    }
}
