//! Device code: blocks, statements and scopes. Expressions are in `expr`.

use proc_macro2::{Ident, Span};
use syn::spanned::Spanned;

use super::{HostName, plain};
use crate::ir::{
    Access, Block, Body, Capture, CaptureId, CaptureKind, Expr, ExprKind, Local, LocalId, LoopId, Slot, SlotId, Stmt,
};
use crate::report::Report;

/// Where the device code stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Context<'a> {
    /// The body of a `par` loop.
    Par,
    /// The body of the `#[device]` function of this name.
    Device(&'a Ident),
}

/// Whether somebody uses the value of an expression: only then it has a slot for its type.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Want {
    Value,
    Nothing,
}

/// Parses one body.
pub(super) struct BodyParser<'a> {
    pub(super) report: &'a mut Report,
    pub(super) context: Context<'a>,
    pub(super) body: Body,
    host: &'a dyn Fn(&str) -> Option<HostName>,
    scopes: Vec<Vec<(String, LocalId)>>,
    /// Locals whose `let` is wrong: what they are is unknown, so nothing is said of their uses.
    refused: Vec<LocalId>,
    pub(super) loops: Vec<LoopFrame>,
}

/// A loop around the place that is being parsed.
pub(super) struct LoopFrame {
    pub(super) id: LoopId,
    pub(super) label: Option<String>,
    pub(super) kind: LoopKind,
    /// Somebody uses the value that a `break` brings.
    pub(super) want: Want,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LoopKind {
    Par,
    Loop,
    Other,
}

impl<'a> BodyParser<'a> {
    pub(super) fn new(
        report: &'a mut Report,
        context: Context<'a>,
        host: &'a dyn Fn(&str) -> Option<HostName>,
    ) -> Self {
        Self {
            report,
            context,
            body: Body { loops: 1, ..Body::default() },
            host,
            scopes: vec![Vec::new()],
            refused: Vec::new(),
            loops: Vec::new(),
        }
    }

    /// A new local, visible from here to the end of the scope.
    pub(super) fn bind(&mut self, name: &Ident, mutable: bool, ty: Slot) -> LocalId {
        let slot = self.body.slots(ty);
        let local = self.body.locals(Local { name: name.clone(), mutable, slot });
        if let Some(scope) = self.scopes.last_mut() {
            scope.push((name.to_string(), local));
        }
        local
    }

    pub(super) fn local(&self, name: &Ident) -> Option<LocalId> {
        let name = name.to_string();
        self.scopes.iter().rev().flat_map(|s| s.iter().rev()).find(|(n, _)| *n == name).map(|(_, id)| *id)
    }

    /// Whether the `let` of a local was refused.
    pub(super) fn is_refused(&self, name: &Ident) -> bool {
        self.local(name).is_some_and(|local| self.refused.contains(&local))
    }

    pub(super) fn host(&self, name: &Ident) -> Option<HostName> {
        (self.host)(&name.to_string())
    }

    pub(super) fn slot(&mut self) -> SlotId {
        self.body.slots(Slot::Inferred)
    }

    /// The capture of a host value.
    pub(super) fn capture_value(&mut self, name: &Ident) -> CaptureId {
        match self.body.captures.iter().position(|c| c.name == *name) {
            Some(at) => CaptureId(at),
            None => self.body.captures(Capture { name: name.clone(), kind: CaptureKind::Value }),
        }
    }

    /// The capture of a view, with its strongest access so far.
    pub(super) fn capture_view(&mut self, name: &Ident, access: Access) -> Option<CaptureId> {
        let Some(HostName::View { binding, .. }) = self.host(name) else { return None };
        match self.body.captures.iter_mut().enumerate().find(|(_, c)| c.name == *name) {
            Some((at, capture)) => {
                if let CaptureKind::View(_, strongest) = &mut capture.kind {
                    *strongest = access.max(*strongest);
                }
                Some(CaptureId(at))
            }
            None => Some(self.body.captures(Capture { name: name.clone(), kind: CaptureKind::View(binding, access) })),
        }
    }

    pub(super) fn enter_loop(&mut self, label: Option<&syn::Label>, kind: LoopKind, want: Want) -> LoopId {
        let id = match kind {
            LoopKind::Par => LoopId(0),
            LoopKind::Loop | LoopKind::Other => {
                self.body.loops += 1;
                LoopId(self.body.loops - 1)
            }
        };
        self.loops.push(LoopFrame { id, label: label.map(|l| l.name.ident.to_string()), kind, want });
        id
    }

    pub(super) fn leave_loop(&mut self) {
        self.loops.pop();
    }

    pub(super) fn block(&mut self, block: &syn::Block, want: Want) -> Block {
        self.scoped(|this| this.statements(&block.stmts, want))
    }

    /// Names bound inside are gone afterwards.
    pub(super) fn scoped<T>(&mut self, inside: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.push(Vec::new());
        let value = inside(self);
        self.scopes.pop();
        value
    }

    fn statements(&mut self, stmts: &[syn::Stmt], want: Want) -> Block {
        let mut block = Block::default();
        for (at, stmt) in stmts.iter().enumerate() {
            let last = at + 1 == stmts.len();
            match stmt {
                syn::Stmt::Local(local) => {
                    if let Some(stmt) = self.let_statement(local) {
                        block.stmts.push(stmt);
                    }
                }
                syn::Stmt::Expr(expr, None) if last => block.value = Some(Box::new(self.expr(expr, want))),
                syn::Stmt::Expr(expr, _) => {
                    let expr = self.expr(expr, Want::Nothing);
                    block.stmts.push(Stmt::Expr(expr));
                }
                syn::Stmt::Item(item) => {
                    self.report.on(item, "items are not supported in device code yet; move it out of the kernel");
                }
                syn::Stmt::Macro(stmt) => self.no_macro(&stmt.mac),
            }
        }
        block
    }

    fn let_statement(&mut self, local: &syn::Local) -> Option<Stmt> {
        self.no_attributes(&local.attrs);
        let (pat, ty) = match &local.pat {
            syn::Pat::Type(typed) => (&*typed.pat, Some(typed.ty.clone())),
            pat => (pat, None),
        };
        let Some(init) = &local.init else {
            self.report.on(&local.pat, "a variable of device code needs a value where it is declared: `let x = …;`");
            self.bind_anyway(pat);
            return None;
        };
        if let Some((else_token, _)) = &init.diverge {
            self.report.at(else_token.span(), "`let … else` is not supported in device code yet");
        }
        if !matches!(pat, syn::Pat::Ident(syn::PatIdent { by_ref: None, subpat: None, .. }) | syn::Pat::Wild(_)) {
            self.report.on(pat, "this pattern is not supported in device code yet; bind one name at a time");
            self.bind_anyway(pat);
            return None;
        }
        let errors = self.report.len();
        let init = self.expr(&init.expr, Want::Value);
        if self.report.len() > errors {
            self.bind_anyway(pat);
            return None;
        }
        match pat {
            syn::Pat::Ident(syn::PatIdent { by_ref: None, subpat: None, ident, mutability, .. }) => {
                let slot = ty.clone().map_or(Slot::Inferred, Slot::Written);
                let local = self.bind(ident, mutability.is_some(), slot);
                Some(Stmt::Let { local, ty, init })
            }
            syn::Pat::Wild(_) => Some(Stmt::Expr(init)),
            _ => None,
        }
    }

    /// Binds the names of a refused pattern, so that their uses are not reported too.
    fn bind_anyway(&mut self, pat: &syn::Pat) {
        let mut names = Vec::new();
        super::names_of(pat, &mut names);
        for name in names {
            let local = self.bind(&name, true, Slot::Inferred);
            self.refused.push(local);
        }
    }

    pub(super) fn no_attributes(&mut self, attrs: &[syn::Attribute]) {
        if let Some(attr) = attrs.first() {
            self.report.on(attr, "attributes are not supported in device code yet");
        }
    }

    pub(super) fn no_macro(&mut self, mac: &syn::Macro) {
        let name = mac.path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default();
        match name.as_str() {
            "stream_parallel" => self.report.on(
                &mac.path,
                "`stream_parallel!` cannot stand in a `par` loop; groups belong to the host part: close the loop first",
            ),
            "println" | "print" | "eprintln" | "eprint" | "dbg" => self.report.on(
                &mac.path,
                format!("`{name}!` is not supported in device code; write the value to an element of a `&mut [T]` parameter and print it on the host"),
            ),
            _ => self.report.on(
                &mac.path,
                format!("the macro `{name}!` is not supported in device code; its body must be plain Rust on scalars"),
            ),
        }
    }

    /// Stands where a refused expression stood; never emitted, since the error ends the expansion.
    pub(super) fn refused(&self, span: Span) -> Expr {
        Expr { span, kind: ExprKind::Bool(false) }
    }

    /// Refuses an expression with the words "… is not supported …".
    pub(super) fn unsupported(
        &mut self,
        tokens: &(impl quote::ToTokens + Spanned),
        message: impl std::fmt::Display,
    ) -> Expr {
        self.report.on(tokens, message);
        self.refused(tokens.span())
    }

    pub(super) fn label_of(&self, label: &syn::Lifetime) -> Option<&LoopFrame> {
        self.loops.iter().rev().find(|l| l.label.as_deref() == Some(&label.ident.to_string()))
    }
}

/// Names that are types, not functions; used to tell `f32::max` from `module::function`.
pub(super) fn is_primitive(name: &Ident) -> bool {
    matches!(
        plain(name).as_str(),
        "bool"
            | "i8"
            | "i16"
            | "i32"
            | "i64"
            | "i128"
            | "isize"
            | "u8"
            | "u16"
            | "u32"
            | "u64"
            | "u128"
            | "usize"
            | "f32"
            | "f64"
    )
}
