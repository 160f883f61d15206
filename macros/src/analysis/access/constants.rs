//! Numbers that stand in a body as constants.

use std::collections::BTreeMap;

use proc_macro2::{TokenStream, TokenTree};

use crate::ir::{Block, Expr, ExprKind, Part, Stmt};

/// The items of a body. Of a name that stands for two, nothing is known.
pub(super) fn items(block: &Block) -> BTreeMap<String, Option<i64>> {
    fn collect(block: &Block, items: &mut BTreeMap<String, Option<i64>>) {
        for stmt in &block.stmts {
            let Stmt::Item(tokens) = stmt else { continue };
            match syn::parse2::<syn::Item>(tokens.clone()) {
                Ok(syn::Item::Const(item)) => {
                    let value = constant(&item.expr, items);
                    let known = items.insert(item.ident.to_string(), value);
                    if known.is_some() {
                        items.insert(item.ident.to_string(), None);
                    }
                }
                // What a `use` brings, only rustc knows: any name may be one of these.
                _ => {
                    names(tokens.clone(), items);
                }
            }
        }
        for part in block.parts() {
            within(part, items);
        }
    }
    fn within(part: Part<'_>, items: &mut BTreeMap<String, Option<i64>>) {
        match part {
            Part::Expr(expr) => expr.parts().into_iter().for_each(|part| within(part, items)),
            Part::Block(block) => collect(block, items),
        }
    }
    fn names(tokens: TokenStream, items: &mut BTreeMap<String, Option<i64>>) {
        for tree in tokens {
            match tree {
                TokenTree::Ident(name) => {
                    items.insert(name.to_string(), None);
                }
                TokenTree::Group(group) => names(group.stream(), items),
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
    }
    let mut items = BTreeMap::new();
    collect(block, &mut items);
    items
}

/// The value of a constant that is made of numbers and other constants of the body.
fn constant(expr: &syn::Expr, items: &BTreeMap<String, Option<i64>>) -> Option<i64> {
    match expr {
        syn::Expr::Paren(inner) => constant(&inner.expr, items),
        syn::Expr::Group(inner) => constant(&inner.expr, items),
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(int), .. }) => int.base10_parse().ok(),
        syn::Expr::Path(path) => items.get(&path.path.get_ident()?.to_string()).copied()?,
        syn::Expr::Binary(syn::ExprBinary { left, op, right, .. }) => {
            let (left, right) = (constant(left, items)?, constant(right, items)?);
            match op {
                syn::BinOp::Add(_) => left.checked_add(right),
                syn::BinOp::Sub(_) => left.checked_sub(right),
                syn::BinOp::Mul(_) => left.checked_mul(right),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The length of an array, where it is plain.
pub(super) fn array_len(expr: &Expr) -> Option<i64> {
    match &expr.kind {
        ExprKind::Array { elems, .. } => i64::try_from(elems.len()).ok(),
        ExprKind::Repeat { len: syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(len), .. }), .. } => {
            len.base10_parse().ok()
        }
        _ => None,
    }
}
