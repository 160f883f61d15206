//! Patterns of device code.

use std::collections::BTreeSet;

use proc_macro2::Ident;
use quote::ToTokens;
use syn::spanned::Spanned;

use super::body::BodyParser;
use crate::ir::{List, LocalId, Pat, PatKind, Slot};
use crate::names;
use crate::report::{Code, Diagnostic, error};

/// A pattern on the way.
struct Bound {
    /// The names that it has bound: alternatives (`(x, 0) | (0, x)`) bind the same.
    names: Vec<(String, LocalId)>,
    /// It need not match. That of a plain `let` must, so that no name in it can be a constant.
    refutable: bool,
}

impl BodyParser<'_> {
    /// A pattern; its names are visible from here on. `None`: it was refused, and its names are
    /// bound anyway.
    pub(super) fn pattern(&mut self, pat: &syn::Pat, refutable: bool) -> Option<Pat> {
        let errors = self.report.len();
        let parsed = self.pattern_in(pat, &mut Bound { names: Vec::new(), refutable });
        if self.report.len() > errors {
            self.bind_anyway(pat);
            return None;
        }
        Some(parsed)
    }

    fn pattern_in(&mut self, pat: &syn::Pat, bound: &mut Bound) -> Pat {
        let span = pat.span();
        let kind = match pat {
            syn::Pat::Paren(inner) => return self.pattern_in(&inner.pat, bound),
            syn::Pat::Wild(_) => PatKind::Wild,
            syn::Pat::Ident(ident) => {
                if let Some(by_ref) = &ident.by_ref {
                    return self.refuse_pattern(
                        by_ref,
                        error(Code::Reference, "`ref` is not supported in device code")
                            .help("remove it: the value is copied"),
                    );
                }
                let plain = ident.mutability.is_none() && ident.subpat.is_none();
                if plain && bound.refutable && is_constant(&ident.ident) {
                    let path = syn::ExprPath { attrs: Vec::new(), qself: None, path: ident.ident.clone().into() };
                    return self.constant_pattern(path);
                }
                let name = ident.ident.to_string();
                let local = match bound.names.iter().find(|(n, _)| *n == name) {
                    Some((_, local)) => *local,
                    None => {
                        let local = self.bind(&ident.ident, ident.mutability.is_some(), Slot::Inferred);
                        bound.names.push((name, local));
                        local
                    }
                };
                let sub = ident.subpat.as_ref().map(|(_, sub)| Box::new(self.pattern_in(sub, bound)));
                PatKind::Bind { local, sub }
            }
            syn::Pat::Lit(lit) => return self.literal_pattern(lit),
            syn::Pat::Path(path) => return self.constant_pattern(path.clone()),
            syn::Pat::Range(range) => {
                let mut end = |end: &Option<Box<syn::Expr>>| end.as_ref().map(|e| Box::new(self.range_end(e)));
                let (lo, hi) = (end(&range.start), end(&range.end));
                PatKind::Range { lo, hi, inclusive: matches!(range.limits, syn::RangeLimits::Closed(_)) }
            }
            syn::Pat::Tuple(tuple) => PatKind::Tuple(self.list(&tuple.elems, bound)),
            syn::Pat::Slice(slice) => PatKind::Array(self.list(&slice.elems, bound)),
            syn::Pat::Or(or) if !bind_the_same(or) => {
                return self.refuse_pattern(
                    or,
                    error(Code::Pattern, "the alternatives of this pattern bind different names")
                        .help("bind the same names in all of them"),
                );
            }
            syn::Pat::Or(or) => PatKind::Or(or.cases.iter().map(|case| self.pattern_in(case, bound)).collect()),
            syn::Pat::Reference(reference) => {
                return self.refuse_pattern(
                    reference.and_token,
                    error(Code::Reference, "references are not supported in patterns of device code")
                        .help("remove the `&`: the value is copied"),
                );
            }
            syn::Pat::TupleStruct(of) => {
                let (path, slot) = (super::struct_path(&of.qself, &of.path), self.body.slots(Slot::Variant));
                PatKind::TupleStruct { path, list: self.list(&of.elems, bound), slot }
            }
            syn::Pat::Struct(of) => PatKind::Struct {
                path: super::struct_path(&of.qself, &of.path),
                fields: of.fields.iter().map(|f| (f.member.clone(), self.pattern_in(&f.pat, bound))).collect(),
                rest: of.rest.is_some(),
                slot: self.body.slots(Slot::Variant),
            },
            syn::Pat::Type(typed) => {
                return self.refuse_pattern(
                    &typed.ty,
                    error(Code::Pattern, "a type cannot be inside a pattern")
                        .help("write it after the whole pattern: `let (a, b): (u32, u32) = …;`"),
                );
            }
            syn::Pat::Rest(rest) => {
                return self
                    .refuse_pattern(rest, error(Code::Pattern, "`..` is only supported in tuple and array patterns"));
            }
            syn::Pat::Macro(mac) => {
                return self.refuse_pattern(
                    &mac.mac.path,
                    error(Code::Pattern, "macros are not supported in patterns of device code")
                        .help("write the pattern that it expands to"),
                );
            }
            other => {
                return self
                    .refuse_pattern(other, error(Code::Pattern, "this pattern is not supported in device code"));
            }
        };
        Pat { span, kind }
    }

    fn refuse_pattern(&mut self, tokens: impl ToTokens, diagnostic: Diagnostic) -> Pat {
        let span = tokens.span();
        self.report.on(tokens, diagnostic);
        Pat { span, kind: PatKind::Wild }
    }

    fn constant_pattern(&mut self, path: syn::ExprPath) -> Pat {
        let slot = self.body.slots(Slot::Constant);
        Pat { span: path.span(), kind: PatKind::Constant { path, slot } }
    }

    /// A literal or constant at the end of a range.
    fn range_end(&mut self, expr: &syn::Expr) -> Pat {
        match expr {
            syn::Expr::Path(path) => self.constant_pattern(path.clone()),
            syn::Expr::Lit(lit) => self.number(lit),
            _ => self
                .refuse_pattern(expr, error(Code::Pattern, "the ends of a range pattern must be numbers or constants")),
        }
    }

    fn literal_pattern(&mut self, lit: &syn::ExprLit) -> Pat {
        match &lit.lit {
            syn::Lit::Bool(value) => Pat { span: lit.span(), kind: PatKind::Bool(value.value) },
            _ => self.number(lit),
        }
    }

    fn number(&mut self, lit: &syn::ExprLit) -> Pat {
        let (digits, float) = match &lit.lit {
            syn::Lit::Int(int) => (int.base10_digits().to_owned(), false),
            syn::Lit::Float(float) => (float.base10_digits().to_owned(), true),
            syn::Lit::Byte(byte) => (byte.value().to_string(), false),
            other => {
                return self.refuse_pattern(other, super::expr::no_text());
            }
        };
        Pat { span: lit.span(), kind: PatKind::Number { tokens: lit.to_token_stream(), digits, float } }
    }

    fn list(&mut self, pats: &syn::punctuated::Punctuated<syn::Pat, syn::Token![,]>, bound: &mut Bound) -> List {
        let mut list = List { front: Vec::new(), back: None };
        for pat in pats {
            match (pat, &mut list.back) {
                (syn::Pat::Rest(_), None) => list.back = Some(Vec::new()),
                (pat, None) => {
                    let pat = self.pattern_in(pat, bound);
                    list.front.push(pat);
                }
                (pat, Some(_)) => {
                    let pat = self.pattern_in(pat, bound);
                    list.back.get_or_insert_default().push(pat);
                }
            }
        }
        list
    }
}

fn bind_the_same(or: &syn::PatOr) -> bool {
    let mut cases = or.cases.iter().map(|case| {
        let mut names = Vec::new();
        super::names_of(case, &mut names);
        names.iter().filter(|name| !is_constant(name)).map(Ident::to_string).collect::<BTreeSet<_>>()
    });
    let first = cases.next();
    cases.all(|names| Some(names) == first)
}

/// A lone name in a pattern is a constant or a variant if there is one of this name, which only
/// rustc knows; they are written with a capital. Where a lower-case name turns out to be one rustc
/// refuses the binding, so that the two never differ.
fn is_constant(name: &Ident) -> bool {
    names::plain(name).starts_with(char::is_uppercase)
}
