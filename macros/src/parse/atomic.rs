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
use crate::report::{Code, error};
use anabranch_core::methods;

impl BodyParser<'_> {
    /// Whether an expression is a slice of atomics, a reference to one, or an element or a part of such a slice.
    pub(super) fn is_atomic(&self, expr: &syn::Expr) -> bool {
        let expr = referred(expr);
        if let syn::Expr::Index(index) = expr {
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
        self.is_atomic(expr) && (is_element(expr) || self.is_reference(expr))
    }

    fn is_reference(&self, expr: &syn::Expr) -> bool {
        single_ident(referred(expr))
            .and_then(|name| self.local(name))
            .is_some_and(|local| matches!(self.body[local].kind, LocalKind::Reference(_)))
    }

    /// The place of one atomic: `hist[i]`.
    pub(super) fn cell(&mut self, expr: &syn::Expr) -> Expr {
        match referred(expr) {
            syn::Expr::Index(index) => self.index(index, Access::Atomic),
            name => self.read_place(name),
        }
    }

    /// `hist[i].fetch_add(1, Relaxed)`, `hist[i].compare_exchange(0, 1, Relaxed, Relaxed).is_ok()`. `None`: it has nothing
    /// to do with atomics.
    pub(super) fn atomic_method(&mut self, call: &syn::ExprMethodCall, name: &str) -> Option<Expr> {
        if let ("is_ok" | "is_err", syn::Expr::MethodCall(exchange)) = (name, strip(&call.receiver))
            && (call.args.is_empty() && call.turbofish.is_none())
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
            (None, true) => return Some(self.no_operation(call, &name)),
            (None, false) => return None,
            (Some(_), false) => return self.not_a_cell(call, &name),
        };
        let cell = self.cell(&call.receiver);
        let args: Vec<&syn::Expr> = call.args.iter().collect();
        if let Some(turbofish) = &call.turbofish {
            return Some(
                self.unsupported(turbofish, error(Code::AtomicUse, format!("`{name}` takes no type arguments"))),
            );
        }
        if args.len() != op.values + op.orderings {
            return Some(self.unsupported(
                &call.method,
                error(
                    Code::AtomicUse,
                    format!("`{name}` takes {} and {}, but got {}", values(op), orderings(op), arguments(args.len())),
                ),
            ));
        }
        let (value_args, ordering_args) = args.split_at(op.values);
        let args: Vec<Expr> = value_args.iter().map(|arg| self.expr(arg, Want::Value)).collect();
        let mut orderings = Vec::new();
        for ordering in ordering_args {
            match strip(ordering) {
                syn::Expr::Path(path) if last_of(ordering).is_some_and(|last| last == "Relaxed") => {
                    orderings.push(path.clone());
                }
                other => {
                    self.unsupported(
                        other, error(Code::AtomicUse, "atomic operations in device code must be `Relaxed`: iterations share nothing else that another ordering could order"));
                }
            }
        }
        if op.fallible && succeeds.is_none() {
            return Some(self.unsupported(
                &call.method, error(Code::AtomicUse, format!(
                    "`{name}` must be followed by `.is_ok()` or `.is_err()`, since device code has no `Result`; use `load` to get the current value"
                ))));
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

    /// An operation of atomics on something else, or on many of them; `None` where it may be meant for something else.
    fn not_a_cell(&mut self, call: &syn::ExprMethodCall, name: &str) -> Option<Expr> {
        let receiver = strip(&call.receiver);
        if self.is_unknown(receiver) {
            return Some(self.refused(call.method.span()));
        }
        if self.is_atomic(receiver) {
            let slice = super::text(receiver);
            return Some(self.unsupported(
                &call.method, error(Code::AtomicUse, format!(
                    "`{name}` is a method of one atomic, and `{slice}` is a slice of them: `….{name}(…)` of an element"
                ))));
        }
        let meant = is_element(receiver)
            || call.args.last().and_then(last_of).is_some_and(|last| ORDERINGS.contains(&last.as_str()));
        meant.then(|| {
            self.unsupported(
                &call.method, error(Code::AtomicUse, format!(
                    "`{name}` is a method of atomics, and this is none: write `&[AtomicU32]` or the like for the type of the slice; \
                     atomics are known by that name, and not by an alias"
                )))
        })
    }

    /// Refuses a method that atomics do not have.
    fn no_operation(&mut self, call: &syn::ExprMethodCall, name: &str) -> Expr {
        let cell = super::text(&call.receiver);
        let message = if methods::find(name).is_some() {
            format!("`{name}` is a method of numbers, and not of atomics: `{cell}.load(Relaxed).{name}(…)`")
        } else if name == "fetch_update" {
            format!(
                "device code has no closures, and so no `fetch_update`: let `old` be `{cell}.load(Relaxed)`, and load it again while \
                 `{cell}.compare_exchange_weak(old, new, Relaxed, Relaxed).is_err()`"
            )
        } else {
            let names: Vec<&str> = atomics::OPS.iter().map(|op| op.name).collect();
            format!("atomics of device code have no `{name}`; they have `{}`", names.join("`, `"))
        };
        self.unsupported(&call.method, error(Code::AtomicUse, message))
    }

    /// Refuses to read or write an atomic as if it were its value.
    pub(super) fn not_atomic(&mut self, cell: &(impl ToTokens + Spanned), access: Access) -> Expr {
        let text = super::text(cell);
        let text = text.trim_start_matches('*').trim_start();
        self.unsupported(
            cell, error(Code::AtomicUse, if access == Access::Write {
                format!("an atomic is changed by its methods: `{text}.store(value, Relaxed)`, `{text}.fetch_add(value, Relaxed)`")
            } else {
                format!("the value of an atomic is read by its method: `{text}.load(Relaxed)`")
            }))
    }

    /// Refuses `AtomicU32::fetch_add(&hist[i], 1, Relaxed)`.
    pub(super) fn atomic_by_path(&mut self, call: &syn::ExprCall) -> Option<Expr> {
        let syn::Expr::Path(function) = strip(&call.func) else { return None };
        let mut segments = function.path.segments.iter().rev();
        let (name, ty) = (segments.next()?, segments.next()?);
        let of_atomic = atomics::find(&plain(&name.ident)).is_some() && plain(&ty.ident).starts_with("Atomic");
        of_atomic.then(|| {
            let name = plain(&name.ident);
            let message = format!("operations of atomics are called as methods in device code: `hist[i].{name}(…)`");
            self.unsupported(function, error(Code::AtomicUse, message))
        })
    }
}

const ORDERINGS: [&str; 5] = ["Relaxed", "Acquire", "Release", "AcqRel", "SeqCst"];

/// What is behind `&` and `*`.
fn referred(expr: &syn::Expr) -> &syn::Expr {
    match strip(expr) {
        syn::Expr::Reference(syn::ExprReference { mutability: None, expr, .. })
        | syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Deref(_), expr, .. }) => referred(expr),
        other => other,
    }
}

/// `base[index]`, and not a part.
fn is_element(expr: &syn::Expr) -> bool {
    matches!(referred(expr), syn::Expr::Index(index) if !matches!(strip(&index.index), syn::Expr::Range(_)))
}

/// The last name of a path.
fn last_of(expr: &syn::Expr) -> Option<String> {
    match strip(expr) {
        syn::Expr::Path(path) => path.path.segments.last().map(|last| plain(&last.ident)),
        _ => None,
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
