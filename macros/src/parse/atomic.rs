//! Atomics in device code: operations on elements of `&[AtomicU32]`, and nothing else.
//!
//! The only ordering is `Relaxed`. The others order what else a thread does against what another one sees; but what iterations
//! may see of each other is atomics alone, since everything else that one writes no other may touch.

use quote::ToTokens;
use syn::spanned::Spanned;

use super::body::{BodyParser, Want};
use super::call::arguments;
use super::{HostName, plain, single_ident, strip};
use crate::ir::atomics::{self, AtomicOp};
use crate::ir::{Access, Borrow, Expr, ExprKind, LocalKind};
use crate::report::Code;

impl BodyParser<'_> {
    /// Whether an expression is a slice of atomics, a reference to one, or an element or a part of such a slice.
    pub(super) fn is_atomic(&self, expr: &syn::Expr) -> bool {
        if let syn::Expr::Index(index) = strip(expr) {
            return self.is_atomic(&index.expr);
        }
        let Some(name) = single_ident(expr) else { return false };
        match self.local(name) {
            Some(local) => {
                matches!(self.body[local].kind, LocalKind::Reference(Borrow::Atomic) | LocalKind::Slice(Borrow::Atomic))
            }
            None => matches!(self.host(name), Some(HostName::View { borrow: Borrow::Atomic, .. })),
        }
    }

    /// Whether it is one atomic, and not a slice of them.
    fn is_cell(&self, expr: &syn::Expr) -> bool {
        let one = match strip(expr) {
            syn::Expr::Index(index) => !matches!(strip(&index.index), syn::Expr::Range(_)),
            expr => single_ident(expr)
                .and_then(|name| self.local(name))
                .is_some_and(|local| matches!(self.body[local].kind, LocalKind::Reference(_))),
        };
        one && self.is_atomic(expr)
    }

    /// The place of one atomic: `hist[i]`.
    pub(super) fn cell(&mut self, expr: &syn::Expr) -> Expr {
        match strip(expr) {
            syn::Expr::Index(index) => self.index(index, Access::Atomic),
            _ => self.read_place(expr),
        }
    }

    /// `hist[i].fetch_add(1, Relaxed)`, `hist[i].compare_exchange(0, 1, Relaxed, Relaxed).is_ok()`. `None`: it has nothing
    /// to do with atomics.
    pub(super) fn atomic_method(&mut self, call: &syn::ExprMethodCall, name: &str) -> Option<Expr> {
        if let ("is_ok" | "is_err", syn::Expr::MethodCall(exchange)) = (name, strip(&call.receiver))
            && call.args.is_empty()
            && atomics::find(&plain(&exchange.method)).is_some_and(|op| op.fallible)
        {
            return self.atomic(exchange, Some(name == "is_ok"));
        }
        self.atomic(call, None)
    }

    fn atomic(&mut self, call: &syn::ExprMethodCall, succeeds: Option<bool>) -> Option<Expr> {
        let name = plain(&call.method);
        let op = match (atomics::find(&name), self.is_cell(&call.receiver)) {
            (Some(op), true) => op,
            (None, false) => return None,
            (Some(_), false) if self.is_unknown(&call.receiver) => return Some(self.refused(call.method.span())),
            (Some(_), false) => {
                return Some(self.unsupported(
                    &call.method,
                    Code::AtomicUse,
                    format!("`{name}` is a method of atomics: declare the slice that it is called on an element of as one of atomics, `&[AtomicU32]`"),
                ));
            }
            (None, true) => {
                let names: Vec<&str> = atomics::OPS.iter().map(|op| op.name).collect();
                return Some(self.unsupported(
                    &call.method,
                    Code::AtomicUse,
                    format!("atomics of device code have no `{name}`; they have `{}`", names.join("`, `")),
                ));
            }
        };
        let cell = self.cell(&call.receiver);
        let args: Vec<&syn::Expr> = call.args.iter().collect();
        if args.len() != op.values + op.orderings {
            return Some(self.unsupported(
                &call.method,
                Code::AtomicUse,
                format!("`{name}` takes {} and {}, but got {}", values(op), orderings(op), arguments(args.len())),
            ));
        }
        let (value_args, ordering_args) = args.split_at(op.values);
        let args: Vec<Expr> = value_args.iter().map(|arg| self.expr(arg, Want::Value)).collect();
        let mut orderings = Vec::new();
        for ordering in ordering_args {
            match strip(ordering) {
                syn::Expr::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "Relaxed") => {
                    orderings.push(path.clone());
                }
                other => {
                    self.unsupported(
                        other,
                        Code::AtomicUse,
                        "the ordering of atomic operations of device code is `Relaxed`: what iterations see of each other is atomics alone, so there is nothing to order them with",
                    );
                }
            }
        }
        if op.fallible && succeeds.is_none() {
            return Some(self.unsupported(
                &call.method,
                Code::AtomicUse,
                format!("device code has no `Result`: ask `….{name}(…).is_ok()`, or `.is_err()`; what is there, `load` tells"),
            ));
        }
        // What a reference refers to is behind its name.
        let cell = match cell.kind {
            ExprKind::Local(_) => cell,
            _ => {
                let (span, place) = (cell.span, Box::new(cell));
                Expr { span, kind: ExprKind::Reference { borrow: Borrow::Atomic, place } }
            }
        };
        let kind = ExprKind::Atomic { op, cell: Box::new(cell), args, orderings, succeeds };
        Some(Expr { span: call.method.span(), kind })
    }

    /// Refuses to read or write an atomic as if it were its value.
    pub(super) fn not_atomic(&mut self, cell: &(impl ToTokens + Spanned), access: Access) -> Expr {
        let text = super::text(cell);
        let text = text.trim_start_matches('*').trim_start();
        self.unsupported(
            cell,
            Code::AtomicUse,
            if access == Access::Write {
                format!("an atomic is changed by its methods: `{text}.store(value, Relaxed)`, `{text}.fetch_add(value, Relaxed)`")
            } else {
                format!("the value of an atomic is read by its method: `{text}.load(Relaxed)`")
            },
        )
    }
}

fn values(op: &AtomicOp) -> &'static str {
    match op.values {
        0 => "no value",
        1 => "a value",
        _ => "two values",
    }
}

fn orderings(op: &AtomicOp) -> &'static str {
    if op.orderings == 1 { "an ordering, `Relaxed`" } else { "two orderings, `Relaxed, Relaxed`" }
}
