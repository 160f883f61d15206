//! The names of a pattern or closure, bound to what an iterator yields.

use proc_macro2::{Ident, Span};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;

use super::{Around, Item, Place, is_all_value, is_value};
use crate::ir::{
    BinOp, Borrow, Check, ElementOf, Expr, ExprKind, List, LocalId, LocalKind, Pat, PatKind, Site, Slot, Stmt,
};
use crate::parse::body::BodyParser;
use crate::report::{Code, error};

impl BodyParser<'_> {
    /// Binds the names of a pattern to parts of an item, as a closure or loop of std does.
    pub(in crate::parse) fn bind_item(
        &mut self,
        item: &Item,
        around: Around,
        at: LocalId,
        pat: &syn::Pat,
        stmts: &mut Vec<Stmt>,
    ) {
        let depth = around.depth() + usize::from(!is_value(item));
        match (pat, item) {
            (syn::Pat::Paren(inner), _) => self.bind_item(item, around, at, &inner.pat, stmts),
            (syn::Pat::Wild(_), _) => {}
            (syn::Pat::Tuple(tuple), Item::Pair(parts)) if tuple.elems.len() == 2 => {
                let around = if around.depth() > 0 { Around::Inherited } else { around };
                for (pat, item) in tuple.elems.iter().zip(&**parts) {
                    self.bind_item(item, around, at, pat, stmts);
                }
            }
            (syn::Pat::Reference(reference), _)
                if reference.mutability.is_none()
                    && let Around::References(more @ 1..) = around =>
            {
                self.bind_item(item, Around::References(more - 1), at, &reference.pat, stmts);
            }
            (_, Item::Pair(_)) if !is_all_value(item) => {
                self.bind_anyway(pat);
                self.report.on(
                    pat,
                    error(Code::Pattern, "the items of this iterator are pairs").help("take them apart: `(a, b)`"),
                );
            }
            (
                syn::Pat::Reference(reference),
                Item::Element { items, borrow: borrow @ (Borrow::Shared | Borrow::Unique), copied: false, at: place },
            ) if reference.mutability.is_some() == (*borrow == Borrow::Unique) => {
                let copied = Item::Element { items: *items, borrow: *borrow, copied: true, at: *place };
                self.bind_item(&copied, Around::References(0), at, &reference.pat, stmts);
            }
            _ if depth == 0 => {
                let init = self.item_place(item, at, pat.span());
                let (pat, ty) = match pat {
                    syn::Pat::Type(typed) => (&*typed.pat, Some(typed.ty.clone())),
                    pat => (pat, None),
                };
                if let Some(pat) = self.pattern(pat, false) {
                    stmts.push(Stmt::Let { pat, ty, init, otherwise: None });
                }
            }
            _ => {
                let unique = depth == 1 && matches!(item, Item::Element { borrow: Borrow::Unique, copied: false, .. });
                if !self.bind_reference(item, (depth, unique), at, pat, stmts) {
                    self.bind_anyway(pat);
                    let ands = "&".repeat(depth);
                    let message = "this pattern does not fit the items of the iterator, which are references";
                    self.report
                        .on(pat, error(Code::Pattern, message).help(format!("to copy each item, write `{ands}v`")));
                }
            }
        }
    }

    /// Binds a name to a reference, or the names of a tuple or struct to references to its parts.
    /// `false`: the pattern does neither.
    fn bind_reference(
        &mut self,
        item: &Item,
        (depth, unique): (usize, bool),
        at: LocalId,
        pat: &syn::Pat,
        stmts: &mut Vec<Stmt>,
    ) -> bool {
        let (pat, ty) = match pat {
            syn::Pat::Type(typed) => match (&*typed.pat, unwrapped(&typed.ty, depth - 1)) {
                (pat @ syn::Pat::Ident(_), Some(ty)) => (pat, Some(ty)),
                _ => return false,
            },
            pat => (pat, None),
        };
        match pat {
            syn::Pat::Ident(syn::PatIdent { by_ref: None, mutability: None, subpat: None, ident, .. }) => {
                let borrow = if unique { Borrow::Unique } else { Borrow::Shared };
                let place = self.item_place(item, at, pat.span());
                let stmt = self.let_reference(ident, borrow, place, ty);
                // The twin has one reference, whose value is the same.
                if let Stmt::Let { pat, .. } = &stmt {
                    self.deep.extend(pat.name().map(|local| (local, depth)));
                }
                stmts.push(stmt);
                true
            }
            _ if unique => false,
            _ => self.bind_parts(&|this, span| this.item_place(item, at, span), pat, stmts),
        }
    }

    /// `let name = &place;`
    fn let_reference(&mut self, name: &Ident, borrow: Borrow, place: Expr, ty: Option<Box<syn::Type>>) -> Stmt {
        let span = place.span;
        let local = self.bind_kind(name, false, Slot::Inferred, LocalKind::Reference(borrow));
        let init = Expr::new(span, ExprKind::Reference { borrow, place: Box::new(place) });
        let pat = Pat { span: name.span(), kind: PatKind::Bind { local, sub: None } };
        Stmt::Let { pat, ty, init, otherwise: None }
    }

    /// The pattern of a tuple or struct that a reference refers to: its names are references to the
    /// parts of a place.
    fn bind_parts(&mut self, place: &dyn Fn(&mut Self, Span) -> Expr, pat: &syn::Pat, stmts: &mut Vec<Stmt>) -> bool {
        let span = pat.span();
        let (kind, parts) = match pat {
            syn::Pat::Paren(inner) => return self.bind_parts(place, &inner.pat, stmts),
            syn::Pat::Wild(_) => return true,
            syn::Pat::Ident(syn::PatIdent { by_ref: None, mutability: None, subpat: None, ident, .. }) => {
                let place = place(self, span);
                let stmt = self.let_reference(ident, Borrow::Shared, place, None);
                stmts.push(stmt);
                return true;
            }
            syn::Pat::Tuple(tuple) if let Some((list, parts)) = in_order(&tuple.elems) => (PatKind::Tuple(list), parts),
            syn::Pat::TupleStruct(of) if let Some((list, parts)) = in_order(&of.elems) => {
                let (path, slot) = (crate::parse::struct_path(&of.qself, &of.path), self.body.slots(Slot::Variant));
                (PatKind::TupleStruct { path, list, slot }, parts)
            }
            syn::Pat::Struct(of) => {
                let (path, slot) = (crate::parse::struct_path(&of.qself, &of.path), self.body.slots(Slot::Variant));
                let fields = of.fields.iter().map(|field| (field.member.clone(), any(field.pat.span()))).collect();
                let parts = of.fields.iter().map(|field| (field.member.clone(), &*field.pat)).collect();
                (PatKind::Struct { path, fields, rest: of.rest.is_some(), slot }, parts)
            }
            _ => return false,
        };
        // rustc sees whether the value has these parts, and no others.
        stmts.push(Stmt::Let { pat: Pat { span, kind }, ty: None, init: place(self, span), otherwise: None });
        parts.into_iter().all(|(member, pat)| {
            let part = |this: &mut Self, span| {
                let base = Box::new(place(this, span));
                Expr::new(span, ExprKind::Field { base, member: member.clone() })
            };
            self.bind_parts(&part, pat, stmts)
        })
    }

    /// A number of what the loop counts.
    fn counted_number(&mut self, place: Place, at: LocalId, span: Span) -> Expr {
        let local = |id| Expr::new(span, ExprKind::Local(id));
        match place {
            Place::Same => local(at),
            Place::After(start) => self.sum(span, BinOp::Sub, local(at), local(start)),
            Place::Plus(start) => self.sum(span, BinOp::Add, local(start), local(at)),
            Place::Before(end) => {
                let token = proc_macro2::Literal::usize_suffixed(1);
                let one = ExprKind::Int { token, digits: "1".to_owned(), slot: self.slot() };
                let last = self.sum(span, BinOp::Sub, local(end), Expr::new(span, one));
                self.sum(span, BinOp::Sub, last, local(at))
            }
        }
    }

    /// The place of an item without its reference.
    pub(in crate::parse) fn item_place(&mut self, item: &Item, at: LocalId, span: Span) -> Expr {
        let local = |id| Expr::new(span, ExprKind::Local(id));
        match item {
            Item::Element { items, at: place, .. } => {
                let index = self.counted_number(*place, at, span);
                let site = self.body.sites(Site { span, check: Check::Index, text: String::new() });
                let (base, index) = (Box::new(local(*items)), Box::new(index));
                Expr::new(span, ExprKind::Element { base, index, of: ElementOf::Slice, site })
            }
            Item::Counter(place) => self.counted_number(*place, at, span),
            Item::Value(id) => local(*id),
            Item::Pair(parts) => {
                let elems = parts.iter().map(|part| self.item_place(part, at, span)).collect();
                Expr::new(span, ExprKind::Tuple { elems, slot: self.slot() })
            }
        }
    }
}

/// The type without so many `&`, if it is then still that of a reference.
fn unwrapped(ty: &syn::Type, refs: usize) -> Option<Box<syn::Type>> {
    let syn::Type::Reference(reference) = ty else { return None };
    match refs {
        0 => Some(Box::new(ty.clone())),
        _ => unwrapped(&reference.elem, refs - 1),
    }
}

/// The parts of a tuple by their numbers, and a pattern with as many. `None`: some are counted from
/// the last one.
fn in_order(elems: &Punctuated<syn::Pat, syn::Token![,]>) -> Option<(List, Vec<(syn::Member, &syn::Pat)>)> {
    let is_rest = |pat: &&syn::Pat| matches!(pat, syn::Pat::Rest(_));
    let rest = elems.last().filter(is_rest).map(|_| Vec::new());
    let parts: Vec<&syn::Pat> = elems.iter().take(elems.len() - usize::from(rest.is_some())).collect();
    if parts.iter().any(is_rest) {
        return None;
    }
    let front = parts.iter().map(|pat| any(pat.span())).collect();
    let member = |at, span| syn::Member::Unnamed(syn::Index { index: at, span });
    let parts = (0..).zip(parts).map(|(at, pat)| (member(at, pat.span()), pat)).collect();
    Some((List { front, back: rest }, parts))
}

/// `_`
fn any(span: Span) -> Pat {
    Pat { span, kind: PatKind::Wild }
}
