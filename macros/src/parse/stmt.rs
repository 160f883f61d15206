//! Blocks and statements of device code.

use quote::ToTokens;

use super::body::{BodyParser, Want};
use super::{HostName, single_ident, strip, strip_pat, types};
use crate::ir::{Block, Borrow, LocalKind, Pat, PatKind, Slot, Stmt};
use crate::report::{Code, error};

impl BodyParser<'_> {
    pub(super) fn block(&mut self, block: &syn::Block, want: Want) -> Block {
        self.scoped(|this| {
            this.deeper(1);
            let block = this.statements(&block.stmts, want);
            this.deeper(-1);
            block
        })
    }

    pub(super) fn statements(&mut self, stmts: &[syn::Stmt], want: Want) -> Block {
        self.declare_items(stmts);
        let mut block = Block::default();
        for (at, stmt) in stmts.iter().enumerate() {
            let last = at + 1 == stmts.len();
            match stmt {
                syn::Stmt::Local(local) => match self.block_variable(local) {
                    Some(stmts) => block.stmts.extend(stmts),
                    None => block.stmts.extend(self.let_statement(local)),
                },
                syn::Stmt::Expr(expr, None) if last => {
                    block.value = Some(Box::new(self.expr(expr, want)));
                }
                syn::Stmt::Expr(expr, _) => {
                    let expr = self.expr(expr, Want::Nothing);
                    block.stmts.push(Stmt::Expr(expr));
                }
                syn::Stmt::Item(item) => block.stmts.extend(self.item(item)),
                syn::Stmt::Macro(stmt) => {
                    let expr = self.macro_call(&stmt.mac);
                    match stmt.semi_token {
                        None if last => block.value = Some(Box::new(expr)),
                        _ => block.stmts.push(Stmt::Expr(expr)),
                    }
                }
            }
        }
        block
    }

    fn item(&mut self, item: &syn::Item) -> Option<Stmt> {
        match item {
            syn::Item::Const(_) | syn::Item::Use(_) | syn::Item::Type(_) => {}
            syn::Item::Fn(function)
                if function.attrs.iter().any(|a| a.path().segments.last().is_some_and(|s| s.ident == "device")) => {}
            syn::Item::Fn(function) => {
                self.report.on(
                    &function.sig.ident,
                    error(Code::Item, format!("the function `{}` cannot be called in device code", function.sig.ident))
                        .help("put `#[device]` on it"),
                );
                return None;
            }
            other => {
                self.report.on(
                    other,
                    error(Code::Item, "this item is not supported in device code").help(
                        "move it out of the function: only `const`, `use`, `type` and `#[device] fn` can be here",
                    ),
                );
                return None;
            }
        }
        Some(Stmt::Item(item.to_token_stream()))
    }

    fn let_statement(&mut self, local: &syn::Local) -> Option<Stmt> {
        let (pat, ty) = match strip_pat(&local.pat) {
            syn::Pat::Type(typed) => (strip_pat(&typed.pat), Some(typed.ty.clone())),
            pat => (pat, None),
        };
        let errors = self.report.len();
        if let Some(syn::LocalInit { expr, diverge: None, .. }) = &local.init
            && let syn::Expr::Reference(reference) = strip(expr)
            && let Some(kind) = self.referred(reference)
            && let syn::Pat::Ident(syn::PatIdent { by_ref: None, subpat: None, ident, .. }) = pat
        {
            // A `mut` would allow to assign another reference, which device code cannot do.
            let init = self.argument(expr);
            if self.report.len() > errors {
                self.bind_anyway(pat);
                return None;
            }
            let local = self.bind_kind(ident, false, Slot::Inferred, kind);
            let pat = Pat { span: ident.span(), kind: PatKind::Bind { local, sub: None } };
            return Some(Stmt::Let { pat, ty, init, otherwise: None });
        }
        if let Some(syn::LocalInit { expr, diverge: None, .. }) = &local.init
            && let syn::Expr::Closure(closure) = strip(expr)
            && let syn::Pat::Ident(syn::PatIdent { by_ref: None, subpat: None, mutability, ident, .. }) = pat
        {
            if let Some(ty) = &ty {
                let error = error(Code::Closure, "a variable that holds a closure has no written type in device code");
                self.report.on(ty, error.help("remove the type"));
            }
            let init = self.closure_value(closure, false);
            if self.report.len() > errors {
                self.bind_anyway(pat);
                return None;
            }
            let nothing = Slot::Written(Box::new(syn::parse_quote!(())));
            let local = self.bind_kind(ident, mutability.is_some(), nothing, LocalKind::Closure);
            let pat = Pat { span: ident.span(), kind: PatKind::Bind { local, sub: None } };
            return Some(Stmt::Let { pat, ty: None, init, otherwise: None });
        }
        if let Some(ty) = &ty {
            types::device_value(ty, self.report);
        }
        let Some(init) = &local.init else { return self.declaration(pat, ty) };
        let value = self.expr(&init.expr, Want::Value);
        let otherwise = init.diverge.as_ref().map(|(_, diverge)| match &**diverge {
            syn::Expr::Block(block) => self.block(&block.block, Want::Nothing),
            other => {
                let value = self.expr(other, Want::Nothing);
                Block { stmts: vec![Stmt::Expr(value)], value: None }
            }
        });
        if self.report.len() > errors {
            self.bind_anyway(pat);
            return None;
        }
        let pat = match pat {
            syn::Pat::Ident(syn::PatIdent { by_ref: None, subpat: None, ident, mutability, .. })
                if otherwise.is_none() =>
            {
                let local = self.bind(ident, mutability.is_some(), Slot::Inferred);
                Pat { span: ident.span(), kind: PatKind::Bind { local, sub: None } }
            }
            pat => self.pattern(pat, otherwise.is_some())?,
        };
        Some(Stmt::Let { pat, ty, init: value, otherwise })
    }

    /// What a variable is that holds a reference: to a part of a slice or array, or to one place.
    /// Of other references there are no variables.
    fn referred(&self, reference: &syn::ExprReference) -> Option<LocalKind> {
        let inner = strip(self.through(&reference.expr));
        let borrow = if reference.mutability.is_some() { Borrow::Unique } else { Borrow::Shared };
        if self.is_atomic(inner) {
            return None;
        }
        if matches!(inner, syn::Expr::Index(index) if matches!(strip(&index.index), syn::Expr::Range(_))) {
            return Some(LocalKind::Slice(borrow));
        }
        if let Some(name) = self.view_name(inner) {
            let is_slice = matches!(self.host(name), Some(HostName::View { view, .. }) if view.dims == 0);
            return is_slice.then_some(LocalKind::Slice(borrow));
        }
        let local = single_ident(inner).and_then(|name| self.local(name));
        let is_value = local.is_none_or(|local| self.body[local].kind == LocalKind::Value);
        (is_value && super::call::is_place(inner)).then_some(LocalKind::Reference(borrow))
    }

    /// `let x;`, `let x: T;`
    fn declaration(&mut self, pat: &syn::Pat, ty: Option<Box<syn::Type>>) -> Option<Stmt> {
        let syn::Pat::Ident(syn::PatIdent { by_ref: None, subpat: None, ident, mutability, .. }) = pat else {
            self.report.on(
                pat,
                error(Code::Pattern, "a `let` without a value must declare a single name")
                    .help("write `let x;` for each variable"),
            );
            self.bind_anyway(pat);
            return None;
        };
        let local = self.bind(ident, mutability.is_some(), Slot::Inferred);
        self.body.locals[local.0].late = true;
        Some(Stmt::Declare { span: ident.span(), local, ty })
    }
}
