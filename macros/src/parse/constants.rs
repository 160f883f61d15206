//! Constants of a kernel whose values are in its source: `const TILE: usize = 16;`.
//!
//! The number of threads, the lengths of shared arrays and the ranges of phases must be numbers
//! when the macro decides races. rustc knows the values of all constants, but only after the macro
//! has run. So the macro reads those that the kernel itself declares as numbers. It cannot know
//! that rustc finds the same constant at the place of a use, since a glob import may hide it; so
//! the twin compares the two (`cpu/constants.rs`).

use std::collections::BTreeMap;

use proc_macro2::{Ident, Literal, Span};
use syn::spanned::Spanned;

use super::body::{BodyParser, names_of_use};
use super::host::HostWalk;
use crate::ir::{Expr, ExprKind};
use crate::names;

/// No size is larger. Small enough that nothing overflows where analyses calculate with it.
const LARGEST: u64 = u32::MAX as u64;

/// The number that an expression of literals and of known constants is, all of them `usize`.
fn evaluate(expr: &syn::Expr, known: &mut dyn FnMut(&Ident) -> Option<u64>) -> Option<u64> {
    let number = match expr {
        syn::Expr::Paren(inner) => evaluate(&inner.expr, known),
        syn::Expr::Group(inner) => evaluate(&inner.expr, known),
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(int), .. }) if matches!(int.suffix(), "" | "usize") => {
            int.base10_parse().ok()
        }
        syn::Expr::Path(syn::ExprPath { qself: None, path, .. }) => known(path.get_ident()?),
        syn::Expr::Binary(binary) => {
            let (lhs, rhs) = (evaluate(&binary.left, known)?, evaluate(&binary.right, known)?);
            match binary.op {
                syn::BinOp::Add(_) => lhs.checked_add(rhs),
                syn::BinOp::Sub(_) => lhs.checked_sub(rhs),
                syn::BinOp::Mul(_) => lhs.checked_mul(rhs),
                syn::BinOp::Div(_) => lhs.checked_div(rhs),
                syn::BinOp::Rem(_) => lhs.checked_rem(rhs),
                _ => None,
            }
        }
        _ => None,
    };
    number.filter(|number| *number <= LARGEST)
}

impl HostWalk<'_> {
    /// Declares the constants of a block, which are visible in all of it. Those that are visible
    /// around it.
    pub(super) fn declare_constants(&mut self, stmts: &[syn::Stmt]) -> BTreeMap<String, u64> {
        let around = self.constants.clone();
        let mut items: BTreeMap<String, Vec<&syn::ItemConst>> = BTreeMap::new();
        for stmt in stmts {
            match stmt {
                syn::Stmt::Item(syn::Item::Const(item)) => {
                    items.entry(names::plain(&item.ident)).or_default().push(item)
                }
                // It hides what is around, and only rustc knows what it is.
                syn::Stmt::Item(syn::Item::Use(item)) => {
                    let mut names = Vec::new();
                    names_of_use(&item.tree, None, &mut names, &mut Vec::new());
                    names.iter().for_each(|name| _ = self.constants.remove(&names::plain(name)));
                }
                _ => {}
            }
        }
        items.keys().for_each(|name| _ = self.constants.remove(name));
        // Of two with one name, `cfg` leaves one.
        let mut open: Vec<&syn::ItemConst> =
            items.into_values().filter_map(|mut of| of.pop().filter(|_| of.is_empty())).collect();
        open.retain(|item| matches!(&*item.ty, syn::Type::Path(ty) if ty.qself.is_none() && ty.path.is_ident("usize")));
        // One may be declared by a later one.
        loop {
            let before = open.len();
            open.retain(|item| match evaluate(&item.expr, &mut |name| self.constant(name)) {
                Some(value) => {
                    self.constants.insert(names::plain(&item.ident), value);
                    false
                }
                None => true,
            });
            if open.len() == before {
                return around;
            }
        }
    }

    /// The first and the last value of a range, whose ends are literals or constants.
    pub(super) fn values_of(&self, range: &syn::Expr) -> Option<[i64; 2]> {
        let syn::Expr::Range(syn::ExprRange { start: Some(start), end: Some(end), limits, .. }) = super::strip(range)
        else {
            return None;
        };
        let number = |expr: &syn::Expr| i64::try_from(evaluate(expr, &mut |name| self.constant(name))?).ok();
        let (first, end) = (number(start)?, number(end)?);
        let last = if matches!(limits, syn::RangeLimits::Closed(_)) { end } else { end.checked_sub(1)? };
        (first <= last).then_some([first, last])
    }

    fn constant(&self, name: &Ident) -> Option<u64> {
        let name = names::plain(name);
        if self.lookup(&name).is_some() { None } else { self.constants.get(&name).copied() }
    }

    /// Puts numbers in the place of constants where a head says how many threads a block has. The
    /// constants that were there.
    pub(super) fn constants_of_threads(&self, head: &mut syn::Expr) -> Vec<(Ident, u64)> {
        let mut used = Vec::new();
        let mut head = head;
        loop {
            match head {
                syn::Expr::Paren(inner) => head = &mut inner.expr,
                syn::Expr::Group(inner) => head = &mut inner.expr,
                syn::Expr::MethodCall(call) => {
                    if call.method == "threads" || call.method == "block" {
                        call.args.iter_mut().for_each(|arg| self.number(arg, &mut used));
                    }
                    head = &mut call.receiver;
                }
                _ => return used,
            }
        }
    }

    fn number(&self, expr: &mut syn::Expr, used: &mut Vec<(Ident, u64)>) {
        if let syn::Expr::Tuple(tuple) = expr {
            return tuple.elems.iter_mut().for_each(|dim| self.number(dim, used));
        }
        let mut here = Vec::new();
        let number = evaluate(expr, &mut |name| use_of(name, self.constant(name)?, &mut here));
        if let (Some(number), [_, ..]) = (number, here.as_slice()) {
            *expr = literal(number, expr.span());
            here.into_iter().for_each(|(name, value)| _ = use_of(&name, value, used));
        }
    }
}

impl BodyParser<'_> {
    /// The number that an expression is, if constants of the kernel are in it.
    pub(super) fn known_number(&mut self, expr: &syn::Expr) -> Option<Expr> {
        if !matches!(expr, syn::Expr::Path(_) | syn::Expr::Binary(_)) {
            return None;
        }
        let mut used = Vec::new();
        let number = evaluate(expr, &mut |name| use_of(name, self.constant(name)?, &mut used))?;
        if used.is_empty() {
            return None;
        }
        self.has_used(used);
        let span = expr.span();
        let kind = ExprKind::Int { token: token(number, span), digits: number.to_string(), slot: self.slot() };
        Some(Expr::new(span, kind))
    }

    /// The length of an array, as a literal if that is known.
    pub(super) fn length(&mut self, len: &syn::Expr) -> syn::Expr {
        let mut used = Vec::new();
        let number = evaluate(len, &mut |name| use_of(name, self.constant(name)?, &mut used));
        let Some(number) = number else { return len.clone() };
        self.has_used(used);
        literal(number, len.span())
    }

    fn has_used(&mut self, constants: Vec<(Ident, u64)>) {
        constants.into_iter().for_each(|(name, value)| _ = use_of(&name, value, &mut self.body.constants));
    }
}

/// Notes the use of a constant, once a name.
fn use_of(name: &Ident, value: u64, used: &mut Vec<(Ident, u64)>) -> Option<u64> {
    if !used.iter().any(|(known, _)| known == name) {
        used.push((name.clone(), value));
    }
    Some(value)
}

fn token(number: u64, span: Span) -> Literal {
    let mut token = Literal::usize_suffixed(usize::try_from(number).unwrap_or(usize::MAX));
    token.set_span(span);
    token
}

fn literal(number: u64, span: Span) -> syn::Expr {
    syn::Expr::Lit(syn::ExprLit { attrs: Vec::new(), lit: syn::Lit::new(token(number, span)) })
}
