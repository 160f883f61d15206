//! What loops take from the host part: symbols, lengths, the ranges of `par`.

use proc_macro2::{TokenStream, TokenTree};

use super::super::{Atom, Form, Values};
use super::Extractor;
use crate::ir::{CaptureId, Dim};
use crate::names::{extent, stride};

impl Extractor<'_> {
    /// The name of a view; in a function, that of a parameter.
    pub(super) fn name(&self, view: CaptureId) -> String {
        match self.params.get(view.0) {
            Some(param) => self.body[*param].name.to_string(),
            None => self.body[view].name.to_string(),
        }
    }

    /// The number of dimensions of a grid; else 0.
    pub(super) fn dims(&self, view: CaptureId) -> usize {
        if self.params.is_empty() { self.body[view].dims } else { 0 }
    }

    /// The symbol of a view's length.
    pub(super) fn len(&mut self, view: CaptureId) -> Atom {
        let name = match self.params.is_empty() {
            true => format!("{}.len()", self.name(view)),
            // Two names of one spelling may be two parameters.
            false => format!("{} {}.len()", view.0, self.name(view)),
        };
        self.facts.symbols.capture(&name, view)
    }

    /// The symbols of a grid's extents, in order; of a slice, its length.
    pub(super) fn extents(&mut self, view: CaptureId) -> Vec<Atom> {
        let len = self.len(view);
        if self.dims(view) == 0 {
            return vec![len];
        }
        let name = &self.body[view].name;
        let captures = self.body.extents(view).enumerate();
        let extents: Vec<_> =
            captures.map(|(dim, capture)| self.facts.symbols.capture(&extent(name, dim), capture)).collect();
        self.facts.grids.insert(len, extents.clone());
        extents
    }

    /// Gives each access of a grid its strides. No index mentions them, so they come last: the
    /// numbers of the other symbols, which examples of races are made of, stay as they are.
    pub(super) fn strides(&mut self) {
        for found in &mut self.facts.accesses {
            let grid = CaptureId(found.access.view);
            let name = &self.body[grid].name;
            let strides = self.body.strides(grid).enumerate();
            let symbols = &mut self.facts.symbols;
            found.access.strides = strides.map(|(dim, capture)| symbols.capture(&stride(name, dim), capture)).collect();
        }
    }

    /// The range of a dimension, where its ends are plain.
    pub(super) fn range(&mut self, dim: &Dim) -> Values {
        let mut host = |tokens: &TokenStream| self.host(&syn::parse2(tokens.clone()).ok()?);
        let (first, end) = (host(&dim.start), host(&dim.end));
        let step = dim.step.as_ref().and_then(host);
        let last = if dim.inclusive { end.clone() } else { end.as_ref().and_then(|end| end.sub(&Form::constant(1))) };
        Values { first, last, end, step, plain: !has_cast(&dim.start) && !has_cast(&dim.end) }
    }

    /// Host code whose value may be compared with what the body uses.
    pub(super) fn host(&mut self, expr: &syn::Expr) -> Option<Form> {
        match expr {
            syn::Expr::Paren(inner) => self.host(&inner.expr),
            syn::Expr::Group(inner) => self.host(&inner.expr),
            // Whatever it does to the value, the launch decides with the numbers.
            syn::Expr::Cast(cast) => self.host(&cast.expr),
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(int), .. }) => {
                Some(Form::constant(int.base10_parse().ok()?))
            }
            syn::Expr::Binary(syn::ExprBinary { left, op, right, .. }) => {
                let (left, right) = (self.host(left)?, self.host(right)?);
                match op {
                    syn::BinOp::Add(_) => left.add(&right),
                    syn::BinOp::Sub(_) => left.sub(&right),
                    syn::BinOp::Mul(_) => left.mul(&right),
                    syn::BinOp::Div(_) => {
                        let by = right.literal().filter(|by| *by > 0)?;
                        let number = self.facts.symbols.host(&crate::parse::spelling(expr));
                        self.facts.quotients.extend(number.atoms().next().map(|symbol| (symbol, (left, by))));
                        Some(number)
                    }
                    _ => None,
                }
            }
            other => Some(self.facts.symbols.host(&crate::parse::spelling(other))),
        }
    }
}

/// Whether host code contains `as`.
fn has_cast(tokens: &TokenStream) -> bool {
    tokens.clone().into_iter().any(|tree| match tree {
        TokenTree::Group(group) => has_cast(&group.stream()),
        TokenTree::Ident(name) => name == "as",
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}
