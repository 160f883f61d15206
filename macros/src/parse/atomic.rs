//! Atomics in device code: operations on elements of `&[AtomicU32]`, and nothing else.
//!
//! The only ordering is `Relaxed`. The others order what else a thread does against what another
//! one sees; but what iterations may see of each other is atomics alone, since everything else that
//! one writes no other may touch.

use quote::ToTokens;
use syn::spanned::Spanned;

use super::body::{BodyParser, Want};
use super::call::arguments;
use super::{HostName, single_ident, strip};
use crate::ir::atomics::{self, AtomicOp};
use crate::ir::{Access, Borrow, Callee, Expr, ExprKind, LocalKind};
use crate::names;
use crate::report::{Code, Diagnostic, error};
use anabranch_core::methods;

impl BodyParser<'_> {
    /// Whether an expression is a slice or an array of atomics, a reference to one, or an element
    /// or a part of such a slice or array.
    pub(super) fn is_atomic(&self, expr: &syn::Expr) -> bool {
        self.dims_of_atomics(expr).is_some()
    }

    /// Whether it is one atomic, and not a slice of them.
    fn is_cell(&self, expr: &syn::Expr) -> bool {
        self.dims_of_atomics(expr) == Some(0)
    }

    /// How many indexes such an expression still takes. Below 0 it has too many.
    pub(super) fn dims_of_atomics(&self, expr: &syn::Expr) -> Option<isize> {
        let expr = referred(expr);
        if let syn::Expr::Index(index) = expr {
            let is_part = matches!(strip(&index.index), syn::Expr::Range(_));
            return Some(self.dims_of_atomics(&index.expr)? - isize::from(!is_part));
        }
        let name = single_ident(expr)?;
        match self.local(name) {
            Some(local) => match self.body[local].kind {
                LocalKind::Reference(Borrow::Atomic) => Some(0),
                LocalKind::Slice(Borrow::Atomic) | LocalKind::Grid(Borrow::Atomic, _) => Some(1),
                LocalKind::Value => Some(self.body[local].atomics.cast_signed()).filter(|dims| *dims > 0),
                _ => None,
            },
            None => match self.host(name) {
                Some(HostName::View { view, .. }) if view.borrow == Borrow::Atomic => Some(1),
                _ => None,
            },
        }
    }

    /// Whether an expression is an array of atomics that threads share, or a part of one.
    pub(super) fn is_shared_atomic(&self, expr: &syn::Expr) -> bool {
        match referred(expr) {
            syn::Expr::Index(index) => self.is_shared_atomic(&index.expr),
            name => single_ident(name).and_then(|name| self.local(name)).is_some_and(|at| self.body[at].atomics > 0),
        }
    }

    /// The place of one atomic: `hist[i]`; of an array of atomics, also of all of them or of a row.
    pub(super) fn cell(&mut self, expr: &syn::Expr) -> Expr {
        match referred(expr) {
            syn::Expr::Index(index) => self.index(index, Access::Atomic),
            name => self.read_place(name),
        }
    }

    /// `hist[i].fetch_add(1, Relaxed)`, `hist[i].compare_exchange(0, 1, Relaxed, Relaxed)`. `None`:
    /// it has nothing to do with atomics.
    pub(super) fn atomic_method(&mut self, call: &syn::ExprMethodCall, name: &str) -> Option<Expr> {
        let op = match (atomics::find(name), self.is_cell(&call.receiver)) {
            (Some(op), true) => op,
            (None, true) => return Some(self.no_operation(call, name)),
            (None, false) if self.is_shared_atomic(&call.receiver) && !matches!(name, "len" | "is_empty") => {
                let text = super::text(referred(&call.receiver));
                let error = misuse(format!("an array of atomics has no method `{name}` in device code"));
                let error = error.help("call the methods of its elements, such as `fetch_add` and `load`");
                return Some(self.unsupported(&call.method, error.help(format!("it has `{text}.len()`"))));
            }
            (None, false) => return None,
            (Some(_), false) => return self.not_a_cell(call, name),
        };
        let cell = self.cell(&call.receiver);
        let args: Vec<&syn::Expr> = call.args.iter().collect();
        if let Some(turbofish) = &call.turbofish {
            return Some(
                self.unsupported(turbofish, misuse(format!("`{name}` takes no type arguments")).help("remove them")),
            );
        }
        if args.len() != op.values + op.orderings {
            return Some(
                self.unsupported(
                    &call.method,
                    misuse(format!("`{name}` takes {}, but got {}", arguments(op.values + op.orderings), args.len()))
                        .help(format!("write `{}`", as_called(&super::text(&call.receiver), op))),
                ),
            );
        }
        let (value_args, ordering_args) = args.split_at(op.values);
        let values: Vec<Expr> = value_args.iter().map(|arg| self.expr(arg, Want::Value)).collect();
        let mut orderings = Vec::new();
        for ordering in ordering_args {
            match strip(ordering) {
                syn::Expr::Path(path) if last_of(ordering).is_some_and(|last| last == "Relaxed") => {
                    orderings.push(path.clone());
                }
                other => {
                    self.unsupported(
                        other,
                        misuse("the only ordering in device code is `Relaxed`").help("write `Relaxed`"),
                    );
                }
            }
        }
        // The name of a reference is used without `*`.
        let cell = match cell.kind {
            ExprKind::Local(_) => cell,
            _ => {
                let (span, place) = (cell.span, Box::new(cell));
                Expr::new(span, ExprKind::Reference { borrow: Borrow::Atomic, place })
            }
        };
        let result = op.fallible.then(|| self.slot());
        let args = std::iter::once(cell).chain(values).collect();
        let kind = ExprKind::Call { callee: Callee::Atomic { op, orderings, result }, args };
        Some(self.hoisted(Expr::new(call.method.span(), kind)))
    }

    /// An operation of atomics on something else, or on many of them; `None` where it may be meant
    /// for something else.
    fn not_a_cell(&mut self, call: &syn::ExprMethodCall, name: &str) -> Option<Expr> {
        let receiver = strip(&call.receiver);
        if self.is_unknown(receiver) {
            return Some(self.refused(call.method.span()));
        }
        if let Some(left) = self.dims_of_atomics(receiver) {
            let slice = super::text(receiver);
            let (a, of) = if self.is_shared_atomic(receiver) { ("an", "array") } else { ("a", "slice") };
            if left < 0 {
                let error = misuse(format!("`{slice}` has more indexes than the array has dimensions"));
                return Some(self.unsupported(&call.method, error.help("write one index for each dimension")));
            }
            return Some(
                self.unsupported(
                    &call.method,
                    misuse(format!("`{name}` is a method of an atomic, but `{slice}` is {a} {of} of them"))
                        .help(format!("call `{name}` on an element of the {of}")),
                ),
            );
        }
        let meant = is_element(receiver)
            || call.args.last().and_then(last_of).is_some_and(|last| ORDERINGS.contains(&last.as_str()));
        meant.then(|| {
            self.unsupported(
                &call.method,
                misuse(format!(
                    "`{name}` is a method of atomics, but `{}` is not known to be one",
                    super::text(receiver)
                ))
                .help("declare the slice as `&[AtomicU32]`, or with another atomic type")
                .help("make what threads share as `block.shared([const { AtomicU32::new(0) }; 256])`")
                .help("write the type by its own name: an alias is not recognized"),
            )
        })
    }

    /// Refuses a method that atomics do not have.
    fn no_operation(&mut self, call: &syn::ExprMethodCall, name: &str) -> Expr {
        let cell = super::text(&call.receiver);
        let error = if methods::find(name).is_some() {
            misuse(format!("`{name}` is a method of numbers, not of atomics"))
                .help(format!("load the value first: `{cell}.load(Relaxed).{name}(…)`"))
        } else if name == "fetch_update" {
            misuse("`fetch_update` is not supported in device code: write its loop")
                .help(format!("load the old value: `let old = {cell}.load(Relaxed);`"))
                .help(format!("retry while `{cell}.compare_exchange_weak(old, new, Relaxed, Relaxed).is_err()`"))
        } else {
            let has = |fetches| {
                let names = atomics::OPS.iter().map(|op| op.name).filter(|name| name.starts_with("fetch_") == fetches);
                names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
            };
            misuse(format!("atomics have no method `{name}` in device code"))
                .help(format!("use {}", has(false)))
                .help(format!("use {}", has(true)))
        };
        self.unsupported(&call.method, error)
    }

    /// Refuses to read or write an array of atomics that threads share, or a row of one.
    pub(super) fn not_an_array(&mut self, array: &(impl ToTokens + Spanned), access: Access) -> Expr {
        let text = super::text(array);
        let what = if access == Access::Write { "assigned to" } else { "used as a value" };
        let error = misuse(format!("the array of atomics `{text}` cannot be {what}"))
            .help(format!("to load an element, write `{text}[i].load(Relaxed)`"))
            .help(format!("to replace one, write `{text}[i].store(value, Relaxed)`"))
            .help(format!("to pass the array to a `#[device]` function, write `f(&{text})`"));
        self.unsupported(array, error)
    }

    /// Refuses to read or write an atomic as if it were its value.
    pub(super) fn not_atomic(&mut self, cell: &(impl ToTokens + Spanned), access: Access) -> Expr {
        let text = super::text(cell);
        let text = text.trim_start_matches('*').trim_start();
        let error = if access == Access::Write {
            misuse(format!("cannot assign to the atomic `{text}`"))
                .help(format!("to replace its value, write `{text}.store(value, Relaxed)`"))
                .help(format!("to add to it, write `{text}.fetch_add(value, Relaxed)`"))
        } else {
            misuse(format!("the atomic `{text}` cannot be used as a value"))
                .help(format!("to load its value, write `{text}.load(Relaxed)`"))
        };
        self.unsupported(cell, error)
    }

    /// Refuses `AtomicU32::fetch_add(&hist[i], 1, Relaxed)`.
    pub(super) fn atomic_by_path(&mut self, call: &syn::ExprCall) -> Option<Expr> {
        let syn::Expr::Path(function) = strip(&call.func) else { return None };
        let mut segments = function.path.segments.iter().rev();
        let (name, ty) = (segments.next()?, segments.next()?);
        let of_atomic =
            atomics::find(&names::plain(&name.ident)).is_some() && names::plain(&ty.ident).starts_with("Atomic");
        of_atomic.then(|| {
            let name = names::plain(&name.ident);
            let cell = call.args.first().map_or_else(|| "hist[i]".to_owned(), |cell| super::text(referred(cell)));
            let error =
                misuse(format!("`{}` cannot be called as a function in device code", super::text(&function.path)))
                    .help(format!("call it as a method: `{cell}.{name}(…)`"));
            self.unsupported(function, error)
        })
    }
}

const ORDERINGS: [&str; 5] = ["Relaxed", "Acquire", "Release", "AcqRel", "SeqCst"];

/// The operand of `&` and `*`.
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
        syn::Expr::Path(path) => path.path.segments.last().map(|last| names::plain(&last.ident)),
        _ => None,
    }
}

fn misuse(message: impl Into<String>) -> Diagnostic {
    error(Code::AtomicUse, message)
}

/// A call of an operation, as its arguments are.
fn as_called(cell: &str, op: &AtomicOp) -> String {
    let values: &[&str] = match op.values {
        0 => &[],
        1 => &["value"],
        _ => &["current", "new"],
    };
    let args = values.iter().copied().chain(std::iter::repeat_n("Relaxed", op.orderings));
    format!("{cell}.{}({})", op.name, args.collect::<Vec<_>>().join(", "))
}
